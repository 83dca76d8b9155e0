/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heddle ctl --under` asks for: a class is off, or on again, in regions of some callpaths and of those below.
 * Where it is on every event is observed; where it is off those in windows are, and marks say so. Random requests:
 * test_budget_random.c. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "output/model/marks.h"
#include "output/model/memory.h"
#include "output/model/watched.h"
#include "script.h"

#define MS UINT64_C(1000000)

static uint32_t number;

static void ask(uint64_t ms, enum hd_control_command command, uint32_t event_class, uint32_t profile) {
  struct fk_event event = sc_event(FK_ASK);
  event.time = ms * MS;
  event.wait_id = hd_control_word(++number, command, event_class, profile);
  sc_emit(event);
}

/* ---- a program of thread 0: each millisecond two regions of one thread, with a critical section in each ---- */

enum { LEFT = 0x100, RIGHT = 0x200, INNER = 0x300, SECTION = 0x400 };
/* Profiles in the order in which they are made. */
enum { ID_LEFT = 1, ID_LEFT_SECTION, ID_RIGHT };

static void section(uint64_t time) {
  sc_at(time);
  sc_acquire(ompt_mutex_critical, 0x9000, SECTION);
  sc_at(time + 10000);
  sc_acquired(ompt_mutex_critical, 0x9000, SECTION);
  sc_at(time + 20000);
  sc_released(ompt_mutex_critical, 0x9000, 0);
}

static void begin_region(uint64_t code, uint64_t time) {
  sc_at(time);
  sc_fork(code, 1, 1, time + 10000);
}

static void region(uint64_t code, uint64_t time) {
  begin_region(code, time);
  section(time + 100000);
  sc_join(time + 200000, time + 210000, time + 220000);
}

static void regions(uint64_t from_ms, uint64_t until_ms) {
  for (uint64_t ms = from_ms; ms < until_ms; ms++) {
    region(LEFT, ms * MS + 1000);
    region(RIGHT, ms * MS + 301000);
  }
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t ms) {
  static const char *const environment[] = {"HEDDLE_OVERHEAD=off", NULL};
  const struct fk_options options = {.environment = environment};
  sc_at(ms * MS);
  sc_finish();
  return ex_play_with(&options);
}

static uint64_t in_windows(const struct hd_model *model, const struct hd_node *node) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < model->watched_count; i++)
    count += model->watched[i].node == node->id ? model->watched[i].visits : 0;
  return count;
}

static bool has_note(const struct hd_model *model, const char *words) {
  for (size_t i = 0; i < model->notes.count; i++)
    if (strstr(model->notes.items[i], words))
      return true;
  return false;
}

/* Observed whole, whatever else was off. */
static void expect_exact(const struct hd_model *model, const struct hd_node *region, uint64_t instances) {
  const struct hd_node *inside = NULL;
  for (uint32_t i = region->id; i < model->node_count; i++)
    if (model->nodes[i].parent == region->id && model->nodes[i].kind == HD_KIND_CRITICAL)
      inside = &model->nodes[i];
  assert_non_null(inside);
  assert_int_equal(region->visits, instances);
  assert_int_equal(inside->visits, instances);
  assert_int_equal(region->refused | inside->refused, 0);
  assert_int_equal(region->marks[HD_MARKS_OF_CALLPATHS] & ~(uint32_t)HD_MARK_LEVELS, 0);
}

/* ---- off in part ---- */

static void test_off_in_one_region_all_is_observed_in_the_other(void **state) {
  (void)state;
  begin();
  regions(0, 100);
  ask(100, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, ID_LEFT);
  regions(100, 2000);
  struct hd_model *model = end(2000);
  const struct hd_node *left = ex_node(model, SITE(PARALLEL, LEFT));
  const struct hd_node *section_of_left = ex_node(model, SITE(PARALLEL, LEFT), SITE(CRITICAL, SECTION));
  const uint64_t seen = in_windows(model, section_of_left);
  assert_int_equal(left->id, ID_LEFT);
  assert_in_range(seen, 1900 / 40 / 4, 1900 / 40 * 2); /* 40 ms apart, as for what costs an unknown part of the time */
  assert_int_equal(section_of_left->visits, 100 + seen);
  assert_true(left->marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_GAIN_UNKNOWN);
  expect_exact(model, ex_node(model, SITE(PARALLEL, RIGHT)), 2000);
  assert_int_equal(ex_node(model, SITE(PARALLEL, RIGHT))->untold_ticks, 0);
  assert_int_equal(model->switch_count, 1);
  assert_true(model->switches[0].asked && model->switches[0].in_part);
  assert_int_equal(model->header.control.off, 1u << HD_CLASS_MUTEX);
  assert_int_equal(model->header.control.in_part, 1u << HD_CLASS_MUTEX);
  assert_true(has_note(model, "mutex off under parallel"));
  hd_model_free(model);
}

static void test_on_in_one_region_all_is_observed_there(void **state) {
  (void)state;
  begin();
  regions(0, 1);
  ask(1, HD_CONTROL_OFF, HD_CLASS_MUTEX, 200000);
  regions(1, 1000);
  ask(1000, HD_CONTROL_ON_UNDER, HD_CLASS_MUTEX, ID_RIGHT);
  regions(1000, 2000);
  struct hd_model *model = end(2000);
  const struct hd_node *left = ex_node(model, SITE(PARALLEL, LEFT), SITE(CRITICAL, SECTION));
  const struct hd_node *right = ex_node(model, SITE(PARALLEL, RIGHT), SITE(CRITICAL, SECTION));
  /* Of the first 999 ms windows see as much in both. */
  assert_in_range(right->visits, 1 + 1000, 1 + 1000 + 80);
  assert_int_equal(right->visits, 1 + 1000 + in_windows(model, right));
  assert_in_range(left->visits, 10, 150);
  assert_int_equal(model->switch_count, 2);
  assert_true(!model->switches[0].in_part && model->switches[0].on_ticks == model->switches[1].off_ticks);
  assert_true(model->switches[1].in_part && model->switches[1].on_ticks == 0);
  assert_int_equal(model->switches[1].cost_ppm, 200000);
  hd_model_free(model);
}

/* The runtime is told not to send what is off where it is off only: the profile says where that was. */
static void test_what_is_muted_in_one_region_is_heard_in_the_other(void **state) {
  (void)state;
  begin();
  regions(0, 1);
  ask(1, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, ID_LEFT);
  regions(1, 200);
  struct hd_model *model = end(200);
#ifdef __x86_64__
  assert_int_equal(ex_node(model, SITE(PARALLEL, LEFT))->unheard, 1u << HD_CLASS_MUTEX);
#endif
  expect_exact(model, ex_node(model, SITE(PARALLEL, RIGHT)), 200);
  hd_model_free(model);
}

/* ---- callpaths that come later ---- */

static void in_phase(uint32_t phase, uint64_t from_ms, uint64_t until_ms) {
  sc_at(from_ms * MS + 100);
  sc_phase_begin(phase);
  regions(from_ms, until_ms);
  sc_at(until_ms * MS - 100);
  sc_phase_end(0);
}

static const struct hd_node *below_phase(const struct hd_model *model, uint32_t phase_id, uint64_t code) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].parent == phase_id && model->nodes[i].address == code)
      return &model->nodes[i];
  fail_msg("no region %llx", (unsigned long long)code);
  return NULL;
}

/* The phase has no region when it is asked for. */
static void test_new_callpaths_are_as_those_above_them(void **state) {
  (void)state;
  begin();
  ask(1, HD_CONTROL_OFF, HD_CLASS_MUTEX, 0);
  sc_at(2 * MS);
  sc_phase_begin(1); /* profile 1 */
  ask(3, HD_CONTROL_ON_UNDER, HD_CLASS_MUTEX, 1);
  sc_at(3 * MS + 1);
  sc_masked_begin(0x500); /* the event at which it is done */
  sc_masked_end();
  sc_phase_end(0);
  in_phase(1, 4, 50);
  in_phase(2, 50, 100);
  struct hd_model *model = end(100);
  assert_int_equal(model->nodes[1].kind, HD_KIND_PHASE);
  expect_exact(model, below_phase(model, 1, LEFT), 46);
  expect_exact(model, below_phase(model, 1, RIGHT), 46);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].address == LEFT && model->nodes[i].parent != 1)
      assert_true(model->nodes[i].refused >> HD_CLASS_MUTEX & 1);
  hd_model_free(model);
}

static void test_inner_regions_are_as_they_were_asked_for(void **state) {
  (void)state;
  begin();
  for (uint64_t ms = 0; ms < 100; ms++) {
    if (ms == 1)
      ask(ms, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, 1); /* the outer region, and the inner one below it */
    if (ms == 2)
      ask(ms, HD_CONTROL_ON_UNDER, HD_CLASS_MUTEX, 2); /* the inner one */
    begin_region(LEFT, ms * MS + 1000);
    begin_region(INNER, ms * MS + 100000);
    section(ms * MS + 200000);
    sc_join(ms * MS + 300000, ms * MS + 310000, ms * MS + 320000);
    section(ms * MS + 400000);
    sc_join(ms * MS + 500000, ms * MS + 510000, ms * MS + 520000);
  }
  struct hd_model *model = end(100);
  assert_int_equal(ex_node(model, SITE(PARALLEL, LEFT), SITE(PARALLEL, INNER))->id, 2);
  assert_int_equal(ex_visits(model, 0, SITE(PARALLEL, LEFT), SITE(PARALLEL, INNER), SITE(CRITICAL, SECTION)), 99);
  assert_in_range(ex_visits(model, 0, SITE(PARALLEL, LEFT), SITE(CRITICAL, SECTION)), 1, 20);
  hd_model_free(model);
}

/* ---- and what comes after ---- */

static void test_on_and_off_everywhere_end_it(void **state) {
  (void)state;
  begin();
  regions(0, 10);
  ask(10, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, ID_LEFT);
  regions(10, 20);
  ask(20, HD_CONTROL_OFF, HD_CLASS_MUTEX, 0);
  regions(20, 30);
  ask(30, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, ID_RIGHT); /* so it stays */
  regions(30, 40);
  ask(40, HD_CONTROL_ON, HD_CLASS_MUTEX, 0);
  regions(40, 100);
  ask(100, HD_CONTROL_OFF_UNDER, HD_CLASS_MUTEX, ID_RIGHT);
  regions(100, 110);
  ask(110, HD_CONTROL_ON_UNDER, HD_CLASS_MUTEX, 0);
  regions(110, 120);
  struct hd_model *model = end(120);
  const bool in_part[] = {true, false, true};
  assert_int_equal(model->switch_count, 3);
  for (int i = 0; i < 3; i++)
    assert_true(model->switches[i].asked && model->switches[i].in_part == in_part[i]);
  const uint64_t left = ex_visits(model, 0, SITE(PARALLEL, LEFT), SITE(CRITICAL, SECTION));
  const uint64_t right = ex_visits(model, 0, SITE(PARALLEL, RIGHT), SITE(CRITICAL, SECTION));
  assert_in_range(left, 10 + 80, 10 + 80 + 10); /* and what windows saw */
  assert_in_range(right, 20 + 60 + 10, 20 + 60 + 10 + 10);
  assert_true(model->switches[1].off_ticks <= 21 * MS && model->switches[1].on_ticks >= 40 * MS);
  hd_model_free(model);
}

/* A section costs 15 us, both 3 % of the time: the budget switches mutexes off in both regions within some 100 ms, for
 * half a second. */
static void test_on_ends_what_the_budget_began_there_only(void **state) {
  (void)state;
  static const char *const environment[] = {"HEDDLE_TEST_DELAY=5000", NULL};
  const struct fk_options options = {.environment = environment};
  uint32_t ended[2] = {0};
  begin();
  regions(0, 300);
  ask(300, HD_CONTROL_ON_UNDER, HD_CLASS_MUTEX, ID_RIGHT);
  regions(300, 310);
  sc_at(310 * MS);
  sc_finish();
  struct hd_model *model = ex_play_with(&options);
  for (uint32_t i = 0; i < model->switch_count; i++) {
    const struct hd_switch *from = &model->switches[i];
    assert_false(from->asked);
    if (from->event_class == HD_CLASS_MUTEX)
      ended[from->node >= ID_RIGHT] += from->on_ticks >= 300 * MS;
  }
  assert_int_equal(ended[0], 0);
  assert_int_equal(ended[1], 1);
  hd_model_free(model);
}

/* ---- what makes no sense ---- */

static void expect_refused(enum hd_control_command command, uint32_t event_class, uint32_t profile) {
  begin();
  regions(0, 10);
  ask(10, command, event_class, profile);
  regions(10, 20);
  struct hd_model *model = end(20);
  assert_int_equal(model->header.control.refused, 1);
  assert_int_equal(model->header.control.count, 0);
  assert_int_equal(model->switch_count, 0);
  expect_exact(model, ex_node(model, SITE(PARALLEL, LEFT)), 20);
  hd_model_free(model);
}

static void test_what_is_no_callpath_or_class_is_refused(void **state) {
  (void)state;
  const enum hd_control_command commands[] = {HD_CONTROL_ON_UNDER, HD_CONTROL_OFF_UNDER};
  for (int i = 0; i < 2; i++) {
    expect_refused(commands[i], HD_CLASS_MUTEX, 5); /* there are 5 */
    expect_refused(commands[i], HD_CLASS_MUTEX, HD_CONTROL_PROFILE_MOST);
    expect_refused(commands[i], HD_CLASS_REGION, ID_LEFT);
    expect_refused(commands[i], HD_CLASS_COUNT, ID_LEFT);
    expect_refused(commands[i], 15, ID_LEFT);
  }
}

/* Records are bounded, as those of requests for all. */
static void test_many_requests(void **state) {
  (void)state;
  begin();
  regions(0, 1);
  for (uint32_t i = 1; i < 400; i++) {
    ask(i,
        i % 3 == 0   ? HD_CONTROL_ON_UNDER
        : i % 3 == 1 ? HD_CONTROL_OFF_UNDER
                     : HD_CONTROL_OFF,
        HD_CLASS_MUTEX, i % 2 ? ID_LEFT : ID_RIGHT);
    regions(i, i + 1);
  }
  struct hd_model *model = end(400);
  assert_in_range(model->switch_count, 65, 66);
  assert_int_equal(model->header.control.count, 399);
  assert_true(has_note(model, "and 391 more"));
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_off_in_one_region_all_is_observed_in_the_other),
      cmocka_unit_test(test_on_in_one_region_all_is_observed_there),
      cmocka_unit_test(test_what_is_muted_in_one_region_is_heard_in_the_other),
      cmocka_unit_test(test_new_callpaths_are_as_those_above_them),
      cmocka_unit_test(test_inner_regions_are_as_they_were_asked_for),
      cmocka_unit_test(test_on_and_off_everywhere_end_it),
      cmocka_unit_test(test_on_ends_what_the_budget_began_there_only),
      cmocka_unit_test(test_what_is_no_callpath_or_class_is_refused),
      cmocka_unit_test(test_many_requests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
