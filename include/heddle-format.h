/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-format.h
 * The profile file: the one layout that libheddle.so writes and the `heddle` command reads.
 *
 * While the program runs the file *is* the measurement's memory: it is mapped shared, every record has one writer,
 * and nothing is ever moved. A killed program therefore leaves a readable profile, and a reader needs no cooperation
 * from the program. The size depends on the number of threads and callpaths, never on how long the program runs.
 *
 *     offset 0                       struct hd_file_header, padded to HD_HEADER_BYTES
 *     HD_HEADER_BYTES                block 0
 *     HD_HEADER_BYTES + n * 4 KiB    block n (a block may span several units: see `span`)
 *
 * A block holds `count` records of one type, all owned by one thread (or by the process).
 *
 * Whoever saves a profile seals it: the header and every block then have checksums (CRC-32C) over all of their bytes,
 * their own field taken as 0. A file that is still written has none.
 *
 * Units: all times are ticks of the clock described by `clock`; two (ticks, ns) pairs convert them to nanoseconds.
 * Byte order and record sizes are those of the writer; the reader refuses a file whose `byte_order` or sizes differ.
 */
#ifndef HEDDLE_FORMAT_H
#define HEDDLE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "heddle-events.h"

#define HD_MAGIC "HEDDLE\r\n" /* 8 bytes, no terminator; CR LF betrays a text-mode transfer */
#define HD_FORMAT_VERSION 5u
#define HD_BYTE_ORDER 0x01020304u
#define HD_HEADER_BYTES 4096u
#define HD_BLOCK_BYTES 4096u
#define HD_BLOCK_MAGIC 0x4b4c4248u /* "HBLK" */
#define HD_SEALED 0x4c414553u      /* "SEAL" */
#define HD_CHILD_PIDS 64u
#define HD_NONE UINT32_MAX /* "no thread", "no module", ... in every u32 reference */

/** What a thread is doing: the index of `hd_row_record.ticks`. HD_BUSY is the only working state. */
enum hd_state {
  HD_BUSY,
  HD_WAIT_BARRIER_IMPLICIT,
  HD_WAIT_BARRIER_EXPLICIT,
  HD_WAIT_TASKWAIT,
  HD_WAIT_TASKGROUP,
  HD_WAIT_CRITICAL,
  HD_WAIT_LOCK,
  HD_WAIT_ORDERED,
  HD_WAIT_ATOMIC,
  HD_WAIT_REDUCTION,
  HD_WAIT_OTHER,
  HD_RUNTIME, /* fork and join work of a region's primary thread */
  HD_IDLE,    /* a worker between regions */
  HD_STATE_COUNT
};
#define HD_WAIT_FIRST HD_WAIT_BARRIER_IMPLICIT
#define HD_WAIT_LAST HD_WAIT_OTHER

/** Construct kinds of a site. Append only: the number is stored. */
enum hd_kind {
  HD_KIND_PROGRAM,
  HD_KIND_PARALLEL,
  HD_KIND_TEAMS,
  HD_KIND_LOOP, /* schedule not told by the runtime (libomp before 17), or not the same every time */
  HD_KIND_LOOP_STATIC,
  HD_KIND_LOOP_DYNAMIC,
  HD_KIND_LOOP_GUIDED,
  HD_KIND_SECTIONS,
  HD_KIND_SINGLE,
  HD_KIND_WORKSHARE,
  HD_KIND_DISTRIBUTE,
  HD_KIND_TASKLOOP,
  HD_KIND_SCOPE,
  HD_KIND_TASK,
  HD_KIND_TASKWAIT,
  HD_KIND_TASKGROUP,
  HD_KIND_BARRIER_EXPLICIT,
  HD_KIND_BARRIER_IMPLICIT, /* a worksharing barrier that does not follow its construct directly */
  HD_KIND_BARRIER,          /* GCC-built code: explicit, or the end of a static loop; the runtime does not tell */
  HD_KIND_REDUCTION,
  HD_KIND_CRITICAL,
  HD_KIND_LOCK,
  HD_KIND_ORDERED,
  HD_KIND_ATOMIC,
  HD_KIND_OTHER,   /* an enum value newer than this file */
  HD_KIND_ROUTINE, /* a function: its address is that of its first instruction */
  HD_KIND_PHASE,   /* between the user's markers; its name is a text of kind HD_TEXT_PHASE */
  HD_KIND_MASKED,  /* the block of a `masked` or `master`: only the threads that run it are in it */
  HD_KIND_WORKDISTRIBUTE,
  HD_KIND_COUNT
};

/** What tells sites apart: of loops, the place alone. libomp chooses the schedule of an auto or guided loop by its
 * length and its team, so what it tells may differ from one time to the next. */
static inline enum hd_kind hd_kind_of_site(enum hd_kind kind) {
  return kind == HD_KIND_LOOP_STATIC || kind == HD_KIND_LOOP_DYNAMIC || kind == HD_KIND_LOOP_GUIDED ? HD_KIND_LOOP
                                                                                                    : kind;
}

/**
 * What Heddle does itself takes time in the program: its *intrusion*. Every event's cost is known: measured where it is
 * out of the ordinary, else the mean of what events of its kind cost this thread (hd_costs_record). A cell's intrusion
 * is what its ticks contain of it, so ticks - intrusion is the *corrected* time: Li and Zhang's virtual clock, without
 * which the program would have run. Intrusion may be negative: a thread that Heddle has delayed waits less for others.
 */
