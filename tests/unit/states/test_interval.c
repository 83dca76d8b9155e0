/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile less an earlier one of the same run. Random programs are played to some event, and again further: what lies
 * between is a profile for which all identities hold, and with the earlier one it adds up to the later one.
 * HEDDLE_SEEDS and HEDDLE_SEED as in random_plays.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/findings/findings.h"
#include "output/analysis/resolve/resolve.h"
#include "output/live/interval.h"
#include "output/live/live.h"
#include "output/model/levels.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "output/reader/open.h"
#include "random_program.h"
#include "windowed_script.h"

/* ---- known answers ---- */

/* Two threads from 100 on: until 110 both are busy; then one waits for the other until 130; a second region is
 * balanced. */
static struct hd_model *play_until(size_t events) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_at(100);
  sc_fork(0x100, 2, 1, 100);
  sc_thread(1);
  sc_at(110);
  sc_join_begin();
  sc_thread(0);
  sc_join(130, 130, 130);
  sc_fork(0x200, 2, 1, 130);
  sc_thread(1);
  sc_at(150);
  sc_join_begin();
  sc_thread(0);
  sc_join(150, 150, 150);
  sc_at(160);
  if (events < sc_script()->count) {
    sc_script()->count = events;
    sc_kill();
    return ex_play_killed();
  }
  sc_finish();
  return ex_play_rough(NULL);
}

/* How many events there are until that time. */
static size_t events_until(uint64_t time) {
  size_t count = 0;
  hd_model_free(play_until(SIZE_MAX));
  while (count < sc_script()->count && sc_script()->events[count].time <= time)
    count++;
  return count;
}

static void make(struct hd_model *later, const struct hd_model *earlier) {
  later->header.pid = earlier->header.pid; /* two processes played the one */
  later->header.begin_ns = earlier->header.begin_ns;
  assert_true(hd_interval_make(later, earlier));
}

static void test_interval_has_the_gain_of_its_own_time(void **state) {
  (void)state;
  struct hd_model *earlier = play_until(events_until(110));
  struct hd_model *later = play_until(events_until(149));
  later->header.max_threads = 2;
  make(later, earlier);
  assert_int_equal(later->elapsed_ticks, 20); /* the last events are at 110 and at 130 */
  const struct hd_node *uneven = ex_node(later, SITE(PARALLEL, 0x100));
  assert_int_equal(uneven->visits, 0);
  assert_int_equal(uneven->team.elapsed_ticks, 20);
  assert_int_equal(uneven->team.capacity_ticks, 40);
  assert_int_equal(uneven->team.busy_ticks, 20);
  assert_true(uneven->team.gain_ticks == 10 && later->gain_ticks == 10);
  assert_int_equal(ex_ticks(later, 1, HD_WAIT_BARRIER_IMPLICIT, SITE(PARALLEL, 0x100)), 20);
  assert_int_equal(later->time_at.ticks[1], 20);
  struct hd_findings *findings = hd_findings_new(later, 0.1);
  assert_int_equal(findings->count, 1);
  assert_int_equal(findings->items[0].cause, HD_CAUSE_IMBALANCE);
  hd_findings_free(findings);
  hd_model_free(earlier);
  hd_model_free(later);
}

static void test_balanced_interval_has_no_gain(void **state) {
  (void)state;
  struct hd_model *earlier = play_until(events_until(149));
  struct hd_model *later = play_until(SIZE_MAX);
  make(later, earlier);
  assert_int_equal(later->elapsed_ticks, 30);
  assert_true(later->gain_ticks == 0);
  assert_int_equal(later->time_at.ticks[1], 10); /* after the region */
  assert_int_equal(ex_node(later, SITE(PARALLEL, 0x100))->team.elapsed_ticks, 0);
  assert_int_equal(ex_node(later, SITE(PARALLEL, 0x200))->team.busy_ticks, 40);
  hd_model_free(earlier);
  hd_model_free(later);
}

static void test_only_an_earlier_profile_of_the_run_is_taken(void **state) {
  (void)state;
  struct hd_model *earlier = play_until(events_until(110));
  struct hd_model *later = play_until(events_until(149));
  earlier->header.pid = later->header.pid + 1;
  assert_false(hd_interval_make(later, earlier));
  earlier->header.pid = later->header.pid;
  assert_false(hd_interval_make(earlier, later));
  assert_int_equal(earlier->elapsed_ticks, 110);
  hd_model_free(earlier);
  hd_model_free(later);
}

/* ---- what threads are doing ---- */

static void test_threads_stay_where_their_last_event_left_them(void **state) {
  (void)state;
  struct hd_model *model = play_until(events_until(110));
  const uint32_t region = ex_node(model, SITE(PARALLEL, 0x100))->id;
  assert_true(model->threads[0].stay.known && model->threads[0].stay.state == HD_BUSY);
  assert_int_equal(model->threads[0].stay.node, region);
  assert_int_equal(model->threads[0].stay.since_ticks, 100);
  assert_int_equal(model->threads[1].stay.state, HD_WAIT_BARRIER_IMPLICIT);
  assert_int_equal(model->threads[1].stay.node, region);
  assert_int_equal(model->threads[1].stay.since_ticks, 110);
  hd_model_free(model);
}

