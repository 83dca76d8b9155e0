/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle-format.h
 * The profile file: the layout that libheddle.so writes and the `heddle` command reads.
 *
 * While the program runs the file *is* the measurement's memory: it is mapped shared, every record has one writer, and
 * nothing is ever moved. A killed program therefore leaves a readable profile, and a reader needs no help from the
 * program. The size depends on the number of threads and callpaths, never on how long the program runs.
 *
 *     offset 0                       struct hd_file_header, padded to HD_HEADER_BYTES
 *     HD_HEADER_BYTES                block 0
 *     HD_HEADER_BYTES + n * 4 KiB    block n (a block may span several units: see `span`)
 *
 * A block holds `count` records of one type, all owned by one thread or by the process.
 *
 * Whoever saves a profile seals it: the header and every block then carry a checksum (CRC-32C) of all their bytes, with
 * the checksum's own field taken as 0. A file that is still being written has none.
 *
 * Parts: heddle-states.h (states and constructs), heddle-rows.h (times by thread and callpath), heddle-events.h (what
 * the tool hears, and what that costs), heddle-log.h (what each thread did), heddle-teams.h (parallel regions),
 * heddle-concurrency.h (how many threads were busy at once), heddle-samples.h (what threads were executing),
 * heddle-chunks.h (chunks of loops), heddle-tasks.h (tasks), heddle-path.h (the critical path), heddle-trace.h (who did
 * what when), heddle-control.h (what `heddle ctl` asks for).
 *
 * Units: all times are ticks of the clock that `clock_kind` names; two (ticks, ns) pairs convert them to nanoseconds.
 * Byte order and record sizes are those of the writer; the reader refuses a file whose `byte_order` or sizes differ.
 */
#ifndef HEDDLE_FORMAT_H
#define HEDDLE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "heddle-chunks.h"
#include "heddle-concurrency.h"
#include "heddle-control.h"
#include "heddle-events.h"
#include "heddle-locks.h"
#include "heddle-log.h"
#include "heddle-path.h"
#include "heddle-rows.h"
#include "heddle-samples.h"
#include "heddle-states.h"
#include "heddle-tasks.h"
#include "heddle-teams.h"
#include "heddle-trace.h"

#define HD_MAGIC "HEDDLE\r\n" /* 8 bytes, no terminator; CR LF betrays a text-mode transfer */
#define HD_FORMAT_VERSION 18u
#define HD_BYTE_ORDER 0x01020304u
#define HD_HEADER_BYTES 4096u
#define HD_BLOCK_BYTES 4096u
#define HD_BLOCK_HEADER_BYTES 64u
#define HD_BLOCK_MAGIC 0x4b4c4248u /* "HBLK" */
#define HD_SEALED 0x4c414553u      /* "SEAL" */
#define HD_CHILD_PIDS 64u
#define HD_NONE UINT32_MAX /* "no thread", "no module", ... wherever 32 bits refer to a record */

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

