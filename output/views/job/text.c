/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/views/job/job_view.h"
#include "output/views/job/job_view_internal.h"
#include "output/views/render/columns.h"
#include "output/views/render/document.h"
#include "support/command/memory.h"

/* ---- the job ---- */

char *hd_job_rank_text(const struct hd_job *job, uint32_t index) {
  return job->ranks[index].rank >= 0 ? hd_print("rank %d", job->ranks[index].rank)
                                     : hd_print("%s", hd_base_name(job->ranks[index].file));
}

enum { FINDINGS_BRIEF = 5 };

static void print_head(const struct hd_document *document, const char *head, bool is_first) {
  if (document->html) {
    hd_document_headline(document, "", "%s", head);
    return;
  }
  fprintf(document->out, "%-*s", HD_FACT_INDENT, is_first ? "findings" : "");
  hd_print_painted_paragraph(HD_PAINT_HEADING, head, HD_FACT_INDENT, document->out);
}

static void print_under(const struct hd_document *document, const char *before, const char *text) {
  if (document->html) {
    hd_document_fact(document, "", "%s%s", before, text);
    return;
  }
  fprintf(document->out, "%-*s%s", HD_FACT_INDENT, "", before);
  hd_print_paragraph(text, HD_FACT_INDENT + strlen(before), document->out);
}

static void print_finding(const struct hd_document *document, const struct hd_job *job,
                          const struct hd_job_finding *finding, bool is_first) {
  char *head = hd_print("%s (%.0f %%) to gain: %s, %s", hd_duration(finding->gain_s).text,
                        100 * finding->gain_s / job->elapsed_s, hd_cause_words(finding->cause), finding->place->text);
  print_head(document, head, is_first);
  print_under(document, "", finding->evidence);
  print_under(document, "try ", finding->attempt);
  free(head);
}

static void print_missing(const struct hd_document *document, const struct hd_job *job) {
  uint32_t ranks = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    if (job->ranks[i].ranks > ranks)
      ranks = job->ranks[i].ranks;
  if (ranks <= job->rank_count)
    return;
  char *text =
      hd_print("missing   %zu of the job's %u ranks: name their profiles, too\n", ranks - job->rank_count, ranks);
  hd_document_facts(document, text);
  free(text);
}

/* Ranks are sorted: those of none come first. */
static void print_doubts(const struct hd_document *document, const struct hd_job *job) {
  bool is_twice = false;
  for (size_t i = 1; i < job->rank_count; i++)
    is_twice |= job->ranks[i].rank >= 0 && job->ranks[i].rank == job->ranks[i - 1].rank;
  if (job->ranks[0].rank < 0)
    hd_document_facts(document, "warning   there are profiles of no rank of an MPI job\n");
  if (job->crowded != HD_NONE) {
    const struct hd_job_rank *rank = &job->ranks[job->crowded];
    char *text =
        hd_print("warning   the ranks on %.200s have more threads than it has processors, %u: much of what they "
                 "wait for may be these\n",
                 rank->host, rank->processors);
    hd_document_facts(document, text);
    free(text);
  }
  if (is_twice)
    hd_document_facts(document, "warning   there are several profiles of one rank: they may be of several jobs\n");
}

static void print_facts(const struct hd_document *document, const struct hd_job *job, size_t findings_most) {
  char *text = hd_print("job       %zu rank%s of %.200s on %u host%s\n"
                        "elapsed   %s\n"
                        "parallel  %.1f %% = MPI %.1f %% (balance %.1f %% x communication %.1f %%) x OpenMP %.1f %%\n",
                        job->rank_count, hd_plural(job->rank_count), job->ranks[0].program, job->hosts,
                        hd_plural(job->hosts), hd_duration(job->elapsed_s).text, 100 * job->parallel, 100 * job->mpi,
                        100 * job->balance, 100 * job->communication, 100 * job->openmp);
  hd_document_facts(document, text);
  free(text);
  print_doubts(document, job);
  print_missing(document, job);
  for (size_t i = 0; i < job->finding_count && i < findings_most; i++)
    print_finding(document, job, &job->findings[i], i == 0);
}

void hd_job_print_findings(const struct hd_job *job, FILE *out) {
  print_facts(&(const struct hd_document){.out = out}, job, job->finding_count);
}

/* ---- ranks ---- */

enum { THREADS, ELAPSED, OUTSIDE, BUSY, WAIT, RUNTIME, BY_KIND, HOST = BY_KIND + HD_MPI_KINDS, IN_TIME, RANK_COLUMNS };