enum hd_intrusion_class {
  HD_INTRUSION_BUSY,    /* HD_BUSY */
  HD_INTRUSION_WAITING, /* the waiting states */
  HD_INTRUSION_RUNTIME, /* HD_RUNTIME */
  HD_INTRUSION_IDLE,    /* HD_IDLE */
  HD_INTRUSION_CLASSES
};

static inline enum hd_intrusion_class hd_intrusion_class_of(uint32_t state) {
  const int is_working = state == HD_BUSY;
  const int is_after_waits = state > HD_WAIT_LAST;
  return (enum hd_intrusion_class)(1 - is_working + is_after_waits * (int)(state - HD_WAIT_LAST));
}

enum hd_clock_kind {
  HD_CLOCK_TSC = 1, /* the processor's own counter: support/tsc_clock.h */
  HD_CLOCK_MONOTONIC = 2,
  HD_CLOCK_EXTERNAL = 3 /* a test's own; 1 tick = 1 ns */
};

/** The same instant on both clocks. */
struct hd_clock_pair {
  uint64_t ticks;
  uint64_t ns; /* CLOCK_MONOTONIC */
};

/** How the profile came to its end; `hd_file_header.flags`. */
enum hd_file_flag {
  HD_FILE_COMPLETE = 1u << 0,     /* the runtime (or the library's destructor) closed the profile */
  HD_FILE_EXIT_KNOWN = 1u << 1,   /* `exit_status` was stamped by `heddle run` */
  HD_FILE_START_COARSE = 1u << 2, /* `begin_ns` is the kernel's process start time: 10 ms steps */
  HD_FILE_FULL = 1u << 3,         /* the store could not grow: new callpaths were charged to their parents */
  HD_FILE_ROUTINES = 1u << 4,     /* instrumented routines can tell of their entries and exits */
  HD_FILE_CPU_TIME = 1u << 5,     /* hd_row_record.cpu_ns was measured */
  HD_FILE_MERGED = 1u << 6,       /* a sum of several runs: all is closed, there are no rings and no timeline */
  HD_FILE_RECOVERED = 1u << 7,    /* the program is gone, as `heddle recover` has seen; its end is not known */
  HD_FILE_STOPPED = 1u << 8,      /* the runtime ended the measurement before the program's end: stop_paused_ticks */
  HD_FILE_GOMP = 1u << 9,         /* libomp was loaded first, to take libgomp's place (`heddle run --gomp`) */
  HD_FILE_KILLED = 1u << 10       /* with HD_FILE_EXIT_KNOWN: signal `exit_status` - 128 ended the program */
};

struct hd_file_header {
  char magic[8];
  uint32_t version;
  uint32_t byte_order;
  uint32_t header_bytes; /* HD_HEADER_BYTES */
  uint32_t block_bytes;  /* HD_BLOCK_BYTES */
  uint16_t profile_record_bytes;
  uint16_t row_record_bytes;
  uint16_t thread_record_bytes;
  uint16_t total_record_bytes;
  uint16_t instance_record_bytes;
  uint16_t module_record_bytes;
  uint16_t state_count; /* HD_STATE_COUNT */
  uint16_t entry_record_bytes;
  uint32_t block_count; /* units of HD_BLOCK_BYTES after the header; grows; release order */
  uint32_t flags;       /* enum hd_file_flag */
  uint32_t pid;
  int32_t rank;            /* MPI or launcher rank, -1 when there is none */
  int32_t exit_status;     /* as a shell reports it; valid with HD_FILE_EXIT_KNOWN */
  uint32_t max_threads;    /* processors available to the process at start */
  uint32_t callpath_depth; /* 0: unlimited */
  uint32_t cycle_limit;    /* unlimited depth: a path whose last so many sites it has had before folds */
  uint32_t unwind_depth;   /* calling routines that were looked for at a region's begin; 0: none */
  uint32_t clock_kind;     /* enum hd_clock_kind */
  struct hd_clock_pair clock_first;
  struct hd_clock_pair clock_last; /* refreshed on cold paths; the later, the better the conversion */
  uint64_t begin_ns;               /* CLOCK_MONOTONIC at the program's start, before the tool was loaded */
  uint64_t begin_epoch_ns;         /* CLOCK_REALTIME at the same instant */
  uint64_t loaded_ticks;           /* the tool's start (first OpenMP construct) = begin_ticks of the first thread;
                                      the reader adds the time before it to that thread as busy, outside any region */
  uint64_t end_ticks;              /* 0 while running or when killed; `heddle run` stamps the time of death */
  /* What could not be followed, counted; reports say so. */
  uint64_t unknown_events;   /* enum values newer than this tool */
  uint64_t unmatched_events; /* an end without its begin */
  uint64_t lost_threads;     /* threads for which no memory was left */
  uint64_t folded_paths;     /* callpaths charged to their parent for lack of space */
  uint64_t lost_callbacks;   /* bit i: enum hd_callback i is not always sent */
  uint64_t lost_tallies;     /* times that a profile's concurrency could not be kept for lack of space */
  uint64_t
      lost_overlap_ticks; /* a pair of profiles may lack at most this: smaller overlaps were given up for larger ones */
  uint64_t left_routines; /* entries without an exit: the program jumped out of them */
  uint64_t unmatched_routines; /* exits without an entry */
  uint64_t unmatched_phases;   /* ends of phases that had not begun, and phases never ended */
  uint64_t
      nested_signals;    /* entries and exits that came while Heddle was at work on the same thread: signal handlers */
  uint64_t lost_entries; /* entries whose state or time could not be kept for lack of space */
  uint64_t cut_callers;  /* region begins with more calling routines than unwind_depth */
  uint64_t paused_ticks; /* the clock stood still for so long; all other times leave it out */
  uint64_t paused_at_ticks; /* it stands still since then, in the time that leaves pauses out; 0: it runs */
  uint64_t pauses;          /* how often */
  /* Counters (hd_event_record, hd_counts_record). */
  uint32_t event_count;         /* records of HD_BLOCK_EVENTS; 0: nothing is counted */
  uint32_t event_slots;         /* sets of events that take turns; 0: all events are counted all the time */
  uint32_t counts_record_bytes; /* HD_COUNTS_BYTES(event_count, event_slots) */
  uint32_t counters_at;         /* enum hd_counters_at */
  uint64_t reading_ticks;       /* what one reading takes, all sets of a thread; found out at start */
  char host[64];
  char runtime[128];     /* the string the runtime gave to ompt_start_tool */
  char program[256];     /* base name of the executable */
  uint64_t before_ticks; /* merged files: from the programs' starts to the loads of the tool, summed; else 0 */
  uint32_t costs_record_bytes;
  uint32_t switch_record_bytes;
  uint64_t outside_ticks; /* of an event's cost: its call and return, which it cannot measure itself; found out at
                             start, and contained in all costs */
  uint64_t budget_ppm;    /* of a thread's time that events may cost before the finest are switched off; 0: no limit */
  uint64_t lost_switches; /* times that events were switched off for which there is no record */
  uint64_t memory_limit_bytes; /* of what Heddle uses in the program: the file and its own memory; grows with the
                                  threads; 0: none */
  uint64_t memory_bytes;       /* in use now */
  uint64_t shortened_paths;    /* callpaths of the last two sites (or one) that stand for longer ones, because of that
                                  limit */
  uint64_t registered;         /* what the runtime answered for each enum hd_callback: hd_registered() */
  uint32_t seal;               /* HD_SEALED: there are checksums; 0: not yet */
  uint32_t checksum;           /* of HD_HEADER_BYTES bytes */
  /* Forked children that used OpenMP. Each is measured in a profile of its own, and writes into its parent's no more
   * than that it did so. The parent is the nearest forebear that is measured. */
  uint32_t parent_pid;                /* of a forked child; 0: none */
  uint32_t children;                  /* so many are measured; grows */
  uint32_t unmeasured_children;       /* so many could not be; grows */
  uint32_t runtime_module;            /* the OpenMP runtime's module, its id + 1; 0: no runtime came, or not known */
  uint32_t child_pids[HD_CHILD_PIDS]; /* the first ones of those measured */
  uint64_t start_ticks;       /* what the tool's own start took of the program's first thread, while it counts as
                                 busy; contained in the intrusion. Merged files: the sum */
  uint64_t stop_paused_ticks; /* HD_FILE_STOPPED: of paused_ticks the part before that; the rest is the time that
                                 the program went on, in which nothing was measured */
};

