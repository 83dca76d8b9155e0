/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file source.h
 * Who counts events: the kernel (kernel.c: software events, through perf_event_open(2); usage.c: some of them, without
 * permission) and PAPI (papi.c: everything else that libpapi knows; it is opened at the first use). A name of the
 * kernel's (hd_software_of_name) belongs to the first two alone, whatever PAPI lists: PAPI counts user mode alone,
 * where a migration never happens, and does not say what the kernel refuses.
 *
 * The library uses sources inside the program: there they print nothing, install no handler and take memory only from
 * support/inprocess/heap.h (but for PAPI itself). The command lists and checks events with them before the program
 * starts.
 */
#ifndef HEDDLE_COUNTERS_SOURCE_H
#define HEDDLE_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_source;

/** An event that a source knows. */
struct hd_counter_event {
  const struct hd_source *source;
  char name[128];       /* as asked for */
  char unit[16];        /* empty: just a number */
  char description[80]; /* cut to one line */
  uint64_t code;        /* the source's own: PAPI's event code, perf's attr.config */
  uint32_t component;   /* events of different components never share a set */
};

enum hd_counter_status {
  HD_COUNTER_FOUND,
  HD_COUNTER_UNKNOWN,    /* the source has no such event; `why` may say why it may lack it */
  HD_COUNTER_UNAVAILABLE /* it has the event, but cannot count it here: `why` says why */
};

enum hd_source_state {
  HD_SOURCE_UNUSABLE, /* nothing can be counted with it */
  HD_SOURCE_LACKING,  /* not what it is there for */
  HD_SOURCE_WHOLE
};

/** A set of events that are counted together on one thread. Only its source knows what it holds. */
struct hd_event_set;

/** Called for each event; false ends the walk. Where `available` is false, `why` says why. */
typedef bool (*hd_event_visit)(void *context, const struct hd_counter_event *event, bool available, const char *why);

/**
 * All functions but read() may fail with a reason in `why` (one line without a newline, and no name of the event in
 * it). None keeps errno. Calls for different sets may come from different threads at once; a set's calls come from the
 * thread that it counts.
 */
struct hd_source {
  const char *name; /* "kernel", "usage", "papi" */

  /** How many events it can count at once, summed over all threads; NULL: no limit. */
  uint64_t (*room)(void);

  /** Other threads may call read(), too, while the counted thread makes no calls. */
  bool reads_others;

  /** One line for people about the source on this machine, which says what it lacks. */
  enum hd_source_state (*describe)(char *text, size_t bytes);

  /** Looks an event up by name, in upper or lower case; fills `event` (but for `source` and `name`). Whether an event
   *  that is found can be counted, hd_source_try() finds out. */
  enum hd_counter_status (*find)(const char *name, struct hd_counter_event *event, char *why, size_t why_bytes);

  /** Walks through all events that it knows, and tries each. */
  void (*each)(hd_event_visit visit, void *context);

  /** A set for the calling thread; it does not count yet. NULL: these events cannot be counted together, or not on this
   *  thread. */
  struct hd_event_set *(*create)(const struct hd_counter_event *const *events, uint32_t count, char *why,
                                 size_t why_bytes);

  /** Begins to count, from wherever the counts stand: stop() and start() do not change them. */
  bool (*start)(struct hd_event_set *set, char *why, size_t why_bytes);

  /** The counts so far, in the order of create(). The hot path. False: they could not be read. */
  bool (*read)(struct hd_event_set *set, uint64_t *counts);

  /** Counts no more, until start(). */
  void (*stop)(struct hd_event_set *set);

  /** Stops it, if need be, and frees it. */
  void (*destroy)(struct hd_event_set *set);
};

extern const struct hd_source hd_source_kernel;
extern const struct hd_source hd_source_usage;
extern const struct hd_source hd_source_papi;

/** The first of them that can count an event does. Ends with NULL. */
extern const struct hd_source *const hd_sources[];

/**
 * Whether the events can be counted together here and now: a set of them is created on the calling thread, started,
 * read and destroyed. Lists and plans both rely on this alone, so what is listed as available can be run. False: `why`
 * says why not.
 */
bool hd_source_try(const struct hd_source *source, const struct hd_counter_event *const *events, uint32_t count,
                   char *why, size_t why_bytes);

/** The source's find(), but what is found is also tried; fills in `source`, too. */
enum hd_counter_status hd_source_ask(const struct hd_source *source, const char *name, struct hd_counter_event *event,
                                     char *why, size_t why_bytes);

#endif
