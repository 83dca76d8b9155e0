/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes.c
 * What could not be measured, and how the profile ended, in words that every view repeats.
 */
#include "output/reader/reader_internal.h"

#include <stdio.h>
#include <string.h>

#include "output/model/control_note.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/reader/children.h"

/* The live file of a killed program lies where it is lost sooner or later. */
static const char *words_of_recovery(const struct hd_model *model) {
  if (model->header.flags & HD_FILE_RECOVERED)
    return "; how long it continued is unknown";
  return hd_model_life(model) == HD_LIFE_OVER && strstr(hd_base_name(model->path), ".live")
             ? "; 'heddle recover' saves its profile"
             : "";
}

/* How the profile ended, unless the runtime closed it. */
static void note_end(struct hd_model *model) {
  static const char *const lives[] = {[HD_LIFE_OVER] = "was killed",
                                      [HD_LIFE_RUNNING] = "is still running",
                                      [HD_LIFE_UNKNOWN] = "was killed or is still running"};
  const struct hd_file_header *header = &model->header;
  const int signal = hd_model_signal(model);
  /* A merged file's own notes say how each run ended, a part's what it is. */
  if (header->flags & (HD_FILE_COMPLETE | HD_FILE_PART | HD_FILE_MERGED))
    return;
  const char *closed = "open intervals are counted up to that moment";
  if (header->flags & HD_FILE_SNAPSHOT)
    hd_model_add_note(model, "this is a snapshot that 'heddle ctl' took %.3f s into the run: the program ran on; %s",
                      hd_model_seconds(model, model->elapsed_ticks), closed);
  else if (!model->ended)
    hd_model_add_note(model, "the program %s: time is counted up to the last event seen, %.3f s after its start%s",
                      lives[hd_model_life(model)], hd_model_seconds(model, model->elapsed_ticks),
                      words_of_recovery(model));
  else if (signal)
    hd_model_add_note(model, "the program was killed by signal %d (%s); %s", signal, strsignal(signal), closed);
  else
    hd_model_add_note(model, "the program ended without closing its profile; %s", closed);
}

/* Whoever pauses the runtime hard, or unloads it, ends the tool: it is not called any more. */
static void note_stop(struct hd_model *model) {
  if (model->header.flags & HD_FILE_STOPPED)
    hd_model_add_note(model,
                      "the OpenMP runtime ended the measurement %.3f s after the program's start (omp_pause_hard, "
                      "omp_pause_stop_tool, or it was unloaded): the %.3f s after that are missing",
                      hd_model_seconds(model, model->elapsed_ticks),
                      hd_model_seconds(model, hd_model_unmeasured_ticks(model)));
}

static void note_space(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long folded = header->folded_paths;
  if (folded > 0)
    hd_model_add_note(
        model, "no space was left for %llu callpath%s: their time is counted in their parents, their entries are lost",
        folded, hd_plural(folded));
  else if (header->flags & HD_FILE_FULL)
    hd_model_add_note(model, "the profile could not grow: later callpaths and threads may be missing");
}

static void note_events(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long unknown = header->unknown_events;
  const unsigned long long unmatched = header->unmatched_events;
  const unsigned long long threads = header->lost_threads;
  if (unknown > 0)
    hd_model_add_note(model, "%llu event%s of a kind newer than this Heddle counted as \"other\"", unknown,
                      unknown == 1 ? " is" : "s are");
  if (unmatched > 0)
    hd_model_add_note(model, "%llu end event%s without a matching begin, ignored", unmatched, hd_plural(unmatched));
  if (threads > 0)
    hd_model_add_note(model, "%llu thread%s not measured: no memory was left", threads, hd_plural(threads));
}

static void note_doacross(struct hd_model *model) {
  if (model->refused & HD_REFUSED_SINKS)
    hd_model_add_note(model, HD_SINKS_WORDS " (ordered depend(sink)): they count as busy");
}

