/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/analysis/losses/losses.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/model/node_text.h"
#include "output/views/report/report_internal.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

enum { COMMAND_MAX = 100, COMMAND_SHORT = 66, COMMAND_FAILED = 42, NOTES_OF_RUN = 3 };
static const double UNRESOLVED_PERCENT = 0.5;  /* rounds to nothing */
static const double FULL_SHARE_PERCENT = 99.5; /* rounds to all of it: nothing to say */

static void print_clean(const char *text, size_t limit, FILE *out) {
  char *copy = strndup(text, limit);
  if (copy)
    hd_sanitize(copy);
  fputs(copy ? copy : "?", out);
  free(copy);
}

static void print_end(const struct hd_model *model, FILE *out) {
  if (hd_model_signal(model))
    fprintf(out, ", killed by signal %d", hd_model_signal(model));
  else if (model->header.flags & HD_FILE_EXIT_KNOWN)
    fprintf(out, ", exit status %d", model->header.exit_status);
}

static bool has_failed(const struct hd_model *model) {
  return (model->header.flags & HD_FILE_EXIT_KNOWN) && model->header.exit_status != 0;
}

static void print_command(const struct hd_model *model, size_t left, bool with_end, FILE *out) {
  fputs("command   ", out);
  if (model->arguments.count == 0)
    print_clean(model->header.program, left, out);
  for (size_t i = 0; i < model->arguments.count; i++) {
    const char *argument = model->arguments.items[i];
    if (i > 0)
      fputc(' ', out);
    if (strlen(argument) + 1 > left) {
      print_clean(argument, left, out);
      fputs("...", out);
      break;
    }
    print_clean(argument, left, out);
    left -= strlen(argument) + 1;
  }
  if (with_end)
    print_end(model, out);
  fputc('\n', out);
}

static void print_run(const struct hd_model *model, FILE *out) {
  const struct hd_file_header *header = &model->header;
  const time_t start = (time_t)(header->begin_epoch_ns / 1000000000u);
  char date[64] = "unknown date";
  struct tm local;
  if (start != 0 && localtime_r(&start, &local))
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  fprintf(out, "run       %s on ", date);
  print_clean(header->host, sizeof header->host, out);
  if (header->pid > 0) /* 0: a sum of several processes */
    fprintf(out, ", pid %u", header->pid);
  if (header->rank >= 0)
    fprintf(out, ", rank %d", header->rank);
  if (header->rank >= 0 && header->ranks > 0)
    fprintf(out, " of %u", header->ranks);
  print_end(model, out);
  fputc('\n', out);
}

/* All versions of libomp have the same name for themselves: its file tells which it is. */
static void print_runtime(const struct hd_model *model, FILE *out) {
  const struct hd_file_header *header = &model->header;
  const struct hd_module *module = hd_model_runtime(model);
  char build_id[HD_BUILD_ID_TEXT_BYTES] = "";
  fputs("runtime   ", out);
  if (header->runtime[0])
    print_clean(header->runtime, sizeof header->runtime, out);
  else
    fputs(header->flags & HD_FILE_ROUTINES ? "none" : "unknown", out);
  if (module) {
    fputs(", ", out);
    print_clean(module->path, SIZE_MAX, out);
    hd_module_build_id(module, HD_BUILD_ID_SHORT, build_id);
  }
  fprintf(out, "%s%s\n", *build_id ? ", build-id " : "", build_id);
}

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

bool hd_report_has_regions(const struct hd_model *model) {
  for (uint32_t i = 1; i < model->node_count; i++)
    if (hd_kind_is_region(model->nodes[i].kind))
      return true;
  return false;
}

static void print_elapsed(const struct hd_model *model, FILE *out) {
  const uint64_t whole = model->elapsed_ticks, inside = model->inside_ticks;
  const uint64_t outside = inside < whole ? whole - inside : 0;
  fprintf(out, "elapsed   %s", hd_duration_of(model, whole).text);
  if (hd_report_has_regions(model))
    fprintf(out, ": %s (%.1f %%) in regions, %s (%.1f %%) outside", hd_duration_of(model, inside).text,
            percent((double)inside, (double)whole), hd_duration_of(model, outside).text,
            percent((double)outside, (double)whole));
  fputc('\n', out);
}

