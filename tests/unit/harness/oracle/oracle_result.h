/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file oracle_result.h
 * Where the oracle collects: callpaths as arrays of sites, ticks by (callpath, thread), busy intervals of every thread,
 * and region and construct instances with their members' times, from which totals are worked out at the very end.
 */
#ifndef HEDDLE_TESTS_ORACLE_RESULT_H
#define HEDDLE_TESTS_ORACLE_RESULT_H

#include "oracle.h"

struct or_member {
  bool present;
  uint32_t thread;
  uint64_t begin;
};

/** A worksharing construct of one team, closed by its own barrier. */
struct or_construct {
  struct or_share {
    uint32_t node; /* threads may come to it by different callpaths */
    bool arrived;
    uint64_t begin;
    uint64_t work_end;
    uint64_t arrival; /* at the barrier */
    uint64_t end;     /* of the barrier; 0: not yet */
  } * shares;         /* by thread number */
  uint32_t share_count;
};

struct or_region {
  uint64_t code;
  uint64_t begin;
  uint64_t join;
  uint64_t end; /* 0: still open when the script ends */
  uint32_t node;
  uint32_t outer;  /* region that encloses it; FK_NONE */
  uint32_t caller; /* entry of the routine or task that began it; FK_NONE */
  uint32_t team_size;
  bool gcc;                  /* started through a GOMP entry point */
  bool unasked;              /* begun in a pause */
  bool recursive;            /* an instance of the same callpath encloses it */
  struct or_member *members; /* by thread number */
  uint32_t member_count;
  struct or_construct *constructs;
  uint32_t construct_count;
};

struct or_result *or_new(unsigned depth, unsigned cycle_limit);
uint32_t or_new_thread(struct or_result *result, uint64_t begin);
/** Another thread goes on under the number of one that has ended. */
void or_take_over(struct or_result *result, uint32_t thread, uint64_t begin);
void or_set_lifetime(struct or_result *result, uint32_t thread, uint64_t end);

/** The callpath one site below `node`. At bounded depth k its last k sites; else, when it ends in the same sites, as
 * many as the cycle limit, as an earlier part of it, that part. */
uint32_t or_step(struct or_result *result, uint32_t node, uint32_t kind, uint64_t code);
/** The same for a routine, whose time will be `to`'s (or_step): where its entries are counted. */
uint32_t or_call(struct or_result *result, uint32_t node, uint64_t code, uint32_t to);
void or_visit(struct or_result *result, uint32_t node, uint32_t thread);
/** What a thread has got, created or run of a node. */
struct hd_shares *or_shares(struct or_result *result, uint32_t node, uint32_t thread);
void or_add(struct or_result *result, uint32_t node, uint32_t thread, enum hd_state state, uint64_t from, uint64_t to);

/** Notes an entry; returns its number. */
struct or_entry;
uint32_t or_add_entry(struct or_result *result, const struct or_entry *entry);
void or_end_entry(struct or_result *result, uint32_t entry, uint64_t time, size_t event);

void or_add_member(struct or_region *region, uint32_t index, uint32_t thread, uint64_t begin);
/** Member `index` has ended a construct and arrives at its barrier, the team's n-th; and that barrier ends for it. */
void or_arrive(struct or_region *region, uint32_t index, uint32_t n, struct or_share share);
void or_close(struct or_region *region, uint32_t n, uint32_t index, uint64_t end);

/** Adds the region's totals and its constructs'; an open region ends at `script_end`. */
void or_end_region(struct or_result *result, const struct or_region *region, uint64_t script_end);
void or_free_region(struct or_region *region);

/** All is collected: concurrency is worked out for the whole profile. */
void or_set_span(struct or_result *result, uint64_t begin, uint64_t end);

#endif
