/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What findings say: each sentence has room in a line of 100 characters, behind its indent. */
#include "profile_builder.h"

#include "output/analysis/findings/findings_internal.h"
#include "output/model/memory.h"
#include "output/views/render/table.h"

enum { EVIDENCE_WIDTH = 96, ATTEMPT_WIDTH = 91 };

/* A number with many digits, and a time that takes as much room as any: "0.123 us". */
enum { MANY = 1000000000, TIME = 123 };

enum { REGION = 1, SINGLE, SECTIONS, BARRIER, CRITICAL, LOCK, ATOMIC, ORDERED, TASK, CALL, LOOP };
static const enum hd_kind kinds[] = {HD_KIND_SINGLE, HD_KIND_SECTIONS,   HD_KIND_BARRIER, HD_KIND_CRITICAL,
                                     HD_KIND_LOCK,   HD_KIND_ATOMIC,     HD_KIND_ORDERED, HD_KIND_TASK,
                                     HD_KIND_MPI,    HD_KIND_LOOP_STATIC};

static struct builder builder;
static struct hd_model *model;
static struct hd_diagnosis diagnosis;

static int make(void **state) {
  (void)state;
  builder_init(&builder);
  builder.header->max_threads = 128;
  builder.header->end_ticks = 2000;
  builder_profile(&builder, 0, HD_KIND_PROGRAM);
  builder_thread(&builder, HD_THREAD_INITIAL, 1000, 2000);
  builder_profile(&builder, 0, HD_KIND_PARALLEL);
  for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    builder_name(&builder, builder_profile(&builder, REGION, kinds[i])->id, "compute", "/src/program.c", "1234");
  model = builder_read(&builder);
  diagnosis = (struct hd_diagnosis){.model = model, .book = hd_loss_book_new(model), .processors = 128, .usable = 128};
  hd_diagnosis_find_facts(&diagnosis);
  diagnosis.book->alive_threads = 1024;
  return 0;
}

static int forget(void **state) {
  (void)state;
  hd_diagnosis_free_facts(&diagnosis);
  hd_loss_book_free(diagnosis.book);
  hd_model_free(model);
  builder_free(&builder);
  return 0;
}

static void check(const char (*sentences)[HD_FINDING_BYTES], size_t width) {
  assert_true(sentences[0][0] != '\0');
  for (int i = 0; i < HD_EVIDENCE_MOST; i++)
    if (hd_text_width(sentences[i]) > width)
      fail_msg("a sentence of %zu characters: %s", hd_text_width(sentences[i]), sentences[i]);
}

static void expect_room(hd_finding_words *say, enum hd_cause cause, uint32_t node, bool has_team) {
  struct hd_finding finding = {.cause = cause, .place = &model->nodes[node], .lost_ticks = TIME, .gain_ticks = TIME};
  struct hd_place_sums *sums = &finding.sums;
  sums->visits = sums->task_count = MANY;
  sums->busy_ticks = sums->task_ticks = sums->creation_ticks = sums->producing_ticks = (double)TIME * (double)MANY;
  sums->region.instances = MANY;
  if (has_team)
    sums->team = (struct hd_team_totals){.instances = MANY, .mean_ticks = MANY, .busy_ticks = MANY};
  say(&diagnosis, &finding);
  check(finding.evidence, EVIDENCE_WIDTH);
  check(finding.attempt, ATTEMPT_WIDTH);
}

static void test_causes_of_regions(void **state) {
  (void)state;
  diagnosis.facts[REGION].team = 127;
  expect_room(hd_say_serial, HD_CAUSE_SERIAL, 0, false);
  expect_room(hd_say_serial, HD_CAUSE_SERIAL, REGION, true);
  expect_room(hd_say_serial_in_region, HD_CAUSE_SERIAL_IN_REGION, SINGLE, false);
  expect_room(hd_say_serial_in_region, HD_CAUSE_SERIAL_IN_REGION, SECTIONS, false);
  expect_room(hd_say_imbalance, HD_CAUSE_IMBALANCE, REGION, true);
  expect_room(hd_say_imbalance, HD_CAUSE_IMBALANCE, TASK, false);
  expect_room(hd_say_fork_join, HD_CAUSE_FORK_JOIN, REGION, true);
  expect_room(hd_say_wake_up, HD_CAUSE_WAKE_UP, REGION, true);
  expect_room(hd_say_wake_up, HD_CAUSE_WAKE_UP, SINGLE, false);
  expect_room(hd_say_barrier, HD_CAUSE_BARRIER, BARRIER, false);
  expect_room(hd_say_barrier, HD_CAUSE_BARRIER, REGION, true);
  expect_room(hd_say_reduction, HD_CAUSE_REDUCTION, REGION, true);
}

