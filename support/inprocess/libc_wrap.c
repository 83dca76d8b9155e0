/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* POSIX's short names are the program's to define: a code of graphs may have a link(), a solver a write(). The dynamic
 * linker then takes the program's for the C library's, in this library, too. So the linker of libheddle.so is told to
 * take these (--wrap, ompt/CMakeLists.txt): system calls by number, and functions from the C library itself. Names that
 * libomp imports as well are left alone: a program that has its own does not run on it anyhow. */
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

/* The linker's spelling. NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

int __wrap_link(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_symlink(const char *target, const char *path);
int __wrap_rename(const char *from, const char *to);
ssize_t __wrap_readlink(const char *path, char *text, size_t bytes);
int __wrap_stat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
off_t __wrap_lseek(int fd, off_t offset, int whence);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t offset);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
char *__wrap_realpath(const char *path, char *resolved);
int __wrap_backtrace(void **frames, int most);

int __wrap_link(const char *from, const char *to) {
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int __wrap_unlink(const char *path) {
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int __wrap_symlink(const char *target, const char *path) {
  return (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

int __wrap_rename(const char *from, const char *to) {
  return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

ssize_t __wrap_readlink(const char *path, char *text, size_t bytes) {
  return syscall(SYS_readlinkat, AT_FDCWD, path, text, bytes);
}

/* The kernel's struct stat is the C library's on 64-bit machines. */
int __wrap_stat(const char *path, struct stat *status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int __wrap_lstat(const char *path, struct stat *status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

/* By the call that the C library makes, which a sandbox knows. */
int __wrap_fstat(int fd, struct stat *status) {
  return (int)syscall(SYS_newfstatat, fd, "", status, AT_EMPTY_PATH);
}

off_t __wrap_lseek(int fd, off_t offset, int whence) {
  return syscall(SYS_lseek, fd, offset, whence);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset) {
  return syscall(SYS_pread64, fd, bytes, count, offset);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t count) {
  return syscall(SYS_write, fd, bytes, count);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

/* Of both, one argument more at most is passed, as wide as a register. */
int __wrap_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  return (int)syscall(SYS_fcntl, fd, command, argument);
}

int __wrap_ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  const long argument = va_arg(list, long);
  va_end(list);
  return (int)syscall(SYS_ioctl, fd, request, argument);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
  return (int)syscall(SYS_nanosleep, time, left);
}

/* ---- not the kernel's ---- */

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

/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
