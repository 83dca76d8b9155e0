/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shapes of parallelism that are legal and rare: one is chosen by name. Each prints numbers that do not depend on how
 * threads are scheduled, and runs a fixed number of parallel regions (test_host_shapes.py says how many).
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long count_region(int size) {
  long sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
  sum += omp_get_num_threads() == size;
  return sum;
}

/* 64 initial threads at once, 3 regions each. */
enum { INITIALS = 64 };
static pthread_barrier_t all_begun;
static long initial_sums[INITIALS];

static void *initial(void *sum) {
  for (int i = 0; i < 3; i++) {
    pthread_barrier_wait(&all_begun);
    *(long *)sum += count_region(2);
  }
  return NULL;
}

static long initials(void) {
  pthread_t threads[INITIALS];
  long sum = 0;
  /* libomp's table of threads has room for four times as many from the start: while it grows, libomp 14 may crash. */
  setenv("OMP_NUM_THREADS", "64", 0);
  pthread_barrier_init(&all_begun, NULL, INITIALS);
  for (int i = 0; i < INITIALS; i++)
    pthread_create(&threads[i], NULL, initial, &initial_sums[i]);
  for (int i = 0; i < INITIALS; i++) {
    pthread_join(threads[i], NULL);
    sum += initial_sums[i];
  }
  return sum;
}

/* main's thread ends; the other one ends the program. The runtime's own threads never do. */
static pthread_barrier_t both;
static void *survive(void *unused) {
  (void)unused;
  pthread_barrier_wait(&both);
  long sum = 0;
  for (int i = 0; i < 20; i++)
    sum += count_region(2) + count_region(3);
  printf("%ld\n", sum);
  exit(0);
}

static long outlive(void) {
  pthread_t thread;
  printf("%ld\n", count_region(2));
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&thread, NULL, survive, NULL);
  pthread_barrier_wait(&both);
  pthread_exit(NULL);
}

static long pause_soft(void) {
  long sum = count_region(3);
  const int refused = omp_pause_resource_all(omp_pause_soft);
  sum += count_region(3) + count_region(4);
  return refused ? -1 : sum;
}

/* The runtime ends the tool with itself. A region after that is more than libomp 14 to 19 survive. */
static long pause_hard(void) {
  const long sum = count_region(3);
  return omp_pause_resource_all(omp_pause_hard) ? -1 : sum;
}

static long deeper(int levels) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    sum += omp_get_level();
    if (levels > 1 && omp_get_thread_num() == 0)
      sum += deeper(levels - 1);
  }
  return sum;
}

static long nested(void) {
  omp_set_max_active_levels(8);
  return deeper(8) + deeper(8);
}

static long cancelled(void) {
  long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
    sum++;
#pragma omp cancel parallel
    sum += 1000;
  }
#pragma omp parallel num_threads(3)
  {
#pragma omp for
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for
      sum += 1000;
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        sum += 1000;
      }
#pragma omp section
      {
#pragma omp cancel sections
        sum += 1000;
      }
    }
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task
      {
#pragma omp cancel taskgroup
        __atomic_fetch_add(&sum, 1000, __ATOMIC_RELAXED);
      }
    }
  }
  return sum;
}

static long teams(void) {
  long sum = 0;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : sum)
  {
#pragma omp distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 30; i++)
      sum += i;
  }
  return sum;
}

static long wide(void) {
  long sum = 0;
#pragma omp parallel num_threads(512) reduction(+ : sum)
  {
#pragma omp for nowait
    for (int i = 0; i < 5000; i++)
      sum += i;
#pragma omp barrier
#pragma omp critical
    sum++;
  }
  return sum;
}

static long sizes(void) {
  long sum = 0;
  for (int size = 1; size <= 12; size++)
    sum += count_region(size);
  for (int size = 12; size >= 1; size -= 3)
    sum += count_region(size) + count_region(13 - size);
  return sum;
}

/* A task that is over when another has said so. */
static long detached(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 20; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(sum) depend(out : sum)
    sum++;
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
#pragma omp task shared(sum) depend(inout : sum)
    sum += 2;
  }
  return sum;
}

static long taskloops(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(7)
    for (int i = 0; i < 100; i++)
      sum += i;
#pragma omp taskloop nogroup num_tasks(5) shared(sum)
    for (int i = 0; i < 10; i++)
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
  return sum;
}

static long doacross(void) {
  long values[101] = {1};
#pragma omp parallel for num_threads(3) ordered(1) schedule(static, 1)
  for (int i = 1; i <= 100; i++) {
#pragma omp ordered depend(sink : i - 1)
    values[i] = values[i - 1] + i;
#pragma omp ordered depend(source)
  }
  return values[100];
}

/* On the host, by the runtime's hidden helper threads. */
static long helpers(void) {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp target nowait map(tofrom : sum) depend(inout : sum)
      sum += i;
    }
#pragma omp taskwait
  }
  return sum;
}

static long finals(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task final(i % 2) untied shared(sum)
    {
#pragma omp task mergeable shared(sum)
      __atomic_fetch_add(&sum, omp_in_final() ? 1 : 100, __ATOMIC_RELAXED);
#pragma omp task if (0) shared(sum)
      __atomic_fetch_add(&sum, 10000, __ATOMIC_RELAXED);
#pragma omp taskyield
#pragma omp taskwait
    }
  }
  return sum;
}

static long serialised(void) {
  long sum = 0;
#pragma omp parallel if (0) reduction(+ : sum)
  {
#pragma omp parallel num_threads(1) reduction(+ : sum)
    {
#pragma omp for
      for (int i = 0; i < 10; i++)
        sum += i;
    }
    sum += count_region(3); /* one level is active */
  }
  return sum;
}

/* For what the environment asks for: whatever the team's size is. */
static long mixed(void) {
  long sum = 0;
  for (int i = 0; i < 20; i++) {
#pragma omp parallel proc_bind(spread) reduction(+ : sum)
    {
#pragma omp for schedule(runtime)
      for (int j = 0; j < 100; j++)
        sum += j;
#pragma omp single
#pragma omp task shared(sum)
      sum++;
    }
  }
  return sum;
}

static const struct {
  const char *name;
  long (*run)(void);
} shapes[] = {{"initials", initials}, {"outlive", outlive},     {"pause_soft", pause_soft}, {"pause_hard", pause_hard},
              {"nested", nested},     {"cancelled", cancelled}, {"teams", teams},           {"wide", wide},
              {"sizes", sizes},       {"detached", detached},   {"taskloops", taskloops},   {"doacross", doacross},
              {"helpers", helpers},   {"finals", finals},       {"serialised", serialised}, {"mixed", mixed}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(shapes[i].name, argv[1])) {
      printf("%ld\n", shapes[i].run());
      return 0;
    }
  return 2;
}
