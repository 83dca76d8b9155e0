# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle scale`: which runs it makes, in which order; what it keeps; how it goes on after anything that ends it."""
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, environment_for, libomp_folder

# One region, in which each thread is busy for a moment. Appends a line to the file $LOG: thread count, arguments.
# $NAP_MS: sleeps before. $FAIL_AT, $KILL_AT, $SILENT_AT: what it does with so many threads. "fork": a child that has a
# region, too, and ends sooner. "chdir": goes to / first. "deaf": does not hear SIGTERM.
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


# ---- what is run, and kept ----


def test_keeps_every_run_and_ends_with_the_comparison(scan, run_heddle, export):
    result = scan.run("-t", "1,2", "-r", "2")
    assert result.returncode == 0, result.stderr
    assert scan.profiles() == names(1, 2, repeats=2)
    assert sorted(os.listdir(scan.directory)) == sorted(
        scan.profiles() + [name.replace("heddle", "out") for name in scan.profiles()] + ["scan.json", "scan.lock"])
    assert result.stdout and result.stdout == run_heddle("compare", "app.scale", cwd=scan.folder).stdout
    for threads in (1, 2):
        profile = export(scan.directory / f"t{threads}.r2.heddle")
        assert profile["run"]["env"]["OMP_NUM_THREADS"] == str(threads)
        assert profile["run"]["exit"] == 0
        assert len(profile.threads) == threads
    lines = result.stderr.splitlines()
    assert lines[0] == "heddle: 4 runs, kept in app.scale"
    assert len(lines) == 5
    for number, line in enumerate(lines[1:], start=1):
        assert re.fullmatch(rf"heddle: run {number} of 4: t\d\.r\d: \d+\.\d{{3}} s, \d+:\d\d left", line), line


def test_output_has_both_streams_and_input_is_empty(scan):
    result = scan.run("-t", "1", "-r", "1", command=["./app", "a b"], input="this is for nobody")
    assert result.returncode == 0, result.stderr
    assert sorted(scan.output("t1.r1").splitlines()) == [
        "COLOUR=(none)", "OMP_NUM_THREADS=1", "OMP_PLACES=(none)", "OMP_PROC_BIND=(none)", "argument a b", "input -1",
        "to stderr"]
    assert "argument" not in result.stderr + result.stdout


def test_one_point_is_not_compared(scan):
    result = scan.run("-t", "2", "-r", "2")
    assert (result.returncode, result.stdout) == (0, "")
    assert "nothing to compare in app.scale: 'heddle compare app.scale OTHER'" in result.stderr


def test_repeats_are_interleaved_and_rounds_rotate(scan):
    assert scan.run("-t", "1,2,3", "-r", "4", "-q").returncode == 0
    assert scan.logged() == ["1", "2", "3", "2", "3", "1", "3", "1", "2", "1", "2", "3"]


@pytest.mark.parametrize("given, expected", [("4,1,2,2", [1, 2, 4]), ("1-3", [1, 2, 3]), ("1,3-7:2", [1, 3, 5, 7]),
                                             ("2-5:3", [2, 5])])
def test_thread_counts_are_lists_and_ranges(scan, given, expected):
    assert scan.run("-t", given, "-r", "1", "-q").returncode == 0
    assert scan.logged() == [str(t) for t in expected]


def test_default_thread_counts_are_powers_of_two_up_to_the_processors(scan):
    processors = len(os.sched_getaffinity(0))
    powers = [2 ** i for i in range(20) if 2 ** i < processors]
    assert scan.run("-r", "1", "-q").returncode == 0
    assert scan.logged() == [str(t) for t in powers + [processors]]


def test_five_repeats_are_the_default(scan):
    assert scan.run("-t", "1", "-q").returncode == 0
    assert scan.logged() == ["1"] * 5


def test_more_threads_than_processors_are_warned_of_in_one_line(scan):
    processors = len(os.sched_getaffinity(0))
    result = scan.run("-t", f"1,{processors + 1},{processors + 2}", "-r", "1")
    assert result.stderr.count("warning") == 1
    assert f"warning: up to {processors + 2} threads on {processors} processor" in result.stderr
    assert "warning" not in scan.run("-t", f"1-{processors}", "-r", "1", "-o", "other").stderr


