/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * To the dynamic linker a library is its file. So the file is copied into memory (memfd_create) and loaded from there.
 * Two more things would still lead to the program's own instance, or the program to ours:
 *
 * - The copy's references to its own functions and variables would go to the program's library first, if the program
 * was linked with it. DT_SYMBOLIC makes the copy look into itself first. (RTLD_DEEPBIND does likewise, but the
 * sanitizers end a program that uses it.)
 * - When the program opens the library later, by name, the dynamic linker compares the name with what the loaded
 *   libraries say theirs is, DT_SONAME, and would take the copy.
 *
 * Hence in the copy the entry DT_SONAME is made into DT_SYMBOLIC. The libraries that it needs in turn are shared.
 */
#include "counters/private_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static bool make_private(unsigned char *image, size_t bytes) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
  if (bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > bytes ||
      header->e_phnum > (bytes - header->e_phoff) / sizeof(ElfW(Phdr)))
    return false;
  const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(image + header->e_phoff);
  const ElfW(Phdr) *const end = segment + header->e_phnum;
  while (segment < end && segment->p_type != PT_DYNAMIC)
    segment++;
  if (segment == end || segment->p_offset > bytes || segment->p_filesz > bytes - segment->p_offset)
    return false;
  ElfW(Dyn) *entry = (ElfW(Dyn) *)(image + segment->p_offset);
  for (size_t left = segment->p_filesz / sizeof *entry; left > 0 && entry->d_tag != DT_NULL; left--, entry++)
    if (entry->d_tag == DT_SONAME) {
      *entry = (ElfW(Dyn)){.d_tag = DT_SYMBOLIC};
      return true;
    }
  return false;
}

static bool read_all(int fd, unsigned char *image, size_t bytes) {
  while (bytes > 0) {
    const ssize_t part = read(fd, image, bytes);
    if (part <= 0)
      return false;
    image += part;
    bytes -= (size_t)part;
  }
  return true;
}

/* A larger file raises SIGXFSZ, which ends the program. */
static bool may_be_as_large(off_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= (rlim_t)bytes)
    return true;
  errno = EFBIG;
  return false;
}

static bool fill(int copy, int from, char *why, size_t why_bytes) {
  struct stat status;
  unsigned char *image = MAP_FAILED;
  if (!fstat(from, &status) && may_be_as_large(status.st_size) && !ftruncate(copy, status.st_size))
    image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
  if (image == MAP_FAILED) {
    snprintf(why, why_bytes, "it cannot be copied: %s", strerror(errno));
    return false;
  }
  const bool is_read = read_all(from, image, (size_t)status.st_size);
  const bool is_private = is_read && make_private(image, (size_t)status.st_size);
  munmap(image, (size_t)status.st_size);
  if (!is_private)
    snprintf(why, why_bytes, is_read ? "it has no SONAME: a copy of it would not be private" : "it cannot be read");
  return is_private;
}

/* Some systems allow only files in memory that cannot be executed: what is mapped from them can be, all the same. */
static int create_in_memory(const char *name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  return fd >= 0 || errno != EACCES ? fd : memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
}

/* The path is one that nobody else is likely to use for another file behind a descriptor: paths are compared, too. */
static void *load_descriptor(int fd, char *why, size_t why_bytes) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/./%d", fd);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? NULL : dlerror();
  if (!library)
    snprintf(why, why_bytes, "its copy cannot be loaded: %s", reason ? reason : "no reason given");
  return library;
}

static void *load_copy(const char *path, char *why, size_t why_bytes) {
  void *library = NULL;
  const int from = open(path, O_RDONLY | O_CLOEXEC);
  const int copy = create_in_memory("heddle's own library");
  if (from < 0)
    snprintf(why, why_bytes, "%s", strerror(errno));
  else if (copy < 0)
    snprintf(why, why_bytes, "it cannot be copied: memfd_create: %s", strerror(errno));
  else if (fill(copy, from, why, why_bytes))
    library = load_descriptor(copy, why, why_bytes);
  if (from >= 0)
    close(from);
  if (copy >= 0)
    close(copy);
  return library;
}

/* The original stays open until its copy is, so that the libraries that both need are loaded once. */
struct hd_private_library hd_private_library_load(const char *name, char *why, size_t why_bytes) {
  struct hd_private_library copy = {0};
  struct link_map *map = NULL;
  char reason[300] = "its file is not known";
  void *original = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!original) {
    const char *told = dlerror(); /* the name is in it */
    snprintf(why, why_bytes, "%s", told ? told : name);
    return copy;
  }
  if (!dlinfo(original, RTLD_DI_LINKMAP, &map)) {
    snprintf(copy.path, sizeof copy.path, "%s", map->l_name);
    copy.library = load_copy(map->l_name, reason, sizeof reason);
  }
  if (!copy.library)
    snprintf(why, why_bytes, "%s: %s", name, reason);
  dlclose(original);
  return copy;
}
