/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code_kind.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "callpath/call_site.h"

enum { MOST_SYSTEM_LIBRARIES = 16 };

static struct {
  struct {
    uintptr_t begin, end;
  } libraries[MOST_SYSTEM_LIBRARIES];
  uint32_t count;
  uintptr_t entry; /* the program's first instruction: _start */
} system_code;

static bool is_system_library(const char *path) {
  static const char *const names[] = {"libc.", "libc-", "ld-", "libpthread", "libstdc++", "libc++", "libgcc_s"};
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i])))
      return true;
  return false;
}

static int note_system_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  if (!is_system_library(info->dlpi_name))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && system_code.count < MOST_SYSTEM_LIBRARIES; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    system_code.libraries[system_code.count].begin = begin;
    system_code.libraries[system_code.count++].end = begin + segment->p_memsz;
  }
  return 0;
}

static bool is_system_code(uintptr_t ip) {
  for (uint32_t i = 0; i < system_code.count; i++)
    if (ip - system_code.libraries[i].begin < system_code.libraries[i].end - system_code.libraries[i].begin)
      return true;
  return false;
}

void hd_code_kind_init(void) {
  system_code.count = 0;
  system_code.entry = getauxval(AT_ENTRY);
  dl_iterate_phdr(note_system_library, NULL);
}

enum hd_code_kind hd_code_kind(uintptr_t ip, uintptr_t function) {
  if (hd_call_site_in_runtime((const void *)ip))
    return HD_CODE_RUNTIME;
  if (is_system_code(ip))
    return HD_CODE_SYSTEM;
  return function && function == system_code.entry ? HD_CODE_ENTRY : HD_CODE_USER;
}