/* In the program's own time, with pauses. */
static void print_span(const struct hd_model *model, FILE *out) {
  const double begin = hd_model_from_seconds(model);
  const double length = hd_model_seconds(model, model->elapsed_ticks + hd_model_paused_ticks(model));
  if (hd_model_never_woke(model))
    fputs("          not measured: Heddle was dormant; 'heddle ctl PID on' begins the measurement\n", out);
  else if (begin > 0 && !(model->header.flags & HD_FILE_MERGED))
    fprintf(out, "          measured from %s to %s after the program's start\n", hd_duration(begin).text,
            hd_duration(begin + length).text);
}

static void print_unmeasured(const struct hd_model *model, FILE *out) {
  const uint64_t unmeasured = hd_model_unmeasured_ticks(model);
  if (unmeasured > 0)
    fprintf(out, "          of the program's %s; the last %s were not measured\n",
            hd_duration_of(model, model->elapsed_ticks + unmeasured).text, hd_duration_of(model, unmeasured).text);
}

static uint32_t program_marks(const struct hd_model *model) {
  return model->nodes[0].marks[HD_MARKS_OF_CALLPATHS];
}

/* Before a number, with a space behind. `less`: the more threads seemed to be busy, the less it is. */
static const char *bound_words(struct hd_bounds bounds, bool less) {
  if (bounds.at_least && bounds.at_most)
    return "about ";
  return !bounds.at_least && !bounds.at_most ? "" : bounds.at_least == less ? "at most " : "at least ";
}

static void print_serial(const struct hd_model *model, FILE *out) {
  const uint64_t serial = hd_levels_up_to(&model->time_at, 1), none = hd_levels_at(&model->time_at, 0);
  const double whole = (double)model->elapsed_ticks;
  if (!model->levels_known)
    return;
  const char *words = bound_words(hd_bounds_of_busy_threads(program_marks(model)), true);
  fprintf(out, "serial    %s%s (%.1f %%) with at most one thread busy", words, hd_duration_of(model, serial).text,
          percent((double)serial, whole));
  if (none > 0)
    fprintf(out, ", with none %s", hd_duration_of(model, none).text);
  fputc('\n', out);
}

static uint64_t count_mpi_calls(const struct hd_model *model) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    sum += model->nodes[i].kind == HD_KIND_MPI ? model->nodes[i].visits : 0;
  return sum;
}

static void print_mpi(const struct hd_model *model, FILE *out) {
  const uint64_t calls = count_mpi_calls(model), ticks = hd_ticks_in_mpi(model->ticks);
  const uint64_t once = model->ticks[HD_WAIT_MPI_OTHER]; /* as a rule */
  if (calls == 0)
    return;
  fprintf(out, "mpi       %s of thread time in %" PRIu64 " call%s", hd_duration_of(model, ticks).text, calls,
          hd_plural(calls));
  if (once > 0)
    fprintf(out, ", %s of it to initialise, end and set up", hd_duration_of(model, once).text);
  fputc('\n', out);
}

static void print_threads(const struct hd_model *model, FILE *out) {
  const double busy = (double)model->ticks[HD_BUSY];
  const uint64_t ever = hd_model_threads_ever(model);
  fprintf(out, "threads   %" PRIu64, ever);
  if (ever > model->thread_count)
    fprintf(out, " in %u rows", model->thread_count);
  if (model->header.max_threads > 0)
    fprintf(out, " on %u processor%s", model->header.max_threads, hd_plural(model->header.max_threads));
  if (hd_losses_have_too_many_threads(model))
    fputs(": more than processors", out);
  if (model->elapsed_ticks > 0)
    fprintf(out, "; %s%.2f busy on average",
            model->estimated ? "about " : bound_words(hd_bounds_of_busy_threads(program_marks(model)), false),
            busy / (double)model->elapsed_ticks);
  fputc('\n', out);
}

