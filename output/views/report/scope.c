/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scope.c
 * What a report is of, and what the marks in it mean.
 */
#include <stdlib.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "output/model/format_names.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"

void hd_report_scope(const struct hd_model *model, const struct hd_report_options *options, FILE *out) {
  const uint64_t busy = model->nodes[0].inclusive_ticks[HD_BUSY];
  const uint64_t all = model->ticks[HD_BUSY];
  char *focus =
      !options->focus
          ? NULL
          : hd_print("focus     callpaths through '%s' only: %s busy, %.1f %% of all threads' busy time",
                     options->focus, hd_duration_of(model, busy).text, all > 0 ? 100 * (double)busy / (double)all : 0);
  char *depth = model->header.callpath_depth == 0
                    ? NULL
                    : hd_print("depth     callpaths are their last %u site%s: times \"with the lines below\" exclude "
                               "deeper sites",
                               model->header.callpath_depth, hd_plural(model->header.callpath_depth));
  hd_print_facts(focus ? focus : "", out);
  hd_print_facts(depth ? depth : "", out);
  free(focus);
  free(depth);
}

void hd_report_routine_hint(bool any, bool measured, const struct hd_model *model, FILE *out) {
  const bool off = model->header.unwind_depth == 0;
  if (!any)
    hd_print_sentences(out,
                       "\nThis profile has no routines, only OpenMP constructs: %s. Compile the program with "
                       "-finstrument-functions (gcc or clang) for its routines with their calls and times%s.",
                       off ? "it was made with HEDDLE_UNWIND=off" : "no parallel region's caller is known",
                       off ? "; without HEDDLE_UNWIND=off there are at least the callers of regions" : "");
  else if (!measured)
    hd_print_sentences(
        out,
        "\nThe routines are known as callers of regions only%s. Compile the program with "
        "-finstrument-functions (gcc or clang) and start it with 'heddle run' ('heddle run --routines' where a script "
        "starts it) to get their calls and their own time.",
        model->header.flags & HD_FILE_ROUTINES ? "" : ": libheddle.so was not loaded with the program");
}

#define ESTIMATES                                                                                                      \
  "Times, entries and gains are estimated from what short windows saw. Wall%, counts of events, samples and all "      \
  "about "                                                                                                             \
  "how many threads were busy are as observed: there unobserved waits count as busy. Without estimates: "              \
  "--no-estimates."

void hd_report_visits_mark(const struct hd_model *model, FILE *out) {
  uint32_t marks = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    if (!(model->nodes[i].flags & HD_NODE_GONE))
      marks |= model->nodes[i].marks[HD_MARKS_OF_CALLPATHS];
  if (marks)
    hd_print_sentences(out, "'>=', '<=', '~': at least, at most, about: %s. %s%s",
                       model->off_classes
                           ? "events were switched off for a time (see the notes)"
                           : HD_SINKS_WORDS,
                       model->estimated     ? ESTIMATES
                       : model->off_classes ? "Unobserved parts of a line are counted in the enclosing line. "
                                            : "",
                       model->estimated ? "" : "Unobserved waits count as busy.");
  if (marks & HD_MARK_GAIN_UNKNOWN)
    hd_print_sentences(out,
                       "'?': unknown, probably more: waits were not observed for more than a tenth of that time%s.",
                       model->off_classes ? "; 'heddle run --overhead off' observes them" : "");
}

void hd_report_disturbed_mark(const struct hd_model *model, FILE *out) {
  if (hd_account_is_disturbed(model))
    hd_print_sentences(out,
                       "'~' before a gain: threads lacked processors (see the warning): it is not the program's own.");
}

void hd_report_shortened_mark(const struct hd_model *model, FILE *out) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].flags & HD_PROFILE_SHORTENED && !(model->nodes[i].flags & HD_NODE_GONE)) {
      hd_print_sentences(out, "'...': all callpaths that end there, with what is below (memory was near its limit, see "
                              "the notes). One without calls of its own, '-', is there for the lines below it only.");
      return;
    }
}

void hd_report_left(uint32_t left, const char *what, FILE *out) {
  if (left > 0)
    fprintf(out, "%u more %s%s not shown; --limit 0 shows all.\n", left, what, left == 1 ? " is" : "s are");
}
