/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/findings/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/account.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/model/place.h"
#include "support/command/memory.h"

/* A cause is one row. `find` charges what is lost to the run as a whole; what is lost in regions is charged by
 * hd_charges_divide(). `say`: evidence and what to try. */
static const struct {
  const char *id, *words;
  void (*find)(struct hd_diagnosis *diagnosis);
  hd_finding_words *say;
  bool modelled;
} causes[HD_CAUSE_COUNT] = {
    [HD_CAUSE_SERIAL] = {"serial", "serial time", hd_charges_find_serial, hd_say_serial, false},
    [HD_CAUSE_SERIAL_IN_REGION] = {"serial-in-region", "serial part of a region", NULL, hd_say_serial_in_region, false},
    [HD_CAUSE_IMBALANCE] = {"imbalance", "uneven work", NULL, hd_say_imbalance, false},
    [HD_CAUSE_TOO_FEW_ITERATIONS] = {"too-few-iterations", "too few iterations", NULL, hd_say_too_few_iterations,
                                     false},
    [HD_CAUSE_SCHEDULING] = {"scheduling", "handing out chunks", NULL, hd_say_scheduling, false},
    [HD_CAUSE_FORK_JOIN] = {"fork-join", "regions too small", NULL, hd_say_fork_join, false},
    [HD_CAUSE_WAKE_UP] = {"wake-up", "workers come late", NULL, hd_say_wake_up, false},
    [HD_CAUSE_BARRIER] = {"barrier", "barriers", NULL, hd_say_barrier, false},
    [HD_CAUSE_REDUCTION] = {"reduction", "combining a reduction", NULL, hd_say_reduction, false},
    [HD_CAUSE_CRITICAL] = {"critical", "waits for a critical section", NULL, hd_say_mutex, false},
    [HD_CAUSE_LOCK] = {"lock", "waits for a lock", NULL, hd_say_mutex, false},
    [HD_CAUSE_ATOMIC] = {"atomic", "waits for an atomic update", NULL, hd_say_mutex, false},
    [HD_CAUSE_ORDERED] = {"ordered", "waits for an ordered part", NULL, hd_say_mutex, false},
    [HD_CAUSE_TASK_GRANULARITY] = {"task-granularity", "tasks too small", NULL, hd_say_task_granularity, false},
    [HD_CAUSE_TASK_CREATION] = {"task-creation", "one thread creates the tasks", NULL, hd_say_task_creation, false},
    [HD_CAUSE_TASK_DEPENDENCES] = {"task-dependences", "tasks depend on each other", NULL, hd_say_task_dependences,
                                   false},
    [HD_CAUSE_MPI_WAIT] = {"mpi-wait", "waits in MPI", hd_charges_find_mpi, hd_say_mpi_wait, false},
    [HD_CAUSE_MPI_IMBALANCE] = {"mpi-imbalance", "ranks have unequally much to do", NULL, NULL, false},
    [HD_CAUSE_OVERSUBSCRIPTION] = {"oversubscription", "too few processors", hd_charges_find_processors,
                                   hd_say_oversubscription, true},
    [HD_CAUSE_PINNED] = {"pinned", "threads bound to too few processors", NULL, hd_say_pinned, true},
    [HD_CAUSE_WORK_INFLATION] = {"work-inflation", "the same work takes longer", NULL, NULL, false},
    [HD_CAUSE_MEASUREMENT] = {"measurement", "Heddle's own work", hd_charges_find_measurement, hd_say_measurement,
                              true},
};

const char *hd_cause_id(enum hd_cause cause) {
  return causes[cause].id;
}

const char *hd_cause_words(enum hd_cause cause) {
  return causes[cause].words;
}

bool hd_cause_is_of_one_run(enum hd_cause cause) {
  return causes[cause].say != NULL;
}

bool hd_cause_has_own_cost(enum hd_cause cause) {
  return cause == HD_CAUSE_FORK_JOIN || cause == HD_CAUSE_TASK_GRANULARITY || causes[cause].say == hd_say_mutex;
}

const char *hd_basis_id(enum hd_basis basis) {
  static const char *const ids[] = {"measured", "estimated", "model"};
  return ids[basis];
}

/* ---- from charges to findings ---- */