def test_warmup_runs_are_not_kept_and_come_first(scan):
    assert scan.run("-t", "1,2", "-r", "1", "--warmup", "2", "-q").returncode == 0
    assert scan.logged() == ["2", "2", "1", "2"]
    assert scan.profiles() == names(1, 2, repeats=1)
    assert scan.run("-t", "1,2", "-r", "1", "--warmup", "2", "-q").returncode == 0
    assert len(scan.logged()) == 4  # nothing is missing, so nothing needs to be warm


def test_bind_sets_policy_and_places(scan):
    assert scan.run("-t", "1", "-r", "1", "--bind", "close", "-q").returncode == 0
    assert "OMP_PROC_BIND=close\nOMP_PLACES=cores\n" in scan.output("t1.r1")
    assert scan.run("-t", "1", "-r", "1", "--bind", "spread", "-q", "--start-over",
                    env={"OMP_PLACES": "threads"}).returncode == 0
    assert "OMP_PROC_BIND=spread\nOMP_PLACES=threads\n" in scan.output("t1.r1")


def test_parameters_are_variables_or_stand_in_the_command(scan, run_heddle):
    result = scan.run("-t", "1,2", "-r", "1", "--param", "COLOUR=red,blue\\,green", "--param", "N=7,8", "-q",
                      command=["./app", "x{N}y", "{threads}", "{COLOR}"])
    assert result.returncode == 0, result.stderr
    folders = sorted(path.name for path in scan.directory.iterdir() if path.is_dir())
    assert folders == ["COLOUR=blue%2Cgreen,N=7", "COLOUR=blue%2Cgreen,N=8", "COLOUR=red,N=7", "COLOUR=red,N=8"]
    for folder in folders:
        assert scan.profiles(folder) == names(1, 2, repeats=1)
        colour = "red" if "red" in folder else "blue,green"
        text = scan.output(f"{folder}/t2.r1")
        assert f"argument x{folder[-1]}y\nargument 2\nargument {{COLOR}}\n" in text and f"COLOUR={colour}\n" in text
    given = ["COLOUR=red,N=7", "COLOUR=red,N=8", "COLOUR=blue,green,N=7", "COLOUR=blue,green,N=8"]
    assert re.findall(r"^== (COLOUR.*) ==$", result.stdout, re.M) == given
    assert f"{given[0]}, the baseline" in result.stdout
    assert result.stdout == run_heddle("compare", "app.scale", cwd=scan.folder).stdout


def test_values_may_be_any_bytes(scan):
    values = b"COLOUR=gr\xc3\xbcn,\xff\\/,two\nlines"
    result = scan.run("-t", "1", "-r", "1", "-q", "--param", os.fsdecode(values))
    assert result.returncode == 0 and "%FF" in result.stdout, result.stderr
    folders = sorted(path.name for path in scan.directory.iterdir() if path.is_dir())
    assert folders == ["COLOUR=%FF\\%2F", "COLOUR=grün", "COLOUR=two%0Alines"]
    assert b"COLOUR=\xff\\/\n" in (scan.directory / folders[0] / "t1.r1.out").read_bytes()
    assert scan.run("-t", "1", "-r", "1", "--param", os.fsdecode(values)).returncode == 0 and len(scan.logged()) == 3


def test_parameters_vary_within_a_round(scan):
    assert scan.run("-t", "1,2", "-r", "2", "--param", "N=7,8", "-q", command=["./app", "{N}"]).returncode == 0
    assert scan.logged() == ["1 7", "2 7", "1 8", "2 8", "2 7", "1 8", "2 8", "1 7"]


def test_options_of_run_are_passed_on(scan, export):
    assert scan.run("-t", "1", "-r", "1", "--cpu-time", "--unwind", "off", "-q").returncode == 0
    profile = export(scan.directory / "t1.r1.heddle")
    assert profile["run"]["env"]["HEDDLE_CPU_TIME"] == "1" and profile["run"]["env"]["HEDDLE_UNWIND"] == "off"
    refused = scan.run("-t", "1", "-r", "1", "-e", "NO::SUCH_EVENT", "-o", "other")
    assert refused.returncode == 1 and "exit status 125 (heddle run itself failed)" in refused.stderr
    assert "NO::SUCH_EVENT" in refused.stderr


