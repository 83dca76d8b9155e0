# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle tune`: programs that sleep as their settings say, so that the answer is known. Which setting wins is a matter of
time: what a machine that does something else says of it is judged by timed.py."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, environment_for, libomp_folder
from timed import check_times

# Sleeps $LONG ms, or $SHORT ms if the variable $NAME is $VALUE. Appends a line to $LOG. $FAILS: fails if a variable of
# that name is set. REGION: what it does in parallel.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *of(const char *name) { const char *text = name ? getenv(name) : NULL; return text ? text : ""; }
int main(void) {
  volatile double sum[100] = {0};
  FILE *log = fopen(of("LOG"), "a");
  fprintf(log, "%s\n", of("HEDDLE_OUTPUT"));
  fclose(log);
  REGION
  puts("to stdout");
  const int quick = *of("NAME") && !strcmp(of(of("NAME")), of("VALUE"));
  usleep(1000 * (unsigned)atoi(of(quick ? "SHORT" : "LONG")));
  return *of(of("FAILS")) ? 3 : (int)sum[0];
}
"""
REGION = "\n#pragma omp parallel for schedule({})\n  for (int i = 0; i < 100; i++) sum[i] += 0;\n"


class Tuned:
    def __init__(self, heddle, folder, build):
        self.heddle, self.folder, self.build = heddle, folder, build
        self.log = folder / "log"
        self.log.touch()

    def program(self, region, compiler="clang"):
        shutil.copy(self.build(PROGRAM.replace("REGION", region), compiler), self.folder / "app")

    def environment(self, variables):
        env = environment_for(19, env={"LOG": str(self.log), "LONG": "250", "SHORT": "20", **variables})
        env.pop("OMP_NUM_THREADS", None)
        return env

    def run(self, *arguments, **variables):
        return subprocess.run([self.heddle, "tune", "-r", "3", *map(str, arguments), "--", "./app"], cwd=self.folder,
                              env=self.environment(variables), capture_output=True, encoding="utf-8", timeout=TIMEOUT_S)

    def load(self, *arguments, **variables):
        done = self.run("--json", "-q", *arguments, **variables)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def runs(self):
        return len(self.log.read_text().splitlines())


@pytest.fixture
def tuned(heddle, build_program, tmp_path):
    if not (libomp_folder(19) / "libomp.so.5").exists():
        pytest.skip("no libomp 19: run scripts/fetch-runtimes")
    return Tuned(heddle, tmp_path, build_program)


def race_of(whole, name):
    return next((race for race in whole["races"] if race["race"] == name), None)


@pytest.mark.timed
def test_the_number_of_threads_that_is_fastest(tuned):
    tuned.program(REGION.format("static"))

    def measured():
        done = tuned.run("--start-over", "-t", "1,3", NAME="OMP_NUM_THREADS", VALUE="3")
        assert done.returncode == 0 and "to stdout" not in done.stdout, done.stderr
        assert "OMP_SCHEDULE was not tried" in done.stdout
        before = tuned.runs()
        whole = tuned.load("-t", "1,3", NAME="OMP_NUM_THREADS", VALUE="3")  # all runs are there
        assert tuned.runs() == before
        assert [one["settings"] for one in race_of(whole, "threads")["candidates"]] == ["", "OMP_NUM_THREADS=3",
                                                                                         "OMP_NUM_THREADS=1"]
        return done.stdout.splitlines()[0], whole

    def check(found):
        first, whole = found
        assert first.startswith("OMP_NUM_THREADS=3") and " ms instead of " in first and "less (3 runs of each" in first
        assert whole["variables"]["OMP_NUM_THREADS"] == "3" and whole["compared"]
        low, high = whole["saved_interval_s"]
        assert 0 < low <= whole["saved_s"] <= high and whole["fastest_s"] < whole["default_s"]
        assert (tuned.folder / "app.tune" / "final" / "default.r1.out").read_text() == "to stdout\n"

    check_times(measured, check)


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_schedules_are_tried_where_loops_leave_them_open(tuned, compiler):
    tuned.program(REGION.format("runtime"), compiler)
    whole = tuned.load("-t", "1", NAME="OMP_SCHEDULE", VALUE="guided", LONG="60")
    assert whole["runtime_schedule"] and "OMP_SCHEDULE=guided" in {
        one["settings"].split()[-1] for one in race_of(whole, "schedule")["candidates"] if one["settings"]}


@pytest.mark.timed
def test_schedules_are_tried_where_they_are_asked_for(tuned):
    tuned.program(REGION.format("dynamic"))

    def measured():
        whole = tuned.load("--start-over", "--schedules", "-t", "1", NAME="OMP_SCHEDULE", VALUE="dynamic,16")
        assert not whole["runtime_schedule"]
        return whole

    def check(whole):
        assert whole["variables"].get("OMP_SCHEDULE") == "dynamic,16"

    check_times(measured, check)


@pytest.mark.timed
def test_a_program_that_nothing_helps(tuned):
    """It has no OpenMP at all, so all differences are noise."""
    tuned.program("")

    def measured():
        done = tuned.run("--start-over", "-r", "5", LONG="60")
        assert done.returncode == 0 and "left no profile" in done.stderr, done.stderr
        return done.stdout

    def check(shown):
        assert shown.startswith("Nothing beats the default")
        assert tuned.load("-r", "5", LONG="60")["winner"] is None

    check_times(measured, check)


def test_a_setting_that_the_program_does_not_bear_is_left_out(tuned):
    tuned.program("")
    done = tuned.run("-t", "1", "--json", NAME="OMP_NUM_THREADS", VALUE="1", FAILS="OMP_WAIT_POLICY")
    whole = json.loads(done.stdout)
    assert "exit status 3" in done.stderr
    failed = [one["settings"] for one in race_of(whole, "wait")["candidates"] if one["failed"]]
    assert failed and all("OMP_WAIT_POLICY" in settings for settings in failed)


def test_a_program_that_fails(tuned):
    tuned.program("")
    done = tuned.run(FAILS="LOG")
    assert done.returncode == 1 and done.stdout == ""
    assert "run first profile failed: exit status 3" in done.stderr and "--expect-status 3" in done.stderr
    assert tuned.run("--expect-status", "3", "--limit", "1", "-q", FAILS="LOG").returncode == 0


def test_a_program_that_is_not_there(tuned):
    done = tuned.run()
    assert done.returncode == 1 and "not found" in done.stderr and done.stdout == ""


def test_a_limit_ends_the_search_and_the_command_resumes_it(tuned):
    tuned.program("")
    limited = tuned.load("--limit", "2", LONG="150")
    assert limited["limited"] and tuned.runs() < 40
    before = tuned.runs()
    whole = tuned.load("-t", "1", LONG="150")
    assert not whole["limited"] and tuned.runs() > before
    assert len(race_of(whole, "threads")["candidates"][0]["seconds"]) == 3


def test_a_signal_ends_the_search_and_the_command_resumes_it(tuned):
    tuned.program("")
    process = subprocess.Popen([tuned.heddle, "tune", "-r", "3", "-t", "1", "--", "./app"], cwd=tuned.folder,
                               env=tuned.environment({"LONG": "60"}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + TIMEOUT_S
    while tuned.runs() < 3 and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + signal.SIGTERM and out == "" and "repeat the command to resume" in err
    kept = len(json.loads((tuned.folder / "app.tune" / "tune.json").read_text())["runs"])
    before = tuned.runs()
    whole = tuned.load("-t", "1", LONG="60")
    made = sum(len(one["seconds"]) for race in whole["races"] for one in race["candidates"])
    assert tuned.runs() == before + made - kept


def test_another_search_in_the_directory_is_refused(tuned):
    tuned.program("")
    tuned.load("-t", "1", "-o", "kept", LONG="1")
    done = tuned.run("-o", "kept", OMP_DYNAMIC="true")
    assert done.returncode == 1 and "environment" in done.stderr and "holds another search" in done.stderr
    before = tuned.runs()
    tuned.load("-t", "1", "-o", "kept", "--start-over", LONG="1", OMP_DYNAMIC="true")
    assert tuned.runs() > before
    os.mkdir(tuned.folder / "other")
    (tuned.folder / "other" / "file").touch()
    assert "holds no search" in tuned.run("-o", "other").stderr


def test_wrong_options(run_heddle):
    for arguments, what in ((["-r", "2", "--", "true"], "noise"), (["--limit", "0", "true"], "seconds"),
                            ([], "missing PROGRAM"), (["-t", "0", "true"], "numbers from 1 to 65536")):
        done = run_heddle("tune", *arguments)
        assert done.returncode == 2 and what in done.stderr, arguments