static int compare_places(const void *a, const void *b, void *of) {
  const struct hd_diagnosis *diagnosis = of;
  const struct hd_charge *left = a, *right = b;
  const struct hd_node *nodes = diagnosis->model->nodes;
  if (left->cause != right->cause)
    return left->cause < right->cause ? -1 : 1;
  if (left->node == right->node)
    return 0;
  if (nodes[left->node].kind != nodes[right->node].kind)
    return nodes[left->node].kind < nodes[right->node].kind ? -1 : 1;
  return hd_place_compare(&nodes[left->node], &nodes[right->node]);
}

static bool is_same(const struct hd_diagnosis *diagnosis, const struct hd_charge *a, const struct hd_charge *b) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  return a->cause == b->cause && (a->node == b->node || hd_place_is_same(&nodes[a->node], &nodes[b->node]));
}

static bool lacks_events(const struct hd_diagnosis *diagnosis, uint32_t node) {
  const struct hd_node *nodes = diagnosis->model->nodes;
  const uint32_t *own = nodes[node].marks, *around = nodes[diagnosis->region[node]].marks;
  return (own[HD_MARKS_OF_CALLPATHS] | around[HD_MARKS_OF_CALLPATHS]) & HD_MARKS_OF_GAIN;
}

static struct hd_finding finding_of(const struct hd_diagnosis *diagnosis, const struct hd_charge *charge) {
  return (struct hd_finding){.cause = charge->cause,
                             .place = &diagnosis->model->nodes[charge->node],
                             .basis = causes[charge->cause].modelled ? HD_BASIS_MODEL : HD_BASIS_MEASURED};
}

static void add_team(struct hd_team_totals *to, const struct hd_team_totals *from) {
  to->instances += from->instances;
  to->elapsed_ticks += from->elapsed_ticks;
  to->capacity_ticks += from->capacity_ticks;
  to->busy_ticks += from->busy_ticks;
  to->busy_max_ticks += from->busy_max_ticks;
  to->idle_ticks += from->idle_ticks;
  to->mean_ticks += from->mean_ticks;
}

static void add_place(struct hd_place_sums *sums, const struct hd_node *node) {
  sums->visits += node->visits;
  sums->busy_ticks += (double)node->inclusive_ticks[HD_BUSY];
  sums->mpi_ticks += (double)hd_ticks_in_mpi(node->ticks);
  sums->mpi_bytes += (double)node->shares.mpi_bytes;
  sums->fork_ticks += (double)node->ticks[HD_RUNTIME_FORK_JOIN];
  add_team(&sums->team, &node->team);
}

/* What a region may gain less or more than the estimate, whatever windows saw: all of that may be due to the place. */
static void add_doubt(struct hd_place_sums *sums, const struct hd_node *region) {
  const bool is_resolved = region->id != 0 && region->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_ESTIMATED;
  if (is_resolved && region->team.gain_ticks > 0) {
    sums->less_ticks += fmax(region->team.gain_ticks - region->gain_possible.low, 0);
    sums->more_ticks += fmax(region->gain_possible.high - region->team.gain_ticks, 0);
  } else {
    sums->lacks_windows = true;
  }
}

static void add_region(const struct hd_diagnosis *diagnosis, struct hd_place_sums *sums, uint32_t region) {
  const struct hd_region_facts *facts = &diagnosis->facts[region];
  add_team(&sums->region, &diagnosis->model->nodes[region].team);
  sums->task_count += facts->task_count;
  sums->task_ticks += (double)facts->task_ticks;
  sums->creation_ticks += facts->creation_ticks;
  sums->producing_ticks += facts->producing_ticks;
}

/* `before`: the finding's charge before this one, or NULL. */
static void add_charge(const struct hd_diagnosis *diagnosis, struct hd_finding *finding, const struct hd_charge *charge,
                       const struct hd_charge *before) {
  const uint32_t region = diagnosis->region[charge->node];
  finding->gain_ticks += charge->gain_ticks;
  finding->lost_ticks += charge->lost_ticks;
  finding->own_ticks += charge->own_ticks;
  if (!before || before->node != charge->node) {
    add_place(&finding->sums, &diagnosis->model->nodes[charge->node]);
    finding->callpaths++;
  }
  const bool is_new = !before || diagnosis->region[before->node] != region;
  const bool in_doubt = charge->region != 0 && lacks_events(diagnosis, charge->node);
  if (is_new)
    add_region(diagnosis, &finding->sums, region);
  if (is_new && in_doubt)
    add_doubt(&finding->sums, &diagnosis->model->nodes[region]);
  if (in_doubt && finding->basis == HD_BASIS_MEASURED)
    finding->basis = HD_BASIS_ESTIMATED;
}

