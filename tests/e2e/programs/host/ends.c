/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ends in all the ways in which programs end. Runs a region of two threads, says "before", then does what its argument
 * says; what goes on after that runs another region and says "after".
 */
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "life.h"

static sigjmp_buf back;

static void after(void) {
  region("after");
}

static void say_and_leave(int number) {
  (void)number;
  if (write(STDOUT_FILENO, "handled\n", 8) < 0)
    _exit(1);
  _exit(9);
}

static void jump_back(int number) {
  siglongjmp(back, number);
}

static void handle(int number, void (*handler)(int)) {
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&alternative, NULL);
  sigaction(number, &action, NULL);
}

static void touch_nothing(void) {
  *(volatile int *)(uintptr_t)8 = 1; /* SIGSEGV */
}

static void touch_beyond_the_file(void) {
  FILE *file = tmpfile(); /* empty: SIGBUS */
  *(volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0) = 1;
}

static int overflow(volatile int *deeper) {
  volatile int here[1000];
  here[0] = *deeper + 1;
  return here[0] > 0 ? overflow(here) + here[1] : 0;
}

/* The other thread works meanwhile, and never gets to its end. */
static void in_a_region(int thread, void (*end)(void)) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == thread)
      end();
    else
      for (;;)
        usleep(100);
  }
}

static void exit_3(void) {
  exit(3);
}

static void *go_on_alone(void *unused) {
  usleep(20000);
  region("after");
  exit(4); /* or the runtime's threads would wait for ever */
  return unused;
}

static void *exit_4(void *unused) {
  exit(4);
  return unused;
}

static sem_t began;
static omp_lock_t taken;

static void *wait_on(void *unused) {
  region("thread");
  sem_post(&began);
  omp_set_lock(&taken);
  return unused;
}

static void start(void *(*what)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, what, NULL);
}

static int end(const char *how) {
  if (!strcmp(how, "quick_exit")) {
    at_quick_exit(after);
    quick_exit(5);
  } else if (!strcmp(how, "_exit")) {
    _exit(8);
  } else if (!strcmp(how, "abort")) {
    abort();
  } else if (!strcmp(how, "sigkill")) {
    raise(SIGKILL);
  } else if (!strcmp(how, "sigterm")) {
    raise(SIGTERM);
  } else if (!strcmp(how, "atexit")) {
    atexit(after);
  } else if (!strcmp(how, "sigsegv")) {
    touch_nothing();
  } else if (!strcmp(how, "sigbus")) {
    touch_beyond_the_file();
  } else if (!strcmp(how, "sigsegv in a worker")) {
    in_a_region(1, touch_nothing);
  } else if (!strcmp(how, "overflow")) {
    return overflow(&(int){1});
  } else if (!strcmp(how, "overflow handled")) {
    handle(SIGSEGV, say_and_leave);
    return overflow(&(int){1});
  } else if (!strcmp(how, "jump out of a handler")) {
    handle(SIGSEGV, jump_back);
    if (sigsetjmp(back, 1) == 0)
      touch_nothing();
    region("after");
    return 6;
  } else if (!strcmp(how, "exit in a region")) {
    in_a_region(0, exit_3);
  } else if (!strcmp(how, "exit in a worker")) {
    in_a_region(1, exit_3);
  } else if (!strcmp(how, "exit in a thread")) {
    start(exit_4);
    pause();
  } else if (!strcmp(how, "first handler beside a waiting thread")) {
    sem_init(&began, 0, 0);
    omp_init_lock(&taken);
    omp_set_lock(&taken);
    start(wait_on);
    sem_wait(&began);
    usleep(10000); /* until it waits: before, it is at work, and the same comes of it */
  } else if (!strcmp(how, "pthread_exit")) {
    start(go_on_alone);
    pthread_exit(NULL);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (strstr(how, "first handler"))
    atexit(after); /* before the runtime's and Heddle's: it comes after these */
  region("before");
  return end(how);
}