/** How the profile was made and how it ended; `hd_file_header.flags`. */
enum hd_file_flag {
  HD_FILE_COMPLETE = 1u << 0,        /* the runtime, or the library's destructor, closed the profile */
  HD_FILE_EXIT_KNOWN = 1u << 1,      /* `heddle run` stamped `exit_status` */
  HD_FILE_START_COARSE = 1u << 2,    /* `begin_ns` is the kernel's process start time: steps of 10 ms */
  HD_FILE_FULL = 1u << 3,            /* the store could not grow: the parents got the time of new callpaths */
  HD_FILE_ROUTINES = 1u << 4,        /* instrumented routines can report their entries and exits */
  HD_FILE_CPU_TIME = 1u << 5,        /* HD_CELL_CPU was measured */
  HD_FILE_MERGED = 1u << 6,          /* the sum of several runs: everything is closed; no rings, no timeline */
  HD_FILE_RECOVERED = 1u << 7,       /* the program is gone, as `heddle recover` found; how it ended is not known */
  HD_FILE_STOPPED = 1u << 8,         /* the runtime ended the measurement before the program ended: stop_paused_ticks */
  HD_FILE_GOMP = 1u << 9,            /* libomp was loaded first and stood in for libgomp (`heddle run --gomp`) */
  HD_FILE_KILLED = 1u << 10,         /* with HD_FILE_EXIT_KNOWN: signal `exit_status` - 128 ended the program */
  HD_FILE_SNAPSHOT = 1u << 11,       /* `heddle ctl` copied it at end_ticks; the program ran on */
  HD_FILE_DORMANT = 1u << 12,        /* it began without being measured (HEDDLE_DORMANT): dormant_ticks */
  HD_FILE_HISTORIES_FULL = 1u << 13, /* there was no room for the histories of all regions */
  HD_FILE_TRACE_CONCURRENCY = 1u << 15, /* its trace has only changes of the number of busy threads */
  HD_FILE_TRACE_WHEN = 1u << 16,        /* its trace has stretches: those in which a condition held */
  HD_FILE_TRACE_LULLS = 1u << 17, /* likewise: in which few threads were busy. All threads' blocks are there that lie
                                     in one, and some others */
  HD_FILE_PART = 1u << 14 /* of a part of a run, made from its trace: in no file, but with HD_FILE_SNAPSHOT in memory */
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
  uint16_t team_record_bytes;
  uint16_t module_record_bytes;
  uint16_t state_count; /* HD_STATE_COUNT */
  uint16_t entry_record_bytes;
  uint32_t block_count; /* units of HD_BLOCK_BYTES after the header; grows; release order */
  uint32_t flags;       /* enum hd_file_flag */
  uint32_t pid;
  int32_t rank;            /* MPI's or the launcher's; -1: none */
  int32_t exit_status;     /* as a shell reports it; valid with HD_FILE_EXIT_KNOWN */
  uint32_t max_threads;    /* processors available to the process at start */
  uint32_t callpath_depth; /* 0: unlimited */
  uint32_t cycle_limit;    /* unlimited depth: a path folds when its last so many sites occurred in it before */
  uint32_t unwind_depth;   /* at most so many calling routines were looked for at a region's begin; 0: none */
  uint32_t clock_kind;     /* enum hd_clock_kind */
  struct hd_clock_pair clock_first;
  struct hd_clock_pair clock_last; /* refreshed on cold paths; the later, the better the conversion */
  uint64_t begin_ns;               /* CLOCK_MONOTONIC at the program's start, before the tool was loaded */
  uint64_t begin_epoch_ns;         /* CLOCK_REALTIME at the same instant */
  /* The tool's start (first OpenMP construct) = begin_ticks of the first thread. The reader adds the time before it to
   * that thread as busy, outside any region. */
  uint64_t loaded_ticks;
  uint64_t end_ticks; /* 0: it runs, or was killed; `heddle run` stamps the time of death */
  /* What the tool could not follow, counted; reports say so. */
  uint64_t unknown_events;     /* with enum values newer than this tool */
  uint64_t unmatched_events;   /* an end without its begin */
  uint64_t lost_threads;       /* threads for which no memory was left */
  uint64_t folded_paths;       /* callpaths whose parent got their time for lack of space */
  uint64_t lost_callbacks;     /* bit i: enum hd_callback i is not always sent */
  uint64_t lost_tallies;       /* times that a profile's concurrency could not be kept for lack of space */
  uint64_t lost_overlap_ticks; /* the most that a pair of profiles may lack: smaller overlaps made room for larger */
  uint64_t left_routines;      /* entries without an exit: the program jumped out of them */
  uint64_t unmatched_routines; /* exits without an entry */
  uint64_t unmatched_phases;   /* ends of phases that had not begun, and phases that never ended */
  uint64_t nested_signals;     /* entries and exits in a signal handler that interrupted Heddle on the same thread */
  uint64_t lost_entries;       /* entries whose state or time could not be kept for lack of space */
  uint64_t cut_callers;        /* region begins with more calling routines than unwind_depth */
  uint64_t paused_ticks;       /* the clock stood still for so long; all other times leave it out */
  uint64_t paused_at_ticks;    /* the clock has stood still since then, pauses left out; 0: it runs */
  uint64_t pauses;
  /* Counters (hd_event_record, hd_counts_record). */
  uint32_t event_count;         /* records of HD_BLOCK_EVENTS; 0: nothing is counted */
  uint32_t event_slots;         /* sets of events that take turns; 0: all events are counted all the time */
  uint32_t counts_record_bytes; /* HD_COUNTS_BYTES(event_count, event_slots) */
  uint32_t counters_at;         /* enum hd_counters_at */
  uint64_t reading_ticks;       /* what one reading of all sets of a thread takes; measured at start */
  char host[64];
  char runtime[128];     /* the string that the runtime gave to ompt_start_tool */
  char program[256];     /* base name of the executable */
  uint64_t before_ticks; /* merged files: from the programs' starts to the tool's, summed; else 0 */
  uint32_t costs_record_bytes;
  uint32_t switch_record_bytes;
  uint64_t outside_ticks;      /* an event's call and return, which it cannot measure itself; contained in all costs */
  uint64_t budget_ppm;         /* what events may cost of a thread's time before the finest stop; 0: no limit */
  uint64_t lost_switches;      /* times that events were switched off without a record for it */
  uint64_t memory_limit_bytes; /* of the file and Heddle's own memory; grows with the threads; 0: none */
  uint64_t memory_bytes;       /* of that in use now */
  uint64_t shortened_paths;    /* callpaths of the last two sites (or one) that this limit made stand for longer ones */
  uint64_t registered;         /* what the runtime answered for each enum hd_callback: hd_registered() */
  uint32_t seal;               /* HD_SEALED: there are checksums; 0: not yet */
  uint32_t checksum;           /* of HD_HEADER_BYTES bytes */
  /* Forked children that used OpenMP. Each is measured in a profile of its own; in its parent's it only counts itself.
   * The parent is the nearest ancestor that is measured. */
  uint32_t parent_pid;                /* of a forked child; 0: none */
  uint32_t children;                  /* so many are measured; grows */
  uint32_t unmeasured_children;       /* so many could not be measured; grows */
  uint32_t runtime_module;            /* the OpenMP runtime's module, its id + 1; 0: no runtime came, or not known */
  uint32_t child_pids[HD_CHILD_PIDS]; /* the first of those measured */
  /* How long the tool's own start took on the program's first thread, which counts as busy meanwhile; contained in the
   * intrusion. Merged files: the sum. */
  uint64_t start_ticks;
  uint64_t stop_paused_ticks; /* HD_FILE_STOPPED: paused_ticks before the stop; the program ran on for the rest */
  uint32_t online_processors; /* of the machine, of which the process may use max_threads; 0: not known */
  uint32_t ranks;             /* of the job that `rank` is one of; 0: not known */
  /* Samples (hd_sample_record). */
  uint64_t sample_period_ns;  /* of a thread's processor time; 0: no samples were taken */
  uint64_t lost_samples;      /* for which a thread's ring had no room: it sent no event for too long */
  uint64_t unplaced_samples;  /* for which the profile had no room */
  uint64_t unsampled_threads; /* the kernel refused to sample these */
  /* The critical path (hd_path_record, hd_path_step_record). */
  uint32_t path_flags;       /* enum hd_path_flag; 0: it was not followed */
  uint32_t path_open;        /* the profile in which its thread was busy when it was written; HD_NONE: none */
  uint64_t path_until_ticks; /* how far it was followed by then */
  /* HD_FILE_DORMANT: the measurement began at loaded_ticks, in the midst of the run. */
  uint64_t dormant_ticks; /* so long after the tool's start; contained in paused_ticks; 0: it never began */
  uint64_t late_threads;  /* of the threads that lived then, those whose first event came later, and that may have
                             been busy before: their lives begin with it */
  uint64_t late_ticks;    /* what is missing of their lives because of that, summed */
  /* Locks (hd_lock_record, hd_lock_pair_record). */
  uint32_t lock_flags; /* enum hd_lock_flag; 0: they were not followed */
  uint32_t lost_locks; /* waits and holders for which there was no room */
  /* The trace (hd_trace_record). */
  uint64_t trace_limit_bytes; /* it may have so many; 0: there is none */
  uint64_t trace_full_ticks;  /* it is whole until then; 0: to the end. Control fills lines of the cache: all threads
                                 read it now and then */
  struct hd_control control;
};

