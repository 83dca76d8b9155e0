/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who installs a filter calls prctl(2), libseccomp's functions, or seccomp(2) by syscall(3), which only the program's
 * own file counts for: libraries use it for all sorts of things, libomp among them. */
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/inprocess/seccomp.h"

struct tables {
  const ElfW(Sym) * symbols;
  const char *strings;
  const ElfW(Rela) * relocations[2];
  size_t bytes[2];
};

/* glibc has relocated the addresses in the table on most machines. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address) {
  return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static struct tables find_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
  struct tables tables = {0};
  for (; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB)
      tables.symbols = at(info, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_STRTAB)
      tables.strings = at(info, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_RELA)
      tables.relocations[0] = at(info, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_RELASZ)
      tables.bytes[0] = entry->d_un.d_val;
    else if (entry->d_tag == DT_JMPREL)
      tables.relocations[1] = at(info, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_PLTRELSZ)
      tables.bytes[1] = entry->d_un.d_val;
  }
  return tables;
}

static bool imports(const struct tables *tables, const char *name) {
  if (!tables->symbols || !tables->strings)
    return false;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < tables->bytes[k] / sizeof(ElfW(Rela)); i++) {
      const size_t index = ELF64_R_SYM(tables->relocations[k][i].r_info);
      const ElfW(Sym) *symbol = &tables->symbols[index];
      if (index && symbol->st_shndx == SHN_UNDEF && !strcmp(tables->strings + symbol->st_name, name))
        return true;
    }
  return false;
}

static bool installs_filters(const struct tables *tables, bool is_program) {
  return imports(tables, "prctl") || imports(tables, "seccomp_load") || (is_program && imports(tables, "syscall"));
}

/* The program itself comes first, and has no name. */
static int module_installs(struct dl_phdr_info *info, size_t size, void *data) {
  const bool is_program = !info->dlpi_name || !*info->dlpi_name;
  (void)size, (void)data;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      const struct tables tables = find_tables(info, at(info, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
      return installs_filters(&tables, is_program);
    }
  return false;
}

bool hd_sandbox_may_come(void) {
  return dl_iterate_phdr(module_installs, NULL) != 0;
}
