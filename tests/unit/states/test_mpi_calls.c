/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads do in MPI, as wrappers of its functions tell. */
#include "expect.h"
#include "output/analysis/findings/findings.h"
#include "output/analysis/losses/losses.h"
#include "output/model/duration.h"
#include "output/model/memory.h"
#include "output/model/node_text.h"
#include "random_plays.h"
#include "script.h"

#include <stdio.h>

#define REGION SITE(PARALLEL, 0x100)
#define SEND SITE(MPI, 0x700)
#define BARRIER SITE(MPI, 0x800)

static void call(uint64_t from, uint64_t to, enum heddle_mpi_kind kind, uint64_t code, uint32_t bytes) {
  sc_at(from);
  sc_mpi_begin(kind, code);
  sc_at(to);
  sc_mpi_end(bytes);
}

static void begin(void) {
  sc_start(SC_LIBOMP_19);
  sc_initial_begin();
}

static struct hd_model *end(uint64_t time) {
  sc_at(time);
  sc_finish();
  fk_sort(sc_script());
  return ex_play();
}

static void test_calls_are_waits_of_their_kind(void **state) {
  (void)state;
  begin();
  for (uint64_t kind = 0; kind <= HEDDLE_MPI_OTHER; kind++)
    call(10 * kind + 1, 10 * kind + 4 + kind, (enum heddle_mpi_kind)kind, 0x700 + 0x10 * kind, 100);
  struct hd_model *model = end(60);
  for (int kind = 0; kind <= HEDDLE_MPI_OTHER; kind++)
    assert_int_equal(model->ticks[HD_WAIT_MPI_FIRST + kind], 3 + kind);
  assert_int_equal(hd_ticks_in_mpi(model->ticks), 3 + 4 + 5 + 6 + 7);
  assert_int_equal(model->ticks[HD_BUSY], 60 - 25);
  ex_expect_levels(&model->time_at, 25, 60 - 25);
  hd_model_free(model);
}

static void test_a_call_has_its_function_bytes_and_place(void **state) {
  (void)state;
  char place[HD_PLACE_BYTES];
  begin();
  call(1, 4, HEDDLE_MPI_POINT_TO_POINT, 0x700, 100);
  call(6, 9, HEDDLE_MPI_POINT_TO_POINT, 0x700, 28);
  struct hd_model *model = end(10);
  const struct hd_node *send = ex_node(model, SEND);
  assert_int_equal(send->visits, 2);
  assert_int_equal(send->shares.mpi_bytes, 128);
  assert_string_equal(send->called, FK_MPI_FUNCTION);
  hd_node_text(place, model, send, NULL);
  assert_memory_equal(place, FK_MPI_FUNCTION, strlen(FK_MPI_FUNCTION));
  hd_model_free(model);
}

/* MPI_Init calls MPI_Barrier. */
static void test_what_mpi_calls_itself_is_part_of_the_call(void **state) {
  (void)state;
  begin();
  sc_at(1);
  sc_mpi_begin(HEDDLE_MPI_OTHER, 0x700);
  call(3, 5, HEDDLE_MPI_COLLECTIVE, 0x800, 8);
  sc_at(9);
  sc_mpi_end(0);
  struct hd_model *model = end(10);
  assert_int_equal(model->ticks[HD_WAIT_MPI_OTHER], 8);
  assert_int_equal(model->ticks[HD_WAIT_MPI_COLLECTIVE], 0);
  assert_false(ex_has_node(model, SEND, BARRIER));
  assert_false(ex_has_node(model, BARRIER));
  hd_model_free(model);
}

/* The primary calls MPI while the other thread works; then both have worked, and the primary calls it outside. */
static void test_other_threads_have_no_work_meanwhile_only_outside_regions(void **state) {
  (void)state;
  begin();
  sc_fork(0x100, 2, 1, 0);
  call(2, 12, HEDDLE_MPI_COLLECTIVE, 0x800, 8);
  sc_thread(1);
  sc_at(20);
  sc_join_begin();
  sc_thread(0);
  sc_join(20, 20, 20);
  call(22, 40, HEDDLE_MPI_POINT_TO_POINT, 0x700, 8);
  struct hd_model *model = end(50);
  struct hd_loss_book *book = hd_loss_book_new(model);
  assert_int_equal(book->program.lost[HD_LOSS_MPI], 10 + 2 * 18);
  assert_int_equal(book->program.lost[HD_LOSS_SERIAL], 2 + 10);
  assert_int_equal(book->inclusive[ex_node(model, REGION)->id].lost[HD_LOSS_MPI], 10);
  hd_loss_book_free(book);
  hd_model_free(model);
}

static void test_waits_are_found_and_initialisation_is_none(void **state) {
  (void)state;
  begin();
  call(0, 400, HEDDLE_MPI_OTHER, 0x900, 0);
  call(450, 750, HEDDLE_MPI_COLLECTIVE, 0x800, 8);
  struct hd_model *model = end(1000);
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  size_t found = 0;
  for (size_t i = 0; i < findings->count; i++)
    if (findings->items[i].cause == HD_CAUSE_MPI_WAIT) {
      found++;
      assert_ptr_equal(findings->items[i].place, ex_node(model, BARRIER));
      assert_true(findings->items[i].gain_ticks == 300);
    }
  assert_int_equal(found, 1);
  hd_findings_free(findings);
  hd_model_free(model);
}

/* Of one line, in two callers. */
static void test_a_finding_is_of_all_calls_at_its_place(void **state) {
  (void)state;
  begin();
  sc_routine_enter(0x1000);
  call(0, 100, HEDDLE_MPI_POINT_TO_POINT, 0x700, 30);
  sc_routine_exit(0x1000);
  sc_routine_enter(0x1100);
  call(100, 250, HEDDLE_MPI_POINT_TO_POINT, 0x700, 10);
  call(250, 400, HEDDLE_MPI_POINT_TO_POINT, 0x700, 20);
  sc_routine_exit(0x1100);
  struct hd_model *model = end(1000);
  struct hd_findings *findings = hd_findings_new(model, HD_FINDING_LEAST);
  const struct hd_finding *finding = &findings->items[0];
  while (finding->cause != HD_CAUSE_MPI_WAIT)
    finding++;
  assert_int_equal(finding->callpaths, 2);
  assert_true(finding->gain_ticks == 400);
  char expected[HD_FINDING_BYTES];
  const struct hd_cell each = hd_duration_brief(400.0 / 3 * model->seconds_per_tick);
  snprintf(expected, sizeof expected, "3 calls of %s and 20 bytes each:", each.text);
  assert_memory_equal(finding->evidence[0], expected, strlen(expected));
  hd_findings_free(findings);
  hd_model_free(model);
}

static void test_random_programs_match_the_oracle(void **state) {
  (void)state;
  pl_check("mpi", (struct rp_options){.routines = true, .mpi = true}, &(struct fk_options){0}, 1);
  pl_check("mpi, killed", (struct rp_options){.routines = true, .mpi = true, .killed = true}, &(struct fk_options){0},
           1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls_are_waits_of_their_kind),
      cmocka_unit_test(test_a_call_has_its_function_bytes_and_place),
      cmocka_unit_test(test_what_mpi_calls_itself_is_part_of_the_call),
      cmocka_unit_test(test_other_threads_have_no_work_meanwhile_only_outside_regions),
      cmocka_unit_test(test_waits_are_found_and_initialisation_is_none),
      cmocka_unit_test(test_a_finding_is_of_all_calls_at_its_place),
      cmocka_unit_test(test_random_programs_match_the_oracle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