enum hd_block_type {
  HD_BLOCK_PROFILES = 1,
  HD_BLOCK_ROWS = 2,
  HD_BLOCK_THREADS = 3,
  HD_BLOCK_TOTALS = 4,
  HD_BLOCK_TEAMS = 5,
  HD_BLOCK_MODULES = 6,
  HD_BLOCK_TEXT = 7, /* a sequence of hd_text_record with their bytes; `count` is the bytes used */
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
  HD_BLOCK_JOURNAL = 19, /* one hd_journal_record */
  HD_BLOCK_DELAYS = 20,
  HD_BLOCK_MEMBERSHIPS = 21, /* of the teams that the block's owner leads */
  HD_BLOCK_SAMPLES = 22,     /* of all threads */
  HD_BLOCK_CHUNKS = 23,
  HD_BLOCK_PATHS = 24,
  HD_BLOCK_WATCHED = 25,
  HD_BLOCK_PATH_STEPS = 26,
  HD_BLOCK_TASKS = 27,
  HD_BLOCK_LOCKS = 28,
  HD_BLOCK_LOCK_PAIRS = 29,
  HD_BLOCK_HISTORIES = 30,
  HD_BLOCK_TRACE = 31, /* one hd_trace_record and entries; `count` is the bytes used */
  HD_BLOCK_TRACE_STRETCHES = 32
};
#define HD_BLOCK_TYPE_LAST HD_BLOCK_TRACE_STRETCHES

