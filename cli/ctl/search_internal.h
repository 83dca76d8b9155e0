/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file search_internal.h
 * What a search knows: its hypotheses, the tests of each, and where it holds.
 */
#ifndef HEDDLE_CLI_CTL_SEARCH_INTERNAL_H
#define HEDDLE_CLI_CTL_SEARCH_INTERNAL_H

#include "cli/ctl/ctl_internal.h"
#include "cli/ctl/search.h"
#include "output/analysis/findings/findings.h"
#include "output/model/node_text.h"

enum { HD_SEARCH_PLACES = 64 };

#define HD_CAUSE_BIT(cause) (UINT32_C(1) << HD_CAUSE_##cause)
#define HD_CLASS_BIT(event_class) (UINT32_C(1) << HD_CLASS_##event_class)

/** Unseen tasks make a wait busy, so whether work is uneven needs tasks, too. */
#define HD_SEARCH_CLASSES_OF_WORK (HD_CLASS_BIT(WORK) | HD_CLASS_BIT(SYNC) | HD_CLASS_BIT(TASK))

/** X(NAME, id, words, causes of findings that speak for it, classes of events that it needs besides regions, and what
 *  tells its causes apart, if it holds). Those with the same classes are tested together, and stand together. */
#define HD_HYPOTHESES(X)                                                                                               \
  X(SERIAL, "serial", "too little is parallel", HD_CAUSE_BIT(SERIAL), 0, 0)                                            \
  X(SMALL, "regions", "regions are too small, or threads come late", HD_CAUSE_BIT(FORK_JOIN) | HD_CAUSE_BIT(WAKE_UP),  \
    0, 0)                                                                                                              \
  X(PROCESSORS, "processors", "threads lack processors", HD_CAUSE_BIT(OVERSUBSCRIPTION) | HD_CAUSE_BIT(PINNED), 0, 0)  \
  X(UNEVEN, "uneven", "work is uneven",                                                                                \
    HD_CAUSE_BIT(IMBALANCE) | HD_CAUSE_BIT(TOO_FEW_ITERATIONS) | HD_CAUSE_BIT(SERIAL_IN_REGION),                       \
    HD_SEARCH_CLASSES_OF_WORK, HD_CLASS_BIT(ENTRY))                                                                    \
  X(BARRIERS, "barriers", "threads wait at barriers", HD_CAUSE_BIT(BARRIER) | HD_CAUSE_BIT(REDUCTION),                 \
    HD_SEARCH_CLASSES_OF_WORK, 0)                                                                                      \
  X(LOCKS, "locks", "threads wait for locks",                                                                          \
    HD_CAUSE_BIT(CRITICAL) | HD_CAUSE_BIT(LOCK) | HD_CAUSE_BIT(ATOMIC) | HD_CAUSE_BIT(ORDERED), HD_CLASS_BIT(MUTEX),   \
    0)                                                                                                                 \
  X(HANDOUT, "handout", "handing out chunks takes long", HD_CAUSE_BIT(SCHEDULING),                                     \
    HD_CLASS_BIT(ENTRY) | HD_CLASS_BIT(WORK), 0)                                                                       \
  X(TASKS, "tasks", "tasks are too small, or too few at a time",                                                       \
    HD_CAUSE_BIT(TASK_GRANULARITY) | HD_CAUSE_BIT(TASK_CREATION) | HD_CAUSE_BIT(TASK_DEPENDENCES),                     \
    HD_SEARCH_CLASSES_OF_WORK | HD_CLASS_BIT(ENTRY), 0)

enum {
#define HD_NUMBER(name, ...) HD_SEARCH_##name,
  HD_HYPOTHESES(HD_NUMBER)
#undef HD_NUMBER
      HD_SEARCH_COUNT
};

struct hd_hypothesis {
  const char *id;
  const char *words;
  uint32_t causes;
  uint32_t classes;
  uint32_t refined_by;
};
extern const struct hd_hypothesis hd_hypotheses[HD_SEARCH_COUNT];

/** Time to gain, by cause and callpath. */
struct hd_search_place {
  enum hd_cause cause;
  uint32_t node;
  double gain_s;
  char text[HD_PLACE_BYTES];
};

/** What tests of the same classes have seen, added up. */
struct hd_search_sums {
  uint32_t classes; /* besides regions */
  uint32_t tests;
  double elapsed_s; /* of them */
  double events;    /* that were measured meanwhile */
  double from_s;    /* the first began so long after the program's start */
  uint32_t place_count;
  struct hd_search_place places[HD_SEARCH_PLACES];
};

struct hd_search_state {
  struct hd_ctl ctl;
  const struct hd_search_options *options;
  struct hd_search_sums sums[HD_SEARCH_COUNT]; /* by test */
  struct hd_search_sums together;              /* with the classes of all that hold */
  double rounds;
};

/** Of those that are tested together the first: the number of their test. */
int hd_search_test_of(int hypothesis);

/** What was tested for a hypothesis. */
const struct hd_search_sums *hd_search_sums_of(const struct hd_search_state *search, int hypothesis);

/** The share of the time that its cure would save. NAN: it was not tested. */
double hd_search_share(const struct hd_search_state *search, int hypothesis);
bool hd_search_holds(const struct hd_search_state *search, int hypothesis);

/** What holds, where: of causes as bits, the largest gain first. */
uint32_t hd_search_foremost(const struct hd_search_sums *sums, uint32_t causes, const struct hd_search_place **places);

/* ---- search_print.c ---- */

void hd_search_print(const struct hd_search_state *search, FILE *out);
bool hd_search_json(const struct hd_search_state *search, FILE *out);

#endif
