/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file settings.h
 * What the environment asks of Heddle: one table names every variable.
 *
 * libheddle.so reads its own at start (hd_settings_read), `heddle run` sets them from its options, and `heddle doctor`
 * knows all names. docs/settings.md has a row for each that is not between heddle and its library alone.
 */
#ifndef HEDDLE_SUPPORT_SETTINGS_H
#define HEDDLE_SUPPORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of the member `memory`. */
#define HD_MEMORY_UNLIMITED UINT64_MAX
#define HD_MEMORY_DEFAULT ((uint64_t)4 << 20)

/** Of libheddle.so: the variable HEDDLE_name, the member of struct hd_settings, its kind, what it is when it is not
 * set. */
#define HD_SETTINGS(_)                                                                                                 \
  _(OUTPUT, output, TEXT, "%n.%p.heddle")           /* name template of the profile */                                 \
  _(STORE_DIR, store_dir, TEXT, NULL)               /* where the live file is mapped; NULL: /dev/shm */                \
  _(START, start, TEXT, NULL)                       /* "pid:ns": its start on CLOCK_MONOTONIC (heddle run's) */        \
  _(CLOCK, clock, TEXT, "auto")                     /* auto, tsc or monotonic */                                       \
  _(CALLPATH_DEPTH, callpath_depth, NUMBER, 0)      /* keep the last k sites; 0: all */                                \
  _(CYCLE_LIMIT, cycle_limit, POSITIVE, 1)          /* fold a callpath when its last so many sites repeat */           \
  _(UNWIND, unwind_depth, NUMBER_OR_OFF, 64)        /* calling routines to find at a region's begin */                 \
  _(MEMORY, memory, SIZE_OR_OFF, HD_MEMORY_DEFAULT) /* bytes, without the threads' part */                             \
  _(THREADS_APART, threads_apart, NUMBER, 256)      /* so many have records that later ones do not continue */         \
  _(CPU_TIME, cpu_time, SWITCH, 0)                  /* measure processor time */                                       \
  _(GOMP, gomp, SWITCH, 0)                          /* libomp stands in libgomp's place (heddle run --gomp) */         \
  _(COUNTERS, counters, TEXT, NULL)                 /* events to count, divided by commas; NULL: none */               \
  _(COUNTERS_AT, counters_at, TEXT, "loop")         /* region, loop or all */                                          \
  _(MULTIPLEX, take_turns, SWITCH, 0)               /* events that do not fit together take turns */                   \
  _(OVERHEAD, overhead_ppm, PERCENT_OR_OFF, 20000)  /* what events may cost; parts in a million; off: 0 */             \
  _(TEST_DELAY, test_delay, TEXT, NULL)             /* NS or NS@THREAD, for tests of the virtual clock */              \
  _(GROUP_TEXT, groups, TEXT, NULL)                 /* HD_TEXT_GROUP, divided by 0x1e (heddle run's) */

/** Of the command, and of the counters in both. */
#define HD_COMMAND_VARIABLES(_)                                                                                        \
  _(LIBRARY)   /* the libheddle.so that heddle run loads */                                                            \
  _(GROUPS)    /* a folder with groups of events */                                                                    \
  _(PAPI)      /* the libpapi to use */                                                                                \
  _(DEBUGINFO) /* folders with debug information, divided by colons */

/* What a setting of each kind is in struct hd_settings. */
#define HD_SETTING_TEXT const char *
#define HD_SETTING_NUMBER uint64_t
#define HD_SETTING_POSITIVE uint64_t
#define HD_SETTING_NUMBER_OR_OFF uint64_t  /* off: 0 */
#define HD_SETTING_SIZE_OR_OFF uint64_t    /* off: UINT64_MAX */
#define HD_SETTING_SWITCH uint64_t         /* 0 or 1 */
#define HD_SETTING_PERCENT_OR_OFF uint64_t /* parts in a million; off: 0 */

#define HD_SETTING_MEMBER(variable, member, kind, unset) HD_SETTING_##kind member;
struct hd_settings {
  HD_SETTINGS(HD_SETTING_MEMBER)
};

#define HD_SETTING_ID(variable, member, kind, unset) HD_SET_##variable,
enum hd_setting { HD_SETTINGS(HD_SETTING_ID) HD_SETTING_COUNT };

/** Fills `settings` from the environment. Strings belong to the environment. A value that cannot be read is
 *  reported on stderr and the default kept. */
void hd_settings_read(struct hd_settings *settings);

/** "HEDDLE_MEMORY" */
const char *hd_setting_name(enum hd_setting setting);

/** Can `text` be read? If not, `takes` says what it should be, as "a number". */
bool hd_setting_is_valid(enum hd_setting setting, const char *text, const char **takes);

#endif
