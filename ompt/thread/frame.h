/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file frame.h
 * What a thread is in, one frame for each construct, routine and phase: thread.h has the stack of them.
 */
#ifndef HEDDLE_OMPT_THREAD_FRAME_H
#define HEDDLE_OMPT_THREAD_FRAME_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

struct hd_region;       /* team.h */
struct hd_known_region; /* likewise */

/** Where an implicit task is among its team's barriers (barrier.h). */
struct hd_team_place {
  uint32_t team;            /* HD_TEAM */
  uint32_t barriers;        /* it has arrived at */
  uint64_t busy_at_begin;   /* the thread's busy time when the task, implicit or explicit, began */
  uint64_t idle_cell;       /* hd_log_finish */
  uint64_t unresolved_cell; /* the same while the wait is unresolved */
  uint32_t profile;         /* that it waits in, */
  uint16_t arrival;         /* and enum hd_log_arrival_flag of that barrier */
  bool waits;               /* in a barrier, of which its team is told */
  bool has_finished;        /* a worker: it has arrived at its region's last barrier, */
  bool has_told_finish;     /* and told so, now or before */
  bool is_unresolved; /* it waits for the region's end, and tasks that began meanwhile were refused (unresolved.h) */
};

/** The worksharing construct an implicit task is in or has just left: its closing barrier is charged to it. */
struct hd_worksharing {
  struct hd_row_record *row; /* NULL: none yet */
  uint64_t begin_ticks;
  uint64_t busy_at_begin;
  uint64_t present_ticks;   /* in the construct, once it has ended; its barrier is added when that ends */
  uint64_t busy_ticks;      /* likewise; tasks may run in the barrier */
  uint64_t barrier_ticks;   /* when the barrier began */
  uint64_t busy_at_barrier; /* and the thread's busy time then */
  bool ended;               /* the construct has ended, its barrier has not come yet */
  bool timed;               /* its end is told, so it has totals */
};

struct hd_frame {
  struct hd_row_record *row;
  uint8_t state;    /* enum hd_state, to return to when what lies above has ended */
  uint8_t kind;     /* enum hd_kind; base frames: HD_KIND_PROGRAM, _PARALLEL or _TASK */
  uint16_t waits;   /* refused ones in which the thread is, with this frame innermost (unresolved.h) */
  uint32_t outer;   /* index of the next frame outwards of the same kind; 0: none */
  uint32_t height;  /* of the sweep's stack (entries.h) while this frame is the innermost */
  uint32_t refused; /* base frames and routines: entries of routines since, that were refused (budget.h); masked: masked
                      blocks */
  ompt_data_t *task; /* base frames: the task; constructs that can lie in one of their own kind: what their end is known
                        by when another's begin may have been refused; else NULL */
  union {
    struct hd_frame_base {
      uint32_t below;           /* index of the base frame of the task beneath */
      uint32_t team;            /* index of the innermost base that is no explicit task's: this one, or one beneath */
      uint32_t thread_number;   /* in the region's team */
      uint32_t busy_as;         /* enum hd_state of what would be busy time: HD_BUSY, but while the task is in an entry
                                   point of the runtime (entry_points.h) its own work there */
      uint32_t refused_entries; /* of loops, in which it is: entry points whose time counts as busy */
      const struct hd_known_region *region; /* NULL: none, or there was no memory for it */
      struct hd_region *led;                /* the same, as its primary leads it; NULL: it is another thread's */
      struct hd_team_place place;
      struct hd_worksharing work;
      uint64_t others_ticks;           /* busy time of explicit tasks that have run on top of it */
      struct hd_frame_task {           /* an explicit task: construct/task.c */
        struct hd_tasks_record *times; /* NULL: its time is not kept */
        uint64_t spent_ticks;          /* what its earlier parts took */
        uint32_t part;                 /* their number */
        uint32_t refusals;             /* hd_thread.refusals when it began */
      } task;
    } base;
    struct hd_frame_routine { /* routine.h */
      const void *function;
      const void *call_site;    /* where it returns to */
      const void *const *slot;  /* where on the stack that stands; NULL: not known */
      const void *entered_from; /* where in its code it told of its entry */
    } routine;
    struct hd_frame_loop {             /* chunks.h */
      struct hd_chunks_record *chunks; /* NULL: no chunk of this instance has been done yet */
      uint64_t first;                  /* struct heddle_iterations of the loop */
      int64_t step;
      uint64_t count;
      double buckets_each;  /* hd_chunks_record's, for each iteration */
      uint64_t chunk_first; /* of the chunk that it got last, iterations numbered from 0 */
      uint64_t chunk_count;
      uint64_t begin_ticks; /* 0: it does not work on it, or its begin was not observed */
      bool has_chunk;       /* it got that since it asked last */
      bool is_kept;
      bool by_runtime; /* schedule(runtime) */
    } loop;
    struct hd_frame_wait {   /* hd_frame_is_wait; once it counts as busy, because a task began that is not observed: */
      uint32_t state;        /* what it was before */
      uint32_t unseen_tasks; /* hd_thread.unseen_tasks then */
    } wait;
    struct hd_frame_phase { /* markers.c */
      const char *name;
      uintptr_t place; /* on the stack, of the routine that holds its begin (region_callers.h); 0: not known */
    } phase;
  };
};

/** A routine is not given a frame when a thread has so many, or the memory's limit is near: endless recursion must not
 *  use up the memory. */
enum { HD_FRAMES_MOST = 1 << 17 };

/** The kind of a frame in which a thread waits, mutexes aside. */
static inline bool hd_frame_is_wait(enum hd_kind kind) {
  return (kind >= HD_KIND_TASKWAIT && kind <= HD_KIND_REDUCTION) || kind == HD_KIND_OTHER;
}

#endif
