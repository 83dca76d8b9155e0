/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file report.c
 * The reports as a whole, and the summary after a run.
 */
#include "output/report.h"

#include "output/report_parts.h"

enum { SUMMARY_REGIONS = 8 };

static const char legend[] =
    "Gain: wall time saved if all threads of the team had been busy. Conc: busy threads on average. Imbal: longest\n"
    "busy time of a thread over the mean. Busy and waiting times are summed over threads and include the lines below.\n"
    "Sequential and concurrent time per level of concurrency is not measured by this version; '-': not measured.\n";

bool hd_report_regions(struct hd_view *view, const struct hd_report_options *options, FILE *out) {
  const uint32_t left = hd_view_choose(view, options->sort, options->limit, false);
  hd_report_heading(view->model, false, out);
  if (view->count <= 1) {
    fputs("\nNo parallel region was entered.\n", out);
    return true;
  }
  if (!hd_report_table(view, false, out))
    return false;
  if (left > 0)
    fprintf(out, "%u more line%s not shown; --limit 0 shows all.\n", left, left == 1 ? " is" : "s are");
  fprintf(out, "\n%s", legend);
  return true;
}

bool hd_report_print(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  struct hd_view *view = hd_view_new(model, options->sort);
  if (!view)
    return false;
  bool done = false;
  if (options->csv)
    done = options->threads ? hd_report_threads_csv(view, options, out) : hd_report_regions_csv(view, options, out);
  else
    done = options->threads ? hd_report_threads(view, options, out) : hd_report_regions(view, options, out);
  hd_view_free(view);
  return done;
}

void hd_report_summary(const struct hd_model *model, FILE *out) {
  struct hd_view *view = hd_view_new(model, HD_SORT_GAIN);
  hd_report_heading(model, true, out);
  if (!view)
    return;
  const uint32_t left = hd_view_choose(view, HD_SORT_GAIN, SUMMARY_REGIONS, true);
  if (hd_report_table(view, true, out) && left > 0)
    fprintf(out, "%u more region%s not shown.\n", left, left == 1 ? " is" : "s are");
  hd_view_free(view);
}
