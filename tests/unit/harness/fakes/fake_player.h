/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fake_player.h
 * Inside the fake runtime's child process: fake_play.c runs it, fake_ompt.c calls the tool.
 */
#ifndef HEDDLE_TESTS_FAKE_PLAYER_H
#define HEDDLE_TESTS_FAKE_PLAYER_H

#include "fake_ompt.h"

/** How the child exits when something is wrong. */
enum { FK_NOT_LOADED = 90, FK_ERRNO_CHANGED = 91, FK_BAD_SCRIPT = 92 };

/** What the child tells its parent: memory that both share. */
struct fk_told {
  bool registered[64]; /* by callback number */
  int controls[FK_MAX_CONTROLS];
  uint32_t control_count;
};

/** Loads the tool, for this process and its children: to relocate it in each of them takes longer than what most of
 *  them play. */
void fk_player_load(void);

/** Initializes the tool, as libomp does. The pointers must stay valid. */
void fk_player_start(const struct fk_script *script, const struct fk_options *options, struct fk_told *told);

/** Sends one event; the calling thread is the event's thread from now on. */
void fk_player_play(const struct fk_event *event);

/** The file has grown by a page. */
void fk_player_has_grown(void);

/** Writes a request into the live profile of this process, as `heddle ctl` does. */
void fk_control_ask(uint64_t word);

/** From now on the n-th request for memory or file space in this process fails, `count` in a row (UINT32_MAX: all that
 *  follow); 0: none does. */
void fk_fail_allocation(uint32_t n, uint32_t count);

#endif
