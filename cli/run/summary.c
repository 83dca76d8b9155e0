/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run_internal.h"
#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "output/model/model.h"
#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/resolve_names.h"
#include "output/views/job/job_view.h"
#include "output/views/report/report.h"
#include "support/command/paint.h"
#include "support/log.h"

/* Everything that `heddle run` says after a run, unless something went wrong. */
enum { LINES_MAX = 25 };

/* Shorter for a profile below the current directory. */
static const char *short_path(const char *path) {
  static char directory[PATH_MAX];
  if (!directory[0] && !getcwd(directory, sizeof directory))
    return path;
  const size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* Prints a line for each but the first as long as there is room, then how many are left. */
static void print_others(const struct hd_run_profiles *profiles, size_t room) {
  const size_t others = profiles->count - 1;
  size_t shown = others <= room ? others : room - 1;
  for (size_t i = 1; i <= shown; i++)
    fprintf(stderr, "heddle: %s: %s (%s, pid %d, %.3g s)\n",
            profiles->items[i].parent ? "profile of a forked child" : "another profile",
            short_path(profiles->items[i].path), profiles->items[i].program, (int)profiles->items[i].pid,
            (double)profiles->items[i].run_ns * 1e-9);
  if (shown < others)
    fprintf(stderr, "heddle: and %zu more\n", others - shown);
}

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; (text = strchr(text, '\n')); text++)
    count++;
  return count;
}

/* Routines tell of themselves, but libgomp of nothing. Returns how many lines it took. */
static size_t print_untold(const struct hd_model *model, const struct hd_run *run) {
  const char *name = run->options->command[0];
  if (!run->untold_libgomp || model->header.runtime[0])
    return 0;
  hd_log("%s uses GCC's libgomp, which loads no tools: regions and waiting are not in the profile. Run it on\n"
         "heddle: LLVM's libomp: heddle run --gomp -- %s%s",
         name, name, run->options->command[1] ? " ..." : "");
  return 2;
}

/* Returns how many lines it took. */
static size_t print_measurable(const struct hd_run *run) {
  if (!run->measurable)
    return 0;
  hd_log("%u functions of %s can be measured: heddle run --routines=REGEX ...", run->measurable,
         run->options->command[0]);
  return 1;
}

/* Returns how many lines it took. */
static size_t print_profile(const struct hd_run_profile *profile, const struct hd_run *run) {
  struct hd_model *model = NULL;
  char error[PATH_MAX + 256];
  char *text = NULL;
  size_t bytes = 0;
  size_t lines = 1;
  if (!hd_profile_open(profile->path, &model, error, sizeof error)) {
    hd_log("%s", error);
    return lines;
  }
  hd_names_resolve(model); /* where they could not be cached */
  hd_resolve(model);
  FILE *memory = open_memstream(&text, &bytes);
  if (memory) {
    hd_paint_memory_as(stderr);
    hd_report_summary(model, memory);
    if (fclose(memory) == 0) {
      lines = count_lines(text);
      fputs(text, stderr);
    }
  }
  lines += print_untold(model, run) + print_measurable(run);
  free(text);
  hd_model_free(model);
  return lines;
}

static bool has_name(const struct hd_run_profiles *profiles, const char *name, size_t bytes) {
  for (size_t i = 0; i < profiles->count; i++)
    if (strlen(profiles->items[i].path) == bytes && memcmp(profiles->items[i].path, name, bytes) == 0)
      return true;
  return false;
}

/* Who asked for a name expects this run there, not an earlier one. Numbers also tell a run's own processes apart.
 * Returns how many lines it took. */
static size_t print_taken(const struct hd_run_profiles *profiles) {
  for (size_t i = 0; i < profiles->count; i++) {
    const struct hd_run_profile *profile = &profiles->items[i];
    if (!profile->wanted || has_name(profiles, profile->path, profile->wanted))
      continue;
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%.*s", (int)profile->wanted, profile->path);
    hd_log("%s exists already and is kept: the profile of this run is %s", short_path(name), short_path(profile->path));
    return 1;
  }
  return 0;
}

/* In the name of one rank's profile, where it says which; NULL: this run did not start the ranks of a job. */
static const char *rank_in(const char *name, size_t profiles) {
  static const char before[] = ".rank";
  const char *at = strstr(name, before);
  return at && profiles > 1 && at[strlen(before)] >= '0' && at[strlen(before)] <= '9' ? at + strlen(before) : NULL;
}

/* Nothing, if somebody has taken it away. */
static void print_findings(const char *path) {
  FILE *in = fopen(path, "re");
  struct hd_job *job = in ? hd_job_read(in) : NULL;
  if (in)
    fclose(in);
  if (!job)
    return;
  hd_job_finish(job);
  hd_job_print_findings(job, stderr);
  hd_job_free(job);
}

static void print_job(const char *path) {
  const char *name = short_path(path);
  hd_log("job: %s", name);
  print_findings(path);
  hd_log("more: heddle job %s", name);
}

void hd_run_summarize(const struct hd_run *run) {
  const struct hd_run_profiles *profiles = &run->profiles;
  size_t lines = 2 + (profiles->running > 0); /* what is printed here */
  for (size_t i = 0; i < profiles->count; i++)
    hd_names_cache(profiles->items[i].path);
  if (profiles->running)
    hd_log("%zu process%s of this run still running; each saves its profile when it ends", profiles->running,
           profiles->running == 1 ? " is" : "es are");
  lines += print_taken(profiles);
  if (run->options->quiet)
    return;
  for (size_t i = 0; i < run->jobs.count; i++)
    print_job(run->jobs.paths[i]);
  if (!profiles->count)
    return;
  const char *name = short_path(profiles->items[0].path);
  const char *rank = run->jobs.count ? NULL : rank_in(name, profiles->count);
  lines += rank != NULL;
  fprintf(stderr, "heddle: profile: %s\n", name);
  lines += print_profile(&profiles->items[0], run);
  print_others(profiles, lines + 2 < LINES_MAX ? LINES_MAX - lines : 2);
  fprintf(stderr, "heddle: more: heddle report %s\n", name);
  if (rank)
    hd_log("all ranks: heddle job %.*s*%s", (int)(rank - name), name, rank + strspn(rank, "0123456789"));
}