def test_options_of_compare_are_passed_on_and_checked_first(scan, run_heddle):
    wrong = scan.run("-t", "1,2", "-r", "1", "--predict", "many")
    assert wrong.returncode == 2 and not scan.directory.exists()
    assert wrong.stderr.splitlines()[0].startswith("heddle scale: --predict expects comma-separated thread counts") and "compare" not in wrong.stderr
    result = scan.run("-t", "1,2", "-r", "1", "--json")
    assert result.returncode == 0 and json.loads(result.stdout)["heddle_compare"] == 1
    assert scan.run("-t", "1,2", "-r", "1", "--csv").stdout == run_heddle("compare", "--csv", scan.directory).stdout
    assert scan.run("-t", "1,2", "-r", "1", "--fail-if", "program.time > 0").returncode == 3


def test_odd_names_and_a_program_that_changes_its_directory(scan, export):
    odd = scan.folder / "an %p 'app'\n"
    shutil.move(scan.program, odd)
    result = scan.run("-t", "1,2", "-r", "1", "-o", "di r/%n", "-q", command=[f"./{odd.name}", "chdir"])
    assert result.returncode == 1 and "cannot make the directory di r/%n" in result.stderr
    result = scan.run("-t", "1,2", "-r", "1", "-o", "di r %n", "-q", command=[f"./{odd.name}", "chdir"])
    assert result.returncode == 0 and result.stdout, result.stderr
    scan.directory = scan.folder / "di r %n"
    assert scan.profiles() == names(1, 2, repeats=1)
    assert export(scan.directory / "t1.r1.heddle")["run"]["program"].startswith("an %p")
    assert scan.run("-t", "1", "-r", "1", "-q", command=[f"./{odd.name}"]).returncode == 0
    assert (scan.folder / f"{odd.name}.scale" / "t1.r1.heddle").exists()


def test_of_several_processes_the_longest_is_compared_and_all_are_kept(scan, export):
    result = scan.run("-t", "1,2", "-r", "2", command=["./app", "fork"])
    assert result.returncode == 0, result.stderr
    assert scan.profiles() == names(1, 2, repeats=2)
    for name in scan.profiles():
        assert len(list(scan.directory.glob(f"{name}.*"))) == 1
        main, other = (export(scan.directory / file)["program"]["elapsed_s"] for file in (name, f"{name}.1"))
        assert main > other
    told = [line for line in result.stderr.splitlines() if "processes" in line]
    assert told == ["heddle: a run has 2 processes with profiles; app, which ran longest, is compared; the others: "
                    "t1.r1.heddle.1, ..."]


def test_later_runs_compare_the_command_that_the_first_did(scan, export):
    """At one thread the first program runs longer, at two the second."""
    script = '[ $OMP_NUM_THREADS = 1 ] && export NAP_MS=150; ./app first $1; NAP_MS=$((150-${NAP_MS-0})) ./app second $1'
    command = ["sh", "-c", script, "sh", "{threads}x0{threads}"]
    result = scan.run("-t", "1,2", "-r", "2", "-o", "app.scale", command=command)
    assert result.returncode == 0 and "other arguments" not in result.stderr, result.stderr
    for name in names(1, 2, repeats=2):
        assert export(scan.directory / name)["run"]["command"] == ["./app", "first", f"{name[1]}x0{name[1]}"]
    result = scan.run("-t", "1,2", "-r", "2", "-o", "d", command=["sh", "-c", "exec ./app $$"])
    told = [line for line in result.stderr.splitlines() if "other arguments" in line]
    assert told == ["heddle: t2.r1.heddle: the process that is compared has other arguments than that of the run before it"]


# ---- runs that fail ----


@pytest.mark.parametrize("variable, reason, more", [
    ("FAIL_AT", "exit status 3", ["  | It went wrong.", "  | Badly."]),
    ("KILL_AT", "exit status 134 (signal 6, Aborted)", ["  | to stderr"]),
    ("SILENT_AT", "it left no profile", ["ran no OpenMP construct"]),
])
def test_a_failing_run_is_shown_and_stops_the_scan(scan, variable, reason, more):
    result = scan.run("-t", "1,2", "-r", "2", command=["./app", "it's"], env={variable: "2"})
    assert (result.returncode, result.stdout) == (1, "")
    assert f"heddle: run t2.r1 failed: {reason}\n" in result.stderr
    assert "heddle:   OMP_NUM_THREADS=2 ./app 'it'\\''s'\n" in result.stderr
    for text in more:
        assert text in result.stderr
    assert "interrupted with 3 of 4 runs left; repeat the command to resume" in result.stderr
    assert scan.profiles() == ["t1.r1.heddle"]
    assert "argument it's\n" in scan.output("t2.r1.failed")
    again = scan.run("-t", "1,2", "-r", "2", command=["./app", "it's"])
    assert again.returncode == 0 and len(scan.logged()) == 2 + 3
    assert not list(scan.directory.glob("*.failed.out"))


