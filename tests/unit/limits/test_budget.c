/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The overhead budget: when events are switched off and on again, and that the profile then says what was observed, and
 * where, to the tick. Events are dear because a test's events last (HEDDLE_TEST_DELAY). */
#include <sys/wait.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "script.h"

enum { MS = 1000000, STEP = 1000000 }; /* a statement begins every millisecond */

#define DELAY(ns) "HEDDLE_TEST_DELAY=" #ns

/* ---- statements: of thread 0, from `time` on, all within less than a step ---- */

static void critical(uint64_t time) {
  sc_at(time);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 300000);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 700000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
}

static void loop(uint64_t time) {
  sc_at(time);
  sc_work_begin(ompt_work_loop_static, 0x500);
  sc_at(time + 500000);
  sc_work_end(ompt_work_loop_static, 0x500);
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static void flood(void (*statement)(uint64_t time), uint64_t from_ms, uint64_t until_ms) {
  for (uint64_t ms = from_ms; ms < until_ms; ms++)
    statement(ms * MS + 1000);
}

static struct hd_model *end(uint64_t ms, const char *const environment[]) {
  const struct fk_options options = {.environment = environment};
  sc_at(ms * MS);
  sc_finish();
  return ex_play_with(&options);
}

/* ---- what was observed ---- */

static uint64_t off_until(const struct hd_model *model, const struct hd_switch *record) {
  return record->on_ticks ? record->on_ticks : model->end_ticks;
}

static bool is_off(const struct hd_model *model, enum hd_event_class event_class, uint64_t time) {
  for (uint32_t i = 0; i < model->switch_count; i++) {
    const struct hd_switch *record = &model->switches[i];
    if (record->event_class == event_class && record->off_ticks <= time && time < off_until(model, record))
      return true;
  }
  return false;
}

static uint64_t observed(const struct hd_model *model, enum hd_event_class event_class, uint64_t from_ms,
                         uint64_t until_ms) {
  uint64_t count = 0;
  for (uint64_t ms = from_ms; ms < until_ms; ms++)
    count += !is_off(model, event_class, ms * MS + 1000);
  return count;
}

/* Entries that windows saw, while the class was off. */
static uint64_t in_windows(const struct hd_model *model, const struct hd_node *node) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->watched_count; i++)
    count += model->watched[i].node == node->id ? model->watched[i].visits : 0;
  return count;
}

static void expect_critical(const struct hd_model *model, uint64_t count) {
  count += in_windows(model, ex_node(model, SITE(CRITICAL, 0x400)));
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), count);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), count * 300000);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), count * 400000);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, PROGRAM), model->end_ticks - count * 700000);
}

/* ---- when ---- */

static void test_what_is_too_dear_goes_off(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 10000);
  struct hd_model *model = end(10000, (const char *const[]){DELAY(50000), NULL});
  assert_true(model->switch_count > 0);
  const struct hd_switch *first = &model->switches[0];
  assert_int_equal(first->event_class, HD_CLASS_MUTEX);
  assert_int_equal(first->thread, 0);
  assert_true(first->off_ticks >= 66 * MS && first->off_ticks < 130 * MS); /* 10 ms in 67; the 128th is timed */
  assert_true(first->cost_ppm > 140000 && first->cost_ppm < 160000);       /* three events of 50 µs in a millisecond */
  uint64_t count = observed(model, HD_CLASS_MUTEX, 0, 10000);
  expect_critical(model, count);
  const uint64_t seen = in_windows(model, ex_node(model, SITE(CRITICAL, 0x400)));
  assert_true(seen > 20 &&
              seen * 3 * 50000 <= (uint64_t)10000 * MS / 100); /* half of the budget: a window ends with an event */
  count += seen;
  assert_true(count * 3 * 50000 <= (uint64_t)10000 * MS / 50); /* 2 % */
  assert_true(count * 3 * 50000 >= (uint64_t)10000 * MS / 200);
  hd_model_free(model);
}

