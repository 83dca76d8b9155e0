/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Evidence for what is found in loops and regions, and what to try. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/locks.h"
#include "output/model/node_text.h"
#include "output/model/place.h"

void hd_say(char sentence[HD_FINDING_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, HD_FINDING_BYTES, format, arguments);
  va_end(arguments);
}

struct hd_cell hd_say_time(const struct hd_diagnosis *diagnosis, double ticks) {
  return hd_duration_brief(ticks * diagnosis->model->seconds_per_tick);
}

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

/* What the region, or the run, took, and would take: "0.29 s instead of 0.50 s". */
static double elapsed_around(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  const struct hd_team_totals *region = &finding->sums.region;
  return region->instances > 0 ? hd_team_elapsed(region) : (double)diagnosis->model->elapsed_ticks;
}

struct hd_cell hd_say_before(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  return hd_say_time(diagnosis, elapsed_around(diagnosis, finding));
}

struct hd_cell hd_say_after(const struct hd_diagnosis *diagnosis, const struct hd_finding *finding) {
  return hd_say_time(diagnosis, fmax(elapsed_around(diagnosis, finding) - finding->gain_ticks, 0));
}

static double count_or_one(uint64_t count) {
  return count > 0 ? (double)count : 1;
}

void hd_say_serial(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_model *model = diagnosis->model;
  if (hd_kind_is_region(finding->place->kind)) {
    hd_say(finding->evidence[0], "its team has %.3g thread%s, but %u could run",
           diagnosis->facts[finding->place->id].team, diagnosis->facts[finding->place->id].team > 1 ? "s" : "",
           diagnosis->usable);
    hd_say(finding->attempt[0], "a larger team: num_threads or the if clause, or nested parallelism, limits it");
    return;
  }
  hd_say(finding->evidence[0], "no parallel region is open for %s (%.0f %% of the run), of which %s before the first",
         hd_say_time(diagnosis, finding->lost_ticks).text, percent(finding->lost_ticks, (double)model->elapsed_ticks),
         hd_say_time(diagnosis, (double)model->before_ticks).text);
  hd_say(finding->attempt[0], "open a parallel region there: divided among %u threads it takes %s", diagnosis->usable,
         hd_say_time(diagnosis, finding->lost_ticks - finding->gain_ticks).text);
  if (finding->place->kind != HD_KIND_PHASE && !(finding->place->flags & HD_PROFILE_CALLED) &&
      !hd_say_functions(diagnosis, finding->lost_ticks, finding->evidence[1]))
    hd_say(finding->attempt[1],
           "compile with -finstrument-functions, and the finding names the function that takes it");
}

void hd_say_serial_in_region(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *place = finding->place;
  if (place->kind == HD_KIND_SECTIONS) {
    hd_say(finding->evidence[0], "its threads wait %s in all for the thread with the longest section",
           hd_say_time(diagnosis, finding->lost_ticks).text);
    hd_say(finding->attempt[0], "more sections of even length, or tasks; nowait if nothing depends on its end");
    return;
  }
  hd_say(finding->evidence[0], "one thread works in it for %s, and the others wait for that for %s in all",
         hd_say_time(diagnosis, finding->sums.busy_ticks).text, hd_say_time(diagnosis, finding->lost_ticks).text);
  hd_say(finding->attempt[0], "divide its work among the threads, or let them go on: nowait, or its work as tasks");
}

/* ---- regions and barriers ---- */

static double team_of(const struct hd_team_totals *team) {
  return fmax(hd_team_threads(team), 1);
}

void hd_say_fork_join(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_team_totals *team = &finding->sums.team;
  const double instances = count_or_one(team->instances);
  hd_say(finding->evidence[0], "it is opened %" PRIu64 " time%s, for %s each, of which a thread works %s",
         team->instances, hd_plural(team->instances), hd_say_time(diagnosis, hd_team_elapsed(team) / instances).text,
         hd_say_time(diagnosis, (double)team->busy_ticks / team_of(team) / instances).text);
  hd_say(finding->attempt[0], "one region around all of them, an if clause for small sizes, or fewer threads");
}

