/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * To be preloaded: of the requests that libheddle.so makes to the C library, which it counts from 1, number $FAIL_FROM
 * to $FAIL_TO fail. Requests of the program, the runtime and the C library itself go through. Their number is written
 * to the file $FAIL_COUNT at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

static uintptr_t begin, end; /* of libheddle.so's code */
static unsigned long from, to, requests;

static int note_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(info->dlpi_name, "libheddle.so"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
      end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
      begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    }
  return 1;
}

static int fails(const void *caller, int error) {
  if (!begin)
    dl_iterate_phdr(note_library, NULL);
  if ((uintptr_t)caller < begin || (uintptr_t)caller >= end)
    return 0;
  const unsigned long number = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  if (number < from || number > to)
    return 0;
  errno = error;
  return 1;
}

__attribute__((constructor)) static void begin_to_count(void) {
  const char *text[] = {getenv("FAIL_FROM"), getenv("FAIL_TO")};
  from = text[0] ? strtoul(text[0], NULL, 10) : 0;
  to = text[1] ? strtoul(text[1], NULL, 10) : 0;
  dlopen(NULL, RTLD_NOW); /* what dlsym needs is there now */
}

__attribute__((destructor)) static void tell(void) {
  FILE *file = getenv("FAIL_COUNT") ? fopen(getenv("FAIL_COUNT"), "w") : NULL;
  if (file)
    fprintf(file, "%lu\n", requests);
  if (file)
    fclose(file);
}

#define FAILING(type, name, parameters, arguments, failure, error)                                                     \
  type name parameters {                                                                                               \
    static type(*next) parameters;                                                                                     \
    if (!next)                                                                                                         \
      *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                       \
    return fails(__builtin_return_address(0), error) ? (failure) : next arguments;                                     \
  }

FAILING(void *, mmap, (void *a, size_t n, int p, int f, int fd, off_t o), (a, n, p, f, fd, o), MAP_FAILED, ENOMEM)
FAILING(int, mprotect, (void *a, size_t n, int p), (a, n, p), -1, ENOMEM)
FAILING(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC)
FAILING(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1, EIO)
FAILING(int, fchmod, (int fd, mode_t m), (fd, m), -1, EPERM)
FAILING(int, getrlimit, (__rlimit_resource_t r, struct rlimit *l), (r, l), -1, EPERM)
FAILING(char *, getcwd, (char *b, size_t n), (b, n), NULL, ENOENT)
FAILING(int, gethostname, (char *b, size_t n), (b, n), -1, EPERM)
FAILING(int, sched_getaffinity, (pid_t p, size_t n, cpu_set_t *s), (p, n, s), -1, EPERM)
FAILING(void *, dlopen, (const char *a, int f), (a, f), NULL, 0)
FAILING(int, pthread_key_create, (pthread_key_t * k, void (*f)(void *)), (k, f), EAGAIN, 0)
FAILING(int, __register_atfork, (void (*a)(void), void (*b)(void), void (*c)(void), void *d), (a, b, c, d), ENOMEM, 0)
FAILING(int, __cxa_atexit, (void (*f)(void *), void *a, void *d), (f, a, d), -1, 0)

/* What support/inprocess/libc_wrap.c makes of others. */
long syscall(long number, ...) {
  static long (*next)(long, ...);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "syscall");
  return fails(__builtin_return_address(0), EPERM) ? -1 : next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
