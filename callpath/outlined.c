/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/outlined.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the module's file ---- */

struct module {
  uintptr_t address;
  uintptr_t base;
  char path[PATH_MAX];
};

static int contains(struct dl_phdr_info *info, size_t size, void *data) {
  struct module *module = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || module->address - (info->dlpi_addr + segment->p_vaddr) >= segment->p_memsz)
      continue;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    module->base = info->dlpi_addr;
    strncpy(module->path, path, sizeof module->path - 1);
    return 1;
  }
  return 0;
}

struct file {
  const char *bytes;
  size_t size;
};

static bool map(const char *path, struct file *file) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return false;
  void *bytes = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (bytes == MAP_FAILED)
    return false;
  *file = (struct file){bytes, (size_t)status.st_size};
  return true;
}

/* ---- its symbols: the file may be anything by now ---- */

static const void *part(const struct file *file, uint64_t offset, uint64_t bytes) {
  return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

static const ElfW(Shdr) * section(const struct file *file, const ElfW(Ehdr) * header, uint64_t index) {
  const bool known = index < header->e_shnum && header->e_shentsize == sizeof(ElfW(Shdr));
  return known ? part(file, header->e_shoff + index * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr))) : NULL;
}

static const char *name_at(const struct file *file, const ElfW(Shdr) * strings, uint64_t offset) {
  const char *name = offset < strings->sh_size ? part(file, strings->sh_offset, strings->sh_size) : NULL;
  return name && memchr(name + offset, 0, strings->sh_size - offset) ? name + offset : NULL;
}

/* The name of the function at `value` in one symbol table; NULL: none. */
static const char *find_in(const struct file *file, const ElfW(Ehdr) * header, const ElfW(Shdr) * table,
                           uint64_t value) {
  const ElfW(Shdr) *strings = section(file, header, table->sh_link);
  const ElfW(Sym) *symbols = part(file, table->sh_offset, table->sh_size);
  if (!strings || !symbols)
    return NULL;
  for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++)
    if (symbols[i].st_value == value && (symbols[i].st_info & 0xf) == STT_FUNC)
      return name_at(file, strings, symbols[i].st_name);
  return NULL;
}

static const char *find_name(const struct file *file, uint64_t value) {
  const ElfW(Ehdr) *header = part(file, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return NULL;
  for (uint64_t i = 0; i < header->e_shnum; i++) {
    const ElfW(Shdr) *table = section(file, header, i);
    if (table && table->sh_type == SHT_SYMTAB)
      return find_in(file, header, table, value);
  }
  return NULL;
}

/* A full stop is in no name that a user can give. */
static bool is_compilers_name(const char *name) {
  return strstr(name, ".omp") || strstr(name, "._omp");
}

enum answer { YES, NO, UNKNOWN };

static enum answer ask_name(const void *function) {
  struct module module = {.address = (uintptr_t)function};
  struct file file;
  if (!dl_iterate_phdr(contains, &module) || !map(module.path, &file))
    return UNKNOWN;
  const char *name = find_name(&file, (uintptr_t)function - module.base);
  enum answer answer = !name ? UNKNOWN : is_compilers_name(name) ? YES : NO;
  munmap((void *)(uintptr_t)file.bytes, file.size);
  return answer;
}

/* By the unwinder's tables, which are not stripped. */
static bool lies_in(const void *inside, const void *function) {
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "_Unwind_FindEnclosingFunction") : NULL;
  void *(*find_function)(void *);
  memcpy(&find_function, &symbol, sizeof find_function);
  return !find_function || find_function((char *)(uintptr_t)inside - 1) == function;
}

bool hd_outlined_is(const void *function, const void *inside, bool called_by_runtime) {
  int saved = errno;
  enum answer answer = ask_name(function);
  if (answer == UNKNOWN)
    answer = called_by_runtime && lies_in(inside, function) ? YES : NO;
  errno = saved;
  return answer == YES;
}
