/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file play.h
 * Plays a team's regions in a process of its own, since the library starts once, with the callbacks' cost either
 * measured on this processor or counted.
 *
 * Measured: the time that each callback takes here. All threads' memory shares this processor's cache, and no line has
 * to come from another one.
 *
 * Counted: the traced library says how many accesses to memory each callback makes, and how many of the lines another
 * thread had written last. An access costs what it costs on the average in a callback of that place, in a team of two
 * where all is measured; a line costs what is asked for. So neither this processor's cache nor other work on this
 * machine has a part in it.
 */
#ifndef HEDDLE_BENCHMARKS_SIMULATION_PLAY_H
#define HEDDLE_BENCHMARKS_SIMULATION_PLAY_H

#include "names.h"
#include "schedule.h"

enum play_mode { PLAY_NOTHING, PLAY_MEASURED, PLAY_COUNTED };

struct play {
  enum play_mode mode;
  const char *folder;     /* of the libraries */
  const char *profile;    /* that the library leaves; removed */
  struct program program; /* but for `shape` and `call` */
  const char *constructs;
  uint64_t untimed; /* regions before those that count */
  uint64_t regions;
  bool names_lines; /* say what they are */
  double line_ns, lines_ns, interrupt_ns;
  struct costs costs[PLACES]; /* counted: access_ps, usual, further_ps */
};

struct place_figures {
  uint64_t calls;
  double ps, usual_ps;             /* mean, median */
  double accesses, usual_accesses; /* likewise, if counted */
};

struct figures {
  struct times times;
  double loop_end_ns, region_end_ns; /* medians: what thread 0 needs at a loop's end, at a region's end */
  double calls, lines, runtime_lines, takes, interrupts; /* of all threads in a region */
  double memory_bytes, file_bytes;
  struct place_figures places[PLACES];
  struct named_lines names[NAMES_KEPT]; /* play.names_lines: in all regions */
};

/** False: it failed, and the reason is on stderr. */
bool play(const struct play *play, struct figures *figures);

/** What an access costs, place by place: from a team of two, both measured and counted. */
bool play_calibrate(struct play *play);

#endif
