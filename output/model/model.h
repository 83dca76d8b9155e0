/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file model.h
 * A profile file as the command sees it: checked, closed and summed.
 *
 * Reading checks every count, offset and reference, and closes what was still open when the program ended or was
 * killed. Times stay whole ticks, so that sums are exact; hd_model_seconds() converts. The model is read-only after
 * hd_profile_open() (reader/open.h) but for the names (symbols/resolve_names.h), and for rows, which are made when they
 * are first asked for.
 *
 * Words: a *node* is a callpath's profile, one node of the tree; its id is the profile id of the file.
 * *Exclusive* ticks were spent while the node was a thread's innermost one, *inclusive* ticks add the nodes below it.
 */
#ifndef HEDDLE_OUTPUT_MODEL_MODEL_H
#define HEDDLE_OUTPUT_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle-format.h"
#include "output/model/account.h"
#include "output/model/marks.h"
#include "output/model/row.h"
#include "output/model/team.h"

/**
 * Time split by the level of the program, the number of its threads that were busy: ticks[k] for k < count, 0 beyond.
 * All of a model's are exact: thread-time adds up to busy time, elapsed time to elapsed time.
 */
struct hd_levels {
  uint64_t *ticks;
  uint32_t count;
};

/** What the code address stands for. Strings belong to the model or are static; NULL and 0: not known. */
struct hd_name {
  const char *function;
  const char *file; /* full path as the compiler wrote it */
  uint32_t line;
  bool in_full; /* shown with its arguments: without them another function's place looks the same */
};

/** For whom marks are: with routines left out, a construct in one belongs to the construct around that, and it does not
 *  matter that calls were not observed. */
enum hd_marks_of { HD_MARKS_OF_CONSTRUCTS, HD_MARKS_OF_CALLPATHS, HD_MARKS_KINDS };

/** What a number may be that is an estimate: output/analysis/resolve/resolve.h. */
struct hd_bracket {
  double low;
  double high;
};

struct hd_node {
  uint32_t id;
  uint32_t parent; /* the program is its own */
  uint32_t depth;  /* 0: the program */
  uint32_t module; /* index into modules or HD_NONE */
  enum hd_kind kind;
  uint32_t flags;  /* enum hd_profile_flag */
  uint32_t target; /* HD_PROFILE_BACK: the node that takes its time; else its own id */
  uint64_t offset;
  uint64_t address;
  uint32_t unheard; /* as in hd_profile_record; these too: */
  uint32_t spared;
  uint64_t spared_ticks;
  uint32_t refused; /* bits of classes of events that were not observed here for a time: hd_row_record.refused, and
                       `unheard` of the regions around; HD_REFUSED_SINKS */
  uint32_t marks[HD_MARKS_KINDS]; /* enum hd_mark: what its numbers lack, by enum hd_marks_of */
  uint64_t untold_ticks; /* for so long waits were not told of in regions here or below; of one class, or of doacross
                            loops */
  uint32_t row_first;    /* its rows, in the order of threads: rows[row_first .. row_first + row_count - 1]; after
                            hd_model_need_rows() */
  uint32_t row_count;
  uint64_t visits; /* regions: instances, finished or not; else the sum of the rows' visits; the program: 1. Routines
                      known from the stack only: 0, see hd_node_is_measured() */
  uint64_t visits_concurrent; /* entered while another thread was busy; valid with entries_known */
  struct hd_entries entries;  /* all threads' */
  uint64_t cpu_ns;            /* exclusive */
  uint64_t cpu_inclusive_ns;
  struct hd_shares shares; /* all threads' */
  uint64_t ticks[HD_STATE_COUNT];
  uint64_t inclusive_ticks[HD_STATE_COUNT];
  struct hd_intrusion intrusion;
  struct hd_intrusion intrusion_inclusive;
  struct hd_unresolved unresolved;
  struct hd_unresolved unresolved_inclusive;
  double resolved_ticks; /* by so much less busy time there is in it and below: estimated; 0: nothing was resolved */
  struct hd_bracket gain_interval, gain_possible, busy_interval; /* ticks; the last inclusive. Only resolved ones */
  struct hd_team_totals team;
  uint32_t counts_first; /* its counts: counts[counts_first .. counts_first + counts_count - 1] */
  uint32_t counts_count;
  bool told_apart;      /* its counts are its own; else they are in those of a node above it */
  int32_t counts_reach; /* the depth up to which one must go from it to have all its own counts: its own, if it is told
                           apart; INT32_MAX: it has none; -1: they are in no node (out of focus) */
  uint64_t counts_lost; /* bit e: counts of event e may be missing of threads that are not even in the rows */
  struct hd_levels busy_at;           /* thread-time: busy ticks by level, exclusive */
  struct hd_levels busy_at_inclusive; /* the same with the nodes below */
  struct hd_levels elapsed_at;        /* regions and the program: elapsed ticks by level. Else count is 0 */
  uint64_t running_ticks; /* regions: time during which at least one instance ran, not those inside another. 0 or
                             HD_TICKS_UNKNOWN: not known */
  double gain_share; /* what the run could gain of lost time / p: less than 1 where instances of the region, or of the
                        one around it, run at the same time, or the processors are not there (gains.c) */
  double wall_share_ticks; /* sum of busy_at[k] / k: the node's part of the run */
  double wall_share_inclusive_ticks;
  uint64_t path_inclusive_ticks; /* of the critical path, with those below; own: struct hd_model_path */
  uint64_t active_ticks;         /* time during which at least one thread was busy in it, exclusive */
  uint64_t unpaired_ticks; /* part of active_ticks in which too many other nodes were busy: overlaps were not kept */
  struct hd_name name;
  const char *called; /* the function of MPI; NULL: none, or not known */
  bool name_cached;   /* the name comes from the file */
  bool name_fresh;    /* the name was looked up on this machine; the file lacks it */
};

