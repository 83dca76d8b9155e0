/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/mpi_job.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "store/profile_file.h"
#include "store/store.h"
#include "support/log.h"

static struct {
  struct heddle_mpi_job told;
  bool keeps_profile;
  char command[PATH_MAX];
  char output[sizeof hd_store.output_path]; /* the job's name, before a free one is sought; "": it is too long */
} job;

static bool save(int file, char *path, size_t bytes) {
  snprintf(path, bytes, "%s", job.output);
  const bool saved = hd_store_save_other(&hd_store, file, job.output, path, bytes);
  if (saved && strcmp(path, job.output) != 0)
    hd_log("%s exists already and is kept: the file of this job is %s", job.output, path);
  return saved;
}

static void settle(const char *path) {
  hd_store_link_job(&hd_store, path);
  if (!job.keeps_profile)
    hd_store_discard(&hd_store);
}

static void say(const char *text) {
  hd_log("%s", text);
}

/* It has no rank's number: it is of all. */
static void name_output(const char *pattern) {
  struct hd_file_header header = *hd_store.header;
  header.ranks = 0;
  header.rank = HD_RANK_ALL;
  if (!hd_profile_file_expand_name(pattern, &header, job.output, sizeof job.output))
    job.output[0] = '\0';
}

void hd_mpi_job_init(const struct hd_settings *settings) {
  if (!settings->one_file)
    return;
  name_output(settings->output);
  snprintf(job.command, sizeof job.command, "%s", settings->command ? settings->command : "");
  job.keeps_profile = settings->rank_files;
  job.told = (struct heddle_mpi_job){.command = job.command,
                                     .wait_s = settings->one_file,
                                     .all_ranks = settings->all_ranks,
                                     .save = save,
                                     .settle = settle,
                                     .say = say};
}

/* Readers of the profile, which nobody has closed, know the clock's rate from there. */
static void note_clock(void) {
  hd_store.header->clock_last = hd_clock_read_pair();
}

const struct heddle_mpi_job *hd_mpi_job_find(void) {
  const bool has_profile = hd_measuring_is_on() && hd_measuring.pid == getpid() && hd_store_may_write(&hd_store);
  if (!job.told.say)
    return NULL;
  job.told.profile = has_profile && job.output[0] ? hd_store.live_path : NULL;
  if (job.told.profile)
    note_clock();
  return &job.told;
}