/* libomp does not say that a worker has left its region: the end of the team does. */
static void test_worker_idles_since_its_team_ended(void **state) {
  (void)state;
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  sc_fork(0x100, 2, 1, 0);
  sc_thread(1);
  sc_at(10);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 20, 20);
  sc_at(40);
  sc_work_begin(ompt_work_single_executor, 0x300);
  sc_kill();
  struct hd_model *model = ex_play_killed();
  assert_int_equal(model->end_ticks, 40);
  assert_int_equal(model->threads[1].stay.state, HD_IDLE);
  assert_int_equal(model->threads[1].stay.since_ticks, 20);
  hd_model_free(model);
}

/* ---- what was off ---- */

#define MS UINT64_C(1000000)

static void critical_at(uint64_t time) {
  sc_at(time);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 300000);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 700000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
}

static void ask_at(uint64_t ms, enum hd_control_command command) {
  struct fk_event event = sc_event(FK_ASK);
  event.time = ms * MS;
  event.wait_id = hd_control_word((uint32_t)ms, command, HD_CLASS_MUTEX, 0);
  sc_emit(event);
}

/* Critical sections are off from 1000 ms to 3000 ms, and from 5000 ms on: some more, for of what is refused few look.
 */
static struct hd_model *play_switched(uint64_t until_ms) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
  for (uint64_t ms = 0; ms < until_ms; ms++) {
    if (ms == 1000 || ms == 5000)
      ask_at(ms, HD_CONTROL_OFF);
    if (ms == 3000)
      ask_at(ms, HD_CONTROL_ON);
    critical_at(ms * MS + 1000);
  }
  sc_kill();
  return ex_play_killed();
}

/* Whether sections were refused between the two times, and that they were off for so long. */
static bool were_refused(uint64_t from_ms, uint64_t until_ms, uint64_t off_ms) {
  struct hd_model *earlier = play_switched(from_ms), *later = play_switched(until_ms);
  uint64_t off = 0;
  make(later, earlier);
  for (uint32_t i = 0; i < later->switch_count; i++)
    off += later->switches[i].ticks;
  assert_in_range(off / MS, off_ms > 80 ? off_ms - 80 : 0, off_ms + 80);
  assert_int_equal(later->off_classes, later->refused & 1u << HD_CLASS_MUTEX);
  const bool refused = later->off_classes != 0;
  hd_model_free(earlier);
  hd_model_free(later);
  return refused;
}

static void test_what_was_off_before_is_known_now(void **state) {
  (void)state;
  assert_true(were_refused(500, 2000, 1000));
  assert_true(were_refused(2000, 4000, 1000));
  assert_false(were_refused(4000, 4900, 0));
  assert_true(were_refused(4500, 6000, 1000)); /* the second time is not the first one */
  assert_true(were_refused(6000, 7000, 1000));
}

/* ---- random programs ---- */

static struct hd_model *open_last(const struct fk_result *result) {
  char error[300] = "no profile was left";
  struct hd_model *model = NULL;
  if (!hd_profile_open(result->path, &model, error, sizeof error))
    print_error("%s\n", error);
  return model;
}

/* The current script up to an event, where the program is killed. */
static struct hd_model *play_part(size_t events) {
  struct fk_script part = *sc_script();
  part.events = calloc(events + 1, sizeof *part.events);
  memcpy(part.events, sc_script()->events, events * sizeof *part.events);
  part.count = events;
  part.capacity = events + 1;
  if (events < sc_script()->count) {
    const struct fk_event kill = fk_event_of(FK_KILL, events ? part.events[events - 1].time : 0, 0);
    part.events[part.count++] = kill;
  }
  const struct fk_result result = fk_play(&part, NULL);
  free(part.events);
  return open_last(&result);
}

static bool adds_up(const struct hd_node *part, const struct hd_node *before, const struct hd_node *whole) {
  for (int state = 0; state < HD_STATE_COUNT; state++)
    if (before->ticks[state] + part->ticks[state] != whole->ticks[state] ||
        before->inclusive_ticks[state] + part->inclusive_ticks[state] != whole->inclusive_ticks[state])
      return false;
  return (part->id == 0 || before->visits + part->visits == whole->visits) &&
         before->team.elapsed_ticks + part->team.elapsed_ticks == whole->team.elapsed_ticks &&
         before->team.busy_ticks + part->team.busy_ticks == whole->team.busy_ticks &&
         before->team.capacity_ticks + part->team.capacity_ticks == whole->team.capacity_ticks &&
         before->running_ticks + part->running_ticks == whole->running_ticks;
}