/* What was kept of the concurrency is exact; what was not, is missing. */
static void note_levels(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long lost = header->lost_tallies;
  uint64_t unpaired = 0;
  for (uint32_t i = 0; i < model->node_count; i++)
    unpaired = unpaired > model->nodes[i].unpaired_ticks ? unpaired : model->nodes[i].unpaired_ticks;
  if (lost > 0)
    hd_model_add_note(model,
                      "no space was left to split some callpaths' time by the number of busy threads: there it does "
                      "not add up (%llu time%s)",
                      lost, hd_plural(lost));
  if (unpaired > 0)
    hd_model_add_note(model,
                      "more than 64 callpaths were busy at once: overlaps of some of them are unknown for up to %.3f s",
                      hd_model_seconds(model, unpaired));
  if (header->lost_overlap_ticks > 0)
    hd_model_add_note(
        model, "too many pairs of callpaths were busy at once to keep all: each overlap may be up to %.6f s too small",
        hd_model_seconds(model, header->lost_overlap_ticks));
}

/* Only a profile that was closed in peace must add up: a kill may hit between two stores. */
static void note_identities(struct hd_model *model) {
  uint32_t wrong = 0;
  if (!(model->header.flags & HD_FILE_COMPLETE))
    return;
  for (uint32_t i = 0; i < model->thread_count; i++)
    wrong += !hd_model_thread_is_whole(model, i);
  if (wrong > 0)
    hd_model_add_note(model,
                      "the times of %u thread%s do not add up to their lifetimes: "
                      "the file may be damaged",
                      wrong, hd_plural(wrong));
}

/* Routines of several threads, but no OpenMP runtime was heard of: the threads may be anybody's. */
static void note_no_runtime(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  if (!header->runtime[0] && (header->flags & HD_FILE_ROUTINES) && model->thread_count > 1)
    hd_model_add_note(
        model, "no OpenMP runtime reported regions and waits, so threads that wait in a routine count as busy; %s",
        header->flags & HD_FILE_GOMP
            ? "libomp was loaded first (--gomp) but reported nothing: the program's regions, if "
              "it has any, ran on a libgomp that is linked into it or loaded apart, or "
              "OMP_TOOL=disabled is set"
            : "a program that uses GCC's libgomp needs 'heddle run --gomp'");
}

/* Routines whose entries and exits did not pair up, and callers that are missing. */
static void note_routines(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long left = header->left_routines, unmatched = header->unmatched_routines;
  const unsigned long long signals = header->nested_signals, lost = header->lost_entries, cut = header->cut_callers;
  if (left > 0)
    hd_model_add_note(model,
                      "%llu routine%s left without returning (longjmp, an exception): "
                      "the time counts up to where that was noticed",
                      left, left == 1 ? " was" : "s were");
  if (unmatched > 0)
    hd_model_add_note(model, "%llu routine exit%s without a matching entry %s ignored", unmatched, hd_plural(unmatched),
                      unmatched == 1 ? "was" : "were");
  if (signals > 0)
    hd_model_add_note(
        model, "%llu entries and exits in signal handlers interrupted Heddle's own code and were not counted", signals);
  if (lost > 0)
    hd_model_add_note(model, "no space was left for the state or time of %llu entr%s", lost, lost == 1 ? "y" : "ies");
  if (cut > 0)
    hd_model_add_note(model,
                      "at %llu region begin%s the stack was deeper than %u routines: the outermost are missing "
                      "(HEDDLE_UNWIND=DEPTH keeps more)",
                      cut, hd_plural(cut), header->unwind_depth);
}

static void note_markers(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long phases = header->unmatched_phases, pauses = header->pauses;
  if (phases > 0)
    hd_model_add_note(model, "%llu phase%s ended without having begun, or never ended", phases, hd_plural(phases));
  if (pauses > 0)
    hd_model_add_note(model, "measurement was paused %llu time%s, for %.3f s in all: no time includes that%s", pauses,
                      hd_plural(pauses), hd_model_seconds(model, hd_model_paused_ticks(model)),
                      header->paused_at_ticks && !(header->flags & HD_FILE_STOPPED) ? "; it was paused at the end"
                                                                                    : "");
}

