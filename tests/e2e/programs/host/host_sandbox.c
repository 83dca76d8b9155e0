/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that locks itself up after its first region of 2 threads: a seccomp filter that ends the process by SIGSYS
 * when it makes a system call that is not in `allowed`: what the program makes afterwards without Heddle (libomp 14 to
 * 19 and the C library), and what reads files. Then regions of 2, 4 and 8 threads from 3 routines each, 10 times: 90
 * regions, 420 threads. With an argument ERROR that is not 0, forbidden calls fail with that error instead; with a
 * second argument all descriptors are closed first. Compiled with -DRAW it imports syscall(3), but not prctl(3). Prints
 * "threads 420"; ends with status 3.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int allowed[] = {
    // memory and threads
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_clone, SYS_clone3, SYS_set_robust_list, SYS_rseq,
    SYS_rt_sigprocmask, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_exit,
    SYS_exit_group,
    // output; the runtime's end
    SYS_newfstatat, SYS_fstat, SYS_write, SYS_getpid, SYS_getuid, SYS_openat, SYS_close,
#ifdef SYS_unlink
    SYS_unlink,
#endif
    SYS_unlinkat,
    // input, which it might as well have
    SYS_read, SYS_lseek};

enum { ALLOWED = sizeof allowed / sizeof *allowed };

static int lock_up(unsigned otherwise) {
  struct sock_filter filter[2 * ALLOWED + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  unsigned short length = 1;
  for (int i = 0; i < ALLOWED; i++) {
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
  const struct sock_fprog program = {length, filter};
#ifdef RAW
#define prctl(...) syscall(SYS_prctl, __VA_ARGS__)
#endif
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static int threads;

static void region(int team) {
#pragma omp parallel num_threads(team) // mark: region
  {
#pragma omp atomic
    threads++;
#pragma omp barrier
  }
}

#define ROUTINE(name)                                                                                                  \
  static __attribute__((noinline)) void name(int team) {                                                               \
    region(team);                                                                                                      \
    __asm__ volatile("");                                                                                              \
  }
ROUTINE(first)
ROUTINE(second)
ROUTINE(third)

int main(int argc, char **argv) {
  omp_set_dynamic(0);
  region(2);
  threads = 0;
  if (argc > 2)
    closefrom(3);
  if (lock_up(argc > 1 && atoi(argv[1]) ? SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]) : SECCOMP_RET_KILL_PROCESS)) {
    perror("seccomp");
    return 99;
  }
  for (int i = 0; i < 10; i++)
    for (int team = 2; team <= 8; team *= 2) {
      first(team);
      second(team);
      third(team);
    }
  printf("threads %d\n", threads);
  return 3;
}
