/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heddle ctl` asks for while a program runs: when it happens, and that the profile says so. Random programs:
 * test_budget_random.c. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "random_program.h"
#include "script.h"
#include "switched_program.h"

#define MS UINT64_C(1000000)

static uint32_t number;

static void ask_word(uint64_t time, uint64_t word) {
  struct fk_event event = sc_event(FK_ASK);
  event.time = time;
  event.wait_id = word;
  sc_emit(event);
}

static void ask(uint64_t time, enum hd_control_command command, uint32_t event_class, uint32_t ppm) {
  ask_word(time, hd_control_word(++number, command, event_class, ppm));
}

/* ---- statements: of thread 0 ---- */

static void critical(uint64_t time) {
  sc_at(time);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 300000);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 700000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
}

static void flood(uint64_t from_ms, uint64_t until_ms) {
  for (uint64_t ms = from_ms; ms < until_ms; ms++)
    critical(ms * MS + 1000);
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t ms, const char *const environment[]) {
  const struct fk_options options = {.environment = environment};
  sc_at(ms * MS);
  sc_finish();
  return ex_play_with(&options);
}

static const char *find_note(const struct hd_model *model, const char *words) {
  for (size_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], words))
      return model->notes.items[i];
  return NULL;
}

static uint64_t in_windows(const struct hd_model *model, const struct hd_node *node) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->watched_count; i++)
    count += model->watched[i].node == node->id ? model->watched[i].visits : 0;
  return count;
}

/* ---- classes ---- */

static void test_a_class_goes_off_and_on_at_the_next_event(void **state) {
  (void)state;
  begin();
  flood(0, 100);
  ask(100 * MS, HD_CONTROL_OFF, HD_CLASS_MUTEX, 150000);
  flood(100, 5000);
  ask(5000 * MS, HD_CONTROL_ON, HD_CLASS_MUTEX, 0);
  flood(5000, 5100);
  struct hd_model *model = end(5100, NULL);
  const struct hd_node *node = ex_node(model, SITE(CRITICAL, 0x400));
  const uint64_t seen = in_windows(model, node);
  assert_int_equal(model->switch_count, 1);
  const struct hd_switch *record = &model->switches[0];
  assert_true(record->asked);
  assert_int_equal(record->event_class, HD_CLASS_MUTEX);
  assert_int_equal(record->node, 0);
  assert_int_equal(record->cost_ppm, 150000);
  assert_int_equal(record->off_ticks, 100 * MS + 1000);
  assert_in_range(record->on_ticks, 5000 * MS, 5065 * MS); /* of what is refused few look */
  /* The first one had begun when the class went off. Windows are 30 ms apart, as what costs 15 % has them at 2 %. */
  const uint64_t late = (record->on_ticks - 5000 * MS) / MS;
  assert_in_range(ex_visits(model, 0, SITE(CRITICAL, 0x400)), 201 + seen - late - 1, 201 + seen - late + 1);
  assert_in_range(seen, 4900 / 31 / 2, 4900 / 31 * 4);
  assert_true(model->unresolved.ticks > 0 && model->off_classes == 1u << HD_CLASS_MUTEX);
  assert_int_equal(model->header.control.done, model->header.control.asked);
  assert_int_equal(model->header.control.off, 0);
  assert_non_null(
      find_note(model, "'heddle ctl' changed what was measured while the program ran: mutex off at 0.100 s"));
  assert_non_null(find_note(model, "because that was asked for ('heddle ctl', HEDDLE_ONLY)"));
  hd_model_free(model);
}

static void test_nothing_is_asked_for(void **state) {
  (void)state;
  begin();
  flood(0, 100);
  struct hd_model *model = end(100, NULL);
  assert_int_equal(model->header.control.count, 0);
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), 100);
  assert_null(find_note(model, "heddle ctl"));
  hd_model_free(model);
}

/* 15 % of the time at 50 µs: the budget switches them off soon, and again half a second later. */
static const char *const dear[] = {"HEDDLE_TEST_DELAY=50000", NULL};

static void test_on_ends_what_the_budget_began(void **state) {
  (void)state;
  begin();
  flood(0, 300);
  ask(300 * MS, HD_CONTROL_ON, HD_CLASS_MUTEX, 0);
  flood(300, 500);
  struct hd_model *model = end(500, dear);
  assert_true(model->switch_count >= 2 && !model->switches[0].asked);
  assert_in_range(model->switches[0].on_ticks, 300 * MS, 400 * MS); /* else half a second */
  hd_model_free(model);
}

/* The budget switches mutexes off, and loops in them were asked off: windows see both, or neither. A window may open
 * between the two. */
static void test_windows_are_common(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 5000; ms++) {
    if (ms == 600)
      ask(ms * MS, HD_CONTROL_OFF, HD_CLASS_WORK, 16000);
    sc_at(ms * MS + 1000);
    sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
    sc_at(ms * MS + 101000);
    sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
    sc_at(ms * MS + 201000);
    sc_work_begin(ompt_work_loop_static, 0x500);
    sc_at(ms * MS + 301000);
    sc_work_end(ompt_work_loop_static, 0x500);
    sc_at(ms * MS + 401000);
    sc_released(ompt_mutex_critical, 0x9000, 0);
  }
  struct hd_model *model = end(5000, (const char *const[]){"HEDDLE_TEST_DELAY=8000", NULL}); /* 2.4 %, 1.6 % */
  const uint64_t both = in_windows(model, ex_node(model, SITE(CRITICAL, 0x400), SITE(LOOP_STATIC, 0x500)));
  const uint64_t loops = in_windows(model, ex_node(model, SITE(LOOP_STATIC, 0x500)));
  assert_true(model->switch_count >= 2 && !model->switches[0].asked && model->switches[1].asked);
  assert_true(both >= 20 && loops <= both / 2);
  hd_model_free(model);
}

static void test_another_budget(void **state) {
  (void)state;
  begin();
  flood(0, 300);
  ask(300 * MS, HD_CONTROL_BUDGET, 0, 0);
  flood(300, 3000);
  struct hd_model *model = end(3000, dear);
  assert_int_equal(model->switch_count, 1);
  assert_in_range(model->switches[0].on_ticks, 300 * MS, 400 * MS);
  assert_int_equal(model->header.budget_ppm, 0);
  assert_non_null(find_note(model, "budget off at 0.3"));
  hd_model_free(model);
}

static void test_a_budget_where_there_was_none(void **state) {
  (void)state;
  begin();
  flood(0, 1000);
  ask(1000 * MS, HD_CONTROL_BUDGET, 0, 20000);
  flood(1000, 3000);
  struct hd_model *model = end(3000, (const char *const[]){dear[0], "HEDDLE_OVERHEAD=off", NULL});
  assert_true(model->switch_count > 0 && !model->switches[0].asked);
  assert_in_range(model->switches[0].off_ticks, 1000 * MS, 1200 * MS);
  assert_int_equal(model->header.budget_ppm, 20000);
  hd_model_free(model);
}

/* A loop in a critical section. */
static void loop_in_critical(uint64_t time) {
  sc_at(time);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 100000);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  sc_at(time + 200000);
  sc_work_begin(ompt_work_loop_static, 0x500);
  sc_at(time + 300000);
  sc_work_end(ompt_work_loop_static, 0x500);
  sc_at(time + 400000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
}

static uint64_t visits_of(const struct hd_model *model, uint64_t code) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    count += model->nodes[i].address == code ? model->nodes[i].visits : 0;
  return count;
}

static void test_only_some_classes_from_the_start(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 5000; ms++)
    loop_in_critical(ms * MS + 1000);
  struct hd_model *model = end(5000, (const char *const[]){"HEDDLE_ONLY=work", NULL});
  uint32_t off = 0;
  for (uint32_t i = 0; i < model->switch_count; i++) {
    assert_true(model->switches[i].asked && model->switches[i].cost_ppm == 0); /* nobody has seen what they cost */
    off |= 1u << model->switches[i].event_class;
  }
  assert_int_equal(off, (1u << HD_CLASS_REGION) - 1 - (1u << HD_CLASS_WORK));
  assert_int_equal(model->header.control.off, off);
  assert_int_equal(model->header.control.count, 0);
  assert_int_equal(visits_of(model, 0x500), 5000);
  const uint64_t seen = visits_of(model, 0x400);
  assert_int_equal(seen, in_windows(model, ex_node(model, SITE(CRITICAL, 0x400))));
  assert_in_range(seen, 5000 / 201 / 2, 5000 / 201 * 2); /* five classes, as if each took a fifth of the time */
  hd_model_free(model);
}

static void test_only_some_classes_later(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 3000; ms++) {
    if (ms == 1000)
      ask(ms * MS, HD_CONTROL_ONLY, 0, 1u << HD_CLASS_MUTEX | 1u << HD_CLASS_REGION);
    if (ms == 2000)
      ask(ms * MS, HD_CONTROL_ONLY, 0, 1u << HD_CLASS_WORK | 1u << HD_CLASS_REGION);
    loop_in_critical(ms * MS + 1000);
  }
  struct hd_model *model = end(3000, NULL);
  assert_in_range(visits_of(model, 0x400), 2000, 2000 + 20);
  assert_in_range(visits_of(model, 0x500), 2000 - 65, 2000 + 20); /* of what is refused few look */
  assert_int_equal(model->header.control.off, (1u << HD_CLASS_REGION) - 1 - (1u << HD_CLASS_WORK));
  assert_non_null(find_note(model, "only mutex region at 1.000 s, only work region at 2.0"));
  hd_model_free(model);
}

/* ---- pause ---- */

static void test_pause_and_resume(void **state) {
  (void)state;
  begin();
  critical(0);
  ask(5 * MS, HD_CONTROL_PAUSE, 0, 0);
  critical(10 * MS); /* the pause begins with it */
  critical(20 * MS);
  ask(25 * MS, HD_CONTROL_RESUME, 0, 0);
  critical(30 * MS);
  struct hd_model *model = end(40, NULL);
  assert_int_equal(model->header.pauses, 1);
  assert_int_equal(model->header.paused_ticks, 20 * MS);
  assert_int_equal(model->end_ticks, 20 * MS);
  assert_int_equal(ex_ticks(model, 0, HD_BUSY, SITE(CRITICAL, 0x400)), 2 * 400000);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 2 * 300000);
  assert_non_null(find_note(model, "pause at 0.010 s, resume at 0.010 s"));
  hd_model_free(model);
}

/* A thread waits for a lock; another one's event begins the pause. */
static void test_a_pause_may_begin_while_a_thread_waits(void **state) {
  (void)state;
  begin();
  sc_at(1 * MS);
  sc_acquire(ompt_mutex_critical, 0x9000, 0x400);
  ask(2 * MS, HD_CONTROL_PAUSE, 0, 0);
  sc_at(3 * MS);
  sc_acquired(ompt_mutex_critical, 0x9000, 0x400);
  ask(4 * MS, HD_CONTROL_RESUME, 0, 0);
  sc_at(5 * MS);
  sc_released(ompt_mutex_critical, 0x9000, 0);
  struct hd_model *model = end(8, NULL);
  assert_int_equal(ex_ticks(model, 0, HD_WAIT_CRITICAL, SITE(CRITICAL, 0x400)), 2 * MS);
  assert_int_equal(model->end_ticks, 6 * MS);
  hd_model_free(model);
}

/* ---- what makes no sense ---- */

static void test_what_is_unknown_is_refused(void **state) {
  (void)state;
  const uint64_t words[] = {1,
                            UINT64_MAX,
                            hd_control_word(7, HD_CONTROL_OFF, HD_CLASS_COUNT, 0),
                            hd_control_word(8, HD_CONTROL_OFF, HD_CLASS_MUTEX, HD_CONTROL_PPM_MOST + 1),
                            hd_control_word(9, HD_CONTROL_BUDGET, 0, HD_CONTROL_PPM_MOST + 1),
                            hd_control_word(10, HD_CONTROL_ONLY, 0, 0),
                            hd_control_word(11, HD_CONTROL_ONLY, 0, 1u << HD_CLASS_COUNT | 1),
                            hd_control_word(12, (enum hd_control_command)15, 0, 0)};
  enum { COUNT = sizeof words / sizeof *words };
  begin();
  for (uint64_t i = 0; i < COUNT; i++) {
    ask_word(10 * i * MS, words[i]);
    critical(10 * i * MS + 1000);
  }
  struct hd_model *model = end(10 * COUNT, NULL);
  assert_int_equal(ex_visits(model, 0, SITE(CRITICAL, 0x400)), COUNT);
  assert_int_equal(model->switch_count, 0);
  assert_int_equal(model->header.control.count, 0);
  assert_int_equal(model->header.control.refused, 1);
  assert_int_equal(model->header.control.done, words[COUNT - 1]);
  hd_model_free(model);
}

/* Also of a program that executes thousands: what is kept is bounded. */
static void test_many_requests(void **state) {
  (void)state;
  begin();
  for (uint32_t i = 0; i < 500; i++) {
    ask((uint64_t)10 * i * MS, i % 2 ? HD_CONTROL_ON : HD_CONTROL_OFF, HD_CLASS_TASK, 0);
    critical((uint64_t)10 * i * MS + 1000);
  }
  struct hd_model *model = end(5000, NULL);
  uint64_t times = 0;
  for (uint32_t i = 0; i < model->switch_count; i++)
    times += model->switches[i].times;
  assert_int_equal(times, 250);
  assert_int_equal(model->switch_count, 65);
  assert_int_equal(model->header.control.count, 500);
  assert_non_null(find_note(model, "and 492 more"));
  hd_model_free(model);
}

/* Somebody writes there what comes to mind. */
static void check_garbage(uint64_t seed) {
  const struct rp_options program = {.routines = seed % 3 == 0};
  struct fk_script with = {0};
  uint64_t random = seed;
  rp_generate(seed, &program);
  struct fk_script *script = sc_script();
  with.region_count = script->region_count;
  with.task_count = script->task_count;
  for (size_t i = 0; i < script->count; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    struct fk_event event = fk_event_of(FK_ASK, script->events[i].time, 0);
    event.wait_id = random ^ random >> 33;
    if (i > 2 && random >> 62 == 0)
      fk_emit(&with, &event);
    fk_emit(&with, &script->events[i]);
  }
  fk_free(script);
  *script = with;
  hd_model_free(ex_play_rough(NULL));
}

static void test_garbage_does_no_harm(void **state) {
  (void)state;
  sw_play_seeds(check_garbage);
}

/* Of some of the requests. */
static void pause_instead(struct fk_script *script) {
  uint32_t count = 0;
  for (size_t i = 0; i < script->count; i++) {
    struct fk_event *e = &script->events[i];
    if (e->op == FK_ASK && ++count % 4 == 0)
      e->wait_id =
          hd_control_word(hd_control_number(e->wait_id), count % 8 ? HD_CONTROL_PAUSE : HD_CONTROL_RESUME, 0, 0);
  }
}

/* Each thread plays its own events at its own speed. */
static void check_threads(uint64_t seed) {
  static const struct fk_options options = {.pthreads = true, .free_running = true, .real_clock = true};
  const struct rp_options program = {.routines = seed % 3 == 0, .no_pauses = true};
  if (seed > 30)
    return;
  rp_generate(seed, &program);
  sw_ask(sc_script(), seed);
  pause_instead(sc_script());
  hd_model_free(ex_play_with(&options));
}

static void test_threads_run_on_meanwhile(void **state) {
  (void)state;
  sw_play_seeds(check_threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_class_goes_off_and_on_at_the_next_event),
      cmocka_unit_test(test_nothing_is_asked_for),
      cmocka_unit_test(test_on_ends_what_the_budget_began),
      cmocka_unit_test(test_windows_are_common),
      cmocka_unit_test(test_another_budget),
      cmocka_unit_test(test_only_some_classes_from_the_start),
      cmocka_unit_test(test_only_some_classes_later),
      cmocka_unit_test(test_a_budget_where_there_was_none),
      cmocka_unit_test(test_pause_and_resume),
      cmocka_unit_test(test_a_pause_may_begin_while_a_thread_waits),
      cmocka_unit_test(test_what_is_unknown_is_refused),
      cmocka_unit_test(test_many_requests),
      cmocka_unit_test(test_garbage_does_no_harm),
      cmocka_unit_test(test_threads_run_on_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
