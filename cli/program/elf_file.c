/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
enum { OWN_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE }; /* nothing is foreign */
#endif

static const char *name_of_machine(unsigned machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_386:
    return "x86";
  case EM_AARCH64:
    return "AArch64";
  case EM_ARM:
    return "ARM";
  case EM_PPC64:
    return "POWER";
  case EM_RISCV:
    return "RISC-V";
  default:
    return "another";
  }
}

static void read_machine(Elf *elf, struct hd_elf_file *file) {
  GElf_Ehdr header;
  if (!gelf_getehdr(elf, &header))
    return;
  const int bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64;
  snprintf(file->machine, sizeof file->machine, "%s, %d bits", name_of_machine(header.e_machine), bits);
  file->is_foreign = OWN_MACHINE != EM_NONE && (header.e_machine != OWN_MACHINE || bits != 8 * (int)sizeof(void *));
}

/* The table of sections is a file's end, or near it. */
static bool is_cut(int fd, Elf *elf) {
  GElf_Ehdr header;
  struct stat status;
  return gelf_getehdr(elf, &header) && fstat(fd, &status) == 0 &&
         header.e_shoff + (GElf_Off)header.e_shnum * header.e_shentsize > (GElf_Off)status.st_size;
}

static bool begins(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static void take_definition(struct hd_elf_file *file, const char *name) {
  file->defines_libomp |= strcmp(name, "__kmpc_fork_call") == 0;
  file->defines_libgomp |= strcmp(name, "GOMP_parallel") == 0;
  file->defines_hooks |= strcmp(name, "__cyg_profile_func_enter") == 0;
}

static void take_sanitizer(struct hd_elf_file *file, const char *name) {
  static const struct {
    const char *symbol, *name;
  } known[] = {
      {"__asan_init", "AddressSanitizer"}, {"__tsan_init", "ThreadSanitizer"}, {"__msan_init", "MemorySanitizer"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(name, known[i].symbol) == 0)
      file->sanitizer = known[i].name;
}

/* libomp defines GOMP_parallel, too, so that the order of questions matters to who reads the answers. */
static void take_symbol(struct hd_elf_file *file, const char *name, bool defined) {
  take_sanitizer(file, name);
  if (defined) {
    take_definition(file, name);
    return;
  }
  file->uses_libomp |= begins(name, "__kmpc_");
  file->uses_libgomp |= begins(name, "GOMP_");
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct hd_elf_file *file) {
  GElf_Sym symbol;
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (name)
      take_symbol(file, name, symbol.st_shndx != SHN_UNDEF);
  }
}

static void read_sections(Elf *elf, struct hd_elf_file *file) {
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return;
  while ((section = elf_nextscn(elf, section))) {
    if (!gelf_getshdr(section, &header))
      continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    file->has_lines |= name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".gnu_debuglink") == 0);
    file->has_symbols |= header.sh_type == SHT_SYMTAB;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      read_symbols(elf, section, &header, file);
  }
}

static void read_build_id(Elf *elf, struct hd_elf_file *file) {
  const void *bytes = NULL;
  const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  struct hd_module module = {0};
  if (count <= 0)
    return;
  module.build_id_bytes = (size_t)count < sizeof module.build_id ? (uint32_t)count : sizeof module.build_id;
  memcpy(module.build_id, bytes, module.build_id_bytes);
  hd_module_build_id(&module, sizeof file->build_id, file->build_id);
}

bool hd_elf_file_read(const char *path, struct hd_elf_file *file) {
  memset(file, 0, sizeof *file);
  const int fd = elf_version(EV_CURRENT) != EV_NONE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return false;
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  file->is_elf = elf && elf_kind(elf) == ELF_K_ELF;
  if (file->is_elf) {
    read_machine(elf, file);
    read_build_id(elf, file);
    file->is_cut = is_cut(fd, elf);
    read_sections(elf, file);
  }
  elf_end(elf);
  close(fd);
  return true;
}