/* Of several callpaths the one that loses most stands for the place. */
static void merge(struct hd_findings *findings, struct hd_diagnosis *diagnosis) {
  double most = 0;
  if (diagnosis->charge_count == 0)
    return;
  qsort_r(diagnosis->charges, diagnosis->charge_count, sizeof *diagnosis->charges, compare_places, diagnosis);
  findings->items = hd_new(diagnosis->charge_count, sizeof *findings->items);
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    const struct hd_charge *charge = &diagnosis->charges[i];
    const struct hd_charge *before = i > 0 && is_same(diagnosis, charge, charge - 1) ? charge - 1 : NULL;
    if (!before) {
      findings->items[findings->count++] = finding_of(diagnosis, charge);
      most = 0;
    }
    struct hd_finding *finding = &findings->items[findings->count - 1];
    add_charge(diagnosis, finding, charge, before);
    if (charge->gain_ticks > most) {
      most = charge->gain_ticks;
      finding->place = &diagnosis->model->nodes[charge->node];
    }
  }
}

static int compare_gains(const void *a, const void *b) {
  const struct hd_finding *left = a, *right = b;
  if (left->gain_ticks != right->gain_ticks)
    return left->gain_ticks > right->gain_ticks ? -1 : 1;
  return left->cause != right->cause ? (int)left->cause - (int)right->cause
                                     : (left->place->id > right->place->id) - (left->place->id < right->place->id);
}

/* ---- how sure ---- */

/* What others may have taken of a gain: a thread that has no processor makes its team wait. */
static double others_part(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  const struct hd_account account = hd_account_after_start(diagnosis->model);
  const double queued_ticks = (double)account.queued_ns / 1e9 / diagnosis->model->seconds_per_tick;
  return diagnosis->shared && finding->cause != HD_CAUSE_SERIAL ? queued_ticks / diagnosis->usable : 0;
}

static void bound_estimate(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  const double most = (double)diagnosis->model->elapsed_ticks;
  finding->low_ticks = fmax(finding->low_ticks - sums->less_ticks, 0);
  const double high = sums->lacks_windows ? hd_diagnosis_spare(diagnosis, diagnosis->model->nodes)
                                          : fmin(finding->gain_ticks + sums->more_ticks, most);
  finding->high_ticks = fmax(finding->high_ticks, high);
}

/* Where there is too much of something, its cure also saves what each costs its own thread: to enter and leave a
 * region, a task or a critical section, with cold caches, and for Heddle's events. It counts as work. Taken to be at
 * most two microseconds, or thrice the fork for each thread of a region, and all in all no more than the region's work.
 */
#define EACH_MOST_NS 2000
#define FORKS_MOST 3

static double own_cost_most(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  const double each_ticks = EACH_MOST_NS / 1e9 / diagnosis->model->seconds_per_tick;
  const double threads = hd_team_threads(&sums->team);
  double most = 0;
  if (finding->cause == HD_CAUSE_FORK_JOIN)
    most = fmax((double)sums->team.instances * each_ticks, FORKS_MOST * sums->fork_ticks) * threads;
  else if (finding->cause == HD_CAUSE_TASK_GRANULARITY)
    most = (double)sums->task_count * each_ticks;
  else if (hd_cause_has_own_cost(finding->cause))
    most = (double)sums->visits * each_ticks;
  return fmin(most, (double)sums->region.busy_ticks);
}

static double most_with_own_cost(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  const double own = own_cost_most(diagnosis, finding) / diagnosis->usable;
  return fmin(finding->gain_ticks + own, hd_team_elapsed(&finding->sums.region));
}

/* Heddle's own part of the place's time is no loss of the program's, nor is what others took; what events that were
 * switched off hide may come on top; what a model says may be wrong. */