/* The outermost region, or what is outside all, with most unresolved time. */
static uint32_t most_unresolved(const struct hd_model *model, uint64_t *ticks) {
  uint32_t most = 0;
  uint64_t *sums = hd_new(model->node_count, sizeof *sums);
  uint32_t *outer = hd_new(model->node_count, sizeof *outer);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    outer[i] = i == 0 ? 0 : outer[node->parent];
    if (outer[i] == 0 && hd_kind_is_region(node->kind))
      outer[i] = i;
    sums[outer[i]] += node->unresolved.ticks;
    if (sums[outer[i]] > sums[most])
      most = outer[i];
  }
  *ticks = sums[most];
  free(sums);
  free(outer);
  return most;
}

/* What part of the thread time nothing is known about, and where most of that is. */
static void print_unresolved(const struct hd_model *model, FILE *out) {
  const double all = (double)hd_ticks_all(model->ticks), unresolved = (double)model->unresolved.ticks;
  char place[HD_PLACE_BYTES] = "outside regions";
  uint64_t ticks;
  if (percent(unresolved, all) < UNRESOLVED_PERCENT)
    return;
  const uint32_t most = most_unresolved(model, &ticks);
  if (most != 0)
    hd_node_text(place, model, &model->nodes[most], NULL);
  fprintf(out, "unknown   what threads did for %.0f %% of their time%s; %s %s%s\n", percent(unresolved, all),
          model->estimated ? " is estimated: events were switched off but for windows" : ": events were switched off",
          ticks == model->unresolved.ticks ? "all" : "most", most == 0 ? "" : "in ", place);
}

/* Comes first: nothing that rests on waiting is the program's own. */
void hd_report_warning(const struct hd_model *model, FILE *out) {
  if (!hd_account_is_disturbed(model))
    return;
  char *text =
      hd_print("warning   threads had a processor %.0f %% of the time: %s", 100 * hd_account_share_of_program(model),
               hd_losses_have_too_many_threads(model) ? "more threads than processors" : "measure on a quiet machine");
  hd_print_facts(text, out);
  free(text);
}

/* What part of that time is in which state is not known: a thread may lose its processor anywhere. */
static void print_sharing(const struct hd_model *model, FILE *out) {
  const struct hd_account account = hd_account_of_program(model);
  const double share = 100 * hd_account_share(&account);
  if (!(share < FULL_SHARE_PERCENT) || hd_account_is_disturbed(model))
    return;
  fprintf(out,
          "sharing   threads had a processor for %.0f %% of the time they wanted one; the other %s of thread time "
          "count as busy, or as what a thread was about to do\n",
          share, hd_duration((double)account.queued_ns / 1e9).text);
}

/* How to learn more. Another run does not change what the runtime reports. */
static const char *advice(const struct hd_model *model) {
  return model->off_classes ? "run with --overhead off" : HD_SINKS_WORDS;
}

/* Of what was not observed the waits may be any part. */
static void print_gain(const struct hd_model *model, FILE *out) {
  const uint32_t marks = program_marks(model);
  const struct hd_bounds bounds = hd_bounds_of_gain(marks);
  const struct hd_cell gain = hd_duration(model->gain_ticks * model->seconds_per_tick);
  const double share = percent(model->gain_ticks, (double)model->elapsed_ticks);
  const char *if_exact = hd_account_is_disturbed(model) ? "about " : "at most ";
  const char *words = bounds.at_least || bounds.at_most ? bound_words(bounds, false) : if_exact;
  if (model->estimated && !(marks & HD_MARK_GAIN_UNKNOWN))
    fprintf(out, "gain      about %.0f %% of the run (from %.0f to %.0f %%), if every team were fully busy\n", share,
            percent(model->gain_interval.low, (double)model->elapsed_ticks),
            percent(model->gain_interval.high, (double)model->elapsed_ticks));
  else if (marks & HD_MARK_GAIN_UNKNOWN)
    fprintf(out, "gain      unknown (%s%.0f %%): %s\n", words, share, advice(model));
  else
    fprintf(out, "gain      %s%s (%.1f %% of the run), if every team were fully busy\n", words, gain.text, share);
}

