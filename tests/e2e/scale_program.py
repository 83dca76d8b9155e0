# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for `heddle scale`, and the folder that it runs in: for tests of what scans do."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, environment_for, libomp_folder


def told(stderr):
    """What `heddle scale` says, but that this machine has fewer processors than the scan has threads."""
    return re.sub(r"heddle: warning: up to \d+ threads on [^\r\n]*\r?\n", "", stderr)


# One region, in which each thread is busy for a moment. Appends a line to the file $LOG: thread count, arguments.
# $HELD: waits before for as long as this file exists; $NAP_MS: sleeps. $FAIL_AT, $KILL_AT, $SILENT_AT: what it does with so
# many threads. "fork": a child that has a region, too, and ends sooner. "chdir": goes to / first. "deaf": does not hear
# SIGTERM.
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int at(const char *name) { const char *text = getenv(name); return text && atoi(text) == atoi(getenv("OMP_NUM_THREADS")); }
static void say(const char *name) { const char *text = getenv(name); printf("%s=%s\n", name, text ? text : "(none)"); }
static void work(long turns) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < turns; i++)
    sum += 1.0 / (double)(i + 1);
  if (sum < 0)
    puts("never");
}
int main(int argc, char **argv) {
  int forks = 0;
  FILE *log = getenv("LOG") ? fopen(getenv("LOG"), "a") : NULL;
  if (log) fprintf(log, "%d", atoi(getenv("OMP_NUM_THREADS")));
  for (int i = 1; i < argc; i++) {
    if (log) fprintf(log, " %s", argv[i]);
    forks |= !strcmp(argv[i], "fork");
    if (!strcmp(argv[i], "chdir") && chdir("/") != 0) return 9;
    if (!strcmp(argv[i], "deaf")) signal(SIGTERM, SIG_IGN);
    printf("argument %s\n", argv[i]);
  }
  if (log) fputc('\n', log), fclose(log);
  say("OMP_NUM_THREADS"); say("OMP_PROC_BIND"); say("OMP_PLACES"); say("COLOUR");
  printf("input %d\n", getchar());
  fprintf(stderr, "to stderr\n");
  fflush(stdout);
  while (getenv("HELD") && access(getenv("HELD"), F_OK) == 0) usleep(1000);
  if (getenv("NAP_MS")) usleep(1000 * (unsigned)atoi(getenv("NAP_MS")));
  if (at("FAIL_AT")) { puts("It went wrong.\nBadly."); return 3; }
  if (at("SILENT_AT")) return 0;
  pid_t child = forks ? fork() : -1;
  work(child == 0 ? 1000 : 200000);
  if (child == 0) return 0;
  if (child > 0) waitpid(child, NULL, 0), work(20000000);
  if (at("KILL_AT")) abort();
  if (getenv("HABIT")) return atoi(getenv("HABIT"));
  return 0;
}
"""
OTHER = PROGRAM.replace("200000)", "300000)")


class Scan:
    """What `heddle scale` may be asked for in one folder, and what is then in it."""

    def __init__(self, heddle, program, folder):
        self.heddle, self.program, self.folder = heddle, program, folder
        self.log = folder / "log"
        self.directory = folder / "app.scale"
        store = folder / "store"  # what is killed leaves its live file
        store.mkdir()
        self.environment = environment_for(19, env={"LOG": str(self.log), "OMP_WAIT_POLICY": "passive",
                                                    "HEDDLE_STORE_DIR": str(store)})

    def command(self, *arguments, command=None):
        return [str(self.heddle), "scale", *map(str, arguments), "--", *map(str, command or ["./app"])]

    def run(self, *arguments, command=None, env=None, **options):
        return subprocess.run(self.command(*arguments, command=command), cwd=self.folder,
                              env={**self.environment, **(env or {})}, capture_output=True, encoding="utf-8",
                              errors="surrogateescape", timeout=TIMEOUT_S, **options)

    def start(self, *arguments, command=None, env=None, **options):
        return subprocess.Popen(self.command(*arguments, command=command), cwd=self.folder,
                                env={**self.environment, **(env or {})}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    @contextlib.contextmanager
    def held(self, *arguments, **options):
        """start(), whose program waits for the end of this block."""
        hold = self.folder / "hold"
        hold.touch()
        try:
            process = self.start(*arguments, **{**options, "env": {"HELD": str(hold), **options.get("env", {})}})
            wait_until(self.logged, "no run began")
            yield process
        finally:
            hold.unlink()

    def logged(self):
        """The runs that began, as the programs wrote it."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def profiles(self, folder=""):
        return sorted(path.name for path in (self.directory / folder).glob("*.heddle"))

    def output(self, name):
        return (self.directory / f"{name}.out").read_text()


@pytest.fixture
def scan(heddle, build_program, tmp_path):
    """A Scan of the program, ./app, in a new folder."""
    if not (libomp_folder(19) / "libomp.so.5").exists():
        pytest.skip("no libomp 19: run scripts/fetch-runtimes")
    shutil.copy(build_program(PROGRAM), tmp_path / "app")
    return Scan(heddle, tmp_path / "app", tmp_path)


def names(*counts, repeats):
    return sorted(f"t{t}.r{r}.heddle" for t in counts for r in range(1, repeats + 1))


def wait_until(condition, what):
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def is_running(program):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == str(program):
                return True
        except OSError:
            pass
    return False