/** What a thread was doing when the profile ended: it had sent no event since. */
struct hd_stay {
  uint32_t node;
  enum hd_state state;
  uint64_t since_ticks; /* of its last event; idle workers: the end of their region */
  bool known;           /* false: it was never heard of, or had ended */
  bool unresolved;      /* it is not known what it did, because events were refused */
};

struct hd_model_thread {
  uint32_t id;
  uint32_t kind;         /* enum hd_thread_kind */
  uint64_t threads;      /* so many: they lived one after the other */
  uint64_t begin_ticks;  /* the first one's */
  uint64_t end_ticks;    /* the last one's own end, or the end of the profile */
  uint64_t apart_ticks;  /* from one's end to the next one's begin, summed */
  uint64_t before_ticks; /* thread 0: from the program's start to the load of the tool; busy, added to its row of the
                            program */
  bool alive;            /* it had not ended when the profile did */
  struct hd_account account; /* the kernel's */
  uint64_t lifetime_ticks;   /* before + end - begin - apart */
  uint64_t uncounted;        /* bit e: event e was not counted on it, or not to its end */
  uint64_t readings;         /* of its counters */
  bool lost;                 /* it was not counted, and there is no row of it either */
  uint32_t refused;          /* as in hd_row_record, of all rows */
  uint64_t ticks[HD_STATE_COUNT];
  int64_t late_ticks; /* by which Heddle has delayed it: its own events, and those of teams that it waited for */
  struct hd_intrusion intrusion;   /* contained in `ticks` */
  struct hd_unresolved unresolved; /* likewise */
  uint64_t cost_ticks;             /* of its own events */
  struct hd_stay stay;
  bool took_part; /* in an interval of the run (output/live): it had done something before */
};

/** What events of one kind have cost. */
struct hd_cost {
  uint64_t count;
  uint64_t ticks;
};

/** Events of a class that were switched off, because they cost more than the budget allows or `heddle ctl` asked for
 * it. */
struct hd_switch {
  uint32_t event_class; /* enum hd_event_class */
  uint32_t thread;      /* whose time they cost */
  uint32_t node;        /* where it was then; 0 if `asked` */
  bool asked;           /* by `heddle ctl`: everywhere, or */
  bool in_part;         /* everywhere but in regions that spare it (hd_node.spared) */
  uint64_t times;
  uint64_t ticks;     /* for so long; what was still off at the end is closed */
  uint64_t off_ticks; /* the newest of the times; both 0 in merged files */
  uint64_t on_ticks;  /* 0: still off at the end */
  uint64_t cost_ppm;
};