static void rank_columns(struct hd_column columns[RANK_COLUMNS]) {
  columns[THREADS] = (struct hd_column){NULL, "Threads", HD_COUNT, 0, 3, NULL};
  columns[ELAPSED] = (struct hd_column){NULL, "Elapsed", HD_SECONDS, 0, 2, NULL};
  columns[OUTSIDE] = (struct hd_column){
      NULL, "Not MPI", HD_SECONDS,
      0,    0,         "elapsed time without waits in MPI outside regions: the rank with most is late"};
  columns[BUSY] = (struct hd_column){NULL, "Busy", HD_SECONDS, 0, 0, "thread time, as all that follows"};
  columns[WAIT] = (struct hd_column){NULL, "Wait", HD_SECONDS, 0, 1, "waits, but in MPI"};
  columns[RUNTIME] = (struct hd_column){NULL, "Runtime", HD_SECONDS, 0, 4, NULL};
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    columns[BY_KIND + kind] =
        (struct hd_column){NULL, hd_state_words((enum hd_state)(HD_WAIT_MPI_FIRST + kind)), HD_SECONDS, 0, 0, NULL};
  columns[HOST] = (struct hd_column){NULL, "Host", HD_WORD, 0, 5, NULL};
  columns[IN_TIME] =
      (struct hd_column){NULL, "In time", HD_TEXT, 0, 6, "busy threads from its begin to its end, up to all of it"};
}

static void put_rank(const struct hd_job *job, uint32_t index, const struct hd_columns *columns,
                     struct hd_table *grid) {
  const struct hd_job_rank *rank = &job->ranks[index];
  struct hd_value values[RANK_COLUMNS] = {
      [THREADS] = hd_count(rank->threads, true),  [ELAPSED] = hd_number(rank->elapsed_s),
      [OUTSIDE] = hd_number(rank->outside_mpi_s), [BUSY] = hd_number(rank->busy_s),
      [WAIT] = hd_number(rank->wait_s),           [RUNTIME] = hd_number(rank->runtime_s),
      [HOST] = hd_word(rank->host, true),         [IN_TIME] = hd_job_rank_strip(rank)};
  for (int kind = 0; kind < HD_MPI_KINDS; kind++)
    values[BY_KIND + kind] = hd_number(rank->mpi_s[kind]);
  char *name = hd_job_rank_text(job, index);
  hd_table_row(grid, NULL);
  hd_columns_cells(columns, values, grid);
  hd_table_at(grid, name);
  free(name);
}

/* Kinds of calls that no rank waited in, and the host if all are on one. */
static uint64_t hidden_of_ranks(const struct hd_job *job, const struct hd_unit *unit) {
  uint64_t hidden = job->hosts == 1 ? UINT64_C(1) << HOST : 0;
  for (int kind = 0; kind < HD_MPI_KINDS; kind++) {
    double most = 0;
    for (size_t i = 0; i < job->rank_count; i++)
      most = fmax(most, job->ranks[i].mpi_s[kind]);
    if (!hd_unit_shows(unit, most))
      hidden |= UINT64_C(1) << (BY_KIND + kind);
  }
  return hidden;
}

/* A page has them in headings, and folds what columns are. */
static void print_unit(const struct hd_document *document, const char *title, const struct hd_unit *unit) {
  if (document->html)
    hd_document_title(document, 2, "%s in %s", title, unit->name);
  else
    fprintf(document->out, "\nTimes in %s.\n", unit->name);
}

static void print_legend(const struct hd_document *document, const struct hd_columns *columns) {
  if (!document->html) {
    hd_columns_legend(columns, "", document->out);
    return;
  }
  char *text = hd_columns_legend_text(columns, "");
  hd_document_legend(document, text);
  free(text);
}

static void print_ranks(struct hd_document *document, const struct hd_job *job, size_t limit) {
  struct hd_column items[RANK_COLUMNS];
  struct hd_columns columns = {items, RANK_COLUMNS, 0, hd_unit_for(job->elapsed_s)};
  struct hd_table grid = {0};
  const size_t shown = limit > 0 && limit < job->rank_count ? limit : job->rank_count;
  rank_columns(items);
  columns.hidden = hidden_of_ranks(job, &columns.unit) | (document->html ? UINT64_C(1) << IN_TIME : 0);
  grid.table = hd_table_new(document->out);
  hd_columns_add(&columns, &grid);
  hd_table_place(&grid, "Rank", false);
  for (uint32_t i = 0; i < shown; i++)
    put_rank(job, i, &columns, &grid);
  print_unit(document, "Ranks: times", &columns.unit);
  hd_document_table(document, &grid);
  if (shown < job->rank_count)
    fprintf(document->out, "and %zu more: --limit 0\n", job->rank_count - shown);
  print_legend(document, &columns);
}

/* ---- places ---- */

enum {
  MEAN,
  MOST,
  MOST_RANK,
  LEAST,
  LEAST_RANK,
  QUARTER,
  MEDIAN,
  THREE_QUARTERS,
  OVER_MEAN,
  VISITS,
  BYTES,
  PLACE_COLUMNS
};

/* Only pages have room for them. */
static const uint64_t quartiles = UINT64_C(1) << QUARTER | UINT64_C(1) << MEDIAN | UINT64_C(1) << THREE_QUARTERS;

