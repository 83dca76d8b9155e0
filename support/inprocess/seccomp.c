/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/seccomp.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/inprocess/high_fd.h"

/* ---- may one come? ---- */

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

/* Who installs a filter calls prctl(2), libseccomp's functions, or seccomp(2) by syscall(3). Of callers of the last one
 * only the program's own file counts: libraries use it for all sorts of things, libomp among them. */
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

static bool may_come(void) {
  return dl_iterate_phdr(module_installs, NULL) != 0;
}

/* ---- has one come? ---- */

/* /proc/self/status: its text is made when it is read from its beginning, so it is opened while that is allowed, and
 * read later. */
static struct {
  pthread_mutex_t lock;
  int fd; /* negative: nothing is known, and nothing suspected */
  dev_t device;
  ino_t inode;
  long filters; /* at start */
  bool was_read;
  bool is_new;
  bool is_expected;
} sandbox = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* "Seccomp_filters" (Linux 5.9) counts them, "Seccomp" tells whether there are any. */
static long count_filters(const char *text) {
  static const char *const names[] = {"\nSeccomp_filters:", "\nSeccomp:"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *line = strstr(text, names[i]);
    if (line)
      return strtol(line + strlen(names[i]), NULL, 10);
  }
  return 0; /* a kernel without seccomp */
}

static long read_filters(int fd) {
  char text[8192]; /* one line lists the user's groups, which may be many */
  /* NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): the kernel makes this text at once */
  const ssize_t length = read(fd, text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  return length > 0 ? count_filters(text) : -1;
}

static const char path[] = "/proc/self/status";

static void keep_descriptor(void) {
  struct stat status;
  sandbox.fd = hd_descriptor_move_high(open(path, O_RDONLY | O_CLOEXEC));
  if (sandbox.fd < 0 || fstat(sandbox.fd, &status))
    return;
  sandbox.device = status.st_dev;
  sandbox.inode = status.st_ino;
}

void hd_seccomp_init(void) {
  sandbox.is_expected = may_come();
  const int now = open(path, O_RDONLY | O_CLOEXEC);
  if (now < 0)
    return;
  sandbox.filters = read_filters(now);
  close(now);
  keep_descriptor();
}

bool hd_seccomp_is_expected(void) {
  return sandbox.is_expected;
}

bool hd_seccomp_was_there(void) {
  return sandbox.filters > 0;
}

/* The program may close all descriptors that it does not know, and open its own under the same numbers. */
static bool is_ours(int fd) {
  struct stat status;
  return !fstat(fd, &status) && status.st_dev == sandbox.device && status.st_ino == sandbox.inode;
}

static bool look(int fd) {
  if (!is_ours(fd))
    return may_come();
  if (sandbox.was_read && lseek(fd, 0, SEEK_SET) != 0)
    return true;
  sandbox.was_read = true;
  return read_filters(fd) != sandbox.filters;
}

bool hd_seccomp_is_new(void) {
  pthread_mutex_lock(&sandbox.lock);
  if (sandbox.fd >= 0 && !sandbox.is_new) /* filters are never taken off */
    sandbox.is_new = look(sandbox.fd);
  const bool is_new = sandbox.is_new;
  pthread_mutex_unlock(&sandbox.lock);
  return is_new;
}

void hd_seccomp_leave(void) {
  if (sandbox.fd >= 0 && is_ours(sandbox.fd))
    close(sandbox.fd);
  sandbox.fd = -1;
}

void hd_seccomp_before_fork(void) {
  if (sandbox.is_expected)
    hd_seccomp_is_new();
}

/* Another thread of the parent's may have held the lock. What the child reads from the descriptor, the parent could not
 * read any more: they share its position. */
void hd_seccomp_follow(void) {
  pthread_mutex_init(&sandbox.lock, NULL);
  if (!sandbox.is_expected || sandbox.is_new)
    return;
  hd_seccomp_leave();
  sandbox.was_read = false;
  keep_descriptor();
}
