/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings.h
 * What is wrong with a run, and what to do about it: causes of lost time with their place in the source.
 *
 * A finding's gain is the wall time that its cure would save, on the processors that the process may use. Every tick of
 * lost thread time is charged to one cause and place, so no time counts twice. Findings of one cause and place of the
 * source are one. How lost time is charged: findings_charges.c; causes of the run as a whole: findings_run.c.
 */
#ifndef HEDDLE_OUTPUT_ANALYSIS_FINDINGS_H
#define HEDDLE_OUTPUT_ANALYSIS_FINDINGS_H

#include <stdbool.h>

#include "output/analysis/losses/losses.h"
#include "output/model/model.h"

enum hd_cause {
  HD_CAUSE_SERIAL,           /* outside regions, or in regions with fewer threads than there could be */
  HD_CAUSE_SERIAL_IN_REGION, /* a single, masked or sections during which the team waits */
  HD_CAUSE_IMBALANCE,
  HD_CAUSE_TOO_FEW_ITERATIONS, /* or one that takes too long: uneven work that no schedule can spread */
  HD_CAUSE_SCHEDULING,
  HD_CAUSE_FORK_JOIN,
  HD_CAUSE_WAKE_UP,
  HD_CAUSE_BARRIER, /* explicit ones, and closing ones without which the work would be even */
  HD_CAUSE_REDUCTION,
  HD_CAUSE_CRITICAL,
  HD_CAUSE_LOCK,
  HD_CAUSE_ATOMIC,
  HD_CAUSE_ORDERED,
  HD_CAUSE_TASK_GRANULARITY,
  HD_CAUSE_TASK_CREATION,
  HD_CAUSE_TASK_DEPENDENCES,
  HD_CAUSE_MPI_WAIT,
  HD_CAUSE_MPI_IMBALANCE, /* only jobs have it (output/job) */
  HD_CAUSE_OVERSUBSCRIPTION,
  HD_CAUSE_PINNED,
  HD_CAUSE_WORK_INFLATION, /* only runs that are compared have it (output/comparison) */
  HD_CAUSE_MEASUREMENT,
  HD_CAUSE_COUNT
};

/** What the gain rests on. */
enum hd_basis {
  HD_BASIS_MEASURED,  /* times that were measured, all of them */
  HD_BASIS_ESTIMATED, /* events were switched off for a time: at least so much */
  HD_BASIS_MODEL      /* computed from sums of the whole run */
};

enum { HD_FINDING_BYTES = 160, HD_EVIDENCE_MOST = 2 };

/** All callpaths that end in a finding's place, taken together. */
struct hd_place_sums {
  uint64_t visits;
  double busy_ticks;            /* inclusive */
  double mpi_ticks, mpi_bytes;  /* in calls of MPI; taken or given there */
  double fork_ticks;            /* fork and join, of regions */
  struct hd_team_totals team;   /* of the place itself; instances 0: it has none */
  struct hd_team_totals region; /* of the regions that it is in */
  uint64_t task_count;          /* in these regions */
  double task_ticks;
  double creation_ticks;
  double producing_ticks;
  double less_ticks, more_ticks; /* than their estimated gains there may be, whatever windows saw */
  bool lacks_windows;            /* events of one were switched off, and no window estimates it */
};

struct hd_finding {
  enum hd_cause cause;
  const struct hd_node *place;
  double gain_ticks; /* low <= gain <= high */
  double low_ticks;
  double high_ticks;
  enum hd_basis basis;
  double lost_ticks; /* thread time */
  double own_ticks;  /* Heddle's part of the gain: of events that the cure saves */
  uint32_t callpaths;
  struct hd_place_sums sums;
  char evidence[HD_EVIDENCE_MOST][HD_FINDING_BYTES]; /* sentences without a full stop; "": there is no more */
  char attempt[HD_EVIDENCE_MOST][HD_FINDING_BYTES];  /* what to try */
};

struct hd_findings {
  const struct hd_model *model;
  struct hd_finding *items; /* by gain, the largest first */
  size_t count;
  uint32_t threads;         /* that the run had, or asked for */
  double unexplained_ticks; /* what could be gained and has no cause; causes below the limit count as known. NAN:
                               without levels it is not known what could be gained */
};

/** The part of the run below which a finding is not worth mentioning. */
#define HD_FINDING_LEAST 0.02

/** Findings of at least `least` (0 to 1) of the run. The model must outlive them; names should have been resolved. */
struct hd_findings *hd_findings_new(const struct hd_model *model, double least);

/** The same without evidence and what to try, in a fraction of the time: no schedule is simulated, so work that none
 * can spread is uneven work. */
struct hd_findings *hd_findings_brief(const struct hd_model *model, double least);

/** Findings of one cause, however small, with what only the callpath of node `node` and those below it lose. */
struct hd_findings *hd_findings_below(const struct hd_model *model, enum hd_cause cause, uint32_t node);
void hd_findings_free(struct hd_findings *findings);

/** Writes a sentence of evidence, or of what to try; what does not fit is cut. */
void hd_say(char sentence[HD_FINDING_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

/** "task-creation"; "one thread creates all tasks". */
const char *hd_cause_id(enum hd_cause cause);
const char *hd_cause_words(enum hd_cause cause);

/** What to try where threads wait in a function of MPI, whose calls are of this kind. */
const char *hd_mpi_cure(enum hd_state wait, const char *function);

/** False: only runs that are compared have it, or ranks of a job. */
bool hd_cause_is_of_one_run(enum hd_cause cause);

/** "measured", "estimated" or "model". */
const char *hd_basis_id(enum hd_basis basis);

#endif