enum hd_block_type {
  HD_BLOCK_PROFILES = 1,
  HD_BLOCK_ROWS = 2,
  HD_BLOCK_THREADS = 3,
  HD_BLOCK_TOTALS = 4,
  HD_BLOCK_INSTANCES = 5, /* one hd_instance_record, then its members */
  HD_BLOCK_MODULES = 6,
  HD_BLOCK_TEXT = 7, /* a sequence of hd_text_record with their bytes; `count` is bytes used */
  HD_BLOCK_RING = 8, /* one hd_ring_record */
  HD_BLOCK_TALLIES = 9,
  HD_BLOCK_LEVELS = 10,
  HD_BLOCK_OVERLAPS = 11,
  HD_BLOCK_TIMELINE = 12, /* one hd_timeline_record */
  HD_BLOCK_ENTRIES = 13,
  HD_BLOCK_STACK = 14, /* one hd_stack_record */
  HD_BLOCK_EVENTS = 15,
  HD_BLOCK_COUNTS = 16,
  HD_BLOCK_COSTS = 17,
  HD_BLOCK_SWITCHES = 18,
  HD_BLOCK_JOURNAL = 19 /* one hd_journal_record */
};
#define HD_BLOCK_TYPE_LAST HD_BLOCK_JOURNAL

/** Precedes every block; records start HD_BLOCK_HEADER_BYTES after it. */
struct hd_block_header {
  uint32_t magic;      /* HD_BLOCK_MAGIC */
  uint16_t type;       /* enum hd_block_type */
  uint16_t short_span; /* the writer's own */
  uint32_t span;       /* units of HD_BLOCK_BYTES this block covers, at least 1 */
  uint32_t owner;      /* thread id of the only writer, HD_NONE: the process */
  uint32_t count;      /* records in use; grows; release order */
  uint32_t checksum;   /* of the whole block, in a sealed file */
  uint32_t pad[10];
};
#define HD_BLOCK_HEADER_BYTES 64u