/** Precedes every block; records start HD_BLOCK_HEADER_BYTES after it. */
struct hd_block_header {
  uint32_t magic;      /* HD_BLOCK_MAGIC */
  uint16_t type;       /* enum hd_block_type */
  uint16_t short_span; /* for the writer alone */
  uint32_t span;       /* units of HD_BLOCK_BYTES that this block covers, at least 1 */
  uint32_t owner;      /* id of the only thread that writes to it; HD_NONE: the process */
  uint32_t count;      /* records in use; grows; release order */
  uint32_t checksum;   /* of the whole block, in a sealed file */
  uint32_t pad[10];
};

/** A callpath: one node of the profile tree, shared by all threads. Record i of all profile blocks has id i. */
struct hd_profile_record {
  uint32_t id;
  uint32_t parent; /* profile id; the program (id 0) is its own parent */
  uint16_t kind;   /* enum hd_kind */
  uint16_t flags;  /* enum hd_profile_flag */
  uint32_t depth;  /* 0 for the program */
  uint32_t module; /* module id; HD_NONE: the address lies in no known module */
  uint32_t target; /* HD_PROFILE_BACK: the profile that takes the time; else its own id */
  /* Relative to the module's load address. A return address (look up offset - 1), but for a routine its first
   * instruction; phases: 0. For GCC's regions and tasks offset - 1 is the first instruction of the function that GCC
   * made of the construct; after a tail call that of the jumping function, if it is not known where the jump led. */
  uint64_t offset;
  uint64_t address; /* the same, absolute in that process */
  uint32_t off;     /* regions and the program: bits of the classes of events that are off there now; for the writer */
  uint32_t unheard; /* regions: bits of classes of which the runtime, in some instances, sent no events */
  uint32_t spared;  /* likewise: bits of classes that are on there while they are off in part (HD_SOME_REGIONS) */
  uint32_t has_spared;   /* 1: `spared` is set. (A word that may change is never 0 again) */
  uint64_t spared_ticks; /* when `spared` changed last; 0: never */
};
enum hd_profile_flag {
  HD_PROFILE_IN_RUNTIME = 1u << 0, /* the address lies inside the OpenMP runtime: the caller is not known */
  HD_PROFILE_FOLDED = 1u << 1,     /* also holds the time of callpaths for which no space was left */
  HD_PROFILE_RECURSIVE = 1u << 2,  /* also holds deeper recursive entries of the same site */
  /* A routine that reports its entries and exits. Without this flag only the stack shows the routine: neither its calls
   * nor its own time were measured. */
  HD_PROFILE_CALLED = 1u << 3,
  HD_PROFILE_BACK = 1u << 4, /* a routine's recursive entries from its parent: visits only, `target` has the time */
  /* Its path is the end of several longer ones, for which there was no memory. Below the program it stands for whatever
   * ends in its site; below another such profile, for whatever ends in the two. A profile of the same site without this
   * flag is a separate one. */
  HD_PROFILE_SHORTENED = 1u << 5,
  /* The construct lies in the site's function or in one that it called, which jumped into the runtime: the line is not
   * known. */
  HD_PROFILE_TAIL_CALL = 1u << 6,
  /* Iterations of a doacross loop waited there for others (`ordered depend(sink)`). The runtime does not report when
   * such a wait began: it is in the busy time. */
  HD_PROFILE_SINKS = 1u << 7,
  HD_PROFILE_DEPENDS = 1u << 8, /* tasks that were created there had dependences */
  HD_PROFILE_NAMED = 1u << 9    /* the name of its function of MPI is told; for the writer */
};

