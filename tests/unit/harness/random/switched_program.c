/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "switched_program.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "heddle-format.h"

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return *state >> 33;
}

/* Sections that lie in each other are of different names, as they must be. */
void sw_name_sections(struct fk_script *script) {
  static struct fk_event *open[FK_MAX_THREADS][256];
  static uint32_t count[FK_MAX_THREADS];
  memset(count, 0, sizeof count);
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    const bool mutex = e->op >= FK_MUTEX_ACQUIRE && e->op <= FK_MUTEX_RELEASED;
    uint32_t *n = &count[e->thread];
    if (!mutex || e->wait_id != 0x7000)
      continue;
    if (e->op == FK_MUTEX_ACQUIRE)
      open[e->thread][(*n)++] = e;
    e->wait_id = 0x10000 + (uint64_t)(open[e->thread][*n - 1] - script->events);
    *n -= e->op == FK_MUTEX_RELEASED;
  }
}

static size_t last_of_thread_0(const struct fk_script *script) {
  size_t i = 0;
  while (i < script->count && script->events[i].op != FK_THREAD_END && script->events[i].op < FK_FORK)
    i++;
  return i < script->count ? i : 0;
}

/* An event of `make` now and then, between thread 0's first events and its last. */
static void add(struct fk_script *script, uint64_t seed, struct fk_event (*make)(uint64_t time, uint32_t c, bool off),
                uint32_t classes) {
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  bool off[HD_CLASS_COUNT] = {false};
  uint64_t random = seed;
  const size_t last = last_of_thread_0(script);
  for (size_t i = 0; i < script->count; i++) {
    const uint32_t c = (uint32_t)next_random(&random) % HD_CLASS_REGION; /* which test_refused_regions.c plays */
    if (i > 2 && i < last && next_random(&random) % 8 == 0 && (classes >> c & 1)) {
      off[c] = !off[c];
      const struct fk_event event = make(script->events[i].time, c, off[c]);
      fk_emit(&with, &event);
    }
    fk_emit(&with, &script->events[i]);
  }
  fk_free(script);
  *script = with;
}

static struct fk_event make_switch(uint64_t time, uint32_t c, bool off) {
  struct fk_event event = fk_event_of(FK_SWITCH, time, 0);
  event.kind = c;
  event.endpoint = off ? ompt_scope_begin : ompt_scope_end;
  return event;
}

void sw_add(struct fk_script *script, uint64_t seed, uint32_t classes) {
  add(script, seed, make_switch, classes);
}

static uint32_t number; /* of the last request */

/* No budget at all now and then; and a class in some callpaths only. */
static struct fk_event make_request(uint64_t time, uint32_t c, bool off) {
  struct fk_event event = fk_event_of(FK_ASK, time, 0);
  const uint32_t ppm = number % 3 * 10000, profile = number * 7 % 32; /* there may be fewer */
  number++;
  event.wait_id = number % 11 == 0  ? hd_control_word(number, HD_CONTROL_ONLY, 0, 1u << c | 1u << HD_CLASS_REGION)
                  : number % 7 == 0 ? hd_control_word(number, HD_CONTROL_BUDGET, 0, ppm)
                  : number % 3 == 0
                      ? hd_control_word(number, off ? HD_CONTROL_OFF_UNDER : HD_CONTROL_ON_UNDER, c, profile)
                      : hd_control_word(number, off ? HD_CONTROL_OFF : HD_CONTROL_ON, c, ppm);
  return event;
}

void sw_ask(struct fk_script *script, uint64_t seed) {
  number = (uint32_t)seed; /* so that a program alone is the same as among others */
  add(script, seed, make_request, UINT32_MAX);
}

void sw_kill_after_a_join(struct fk_script *script, uint64_t seed) {
  uint64_t random = seed;
  uint64_t joins = 0;
  size_t cut = 0;
  for (size_t i = 0; i < script->count; i++)
    if (script->events[i].op == FK_PARALLEL_END && script->events[i].thread == 0 && next_random(&random) % ++joins == 0)
      cut = i;
  if (joins == 0)
    return;
  const struct fk_event kill = fk_event_of(FK_KILL, script->events[cut].time + 100, 0);
  script->count = cut + 1;
  fk_emit(script, &kill);
}

static unsigned long seed_count(void) {
  const char *text = getenv("HEDDLE_SEEDS");
  return text ? strtoul(text, NULL, 10) : 100;
}

void sw_play_seeds(void (*check)(uint64_t seed)) {
  const char *only = getenv("HEDDLE_SEED");
  if (only) {
    check(strtoull(only, NULL, 10));
    return;
  }
  for (uint64_t seed = 1; seed <= seed_count(); seed++) {
    print_message("%s%llu", seed == 1 ? "seeds " : "\r", (unsigned long long)seed);
    check(seed);
  }
  print_message("\n");
}