struct hd_module {
  const char *path;
  uint32_t flags; /* enum hd_module_flag */
  uint8_t build_id[32];
  uint32_t build_id_bytes; /* 0: none */
  uint64_t base;
};

#define HD_BUILD_ID_TEXT_BYTES (2 * sizeof((struct hd_module *)0)->build_id + 1)
#define HD_BUILD_ID_SHORT 12u /* digits: enough to tell builds apart */

/** Samples of one address, callpath and state. */
struct hd_model_sample {
  uint32_t node;
  uint32_t state;  /* enum hd_state */
  uint32_t module; /* index into modules or HD_NONE */
  uint64_t address;
  uint64_t offset;          /* as in hd_node */
  uint64_t count;           /* in units of header.sample_period_ns */
  uint64_t taken;           /* samples that it consists of */
  struct hd_name name;      /* output/symbols/sample_names.h; the innermost inlined function */
  const char *inlined_into; /* the function that has its code; NULL: that one itself, or not known */
};

/** How long threads worked on the chunks of a loop, and where among its iterations these were: heddle-chunks.h has what
 *  the members mean, but that this is of all threads. */
struct hd_model_loop {
  uint32_t node;
  uint32_t flags; /* enum hd_chunks_flag */
  uint64_t first;
  int64_t step;
  uint64_t count;
  struct hd_lengths lengths;
  uint64_t ticks[HD_SPACE_BUCKETS];
  uint64_t iterations[HD_SPACE_BUCKETS];
};

/** How long the tasks of a construct took, and how long they waited to begin: heddle-tasks.h, but of all threads. */
struct hd_model_task {
  uint32_t node;
  struct hd_lengths run;
  struct hd_lengths delay;
};

/** What a node has to do with the program's critical path: heddle-path.h. */
struct hd_model_path {
  uint32_t node;
  uint64_t own_ticks; /* of the path, in the node itself */
  uint64_t span_ticks;
  uint64_t work_ticks;
  uint64_t instances;
  uint64_t earliest_ticks; /* from the program's start; HD_PATH_NEVER: not known */
  uint64_t slack_ticks;    /* likewise */
};

/** How the critical path goes on from one node in another: hd_path_step_record. */
struct hd_model_step {
  uint32_t from; /* HD_NONE: the path begins */
  uint32_t to;
  uint64_t ticks;
  uint64_t count;
  uint64_t changes;
};

/** What a node's threads waited for, and what they held (hd_lock_record). Ticks of waits are thread time. */
struct hd_model_lock {
  uint32_t node;
  uint64_t waits;
  uint64_t handover_ticks; /* of its waits, while nobody held the lock, after a release that somebody waited for */
  uint64_t free_ticks;     /* of its waits, while nobody held it */
  uint64_t handovers;
  uint64_t delay_ticks; /* from release to acquisition, of those */
  uint64_t hold_ticks;
  uint64_t holds;
  uint64_t elsewhere; /* of the holds, another thread released the lock */
};

/** Of a node's waits, while the lock was held by who had got it in another one, or in the same: hd_lock_pair_record. */
struct hd_model_lock_pair {
  uint32_t node;
  uint32_t holder;
  uint64_t ticks;
  uint64_t count;
};

/** A region in time: heddle-concurrency.h. */
struct hd_history {
  uint32_t node;
  uint64_t since_ticks;              /* from the timeline's begin: earlier time is in no bucket */
  struct hd_history_bucket *buckets; /* HD_HISTORY_BUCKETS, of model.history_width_ticks each */
};

/** How long threads were busy in node a and, at the same time, others in node b, both exclusive. a < b. */
struct hd_overlap {
  uint32_t a;
  uint32_t b;
  uint64_t ticks;
};

/**
 * Counts of one thread in one node, where it is told apart. There is one wherever a thread has spent time, also if the
 * file has none. Bit e of the sets stands for event e.
 */
struct hd_counts {
  uint32_t node;
  uint32_t thread;
  uint64_t missing[HD_COUNT_CLASSES]; /* as in hd_counts_record; or the thread was alive when the program was killed and
                                         did not tell what came last; or nothing was counted on it */
  uint64_t counted[HD_COUNT_CLASSES]; /* counted, if only some of the time, even if the count is 0 */
  uint64_t busy_ticks;        /* time that counts as busy, here and where it is not told apart but counted here */
  const uint64_t *counts;     /* [event][class] */
  const uint64_t *slot_ticks; /* [slot - 1][class] */
};