/** A callpath: one node of the profile tree, shared by all threads. Record i of all profile blocks has id i. */
struct hd_profile_record {
  uint32_t id;
  uint32_t parent;  /* profile id; the program (id 0) is its own parent */
  uint16_t kind;    /* enum hd_kind */
  uint16_t flags;   /* enum hd_profile_flag */
  uint32_t depth;   /* 0 for the program */
  uint32_t module;  /* module id, HD_NONE: address lies in no known module */
  uint32_t target;  /* HD_PROFILE_BACK: the profile that takes the time; else its own id */
  uint64_t offset;  /* relative to the module's load address. A return address (look up offset - 1), but a routine's is
                       its first instruction's; phases: 0. For GCC's regions and tasks offset - 1 is the first
                       instruction of the function that GCC made out of the construct; of a tail call's function, if it
                       is not known where that jumped */
  uint64_t address; /* the same, absolute in that process */
  uint64_t pad[3];
};
enum hd_profile_flag {
  HD_PROFILE_IN_RUNTIME = 1u << 0, /* the address lies inside the OpenMP runtime: the caller is not known */
  HD_PROFILE_FOLDED = 1u << 1,     /* also holds the time of callpaths for which no space was left */
  HD_PROFILE_RECURSIVE = 1u << 2,  /* also holds deeper recursive entries of the same site */
  HD_PROFILE_CALLED = 1u << 3,     /* a routine that tells of its entries and exits. Without it a routine is known from
                                      the stack only: neither its calls nor its own time were measured */
  HD_PROFILE_BACK = 1u << 4, /* a routine's recursive entries from its parent: visits only, the time is `target`'s */
  HD_PROFILE_TAIL_CALL = 1u << 6, /* the construct lies in the function of the site or one called there, which left for
                                     the runtime by a jump: the line is not known */
  HD_PROFILE_SHORTENED = 1u << 5 /* its path is the end of several longer ones, for which there was no memory. Below the
                                    program: it stands for whatever ends in its site; below such a one: for whatever
                                    ends in the two. A profile of the same site without this flag is one apart */
};

/** One thread's numbers for one profile. Time is exclusive: spent while this profile was the thread's innermost. */
struct hd_row_record {
  uint32_t profile;
  uint32_t thread;
  uint64_t visits;
  uint64_t cpu_ns; /* processor time, exclusive; 0 without HD_FILE_CPU_TIME */
  uint64_t ticks[HD_STATE_COUNT];
  int64_t intrusion[HD_INTRUSION_CLASSES]; /* contained in `ticks`. But for waits at a team's barriers: there what the
                                              thread had gathered since its team was last together, negative */
  int64_t merged; /* waits at a team's barriers: by how much Heddle delayed the last thread to arrive, times the team's
                     size, summed. In the row of thread number 0, for all threads: a profile's corrected waiting time is
                     the sum over its rows of ticks - intrusion - merged */
};

enum hd_thread_kind { HD_THREAD_INITIAL = 1, HD_THREAD_WORKER = 2, HD_THREAD_OTHER = 3 };

/** One thread, or several of one kind that lived one after the other: a program may start any number of short ones. Its
 *  rows' ticks add up to last_ticks - begin_ticks - apart_ticks at any time; the rest is still open. */
struct hd_thread_record {
  uint32_t id;
  uint32_t kind;        /* enum hd_thread_kind */
  uint64_t begin_ticks; /* of the first */
  uint64_t end_ticks;   /* of the last; 0: still alive */
  uint64_t last_ticks;  /* time of the last event */
  uint64_t busy_ticks;  /* total of the busy cells of its rows */
  uint64_t open_cell;   /* file offset of the cell (in a row's ticks) that the time since last_ticks belongs to */
  uint64_t joining;     /* file offset of the instance whose end this worker waits for; 0: none */
  uint64_t idle_cell;   /* file offset of the cell for the time after that instance's join */
  uint64_t uncounted;   /* bit e: event e is not counted on this thread, or no longer */
  uint64_t counting;    /* file offset of missing[class] in the hd_counts_record that what is counted now belongs to; 0:
                           nothing is counted */
  uint64_t readings;    /* of its counters, so far */
  int64_t intrusion;    /* by which the thread is late: of its own events; since a region that it opened, the team's */
  int64_t intrusion_charged; /* part of it that is in rows: what it was at last_ticks */
  int64_t intrusion_base;    /* what it was when its team was last together */
  uint64_t apart_ticks;      /* from one thread's end to the next one's begin, summed: in nobody's life */
  uint64_t threads;          /* so many; merged files: the most of any run */
  /* The kernel's account (schedstat), of `told` of these threads: of those that have ended, and at the profile's end of
   * the others. Heddle's own work and what ran before the tool was loaded are in it. */
  uint64_t ran_ns;
  uint64_t queued_ns;   /* they could have run, but had no processor */
  uint64_t preemptions; /* so often one was taken from them */
  uint64_t told;        /* merged files: 0 if it is unknown of any thread of any run, else `threads` */
  uint32_t tid;         /* the living thread's, for that; 0: nothing is left to read */
  uint32_t reserved;
  uint64_t pad[3];
};

/** Where the counters are read: at every change between these and what is around them. What is not told apart is
 * counted for the innermost enclosing profile that is. Barriers, taskwaits and taskgroups always are. */
enum hd_counters_at {
  HD_COUNTERS_AT_REGION = 1, /* parallel regions, teams and phases */
  HD_COUNTERS_AT_LOOP = 2,   /* and worksharing constructs, and tasks */
  HD_COUNTERS_AT_ALL = 3     /* and whatever else has a profile */
};

