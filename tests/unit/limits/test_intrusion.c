/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_intrusion.c
 * What a file says of Heddle's own cost, in the model, in the JSON, in reports, and in sums of runs.
 */
#include "merge_sum.h"
#include "profile_builder.h"

#include <jansson.h>
#include <math.h>

#include "output/analysis/callpaths/callpath_truncate.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/symbols/resolve_names.h"
#include "output/views/export/export.h"
#include "output/views/report/report.h"

/* A region of two threads with a loop in it, 1000 ticks long, of which Heddle took some. */
struct sample {
  struct builder builder;
  struct hd_thread_record *threads[2];
  struct hd_row_record *program, *regions[2], *loops[2];
  struct hd_total_record *total;
};

static struct hd_row_record *row(struct builder *builder, uint32_t profile, uint32_t thread, uint64_t busy,
                                 uint64_t waiting, uint64_t runtime) {
  struct hd_row_record *made = builder_row(builder, profile, thread);
  made->visits = 1;
  builder_cell(made, HD_BUSY)->ticks = busy;
  if (waiting)
    builder_cell(made, HD_WAIT_BARRIER_IMPLICIT)->ticks = waiting;
  if (runtime)
    builder_cell(made, HD_RUNTIME_FORK_JOIN)->ticks = runtime;
  return made;
}

static void take(struct hd_row_record *from, int64_t busy, int64_t waiting, int64_t runtime) {
  builder_cell(from, HD_BUSY)->intrusion = busy;
  if (waiting)
    builder_cell(from, HD_WAIT_BARRIER_IMPLICIT)->intrusion = waiting;
  if (runtime)
    builder_cell(from, HD_RUNTIME_FORK_JOIN)->intrusion = runtime;
}

static void build(struct sample *sample) {
  struct builder *builder = &sample->builder;
  *sample = (struct sample){0};
  builder_init(builder);
  builder_module(builder, "/bin/app");
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_profile(builder, 0, HD_KIND_PARALLEL)->module = 0;
  builder_profile(builder, 1, HD_KIND_LOOP_STATIC)->module = 0;
  builder_name(builder, 1, "solve", "/src/app.c", "10");
  builder_name(builder, 2, "solve", "/src/app.c", "12");
  for (uint32_t i = 0; i < 2; i++) {
    sample->threads[i] = builder_thread(builder, i ? HD_THREAD_WORKER : HD_THREAD_INITIAL, 1000, 2000);
    sample->threads[i]->end_ticks = 2000;
  }
  sample->program = row(builder, 0, 0, 100, 0, 0);
  sample->regions[0] = row(builder, 1, 0, 300, 100, 100);
  sample->regions[1] = row(builder, 1, 1, 400, 200, 0);
  sample->loops[0] = row(builder, 2, 0, 400, 0, 0);
  sample->loops[1] = row(builder, 2, 1, 400, 0, 0);
  take(sample->program, 1, 0, 0);
  take(sample->regions[0], 10, -20, 5);
  take(sample->regions[1], 20, -30, 0);
  take(sample->loops[0], 40, 0, 0);
  take(sample->loops[1], 4, 0, 0);
  sample->total = builder_total(builder, 1, 2);
  sample->total->instances = 1;
  sample->total->elapsed_ticks = 900;
  sample->total->capacity_ticks = 1800;
  sample->total->busy_ticks = 1500;
  sample->total->intrusion_ticks = 50;
  sample->total->merged = 90;
  sample->threads[0]->intrusion = sample->threads[0]->intrusion_charged = 51;
}

static void add_costs(struct sample *sample) {
  struct hd_file_header *header = sample->builder.header;
  struct hd_costs_record *first = builder_costs(&sample->builder, 0);
  struct hd_costs_record *second = builder_costs(&sample->builder, 1);
  first->kinds[HD_EVENT_WORK_BEGIN] = (struct hd_event_cost){.count = 10, .charged = 4, .total_ticks = 20, .ticks = 3};
  second->kinds[HD_EVENT_WORK_BEGIN] = (struct hd_event_cost){.count = 2, .charged = 2, .total_ticks = 12, .ticks = 9};
  second->kinds[HD_EVENT_CALL] = (struct hd_event_cost){.count = 50, .ticks = 1};
  struct hd_switch_record *closed = builder_switch(&sample->builder, HD_CLASS_MUTEX, 1, 1);
  closed->on_ticks = 1200;
  closed->cost_ppm = 30000;
  builder_switch(&sample->builder, HD_CLASS_TASK, 0, 2)->off_ticks = 1900; /* up to the end */
  header->budget_ppm = 20000;
  header->outside_ticks = 7;
  header->memory_bytes = 1 << 20;
  header->memory_limit_bytes = 4 << 20;
  header->shortened_paths = 3;
}