struct hd_strings {
  const char **items;
  size_t count;
};

struct hd_group;     /* output/metrics/group.h */
struct hd_count_sum; /* count_sums.h */
struct hd_watched;   /* watched.h */

/** Times of the file. What happens when it begins is not in it. */
struct hd_trace_window {
  uint64_t from_ticks; /* 0: from the begin. May be the moment before a stretch: threads say what they did then */
  uint64_t to_ticks;   /* 0: to the end */
};

struct hd_model {
  const char *path;             /* of the file, as given */
  const char *since;            /* a part of a run: of the file that it begins with, if it was one; else NULL */
  struct hd_file_header header; /* host, runtime and program are terminated */
  double seconds_per_tick;
  uint64_t before_ticks;  /* program start to the load of the tool */
  uint64_t end_ticks;     /* where open intervals were closed */
  uint64_t elapsed_ticks; /* program start to end */
  uint64_t since_ticks; /* a part of a run (output/live/interval.h): so long after the measurement's begin, with pauses;
                           0: it is whole */
  uint64_t uncounted_ticks; /* program start to the load of the tool, before which nothing was counted; part of thread
                               0's busy time in the program. Merged files: of all runs */
  uint64_t inside_ticks;    /* elapsed time of the outermost regions that thread 0 opened */
  uint64_t ticks[HD_STATE_COUNT];
  struct hd_intrusion intrusion;   /* of all rows */
  struct hd_unresolved unresolved; /* likewise */
  double gain_ticks;               /* of all outermost regions */
  bool estimated;                  /* unresolved times have been resolved */
  struct hd_bracket gain_interval;
  double gain_limit_ticks; /* no gain is more: what would be saved if all processors had always been busy */
  bool ended;              /* false: killed or still running, end_ticks is that of the last event seen */

  bool levels_known;        /* false: the file has none, and all numbers by level and overlaps are missing */
  uint32_t level_count;     /* the highest level or the largest team, whichever is more, and one */
  bool entries_known;       /* visits_concurrent and entries */
  struct hd_levels time_at; /* of the whole program: adds up to elapsed_ticks */
  struct hd_overlap *overlaps;
  uint32_t overlap_count;
  struct hd_timeline_record *timeline; /* closed; without the time before the load, which is hd_model_stretch()'s. NULL:
                                          not known */
  struct hd_history *histories; /* of regions that have one, sorted by node; they begin where the timeline does */
  uint32_t history_count;
  uint64_t history_width_ticks; /* of their buckets */

  struct hd_node *nodes;               /* nodes[i].id == i; parents come before their children */
  bool renumbered;                     /* callpaths were cut since the file was read: ids are not the file's */
  uint64_t trace_bytes;                /* in the file */
  struct hd_trace_window trace_window; /* what hd_trace_walk() shows of it */
  uint32_t node_count;
  struct hd_row *rows;             /* sorted by node, then thread; after hd_model_need_rows() */
  uint32_t row_count;              /* likewise */
  struct hd_team_part *team_parts; /* in no order; there may be several of one node, thread and size */
  uint32_t team_part_count;
  struct hd_model_thread *threads; /* threads[i].id == i */
  uint32_t thread_count;
  struct hd_module *modules;
  uint32_t module_count;

  struct hd_event_record *events; /* header.event_count; strings are terminated */
  struct hd_counts *counts;       /* sorted by node, then thread */
  uint32_t counts_count;
  struct hd_count_sum *counts_inclusive; /* by node: with those below. NULL: nothing was counted */
  struct hd_count_sum *counts_total;     /* by thread, then of all. Likewise */
  struct hd_group **groups;              /* whose formulas reports show (counts.h) */
  uint32_t group_count;

  struct hd_model_sample *samples; /* sorted by node, state, module and offset; all differ */
  uint32_t sample_count;

  struct hd_watched *watched; /* sorted by node, then thread */
  uint32_t watched_count;

  struct hd_model_loop *loops; /* sorted by node, one of each; only those whose chunks were observed */
  uint32_t loop_count;