/* A schedule of the loop that is most of the region's work; of no other one. */
static void test_uneven_work_outside_of_the_loop(void **state) {
  (void)state;
  diagnosis.facts[REGION].loop = LOOP;
  model->nodes[REGION].inclusive_ticks[HD_BUSY] = 100;
  for (int is_most = 0; is_most < 2; is_most++) {
    model->nodes[LOOP].inclusive_ticks[HD_BUSY] = is_most ? 60 : 40;
    struct hd_finding finding = {.cause = HD_CAUSE_IMBALANCE, .place = &model->nodes[REGION]};
    hd_say_imbalance(&diagnosis, &finding);
    assert_ptr_equal(strstr(finding.attempt[0], is_most ? "schedule(dynamic) or" : "the same share"),
                     finding.attempt[0]);
  }
}

static void test_causes_of_locks_and_tasks(void **state) {
  (void)state;
  static const struct {
    enum hd_cause cause;
    uint32_t node;
  } mutexes[] = {
      {HD_CAUSE_CRITICAL, CRITICAL}, {HD_CAUSE_LOCK, LOCK}, {HD_CAUSE_ATOMIC, ATOMIC}, {HD_CAUSE_ORDERED, ORDERED}};
  for (size_t i = 0; i < sizeof mutexes / sizeof mutexes[0]; i++)
    expect_room(hd_say_mutex, mutexes[i].cause, mutexes[i].node, false);
  for (int has_taskloop = 0; has_taskloop < 2; has_taskloop++) {
    diagnosis.facts[REGION].has_taskloop = has_taskloop;
    expect_room(hd_say_task_granularity, HD_CAUSE_TASK_GRANULARITY, TASK, false);
  }
  diagnosis.facts[REGION].unseen_tasks = true;
  expect_room(hd_say_task_granularity, HD_CAUSE_TASK_GRANULARITY, TASK, false);
  expect_room(hd_say_task_creation, HD_CAUSE_TASK_CREATION, TASK, false);
  expect_room(hd_say_task_dependences, HD_CAUSE_TASK_DEPENDENCES, TASK, false);
}

/* Who held what is waited for: most of it in a place of that name, or by turns. */
static void test_holders_of_locks(void **state) {
  (void)state;
  struct hd_model_lock locks[] = {{.node = CRITICAL, .handover_ticks = TIME}};
  struct hd_model_lock_pair pairs[] = {{.node = CRITICAL, .holder = LOCK, .ticks = TIME}};
  model->header.lock_flags |= HD_LOCKS_ASKED;
  model->locks_known = true;
  model->locks = locks;
  model->lock_pairs = pairs;
  model->lock_count = model->lock_pair_count = 1;
  model->nodes[CRITICAL].ticks[HD_WAIT_CRITICAL] = TIME;
  expect_room(hd_say_mutex, HD_CAUSE_CRITICAL, CRITICAL, false);
  model->nodes[CRITICAL].ticks[HD_WAIT_CRITICAL] = 3 * TIME;
  expect_room(hd_say_mutex, HD_CAUSE_CRITICAL, CRITICAL, false);
  model->locks = NULL;
  model->lock_pairs = NULL;
  model->lock_count = model->lock_pair_count = 0;
}

static void test_causes_of_the_run(void **state) {
  (void)state;
  for (int crowded = 0; crowded < 2; crowded++) {
    diagnosis.crowded = crowded;
    expect_room(hd_say_oversubscription, HD_CAUSE_OVERSUBSCRIPTION, REGION, true);
    expect_room(hd_say_oversubscription, HD_CAUSE_OVERSUBSCRIPTION, 0, false);
    expect_room(hd_say_pinned, HD_CAUSE_PINNED, REGION, true);
  }
  expect_room(hd_say_measurement, HD_CAUSE_MEASUREMENT, REGION, true);
  model->cost_of[HD_EVENT_PARALLEL_BEGIN] = (struct hd_cost){.count = MANY, .ticks = TIME};
  expect_room(hd_say_measurement, HD_CAUSE_MEASUREMENT, REGION, true);
}

static void test_waits_in_mpi(void **state) {
  (void)state;
  static const enum hd_state states[] = {HD_WAIT_MPI_COLLECTIVE, HD_WAIT_MPI_POINT_TO_POINT, HD_WAIT_MPI_IO,
                                         HD_WAIT_MPI_ONE_SIDED};
  struct hd_node *call = &model->nodes[CALL];
  call->visits = 1000000;
  call->shares.mpi_bytes = UINT64_C(1) << 50;
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
    call->ticks[states[i]] = (uint64_t)TIME * call->visits;
    expect_room(hd_say_mpi_wait, HD_CAUSE_MPI_WAIT, CALL, false);
    call->ticks[states[i]] = 0;
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, forget)
  const struct CMUnitTest tests[] = {
      TEST(test_causes_of_regions),         TEST(test_uneven_work_outside_of_the_loop),
      TEST(test_causes_of_locks_and_tasks), TEST(test_holders_of_locks),
      TEST(test_causes_of_the_run),         TEST(test_waits_in_mpi),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
