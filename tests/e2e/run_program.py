# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for `heddle run`, and how it is run: for tests of what it does and says."""
import subprocess

import pytest

from conftest import clean_environment, libomp_folder


# Two threads, one region; the argument is the exit status.
REGION = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  printf("threads %d\n", count);
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# Links a runtime, but the region is never entered.
NO_CONSTRUCT = r"""
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 5) {
#pragma omp parallel
    argv[0][0] = 0;
  }
  return 0;
}
"""

CLOCK = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int omp_get_thread_num(void);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double spin(double seconds) {
  double begin = now();
  while (now() - begin < seconds) {
  }
  return now() - begin;
}
"""

# Thread 1 works for 0.5 s and waits at the region's end, thread 0 works for 1 s and kills the program.
# busy = 0.5 + 1, wait = 0.5, elapsed = 1, gain = (2 * 1 - 1.5) / 2. Prints both threads' real times.
KILLED = CLOCK + r"""
int main(void) {
#pragma omp parallel num_threads(2)
  {
    double begin = now();
    if (omp_get_thread_num() == 1) {
      spin(0.5);
      printf("1 %.6f\n", now() - begin);
      fflush(stdout);
    } else {
      spin(1.0);
      printf("0 %.6f\n", now() - begin);
      fflush(stdout);
      raise(SIGKILL);
    }
  }
  return 0;
}
"""

# Counts the signal it is told to expect, from inside a region; ends with status 4 after `seconds`.
SIGNALLED = CLOCK + r"""
static volatile sig_atomic_t seen;
static void note(int number) { (void)number; seen++; }
int main(int argc, char **argv) {
  if (argc > 2)
    signal(atoi(argv[2]), note);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    printf("ready\n");
    fflush(stdout);
    double begin = now();
    while (now() - begin < atof(argv[1]))
      usleep(1000);
  }
  printf("seen %d\n", (int)seen);
  return 4;
}
"""


@pytest.fixture
def run(heddle, tmp_path):
    """Runs `heddle run ARGUMENTS` in an empty directory with a store of its own; (status, stdout, stderr lines)."""
    directory = tmp_path / "run"
    store = tmp_path / "store"
    directory.mkdir()
    store.mkdir()

    def run_heddle(*arguments, env=None, **more):
        done = subprocess.run([heddle, "run", *map(str, arguments)], cwd=directory, capture_output=True, text=True,
                              timeout=120, env=make_environment(store, env), **more)
        return done.returncode, done.stdout, done.stderr.splitlines()

    run_heddle.heddle = heddle
    run_heddle.directory = directory
    run_heddle.store = store
    return run_heddle


def make_environment(store, changes=None):
    return {**clean_environment(), "HEDDLE_STORE_DIR": str(store), **(changes or {})}


def on(runtime):
    return {"LD_LIBRARY_PATH": str(libomp_folder(runtime))}


def start(heddle, run, *arguments, **more):
    return subprocess.Popen([heddle, "run", *map(str, arguments)], cwd=run.directory, env=make_environment(run.store),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def profiles(run):
    return sorted(path.name for path in run.directory.glob("*.heddle*"))


def only_profile(run):
    assert len(profiles(run)) == 1
    return run.directory / profiles(run)[0]


def region_of(exported):
    return [profile for profile in exported["profiles"] if profile["kind"] == "parallel"][0]
