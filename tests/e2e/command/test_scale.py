# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle scale`: which runs it makes, in which order; what it keeps, and what it says of runs that fail."""
import json
import os
import re
import shutil

import pytest

from scale_program import OTHER, names, told


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
    lines = told(result.stderr).splitlines()
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
    shown = [line for line in result.stderr.splitlines() if "processes" in line]
    assert shown == ["heddle: a run has 2 processes with profiles; app, which ran longest, is compared; the others: "
                     "t1.r1.heddle.1, ..."]


def test_later_runs_compare_the_command_that_the_first_did(scan, export):
    """At one thread the first program runs longer, at two the second."""
    script = '[ $OMP_NUM_THREADS = 1 ] && export NAP_MS=400; ./app first $1; NAP_MS=$((400-${NAP_MS-0})) ./app second $1'
    command = ["sh", "-c", script, "sh", "{threads}x0{threads}"]
    result = scan.run("-t", "1,2", "-r", "2", "-o", "app.scale", command=command)
    assert result.returncode == 0 and "other arguments" not in result.stderr, result.stderr
    for name in names(1, 2, repeats=2):
        assert export(scan.directory / name)["run"]["command"] == ["./app", "first", f"{name[1]}x0{name[1]}"]
    result = scan.run("-t", "1,2", "-r", "2", "-o", "d", command=["sh", "-c", "exec ./app $$"])
    shown = [line for line in result.stderr.splitlines() if "other arguments" in line]
    assert shown == ["heddle: t2.r1.heddle: the process that is compared has other arguments than that of the run before it"]


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
    assert "stopped at the failed run, with 2 of 4 runs left; repeat the command to try it again and resume" in result.stderr
    assert "interrupted" not in result.stderr
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
    assert len(shown) == 15 and shown[0] == "90"
    assert shown[11:14] == ["?[31mred", "0" * 500, ""]  # then a line of heddle run


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
