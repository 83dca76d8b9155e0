/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heading.c
 * What was compared, and how often it was run; and below the tables what that does not allow to say.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/unify/same_build.h"
#include "output/views/compare/compare_internal.h"

enum { COMMANDS_MOST = 4, COMMAND_MAX = 100, LIST_MAX = 400, NOTES_MOST = 12 };

/* Appends to a text that is then full, and ends in "...". */
static void append(char *text, size_t bytes, const char *more) {
  const size_t used = strlen(text);
  if (used + strlen(more) + 4 < bytes)
    strcpy(text + used, more);
  else if (used >= 3 && strcmp(text + used - 3, "...") != 0)
    strcpy(text + used, "...");
}

static void command_of(const struct hd_model *model, char *text, size_t bytes) {
  text[0] = '\0';
  if (model->arguments.count == 0)
    append(text, bytes, model->header.program);
  for (size_t i = 0; i < model->arguments.count; i++) {
    append(text, bytes, i > 0 ? " " : "");
    append(text, bytes, model->arguments.items[i]);
  }
}

static uint32_t threads_of(const struct hd_run *run) {
  return run->book->asked_threads > 0 ? run->book->asked_threads : run->book->threads;
}

static bool has_same_command(const struct hd_run *a, const struct hd_run *b) {
  return strcmp(a->model->header.program, b->model->header.program) == 0 &&
         hd_is_same_command(&a->model->arguments, threads_of(a), &b->model->arguments, threads_of(b));
}

static bool has_same_host(const struct hd_run *a, const struct hd_run *b) {
  return strcmp(a->model->header.host, b->model->header.host) == 0;
}

/* Whether a run before it has the same. */
static bool is_told(const struct hd_comparison *comparison, uint32_t run,
                    bool same(const struct hd_run *a, const struct hd_run *b)) {
  for (uint32_t i = 0; i < run; i++)
    if (same(&comparison->runs[i], &comparison->runs[run]))
      return true;
  return false;
}

static void put_commands(struct hd_document *document, const struct hd_comparison *comparison) {
  char text[COMMAND_MAX];
  uint32_t told = 0;
  for (uint32_t run = 0; run < comparison->run_count; run++) {
    if (is_told(comparison, run, has_same_command) || ++told > COMMANDS_MOST)
      continue;
    command_of(comparison->runs[run].model, text, sizeof text);
    hd_document_fact(document, told > 1 ? "other" : "command", "%s", text);
  }
  if (told > COMMANDS_MOST)
    hd_document_fact(document, "other", "%u more", told - COMMANDS_MOST);
  if (told > 1)
    hd_document_fact(document, "note", "the command lines differ; so may the work");
}

static void put_hosts(struct hd_document *document, const struct hd_comparison *comparison) {
  char all[LIST_MAX] = "";
  for (uint32_t run = 0; run < comparison->run_count; run++) {
    if (is_told(comparison, run, has_same_host))
      continue;
    append(all, sizeof all, all[0] ? ", " : "");
    append(all, sizeof all, comparison->runs[run].model->header.host);
  }
  const uint32_t processors = comparison->points[0].processors;
  if (processors > 0)
    hd_document_fact(document, "host", "%s, %u processor%s", all, processors, hd_plural(processors));
  else
    hd_document_fact(document, "host", "%s", all);
}

static void put_points(struct hd_document *document, const struct hd_comparison *comparison) {
  const bool sides = comparison->options.mode == HD_COMPARE_SIDES;
  const uint32_t runs = comparison->points[0].run_count;
  char all[LIST_MAX] = "", text[HD_CELL_BYTES];
  bool alike = true;
  for (uint32_t point = 1; point < comparison->point_count; point++)
    alike = alike && comparison->points[point].run_count == runs;
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    const struct hd_point *of = &comparison->points[point];
    append(all, sizeof all, point > 0 ? ", " : "");
    append(all, sizeof all, of->label);
    snprintf(text, sizeof text, " (%u run%s)", of->run_count, hd_plural(of->run_count));
    append(all, sizeof all, alike ? "" : text);
  }
  append(all, sizeof all, sides ? "" : " threads");
  if (alike)
    hd_document_fact(document, "compared", "%s; %u run%s", all, runs, runs == 1 ? " of each" : "s each");
  else
    hd_document_fact(document, "compared", "%s", all);
}

