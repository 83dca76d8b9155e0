/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file losses_script.h
 * For tests of where thread time went: scripts on libomp 19, mostly of one region of two threads.
 */
#ifndef HEDDLE_TESTS_LOSSES_SCRIPT_H
#define HEDDLE_TESTS_LOSSES_SCRIPT_H

#include "losses_expect.h"
#include "output/model/memory.h"
#include "script.h"

#define REGION SITE(PARALLEL, 0x100)
#define INNER SITE(PARALLEL, 0x110)
#define LOOP SITE(LOOP_STATIC, 0x200)
#define SINGLE SITE(SINGLE, 0x200)
#define ASKED(threads) (&(struct fk_options){.environment = (const char *const[]){"OMP_NUM_THREADS=" #threads, NULL}})

static struct hd_model *model;
static struct hd_loss_book *book;

static inline int forget(void **state) {
  (void)state;
  hd_loss_book_free(book);
  hd_model_free(model);
  book = NULL;
  model = NULL;
  return 0;
}

static inline void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

/* Plays the program, which ends at `time`. */
static inline void end_asked(uint64_t time, const struct fk_options *options) {
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  model = ex_play_with(options);
  assert_int_equal(model->elapsed_ticks, time);
  book = book_of(model);
}

static inline void end(uint64_t time) {
  end_asked(time, NULL);
}

#define LOSSES(...) (&book->inclusive[ex_node(model, __VA_ARGS__)->id])

/* The worker (of a team of two) arrives at the region's end; thread 0 is current again. */
static inline void worker_arrives(uint64_t time) {
  sc_thread(1);
  sc_at(time);
  sc_join_begin();
  sc_thread(0);
}

/* Thread's part in a construct with a barrier: it works in it `from` .. `to`, and leaves the barrier at `leaves`. */
static inline void loop_of(uint32_t thread, ompt_work_t kind, uint64_t from, uint64_t to, uint64_t leaves) {
  sc_thread(thread);
  sc_at(from);
  sc_work_begin(kind, 0x200);
  sc_at(to);
  sc_work_end(kind, 0x200);
  sc_barrier_begin(sc_work_barrier(), 0x240);
  sc_at(leaves);
  sc_barrier_end(sc_work_barrier(), 0x240);
}

#endif