def test_a_status_that_the_program_always_has_can_be_expected(scan):
    refused = scan.run("-t", "1,2", "-r", "1", env={"HABIT": "1"})
    assert refused.returncode == 1 and "t1.r1 failed: exit status 1\n" in refused.stderr
    assert "if the program always ends with status 1: --expect-status 1 accepts it" in refused.stderr
    accepted = scan.run("-t", "1,2", "-r", "1", "--expect-status", "4,1", env={"HABIT": "1"})
    assert accepted.returncode == 0 and "failed" not in accepted.stderr, accepted.stderr
    assert scan.profiles() == names(1, 2, repeats=1)
    other = scan.run("-t", "1,2", "-r", "2", "--expect-status", "4", env={"HABIT": "1"})
    assert other.returncode == 1 and "t2.r2 failed: exit status 1\n" in other.stderr
    killed = scan.run("-t", "1,2", "-r", "2", "--expect-status", "1", env={"KILL_AT": "2", "HABIT": "1"})
    assert killed.returncode == 1 and "(signal 6, Aborted)" in killed.stderr and "always ends" not in killed.stderr


@pytest.mark.parametrize("wrong", ["", "0", "125", "1,", "1;2", "one", "-1"])
def test_statuses_that_cannot_be_expected(scan, wrong):
    result = scan.run("--expect-status", wrong)
    assert result.returncode == 2 and "--expect-status expects comma-separated numbers from 1 to 124" in result.stderr


def test_thread_counts_in_arguments_are_no_difference(scan):
    result = scan.run("-t", "1,2", "-r", "1", command=["./app", "--threads={threads}"])
    assert result.returncode == 0 and "command lines differ" not in result.stdout
    assert "command   ./app --threads=1\n" in result.stdout


def test_the_last_lines_of_a_failing_run_are_shown_without_what_a_terminal_obeys(scan):
    lines = "seq 100; printf '\\033[31mred\\n%01000d\\n\\n' 7; exit 3"
    result = scan.run("-t", "1", "-r", "1", command=["sh", "-c", lines])
    shown = [line[4:] for line in result.stderr.splitlines() if line.startswith("  | ")]
    assert len(shown) == 15 and shown[0] == "91"
    assert shown[10:13] == ["?[31mred", "0" * 500, ""]  # then two lines of heddle run


def test_keep_going_compares_the_rest(scan, run_heddle):
    result = scan.run("-t", "1,2,3", "-r", "2", "--keep-going", env={"FAIL_AT": "2"})
    assert result.returncode == 1
    assert scan.profiles() == names(1, 3, repeats=2)
    assert result.stdout and result.stdout == run_heddle("compare", scan.directory.name, cwd=scan.folder).stdout
    assert result.stderr.endswith("heddle: 2 of 6 runs failed, and are not in the comparison:\n"
                                  "heddle:   t2.r1\nheddle:   t2.r2\n"), result.stderr


def test_values_with_which_nothing_runs_are_left_out(scan, run_heddle):
    result = scan.run("-t", "1", "-r", "1", "--keep-going", "--param", "FAIL_AT=9,1,8")
    assert result.returncode == 1 and "FAIL_AT=1/t1.r1" in result.stderr
    assert "FAIL_AT=9, FAIL_AT=8;" in result.stdout
    assert result.stdout == run_heddle("compare", "app.scale", cwd=scan.folder).stdout


@pytest.mark.parametrize("command, reason", [(["./nowhere"], "exit status 127 (it was not found)"),
                                             (["/etc/passwd"], "exit status 126 (it cannot be executed)"),
                                             (["true"], "it left no profile")])
def test_what_cannot_run_is_said(scan, command, reason):
    result = scan.run("-t", "1", "-r", "1", command=command)
    assert result.returncode == 1 and f"run t1.r1 failed: {reason}\n" in result.stderr


