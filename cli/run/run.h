/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file run.h
 * The parts of `heddle run`, in the order in which cmd_run.c uses them:
 *
 *     run_options.c       the options that `heddle scale` has, too
 *     run_counters.c      finds the groups of events and tries out the events, before anything else happens
 *     run_environment.c   finds libheddle.so and libomp, makes the private directory, sets the program's environment
 *     run_process.c       starts the program, forwards signals, waits
 *     run_watch.c         notices, while it waits, which processes write profiles and when they die
 *     run_collect.c       afterwards: finds finished profiles, saves those of processes that were killed (salvage.h)
 *     run_summary.c       names the profiles and shows the most important one
 *     run_program.c       what kind of file the program is and which OpenMP runtime it links
 *     run_hooks.c         whether it, or a library that it links, calls Heddle by itself
 *     run_diagnose.c      says why there is no profile
 *
 * The private directory (salvage.h) is where libheddle.so keeps a process's live file, PROGRAM.PID.live. A process that
 * finishes moves its file and leaves a symbolic link, named after its pid, to the profile.
 */
#ifndef HEDDLE_CLI_RUN_RUN_H
#define HEDDLE_CLI_RUN_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "support/command/options.h"

/** Exit statuses besides the program's own; those of env(1), timeout(1) and the shell. */
enum hd_run_exit { HD_RUN_FAILED = 125, HD_RUN_CANNOT_EXECUTE = 126, HD_RUN_NOT_FOUND = 127, HD_RUN_SIGNAL = 128 };

/** Is libheddle.so loaded with the program, or only when an OpenMP runtime asks for it? */
enum hd_run_routines {
  HD_RUN_ROUTINES_AUTO, /* with the program when its file, or a library that it links, calls Heddle */
  HD_RUN_ROUTINES_YES,
  HD_RUN_ROUTINES_NO
};

/** What the command line asks for. The strings belong to argv. */
struct hd_run_options {
  const char *output;  /* NULL: $HEDDLE_OUTPUT, else "%n.%p.heddle" */
  const char *library; /* NULL: found */
  const char *libomp;  /* NULL: found */
  /* Passed on as environment variables; NULL: these stay as they are. */
  const char *depth;       /* HEDDLE_CALLPATH_DEPTH */
  const char *cycle_limit; /* HEDDLE_CYCLE_LIMIT */
  const char *unwind;      /* HEDDLE_UNWIND */
  const char *overhead;    /* HEDDLE_OVERHEAD */
  const char *memory;      /* HEDDLE_MEMORY */
  bool cpu_time;           /* HEDDLE_CPU_TIME=1 */
  const char *counters_at; /* HEDDLE_COUNTERS_AT */
  bool take_turns;         /* HEDDLE_MULTIPLEX=1 */
  char *events;            /* to count, divided by commas; owned; NULL: HEDDLE_COUNTERS */
  char *groups;            /* of events: names and files, divided by commas; owned */
  enum hd_run_routines routines;
  bool gomp;
  bool quiet;
  char **command; /* NULL-terminated */
};

/** Files in the private directory that stand around libheddle.so in OMP_TOOL_LIBRARIES. They are no libraries; that a
 *  runtime has tried them tells how far it came. */
enum hd_run_probe {
  HD_RUN_PROBE_STARTED, /* before it: a runtime was initialised and looks for tools */
  HD_RUN_PROBE_REFUSED, /* behind it: the runtime did not take libheddle.so */
  HD_RUN_PROBE_COUNT
};
extern const char *const hd_run_probe_names[HD_RUN_PROBE_COUNT];

/** What is counted: variables for the program. */
struct hd_run_counters {
  bool chosen;  /* on the command line; false: the environment is left as it is */
  char *events; /* HEDDLE_COUNTERS: each once; owned */
  char *groups; /* HEDDLE_GROUP_TEXT; owned; NULL: none */
};

struct hd_run_environment {
  char output[PATH_MAX];    /* absolute name template */
  char library[PATH_MAX];   /* libheddle.so */
  char libomp[PATH_MAX];    /* "": not preloaded */
  bool preload;             /* libheddle.so, too */
  bool untold_libgomp;      /* the program runs on libgomp, which tells nothing */
  char directory[PATH_MAX]; /* private; "" when there is none */
  int lock;                 /* on it */
  char probes[HD_RUN_PROBE_COUNT][PATH_MAX];
  struct hd_run_counters counters;
};