/** Whether profiles of a kind are told apart. The program's always is. */
static inline int hd_kind_is_told_apart(uint32_t kind, uint32_t counters_at) {
  switch (kind) {
  case HD_KIND_PROGRAM:
  case HD_KIND_PARALLEL:
  case HD_KIND_TEAMS:
  case HD_KIND_PHASE:
    return 1;
  case HD_KIND_LOOP:
  case HD_KIND_LOOP_STATIC:
  case HD_KIND_LOOP_DYNAMIC:
  case HD_KIND_LOOP_GUIDED:
  case HD_KIND_SECTIONS:
  case HD_KIND_SINGLE:
  case HD_KIND_WORKSHARE:
  case HD_KIND_DISTRIBUTE:
  case HD_KIND_TASKLOOP:
  case HD_KIND_SCOPE:
  case HD_KIND_WORKDISTRIBUTE:
  case HD_KIND_TASK:
    return counters_at >= HD_COUNTERS_AT_LOOP;
  default:
    return counters_at >= HD_COUNTERS_AT_ALL;
  }
}

/** What a thread did while its events were counted. */
enum hd_count_class {
  HD_COUNT_BUSY,    /* HD_BUSY; but for HD_COUNTERS_AT_ALL also waits at criticals, locks, ordereds and atomics */
  HD_COUNT_WAITING, /* the waiting states, and HD_IDLE: for a worker's wait at a region's end and what follows there is
                       one number, the region's */
  HD_COUNT_RUNTIME, /* HD_RUNTIME */
  HD_COUNT_CLASSES
};

static inline enum hd_count_class hd_count_class_of(uint32_t state, uint32_t counters_at) {
  switch (state) {
  case HD_BUSY:
    return HD_COUNT_BUSY;
  case HD_RUNTIME:
    return HD_COUNT_RUNTIME;
  case HD_WAIT_CRITICAL:
  case HD_WAIT_LOCK:
  case HD_WAIT_ORDERED:
  case HD_WAIT_ATOMIC:
    return counters_at == HD_COUNTERS_AT_ALL ? HD_COUNT_WAITING : HD_COUNT_BUSY;
  default:
    return HD_COUNT_WAITING;
  }
}

/** An event that is counted, in the order in which they were asked for. */
#define HD_EVENTS_MOST 32u
struct hd_event_record {
  char name[128];  /* as asked for */
  char source[16]; /* who counts it: "kernel", "usage" or "papi" */
  char unit[16];   /* of the counts; empty: just a number */
  uint64_t cost;   /* what one reading adds to the count; it has been taken out */
  uint32_t slot;   /* 0: counted all the time; else only when it is this slot's turn: 1 .. event_slots */
  uint32_t reserved;
  char description[80];
};

/**
 * One thread's counts for one profile that is told apart (hd_counters_at). Exclusive: while this profile, or one below
 * it that is not told apart, was the thread's innermost. They end at the thread's last reading: what a program counted
 * after that until it was killed is lost. After this record come
 *     uint64_t counts[event_count][HD_COUNT_CLASSES];
 *     uint64_t slot_ticks[event_slots][HD_COUNT_CLASSES];   time in which it was this slot's turn
 */
struct hd_counts_record {
  uint32_t profile;
  uint32_t thread;
  uint64_t missing[HD_COUNT_CLASSES]; /* bit e: some of event e is not in the count: a reading failed, or a pause of the
                                         measurement lay in between */
};
#define HD_COUNTS_BYTES(events, slots)                                                                                 \
  ((uint32_t)(sizeof(struct hd_counts_record) + ((events) + (slots)) * HD_COUNT_CLASSES * sizeof(uint64_t)))

/**
 * Totals over the finished instances of a parallel region or of a worksharing construct that ends in its own barrier,
 * for one team size. A region's are written by the team's primary thread. A construct's by each thread for itself, but
 * instances, elapsed_ticks and busy_max_ticks by thread number 0 for all.
 * Per instance, p threads: capacity += p * elapsed (construct: the time of each thread in it and in its barrier);
 * busy += sum of busy (construct: tasks that ran in its barrier included); busy_max += p * (largest busy of a thread).
 * Hence lost time = capacity - busy, potential gain = lost / p, imbalance = busy_max / busy (weighted by busy time).
 */
struct hd_total_record {
  uint32_t profile;
  uint32_t thread;    /* the writer */
  uint32_t team_size; /* p; merged files: 0 when it was never known */
  uint32_t open;      /* merged files: so many of the instances had not ended; else 0 */
  uint64_t instances;
  uint64_t elapsed_ticks; /* outermost instances only: a recursive one lies inside its ancestor's */
  uint64_t busy_ticks;
  uint64_t busy_max_ticks; /* already multiplied by p */
  uint64_t idle_ticks;     /* of the team's workers: before they arrived, after the join. 0 for worksharing */
  uint64_t capacity_ticks; /* thread time at hand */
  int64_t intrusion_ticks; /* regions: contained in elapsed_ticks */
  uint64_t pad;
};

/** One parallel region that is running, or whose workers have not all been seen again since. Reused. */
struct hd_instance_record {
  uint32_t profile;
  uint32_t primary;      /* thread id */
  uint32_t team_size;    /* 0 until the primary's implicit task begins */
  uint32_t member_limit; /* room for members after this record */
  uint64_t begin_ticks;  /* parallel_begin */
  uint64_t join_ticks;   /* end of the last barrier on the primary; 0 before */
  uint64_t end_ticks;    /* parallel_end; 0 while running */
  uint32_t uncounted; /* its time is not added up: an instance of the same profile encloses it, or it is the runtime's
                         own (hidden helper threads) */
  uint32_t pending;   /* workers that have not yet read join_ticks */
  uint32_t unasked;   /* it began while the measurement was paused: its time counts, itself it does not */
  uint32_t pad[3];
};

/** One thread of a team; member i has thread number i. Belongs to the running instance only if `begin_ticks` is not
 *  before the instance's: it is not cleared when the instance is used again. */