def test_a_program_that_changes_meanwhile_stops_the_scan(scan, build_program):
    other = build_program(OTHER)
    swap = f"test $OMP_NUM_THREADS = 2 && cp {other} app; exec ./app"
    result = scan.run("-t", "1,2", "-r", "1", "-o", "d", command=["sh", "-c", swap])
    assert result.returncode == 1
    assert "run t2.r1 failed: its profile is of another build than those of the runs before" in result.stderr
    own = scan.run("-t", "1,2", "-r", "1", command=["./swap"])
    assert own.returncode == 1
    (scan.folder / "swap").write_text("#!/bin/sh\necho '#' >> swap\nexec ./app\n")
    (scan.folder / "swap").chmod(0o755)
    own = scan.run("-t", "1,2", "-r", "1", "-o", "e", command=["./swap"])
    assert own.returncode == 1 and "the program was changed during the scan" in own.stderr


# ---- going on ----


def stamps(directory):
    return {path.name: path.stat().st_mtime_ns for path in directory.glob("*.heddle")}


def assert_is_whole(scan, export):
    """Whatever is there under a final name is readable."""
    for path in scan.directory.glob("*.heddle"):
        assert export(path)["run"]["exit"] == 0
    if (scan.directory / "scan.json").exists():
        assert json.loads((scan.directory / "scan.json").read_text())["heddle_scale"] == 1


@pytest.mark.parametrize("whom", ["the scan", "all"])
def test_killed_at_any_moment_it_goes_on(scan, export, whom):
    draw = random.Random(len(whom))
    arguments = ("-t", "1,2,3", "-r", "10", "-q")
    kills = 0
    for _ in range(40):
        before = stamps(scan.directory)
        process = scan.start(*arguments, start_new_session=True)
        try:
            process.communicate(timeout=draw.uniform(0.0, 0.2))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL) if whom == "the scan" else os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        assert_is_whole(scan, export)
        assert before.items() <= stamps(scan.directory).items(), "a run that was there was made again"
        if process.returncode == 0:
            break
    assert kills >= 3
    assert scan.run(*arguments).returncode == 0
    assert scan.profiles() == names(1, 2, 3, repeats=10)
    assert not list(scan.directory.glob(".running*")) and not list(scan.directory.glob("*.part"))
    assert len(scan.logged()) <= 30 + kills


def test_what_is_there_is_not_run_again_and_more_can_be_asked_for(scan):
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    before = stamps(scan.directory)
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 0 and "heddle: all runs are in app.scale\n" == result.stderr and result.stdout
    assert stamps(scan.directory) == before
    result = scan.run("-t", "1-3", "-r", "2")
    assert result.returncode == 0 and "2 of 6 runs are in app.scale already" in result.stderr
    assert scan.profiles() == names(1, 2, 3, repeats=2) and before.items() <= stamps(scan.directory).items()
    assert len(scan.logged()) == 6
    only = scan.run("-t", "3", "-r", "1")  # the comparison is of all that is there
    assert only.returncode == 0 and only.stdout == result.stdout


def test_values_can_be_added(scan):
    assert scan.run("-t", "1", "-r", "1", "--param", "COLOUR=red").returncode == 0
    result = scan.run("-t", "1", "-r", "1", "--param", "COLOUR=blue,red")
    assert result.returncode == 0 and "1 of 2 runs are in app.scale already" in result.stderr, result.stderr
    assert len(scan.logged()) == 2
    assert result.stdout.index("COLOUR=red") < result.stdout.index("COLOUR=blue")  # what was there comes first


@pytest.mark.parametrize("arguments, command, env, said", [
    ((), ["./app", "other"], {}, 'command: ["./app"], now ["./app","other"]'),
    (("--cpu-time",), None, {}, 'options: [], now ["--cpu-time"]'),
    (("--bind", "close"), None, {}, 'bind: null, now "close"'),
    (("--param", "X=1"), None, {}, 'parameters: [], now ["X"]'),
    ((), None, {"OMP_SCHEDULE": "static"}, 'now ["LD_LIBRARY_PATH='),
])
def test_another_scan_in_its_place_is_refused(scan, arguments, command, env, said):
    assert scan.run("-t", "1", "-r", "1", "-o", "d").returncode == 0
    before = stamps(scan.folder / "d")
    result = scan.run("-t", "1,2", "-r", "1", "-o", "d", *arguments, command=command, env=env)
    assert result.returncode == 1 and said in result.stderr, result.stderr
    assert "name another directory with -o, or discard its runs with --start-over" in result.stderr
    assert stamps(scan.folder / "d") == before and len(scan.logged()) == 1
    (scan.folder / "d" / "mine").write_text("kept")
    (scan.folder / "d" / "N=1").mkdir()
    (scan.folder / "d" / "N=1" / "t1.r1.heddle").write_text("of an earlier scan")
    over = scan.run("-t", "2", "-r", "1", "-o", "d", "--start-over", *arguments, command=command, env=env)
    assert over.returncode == 0 and len(scan.logged()) == 2
    files = {path.name for path in (scan.folder / "d").iterdir()}
    assert "mine" in files and "N=1" not in files and "t1.r1.heddle" not in files


