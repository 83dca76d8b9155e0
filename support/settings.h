/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file settings.h
 * The environment variables that steer Heddle, in one table.
 *
 * libheddle.so reads its own at start (hd_settings_read), `heddle run` sets them from its options, and `heddle doctor`
 * knows all names. docs/settings.md has a row for each that users may set.
 */
#ifndef HEDDLE_SUPPORT_SETTINGS_H
#define HEDDLE_SUPPORT_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

/** Of the member `memory`. */
#define HD_MEMORY_UNLIMITED UINT64_MAX
#define HD_MEMORY_DEFAULT ((uint64_t)4 << 20)

/** Of the member `samples_hz`: so many, unless the program runs in a sandbox. */
#define HD_SAMPLES_DEFAULT UINT64_MAX

/** libheddle.so's variables. X(NAME of HEDDLE_NAME, member of struct hd_settings, kind, value when it is not set) */
#define HD_SETTINGS(_)                                                                                                 \
  _(OUTPUT, output, NAME, "%n.%p.heddle")           /* name template of the profile */                                 \
  _(STORE_DIR, store_dir, TEXT, NULL)               /* where the live file is mapped; NULL: /dev/shm */                \
  _(START, start, TEXT, NULL)                       /* "pid:ns": its start on CLOCK_MONOTONIC (heddle run's) */        \
  _(CLOCK, clock, TEXT, "auto")                     /* auto, tsc or monotonic */                                       \
  _(CALLPATH_DEPTH, callpath_depth, NUMBER, 0)      /* keep the last k sites; 0: all */                                \
  _(CYCLE_LIMIT, cycle_limit, POSITIVE, 1)          /* fold a callpath when its last so many sites repeat */           \
  _(UNWIND, unwind_depth, NUMBER_OR_OFF, 64)        /* calling routines to find at a region's begin */                 \
  _(MEMORY, memory, SIZE_OR_OFF, HD_MEMORY_DEFAULT) /* bytes, without the threads' part */                             \
  _(THREADS_APART, threads_apart, NUMBER, 256)      /* threads with records that later threads do not continue */      \
  _(ROUTINES, routines, TEXT, NULL)         /* functions with XRay sleds to measure (name_choice.h); NULL: none */     \
  _(CPU_TIME, cpu_time, SWITCH, 0)          /* measure processor time */                                               \
  _(GOMP, gomp, SWITCH, 0)                  /* libomp stands in for libgomp (heddle run --gomp) */                     \
  _(COUNTERS, counters, TEXT, NULL)         /* events to count, comma-separated; NULL: none */                         \
  _(COUNTERS_AT, counters_at, TEXT, "loop") /* region, loop or all */                                                  \
  _(MULTIPLEX, take_turns, SWITCH, 0)       /* events that do not fit together take turns */                           \
  _(SAMPLES, samples_hz, NUMBER_OR_OFF, HD_SAMPLES_DEFAULT) /* of each thread, a second of processor time */           \
  _(CRITICAL_PATH, critical_path, SWITCH, 0)                /* follow the critical path */                             \
  _(DORMANT, dormant, SWITCH, 0)                            /* measure nothing until asked to (heddle ctl) */          \
  _(ONLY, only, CLASSES, 0)                                 /* classes of events to measure, as bits; 0: all */        \
  _(LOCKS, locks, SWITCH, 0)                                /* follow who holds what others wait for */                \
  _(TRACE, trace, SIZE, 0)                                  /* bytes of a trace; 0: none */                            \
  _(TRACE_LAST, trace_last, SIZE, 0)                        /* likewise, of the end of the run; only without TRACE */  \
  _(TRACE_CONCURRENCY, trace_concurrency, SWITCH, 0)        /* only changes of the number of busy threads */           \
  _(TRACE_WHEN, trace_when, TEXT, NULL)                     /* its condition (trace_when.h); NULL: always */           \
  _(OVERHEAD, overhead_ppm, PERCENT_OR_OFF, 20000)          /* what events may cost; parts in a million; off: 0 */     \
  _(TEST_DELAY, test_delay, TEXT, NULL)                     /* NS or NS@THREAD, for tests of the virtual clock */      \
  _(TEST_WINDOWS, test_windows, TEXT, NULL) /* numbers of struct hd_batch_habits, comma-separated: for tests */        \
  _(ONE_FILE, one_file, NUMBER, 0)          /* one file of an MPI job: seconds that a rank waits; 0: none */           \
  _(ALL_RANKS, all_ranks, SWITCH, 0)        /* in it each rank's time in each place */                                 \
  _(RANK_FILES, rank_files, SWITCH, 0)      /* beside it each rank's profile */                                        \
  _(COMMAND, command, TEXT, NULL)           /* the `heddle` that joins profiles for it (heddle run's) */               \
  _(GROUP_TEXT, groups, TEXT, NULL)         /* HD_TEXT_GROUP, separated by 0x1e (heddle run's) */

/** The command's variables, and those that the counters read in both. */
#define HD_COMMAND_VARIABLES(_)                                                                                        \
  _(LIBRARY)   /* the libheddle.so that heddle run loads */                                                            \
  _(GROUPS)    /* a folder with groups of events */                                                                    \
  _(PAPI)      /* the libpapi to use */                                                                                \
  _(PAGER)     /* the pager of reports that are longer than the terminal */                                            \
  _(DEBUGINFO) /* folders with debug information, colon-separated */

/* The type of each kind in struct hd_settings. */
#define HD_SETTING_TEXT const char *
#define HD_SETTING_NAME const char *
#define HD_SETTING_NUMBER uint64_t
#define HD_SETTING_POSITIVE uint64_t
#define HD_SETTING_NUMBER_OR_OFF uint64_t /* off: 0 */
#define HD_SETTING_SIZE_OR_OFF uint64_t   /* off: UINT64_MAX */
#define HD_SETTING_SIZE uint64_t
#define HD_SETTING_SWITCH uint64_t         /* 0 or 1 */
#define HD_SETTING_PERCENT_OR_OFF uint64_t /* parts in a million; off: 0 */
#define HD_SETTING_CLASSES uint64_t        /* bits of enum hd_event_class */

#define HD_SETTING_MEMBER(variable, member, kind, unset) HD_SETTING_##kind member;
struct hd_settings {
  HD_SETTINGS(HD_SETTING_MEMBER)
};

#define HD_SETTING_ID(variable, member, kind, unset) HD_SET_##variable,
enum hd_setting { HD_SETTINGS(HD_SETTING_ID) HD_SETTING_COUNT };

/** Fills `settings` from the environment. Strings belong to the environment. Reports a value that cannot be read on
 *  stderr, and takes the default. */
void hd_settings_read(struct hd_settings *settings);

/** "HEDDLE_MEMORY" */
const char *hd_setting_name(enum hd_setting setting);

/** Gives the setting's member the value that `text` says; strings stay the caller's. Returns NULL, or what the text
 *  should be, as "a number"; the member then stays. */
const char *hd_setting_read(enum hd_setting setting, const char *text, struct hd_settings *settings);

#endif
