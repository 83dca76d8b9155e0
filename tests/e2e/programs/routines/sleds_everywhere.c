// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines where it is hard to listen: in a constructor (1 call of early), in signal handlers on the thread's stack and on
// another one (N of on_signal each), in threads (N of work in each of two), in a region's threads (N of in_region), in a
// forked child (N of in_child, which has a profile of its own), and at exit (1 of late).
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline))

static volatile int sink;
static int count;

ROUTINE __attribute__((constructor)) void early(void) { sink++; }
ROUTINE void late(void) { sink++; }
ROUTINE void work(int i) { sink = i; }
ROUTINE void in_region(int i) { sink = i; }
ROUTINE void in_child(int i) { sink = i; }
ROUTINE void on_signal(int number) { sink = number; }

static void *start(void *unused) {
  for (int i = 0; i < count; i++)
    work(i);
  return unused;
}

ROUTINE static void send_signals(int flags) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < count; i++)
    raise(SIGUSR1);
}

int main(int argc, char **argv) {
  static char other_stack[1 << 16];
  const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  pthread_t threads[2];
  count = argc > 1 ? atoi(argv[1]) : 1;
  atexit(late);
  sigaltstack(&stack, NULL);
  send_signals(0);
  send_signals(SA_ONSTACK);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, start, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < count; i++)
    in_region(i);
  if (fork() == 0) {
    for (int i = 0; i < count; i++)
      in_child(i);
    exit(0);
  }
  wait(NULL);
  return 0;
}