static void test_times_off_double(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 20000);
  struct hd_model *model = end(20000, (const char *const[]){DELAY(12000), NULL}); /* 3.6 % */
  assert_true(model->switch_count >= 3);
  for (uint32_t i = 1; i + 1 < model->switch_count; i++) {
    const struct hd_switch *a = &model->switches[i - 1], *b = &model->switches[i];
    assert_true(b->on_ticks - b->off_ticks >= 2 * (a->on_ticks - a->off_ticks) - 2 * MS);
    assert_int_equal(b->ticks, b->on_ticks - b->off_ticks);
  }
  expect_critical(model, observed(model, HD_CLASS_MUTEX, 0, 20000));
  hd_model_free(model);
}

static void test_what_is_cheap_stays_on(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 3000);
  struct hd_model *model = end(3000, (const char *const[]){DELAY(6000), NULL}); /* 1.8 % */
  assert_int_equal(model->switch_count, 0);
  expect_critical(model, 3000);
  hd_model_free(model);
}

static void test_the_budget_is_what_the_user_says(void **state) {
  (void)state;
  static const char *const texts[] = {"HEDDLE_OVERHEAD=1.7%", "HEDDLE_OVERHEAD=1.9", "HEDDLE_OVERHEAD=off"};
  static const uint64_t ppm[] = {17000, 19000, 0};
  for (int i = 0; i < 3; i++) {
    begin();
    flood(critical, 0, 2000);
    struct hd_model *model = end(2000, (const char *const[]){i == 2 ? DELAY(100000) : DELAY(6000), texts[i], NULL});
    assert_int_equal(model->header.budget_ppm, ppm[i]);
    assert_int_equal(model->switch_count > 0, i == 0);
    expect_critical(model, observed(model, HD_CLASS_MUTEX, 0, 2000));
    hd_model_free(model);
  }
}

static void test_what_cannot_be_read_changes_nothing(void **state) {
  (void)state;
  static const char *const texts[] = {"HEDDLE_OVERHEAD=0",   "HEDDLE_OVERHEAD=-1",   "HEDDLE_OVERHEAD=101",
                                      "HEDDLE_OVERHEAD=2 %", "HEDDLE_OVERHEAD=1e-3", "HEDDLE_OVERHEAD=0.00001",
                                      "HEDDLE_OVERHEAD=.5",  "HEDDLE_OVERHEAD=2$"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    begin();
    struct hd_model *model = end(1, (const char *const[]){texts[i], NULL});
    assert_int_equal(model->header.budget_ppm, 20000);
    hd_model_free(model);
  }
}

/* 30 % in a program of a tenth of a second: what half a second may cost is used up after 33 ms, and seen when the next
 * event of the kind is timed, the 64th. */
static void test_short_programs_are_limited_too(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 100);
  struct hd_model *model = end(100, (const char *const[]){DELAY(100000), NULL});
  assert_int_equal(model->switch_count, 1);
  assert_true(model->switches[0].off_ticks >= 33 * MS && model->switches[0].off_ticks < 65 * MS);
  expect_critical(model, observed(model, HD_CLASS_MUTEX, 0, 100));
  hd_model_free(model);
}

/* However large a part of a short program that is. */
static void test_what_half_a_second_may_cost_is_left_alone(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 30);
  struct hd_model *model = end(30, (const char *const[]){DELAY(100000), NULL}); /* 9 ms */
  assert_int_equal(model->switch_count, 0);
  expect_critical(model, 30);
  hd_model_free(model);
}

static void test_a_burst_is_paid_for_from_quiet_times(void **state) {
  (void)state;
  begin();
  flood(critical, 400, 430); /* 30 ms at 30 %: 1.8 % of half a second */
  struct hd_model *model = end(2000, (const char *const[]){DELAY(100000), NULL});
  assert_int_equal(model->switch_count, 0);
  expect_critical(model, 30);
  hd_model_free(model);
}