/** What unresolved time counts as meanwhile. */
enum hd_unresolved_as {
  HD_UNRESOLVED_BUSY,
  HD_UNRESOLVED_WAIT,   /* for its region's end */
  HD_UNRESOLVED_REGIONS /* busy, or idle, outside all regions: HD_CELL_UNRESOLVED_REGIONS */
};

enum hd_thread_kind { HD_THREAD_INITIAL = 1, HD_THREAD_WORKER = 2, HD_THREAD_OTHER = 3 };

/** One thread, or several of one kind that lived one after the other: a program may start any number of short ones. At
 *  any time its rows' ticks add up to last_ticks - begin_ticks - apart_ticks; the rest is still open. */
struct hd_thread_record {
  uint32_t id;
  uint32_t kind;        /* enum hd_thread_kind */
  uint64_t begin_ticks; /* of the first */
  uint64_t end_ticks;   /* of the last; 0: still alive */
  uint64_t last_ticks;  /* time of the last event */
  uint64_t busy_ticks;  /* total of the busy cells of its rows */
  uint64_t open_cell;   /* file offset of the hd_row_cell that gets the time since last_ticks */
  uint64_t uncounted;   /* bit e: event e is not counted on this thread, or no longer */
  uint64_t counting;    /* file offset of missing[class] in the hd_counts_record that gets the counts; 0: none does */
  uint64_t readings;    /* of its counters, so far */
  int64_t intrusion;    /* by which the thread is late: of its own events; hd_delay_record has what its teams add */
  int64_t intrusion_charged; /* part of it that is in rows: what it was at last_ticks */
  int64_t intrusion_base;    /* what it was when its team was last together */
  uint64_t apart_ticks;      /* from one thread's end to the next one's begin, summed: no thread lived then */
  uint64_t threads;          /* how many; merged files: the most of any run */
  /* What the kernel noted (schedstat) of `told` of these threads: of each that has ended, and at the profile's end of
   * the others. It contains Heddle's own work and what ran before the tool was loaded. */
  uint64_t ran_ns;
  uint64_t queued_ns;   /* they could have run, but had no processor */
  uint64_t preemptions; /* so often one was taken from them */
  uint64_t told;        /* merged files: 0 if it is unknown for any thread of any run, else `threads` */
  uint32_t tid;         /* the living thread's, to read that; 0: nothing is left to read */
  uint32_t reserved;
  struct hd_membership_record member; /* of the team that it has joined as a worker */
  /* While its open interval lasts the thread's time is unresolved since then (HD_CELL_UNRESOLVED) if it is busy, or
   * `unresolved_as` says that it waits for its region's end, or that regions were refused; 0: it is not. */
  uint64_t unresolved_ticks;
  uint64_t unresolved_as; /* enum hd_unresolved_as; it fills lines of the cache, which its thread shares with nobody */
};

/** An event that is counted, in the order in which the user asked for them. */
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
  uint64_t
      missing[HD_COUNT_CLASSES]; /* bit e: the count of event e is short: a reading failed, or a pause lay between */
};
#define HD_COUNTS_BYTES(events, slots)                                                                                 \
  ((uint32_t)(sizeof(struct hd_counts_record) + ((events) + (slots)) * HD_COUNT_CLASSES * sizeof(uint64_t)))

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
  HD_MODULE_UNLOADED = 1u << 0 /* by dlclose: another module may since lie at its addresses */
};

