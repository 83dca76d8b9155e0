/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who installs a filter calls prctl(2), libseccomp's functions, or seccomp(2) by syscall(3), which only the program's
 * own file counts for: libraries use it for all sorts of things, libomp among them. */
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/inprocess/seccomp.h"

/* A module's dynamic section: values by tag; 0: it has none. */
enum { TAGS = DT_JMPREL + 1 };

/* glibc has relocated the addresses in the section on most machines. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address) {
  return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

/* One of the `bytes` of relocations is by this name, which another module defines. */
static bool is_in(const struct dl_phdr_info *info, const ElfW(Addr) * values, ElfW(Addr) relocations, ElfW(Addr) bytes,
                  const char *name) {
  const ElfW(Sym) *symbols = at(info, values[DT_SYMTAB]);
  const char *strings = at(info, values[DT_STRTAB]);
  const ElfW(Rela) *relocation = at(info, relocations);
  for (size_t i = 0; i < bytes / sizeof *relocation; i++) {
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocation[i].r_info)];
    if (symbol != symbols && symbol->st_shndx == SHN_UNDEF && !strcmp(strings + symbol->st_name, name))
      return true;
  }
  return false;
}

static bool imports(const struct dl_phdr_info *info, const ElfW(Addr) * values, const char *name) {
  return values[DT_SYMTAB] && values[DT_STRTAB] &&
         (is_in(info, values, values[DT_RELA], values[DT_RELASZ], name) ||
          is_in(info, values, values[DT_JMPREL], values[DT_PLTRELSZ], name));
}

static bool installs_filters(const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
  const bool is_program = !info->dlpi_name || !*info->dlpi_name;
  ElfW(Addr) values[TAGS] = {0};
  for (; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag > 0 && entry->d_tag < TAGS)
      values[entry->d_tag] = entry->d_un.d_val;
  return imports(info, values, "prctl") || imports(info, values, "seccomp_load") ||
         (is_program && imports(info, values, "syscall"));
}

/* The program itself comes first, and has no name. */
static int module_installs(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return installs_filters(info, at(info, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
  return false;
}

bool hd_sandbox_may_come(void) {
  return dl_iterate_phdr(module_installs, NULL) != 0;
}
