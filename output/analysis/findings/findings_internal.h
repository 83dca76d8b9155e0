/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_internal.h
 * Between the files of the findings only.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_FINDINGS_INTERNAL_H
#define HEDDLE_OUTPUT_ANALYSIS_FINDINGS_INTERNAL_H

#include "output/analysis/findings/findings.h"
#include "output/model/duration.h"

/** Lost thread time with its cause and place. `gain_ticks`: wall time of the run. */
struct hd_charge {
  enum hd_cause cause;
  uint32_t node;
  uint32_t region; /* 0: the whole run's */
  double lost_ticks;
  double gain_ticks;
  double own_ticks; /* Heddle's part of the gain */
};

/** Constructs of a region, nested regions left out. Node 0: there is none. */
struct hd_region_facts {
  double team;            /* threads, on average */
  uint32_t lock;          /* the critical, lock, ordered or atomic for which threads wait longest */
  uint32_t for_one;       /* the single or masked without a barrier that takes longest */
  uint32_t loop;          /* likewise the loop */
  uint32_t sections;      /* likewise the sections */
  uint32_t task;          /* the task or taskloop that is entered most often, of those whose place is known */
  uint32_t dependent;     /* the task with dependences in which, with what is below, most is done */
  uint64_t task_count;    /* tasks that ran */
  uint64_t task_ticks;    /* busy in them */
  uint64_t alone_count;   /* of the tasks, those that a single or masked construct created */
  double producing_ticks; /* busy in constructs that create tasks, but not in the tasks; creating them */
  double creation_ticks;
  double waits_for_tasks;
  double reduction_ticks;
  uint64_t uneven_ticks; /* what the threads lacked to the one with most work, instance by instance */
  bool has_taskloop;
  bool unseen_tasks; /* tasks were switched off, because their events cost more than the budget */
};

struct hd_diagnosis {
  const struct hd_model *model;
  struct hd_loss_book *book;
  uint32_t processors; /* that the process may use; 0: not known */
  uint32_t usable;     /* threads that could run at once: those of the run, as far as there are processors */
  bool crowded;        /* more threads than processors */
  bool shared;         /* no more, but others took processors: who comes late may have had none */
  uint32_t *region;    /* by node: the region it is in, or is itself; 0: none */
  uint32_t *outermost; /* by node: the region it is in, or is itself, that is in no other */
  uint32_t *group;     /* by node: what its threads wait for each other at the end of: the region, or a construct in it
                          that it is in, or is itself; 0: none */
  uint32_t *next;      /* by node: the next one of its region, which is the first itself; 0: there is no more */
  uint64_t *by_thread; /* all zero but while it is used */
  struct hd_region_facts *facts; /* by node */
  uint64_t *uneven; /* by group: what the threads lacked to the one with most work, summed by thread over all
                       instances */
  struct hd_charge *charges;
  size_t charge_count, charge_limit;
};

/** findings_facts.c: makes and fills region to groups; frees them. */
void hd_diagnosis_find_facts(struct hd_diagnosis *diagnosis);
void hd_diagnosis_free_facts(struct hd_diagnosis *diagnosis);

/** What the threads lacked to the one with most work in all instances of a region: what would be uneven if they did not
 *  wait for each other inside. */
uint64_t hd_diagnosis_uneven_together(const struct hd_diagnosis *diagnosis, uint32_t region);

/** Adds a charge; nothing for 0 ticks or fewer. */
void hd_charge_add(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double lost_ticks);

/** Adds a gain of the run as a whole. */
void hd_charge_run(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t node, double lost_ticks,
                   double gain_ticks);

/** findings_charges.c: charges what is lost in regions. */
void hd_charges_divide(struct hd_diagnosis *diagnosis);

/** What creating a task may take, as part of its own time. */
#define HD_TASK_COST_MOST 0.05

/** What it takes libomp at least: of taskloops it is not observed, as they create their tasks in one call. */
#define HD_TASK_COST_LEAST_NS 100

/** Cuts gains to what could be gained while an outermost region ran, and in the whole run: nested regions' losses may
 * be those of the regions around them, too. */
void hd_charges_limit(struct hd_diagnosis *diagnosis);

/** findings_tasks.c: charges what is lost to tasks of a region, whose other charges begin with the one numbered
 * `first`.
 */
void hd_charges_divide_tasks(struct hd_diagnosis *diagnosis, uint32_t region, size_t first);

/** findings_loops.c: uneven work in loops that no schedule helps is charged to their iterations instead. What is
 *  far below what is worth mentioning is not looked at. */
void hd_charges_ask_schedules(struct hd_diagnosis *diagnosis);

/** findings_run.c: causes of the run as a whole. Each adds what it finds. */
void hd_charges_find_serial(struct hd_diagnosis *diagnosis);
void hd_charges_find_processors(struct hd_diagnosis *diagnosis);
void hd_charges_find_measurement(struct hd_diagnosis *diagnosis);

/** findings_mpi.c */
void hd_charges_find_mpi(struct hd_diagnosis *diagnosis);

/** Whether there is too much of something, each of which costs its own thread something, too, and has events: regions,
 *  tasks, critical sections and locks. */
bool hd_cause_has_own_cost(enum hd_cause cause);

/** The value of a variable in the run's environment; NULL: not set. */
const char *hd_diagnosis_variable(const struct hd_diagnosis *diagnosis, const char *name);

/** Whether threads that wait soon sleep, as the environment asks of them. */
bool hd_diagnosis_sleeps(const struct hd_diagnosis *diagnosis);

/** Time of a region, or of the program, that would be saved if as many threads as can run were busy while it ran. */
double hd_diagnosis_spare(const struct hd_diagnosis *diagnosis, const struct hd_node *node);

/** findings_say*.c: evidence and what to try, by cause. */
typedef void hd_finding_words(const struct hd_diagnosis *diagnosis, struct hd_finding *finding);
hd_finding_words hd_say_serial, hd_say_serial_in_region, hd_say_imbalance, hd_say_too_few_iterations, hd_say_scheduling,
    hd_say_fork_join, hd_say_wake_up, hd_say_barrier, hd_say_reduction, hd_say_mutex, hd_say_task_granularity,
    hd_say_task_creation, hd_say_task_dependences, hd_say_mpi_wait, hd_say_oversubscription, hd_say_pinned,
    hd_say_measurement;

/** What samples show of the time outside regions: the one or two functions that take most of it. False: too few
 * samples, or their names are not known (output/symbols/sample_names.h). */
bool hd_say_functions(const struct hd_diagnosis *diagnosis, double outside_ticks, char sentence[HD_FINDING_BYTES]);

/** A time in a sentence; what a finding's region, or the run, took, and would take without what is lost. */
struct hd_cell hd_say_time(const struct hd_diagnosis *diagnosis, double ticks);
struct hd_cell hd_say_before(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding);
struct hd_cell hd_say_after(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding);

#endif