void hd_say_wake_up(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_team_totals *team = &finding->sums.team;
  if (team->instances == 0) { /* the barrier of a copyprivate */
    hd_say(finding->evidence[0], "threads sleep while they wait: waking up takes %s each time",
           hd_say_time(diagnosis, finding->lost_ticks / count_or_one(finding->sums.visits)).text);
  } else {
    hd_say(finding->evidence[0], "threads sleep while they wait: waking up takes %s each time, for %s of work",
           hd_say_time(diagnosis, finding->lost_ticks / team_of(team) / count_or_one(team->instances)).text,
           hd_say_time(diagnosis, (double)team->busy_ticks / team_of(team) / count_or_one(team->instances)).text);
  }
  hd_say(finding->attempt[0],
         "OMP_WAIT_POLICY=active or a longer KMP_BLOCKTIME, if threads have processors of their own");
}

void hd_say_barrier(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const bool closing = finding->sums.team.instances > 0;
  hd_say(finding->evidence[0], "threads wait %s in all at %s, though none has more to do in the long run",
         hd_say_time(diagnosis, finding->lost_ticks).text, closing ? "its end" : "it");
  hd_say(finding->attempt[0],
         closing ? "nowait, if what follows does not need all of its results: %s instead of %s"
                 : "remove it, or synchronise only those who depend on each other: %s instead of %s",
         hd_say_after(diagnosis, finding).text, hd_say_before(diagnosis, finding).text);
}

void hd_say_reduction(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  hd_say(finding->evidence[0], "combining the threads' copies takes %s of thread time in %" PRIu64 " instances",
         hd_say_time(diagnosis, finding->lost_ticks).text, finding->sums.region.instances);
  hd_say(finding->attempt[0], "less data to combine, fewer threads, or partial sums that are added in parallel");
}

/* ---- mutual exclusion ---- */

/* `by_turns`: threads wait for hand-overs more than for holders. */
static const char *mutex_cure(enum hd_cause cause, bool by_turns) {
  switch (cause) {
  case HD_CAUSE_CRITICAL:
    return by_turns ? "a reduction or per-thread copies; fewer and longer sections; other names for unrelated ones"
                    : "a reduction or per-thread copies; a shorter section; other names for unrelated ones";
  case HD_CAUSE_LOCK:
    return by_turns ? "one lock for each part of the data, or taking it less often, for more at once"
                    : "one lock for each part of the data, or holding it for a shorter time";
  case HD_CAUSE_ATOMIC:
    return "a reduction, or per-thread sums that are added at the end";
  default:
    return "less work in the ordered part, or collecting results and handling them after the loop";
  }
}

static bool is_there(const struct hd_model *model, uint32_t node, const struct hd_node *place) {
  return hd_place_is_same(&model->nodes[node], place);
}

/* What waits at the place were for holders at the other; NULL: at any. */
static uint64_t held_by(const struct hd_model *model, const struct hd_node *place, const struct hd_node *holders) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < model->lock_pair_count; i++) {
    const struct hd_model_lock_pair *pair = &model->lock_pairs[i];
    if (is_there(model, pair->node, place) && (!holders || is_there(model, pair->holder, holders)))
      ticks += pair->ticks;
  }
  return ticks;
}

/* One of the place whose holds it waited for longest; NULL: it waited for none. */
static const struct hd_node *longest_holder(const struct hd_model *model, const struct hd_node *place) {
  const struct hd_model_lock_pair *longest = NULL;
  for (uint32_t i = 0; i < model->lock_pair_count; i++) {
    const struct hd_model_lock_pair *pair = &model->lock_pairs[i];
    if (is_there(model, pair->node, place) && (!longest || longest->ticks < pair->ticks))
      longest = pair;
  }
  return longest ? &model->nodes[longest->holder] : NULL;
}

static struct hd_model_lock locks_at(const struct hd_model *model, const struct hd_node *place) {
  struct hd_model_lock sum = {0};
  for (uint32_t i = 0; i < model->lock_count; i++)
    if (is_there(model, model->locks[i].node, place)) {
      sum.handover_ticks += model->locks[i].handover_ticks;
      sum.holds += model->locks[i].holds;
      sum.elsewhere += model->locks[i].elsewhere;
    }
  return sum;
}

/* Fewer are not mentioned. */
#define HELD_FOR_OTHERS 0.01