static void bound(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *place = finding->place;
  const double elapsed = (double)diagnosis->model->elapsed_ticks;
  finding->gain_ticks = fmin(finding->gain_ticks, elapsed);
  const double own = hd_overhead_of(place->inclusive_ticks, &place->intrusion_inclusive, &place->team);
  const double low = (finding->gain_ticks - finding->own_ticks) * (1 - own) - others_part(diagnosis, finding);
  finding->low_ticks = finding->basis == HD_BASIS_MODEL ? 0 : fmax(low, 0);
  finding->high_ticks = fmax(finding->gain_ticks, fmin(most_with_own_cost(diagnosis, finding), elapsed));
  if (finding->basis == HD_BASIS_ESTIMATED)
    bound_estimate(diagnosis, finding);
}

static void say_what_others_took(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const bool much = diagnosis->shared && 2 * finding->low_ticks < finding->gain_ticks;
  if (!much || finding->basis != HD_BASIS_MEASURED || finding->evidence[1][0])
    return;
  if (finding->low_ticks > 0)
    hd_say(finding->evidence[1], "threads lacked a processor at times: without that it may be no more than %s",
           hd_say_time(diagnosis, finding->low_ticks).text);
  else
    hd_say(finding->evidence[1], "threads lacked a processor at times, which may be the whole reason");
}

static void say_own_cost(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const bool much = hd_cause_has_own_cost(finding->cause) && finding->high_ticks > 1.25 * finding->gain_ticks;
  if (much && finding->basis == HD_BASIS_MEASURED && !finding->evidence[1][0])
    hd_say(finding->evidence[1], "what each costs its own thread counts as work: with that it may be up to %s",
           hd_say_time(diagnosis, finding->high_ticks).text);
}

static void say_what_is_missing(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  char *to = finding->evidence[finding->evidence[0][0] ? 1 : 0];
  if (finding->basis != HD_BASIS_ESTIMATED)
    return;
  if (diagnosis->model->estimated) {
    const double elapsed = (double)diagnosis->model->elapsed_ticks;
    hd_say(to, "Heddle observed short windows only%s: from %.0f to %.0f %% of the run%s",
           diagnosis->shared ? ", and threads lacked a processor" : "", 100 * finding->low_ticks / elapsed,
           100 * finding->high_ticks / elapsed, diagnosis->shared ? "" : " (--overhead off measures it)");
    return;
  }
  for (int class = 0; class < HD_CLASS_COUNT; class ++)
    if (diagnosis->model->off_classes >> class & 1) {
      snprintf(to, HD_FINDING_BYTES,
               "events of class '%s' were switched off at times: it may be more (run with "
               "--overhead off)",
               hd_event_class_id((enum hd_event_class) class));
      return;
    }
  if (diagnosis->model->refused & HD_REFUSED_SINKS)
    snprintf(to, HD_FINDING_BYTES, HD_SINKS_WORDS ": it may be more");
}

/* ---- all ---- */

static double unexplained(const struct hd_diagnosis *diagnosis) {
  double explained = 0;
  if (!diagnosis->model->levels_known)
    return NAN;
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    const struct hd_charge *charge = &diagnosis->charges[i];
    const bool counted = charge->region != 0 || !causes[charge->cause].modelled || diagnosis->shared;
    explained += counted ? charge->gain_ticks : 0;
  }
  return fmax(hd_diagnosis_spare(diagnosis, &diagnosis->model->nodes[0]) - explained, 0);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return b > 0 && b < a ? b : a;
}

static void begin(struct hd_diagnosis *diagnosis, const struct hd_model *model) {
  const bool merged = model->header.flags & HD_FILE_MERGED;
  *diagnosis =
      (struct hd_diagnosis){.model = model, .book = hd_loss_book_new(model), .processors = model->header.max_threads};
  const struct hd_loss_book *book = diagnosis->book;
  const bool alone = book->threads == 1 && book->asked_threads == 0;
  diagnosis->usable = alone ? diagnosis->processors : smaller(book->threads, diagnosis->processors);
  diagnosis->usable = diagnosis->usable > 0 ? diagnosis->usable : 1;
  /* In a sum of runs all threads end together: it does not say which lived at the same time. */
  diagnosis->crowded = diagnosis->processors > 0 && !merged && book->alive_threads > diagnosis->processors;
  const struct hd_account account = hd_account_after_start(model);
  diagnosis->shared = !diagnosis->crowded && hd_account_share(&account) < HD_ACCOUNT_SHARED;
  hd_diagnosis_find_facts(diagnosis);
}