static void test_on_again_and_for_good_when_it_is_cheap_again(void **state) {
  (void)state;
  begin();
  flood(critical, 0, 500);
  for (uint64_t ms = 500; ms < 20000; ms += 10) /* 1.5 % */
    critical(ms * MS + 1000);
  struct hd_model *model = end(20000, (const char *const[]){DELAY(50000), NULL});
  assert_int_equal(model->switch_count, 1);
  const uint64_t on = model->switches[0].on_ticks;
  assert_true(on > 0 && on < (uint64_t)5000 * MS);
  uint64_t count = observed(model, HD_CLASS_MUTEX, 0, 500);
  for (uint64_t ms = 500; ms < 20000; ms += 10)
    count += !is_off(model, HD_CLASS_MUTEX, ms * MS + 1000);
  expect_critical(model, count);
  hd_model_free(model);
}

/* Criticals are finer, but cost next to nothing. */
static void loops_and_a_critical(uint64_t time) {
  if (time / MS % 50 == 0)
    critical(time);
  else
    loop(time);
}

static void test_the_finest_that_contributes(void **state) {
  (void)state;
  begin();
  flood(loops_and_a_critical, 0, 3000);
  struct hd_model *model = end(3000, (const char *const[]){DELAY(50000), NULL});
  assert_true(model->switch_count > 0);
  for (uint32_t i = 0; i < model->switch_count; i++)
    assert_int_equal(model->switches[i].event_class, HD_CLASS_WORK);
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), 3000 / 50);
  uint64_t loops = observed(model, HD_CLASS_WORK, 0, 3000);
  for (uint64_t ms = 0; ms < 3000; ms += 50)
    loops -= !is_off(model, HD_CLASS_WORK, ms * MS + 1000);
  loops += in_windows(model, ex_node(model, SITE(LOOP_STATIC, 0x500)));
  assert_int_equal(ex_visits(model, 0, SITE(LOOP_STATIC, 0x500)), loops);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(LOOP_STATIC, 0x500)), loops * 500000);
  hd_model_free(model);
}

static void critical_and_loop(uint64_t time) {
  sc_at(time);
  sc_work_begin(ompt_work_loop_static, 0x500);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 300000);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 600000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
  sc_at(time + 800000);
  sc_work_end(ompt_work_loop_static, 0x500);
}

static void test_one_class_after_the_other(void **state) {
  (void)state;
  begin();
  flood(critical_and_loop, 0, 3000);
  struct hd_model *model = end(3000, (const char *const[]){DELAY(20000), NULL});
  assert_true(model->switch_count >= 2);
  assert_int_equal(model->switches[0].event_class, HD_CLASS_MUTEX);
  assert_int_equal(model->switches[1].event_class, HD_CLASS_WORK);
  assert_true(model->switches[1].off_ticks > model->switches[0].off_ticks);
  hd_model_free(model);
}

static void flood_of_regions(uint64_t from_ms, uint64_t until_ms) {
  for (uint64_t ms = from_ms; ms < until_ms; ms++) {
    sc_at(ms * MS);
    sc_fork(0x300, 1, 1, ms * MS + 400000);
    sc_join(ms * MS + 600000, ms * MS + 700000, ms * MS + 900000);
  }
}

static struct hd_model *play_regions(const char *delay) {
  begin();
  flood_of_regions(0, 2000);
  return end(2000, (const char *const[]){delay, NULL});
}

/* Seven events a millisecond, of 10 us each: 7 % of the time. */
static void test_regions_stay_up_to_five_times_the_budget(void **state) {
  (void)state;
  struct hd_model *model = play_regions(DELAY(10000));
  assert_int_equal(model->switch_count, 0);
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300))->team.instances, 2000);
  hd_model_free(model);
}