/* How its waits divide among holders and hand-overs, if that was followed. Returns whether most of them are hand-overs.
 */
static bool say_holders(const struct hd_diagnosis *diagnosis, struct hd_finding *finding, uint32_t evidence) {
  const struct hd_model *model = diagnosis->model;
  const struct hd_node *place = finding->place;
  const struct hd_node *longest = hd_locks_missing(model) ? NULL : longest_holder(model, place);
  char name[HD_PLACE_BYTES], released[48] = "";
  uint64_t waited = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    waited += is_there(model, i, place) ? hd_locks_waited(&model->nodes[i]) : 0;
  if (!longest || waited == 0)
    return false;
  const double handover = (double)locks_at(model, place).handover_ticks;
  const struct hd_model_lock holders = locks_at(model, longest);
  const double elsewhere = (double)holders.elsewhere / (double)(holders.holds > 0 ? holders.holds : 1);
  if (elsewhere >= HELD_FOR_OTHERS)
    snprintf(released, sizeof released, "; %.0f %% of releases are by other threads", 100 * elsewhere);
  hd_node_text(name, model, longest, NULL);
  hd_say(finding->evidence[evidence], "waits: %s for holders (%s: %s), %s for hand-overs%s",
         hd_say_time(diagnosis, (double)held_by(model, place, NULL)).text,
         hd_say_time(diagnosis, (double)held_by(model, place, longest)).text,
         hd_place_is_same(longest, place) ? "here" : name, hd_say_time(diagnosis, handover).text, released);
  return 2 * handover > (double)waited;
}

void hd_say_mutex(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  const double entries = count_or_one(sums->visits);
  const struct hd_cell waited = hd_say_time(diagnosis, finding->lost_ticks);
  if (sums->busy_ticks > 0)
    hd_say(finding->evidence[0], "threads wait %s in all for it; it is entered %" PRIu64 " times, for %s each",
           waited.text, sums->visits, hd_say_time(diagnosis, sums->busy_ticks / entries).text);
  else
    hd_say(finding->evidence[0], "threads wait %s in all for it, %s each of %" PRIu64 " times", waited.text,
           hd_say_time(diagnosis, finding->lost_ticks / entries).text, sums->visits);
  const bool by_turns = say_holders(diagnosis, finding, 1);
  hd_say(finding->attempt[0], "%s", mutex_cure(finding->cause, by_turns));
}

/* ---- tasks ---- */

void hd_say_task_granularity(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  const struct hd_region_facts *facts = &diagnosis->facts[diagnosis->region[finding->place->id]];
  const double least = facts->has_taskloop ? HD_TASK_COST_LEAST_NS / 1e9 / diagnosis->model->seconds_per_tick : 0;
  const double count = count_or_one(sums->task_count), cost = fmax(sums->creation_ticks / count, least);
  if (facts->unseen_tasks) {
    hd_say(finding->evidence[0],
           "observing all of its many tasks costs more than the budget: %" PRIu64 " were observed", sums->task_count);
    hd_say(finding->attempt[0], "a cut-off: fewer and larger tasks (if, final, or a larger grainsize)");
    return;
  }
  hd_say(finding->evidence[0], "%" PRIu64 " tasks of %s each; creating one takes %s%s", sums->task_count,
         hd_say_time(diagnosis, sums->task_ticks / count).text, cost > least || least <= 0 ? "" : "at least ",
         hd_say_time(diagnosis, cost).text);
  hd_say(finding->attempt[0], "a cut-off: no task for less than %s of work (if, final, or a larger grainsize)",
         hd_say_time(diagnosis, cost / HD_TASK_COST_MOST).text);
}

void hd_say_task_creation(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  hd_say(finding->evidence[0], "one thread takes %s to create %" PRIu64 " tasks of %s each; the others wait for them",
         hd_say_time(diagnosis, sums->producing_ticks + sums->creation_ticks).text, sums->task_count,
         hd_say_time(diagnosis, sums->task_ticks / count_or_one(sums->task_count)).text);
  hd_say(finding->attempt[0], "taskloop, several threads that create tasks, or more of the work inside the tasks");
}