enum hd_text_kind {
  HD_TEXT_ARGUMENT = 1,    /* of the command line, in order */
  HD_TEXT_ENVIRONMENT = 2, /* NAME=value of the variables that steer OpenMP */
  HD_TEXT_NOTE = 3,        /* what could not be measured, in words */
  HD_TEXT_NAME = 4,        /* id: profile; "function\0file\0line\0": the command writes it, not the library */
  HD_TEXT_PHASE = 5,       /* id: profile; the name of a phase */
  HD_TEXT_GROUP = 6,       /* a group of events whose formulas reports show: the file's name, a line end, its content */
  HD_TEXT_OUTPUT = 7,      /* the name that the profile is to have; absolute, unless the directory was gone */
  HD_TEXT_RUN = 8,         /* the private directory of the `heddle run` that will collect it */
  HD_TEXT_MPI = 9          /* id: profile; the name of the function of MPI that is called there */
};

/** Followed by `bytes` bytes (text needs no terminator), padded to a multiple of 8. */
struct hd_text_record {
  uint16_t kind;
  uint16_t reserved;
  uint32_t id;
  uint32_t bytes;
  uint32_t pad;
};

/** The records whose sizes the header states. X(name, bytes) */
#define HD_SIZED_RECORDS(X)                                                                                            \
  X(profile, 64)                                                                                                       \
  X(row, 64)                                                                                                           \
  X(thread, 192)                                                                                                       \
  X(total, 80)                                                                                                         \
  X(team, 368)                                                                                                         \
  X(module, 1024)                                                                                                      \
  X(entry, 80)                                                                                                         \
  X(costs, 8 + 32 * HD_EVENT_KINDS)                                                                                    \
  X(switch, 48)

/** What else the header says of the layout: the same in all files of this format. X(field, value) */
#define HD_LAYOUT(X)                                                                                                   \
  X(version, HD_FORMAT_VERSION)                                                                                        \
  X(byte_order, HD_BYTE_ORDER)                                                                                         \
  X(header_bytes, HD_HEADER_BYTES)                                                                                     \
  X(block_bytes, HD_BLOCK_BYTES)                                                                                       \
  X(state_count, HD_STATE_COUNT)

static inline void hd_layout_set(struct hd_file_header *header) {
#define HD_SET(field, value) header->field = value;
#define HD_SET_BYTES(name, bytes) header->name##_record_bytes = bytes;
  HD_LAYOUT(HD_SET)
  HD_SIZED_RECORDS(HD_SET_BYTES)
#undef HD_SET
#undef HD_SET_BYTES
  memcpy(header->magic, HD_MAGIC, sizeof header->magic);
}

static inline bool hd_layout_is_known(const struct hd_file_header *header) {
#define HD_IS(field, value) header->field == value &&
#define HD_HAS_BYTES(name, bytes) header->name##_record_bytes == (bytes) &&
  return HD_LAYOUT(HD_IS) HD_SIZED_RECORDS(HD_HAS_BYTES) true;
#undef HD_IS
#undef HD_HAS_BYTES
}

#define HD_ASSERT_BYTES(name, bytes) _Static_assert(sizeof(struct hd_##name##_record) == (bytes), #name " record size");
HD_SIZED_RECORDS(HD_ASSERT_BYTES)
HD_ASSERT_BYTES(event, 256)
HD_ASSERT_BYTES(counts, 32)
HD_ASSERT_BYTES(text, 16)
HD_ASSERT_BYTES(sample, 32)
HD_ASSERT_BYTES(path, 56)
HD_ASSERT_BYTES(lock, 72)
HD_ASSERT_BYTES(lock_pair, 24)
#undef HD_ASSERT_BYTES
_Static_assert(sizeof(struct hd_file_header) <= HD_HEADER_BYTES, "the header fits its page");
_Static_assert(offsetof(struct hd_file_header, control) % 64 == 0, "the control block begins a line");
_Static_assert(sizeof(struct hd_block_header) == HD_BLOCK_HEADER_BYTES, "block header size");
_Static_assert(sizeof(struct hd_ring_record) <= 2 * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES, "a ring fits two units");
_Static_assert(sizeof(struct hd_stack_record) <= 4 * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES, "a stack fits four units");
_Static_assert(HD_COUNTS_BYTES(HD_EVENTS_MOST, HD_EVENTS_MOST) <= HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES,
               "a counts record fits a block");

#endif
