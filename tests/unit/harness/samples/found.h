/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file found.h
 * For tests of findings: scripts of mostly one region of two threads on two processors, and what is found in them.
 */
#ifndef HEDDLE_TESTS_FOUND_H
#define HEDDLE_TESTS_FOUND_H

#include <math.h>
#include <string.h>

#include "output/analysis/findings/findings.h"
#include "output/model/memory.h"
#include "played_on.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define INNER SITE(PARALLEL, 0x110)

static struct hd_model *model;
static struct hd_findings *found;

static inline int forget(void **state) {
  (void)state;
  hd_findings_free(found);
  hd_model_free(model);
  found = NULL;
  model = NULL;
  return 0;
}

/* A program that is in a region of two from 0 on. */
static inline void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
}

static inline void as(uint32_t thread, uint64_t time) {
  sc_thread(thread);
  sc_at(time);
}

/* Threads arrive at the region's end; it joins when the last one does. */
static inline void join_at(uint64_t first, uint64_t second) {
  as(1, second);
  sc_join_begin();
  sc_thread(0);
  const uint64_t last = first > second ? first : second;
  sc_join(first, last, last);
}

/* What the kernel noted of the player's own threads is not the script's. */
static inline void look(void) {
  hd_findings_free(found);
  found = hd_findings_new(model, 0);
}

static inline void play(uint64_t time, uint32_t processors, const struct fk_options *options) {
  as(0, time);
  sc_finish();
  fk_sort(sc_script());
  model = play_on_with(processors, options);
  assert_int_equal(model->elapsed_ticks, time);
  for (uint32_t i = 0; i < model->thread_count; i++)
    model->threads[i].account = (struct hd_account){0};
  look();
}

static inline void end(uint64_t time) {
  play(time, 2, &(struct fk_options){0});
}

static inline const struct hd_finding *finding_of(enum hd_cause cause, const struct hd_node *place) {
  for (size_t i = 0; i < found->count; i++)
    if (found->items[i].cause == cause && found->items[i].place == place)
      return &found->items[i];
  return NULL;
}

static inline void expect_found_at(enum hd_cause cause, const struct hd_node *place, double gain, const char *file,
                                   int line) {
  const struct hd_finding *finding = finding_of(cause, place);
  if (finding && fabs(finding->gain_ticks - gain) < 1e-9)
    return;
  for (size_t i = 0; i < found->count; i++)
    print_error("%s at node %u (%x): %f\n", hd_cause_id(found->items[i].cause), found->items[i].place->id,
                (unsigned)found->items[i].place->address, found->items[i].gain_ticks);
  print_error("expected: %s at node %u: %f\n", hd_cause_id(cause), place->id, gain);
  _fail(file, line);
}

/* A cause at the place that the path leads to; and no more findings than `count`. */
#define expect_found(cause, gain, ...)                                                                                 \
  expect_found_at(HD_CAUSE_##cause, ex_node(model, __VA_ARGS__), gain, __FILE__, __LINE__)
#define expect_count(expected) assert_int_equal(found->count, expected)

#endif
