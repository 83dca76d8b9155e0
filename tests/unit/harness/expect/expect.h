/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file expect.h
 * Plays the current script and asks the profile that comes out of it for exact numbers. Failures fail the cmocka test.
 */
#ifndef HEDDLE_TESTS_EXPECT_H
#define HEDDLE_TESTS_EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* needs the four above */

#include "fake_ompt.h"
#include "output/model/model.h"

struct ex_site {
  uint32_t kind; /* enum hd_kind */
  uint64_t code; /* address; a phase's number, see FK_PHASE_BEGIN */
};
#define SITE(kind, code) {HD_KIND_##kind, code}
#define PROGRAM SITE(PROGRAM, 0) /* alone: the path of the program itself */

#define EX_SITES(...)                                                                                                  \
  (const struct ex_site[]){__VA_ARGS__}, sizeof((const struct ex_site[]){__VA_ARGS__}) / sizeof(struct ex_site)

/** The node of a callpath given from the outermost site on. */
#define ex_node(model, ...) ex_node_at(model, true, EX_SITES(__VA_ARGS__))
#define ex_has_node(model, ...) (ex_node_at(model, false, EX_SITES(__VA_ARGS__)) != NULL)
/** Exclusive ticks of one thread in one state at a callpath: 0 without a row. */
#define ex_ticks(model, thread, state, ...) ex_ticks_at(model, thread, state, EX_SITES(__VA_ARGS__))
#define ex_visits(model, thread, ...) ex_visits_at(model, thread, EX_SITES(__VA_ARGS__))

/** A routine's entries by the state of their caller and their own: sequential or concurrent. */
struct ex_cells {
  uint64_t ss, sc, cs, cc;
};
#define CELLS(...) ((struct ex_cells){__VA_ARGS__})

/** Fails unless a thread's entries of a callpath, and their time, are these. */
#define ex_expect_entries(model, thread, visits, ticks, ...)                                                           \
  ex_expect_entries_at(model, thread, visits, ticks, EX_SITES(__VA_ARGS__), __FILE__, __LINE__)
void ex_expect_entries_at(const struct hd_model *model, uint32_t thread, struct ex_cells visits, struct ex_cells ticks,
                          const struct ex_site *path, size_t count, const char *file, int line);

/** A site's code: a node's address, or a phase's number. */
uint64_t ex_code(const struct hd_node *node);

const struct hd_node *ex_node_at(const struct hd_model *model, bool required, const struct ex_site *path, size_t count);
uint64_t ex_ticks_at(const struct hd_model *model, uint32_t thread, enum hd_state state, const struct ex_site *path,
                     size_t count);
uint64_t ex_visits_at(const struct hd_model *model, uint32_t thread, const struct ex_site *path, size_t count);

/** Plays the current script (script.h); the program must exit with 0 and the profile be complete and clean: no unknown
 *  or unmatched events, nothing lost, every thread whole, every thread's busy time the sum of its rows'. */
struct hd_model *ex_play(void);
struct hd_model *ex_play_with(const struct fk_options *options);
/** The same without the demand that events were all known and matched, or that the profile is complete. */
struct hd_model *ex_play_rough(const struct fk_options *options);
/** Ends with a failure unless the child was killed by SIGKILL. */
struct hd_model *ex_play_killed(void);
struct hd_model *ex_play_killed_with(const struct fk_options *options);

/** Plays the script and fails unless the profile agrees with the oracle in every number. `options` may be NULL. */
struct hd_model *ex_play_exact(const struct fk_options *options);
/** The same for a program that ends before the script does, or is not all sound. */
struct hd_model *ex_play_exact_rough(const struct fk_options *options);

/** Fails unless the levels are exactly these, from level 0 on. */
#define ex_expect_levels(levels, ...)                                                                                  \
  ex_expect_levels_at(levels, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, __FILE__,  \
                      __LINE__)
void ex_expect_levels_at(const struct hd_levels *levels, const uint64_t *expected, size_t count, const char *file,
                         int line);

/** Ticks during which threads were busy in both nodes; 0: never. */
uint64_t ex_overlap(const struct hd_model *model, const struct hd_node *a, const struct hd_node *b);

/** NULL when all is well, else what is wrong: identities that hold for every profile, rows against thread records, and
 *  those of concurrency. */
const char *ex_broken_identity(const struct hd_model *model, const char *path);

/** The latter alone: exact to the tick, wall shares to what a double can hold. */
const char *ex_broken_levels(const struct hd_model *model);

/** Of a profile with the trace of a whole run: the profile that is made of it is the same; and NULL likewise. */
const char *ex_broken_replay(const struct hd_model *live);

/** Of one with a trace of concurrency: times at each level are the profile's. */
const char *ex_broken_concurrency(const struct hd_model *live);

/** Likewise; but `traced` is of the same program, and went on after `live` had ended. */
const char *ex_broken_replay_of(const struct hd_model *live, const struct hd_model *traced);

/** Of one part of one program, from a whole trace and from another: they say the same, as far as `part` knows it. */
const char *ex_broken_part_of(const struct hd_model *whole, const struct hd_model *part);

#endif