  struct hd_model_task *tasks; /* sorted by node, one of each; only those of which some were observed whole */
  uint32_t task_count;

  struct hd_model_path *paths; /* sorted by node, one of each */
  uint32_t path_count;
  struct hd_model_step *steps; /* sorted by `from`, then `to`, one of each */
  uint32_t step_count;
  bool path_known; /* the critical path was followed to the end */

  struct hd_model_lock *locks; /* sorted by node, one of each */
  uint32_t lock_count;
  struct hd_model_lock_pair *lock_pairs; /* sorted by node, then holder, one of each */
  uint32_t lock_pair_count;
  bool locks_known; /* who held what was followed to the end */

  struct hd_costs_record *costs; /* as in the file: in no order, of valid threads */
  uint32_t cost_count;
  struct hd_cost cost_of[HD_EVENT_KINDS]; /* of all threads */
  uint64_t cost_ticks;                    /* of all kinds */
  struct hd_switch *switches;             /* in the order of the file */
  uint32_t switch_count;
  uint32_t off_classes; /* bit: events of that class (enum hd_event_class) were switched off, at some time */
  uint32_t refused;     /* bit: some were not observed because of that, anywhere */

  struct hd_strings arguments;
  struct hd_strings environment; /* NAME=value */
  const char *output;            /* the name that the profile was to have; NULL: not told */
  const char *run_directory;     /* of the `heddle run` that was to collect it; NULL: there was none */
  struct hd_strings notes;       /* what could not be measured: the file's own, then those that the reader derives */
  size_t file_note_count;        /* so many are the file's own */
  size_t overhead_notes[2];      /* which ones, from 1 on, overhead_notes.h has added; 0: none */
  size_t control_note;           /* likewise control_note.h */

  struct hd_blob *blobs;        /* memory the strings live in */
  struct hd_row_source *source; /* lazy_rows.h */
};

static inline double hd_model_seconds(const struct hd_model *model, uint64_t ticks) {
  return (double)ticks * model->seconds_per_tick;
}

/** Sum of the waiting states of `ticks`. */
uint64_t hd_ticks_waiting(const uint64_t ticks[HD_STATE_COUNT]);

/** Sum of those in MPI. */
uint64_t hd_ticks_in_mpi(const uint64_t ticks[HD_STATE_COUNT]);

/** In calls of what kind a callpath of MPI waits, which are all of one; the last if it never waited. */
enum hd_state hd_mpi_kind(const uint64_t ticks[HD_STATE_COUNT]);

/** Sum of the states of the runtime's own work. */
uint64_t hd_ticks_runtime(const uint64_t ticks[HD_STATE_COUNT]);

/** Sum of all states of `ticks`. */
uint64_t hd_ticks_all(const uint64_t ticks[HD_STATE_COUNT]);

/** By how much waiting time, and time of all states, would be less without Heddle. */
int64_t hd_intrusion_waiting(const struct hd_intrusion *intrusion);
int64_t hd_intrusion_all(const struct hd_intrusion *intrusion);

/** `to` + `from`, which wraps around: numbers of a damaged file may be too large for the sum. */
static inline int64_t hd_add_signed(int64_t to, int64_t from) {
  return (int64_t)((uint64_t)to + (uint64_t)from);
}

/** Ticks less the intrusion that they contain: an estimate of what they would be without Heddle. NaN: not known,
 *  because that cannot be true: Heddle cannot have taken more than there is, nor less than nothing. */
double hd_corrected(uint64_t ticks, int64_t intrusion);

/** The same for all waiting states. They may grow: a thread that Heddle has delayed waits less for others. */
double hd_corrected_waiting(const uint64_t ticks[HD_STATE_COUNT], const struct hd_intrusion *intrusion);

/** The program's elapsed time without Heddle: that of its first thread. NaN: not known. */
double hd_model_corrected_elapsed(const struct hd_model *model);

/** Heddle's share of the run (docs/overhead.md): the time of all its events by the busy time of all threads. Every
 *  output that has a percentage of the run takes this one. Events of waiting threads count, too, so it may be more than
 *  1. NaN: not known. */
double hd_model_overhead(const struct hd_model *model);