static const char *broken(const struct hd_model *part, const struct hd_model *before, const struct hd_model *whole) {
  for (uint32_t i = 0; i < part->thread_count; i++)
    if (!hd_model_thread_is_whole(part, i))
      return "a thread's states do not sum to its part of the interval";
  for (uint32_t i = 0; i < before->node_count; i++)
    if (!adds_up(&part->nodes[i], &before->nodes[i], &whole->nodes[i]))
      return "a callpath's interval and what was before do not add up";
  if (part->gain_ticks < 0 || part->gain_ticks > (double)part->elapsed_ticks)
    return "more can be gained than the interval lasts";
  for (uint32_t i = 0; part->levels_known && i < part->node_count; i++)
    if (hd_levels_up_to(&part->nodes[i].busy_at, UINT32_MAX) != part->nodes[i].ticks[HD_BUSY])
      return "a callpath's times by level are not its busy time";
  return hd_live_error_ticks(part) != 0 ? "the sums of the interval are wrong" : NULL;
}

static bool windows_add_up(const struct hd_model *part, const struct hd_model *before, const struct hd_model *whole) {
  static const struct hd_watched nothing;
  for (uint32_t i = 0; i < part->watched_count; i++) {
    const struct hd_watched *of = &part->watched[i], *all = &whole->watched[i];
    const struct hd_watched *known =
        hd_watched_find(before->watched, before->watched_count, of->node, of->thread, of->of_regions);
    known = known ? known : &nothing;
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (known->ticks[state] + of->ticks[state] != all->ticks[state])
        return false;
    if (known->visits + of->visits != all->visits || known->spread.sums[0] + of->spread.sums[0] != all->spread.sums[0])
      return false;
  }
  return part->watched_count == whole->watched_count;
}

/* The parts that an estimate moves are there to be moved. */
static const char *broken_when_resolved(struct hd_model *part) {
  hd_resolve(part);
  ws_expect_sums(part);
  for (uint32_t i = 0; i < part->row_count; i++)
    for (int state = 0; state < HD_STATE_COUNT; state++)
      if (part->rows[i].ticks[state] > part->elapsed_ticks)
        return "a row has more of a state than there was time";
  return NULL;
}

static unsigned estimated;

static bool check_seed(uint64_t seed, const struct rp_options *options, const struct ws_windows *windows) {
  rp_generate(seed, options);
  ws_seed(seed);
  if (windows)
    ws_add_windows(windows);
  const size_t count = sc_script()->count;
  const size_t first = 1 + seed * 7919 % count, last = first + seed * 104729 % (count - first + 1);
  struct hd_model *before = play_part(first), *whole = play_part(last), *part = play_part(last);
  if (!before || !whole || !part)
    return before == NULL; /* killed before anything was measured */
  part->header.pid = before->header.pid;
  part->header.begin_ns = before->header.begin_ns;
  const bool made = hd_interval_make(part, before);
  const char *wrong = made ? broken(part, before, whole) : "no interval";
  if (!wrong && !windows_add_up(part, before, whole))
    wrong = "what windows saw does not add up";
  if (!wrong && windows)
    wrong = broken_when_resolved(part);
  estimated += part->estimated;
  if (wrong)
    print_error("seed %llu, events %zu to %zu of %zu: %s\n", (unsigned long long)seed, first, last, count, wrong);
  hd_model_free(before);
  hd_model_free(whole);
  hd_model_free(part);
  return !wrong;
}

static void check_seeds(const struct rp_options *options, const struct ws_windows *windows) {
  const char *only = getenv("HEDDLE_SEED"), *seeds = getenv("HEDDLE_SEEDS");
  const unsigned long first = only ? strtoul(only, NULL, 10) : 1;
  const unsigned long last = only ? first : seeds ? strtoul(seeds, NULL, 10) : 40;
  unsigned failed = 0;
  for (unsigned long seed = first; seed <= last && failed < 5; seed++)
    failed += !check_seed(seed, options, windows);
  assert_int_equal(failed, 0);
}

static void test_intervals_of_random_programs_are_profiles(void **state) {
  (void)state;
  check_seeds(&(struct rp_options){.routines = true}, NULL);
}

static void test_intervals_of_long_random_programs_are_profiles(void **state) {
  (void)state;
  check_seeds(&(struct rp_options){.large_teams = true, .events = 5000}, NULL);
}

static void test_intervals_with_windows_are_profiles(void **state) {
  (void)state;
  const uint32_t classes = 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_TASK | 1u << HD_CLASS_WORK | 1u << HD_CLASS_SYNC;
  estimated = 0;
  check_seeds(&(struct rp_options){.events = 3000, .no_pauses = true},
              &(struct ws_windows){.classes = classes, .first = 100, .width = 200, .distance = 800});
  assert_true(estimated > 0 || getenv("HEDDLE_SEED"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interval_has_the_gain_of_its_own_time),
      cmocka_unit_test(test_balanced_interval_has_no_gain),
      cmocka_unit_test(test_only_an_earlier_profile_of_the_run_is_taken),
      cmocka_unit_test(test_threads_stay_where_their_last_event_left_them),
      cmocka_unit_test(test_worker_idles_since_its_team_ended),
      cmocka_unit_test(test_what_was_off_before_is_known_now),
      cmocka_unit_test(test_intervals_of_random_programs_are_profiles),
      cmocka_unit_test(test_intervals_of_long_random_programs_are_profiles),
      cmocka_unit_test(test_intervals_with_windows_are_profiles),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
