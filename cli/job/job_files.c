/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/job/job_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/analysis/resolve/resolve.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/resolve_names.h"
#include "output/views/job/job_view.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

enum { FILES_EACH = 16 /* for fewer a process is not worth its start */, PROCESSES_MOST = 64 };

/* ---- one file ---- */

static bool add_profile(struct hd_job *job, const char *path) {
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  if (!hd_profile_open(path, &model, error, sizeof error))
    return HD_COMPLAIN("%s", error);
  hd_names_resolve(model);
  hd_resolve(model);
  hd_job_add(job, model);
  hd_model_free(model);
  return true;
}

/* NULL: it seems to be a profile. */
static FILE *open_job(const char *path) {
  FILE *in = fopen(path, "re");
  if (!in || getc(in) == '{')
    return in && fseek(in, 0, SEEK_SET) == 0 ? in : NULL;
  fclose(in);
  return NULL;
}

bool hd_job_is_in(const char *file) {
  FILE *in = open_job(file);
  return in && fclose(in) == 0;
}

static struct hd_job *read_job(FILE *in, const char *path) {
  struct hd_job *job = hd_job_read(in);
  fclose(in);
  if (!job)
    hd_log("%s: neither a profile nor a file of 'heddle merge --job'", path);
  return job;
}

static bool add_job(struct hd_job *job, FILE *in, const char *path) {
  struct hd_job *part = read_job(in, path);
  const bool fits = part && !part->is_summary;
  if (fits)
    hd_job_add_job(job, part);
  else if (part)
    hd_log("%s: it lacks what each rank did; write it with 'heddle merge --job --all-ranks', or name the ranks' "
           "profiles",
           path);
  hd_job_free(part);
  return fits;
}

/* All that is wrong is said at once. */
static bool add_files(struct hd_job *job, char **files, size_t count) {
  bool done = true;
  for (size_t i = 0; i < count; i++) {
    FILE *in = open_job(files[i]);
    done &= in ? add_job(job, in, files[i]) : add_profile(job, files[i]);
  }
  return done;
}

/* ---- many files ---- */

struct worker {
  pid_t pid;
  FILE *out; /* its part of the job */
};

static struct worker start(char **files, size_t count) {
  struct worker worker = {.out = tmpfile()};
  fflush(NULL);
  worker.pid = worker.out ? fork() : -1;
  if (worker.pid != 0)
    return worker;
  struct hd_job *job = hd_job_new();
  bool done = add_files(job, files, count);
  if (done) {
    hd_job_finish(job);
    done = hd_job_json(job, true, worker.out) && fflush(worker.out) == 0;
  }
  _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool collect(struct hd_job *job, const struct worker *worker) {
  int status = 1;
  if (worker->pid < 0 || waitpid(worker->pid, &status, 0) != worker->pid || !WIFEXITED(status))
    return HD_COMPLAIN("a process that read profiles: %s", worker->pid < 0 ? strerror(errno) : "it ended early");
  const bool is_whole = WEXITSTATUS(status) == 0 && fseek(worker->out, 0, SEEK_SET) == 0;
  struct hd_job *part = is_whole ? hd_job_read(worker->out) : NULL;
  if (part)
    hd_job_add_job(job, part);
  hd_job_free(part);
  return part;
}

static bool divide(struct hd_job *job, char **files, size_t count, size_t processes) {
  struct worker *workers = hd_new(processes, sizeof *workers);
  bool done = true;
  for (size_t i = 0; i < processes; i++)
    workers[i] = start(files + i * count / processes, (i + 1) * count / processes - i * count / processes);
  for (size_t i = 0; i < processes; i++) {
    done &= collect(job, &workers[i]);
    if (workers[i].out)
      fclose(workers[i].out);
  }
  free(workers);
  return done;
}

static size_t count_processes(size_t files) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t most = processors < 1 ? 1 : processors > PROCESSES_MOST ? PROCESSES_MOST : (size_t)processors;
  return files / FILES_EACH < most ? files / FILES_EACH : most;
}

struct hd_job *hd_job_of_files(char **files, size_t count) {
  FILE *alone = count == 1 ? open_job(files[0]) : NULL;
  struct hd_job *job = alone ? read_job(alone, files[0]) : hd_job_new();
  const size_t processes = count_processes(count);
  const bool done = alone           ? job != NULL
                    : processes > 1 ? divide(job, files, count, processes)
                                    : add_files(job, files, count);
  if (done) {
    hd_job_finish(job);
    return job;
  }
  hd_job_free(job);
  return NULL;
}