/* ---- run_options.c ---- */

/** What of a program's run is measured, and with which libraries: options of all commands that run programs. */
enum { HD_RUN_SHARED_COUNT = 15 };
extern const struct hd_option hd_run_shared_options[HD_RUN_SHARED_COUNT];

/** Takes one of them. False: it makes no sense, as `usage`'s user has been told. */
bool hd_run_take_shared(const struct hd_usage *usage, struct hd_run_options *taken, int id, const char *argument);

/** Whether all that was taken goes together; likewise. */
bool hd_run_check_shared(const struct hd_usage *usage, const struct hd_run_options *taken);

/** Frees what the options own. */
void hd_run_options_free(struct hd_run_options *options);

/* ---- run_counters.c ---- */

/** Appends names to a list that commas divide, which may be NULL. False: no memory. */
bool hd_run_list_add(char **list, const char *names);

/** Does such a list have a name between all commas? */
bool hd_run_list_is_valid(const char *list);

/** One of region, loop and all? */
bool hd_run_counters_at_is_valid(const char *at);

/** Is anything to be counted, by the command line or by the environment? */
bool hd_run_wants_counters(const struct hd_run_options *options);

/** Reads the groups and tries out, in a process of its own, whether the events can be counted here. False: a line on
 *  stderr names the event or the group's file, and why. */
bool hd_run_counters_prepare(const struct hd_run_options *options, struct hd_run_counters *counters);

/** Sets the variables in this process's own environment. False: no memory. */
bool hd_run_counters_apply(const struct hd_run_options *options, const struct hd_run_counters *counters);

void hd_run_counters_free(struct hd_run_counters *counters);

/* ---- run_environment.c ---- */

/** Are all %x in the name template ones that heddle knows? */
bool hd_run_output_is_valid(const char *output);

/** Makes an absolute name template, in PATH_MAX bytes, of `name`: of a directory the default name in it; NULL or "":
 *  of $HEDDLE_OUTPUT, else the default name. False: the reason is on stderr. */
bool hd_run_output_template(const char *name, char *path);

/** Finds libheddle.so: `library` has PATH_MAX bytes. False: the reason is on stderr. */
bool hd_run_library_choose(const struct hd_run_options *options, char *library);

/** Finds and makes everything the program needs. False: the reason is on stderr and nothing is left behind. */
bool hd_run_environment_prepare(const struct hd_run_options *options, struct hd_run_environment *environment);

/** Sets the variables in this process's own environment: for the forked child, just before exec. False: no memory. */
bool hd_run_environment_apply(const struct hd_run_options *options, const struct hd_run_environment *environment);

/** Removes the private directory and what heddle and the library made in it; while there are live files, all stays. */
void hd_run_environment_remove(struct hd_run_environment *environment);

/* ---- run_watch.c ---- */

struct hd_run_watch;

/** Starts watching the private directory; NULL when the system has no more watches to give: the run goes on without,
 *  hd_run_watch_* accept NULL, and the time of death of processes other than the program itself stays unknown. */
struct hd_run_watch *hd_run_watch_start(const struct hd_run_environment *environment);

/** Readable when there is something to handle; -1 without a watch. */
int hd_run_watch_descriptor(const struct hd_run_watch *watch);

/** Takes what has happened since; stamps the live files of processes that died. Does not block. */
void hd_run_watch_handle(struct hd_run_watch *watch);

/** Gives processes that are just ending up to `limit_ms` to do so. */
void hd_run_watch_settle(struct hd_run_watch *watch, int limit_ms);

/** Did a runtime try to load the probe? False when nobody watched. */
bool hd_run_watch_saw_probe(const struct hd_run_watch *watch, enum hd_run_probe probe);

void hd_run_watch_stop(struct hd_run_watch *watch);

/* ---- run_process.c ---- */

struct hd_run_outcome {
  pid_t pid;
  int exit_status; /* as a shell reports it */
  int signal;      /* that ended the program; 0: none */
  bool started;    /* false: exec failed; the reason is on stderr, exit_status says which */
};

/** Signals that were blocked for the run; given back by hd_run_signals_restore. */
struct hd_run_signals {
  sigset_t mask;
  struct sigaction child_action;
};

/**
 * Runs the command to its end. Signals that others send to heddle meanwhile go on to the program; those that the
 * terminal sends reach it anyway. They stay blocked until hd_run_signals_restore, so that a profile is not lost on
 * the way. The program gets descriptors, directory, signal mask and dispositions as heddle got them.
 * False: heddle itself failed, the reason is on stderr.
 */
