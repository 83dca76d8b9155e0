/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * forbid_perf ERROR PROGRAM ARGUMENT...: runs a program that may not use perf_event_open(2), nor may what it starts.
 * The call fails with that error number, as in containers (EPERM, ENOSYS) and where users may not count (EACCES).
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const unsigned error = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (error == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("forbid_perf");
    return 99;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 99;
}