/* ---- the model ---- */

static void test_intrusion_is_summed_over_threads_and_the_tree(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  struct hd_model *model = builder_read(&sample.builder);
  const struct hd_node *region = &model->nodes[1];
  assert_int_equal(region->intrusion.ticks[HD_INTRUSION_BUSY], 30);
  assert_int_equal(region->intrusion_inclusive.ticks[HD_INTRUSION_BUSY], 74);
  assert_int_equal(hd_intrusion_waiting(&region->intrusion), 40);
  assert_int_equal(region->team.intrusion_ticks, 50);
  assert_true(hd_team_corrected_elapsed(&region->team) == 850);
  assert_int_equal(hd_intrusion_all(&model->nodes[0].intrusion_inclusive), 1 + 74 + 40 + 5);
  assert_int_equal(hd_intrusion_all(&model->intrusion), 1 + 74 + 40 + 5);
  assert_int_equal(model->threads[1].intrusion.ticks[HD_INTRUSION_BUSY], 24);
  assert_true(hd_model_corrected_elapsed(model) == 1000 - 51);
  assert_true(hd_overhead_of(region->inclusive_ticks, &region->intrusion_inclusive, &region->team) == 50.0 / 900);
  const struct hd_intrusion too_much = {.ticks = {[HD_INTRUSION_BUSY] = 2000}}; /* of 1500: an estimate */
  assert_true(hd_overhead_of(region->inclusive_ticks, &too_much, &region->team) == 1);
  assert_true(isnan(hd_model_overhead(model))); /* the file has no costs */
  hd_model_free(model);
  builder_free(&sample.builder);
}

static struct hd_model *read_open(struct sample *sample, struct hd_row_record *in, enum hd_state state) {
  sample->threads[1]->end_ticks = 0;
  sample->threads[1]->intrusion = 17;
  sample->threads[1]->intrusion_charged = 12;
  sample->threads[1]->intrusion_base = 2;
  sample->threads[1]->open_cell = builder_offset(&sample->builder, builder_cell(in, state));
  return builder_read(&sample->builder);
}