def test_another_folder_or_build_is_refused(scan, build_program):
    assert scan.run("-t", "1", "-r", "1", command=[scan.program]).returncode == 0
    elsewhere = subprocess.run(scan.command("-t", "1", "-o", scan.directory, command=[scan.program]), cwd="/",
                               env=scan.environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert elsewhere.returncode == 1 and f'directory: "{scan.folder}", now "/"' in elsewhere.stderr
    os.utime(scan.program)  # touched is not changed
    assert scan.run("-t", "1", "-r", "1", command=[scan.program]).returncode == 0
    shutil.copy(build_program(OTHER), scan.program)
    result = scan.run("-t", "1", "-r", "2", command=[scan.program])
    assert result.returncode == 1 and f"{scan.program} has been changed since (another build)" in result.stderr
    assert len(scan.logged()) == 1


def test_a_scan_without_runs_is_in_nobodys_way(scan):
    assert scan.run("-t", "1", "-r", "1", "-o", "d", command=["./ap"]).returncode == 1
    assert (scan.folder / "d" / "scan.json").exists()
    assert scan.run("-t", "1", "-r", "1", "-o", "d", "--param", "N=1").returncode == 0
    assert not list((scan.folder / "d").glob("*.failed.out"))
    assert scan.run("-t", "1", "-r", "1", "-o", "d").returncode == 1


def test_a_profile_that_is_damaged_is_made_again(scan):
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    (scan.directory / "t2.r1.heddle").write_bytes(b"HEDDLE")
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 0 and "t2.r1.heddle" in result.stderr and "this run is repeated" in result.stderr
    assert scan.logged() == ["1", "2", "2"]


# ---- signals ----


def is_running(program):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == str(program):
                return True
        except OSError:
            pass
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_program_and_scan_and_it_can_go_on(scan, number):
    process = scan.start("-t", "1,2", "-r", "1", env={"NAP_MS": "20000"})
    wait_until(lambda: scan.logged(), "no run began")
    process.send_signal(number)
    _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + number
    assert "interrupted with 2 of 2 runs left; repeat the command to resume" in errors
    assert "failed" not in errors and not is_running(scan.program) and scan.profiles() == []
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    assert scan.profiles() == names(1, 2, repeats=1)


def test_a_run_that_outlives_the_signal_is_not_kept(scan):
    process = scan.start("-t", "1,2", "-r", "1", command=["./app", "deaf"], env={"NAP_MS": "500"})
    wait_until(lambda: scan.logged(), "no run began")
    time.sleep(0.1)
    process.terminate()
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + signal.SIGTERM and scan.profiles() == [] and len(scan.logged()) == 1


def test_nohup_is_heeded(scan):
    process = scan.start("-t", "1,2", "-r", "1", "-q", env={"NAP_MS": "200"},
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: scan.logged(), "no run began")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and len(scan.logged()) == 2


def test_a_run_that_was_stopped_for_a_while_is_repeated(scan):
    process = scan.start("-t", "1,2", "-r", "1", env={"NAP_MS": "300"}, start_new_session=True)
    wait_until(lambda: scan.logged(), "no run began")
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGCONT)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and scan.logged() == ["1", "1", "2"]


def test_two_scans_in_one_directory_are_refused(scan):
    first = scan.start("-t", "1,2", "-r", "1", env={"NAP_MS": "700"})
    wait_until(lambda: scan.logged(), "no run began")
    second = scan.run("-t", "1,2", "-r", "1")
    assert second.returncode == 1 and list(scan.directory.glob(".running/*"))
    assert f"another heddle scale (process {first.pid}) is running in {scan.directory}" in second.stderr
    first.communicate(timeout=TIMEOUT_S)
    assert first.returncode == 0 and len(scan.logged()) == 2


