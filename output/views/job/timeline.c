/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The job in time. */
#include <math.h>
#include <string.h>

#include "output/views/job/job_view_internal.h"
#include "output/views/render/level_bars.h"
#include "output/views/render/table.h"

static uint64_t threads_of(const struct hd_job *job) {
  uint64_t threads = 0;
  for (size_t i = 0; i < job->rank_count; i++)
    threads += job->ranks[i].threads;
  return threads;
}

static bool is_known(const double busy_at[HD_JOB_TIMES]) {
  double sum = 0;
  for (int i = 0; i < HD_JOB_TIMES; i++)
    sum += busy_at[i];
  return !isnan(sum);
}

void hd_job_print_timeline(const struct hd_document *document, const struct hd_job *job) {
  const uint64_t threads = threads_of(job);
  FILE *out = document->out;
  if (document->html) {
    hd_document_title(document, 2, "Busy threads by rank and time");
    hd_document_figure(document, "ranks", 0);
    return;
  }
  if (!is_known(job->busy_at))
    return;
  fputc('\n', out);
  for (int i = 0; i < HD_JOB_TIMES; i++)
    fputs(hd_draw_height(job->busy_at[i] / (double)threads), out);
  fputc('\n', out);
  hd_draw_axis(job->elapsed_s, HD_JOB_TIMES, out);
  hd_print_sentences(out,
                     hd_draw_has_blocks() ? "Height: threads of all ranks busy on average, up to %llu; .: none"
                                          : "1 to 8: eighths of %llu threads of all ranks busy on average; .: none",
                     (unsigned long long)threads);
}

enum { COLUMNS = 10, EACH = HD_JOB_TIMES / COLUMNS };
_Static_assert(HD_JOB_TIMES % COLUMNS == 0 && COLUMNS * strlen("█") < HD_CELL_BYTES, "a column stands for whole parts");

struct hd_value hd_job_rank_strip(const struct hd_job_rank *rank) {
  struct hd_value value = {.known = is_known(rank->busy_at)};
  char *text = value.text;
  for (int column = 0; column < COLUMNS && value.known; column++) {
    double busy = 0;
    for (int i = 0; i < EACH; i++)
      busy += rank->busy_at[column * EACH + i];
    text = stpcpy(text, hd_draw_height(busy / EACH / rank->threads));
  }
  return value;
}