static void test_what_is_not_charged_at_the_end_is_where_the_thread_is(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  struct hd_model *model = read_open(&sample, sample.loops[1], HD_BUSY);
  assert_int_equal(hd_model_row(model, 2, 1)->intrusion.ticks[HD_INTRUSION_BUSY], 4 + 5);
  hd_model_free(model);
  model = read_open(&sample, sample.loops[1], HD_WAIT_CRITICAL);
  assert_int_equal(hd_model_row(model, 2, 1)->intrusion.ticks[HD_INTRUSION_WAITING], 5);
  hd_model_free(model);
  model = read_open(&sample, sample.regions[1], HD_WAIT_BARRIER_EXPLICIT); /* its team's delay is not known */
  assert_int_equal(hd_model_row(model, 1, 1)->intrusion.ticks[HD_INTRUSION_WAITING], -30);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_a_worker_at_a_regions_end_is_late_no_more(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  struct hd_team_record *team = builder_team(&sample.builder, 1);
  builder_begin_worker(team, sample.threads[1], 1110, 0);
  team->flags |= HD_TEAM_JOINED | HD_TEAM_ENDED | HD_TEAM_ADDED;
  team->team_size = 2;
  team->finished = team->pending = 1;
  team->begin_ticks = 1100, team->join_ticks = 1990, team->end_ticks = 2000;
  builder_waiting(&sample.builder, 1, team);
  struct hd_model *model = read_open(&sample, sample.regions[1], HD_WAIT_BARRIER_IMPLICIT);
  assert_int_equal(hd_model_row(model, 1, 1)->intrusion.ticks[HD_INTRUSION_WAITING], -30 - (12 - 2));
  hd_model_free(model);
  team->flags = HD_TEAM_OPEN; /* the team's delay was not added yet */
  team->join_ticks = team->end_ticks = 0;
  model = read_open(&sample, sample.regions[1], HD_WAIT_BARRIER_IMPLICIT);
  assert_int_equal(hd_model_row(model, 1, 1)->intrusion.ticks[HD_INTRUSION_WAITING], -30);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_a_thread_is_late_by_what_teams_were_that_it_led(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  struct hd_delay_record *delay = builder_record(&sample.builder, HD_BLOCK_DELAYS, sizeof *delay);
  *delay = (struct hd_delay_record){.thread = 1, .ticks = 900, .base = 100, .arrived = 104};
  struct hd_model *model = read_open(&sample, sample.loops[1], HD_BUSY);
  assert_int_equal(model->threads[1].late_ticks, 17 + 900);
  assert_int_equal(hd_model_row(model, 2, 1)->intrusion.ticks[HD_INTRUSION_BUSY], 4 + 5);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_costs_and_switches_are_closed(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  struct hd_model *model = builder_read(&sample.builder);
  assert_int_equal(model->cost_of[HD_EVENT_WORK_BEGIN].count, 12);
  assert_int_equal(model->cost_of[HD_EVENT_WORK_BEGIN].ticks, 20 + 6 * 3 + 12);
  assert_int_equal(model->cost_of[HD_EVENT_CALL].ticks, 50);
  assert_int_equal(model->cost_ticks, 100);
  assert_int_equal(model->threads[1].cost_ticks, 62);
  assert_int_equal(model->switch_count, 2);
  assert_int_equal(model->switches[0].ticks, 200);
  assert_int_equal(model->switches[1].ticks, 100);
  assert_true(has_note(model, "critical sections, locks, ordered and atomic were not measured for 0.000 s (1 time)"));
  assert_true(has_note(model, "budget of 2 % (HEDDLE_OVERHEAD)"));
  assert_true(has_note(model, "memory was near its limit of 4.0 MiB: 3 callpaths"));
  assert_true(has_note(model, "in 1 parallel region Heddle itself took more than 5 % of the time, up to 6 %"));
  hd_model_free(model);
  builder_free(&sample.builder);
}

/* Told at some time, it was there: then other notes say when it was switched off. */
static void test_entry_points_of_which_nothing_was_told_are_noted(void **state) {
  (void)state;
  static const struct {
    enum hd_kind kind;
    enum hd_event_kind told;
    const char *note; /* NULL: none */
  } cases[] = {
      {HD_KIND_LOOP_DYNAMIC, HD_EVENT_CALL,
       "how long the runtime took to hand out chunks of loops counts as busy time"},
      {HD_KIND_TASK, HD_EVENT_CALL, "how long the runtime took to create tasks counts as busy time"},
      {HD_KIND_LOOP_STATIC, HD_EVENT_CALL, NULL},
      {HD_KIND_TASK, HD_EVENT_SCHEDULING_BEGIN, NULL},
      {HD_KIND_LOOP_DYNAMIC, HD_EVENT_CREATION_BEGIN, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sample sample;
    build(&sample);
    builder_profile(&sample.builder, 1, cases[i].kind);
    builder_costs(&sample.builder, 0)->kinds[cases[i].told] = (struct hd_event_cost){.count = 50, .ticks = 1};
    struct hd_model *model = builder_read(&sample.builder);
    assert_int_equal(has_note(model, "libheddle-entry.so was not loaded"), cases[i].note != NULL);
    assert_true(!cases[i].note || has_note(model, cases[i].note));
    hd_model_free(model);
    builder_free(&sample.builder);
  }
}

/* In a microsecond. The start is no event. */
static void test_overhead_is_noted_in_a_short_run_but_for_the_start(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  builder_cell(sample.program, HD_BUSY)->intrusion += 100;
  sample.builder.header->start_ticks = 100;
  struct hd_model *model = builder_read(&sample.builder);
  assert_false(has_note(model, "Heddle's events took"));
  hd_model_free(model);
  add_costs(&sample); /* 100 beside 1600 */
  model = builder_read(&sample.builder);
  assert_true(hd_model_overhead(model) == 0.0625);
  assert_true(has_note(model, "Heddle's events took 6.2 % of the busy time: shares")); /* what half a second may cost */
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_much_overhead_is_noted_where_it_matters(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  sample.builder.header->clock_kind = HD_CLOCK_TSC;
  sample.builder.header->clock_last = (struct hd_clock_pair){1000, 1000000000}; /* a tick is a millisecond */
  struct hd_model *model = builder_read(&sample.builder);
  assert_true(has_note(model, "Heddle's events took 6.2 % of the busy time, more than the budget of 2 % of all thread time:"));
  hd_model_free(model);
  sample.builder.header->budget_ppm = 50001; /* 100 of two threads that lived for 1000 */
  model = builder_read(&sample.builder);
  assert_true(has_note(model, "Heddle's events took 6.2 % of the busy time: shares"));
  hd_model_free(model);
  sample.builder.header->end_ticks = 46000; /* the region is a fiftieth of it, what Heddle took there a thousandth */
  builder_cell(sample.program, HD_BUSY)->ticks += 44000;
  sample.threads[0]->last_ticks = sample.threads[0]->end_ticks = 46000;
  model = builder_read(&sample.builder);
  assert_false(has_note(model, "Heddle's events took"));
  assert_false(has_note(model, "Heddle itself took more"));
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_folding_and_focus_keep_it(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  struct hd_model *model = builder_read(&sample.builder);
  hd_callpath_truncate(model, 1);
  assert_int_equal(model->nodes[1].intrusion_inclusive.ticks[HD_INTRUSION_BUSY], 30); /* the loop stands beside it */
  assert_int_equal(model->nodes[2].intrusion.ticks[HD_INTRUSION_BUSY], 44);
  assert_int_equal(hd_intrusion_all(&model->nodes[0].intrusion_inclusive), 1 + 74 + 40 + 5);
  assert_int_equal(model->switches[1].node, 2);
  hd_model_free(model);
  builder_free(&sample.builder);
}

/* ---- sums of runs ---- */

static void test_sums_of_runs_add_it_up(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  struct hd_model *models[] = {builder_read(&sample.builder), builder_read(&sample.builder)};
  struct hd_model *sum = SUM(models[0], models[1]);
  assert_int_equal(hd_intrusion_all(&sum->intrusion), 2 * hd_intrusion_all(&models[0]->intrusion));
  assert_int_equal(sum->nodes[1].team.intrusion_ticks, 100);
  assert_true(hd_model_corrected_elapsed(sum) == 2 * hd_model_corrected_elapsed(models[0]));
  assert_int_equal(sum->cost_of[HD_EVENT_WORK_BEGIN].count, 24);
  assert_int_equal(sum->cost_of[HD_EVENT_WORK_BEGIN].ticks, 100);
  assert_int_equal(sum->cost_ticks, 200);
  assert_int_equal(sum->threads[1].cost_ticks, 124);
  assert_int_equal(sum->switch_count, 2);
  assert_int_equal(sum->switches[0].times, 2);
  assert_int_equal(sum->switches[0].ticks, 400);
  assert_int_equal(sum->switches[0].cost_ppm, 30000);
  assert_int_equal(sum->header.shortened_paths, 6);
  assert_int_equal(sum->header.budget_ppm, 20000);
  assert_int_equal(sum->header.memory_bytes, 1 << 20);
  struct hd_model *again = SUM(sum, models[0]);
  assert_int_equal(again->cost_ticks, 300);
  assert_int_equal(again->switches[1].ticks, 300);
  hd_model_free(again);
  hd_model_free(sum);
  free_all(models, 2);
  builder_free(&sample.builder);
}

/* ---- for people and other programs ---- */

static json_t *json_of(const struct hd_model *model) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_true(hd_exporters[0]->write(model, HD_WEIGHT_WALL, out));
  fclose(out);
  json_t *json = json_loads(text, 0, NULL);
  assert_non_null(json);
  free(text);
  return json;
}

static json_t *at(json_t *json, const char *list, size_t index, const char *key) {
  json_t *object = json_array_get(json_object_get(json, list), index);
  assert_non_null(json_object_get(object, key));
  return json_object_get(object, key);
}

/* Seconds as ticks. */
static long ticks(json_t *object, const char *key) {
  assert_true(json_is_real(json_object_get(object, key)));
  const double value = 1e9 * json_real_value(json_object_get(object, key));
  return (long)(value < 0 ? value - 0.5 : value + 0.5);
}

static void test_json_has_corrected_times(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  builder_cell(sample.regions[1], HD_WAIT_BARRIER_IMPLICIT)->intrusion = -400; /* it would have waited for longer */
  struct hd_model *model = builder_read(&sample.builder);
  json_t *json = json_of(model);
  json_t *region = at(json, "profiles", 1, "corrected");
  assert_int_equal(ticks(region, "elapsed_s"), 850);
  assert_int_equal(ticks(region, "busy_s"), 670);
  assert_int_equal(ticks(region, "busy_inclusive_s"), 1500 - 74);
  assert_int_equal(ticks(region, "wait_s"), 300 - 90 + 20 + 400);
  assert_int_equal(ticks(region, "runtime_s"), 95);
  assert_int_equal(ticks(json_array_get(json_object_get(json, "profiles"), 1), "overhead_s"), 30 - 330 + 5);
  assert_true(json_is_null(json_object_get(at(json, "profiles", 2, "corrected"), "elapsed_s")));
  assert_int_equal(ticks(at(json, "profiles", 0, "corrected"), "elapsed_s"), 949);
  json_t *program = json_object_get(json_object_get(json, "program"), "corrected");
  assert_int_equal(ticks(program, "elapsed_s"), 949);
  assert_int_equal(ticks(program, "busy_s"), 1600 - 75);
  assert_true(json_is_null(json_object_get(json_object_get(json, "run"), "overhead"))); /* the file has no costs */
  json_decref(json);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static bool is_null(json_t *object, const char *key) {
  return json_is_null(json_object_get(object, key));
}

/* What cannot be true is not shown: less than nothing, or more than there was. */
static void test_impossible_corrected_times_are_not_known(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  take(sample.regions[1], 1000, 400, 0); /* busy for 700, waited for 300 */
  take(sample.loops[0], -50, 0, 0);
  sample.total->intrusion_ticks = 901; /* of 900 */
  sample.threads[0]->intrusion = sample.threads[0]->intrusion_charged = 1001;
  struct hd_model *model = builder_read(&sample.builder);
  assert_true(isnan(hd_model_corrected_elapsed(model)));
  json_t *json = json_of(model);
  json_t *region = json_array_get(json_object_get(json, "profiles"), 1);
  json_t *loop = json_array_get(json_object_get(json, "profiles"), 2);
  json_t *corrected = json_object_get(region, "corrected");
  assert_true(is_null(corrected, "elapsed_s") && is_null(corrected, "busy_s") && is_null(corrected, "wait_s"));
  assert_int_equal(ticks(corrected, "busy_inclusive_s"), 1500 - 1010 + 46);
  assert_true(is_null(region, "overhead_s"));
  assert_true(is_null(json_object_get(loop, "corrected"), "busy_s"));
  assert_true(is_null(json_array_get(json_object_get(json, "threads"), 1), "corrected_busy_s")); /* of 800 */
  json_decref(json);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_json_has_costs_switches_and_memory(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  struct hd_model *model = builder_read(&sample.builder);
  json_t *json = json_of(model);
  json_t *run = json_object_get(json, "run");
  json_t *overhead = json_object_get(run, "overhead");
  assert_int_equal(ticks(overhead, "own_s"), 100);
  assert_true(json_real_value(json_object_get(overhead, "percent_of_busy")) == 6.25);
  assert_true(json_real_value(json_object_get(overhead, "budget_percent")) == 2);
  assert_int_equal(json_array_size(json_object_get(overhead, "events")), 2);
  json_t *event = json_array_get(json_object_get(overhead, "events"), 0);
  assert_string_equal(json_string_value(json_object_get(event, "event")), "work_begin");
  assert_int_equal(json_integer_value(json_object_get(event, "count")), 12);
  json_t *off = json_array_get(json_object_get(run, "switched_off"), 0);
  assert_string_equal(json_string_value(json_object_get(off, "class")), "mutex");
  assert_string_equal(json_string_value(json_object_get(off, "where")), "parallel app.c:10 in solve");
  assert_int_equal(ticks(off, "seconds"), 200);
  assert_true(json_real_value(json_object_get(off, "cost_percent")) == 3);
  json_t *memory = json_object_get(run, "memory");
  assert_int_equal(json_integer_value(json_object_get(memory, "limit_bytes")), 4 << 20);
  assert_int_equal(json_integer_value(json_object_get(memory, "shortened_paths")), 3);
  assert_int_equal(ticks(json_array_get(json_object_get(json, "threads"), 0), "delay_s"), 51);
  json_decref(json);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static char *report_of(struct sample *sample, struct hd_report_options options) {
  char *text = NULL;
  size_t bytes = 0;
  struct hd_model *model = builder_read(&sample->builder);
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(hd_report_print(model, &options, out, stderr), HD_REPORT_MADE);
  fclose(out);
  hd_model_free(model);
  return text;
}

/* Runs of spaces count as one. */
static void expect_text(const char *text, const char *part) {
  char *plain = strdup(text);
  char *to = plain;
  for (const char *from = text; *from; from++)
    if (*from != ' ' || (to > plain && to[-1] != ' '))
      *to++ = *from;
  *to = '\0';
  if (!strstr(plain, part))
    fail_msg("no \"%s\" in:\n%s", part, text);
  free(plain);
}

static void test_report_shows_times_with_and_without(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  char *text = report_of(&sample, (struct hd_report_options){.question = HD_ASK_OVERHEAD});
  expect_text(text,
              "heddle 0.100 us of thread time in 62 events, 6.2 % of the busy time; without it about 0.949 us elapsed");
  expect_text(text, "1.000 0.949 1.600 1.525 0.300 0.260 6.2 program");
  expect_text(text, "0.900 0.850 1.500 1.426 0.300 0.260 5.6 ");
  expect_text(text, "12 4 0.050 50.0 work begin");
  expect_text(text, "critical sections, locks, ordered and atomic: 0.200 us, 1 time, in parallel app.c:10 in solve, "
                    "where they had cost 3.0 % of thread 1's last half second");
  free(text);
  text = report_of(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  expect_text(text, "Heddle%");
  expect_text(text, " 5.6 ");
  free(text);
  sample.total->intrusion_ticks = 0;
  for (int i = 0; i < 2; i++) {
    take(sample.regions[i], 0, 0, 0);
    take(sample.loops[i], 0, 0, 0);
  }
  text = report_of(&sample, (struct hd_report_options){.question = HD_ASK_REGIONS});
  assert_null(strstr(text, "Heddle%")); /* nothing to be warned of */
  free(text);
  builder_free(&sample.builder);
}

/* What `heddle run` prints, where the heading of a report is brief. */
static void test_summaries_show_the_same_share(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  char *text = NULL;
  size_t bytes = 0;
  struct hd_model *model = builder_read(&sample.builder);
  FILE *out = open_memstream(&text, &bytes);
  hd_report_summary(model, out);
  fclose(out);
  expect_text(text, "in 62 events, 6.2 % of the busy time;");
  expect_text(text, "Heddle's events took 6.2 % of the busy time");
  free(text);
  hd_model_free(model);
  builder_free(&sample.builder);
}

static void test_report_shows_no_impossible_time(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  take(sample.regions[0], 10, 400, 5);
  sample.threads[0]->intrusion = sample.threads[0]->intrusion_charged = 1001;
  char *text = report_of(&sample, (struct hd_report_options){.question = HD_ASK_OVERHEAD});
  expect_text(text, "6.2 % of the busy time; how long the run takes without it is not known");
  expect_text(text, "1.000 - 1.600 1.525 0.300 - 6.2 program");
  expect_text(text, "0.900 0.850 1.500 1.426 0.300 - 5.6 ");
  free(text);
  builder_free(&sample.builder);
}

static int fields_of(const char *line) {
  int count = 1;
  for (; *line && *line != '\n'; line++)
    count += *line == ',';
  return count;
}

static void test_csv_lines_have_all_fields(void **state) {
  (void)state;
  struct sample sample;
  build(&sample);
  add_costs(&sample);
  char *text = report_of(&sample, (struct hd_report_options){.question = HD_ASK_OVERHEAD, .csv = true});
  int lines = 0;
  for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++)
    assert_int_equal(fields_of(line), fields_of(text));
  assert_int_equal(lines, 1 + 3 + 2);
  free(text);
  builder_free(&sample.builder);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intrusion_is_summed_over_threads_and_the_tree),
      cmocka_unit_test(test_what_is_not_charged_at_the_end_is_where_the_thread_is),
      cmocka_unit_test(test_a_worker_at_a_regions_end_is_late_no_more),
      cmocka_unit_test(test_a_thread_is_late_by_what_teams_were_that_it_led),
      cmocka_unit_test(test_costs_and_switches_are_closed),
      cmocka_unit_test(test_entry_points_of_which_nothing_was_told_are_noted),
      cmocka_unit_test(test_overhead_is_noted_in_a_short_run_but_for_the_start),
      cmocka_unit_test(test_much_overhead_is_noted_where_it_matters),
      cmocka_unit_test(test_folding_and_focus_keep_it),
      cmocka_unit_test(test_sums_of_runs_add_it_up),
      cmocka_unit_test(test_json_has_corrected_times),
      cmocka_unit_test(test_impossible_corrected_times_are_not_known),
      cmocka_unit_test(test_json_has_costs_switches_and_memory),
      cmocka_unit_test(test_report_shows_times_with_and_without),
      cmocka_unit_test(test_summaries_show_the_same_share),
      cmocka_unit_test(test_report_shows_no_impossible_time),
      cmocka_unit_test(test_csv_lines_have_all_fields),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  setenv("COLUMNS", "4096", 1); /* no bound */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