bool hd_run_process(const struct hd_run_options *options, const struct hd_run_environment *environment,
                    struct hd_run_watch *watch, struct hd_run_signals *signals, struct hd_run_outcome *outcome);

void hd_run_signals_restore(const struct hd_run_signals *signals);

/* ---- run_collect.c ---- */

/** One process's profile, saved. */
struct hd_run_profile {
  char path[PATH_MAX];
  pid_t pid;
  pid_t parent;    /* that forked it and is measured as well; 0: none */
  uint64_t run_ns; /* from the process's start to the end of its profile */
  int64_t bytes;
};

struct hd_run_profiles {
  struct hd_run_profile *items; /* owned; free() */
  size_t count;
  size_t running; /* processes that still write theirs */
  size_t unsaved; /* live files that could be moved nowhere: they stay in the private directory */
};

/** Writes the present time as the end into a process's live files in a directory that have none yet, and that it does
 *  not have in its memory (any more). Not into one whose clock heddle cannot read. */
void hd_run_stamp_process(const char *path, pid_t pid);

/** Finds the profiles of the run, saves live files whose process is gone, stamps the program's exit status. */
void hd_run_collect(const struct hd_run_environment *environment, const struct hd_run_outcome *outcome,
                    struct hd_run_profiles *profiles);

/* ---- run_summary.c ---- */

/** Caches symbol names in the profiles and, unless `options->quiet`, prints at most 25 lines about them on stderr. */
void hd_run_summarize(const struct hd_run_profiles *profiles, const struct hd_run_options *options,
                      const struct hd_run_environment *environment);

/* ---- run_program.c ---- */

enum hd_run_program_kind {
  HD_RUN_PROGRAM_UNKNOWN, /* not found, unreadable or in no known format */
  HD_RUN_PROGRAM_SCRIPT,
  HD_RUN_PROGRAM_STATIC,
  HD_RUN_PROGRAM_DYNAMIC
};

struct hd_run_program {
  enum hd_run_program_kind kind;
  char path[PATH_MAX];        /* where PATH led */
  char interpreter[PATH_MAX]; /* of a script; of a dynamic program its loader */
  bool other_identity;        /* set-user-id or set-group-id, and that changes who it runs as */
  bool links_libomp;          /* or another runtime of its family */
  bool links_libgomp;
  char libomp[PATH_MAX];     /* which, where its loader finds it; "": it did not say */
  char other_tool[PATH_MAX]; /* the file among it and its libraries that defines ompt_start_tool; "": none */
  char missing[256];         /* the first library that its loader does not find; "": none */
  char undefined[256];       /* the first function of OpenMP that no library has; "": none, as far as known */
  bool calls_heddle;         /* it, or a library that it links, has instrumented routines or markers */
};

/** Where execvp would find `command`, in PATH_MAX bytes. False: nowhere. */
bool hd_run_program_find(const char *command, char *path);

/** Looks at the file that `command` names, as execvp would find it. Never runs it: its own loader is asked. */
void hd_run_program_inspect(const char *command, struct hd_run_program *program);

/* ---- run_hooks.c ---- */

/** Does an ELF file import GCC's and clang's hooks of -finstrument-functions, or hold a note of heddle.h? */
bool hd_run_file_calls_heddle(const char *path);

/** Does it define these hooks itself? */
bool hd_run_file_has_own_hooks(const char *path);

/** Does it define ompt_start_tool, without being a runtime? */
bool hd_run_file_has_tool(const char *path);

/* ---- run_diagnose.c ---- */

/** Says on stderr why execvp failed with `error`, and the cure. */
void hd_run_explain_start(const char *command, int error);

/** Loads a library in a child, as a runtime would. False: `why` has the loader's words. */
bool hd_run_library_loads(const char *library, char *why, size_t why_bytes);

/** After a program that aborted on the libomp of --gomp: says that its own runtime may still run it. */
void hd_run_explain_gomp(const struct hd_run_options *options, const struct hd_run_outcome *outcome);

/** Says on stderr why there is no profile, and the cure. */
void hd_run_diagnose(const struct hd_run_options *options, const struct hd_run_environment *environment,
                     const struct hd_run_watch *watch, const struct hd_run_outcome *outcome);

#endif
