/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/doctor/doctor_internal.h"
#include "counters/sample_ring.h"
#include "counters/source.h"
#include "output/metrics/formula.h"

enum { LEAST_FREE_MIB = 16, LEAST_DESCRIPTORS = 32, BYTES_PER_MIB = 1 << 20 };

/* ---- places for files ---- */

/* False: `why` says what is wrong with it. */
static bool is_usable(const char *directory, char *why, size_t why_bytes, unsigned long long *free_mib) {
  struct statvfs status;
  struct stat file;
  if (stat(directory, &file) != 0 || statvfs(directory, &status) != 0)
    snprintf(why, why_bytes, ": %s", strerror(errno));
  else if (!S_ISDIR(file.st_mode))
    snprintf(why, why_bytes, " is not a directory");
  else if ((status.f_flag & ST_RDONLY) || access(directory, W_OK | X_OK) != 0)
    snprintf(why, why_bytes, " cannot be written to");
  else {
    *free_mib = (unsigned long long)status.f_bavail * status.f_frsize / BYTES_PER_MIB;
    if (*free_mib >= LEAST_FREE_MIB)
      return true;
    snprintf(why, why_bytes, " has only %llu MiB left", *free_mib);
  }
  return false;
}

/* Where a profile lives while the program runs: the first that can be used. */
static void check_store(struct hd_doctor *doctor) {
  const struct {
    const char *name, *path;
  } places[] = {{"HEDDLE_STORE_DIR", getenv("HEDDLE_STORE_DIR")},
                {"/dev/shm", "/dev/shm"},
                {"TMPDIR", getenv("TMPDIR")},
                {"/tmp", "/tmp"}};
  char why[200];
  unsigned long long free_mib = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *path = places[i].path;
    if (!path || !*path)
      continue;
    if (is_usable(path, why, sizeof why, &free_mib)) {
      SAY(FINE, "live profiles", "in %s, %llu MiB free", path, free_mib);
      return;
    }
    SAY(NOTE, places[i].name, "%s%s: the next place is used; make room, or name another in HEDDLE_STORE_DIR", path,
        why);
  }
  SAY(WRONG, "live profiles", "no room for live profiles: name a directory with %d MiB free in HEDDLE_STORE_DIR",
      LEAST_FREE_MIB);
}

static void check_output(struct hd_doctor *doctor) {
  const char *name = getenv("HEDDLE_OUTPUT");
  char directory[PATH_MAX] = ".";
  char why[200];
  unsigned long long free_mib = 0;
  if (name && strchr(name, '/') && strlen(name) < sizeof directory) {
    memcpy(directory, name, strlen(name) + 1);
    *strrchr(directory, '/') = '\0';
  }
  if (!directory[0])
    memcpy(directory, "/", 2);
  if (is_usable(directory, why, sizeof why, &free_mib))
    SAY(FINE, "finished profiles", "in %s, %llu MiB free", directory, free_mib);
  else
    SAY(WRONG, "finished profiles", "%s%s: name another place with --output or HEDDLE_OUTPUT", directory, why);
}

/* ---- processors ---- */

static void check_processors(struct hd_doctor *doctor) {
  cpu_set_t allowed;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const char *threads = getenv("OMP_NUM_THREADS");
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  const int usable = CPU_COUNT(&allowed);
  if (usable < online)
    SAY(NOTE, "processors", "%d of %ld may be used (taskset, cgroup or batch system)", usable, online);
  else
    SAY(FINE, "processors", "%d", usable);
  if (threads && strtol(threads, NULL, 10) > usable)
    SAY(NOTE, "OMP_NUM_THREADS",
        "=%s, more than processors: threads take turns, and a thread waiting for its turn counts as busy", threads);
}

/* "max 100000" or "150000 100000", microseconds. 0: no limit. */
static double read_quota(const char *text) {
  char *rest = NULL;
  const double quota = strtod(text, &rest);
  const double period = strtod(rest, NULL);
  return period > 0 ? quota / period : 0;
}

/* A container's share, which affinity does not show. */
static void check_quota(struct hd_doctor *doctor) {
  char text[80] = "";
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  const double processors = file && fgets(text, sizeof text, file) ? read_quota(text) : 0;
  if (file)
    fclose(file);
  if (processors > 0)
    SAY(NOTE, "processor time", "the container is limited to %.2f processors: throttled threads count as busy",
        processors);
}

/* ---- limits ---- */

static bool is_below(int resource, unsigned long long least, unsigned long long *limit) {
  struct rlimit set;
  *limit =
      getrlimit((__rlimit_resource_t)resource, &set) == 0 && set.rlim_cur != RLIM_INFINITY ? set.rlim_cur : ULLONG_MAX;
  return *limit < least;
}

static void check_limits(struct hd_doctor *doctor) {
  unsigned long long limit = 0;
  const size_t before = doctor->findings.count;
  if (is_below(RLIMIT_FSIZE, (unsigned long long)LEAST_FREE_MIB * BYTES_PER_MIB, &limit))
    SAY(WRONG, "ulimit -f", "files are limited to %llu KiB, and a profile may need more: raise the limit",
        limit / 1024);
  if (is_below(RLIMIT_NOFILE, LEAST_DESCRIPTORS, &limit))
    SAY(WRONG, "ulimit -n", "only %llu descriptors: Heddle may find none left for its file; raise the limit", limit);
  if (is_below(RLIMIT_AS, ULLONG_MAX, &limit))
    SAY(NOTE, "ulimit -v", "the program is limited to %llu MiB of address space, of which Heddle needs some MiB",
        limit / BYTES_PER_MIB);
  if (doctor->findings.count == before)
    SAY(FINE, "limits", "file size, descriptors and address space suffice");
}

/* ---- counters ---- */

static void check_sources(struct hd_doctor *doctor) {
  char text[300];
  for (const struct hd_source *const *source = hd_sources; *source; source++) {
    if ((*source)->describe(text, sizeof text) == HD_SOURCE_WHOLE)
      SAY(FINE, "counters", "%s: %s", (*source)->name, text);
    else
      SAY(NOTE, "counters", "%s: %s", (*source)->name, text);
  }
}

static void check_counters(struct hd_doctor *doctor) {
  struct hd_counter_event event;
  char why[300];
  check_sources(doctor);
  if (hd_source_ask(&hd_source_kernel, "perf::TASK-CLOCK", &event, why, sizeof why) != HD_COUNTER_FOUND)
    SAY(NOTE, "counters", "%s", why);
  if (!hd_formula_open(why, sizeof why))
    SAY(NOTE, "formulas of groups", "%s", why);
}

/* ---- samples ---- */

static void check_samples(struct hd_doctor *doctor) {
  struct hd_sample_ring ring = {0};
  char why[400];
  const int error = hd_sample_ring_open(&ring, 4000000, 4096);
  hd_sample_ring_close(&ring);
  if (!error) {
    SAY(FINE, "samples", "the kernel samples what threads execute");
    return;
  }
  hd_sample_ring_explain(error, why, sizeof why);
  SAY(NOTE, "samples", "%s; without samples 'heddle report --hot' has nothing to show", why);
}

void hd_doctor_check_machine(struct hd_doctor *doctor) {
  check_store(doctor);
  check_output(doctor);
  check_processors(doctor);
  check_quota(doctor);
  check_limits(doctor);
  check_counters(doctor);
  check_samples(doctor);
}