static void finish(struct hd_diagnosis *diagnosis) {
  hd_diagnosis_free_facts(diagnosis);
  hd_loss_book_free(diagnosis->book);
  free(diagnosis->charges);
}

static void keep(struct hd_findings *findings, struct hd_diagnosis *diagnosis, double least_ticks, bool brief) {
  size_t count = 0;
  for (size_t i = 0; i < findings->count; i++) {
    struct hd_finding *finding = &findings->items[i];
    bound(diagnosis, finding);
    if (finding->gain_ticks < least_ticks || finding->gain_ticks <= 0)
      break;
    count++;
    if (brief)
      continue;
    causes[finding->cause].say(diagnosis, finding);
    say_what_is_missing(diagnosis, finding);
    say_what_others_took(diagnosis, finding);
    say_own_cost(diagnosis, finding);
  }
  findings->count = count;
}

static void find_all(struct hd_diagnosis *diagnosis, bool modelled) {
  for (int cause = 0; cause < HD_CAUSE_COUNT; cause++)
    if (causes[cause].find && causes[cause].modelled == modelled)
      causes[cause].find(diagnosis);
}

static bool is_below(const struct hd_model *model, uint32_t node, uint32_t above) {
  while (node > above) /* children have larger numbers */
    node = model->nodes[node].parent;
  return node == above;
}

/* Work that no schedule can spread is uneven, too. */
static bool is_asked(enum hd_cause asked, enum hd_cause cause) {
  return cause == asked || (asked == HD_CAUSE_IMBALANCE && cause == HD_CAUSE_TOO_FEW_ITERATIONS);
}

static void keep_below(struct hd_diagnosis *diagnosis, enum hd_cause cause, uint32_t above) {
  size_t count = 0;
  for (size_t i = 0; i < diagnosis->charge_count; i++) {
    const struct hd_charge charge = diagnosis->charges[i];
    if (is_asked(cause, charge.cause) && is_below(diagnosis->model, charge.node, above))
      diagnosis->charges[count++] = charge;
  }
  diagnosis->charge_count = count;
}

/* `cause` HD_CAUSE_COUNT: all causes, and then of all nodes. */
static struct hd_findings *find(const struct hd_model *model, double least, enum hd_cause cause, uint32_t above,
                                bool brief) {
  struct hd_diagnosis diagnosis;
  struct hd_findings *findings = hd_new(1, sizeof *findings);
  findings->model = model;
  begin(&diagnosis, model);
  findings->threads = diagnosis.book->threads;
  hd_charges_divide(&diagnosis);
  find_all(&diagnosis, false);
  if (!brief)
    hd_charges_ask_schedules(&diagnosis);
  hd_charges_limit(&diagnosis);
  find_all(&diagnosis, true);
  findings->unexplained_ticks = unexplained(&diagnosis);
  if (cause != HD_CAUSE_COUNT)
    keep_below(&diagnosis, cause, above);
  merge(findings, &diagnosis);
  if (findings->count > 0)
    qsort(findings->items, findings->count, sizeof *findings->items, compare_gains);
  keep(findings, &diagnosis, least * (double)model->elapsed_ticks, brief);
  finish(&diagnosis);
  return findings;
}

struct hd_findings *hd_findings_new(const struct hd_model *model, double least) {
  return find(model, least, HD_CAUSE_COUNT, 0, false);
}

struct hd_findings *hd_findings_brief(const struct hd_model *model, double least) {
  return find(model, least, HD_CAUSE_COUNT, 0, true);
}

struct hd_findings *hd_findings_below(const struct hd_model *model, enum hd_cause cause, uint32_t node) {
  return find(model, 0, cause, node, false);
}

void hd_findings_free(struct hd_findings *findings) {
  if (!findings)
    return;
  free(findings->items);
  free(findings);
}
