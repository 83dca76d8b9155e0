/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Work of a known number of page faults: touch(THREAD, N) writes to N pages that nobody has touched before, one fault
 * each, by the thread that calls it. The pages lie in one mapping, made by open_pages, so that touching them calls
 * nothing; huge pages are refused for it.
 *
 * What else may fault (code and data of libraries, stacks, what the runtime allocates) does so the first time only.
 * Programs therefore run each piece of work first from `warm_up`, with no pages, then from `measured`; the rows below
 * `measured` are exact. Where the runtime waits for a lock or sleeps is chance, so open_pages brings in all code and
 * data of the program and its libraries.
 */
#ifndef HEDDLE_TESTS_PAGES_H
#define HEDDLE_TESTS_PAGES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, PAGES_THREADS = 16, PAGES_EACH = 8192 };

/* A cache line each: nobody slows another down. */
static struct pages_thread {
  volatile char *next;
  char pad[56];
} pages_threads[PAGES_THREADS];

/* From Linux 5.14 on; without it a test may find a fault too many now and then. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static inline void populate_files(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  unsigned long begin, end, inode;
  char mode[5], line[512];
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &begin, &end, mode, &inode) == 4 && inode && mode[3] == 'p')
      madvise((void *)begin, end - begin, mode[1] == 'w' ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
  if (maps)
    fclose(maps);
}

static inline void open_pages(void) {
  populate_files();
  const size_t bytes = (size_t)PAGES_THREADS * PAGES_EACH * PAGE_BYTES;
  char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE) != 0) {
    perror("pages");
    exit(99);
  }
  for (int i = 0; i < PAGES_THREADS; i++)
    pages_threads[i].next = pages + (size_t)i * PAGES_EACH * PAGE_BYTES;
}

static inline void touch(int thread, int pages) {
  struct pages_thread *mine = &pages_threads[thread];
  for (int i = 0; i < pages; i++, mine->next += PAGE_BYTES)
    *mine->next = 1;
}

/* A routine of its own around a call: a callpath of its own for what is called. */
#define CALLER(name, call)                                                                                             \
  __attribute__((noinline)) void name(void) {                                                                          \
    call;                                                                                                              \
    __asm__ volatile("");                                                                                              \
  }

#endif