static void put_noise(struct hd_document *document, const struct hd_comparison *comparison) {
  uint32_t known = 0;
  for (uint32_t point = 1; point < comparison->point_count; point++)
    known += hd_point_noise_is_known(comparison, point);
  if (known + 1 == comparison->point_count)
    hd_document_fact(
        document, "noise",
        "known from the repeats: medians, 95 %% intervals; ~ marks losses and differences that may be noise");
  else if (known > 0)
    hd_document_fact(
        document, "noise",
        "~ marks losses and differences that may be noise; ? what has fewer than %d repeats: its noise is not known",
        HD_REPEATS_LEAST);
  else
    hd_document_fact(document, "noise", "not known: that takes %d or more runs of each. Differences may be noise",
                     HD_REPEATS_LEAST);
}

/* Of sides with as many threads, the number; else each. */
static void put_threads(struct hd_document *document, const struct hd_comparison *comparison) {
  char all[LIST_MAX] = "", text[HD_CELL_BYTES];
  uint32_t count = 1;
  for (uint32_t point = 1; point < comparison->point_count; point++)
    if (comparison->points[point].threads != comparison->points[0].threads)
      count = comparison->point_count;
  for (uint32_t point = 0; point < count; point++) {
    snprintf(text, sizeof text, "%s%u", point > 0 ? ", " : "", comparison->points[point].threads);
    append(all, sizeof all, text);
  }
  if (comparison->options.mode == HD_COMPARE_SIDES)
    hd_document_fact(document, "threads", "%s", all);
}

/* "1 thread: 97, 98 %; 4 threads: 36 %": each run's. Returns the least of them. */
static double shares_text(char all[LIST_MAX], const struct hd_comparison *comparison) {
  char text[HD_PLACE_BYTES], share[HD_CELL_BYTES];
  double least = 1;
  all[0] = '\0';
  for (uint32_t point = 0; point < comparison->point_count; point++) {
    const struct hd_point *of = &comparison->points[point];
    hd_point_text(text, comparison, point);
    append(all, LIST_MAX, point > 0 ? "; " : "");
    append(all, LIST_MAX, text);
    for (uint32_t run = of->run_first; run < of->run_first + of->run_count; run++) {
      const double part = hd_account_share_of_program(comparison->runs[run].model);
      least = fmin(least, part);
      hd_cell_number(share, 100 * part, 0);
      append(all, LIST_MAX, run > of->run_first ? ", " : ": ");
      append(all, LIST_MAX, share);
    }
    append(all, LIST_MAX, " %");
  }
  return least;
}

/* Whether other programs took so much that the warning comes first. More threads than processors take it from each
 * other: the remarks say so. */
static bool is_disturbed(const struct hd_comparison *comparison) {
  for (uint32_t run = 0; run < comparison->run_count; run++) {
    const struct hd_model *model = comparison->runs[run].model;
    if (hd_account_is_disturbed(model) && !hd_losses_have_too_many_threads(model))
      return true;
  }
  return false;
}

static void put_warning(const struct hd_document *document, const struct hd_comparison *comparison) {
  char all[LIST_MAX];
  shares_text(all, comparison);
  if (is_disturbed(comparison))
    hd_document_fact(
        document, "warning",
        "other programs ran: threads had a processor for only part of the time they wanted one (%s). Times "
        "and losses below are not the program's own: measure again on a quiet machine",
        all);
}

static void put_sharing(const struct hd_document *document, const struct hd_comparison *comparison) {
  char all[LIST_MAX];
  if (shares_text(all, comparison) < HD_ACCOUNT_SHARED && !is_disturbed(comparison))
    hd_document_fact(document, "sharing",
                     "threads had a processor for only part of the time they wanted it (%s); the rest counts as work, "
                     "waiting or fork/join",
                     all);
}

/* The comparison's own: what was killed, failed, had fewer threads, was matched by name. */
void hd_compare_notes(struct hd_document *document, const struct hd_comparison *comparison) {
  if (comparison->notes.count > 0)
    fputc('\n', document->out);
  for (size_t i = 0; i < comparison->notes.count; i++) {
    if (i == NOTES_MOST && comparison->notes.count > NOTES_MOST + 1) {
      hd_document_fact(document, "note", "%zu more; --json has all", comparison->notes.count - i);
      return;
    }
    hd_document_fact(document, "note", "%s", comparison->notes.items[i]);
  }
}

void hd_compare_heading(struct hd_document *document, const struct hd_comparison *comparison) {
  put_warning(document, comparison);
  hd_compare_findings(document, comparison);
  put_commands(document, comparison);
  put_hosts(document, comparison);
  put_points(document, comparison);
  put_threads(document, comparison);
  put_sharing(document, comparison);
  put_noise(document, comparison);
}
