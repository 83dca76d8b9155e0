/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-control.h
 * The control block of a live profile: what `heddle ctl` asks the running program for, and what became of it.
 *
 * One word is the whole request, so whoever asks may die at any time: it was asked for, or it was not. The program
 * looks at the word now and then, and acts at the begin of one of its threads' events. It believes nothing that it
 * finds there, and reads nothing else of the block.
 */
#ifndef HEDDLE_CONTROL_H
#define HEDDLE_CONTROL_H

#include <stdint.h>

enum hd_control_command {
  HD_CONTROL_ON = 1,     /* events of the class are measured again, wherever they were switched off */
  HD_CONTROL_OFF = 2,    /* they are not, but in windows; `ppm`: what they cost the thread that they cost most */
  HD_CONTROL_BUDGET = 3, /* `ppm`: hd_file_header.budget_ppm from now on; 0: there is none */
  HD_CONTROL_PAUSE = 4,
  HD_CONTROL_RESUME = 5,
  HD_CONTROL_ONLY = 6,    /* as ON for the classes whose bits are set in `ppm`, as OFF for all others */
  HD_CONTROL_ROUTINE = 7, /* one more function is measured from now on (hd_control_routine) */
  /* As ON and OFF, but only in the regions of one profile and of those below it: `ppm` is its number. ON_UNDER: where
   * the class is off everywhere, or in part. The class `region` has neither. */
  HD_CONTROL_ON_UNDER = 8,
  HD_CONTROL_OFF_UNDER = 9,
  HD_CONTROL_SAMPLES = 10 /* `ppm`: samples in a second of a thread's processor time from now on; 0: none */
};

/** A request: its number (32 bits; each is another than the one before), command (4), class (4) and ppm (24). */
static inline uint64_t hd_control_word(uint32_t number, enum hd_control_command command, uint32_t event_class,
                                       uint32_t ppm) {
  return (uint64_t)number << 32 | (uint64_t)command << 28 | (uint64_t)(event_class & 15) << 24 | (ppm & 0xffffff);
}
static inline uint32_t hd_control_number(uint64_t word) {
  return (uint32_t)(word >> 32);
}
static inline uint32_t hd_control_command(uint64_t word) {
  return (uint32_t)(word >> 28) & 15;
}
static inline uint32_t hd_control_class(uint64_t word) {
  return (uint32_t)(word >> 24) & 15;
}
static inline uint32_t hd_control_ppm(uint64_t word) {
  return (uint32_t)word & 0xffffff;
}
#define HD_CONTROL_PPM_MOST 1000000u
#define HD_CONTROL_PROFILE_MOST 0xffffffu /* profiles with higher numbers cannot be named */

/** HD_CONTROL_ROUTINE has the function's address in the program's file instead of class and ppm, in units of 16 bytes
 *  (28 bits): no two functions with sleds begin in one unit, for these have more bytes. */
enum { HD_CONTROL_ROUTINE_UNIT = 16 };
#define HD_CONTROL_ROUTINE_MOST (UINT64_C(0xfffffff) * HD_CONTROL_ROUTINE_UNIT)
static inline uint64_t hd_control_routine_word(uint32_t number, uint64_t address) {
  return (uint64_t)number << 32 | (uint64_t)HD_CONTROL_ROUTINE << 28 | (address / HD_CONTROL_ROUTINE_UNIT & 0xfffffff);
}
static inline uint64_t hd_control_routine(uint64_t word) {
  return (word & 0xfffffff) * HD_CONTROL_ROUTINE_UNIT;
}

/** So many acts are kept: the first. */
#define HD_CONTROL_ACTS 32u

struct hd_control {
  uint64_t asked;   /* the newest request; 0: none yet. Only this is `heddle ctl`'s to write */
  uint64_t done;    /* that request has been acted on; release order */
  uint32_t refused; /* 1: it was none that this version knows */
  uint32_t off;     /* bits: classes that are off everywhere, or in part, because it was asked for */
  uint32_t count;   /* acts so far */
  uint32_t in_part; /* bits: those of `off` that are off in part (hd_profile_record.spared) */
  struct hd_control_act {
    uint64_t ticks;
    uint64_t word; /* the request */
  } acts[HD_CONTROL_ACTS];
};
_Static_assert(sizeof(struct hd_control) == 32 + 16 * HD_CONTROL_ACTS, "as tests/fuzz/layout.c has it");

#endif
