/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "team.h"

static void add(struct shape *shape, enum step_kind kind, enum who who, enum place place, uint32_t site) {
  if (shape->count < MOST_STEPS)
    shape->steps[shape->count] = (struct step){kind, who, place, site};
  shape->count++;
  shape->works += kind == STEP_WORK;
}

static void call(struct shape *shape, enum who who, enum place place, uint32_t site) {
  add(shape, STEP_CALL, who, place, site);
}

static void add_loop(struct shape *shape, uint32_t site, bool has_barrier) {
  call(shape, WHO_ALL, PLACE_LOOP_BEGIN, site);
  add(shape, STEP_WORK, WHO_ALL, 0, site);
  call(shape, WHO_ALL, PLACE_LOOP_END, site);
  if (!has_barrier)
    return;
  call(shape, WHO_ALL, PLACE_LOOP_BARRIER_BEGIN, site);
  add(shape, STEP_MEET, WHO_ALL, 0, site);
  call(shape, WHO_ALL, PLACE_LOOP_BARRIER_END, site);
}

static void add_barrier(struct shape *shape, uint32_t site, bool has_task) {
  call(shape, WHO_ALL, PLACE_BARRIER_BEGIN, site);
  if (has_task) {
    add(shape, STEP_AWAIT_TASK, WHO_ALL, 0, site);
    call(shape, WHO_ALL, PLACE_TASK_BEGIN, site);
    call(shape, WHO_ALL, PLACE_TASK_END, site);
  }
  add(shape, STEP_MEET, WHO_ALL, 0, site);
  call(shape, WHO_ALL, PLACE_BARRIER_END, site);
}

static bool add_construct(struct shape *shape, const char *name, size_t length, uint32_t site, uint32_t threads) {
  const bool is_loop = length == 4 && !memcmp(name, "loop", 4);
  if (is_loop || (length == 6 && !memcmp(name, "nowait", 6))) {
    add_loop(shape, site, is_loop);
  } else if (length == 7 && !memcmp(name, "barrier", 7)) {
    add_barrier(shape, site, false);
  } else if (length == 6 && !memcmp(name, "single", 6)) {
    call(shape, WHO_ALL, PLACE_SINGLE_BEGIN, site);
    call(shape, WHO_ALL, PLACE_SINGLE_END, site);
  } else if (length == 8 && !memcmp(name, "critical", 8)) {
    call(shape, WHO_ALL, PLACE_ACQUIRE, site);
    add(shape, STEP_LOCK, WHO_ALL, 0, site);
    call(shape, WHO_ALL, PLACE_ACQUIRED, site);
    add(shape, STEP_UNLOCK, WHO_ALL, 0, site);
    call(shape, WHO_ALL, PLACE_RELEASED, site);
  } else if (length == 4 && !memcmp(name, "task", 4)) {
    for (uint32_t i = 0; i < threads; i++)
      call(shape, WHO_PRIMARY, PLACE_TASK_CREATE, site);
    add_barrier(shape, site, true);
  } else {
    return length == 0;
  }
  return true;
}

/* NAME or NAME*COUNT. */
static bool add_constructs(struct shape *shape, const char *name, size_t length, uint32_t site, uint32_t threads) {
  const char *star = memchr(name, '*', length);
  const unsigned long count = star ? strtoul(star + 1, NULL, 10) : 1;
  for (unsigned long i = 0; i < count; i++)
    if (!add_construct(shape, name, star ? (size_t)(star - name) : length, site, threads))
      return false;
  return true;
}

bool team_shape(struct shape *shape, const char *constructs, uint32_t threads) {
  uint32_t site = 1;
  *shape = (struct shape){.count = 0};
  call(shape, WHO_PRIMARY, PLACE_PARALLEL_BEGIN, 0);
  add(shape, STEP_FORK, WHO_PRIMARY, 0, 0);
  call(shape, WHO_WORKERS, PLACE_LATE_BARRIER_END, 0);
  call(shape, WHO_WORKERS, PLACE_LATE_IMPLICIT_END, 0);
  call(shape, WHO_ALL, PLACE_IMPLICIT_BEGIN, 0);
  if (!strstr(constructs, "loop") && !strstr(constructs, "nowait"))
    add(shape, STEP_WORK, WHO_ALL, 0, 0);
  for (const char *name = constructs; *name; name += *name == ',') {
    const size_t length = strcspn(name, ",");
    if (!add_constructs(shape, name, length, site++, threads))
      return false;
    name += length;
  }
  if (threads > 1) { /* one alone meets no barrier at the region's end */
    call(shape, WHO_ALL, PLACE_JOIN_BEGIN, 0);
    add(shape, STEP_JOIN, WHO_ALL, 0, 0);
    call(shape, WHO_PRIMARY, PLACE_JOIN_END, 0);
  }
  call(shape, WHO_PRIMARY, PLACE_IMPLICIT_END, 0);
  call(shape, WHO_PRIMARY, PLACE_PARALLEL_END, 0);
  return shape->count <= MOST_STEPS;
}
