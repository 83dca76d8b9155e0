/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program may define functions with POSIX's short names: a graph code a link(), a solver a write(). The dynamic
 * linker then takes the program's for the C library's, in this library, too. So libheddle.so calls these instead
 * (--wrap, ompt/CMakeLists.txt): system calls by number, and functions from the C library itself. Names that libomp
 * imports as well are left alone: a program that has its own does not run on libomp anyhow. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* __wrap_NAME, the linker's spelling, as a system call. */
#define BY_NUMBER(type, name, parameters, ...)                                                                         \
  type __wrap_##name parameters;                                                                                       \
  type __wrap_##name parameters {                                                                                      \
    return (type)syscall(__VA_ARGS__);                                                                                 \
  }

BY_NUMBER(int, link, (const char *from, const char *to), SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)
BY_NUMBER(int, unlink, (const char *path), SYS_unlinkat, AT_FDCWD, path, 0)
BY_NUMBER(int, symlink, (const char *target, const char *path), SYS_symlinkat, target, AT_FDCWD, path)
BY_NUMBER(int, rename, (const char *from, const char *to), SYS_renameat, AT_FDCWD, from, AT_FDCWD, to)
BY_NUMBER(ssize_t, readlink, (const char *path, char *text, size_t bytes), SYS_readlinkat, AT_FDCWD, path, text, bytes)
/* The kernel's struct stat is the C library's on 64-bit machines. fstat's is the call that the C library makes, which a
 * sandbox knows. */
BY_NUMBER(int, stat, (const char *path, struct stat *status), SYS_newfstatat, AT_FDCWD, path, status, 0)
BY_NUMBER(int, lstat, (const char *path, struct stat *to), SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW)
BY_NUMBER(int, fstat, (int fd, struct stat *status), SYS_newfstatat, fd, "", status, AT_EMPTY_PATH)
BY_NUMBER(off_t, lseek, (int fd, off_t offset, int whence), SYS_lseek, fd, offset, whence)
BY_NUMBER(ssize_t, pread, (int fd, void *bytes, size_t count, off_t at), SYS_pread64, fd, bytes, count, at)
BY_NUMBER(ssize_t, write, (int fd, const void *bytes, size_t count), SYS_write, fd, bytes, count)
BY_NUMBER(ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), SYS_pwrite64, fd, bytes, count, at)
BY_NUMBER(int, nanosleep, (const struct timespec *time, struct timespec *left), SYS_nanosleep, time, left)

/* With at most one argument more, as wide as a register. */
#define BY_NUMBER_ONE_MORE(name, last)                                                                                 \
  int __wrap_##name(int fd, last, ...);                                                                                \
  int __wrap_##name(int fd, last, ...) {                                                                               \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    const long argument = va_arg(list, long);                                                                          \
    va_end(list);                                                                                                      \
    return (int)syscall(SYS_##name, fd, command, argument);                                                            \
  }

BY_NUMBER_ONE_MORE(fcntl, int command)
BY_NUMBER_ONE_MORE(ioctl, unsigned long command)

/* ---- not the kernel's ---- */

char *__wrap_realpath(const char *path, char *resolved);
int __wrap_backtrace(void **frames, int most);

/* ISO C knows no conversion of what the dynamic linker finds to a function. */
static void find(const char *name, void *function, size_t bytes) {
  void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function, &symbol, bytes);
}

char *__wrap_realpath(const char *path, char *resolved) {
  char *(*function)(const char *, char *);
  find("realpath", &function, sizeof function);
  return function ? function(path, resolved) : NULL;
}

/* More than one call under way may look for it: they find the same. */
int __wrap_backtrace(void **frames, int most) {
  static int (*known)(void **, int);
  int (*function)(void **, int) = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!function) {
    find("backtrace", &function, sizeof function);
    __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  }
  return function ? function(frames, most) : 0;
}
