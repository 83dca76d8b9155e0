/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json.c
 * Comparisons for scripts (docs: the page on compare). Stable: fields may be added, none changes its meaning.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/views/compare/compare_internal.h"
#include "output/views/render/json.h"
#include "support/command/memory.h"

enum { JSON_VERSION = 1 };

/* What is not known is 0. */
static json_t *unless_0(uint32_t count) {
  return count > 0 ? hd_json_count(count) : json_null();
}

static json_t *point(const struct hd_comparison *comparison, uint32_t index) {
  const struct hd_point *from = &comparison->points[index];
  const struct hd_compared *program = &comparison->rows[0].at[index];
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  return HD_JSON({"label", hd_json_text(from->label)}, {"threads", hd_json_count(from->threads)},
                 {"least_threads", hd_json_count(from->least_threads)},
                 {"asked_threads", unless_0(from->asked_threads)}, {"processors", unless_0(from->processors)},
                 {"run_first", hd_json_count(from->run_first)}, {"run_count", hd_json_count(from->run_count)},
                 {"karp_flatt", scaling ? hd_json_number(hd_karp_flatt(program->speedup, from->threads,
                                                                       comparison->points[0].threads))
                                        : json_null()},
                 {"amdahl_bound", scaling ? hd_json_number(hd_amdahl_bound(comparison, from->threads)) : json_null()});
}

static json_t *run(const struct hd_comparison *comparison, uint32_t index) {
  const struct hd_run *from = &comparison->runs[index];
  const struct hd_file_header *header = &from->model->header;
  return HD_JSON({"point", hd_json_count(from->point)}, {"path", hd_json_text(from->model->path)},
                 {"program", hd_json_text(header->program)}, {"command", hd_json_strings(&from->model->arguments)},
                 {"host", hd_json_text(header->host)}, {"complete", json_boolean(hd_model_is_complete(from->model))},
                 {"exit", header->flags & HD_FILE_EXIT_KNOWN ? json_integer(header->exit_status) : json_null()},
                 {"threads", hd_json_count(from->book->threads)},
                 {"asked_threads", unless_0(from->book->asked_threads)},
                 {"alive_threads", hd_json_count(from->book->alive_threads)},
                 {"elapsed_s", hd_json_seconds(from->model, from->model->elapsed_ticks)},
                 {"processor_share", hd_json_number(hd_account_share_of_program(from->model))},
                 {"factor", hd_json_count(from->factor)});
}

static json_t *each(const struct hd_comparison *comparison, uint32_t count,
                    json_t *item(const struct hd_comparison *comparison, uint32_t index)) {
  json_t *array = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(array, item(comparison, i));
  return array;
}

static json_t *event(const struct hd_comparison *comparison, uint32_t index) {
  return hd_json_text(comparison->runs[0].model->events[index].name);
}

static void write_rows(const struct hd_compared_counts *counts, const struct hd_compare_view_options *options,
                       FILE *out) {
  fputs(",\n\"rows\": [", out);
  for (uint32_t i = 0; i < counts->comparison->row_count; i++) {
    fputs(i == 0 ? "\n" : ",\n", out);
    hd_need(hd_json_write(hd_compare_json_row(counts, i, options), out));
  }
  fputs("\n]", out);
}

static void write_member(const char *key, json_t *value, FILE *out) {
  hd_need(hd_json_write_member(key, value, out));
}

/* Of all comparisons, one after the other. */
static json_t *all_findings(json_t *const *each_of, size_t count) {
  json_t *all = json_array();
  for (size_t i = 0; all && i < count; i++)
    json_array_extend(all, each_of[i]);
  return all;
}

/* `findings` is taken. */
static void write_one(const struct hd_compare_series *series, const struct hd_compare_view_options *options,
                      json_t *findings, FILE *out) {
  const struct hd_comparison *comparison = series->comparison;
  const bool scaling = comparison->options.mode == HD_COMPARE_SCALING;
  struct hd_compared_counts counts = hd_compared_counts_new(comparison);
  fprintf(out, "{\n\"mode\": \"%s\"", scaling ? "scaling" : "sides");
  write_member("title", hd_json_text(series->title), out);
  write_member("findings", findings, out);
  write_member("by_name", json_boolean(comparison->by_name), out);
  write_member("moved", hd_json_count(comparison->united->moved), out);
  write_member("seconds_per_tick", json_real(comparison->seconds_per_tick), out);
  write_member("serial_ticks", json_integer(comparison->serial_ticks), out);
  write_member("amdahl_bound", scaling ? hd_json_number(hd_amdahl_bound(comparison, 0)) : json_null(), out);
  write_member("events", each(comparison, counts.event_count, event), out);
  write_member("notes", hd_json_strings(&comparison->notes), out);
  write_member("points", each(comparison, comparison->point_count, point), out);
  write_member("runs", each(comparison, comparison->run_count, run), out);
  write_rows(&counts, options, out);
  fputs("\n}", out);
  hd_compared_counts_free(&counts);
}

void hd_compare_json(const struct hd_compare_series *series, size_t count,
                     const struct hd_compare_view_options *options, FILE *out) {
  json_t **findings = hd_new(count, sizeof(json_t *));
  for (size_t i = 0; i < count; i++)
    findings[i] = hd_compare_json_findings(series[i].comparison, i);
  fprintf(out, "{\n\"heddle_compare\": %d", JSON_VERSION);
  write_member("findings", all_findings(findings, count), out);
  fputs(",\n\"comparisons\": [\n", out);
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? ",\n" : "", out);
    write_one(&series[i], options, findings[i], out);
  }
  fputs("\n]\n}\n", out);
  free(findings);
}