struct hd_member_record {
  uint32_t thread; /* HD_NONE: never used */
  uint32_t reserved;
  uint64_t thread_record; /* file offset of the thread's record */
  uint64_t begin_ticks;   /* its implicit task's begin */
  uint64_t busy_at_begin; /* its busy_ticks then */
  uint64_t pad[4];
  /* At its team's last barriers, in turn: barrier.h. A cache line each. */
  struct hd_arrival {
    uint64_t busy;      /* in the worksharing construct that the barrier closed; 0: none */
    uint64_t entered;   /* when Heddle let the thread go into the barrier */
    uint64_t undelayed; /* when it would have come without Heddle, had the team been undelayed when last together */
    uint64_t number;    /* of the barrier, counted from 1, times 2; plus 1 when it closes a worksharing construct */
    uint64_t pad[4];
  } arrivals[4];
};

/*
 * Exact concurrency. The *level* of the program at an instant is the number of its threads that are busy. Every thread
 * writes its changes (transitions) into a ring of its own; a sweep takes them out of all rings in the order of time and
 * adds up, for every tally, how long the level was k. What the rings still hold, the reader adds.
 */

/** A thread's change. Times never decrease along a ring, and none is before what a sweep has taken already. */
struct hd_transition {
  uint64_t ticks;
  uint32_t busy; /* profile in which the thread is busy from now on; HD_NONE: it is not busy */
  uint32_t what; /* enum hd_what and its operand: HD_WHAT(what, operand) */
};

/** What else happens at a transition. Entries are counted but for those with HD_WHAT_UNCOUNTED: the measurement was
 *  paused. */
enum hd_what {
  HD_WHAT_NOTHING,
  HD_WHAT_REGION_BEGIN, /* of an instance of profile `operand`: an entry of it, too */
  HD_WHAT_REGION_END,
  HD_WHAT_NESTED_BEGIN, /* likewise, but an instance of the same profile encloses this one: elapsed time is not counted
                         */
  HD_WHAT_NESTED_END,
  HD_WHAT_ENTER,  /* of profile `operand`; its end is of no interest */
  HD_WHAT_CALL,   /* of routine `operand`: it goes on the thread's stack */
  HD_WHAT_TASK,   /* an explicit task begins; likewise */
  HD_WHAT_RETURN, /* to a stack of `operand` entries */
  HD_WHAT_TEAM,   /* a worker joins a team: its stack is empty, and its caller is the primary's when that region began.
                     The operand names the primary's ring, and how many begins of regions come before that one on
                     the primary's stack: HD_TEAM */
  HD_WHAT_COUNT
};
#define HD_WHAT_SHIFT 28
#define HD_WHAT_UNCOUNTED (1u << 27)
#define HD_WHAT(what, operand) ((uint32_t)(what) << HD_WHAT_SHIFT | (operand))
#define HD_WHAT_OPERAND(word) ((word) & (HD_WHAT_UNCOUNTED - 1))
#define HD_TEAM_RING_BITS 20
#define HD_TEAM(ring, before) ((ring) | (before) << HD_TEAM_RING_BITS)
#define HD_TEAM_RING(operand) ((operand) & ((1u << HD_TEAM_RING_BITS) - 1))
#define HD_TEAM_BEFORE(operand) ((operand) >> HD_TEAM_RING_BITS)
#define HD_TEAM_BEFORE_MOST 127u
#define HD_RING_LENGTH 1008u

/** How far the sweep is with a ring. */
struct hd_ring_sweep {
  uint64_t tail;        /* transitions taken out */
  uint64_t tick;        /* time of the last one */
  uint32_t busy;        /* as of the last one: profile or HD_NONE */
  uint32_t busy_before; /* likewise, just before that instant */
  uint32_t thread;      /* of the newest owner */
  uint32_t index;       /* the ring's own, smaller than the number of blocks for rings */
  uint32_t height;      /* of its stack (hd_stack_record) */
  uint32_t base_state;  /* enum hd_entry_state of who called what the thread runs with an empty stack */
  uint64_t released;    /* transitions whose places may be used again: the tail at the end of the sweep's last step */
  uint32_t kept_in;     /* the sweep's own */
  uint32_t reserved;
  uint64_t pad;
};

/** One thread's transitions: number n lies in transitions[n % HD_RING_LENGTH]. A ring is used again after its thread.
 */
struct hd_ring_record {
  struct hd_ring_sweep sweep; /* written by the sweep */
  /* Written by the owner. */
  uint64_t head;            /* transitions put in; release order */
  uint64_t latest_ticks;    /* time of the newest */
  uint64_t tentative_ticks; /* the newest, at this time, may be taken back; 0: none */
  uint32_t writing;         /* a transition is on its way, not before `latest_ticks` */
  uint32_t ended;           /* the owner sends no more */
  uint64_t next;            /* file offset of the next ring in a list, for the library */
  uint64_t pad_head[3];
  struct hd_transition transitions[HD_RING_LENGTH];
};

/** The state of the program at an entry: was another thread busy just before? */
enum hd_entry_state { HD_SEQUENTIAL, HD_CONCURRENT, HD_ENTRY_STATES };

/**
 * One thread's entries into a profile, by the state in which its caller (the innermost routine, or explicit task,
 * around it) was entered and by its own: Malony's cprof, 1987. Written by the sweep. Only routines have callers and
 * ticks; of what else is entered, only the concurrent entries are counted (with a sequential caller).
 */