/** The share of Heddle's own work in the time of a callpath and those below, 0 to 1: in its busy time or, if that is
 *  more, in its elapsed time (regions). From HD_OVERHEAD_LARGE on, the callpath's times may mislead. */
double hd_overhead_of(const uint64_t ticks[HD_STATE_COUNT], const struct hd_intrusion *intrusion,
                      const struct hd_team_totals *team);
#define HD_OVERHEAD_LARGE 0.05
#define HD_OVERHEAD_NOTICED 0.01

/** Whether that share is large, and at least a hundredth of the whole program's elapsed or busy time: first visits of
 *  short regions are always expensive, and mostly do no harm. */
bool hd_overhead_matters(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT],
                         const struct hd_intrusion *intrusion, const struct hd_team_totals *team);

/** How many threads the program ever had; those beyond the first few hundred share records (hd_model_thread.threads).
 */
uint64_t hd_model_threads_ever(const struct hd_model *model);

/** Of a thread's times in all: only what was not observed on it can be wrong in them. */
uint32_t hd_model_thread_marks(const struct hd_model *model, uint32_t thread);

/** Whether the ticks of all rows of `thread` add up to its lifetime: true for every intact profile. */
bool hd_model_thread_is_whole(const struct hd_model *model, uint32_t thread);

/** Whether the program still runs, as far as this machine can tell. */
enum hd_life { HD_LIFE_OVER, HD_LIFE_RUNNING, HD_LIFE_UNKNOWN };
enum hd_life hd_model_life(const struct hd_model *model);

/** The OpenMP runtime's file; NULL: not known. Owned by the model. */
const struct hd_module *hd_model_runtime(const struct hd_model *model);

/** The first `digits` digits of its build-id, or all; "": it has none. */
void hd_module_build_id(const struct hd_module *module, size_t digits, char text[HD_BUILD_ID_TEXT_BYTES]);

/** By build-id; by path where neither has one. */
bool hd_module_is_same(const struct hd_module *a, const struct hd_module *b);

/** How long the program continued after the runtime had ended the measurement. No other time of the model includes
 *  it. */
uint64_t hd_model_unmeasured_ticks(const struct hd_model *model);

/** How long the measurement was paused, without the time before its begin and after its end. */
uint64_t hd_model_paused_ticks(const struct hd_model *model);

/** From the program's start to the measurement's begin, if it was dormant (HEDDLE_DORMANT); else 0: it began with the
 *  program. Not known of sums. */
double hd_model_dormant_seconds(const struct hd_model *model);

/** From the program's start to the first moment of which the numbers are; 0: its start. Not known of sums. */
double hd_model_from_seconds(const struct hd_model *model);

/** It was dormant, and never asked to begin. */
bool hd_model_never_woke(const struct hd_model *model);

/** Whether the profile holds the whole run, to an orderly end. */
bool hd_model_is_complete(const struct hd_model *model);

/** The signal that ended the program; 0: none did, or nobody saw it. */
int hd_model_signal(const struct hd_model *model);

/** Thread time for which a critical, ordered or atomic section was held: all that was spent in it, and below, after it
 * was got. NaN: it is none of these. For how long a lock is held is not known: its events enclose nothing. */
double hd_node_held_ticks(const struct hd_node *node);

/** Whether its entries and own time were measured: of all but routines known from the stack only. */
static inline bool hd_node_is_measured(const struct hd_node *node) {
  return node->kind != HD_KIND_ROUTINE || (node->flags & (HD_PROFILE_CALLED | HD_PROFILE_BACK));
}

/** Whether it also holds deeper entries of the same site, by a recursion of the program's. (The runtime creates a
 *  taskloop's tasks recursively.) `flags`: of all the nodes that it stands for. */
static inline bool hd_node_is_recursive(const struct hd_node *node, uint32_t flags) {
  return node->kind != HD_KIND_ROUTINE && (flags & HD_PROFILE_RECURSIVE) && !(node->flags & HD_PROFILE_IN_RUNTIME);
}

/** A shortened callpath that is there only for those below it: nothing was counted in itself. */
static inline bool hd_node_stands_in(const struct hd_node *node) {
  return (node->flags & HD_PROFILE_SHORTENED) && node->visits == 0 && hd_ticks_all(node->ticks) == 0;
}

/** The last component of a path. */
const char *hd_base_name(const char *path);

#endif