/* Beyond that they go off, and are counted. */
static void test_dear_regions_go_off(void **state) {
  (void)state;
  struct hd_model *model = play_regions(DELAY(50000));
  const struct hd_node *region = ex_node(model, SITE(PARALLEL, 0x300));
  assert_true(model->switch_count > 0);
  for (uint32_t i = 0; i < model->switch_count; i++)
    assert_int_equal(model->switches[i].event_class, HD_CLASS_REGION);
  assert_int_equal(region->visits, 2000);
  assert_int_equal(region->team.instances + region->shares.refused, 2000);
  assert_true(region->shares.refused > 1000);
  hd_model_free(model);
}

/* An outermost region with a nested one in it, again and again, of which neither costs that much alone; and one that
 * all of these are in. */
static struct hd_model *play_nested_regions(bool inside_another) {
  begin();
  if (inside_another)
    sc_fork(0x310, 1, 1, 1);
  for (uint64_t ms = 1; ms < 2000; ms++) {
    sc_at(ms * MS);
    sc_fork(0x300, 1, 1, ms * MS + 200000);
    sc_at(ms * MS + 300000);
    sc_fork(0x320, 1, 1, ms * MS + 400000);
    sc_join(ms * MS + 500000, ms * MS + 600000, ms * MS + 700000);
    sc_join(ms * MS + 800000, ms * MS + 850000, ms * MS + 900000);
  }
  if (inside_another)
    sc_join((uint64_t)2000 * MS, (uint64_t)2000 * MS + 1, (uint64_t)2000 * MS + 2);
  return end(2001, (const char *const[]){DELAY(13000), NULL});
}

static void test_nested_regions_go_off_with_outermost_ones_only(void **state) {
  (void)state;
  struct hd_model *model = play_nested_regions(false);
  assert_true(model->switch_count > 0);
  assert_int_equal(model->switches[0].event_class, HD_CLASS_REGION);
  assert_true(ex_node(model, SITE(PARALLEL, 0x300))->shares.refused > 1000);
  hd_model_free(model);
  model = play_nested_regions(true);
  assert_int_equal(model->switch_count, 0);
  hd_model_free(model);
}

/* While regions are off because of thread 1, the one that thread 0 is in lasts: as long as it costs little, that
 * changes nothing. Then loops in it are dear. */
static void test_what_is_dear_in_a_long_region_goes_off(void **state) {
  (void)state;
  enum { FROM_MS = 300, UNTIL_MS = 900 };
  begin();
  sc_at(MS);
  sc_fork(0x310, 1, 1, 2 * MS);
  sc_thread(1);
  sc_initial_begin();
  for (uint64_t ms = 3; ms < FROM_MS; ms++) {
    sc_thread(ms % 60 ? 1 : 0);
    ms % 60 ? flood_of_regions(ms, ms + 1) : flood(loop, ms, ms + 1);
  }
  sc_thread(0);
  flood(loop, FROM_MS, UNTIL_MS);
  sc_join((uint64_t)UNTIL_MS * MS, (uint64_t)UNTIL_MS * MS + 1, (uint64_t)UNTIL_MS * MS + 2);
  struct hd_model *model = end(UNTIL_MS + 1, (const char *const[]){DELAY(50000), NULL});
  const struct hd_switch *regions = &model->switches[0], *loops = &model->switches[1];
  assert_true(model->switch_count >= 2);
  assert_int_equal(regions->event_class, HD_CLASS_REGION);
  assert_true(regions->off_ticks < (uint64_t)FROM_MS * MS);
  assert_true(regions->on_ticks > (uint64_t)FROM_MS * MS && regions->on_ticks < (uint64_t)(FROM_MS + 200) * MS);
  assert_int_equal(loops->event_class, HD_CLASS_WORK);
  assert_int_equal(loops->off_ticks, regions->on_ticks);
  assert_int_equal(loops->node, ex_node(model, SITE(PARALLEL, 0x310), SITE(LOOP_STATIC, 0x500))->id);
  hd_model_free(model);
}