struct hd_entry_record {
  uint32_t profile;
  uint32_t thread;
  uint64_t visits[HD_ENTRY_STATES][HD_ENTRY_STATES]; /* [caller][own] */
  uint64_t ticks[HD_ENTRY_STATES]
                [HD_ENTRY_STATES]; /* from entry to exit, of a thread's outermost entries: finished ones */
  uint32_t open;                   /* entries on the thread's stack */
  uint32_t reserved;
};

/** The routines, explicit tasks and regions that a ring's thread is in. Written by the sweep. */
#define HD_STACK_LENGTH 1016u
struct hd_stack_record {
  uint32_t ring;  /* index */
  uint32_t level; /* of its first entry: a multiple of HD_STACK_LENGTH */
  struct hd_stack_entry {
    uint64_t since_ticks;
    uint32_t profile;
    uint8_t what;      /* enum hd_what: _CALL, _TASK, _REGION_BEGIN, _NESTED_BEGIN */
    uint8_t caller;    /* enum hd_entry_state */
    uint8_t own;       /* likewise; a region's is its caller's */
    uint8_t outermost; /* its time counts when it ends */
  } entries[HD_STACK_LENGTH];
};

enum hd_tally_what {
  HD_TALLY_PROGRAM = 1, /* counts one, always: the program's time at level k. Profile 0 */
  HD_TALLY_BUSY = 2,    /* counts the threads that are busy in the profile, not below it: thread-time at level k */
  HD_TALLY_ELAPSED = 3  /* counts the region's running instances (not those inside another): elapsed time at level k */
};

/** Something that is counted, and for how long it was how many at each level (hd_level_record). */
struct hd_tally_record {
  uint32_t profile;
  uint32_t what;  /* enum hd_tally_what */
  uint32_t count; /* now */
  uint32_t reserved;
  uint64_t since_ticks;        /* count * (time since then) is still to be added at the present level */
  uint64_t active_since_ticks; /* when the count became larger than 0 */
  uint64_t active_ticks;       /* time with a count larger than 0, without the present stretch */
  uint64_t unpaired_ticks;     /* HD_TALLY_BUSY: part of active_ticks, too many others were busy: overlaps not kept */
  uint64_t tick;               /* HD_TALLY_PROGRAM: time of the last transition taken */
  uint64_t level_before;       /* likewise: the level just before that instant */
};

/** A tally's ticks at levels first .. first + 6: sum of count * dt. At most one record for each tally and `first`. */
#define HD_LEVELS_PER_RECORD 7u
struct hd_level_record {
  uint32_t tally; /* index of its record */
  uint32_t first; /* multiple of HD_LEVELS_PER_RECORD */
  uint64_t ticks[HD_LEVELS_PER_RECORD];
};

/** How long threads were busy in profile a and, at the same time, other threads in profile b. a < b. */
struct hd_overlap_record {
  uint32_t a;
  uint32_t b;
  uint64_t ticks; /* 0: given up for a larger one */
};

/**
 * The run in time: a fixed number of buckets; when the run outgrows them, pairs are folded into one and the width
 * doubles (Hollingsworth's time histogram). Bucket i begins at origin + i * width.
 */
#define HD_TIMELINE_BUCKETS 512u
struct hd_timeline_record {
  uint64_t origin_ticks;
  uint64_t width_ticks;
  uint64_t until_ticks; /* what is later has not been added yet */
  uint32_t kept_in;     /* the sweep's own */
  uint32_t reserved;
  uint64_t pad[4];
  struct hd_timeline_bucket {
    uint64_t none_ticks;       /* no thread busy */
    uint64_t sequential_ticks; /* one */
    uint64_t busy_ticks;       /* sum of level * dt over all levels */
  } buckets[HD_TIMELINE_BUCKETS];
};

/**
 * What the sweep's present step has changed in tallies, levels, overlaps, entries, stacks, rings' sweeps and the
 * timeline, as it was before. Between steps there are no entries. The reader takes back a step that was not ended, from
 * the last entry to the first: the transitions are still in their rings.
 */
struct hd_journal_record {
  uint64_t count;
  uint64_t reserved;
  struct hd_journal_entry {
    uint64_t offset; /* of 8 bytes in the file */
    uint64_t before; /* what they were */
  } entries[];
};

/** What one thread's events of each kind have cost it. */
struct hd_costs_record {
  uint32_t thread;
  uint32_t reserved;
  struct hd_event_cost {
    uint64_t count;       /* events so far */
    uint64_t charged;     /* so many of them are in `total_ticks`; the others cost `ticks` each */
    uint64_t total_ticks; /* intrusion */
    uint32_t ticks;       /* of an ordinary one: mean of those that were measured */
    uint32_t mask;        /* an ordinary one is measured when its number & mask is 0 */
  } kinds[HD_EVENT_KINDS];
};

/** For so long events of a class were switched off, because they cost more than the budget allows. */
struct hd_switch_record {
  uint32_t event_class; /* enum hd_event_class */
  uint32_t thread;      /* whose time they cost */
  uint32_t profile;     /* where it was then */
  uint32_t times;       /* 1; more: several such times in one record */
  uint64_t off_ticks;   /* the newest of these times; merged files: both are 0 */
  uint64_t on_ticks;    /* 0: still off */
  uint64_t total_ticks; /* of all that have ended: between the two, summed */
  uint64_t cost_ppm;    /* of the thread's time, that led to it; the highest */
};

struct hd_module_record {
  uint32_t id;
  uint32_t build_id_bytes; /* 0: none */
  uint8_t build_id[32];
  uint64_t base;  /* load address */
  uint32_t flags; /* enum hd_module_flag */
  uint32_t reserved;
  char path[968];
};