static uint64_t events_of(const struct hd_model *model) {
  uint64_t count = 0;
  for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
    count += model->cost_of[kind].count;
  return count;
}

void hd_report_own_cost(const struct hd_model *model, FILE *out) {
  const double share = hd_model_overhead(model), elapsed = hd_model_corrected_elapsed(model);
  char count[HD_CELL_BYTES];
  if (model->cost_count == 0)
    return;
  hd_cell_grouped(count, events_of(model));
  char part[HD_CELL_BYTES] = "";
  if (!isnan(share))
    snprintf(part, sizeof part, ", %.1f %% of the busy time", 100 * share);
  char *without = isnan(elapsed)
                      ? hd_print("how long the run takes without it is not known")
                      : hd_print("without it about %s elapsed", hd_duration(elapsed * model->seconds_per_tick).text);
  char *text = hd_print("heddle    %s of thread time in %s events%s; %s", hd_duration_of(model, model->cost_ticks).text,
                        count, part, without);
  hd_print_facts(text, out);
  free(text);
  free(without);
}

static void print_note(const char *text, FILE *out) {
  char *clean = strdup(text);
  if (clean)
    hd_sanitize(clean);
  fputs("note      ", out);
  hd_print_paragraph(clean ? clean : "?", HD_FACT_INDENT, out);
  free(clean);
}

void hd_report_notes(const struct hd_model *model, size_t limit, FILE *out) {
  for (size_t i = 0; i < model->notes.count; i++) {
    if (i == limit) {
      fprintf(out, "note      %zu more: see 'heddle report'\n", model->notes.count - i);
      return;
    }
    print_note(model->notes.items[i], out);
  }
  if (limit == SIZE_MAX && !model->levels_known)
    print_note(
        "this profile has no record of how many threads were busy: it is of an earlier version, or was killed at "
        "start",
        out);
}

static void print_facts(const struct hd_model *model, enum hd_heading heading, FILE *out) {
  const bool is_short = heading == HD_HEADING_SHORT;
  if (is_short)
    print_command(model, has_failed(model) ? COMMAND_FAILED : COMMAND_SHORT, has_failed(model), out);
  if (heading == HD_HEADING_WHOLE) {
    print_command(model, COMMAND_MAX, false, out);
    print_run(model, out);
    print_runtime(model, out);
  }
  print_elapsed(model, out);
  print_span(model, out);
  if (!is_short)
    print_unmeasured(model, out);
  print_serial(model, out);
  print_mpi(model, out);
  print_threads(model, out);
  print_unresolved(model, out);
  if (!is_short)
    print_sharing(model, out);
  if (hd_report_has_regions(model))
    print_gain(model, out);
  if (heading == HD_HEADING_OF_RUN)
    hd_report_counted_brief(model, out);
  if (!is_short)
    hd_report_own_cost(model, out);
}

char *hd_report_facts(const struct hd_model *model, enum hd_heading heading) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *facts = open_memstream(&text, &bytes);
  hd_need(facts);
  print_facts(model, heading, facts);
  fclose(facts);
  return text;
}

void hd_report_run(const struct hd_model *model, enum hd_heading heading, FILE *out) {
  char *text = hd_report_facts(model, heading);
  hd_print_facts(text, out);
  free(text);
  if (heading != HD_HEADING_SHORT)
    hd_report_notes(model, heading == HD_HEADING_OF_RUN ? NOTES_OF_RUN : SIZE_MAX, out);
}

void hd_report_heading(const struct hd_model *model, enum hd_heading heading, FILE *out) {
  hd_report_warning(model, out);
  hd_report_run(model, heading, out);
}