/* An outermost region begins, and nobody else is there: the runtime can be told not to send the events at all, where
 * stores are seen in their order (budget.h). */
#if defined(__x86_64__)
enum { STILL_SENT = 0 };
#else
enum { STILL_SENT = 1 };
#endif

static void begin_region(uint64_t code, uint64_t ms) {
  sc_at(ms * MS);
  sc_fork(code, 1, 1, ms * MS + 400000);
}

static void end_region(uint64_t ms) {
  sc_join(ms * MS, ms * MS + 100000, ms * MS + 200000);
}

static void expect_told(bool inside, bool still_sent) {
  const char *const environment[] = {DELAY(50000), NULL};
  const struct fk_options options = {.environment = environment};
  begin();
  for (uint64_t ms = 0; ms < 500; ms += 10) {
    begin_region(0x300, ms);
    flood(critical, ms + 1, ms + 9);
    if (!inside || ms + 10 < 500)
      end_region(ms + 9);
  }
  sc_at((uint64_t)500 * MS); /* while the class is off for the first time */
  sc_kill();
  const struct fk_result result = fk_play(sc_script(), &options);
  assert_int_equal(result.registered[ompt_callback_mutex_acquire], still_sent);
  assert_int_equal(result.registered[ompt_callback_mutex_acquired], still_sent);
  assert_int_equal(result.registered[ompt_callback_mutex_released], still_sent);
  assert_true(result.registered[ompt_callback_work]);
  assert_true(result.registered[ompt_callback_task_create]);
}

static void test_the_runtime_is_told(void **state) {
  (void)state;
  expect_told(true, STILL_SENT);
  expect_told(false, true); /* outside that region they may be cheap */
}

/* ... and is told to send them again. */
static void test_the_runtime_is_told_again(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 12000; ms += 10) {
    begin_region(0x300, ms);
    flood(critical, ms + 1, ms + 9);
    end_region(ms + 9);
  }
  struct hd_model *model = end(12000, (const char *const[]){DELAY(50000), NULL});
  assert_true(model->switch_count >= 2);
  assert_true(model->switches[0].on_ticks > 0);
  uint64_t count = 0;
  for (uint64_t ms = 0; ms < 12000; ms += 10)
    count += observed(model, HD_CLASS_MUTEX, ms + 1, ms + 9);
  count += in_windows(model, ex_node(model, SITE(PARALLEL, 0x300), SITE(CRITICAL, 0x400)));
  assert_int_equal(ex_visits(model, 0, SITE(PARALLEL, 0x300), SITE(CRITICAL, 0x400)), count);
  assert_int_equal(ex_node(model, SITE(PARALLEL, 0x300))->team.instances, 1200);
  hd_model_free(model);
}

/* ---- where ---- */

static uint64_t criticals_in(const struct hd_model *model, uint64_t region) {
  return ex_visits(model, 0, SITE(PARALLEL, region), SITE(CRITICAL, 0x400));
}

static void calm(uint64_t from_ms, uint64_t until_ms) {
  for (uint64_t ms = from_ms; ms < until_ms; ms += 10)
    critical(ms * MS + 1000);
}

/* What is off in one region is on in the next, and off again when the first one comes again. */
static void test_what_is_off_in_one_region_is_on_in_another(void **state) {
  (void)state;
  begin();
  begin_region(0x300, 0);
  flood(critical, 1, 150);
  end_region(150);
  begin_region(0x310, 160);
  calm(161, 450);
  end_region(450);
  begin_region(0x300, 460);
  flood(critical, 461, 490);
  end_region(490);
  struct hd_model *model = end(500, (const char *const[]){DELAY(50000), NULL});
  assert_int_equal(model->switch_count, 1);
  const struct hd_switch *record = &model->switches[0];
  assert_int_equal(record->on_ticks, 0);
  assert_int_equal(model->nodes[record->node].address, 0x400);
  const struct hd_node *node = ex_node(model, SITE(PARALLEL, 0x300), SITE(CRITICAL, 0x400));
  assert_int_equal(node->visits, observed(model, HD_CLASS_MUTEX, 1, 150) + in_windows(model, node));
  assert_int_equal(criticals_in(model, 0x310), 29);
  const uint64_t in_first = 150 * (uint64_t)MS - record->off_ticks, in_last = 30 * MS;
  assert_true(record->ticks >= in_first + in_last - MS && record->ticks <= in_first + in_last + MS);
  hd_model_free(model);
}