enum hd_module_flag {
  HD_MODULE_UNLOADED = 1u << 0 /* dlclose: another module may have come to lie at its addresses */
};

enum hd_text_kind {
  HD_TEXT_ARGUMENT = 1,    /* command line, in order */
  HD_TEXT_ENVIRONMENT = 2, /* NAME=value of the variables that steer OpenMP */
  HD_TEXT_NOTE = 3,        /* what could not be measured, in words */
  HD_TEXT_NAME = 4,        /* id: profile; "function\0file\0line\0": written by the command, not by the library */
  HD_TEXT_PHASE = 5,       /* id: profile; the name of a phase */
  HD_TEXT_GROUP = 6,       /* a group of events whose formulas reports show: the file's name, a line end, its content */
  HD_TEXT_OUTPUT = 7,      /* the name that the profile is to have; absolute, unless the directory was gone */
  HD_TEXT_RUN = 8          /* the private directory of the `heddle run` that will collect it */
};

/** Followed by `bytes` bytes (text needs no terminator), padded to a multiple of 8. */
struct hd_text_record {
  uint16_t kind;
  uint16_t reserved;
  uint32_t id;
  uint32_t bytes;
  uint32_t pad;
};

/** What the header says of the layout: the same in all files of this format. */
#define HD_LAYOUT(FIELD)                                                                                               \
  FIELD(version, HD_FORMAT_VERSION)                                                                                    \
  FIELD(byte_order, HD_BYTE_ORDER)                                                                                     \
  FIELD(header_bytes, HD_HEADER_BYTES)                                                                                 \
  FIELD(block_bytes, HD_BLOCK_BYTES)                                                                                   \
  FIELD(state_count, HD_STATE_COUNT)                                                                                   \
  FIELD(profile_record_bytes, sizeof(struct hd_profile_record))                                                        \
  FIELD(row_record_bytes, sizeof(struct hd_row_record))                                                                \
  FIELD(thread_record_bytes, sizeof(struct hd_thread_record))                                                          \
  FIELD(total_record_bytes, sizeof(struct hd_total_record))                                                            \
  FIELD(instance_record_bytes, sizeof(struct hd_instance_record))                                                      \
  FIELD(module_record_bytes, sizeof(struct hd_module_record))                                                          \
  FIELD(entry_record_bytes, sizeof(struct hd_entry_record))                                                            \
  FIELD(costs_record_bytes, sizeof(struct hd_costs_record))                                                            \
  FIELD(switch_record_bytes, sizeof(struct hd_switch_record))

static inline void hd_layout_set(struct hd_file_header *header) {
#define HD_LAYOUT_SET(field, value) header->field = value;
  HD_LAYOUT(HD_LAYOUT_SET)
#undef HD_LAYOUT_SET
  memcpy(header->magic, HD_MAGIC, sizeof header->magic);
}

static inline bool hd_layout_is_known(const struct hd_file_header *header) {
#define HD_LAYOUT_IS(field, value) header->field == value &&
  return HD_LAYOUT(HD_LAYOUT_IS) true;
#undef HD_LAYOUT_IS
}

_Static_assert((int)HD_IDLE - (int)HD_WAIT_LAST == (int)HD_INTRUSION_IDLE - (int)HD_INTRUSION_WAITING &&
                   (int)HD_RUNTIME - (int)HD_WAIT_LAST == (int)HD_INTRUSION_RUNTIME - (int)HD_INTRUSION_WAITING,
               "states and classes of intrusion come in the same order");
_Static_assert(sizeof(struct hd_file_header) <= HD_HEADER_BYTES, "the header fits its page");
_Static_assert(sizeof(struct hd_block_header) == HD_BLOCK_HEADER_BYTES, "block header size");
_Static_assert(sizeof(struct hd_profile_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_row_record) == 168, "row record size");
_Static_assert(sizeof(struct hd_thread_record) == 192, "three cache lines");
_Static_assert(sizeof(struct hd_total_record) == 80, "total record size");
_Static_assert(sizeof(struct hd_instance_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_member_record) == 320, "five cache lines");
_Static_assert(offsetof(struct hd_member_record, arrivals) == 64, "arrivals are alone on their cache lines");
_Static_assert(sizeof(struct hd_ring_sweep) == 64, "one cache line");
_Static_assert(sizeof(struct hd_ring_record) <= 4 * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES, "a ring fits four units");
_Static_assert(sizeof(struct hd_entry_record) == 80, "entry record size");
_Static_assert(sizeof(struct hd_stack_record) <= 4 * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES, "a stack fits four units");
_Static_assert(sizeof(struct hd_tally_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_level_record) == 64, "one cache line");
_Static_assert(sizeof(struct hd_overlap_record) == 16, "overlap record size");
_Static_assert(sizeof(struct hd_event_record) == 256, "four cache lines");
_Static_assert(sizeof(struct hd_counts_record) == 32, "counts record size");
_Static_assert(HD_COUNTS_BYTES(HD_EVENTS_MOST, HD_EVENTS_MOST) <= HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES,
               "a counts record fits a block");
_Static_assert(sizeof(struct hd_journal_entry) == 16, "journal entry size");
_Static_assert(sizeof(struct hd_switch_record) == 48, "switch record size");
_Static_assert(sizeof(struct hd_module_record) == 1024, "module record size");
_Static_assert(sizeof(struct hd_text_record) == 16, "text record size");

#endif