def test_the_program_of_a_killed_scan_ends(scan):
    process = scan.start("-t", "1", "-r", "1", env={"NAP_MS": "20000"})
    wait_until(lambda: scan.logged(), "no run began")
    process.kill()
    process.communicate()
    wait_until(lambda: not is_running(scan.program), "it still runs")


def test_the_run_of_a_killed_scan_is_waited_for(scan):
    """Its program hears nothing of the end: two programs at once would disturb each other."""
    first = scan.start("-t", "1", "-r", "1", command=["./app", "deaf"], env={"NAP_MS": "1500"})
    wait_until(lambda: scan.logged(), "no run began")
    time.sleep(0.1)
    first.kill()
    first.communicate()
    assert is_running(scan.program)
    second = scan.run("-t", "1", "-r", "1", command=["./app", "deaf"])
    assert second.returncode == 0 and "has not ended yet; waiting for it" in second.stderr
    assert len(scan.logged()) == 2 and scan.profiles() == ["t1.r1.heddle"]


# ---- the terminal ----


def on_terminal(scan, *arguments, columns=100, interrupt=None, env=None):
    """Exit status, and what a terminal got from stderr; its Ctrl-C is typed when `interrupt` says so."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scan.folder)
        subprocess.run(["stty", "cols", str(columns)], check=True)
        with open("stdout", "wb") as out:
            os.dup2(out.fileno(), 1)
        os.execve(scan.heddle, scan.command(*arguments),
                  {**scan.environment, "TERM": "xterm", **(env or {})})
    text = b""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        if interrupt and interrupt():
            os.write(terminal, b"\x03")
            interrupt = None
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            got = os.read(terminal, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), text.decode()


def test_a_terminal_has_a_bar_that_goes_away(scan, terminals):
    status, text = on_terminal(scan, "-t", "1,2", "-r", "2", env={"NAP_MS": "300"})
    assert status == 0
    head, _, rest = text.partition("\r\n")
    assert head == "heddle: 4 runs, kept in app.scale"
    drawn = [frame for frame in rest.split("\r") if frame.strip()]
    assert re.fullmatch(r"\[\.{20}\] 0 of 4 runs; now t1\.r1 *", drawn[0])
    assert any(re.fullmatch(r"\[#{10}\.{10}\] 2 of 4 runs, 0:0[12] left; now t2\.r2 *", frame) for frame in drawn), drawn
    assert rest.endswith("\r") and not rest.rstrip("\r").rpartition("\r")[2].strip()  # blanks over the last one
    assert (scan.folder / "stdout").read_text()


def test_the_bar_fits_into_the_terminal(scan, terminals):
    _, text = on_terminal(scan, "-t", "1,2", "-r", "2", columns=30)
    assert max(map(len, text.split("\r\n")[1].split("\r"))) == 29


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_says_nothing_but_the_comparison(scan, terminal, request):
    if terminal:
        request.getfixturevalue("terminals")
        assert on_terminal(scan, "-t", "1,2", "-r", "1", "-q") == (0, "")
        assert (scan.folder / "stdout").read_text()
    else:
        result = scan.run("-t", "1,2,99", "-r", "1", "-q")
        assert result.returncode == 0 and result.stderr == "" and result.stdout


def test_control_c_ends_it_all(scan, terminals):
    status, text = on_terminal(scan, "-t", "1,2", "-r", "1", env={"NAP_MS": "20000"}, interrupt=scan.logged)
    assert status == 130 and "interrupted with 2 of 2 runs left; repeat the command to resume" in text
    assert not is_running(scan.program) and scan.profiles() == []


# ---- bad input ----


@pytest.mark.parametrize("arguments", [
    ("-t", "0"), ("-t", ""), ("-t", "1-"), ("-t", "3-1"), ("-t", "1,,2"), ("-t", "1-9:0"), ("-t", "99999"),
    ("-t", "1-2000"), ("-t", "1-4x"), ("-r", "0"), ("-r", "many"), ("--param", "X"), ("--param", "X="),
    ("--param", "X=a,,b"), ("--param", "=a"), ("--param", "1X=a"), ("--param", "X=a,a"), ("--param", "threads=1"),
    ("--param", "OMP_NUM_THREADS=1"), ("--param", "X=a", "--param", "X=b"), ("--bind", "tightly"), ("--bind", ""),
    ("--bind", "close", "--param", "OMP_PROC_BIND=spread"), ("--warmup", "-1"), ("--counters-at", "loop"),
    ("--unwind", "never"), ("-o", ""), ("--output-of-nothing",), ("--predict", "0"), ("--json", "--csv"),
])
def test_wrong_options_run_nothing(scan, arguments):
    result = scan.run(*arguments)
    assert result.returncode == 2 and "Usage: heddle " in result.stderr and result.stdout == ""
    assert scan.logged() == [] and not scan.directory.exists()


def test_no_program_is_wrong_and_help_is_not(run_heddle):
    assert run_heddle("scale").returncode == 2
    result = run_heddle("scale", "--help")
    assert result.returncode == 0
    for option in ("--threads", "--param", "--keep-going", "--gomp", "--events", "--predict", "--fail-if"):
        assert option in result.stdout


def test_a_directory_that_cannot_be_used_is_named(scan):
    (scan.folder / "file").write_text("")
    result = scan.run("-o", "file")
    assert result.returncode == 1 and "file exists and is not a directory" in result.stderr
    (scan.folder / "full").mkdir()
    (scan.folder / "full" / "thesis.tex").write_text("")
    for over in ((), ("--start-over",)):
        result = scan.run("-o", "full", *over)
        assert result.returncode == 1 and "is not empty, but holds no scan" in result.stderr
        assert os.listdir(scan.folder / "full") == ["thesis.tex"]
    result = scan.run("-o", "/proc/self/scan")
    assert result.returncode == 1 and "cannot make the directory /proc/self/scan" in result.stderr
    result = scan.run("-o", "/" + "x" * 300)
    assert result.returncode == 1 and "File name too long" in result.stderr
    assert scan.logged() == []


def test_a_scan_that_cannot_be_read_is_not_overwritten(scan):
    assert scan.run("-t", "1", "-r", "1").returncode == 0
    for text in ("{", "[]", ""):
        (scan.directory / "scan.json").write_text(text)
        result = scan.run("-t", "1", "-r", "1")
        assert result.returncode == 1 and "scan.json" in result.stderr and "--start-over" in result.stderr
        assert (scan.directory / "scan.json").read_text() == text
    assert scan.run("-t", "1", "-r", "1", "--start-over").returncode == 0
    assert scan.logged() == ["1", "1"]


# Disks have as much room as the file $FREE says, if it is there.
DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
int statvfs(const char *path, struct statvfs *status) {
  int (*real)(const char *, struct statvfs *) = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs");
  FILE *file = fopen(getenv("FREE"), "r");
  long long bytes = 0;
  const int result = real(path, status);
  if (file && fscanf(file, "%lld", &bytes) == 1)
    status->f_bavail = (unsigned long)bytes / status->f_frsize;
  if (file)
    fclose(file);
  return result;
}
"""