/* Regions so short that a decision comes anywhere: the one is dear, the other is not. */
static void test_off_is_what_is_dear_not_what_is_next_to_it(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 5000; ms += 20) {
    begin_region(0x300, ms);
    flood(critical, ms + 1, ms + 10);
    end_region(ms + 10);
    begin_region(0x310, ms + 11);
    critical((ms + 12) * MS);
    end_region(ms + 19);
  }
  struct hd_model *model = end(5000, (const char *const[]){DELAY(12000), NULL}); /* 1.6 %, 0.2 %; regions 0.7 % */
  assert_true(criticals_in(model, 0x300) < 9 * 250 / 2);
  assert_int_equal(criticals_in(model, 0x310), 250);
  hd_model_free(model);
}

/* After 64 records one for each class. */
static void test_records_are_few(void **state) {
  (void)state;
  begin();
  uint64_t off_ms = 0;
  for (uint32_t i = 0; i < 200; i++) {
    struct fk_event event = sc_event(FK_SWITCH);
    sc_at((uint64_t)10 * i * MS);
    event.kind = i % 2 ? HD_CLASS_MUTEX : HD_CLASS_TASK;
    event.endpoint = ompt_scope_begin;
    event.time = (uint64_t)10 * i * MS;
    sc_emit(event);
    sc_at((uint64_t)(10 * i + 3) * MS);
    event.endpoint = ompt_scope_end;
    sc_emit(event);
    off_ms += 3;
  }
  struct hd_model *model = end(2000, NULL);
  uint64_t total = 0;
  uint64_t times = 0;
  assert_int_equal(model->switch_count, 66);
  for (uint32_t i = 0; i < model->switch_count; i++) {
    total += model->switches[i].ticks;
    times += model->switches[i].times;
  }
  assert_int_equal(total, off_ms * MS);
  assert_int_equal(times, 200);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_too_dear_goes_off),
      cmocka_unit_test(test_times_off_double),
      cmocka_unit_test(test_what_is_cheap_stays_on),
      cmocka_unit_test(test_the_budget_is_what_the_user_says),
      cmocka_unit_test(test_what_cannot_be_read_changes_nothing),
      cmocka_unit_test(test_short_programs_are_limited_too),
      cmocka_unit_test(test_what_half_a_second_may_cost_is_left_alone),
      cmocka_unit_test(test_a_burst_is_paid_for_from_quiet_times),
      cmocka_unit_test(test_on_again_and_for_good_when_it_is_cheap_again),
      cmocka_unit_test(test_the_finest_that_contributes),
      cmocka_unit_test(test_one_class_after_the_other),
      cmocka_unit_test(test_regions_stay_up_to_five_times_the_budget),
      cmocka_unit_test(test_dear_regions_go_off),
      cmocka_unit_test(test_nested_regions_go_off_with_outermost_ones_only),
      cmocka_unit_test(test_what_is_dear_in_a_long_region_goes_off),
      cmocka_unit_test(test_the_runtime_is_told),
      cmocka_unit_test(test_the_runtime_is_told_again),
      cmocka_unit_test(test_what_is_off_in_one_region_is_on_in_another),
      cmocka_unit_test(test_off_is_what_is_dear_not_what_is_next_to_it),
      cmocka_unit_test(test_records_are_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