void hd_say_task_dependences(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_place_sums *sums = &finding->sums;
  hd_say(finding->evidence[0], "threads wait %s in all for one of %" PRIu64 " tasks to become ready, of %s each",
         hd_say_time(diagnosis, finding->lost_ticks).text, sums->task_count,
         hd_say_time(diagnosis, sums->task_ticks / count_or_one(sums->task_count)).text);
  hd_say(finding->attempt[0], "fewer dependences (in instead of inout, finer data), or independent tasks in between");
  hd_say(finding->attempt[1], "'heddle run --critical-path' shows how long the longest chain of tasks is");
}

/* ---- the run ---- */

void hd_say_oversubscription(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_loss_book *book = diagnosis->book;
  if (diagnosis->crowded && finding->place->id != 0) {
    hd_say(finding->evidence[0], "%u threads on %u processor%s: those that wait keep others from working",
           book->alive_threads, diagnosis->processors, hd_plural(diagnosis->processors));
    hd_say(finding->attempt[0], "%u thread%s in all: OMP_NUM_THREADS, num_threads, OMP_MAX_ACTIVE_LEVELS=1",
           diagnosis->processors, hd_plural(diagnosis->processors));
    return;
  }
  hd_say(finding->evidence[0], "threads were ready to run, but had no processor, for %s in all: others had it",
         hd_say_time(diagnosis, finding->lost_ticks).text);
  hd_say(finding->attempt[0], "an idle machine, or fewer %sthreads: other processes take the processors",
         diagnosis->model->header.ranks > 1 ? "ranks or " : "");
}

void hd_say_pinned(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_loss_book *book = diagnosis->book;
  if (diagnosis->crowded) {
    hd_say(finding->evidence[0], "its %u threads may use %u of the machine's %u processors", book->alive_threads,
           diagnosis->processors, diagnosis->model->header.online_processors);
    hd_say(finding->attempt[0], "a wider affinity mask (taskset, numactl, cpuset, the batch system), or %u thread%s",
           diagnosis->processors, hd_plural(diagnosis->processors));
    return;
  }
  hd_say(finding->evidence[0], "threads had to share a processor for %s in all, though there are %u for %u threads",
         hd_say_time(diagnosis, finding->lost_ticks).text, diagnosis->processors, book->alive_threads);
  hd_say(finding->attempt[0], "unset OMP_PLACES, OMP_PROC_BIND and KMP_AFFINITY, or give each thread a place");
}

/* Of events that are never switched off: a budget does not reduce them. Waits at the ends of regions cost what others
 * do, and there is one for each implicit task (ompt/thread/budget_window.c). */
static double ticks_never_off(const struct hd_model *model) {
#define IS_FIXED(name, id, class) HD_CLASS_##class == HD_CLASS_FIXED || HD_CLASS_##class == HD_CLASS_REGION,
  static const bool is_fixed[HD_EVENT_KINDS] = {HD_EVENT_TABLE(IS_FIXED)};
  const double tasks = (double)model->cost_of[HD_EVENT_IMPLICIT_BEGIN].count;
  double sum = 0;
  for (uint32_t kind = 0; kind < HD_EVENT_KINDS; kind++) {
    const struct hd_cost *cost = &model->cost_of[kind];
    const bool waits = kind == HD_EVENT_WAIT_BEGIN || kind == HD_EVENT_WAIT_END;
    const double part = waits && cost->count > 0 ? fmin(tasks / (double)cost->count, 1) : is_fixed[kind];
    sum += part * (double)cost->ticks;
  }
  return sum;
}

void hd_say_measurement(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const double never_off = percent(ticks_never_off(diagnosis->model), finding->lost_ticks);
  hd_say(finding->evidence[0], "Heddle's own work takes %s of thread time; see heddle report --overhead",
         hd_say_time(diagnosis, finding->lost_ticks).text);
  if (never_off > 50) {
    hd_say(finding->evidence[1],
           "%.0f %% of it is for the begins and ends of regions; a smaller budget hardly reduces that",
           fmin(never_off, 100));
    hd_say(finding->attempt[0], "fewer and larger regions; heddle report --overhead shows the times without Heddle");
  } else {
    hd_say(finding->attempt[0], "heddle run --overhead 1: fewer events are observed");
  }
}
