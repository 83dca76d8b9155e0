/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "switched_program.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"

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

/* Between thread 0's first events and its last. */
void sw_add(struct fk_script *script, uint64_t seed, uint32_t classes) {
  struct fk_script with = {.region_count = script->region_count, .task_count = script->task_count};
  bool off[HD_CLASS_COUNT] = {false};
  uint64_t random = seed;
  size_t last = 0;
  for (size_t i = 0; i < script->count; i++)
    if (script->events[i].op == FK_THREAD_END || script->events[i].op >= FK_FORK) {
      last = i;
      break;
    }
  for (size_t i = 0; i < script->count; i++) {
    const uint32_t c = (uint32_t)next_random(&random) % HD_CLASS_COUNT;
    if (i > 2 && i < last && next_random(&random) % 8 == 0 && (classes >> c & 1)) {
      struct fk_event event = fk_event_of(FK_SWITCH, script->events[i].time, 0);
      event.kind = c;
      event.endpoint = off[c] ? ompt_scope_end : ompt_scope_begin;
      off[c] = !off[c];
      fk_emit(&with, &event);
    }
    fk_emit(&with, &script->events[i]);
  }
  fk_free(script);
  *script = with;
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