@pytest.fixture
def disk(scan, build_program):
    """The file that says how much room there is."""
    free = scan.folder / "free"
    scan.environment.update(LD_PRELOAD=str(build_program(DISK, flags=["-shared", "-fPIC", "-ldl"])), FREE=str(free))
    return free


def test_a_full_disk_is_said_and_the_scan_goes_on_with_room(scan, disk):
    disk.write_text(str((8 << 20) - 4096))
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 1 and "app.scale: less than 8 MiB left on this disk" in result.stderr
    assert scan.logged() == []
    disk.write_text(str(8 << 20))
    result = scan.run("-t", "1,2", "-r", "1")  # heddle run wants 16
    assert result.returncode == 1 and "on this disk" not in result.stderr and "no place for the profile" in result.stderr
    disk.unlink()
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0


def test_that_a_run_filled_the_disk_is_said_when_its_profile_is_missing(scan, disk):
    result = scan.run("-t", "1,2", "-r", "1", command=["sh", "-c", f"echo 0 > {disk}"])
    assert result.returncode == 1 and scan.profiles() == []
    assert "run t1.r1 failed: it left no profile" in result.stderr
    assert "less than 8 MiB left on this disk" in result.stderr


def test_three_hundred_runs(scan):
    result = scan.run("-t", "1-3", "-r", "100", "-q", "--csv")
    assert result.returncode == 0 and result.stdout
    assert scan.profiles() == names(1, 2, 3, repeats=100)