static void note_late_threads(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const unsigned long long threads = header->late_threads;
  if (threads > 0)
    hd_model_add_note(model,
                      "%llu thread%s sent %s first event only after that, and may have been busy before: %s time until "
                      "then, %.3f s in all, is in no number",
                      threads, hd_plural(threads), threads == 1 ? "its" : "their", threads == 1 ? "its" : "their",
                      hd_model_seconds(model, header->late_ticks));
}

static void note_dormant(struct hd_model *model) {
  const double begin = hd_model_dormant_seconds(model);
  if (!(model->header.flags & HD_FILE_DORMANT) || (model->header.flags & HD_FILE_MERGED))
    return;
  if (hd_model_never_woke(model)) {
    hd_model_add_note(model, "nothing was measured: Heddle was dormant (HEDDLE_DORMANT) from start to end; "
                             "'heddle ctl PID on' begins the measurement");
    return;
  }
  hd_model_add_note(model,
                    "Heddle was dormant (HEDDLE_DORMANT) for the first %.3f s: all times and counts are of what came "
                    "after; regions and tasks that ran then are 'begun before the measurement'",
                    begin);
  note_late_threads(model);
}

/* "pid 12, 13 and 14" */
static void list_children(const struct hd_model *model, char *text, size_t bytes) {
  enum { MOST = 8 };
  const uint32_t named = hd_children_named(model);
  const uint32_t shown = named <= MOST ? named : MOST;
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < shown && used < bytes; i++) {
    const char *before = i == 0 ? ": pid " : i + 1 == model->header.children ? " and " : ", ";
    used += (size_t)snprintf(text + used, bytes - used, "%s%u", before, model->header.child_pids[i]);
  }
  if (shown > 0 && shown < model->header.children && used < bytes)
    snprintf(text + used, bytes - used, " and %u more", model->header.children - shown);
}

static void note_children(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const uint32_t unmeasured = header->unmeasured_children;
  char pids[200];
  list_children(model, pids, sizeof pids);
  if (header->children > 0)
    hd_model_add_note(model, "%u forked child%s used OpenMP, not in these numbers: %s%s", header->children,
                      header->children == 1 ? "" : "ren",
                      header->children == 1 ? "it has a profile of its own" : "each has a profile of its own", pids);
  if (unmeasured > 0)
    hd_model_add_note(model, "%u forked child%s used OpenMP and could not be measured", unmeasured,
                      unmeasured == 1 ? "" : "ren");
}

static bool has_callpath_in(const struct hd_model *model, uint32_t module) {
  uint32_t i = 0;
  while (i < model->node_count && model->nodes[i].module != module)
    i++;
  return i < model->node_count;
}

static void note_unloaded(struct hd_model *model) {
  for (uint32_t i = 0; i < model->module_count; i++)
    if ((model->modules[i].flags & HD_MODULE_UNLOADED) && has_callpath_in(model, i))
      hd_model_add_note(
          model, "%s was unloaded during the run: code loaded later at its addresses may be shown under its names",
          hd_base_name(model->modules[i].path));
}

void hd_reader_add_notes(struct hd_model *model) {
  note_dormant(model);
  note_end(model);
  note_stop(model);
  note_space(model);
  note_events(model);
  hd_reader_note_callbacks(model);
  note_doacross(model);
  note_levels(model);
  note_no_runtime(model);
  note_routines(model);
  note_markers(model);
  note_unloaded(model);
  note_children(model);
  note_identities(model);
  hd_model_note_control(model);
  hd_reader_note_overhead(model);
  hd_reader_note_counters(model);
  hd_reader_note_samples(model);
  if ((model->header.flags & HD_FILE_START_COARSE) && model->before_ticks > 0)
    hd_model_add_note(model, "the program's start is known to 10 ms only");
}