static const struct hd_column place_columns[PLACE_COLUMNS] = {
    [MEAN] = {NULL, "Mean", HD_SECONDS, 0, 0, "over all ranks"},
    [MOST] = {NULL, "Most", HD_SECONDS, 0, 0, NULL},
    [MOST_RANK] = {NULL, "By", HD_TEXT, 0, 0, "the rank"},
    [LEAST] = {NULL, "Least", HD_SECONDS, 0, 1, NULL},
    [LEAST_RANK] = {NULL, "By", HD_TEXT, 0, 1, NULL},
    [QUARTER] = {NULL, "25%", HD_SECONDS, 0, 3, "a quarter of the ranks take less"},
    [MEDIAN] = {NULL, "Median", HD_SECONDS, 0, 3, NULL},
    [THREE_QUARTERS] = {NULL, "75%", HD_SECONDS, 0, 3, "a quarter of the ranks take more"},
    [OVER_MEAN] = {NULL, "/mean", HD_NUMBER, 0, 2, "Most / Mean"},
    [VISITS] = {NULL, "Calls", HD_COUNT, 0, 3, NULL},
    [BYTES] = {NULL, "Bytes", HD_COUNT, 0, 3, "that calls named, of all ranks"},
};

static struct hd_value number_of(const struct hd_job *job, uint32_t index) {
  struct hd_value value = {.known = job->ranks[index].rank >= 0};
  snprintf(value.text, HD_CELL_BYTES, "%d", job->ranks[index].rank);
  return value;
}

static void put_place(const struct hd_job *job, const struct hd_job_place *from, const struct hd_columns *columns,
                      struct hd_table *grid) {
  const struct hd_value values[PLACE_COLUMNS] = {
      [MEAN] = hd_number(from->mean_s),
      [MOST] = hd_number(hd_job_most(from)),
      [MOST_RANK] = number_of(job, from->most_rank),
      [LEAST] = hd_number(from->quartiles_s[HD_JOB_LEAST]),
      [LEAST_RANK] = number_of(job, from->least_rank),
      [QUARTER] = hd_number(from->quartiles_s[HD_JOB_MEDIAN - 1]),
      [MEDIAN] = hd_number(from->quartiles_s[HD_JOB_MEDIAN]),
      [THREE_QUARTERS] = hd_number(from->quartiles_s[HD_JOB_MEDIAN + 1]),
      [OVER_MEAN] = hd_number(from->mean_s > 0 ? hd_job_most(from) / from->mean_s : NAN),
      [VISITS] = hd_count(from->visits, from->kind != HD_KIND_PROGRAM),
      [BYTES] = hd_count(from->bytes, true),
  };
  hd_table_row(grid, NULL);
  hd_columns_cells(columns, values, grid);
  hd_table_at(grid, from->text);
}

static bool is_call(const struct hd_job_place *place) {
  return place->wait != HD_BUSY;
}

static void print_places(struct hd_document *document, const struct hd_job *job, bool is_mpi, size_t limit) {
  const char *title = is_mpi ? "Waits in MPI" : "Work: elapsed time of regions";
  struct hd_columns columns = {place_columns, PLACE_COLUMNS, is_mpi ? 0 : UINT64_C(1) << BYTES, {0}};
  struct hd_table grid = {0};
  double most = 0;
  size_t count = 0;
  for (size_t i = 0; i < job->place_count; i++)
    most = is_call(&job->places[i]) == is_mpi ? fmax(most, hd_job_most(&job->places[i])) : most;
  columns.unit = hd_unit_for(most);
  columns.hidden |= document->html ? 0 : quartiles;
  grid.table = hd_table_new(document->out);
  hd_columns_add(&columns, &grid);
  hd_table_place(&grid, title, false);
  for (size_t i = 0; i < job->place_count; i++)
    if (is_call(&job->places[i]) == is_mpi && (count++ < limit || limit == 0))
      put_place(job, &job->places[i], &columns, &grid);
  if (count == 0) {
    hd_table_free(&grid);
    return;
  }
  print_unit(document, is_mpi ? "Waits in MPI: times" : title, &columns.unit);
  hd_document_figure(document, is_mpi ? "calls" : "work", 0);
  hd_document_table(document, &grid);
  if (document->html)
    print_legend(document, &columns);
  if (limit > 0 && count > limit)
    fprintf(document->out, "and %zu more: --limit 0\n", count - limit);
}

static const char meaning[] =
    "Most work first in which even ranks would save most: Most less Mean. A rank that waits least in a "
    "collective call has come last. MPI: elapsed time that is not waiting in MPI outside regions, the mean / "
    "elapsed; balance: the mean / the most; communication: the most / elapsed. OpenMP: busy thread "
    "time / all that is left. See docs/mpi.md.";

void hd_job_print(const struct hd_job *job, size_t limit, bool is_html, FILE *out) {
  struct hd_document document = {.out = out, .html = is_html};
  print_facts(&document, job, is_html ? job->finding_count : FINDINGS_BRIEF);
  hd_job_print_timeline(&document, job);
  print_ranks(&document, job, limit);
  print_places(&document, job, false, limit);
  print_places(&document, job, true, limit);
  if (is_html)
    hd_document_say(&document, "%s", meaning);
  else
    hd_print_sentences(out, "\n%s", meaning);
}
