/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_data.h
 * What the oracle has collected from a script: shared by oracle_result.c (collects), oracle_levels.c (integrates over
 * time), oracle_entries.c (tells in which state of the program each entry was) and oracle_compare.c (compares with a
 * profile).
 */
#ifndef HEDDLE_TESTS_ORACLE_DATA_H
#define HEDDLE_TESTS_ORACLE_DATA_H

#include "oracle_result.h"

#define OR_MAX_PATH 64
#define OR_BUCKETS 16384 /* of the index of paths */

struct or_site {
  uint32_t kind;
  uint64_t code;
};

struct or_path {
  struct or_site sites[OR_MAX_PATH];
  uint32_t count;
};

struct or_row {
  uint64_t visits;
  uint64_t ticks[HD_STATE_COUNT];
  struct hd_shares shares;
  struct hd_entries entries;
  size_t covered_until; /* the event at which the last outermost entry ended */
};

struct or_node {
  struct or_path path;
  struct or_row *rows; /* by thread */
  uint32_t row_count, row_limit;
  uint32_t next;   /* with the same place in the index; 0: none */
  bool called;     /* a routine */
  bool back;       /* a routine's recursive entries, whose time goes to... */
  uint32_t target; /* ...that node */
  struct hd_team_totals team;
  struct hd_model_task times;
};

/** An entry of a routine, construct or task; or where a task that was switched out goes on. */
struct or_entry {
  uint32_t node; /* that counts it */
  uint32_t to;   /* that takes its time; FK_NONE: it has none, being no routine */
  uint32_t thread;
  uint64_t owner_begin; /* of the thread, which may not be the first of its number */
  uint32_t caller;      /* entry of the routine or task around it; FK_NONE: the program */
  bool counted;         /* as a visit */
  bool ended;
  bool concurrent;         /* another thread was busy just before: worked out at the very end */
  uint64_t time, end_time; /* the end counts for routines */
  size_t event, end_event; /* in the script: tells what lies inside what at the same time */
};

/** A thread was busy in a node, exclusively. */
struct or_busy {
  uint64_t from, to;
  uint32_t node;
};

/** Whether a thread reads its counters at an event of its own, though it goes nowhere else. */
enum or_reading { OR_READS_IF_MOVED, OR_READS, OR_READS_PERHAPS, OR_BEGINS /* nothing is counted before it */ };

/** Where a thread was from an event of its own on. */
struct or_mark {
  uint64_t raw;          /* time with pauses */
  uint64_t time;         /* and without */
  unsigned epoch_before; /* pauses and resumes before the event... */
  unsigned epoch;        /* ...and after it: odd while the clock stands */
  uint32_t node;
  enum hd_state state;
  enum or_reading reading;
};

/** Threads beyond the first few share a number in the profile, one after the other. */
struct or_life {
  uint64_t begin, end; /* of the first, of the last */
  uint64_t apart;      /* from one's end to the next one's begin */
  uint64_t owner_begin;
  uint64_t owners;
  struct or_mark *marks;
  size_t mark_count, mark_limit;
  struct or_busy *busy; /* in time's order */
  size_t busy_count, busy_limit;
};

/** An outermost instance of a region. */
struct or_instance {
  uint64_t from, to;
  uint32_t node;
};

struct or_levels;

struct or_result {
  unsigned depth;
  unsigned cycle_limit;
  struct or_node *nodes;
  uint32_t node_count, node_limit;
  uint32_t index[OR_BUCKETS]; /* first node of each place; 0: none (the program is found without) */
  struct or_life threads[FK_MAX_THREADS];
  uint32_t thread_count;
  struct or_instance *instances;
  size_t instance_count, instance_limit;
  struct or_entry *entries; /* in the order in which they came */
  size_t entry_count, entry_limit;
  uint64_t left_routines, unmatched_routines, unmatched_phases;
  uint64_t pauses, paused_ticks;
  uint64_t begin, end; /* of the profile */
  struct or_levels *levels;
  struct or_critical *critical; /* oracle_critical.h; NULL: not asked for */
};

/** Larger memory with the same content; never NULL. */
void *or_grown(void *memory, size_t bytes);
/** Room for one item more than `count`, of a list that only ever grew by this. */
void *or_grown_by_one(void *memory, size_t count, size_t bytes);

/** The row of a node and thread, made if need be; valid until the next one is. */
struct or_row *or_row_of(struct or_result *result, uint32_t node, uint32_t thread);

/** Tells the state of all entries, and adds them and their times to the rows: oracle_entries.c. Needs the levels. */
void or_settle_entries(struct or_result *result);

/** Whether entries differ, of a node that both know: oracle_compare_entries.c. */
bool or_entries_differ(const struct or_node *node, const struct hd_model *model, const struct hd_node *found);

/** The node with that path, FK_NONE: none. */
uint32_t or_find(const struct or_result *result, const struct or_path *path);

/** Notes a difference in words for or_difference's answer when the two differ. `thread` may be FK_NONE. */
bool or_differ(const struct or_path *path, const char *what, uint32_t thread, uint64_t expected, uint64_t found);

/** Integrates the busy intervals and the instances over time: oracle_levels.c. Belongs to the result. */
struct or_levels *or_integrate(const struct or_result *result);
void or_free_levels(const struct or_result *result, struct or_levels *levels);

/** NULL, or which identity the oracle's own numbers break. */
const char *or_contradiction(const struct or_result *result);

/** The oracle's number of every node of the profile, FK_NONE: none; the profile's node of every one of the oracle's,
 *  NULL: none. The caller frees them. */
uint32_t *or_match_nodes(const struct or_result *result, const struct hd_model *model);
const struct hd_node **or_match_back(const struct or_result *result, const struct hd_model *model,
                                     const uint32_t *oracle_node);
const char *or_last_difference(void);

/** Whether concurrency differs. `oracle_node[i]` is the oracle's number of the profile's node i, FK_NONE: it has none.
 */
bool or_levels_differ(const struct or_result *result, const struct hd_model *model, const uint32_t *oracle_node);

#endif
