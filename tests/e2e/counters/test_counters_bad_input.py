# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events that cannot be counted: `heddle run` says so in one line and does not run the program; a program that was only
told of libheddle.so runs as ever, and its profile says that nothing was counted."""

import os
import pathlib
import stat
import subprocess

import pytest

from conftest import HEDDLE, LIBRARY, TIMEOUT_S, clean_environment, environment_for
from counting import PAPIS, STUB

PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
GOOD = "EVENTSET\nA  perf::PAGE-FAULTS\nMETRICS\nFaults  A\n"

REGION = r"""
#include <stdio.h>
int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  printf("threads %d\n", count);
  return 3;
}
"""


@pytest.fixture
def run(tmp_path):
    """run(options...) -> how `heddle run options -- touch ran` ended; .ran tells whether `touch` did."""

    def run(*options, env=None, before=()):
        result = subprocess.run([*before, HEDDLE, "run", *map(str, options), "--", "touch", "ran"],
                                env={**clean_environment(), **PAPIS["on"], **(env or {})}, capture_output=True, text=True,
                                timeout=TIMEOUT_S, cwd=tmp_path)
        result.ran = (tmp_path / "ran").exists()
        return result

    return run


@pytest.fixture
def refused(run, tmp_path):
    """refused(options...) -> the one line that heddle said, without "heddle: ", after which it ended with 125 and left
    nothing behind. As run()."""

    def refused(*options, **more):
        before = set(tmp_path.iterdir())
        more["env"] = {"HEDDLE_STORE_DIR": str(tmp_path), **more.get("env", {})}
        result = run(*options, **more)
        assert result.returncode == 125, result.stderr
        assert not result.ran and set(tmp_path.iterdir()) == before
        assert result.stdout == ""
        assert result.stderr.startswith("heddle: ") and result.stderr.count("\n") == 1, result.stderr
        return result.stderr.removeprefix("heddle: ").rstrip("\n")

    return refused


@pytest.fixture
def group(tmp_path):
    """group(text, name) -> the path of a group's file."""

    def write(text, name="mine.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_good_events_let_the_program_run(run):
    """What the other tests rely on."""
    result = run("-e", "perf::PAGE-FAULTS")
    assert result.ran and result.returncode == 0, result.stderr


# ---- events ----


@pytest.mark.parametrize("wrong, nearest", [("perf::PAGE-FALUTS", "perf::PAGE-FAULTS"),
                                            ("perf::TASK_CLOK", "perf::TASK-CLOCK"),
                                            ("perf::context-switch", "perf::CONTEXT-SWITCHES")])
def test_an_unknown_event_is_named_with_the_nearest(refused, wrong, nearest):
    line = refused("-e", f"perf::TASK-CLOCK,{wrong}", "-e", "perf::MINOR-FAULTS")
    assert line.startswith(f"event {wrong}: unknown")
    assert nearest in line.split("; nearest: ")[1].split(", "), line


def test_a_group_is_no_event_and_an_event_no_group(refused):
    assert refused("-e", "OS").startswith("event OS: unknown; it is a group: --groups OS")
    assert refused("-g", "perf::PAGE-FAULTS").endswith("; it is an event: --events")


def test_names_cannot_break_the_message(refused):
    assert refused("-e", "perf::X\n\x1b[31mY").startswith("event perf::X??[31mY: unknown")
    assert refused("-g", "a\nb").startswith("no group of events 'a?b'")


def test_an_event_like_no_other_has_no_nearest(refused):
    line = refused("-e", "ZZZZ")
    assert line.startswith("event ZZZZ: unknown") and "nearest" not in line


def test_events_of_the_environment_are_checked(refused):
    assert refused(env={"HEDDLE_COUNTERS": "perf::TASK-CLOCK,ZZZZ"}).startswith("event ZZZZ: unknown")
    wrong = {"HEDDLE_COUNTERS": "perf::TASK-CLOCK", "HEDDLE_COUNTERS_AT": "everything"}
    assert refused(env=wrong) == "HEDDLE_COUNTERS_AT=everything is neither region nor loop nor all"
    wrong = {"HEDDLE_COUNTERS": "perf::TASK-CLOCK", "HEDDLE_MULTIPLEX": "yes"}
    assert refused(env=wrong) == "HEDDLE_MULTIPLEX=yes is neither 0 nor 1"


def test_events_of_the_command_line_come_before_those_of_the_environment(run):
    result = run("-e", "perf::PAGE-FAULTS", env={"HEDDLE_COUNTERS": "ZZZZ"})
    assert result.ran and result.returncode == 0, result.stderr


def test_a_missing_libpapi_is_named(refused, tmp_path):
    line = refused("-e", "PAPI_TOT_INS", env={"HEDDLE_PAPI": str(tmp_path / "libpapi.so.none")})
    assert line.startswith("event PAPI_TOT_INS: unknown here (") and "libpapi.so.none" in line, line


def test_too_many_events(refused):
    names = ",".join(f"EVENT_{number}" for number in range(33))
    line = refused("-e", names)
    assert line == "the events cannot be counted: more than 32 events; at EVENT_32"


def test_a_name_without_end(refused):
    line = refused("-e", "X" * 5000)
    assert line.startswith("the events cannot be counted: an event's name is longer than 127 characters")


@pytest.mark.parametrize("papi", PAPIS)
def test_no_permission_names_the_setting(refused, run, group, papi):
    """Without its capabilities root is as anybody else. Where the setting lets anybody count there is nothing to refuse.
    What can be counted all the same is in test_counters_permission.py."""
    paranoid = int(PARANOID.read_text())
    before = ["setpriv", "--bounding-set=-perfmon,-sys_admin"] if os.geteuid() == 0 else []
    if paranoid < 2:
        assert run("-e", "perf::CPU-MIGRATIONS", before=before, env=PAPIS[papi]).ran
        return
    line = refused("-e", "perf::CPU-MIGRATIONS", before=before, env=PAPIS[papi])
    assert line.startswith(f"event perf::CPU-MIGRATIONS: no permission: {PARANOID} is {paranoid} and must be 1"), line
    assert "CAP_PERFMON" in line and "nearest" not in line
    path = group("EVENTSET\nA  perf::PAGE-FAULTS\nB  perf::CPU-MIGRATIONS\nMETRICS\nx  A + B\n")
    line = refused("-g", path, before=before, env=PAPIS[papi])
    assert line.startswith(f"{path}:3: ") and f": no permission: {PARANOID} is {paranoid}" in line, line


# ---- PAPI's events; the stub's are tests/unit/harness/fakes/stub_papi_events.c's ----


@pytest.fixture
def stub():
    """stub(NAME=value, ...) -> an environment in which PAPI is the stub."""
    assert STUB.exists(), f"{STUB} is not built"
    return lambda **settings: {"HEDDLE_PAPI": str(STUB),
                               **{f"STUB_PAPI_{name}": str(value) for name, value in settings.items()}}


def test_an_event_that_failed_has_no_nearest(refused, stub):
    line = refused("-e", "PAPI_TOT_INS", env=stub(FAIL="start:1+"))
    assert line.startswith("event PAPI_TOT_INS: PAPI_start: ") and "nearest" not in line


def test_events_that_do_not_fit_together_are_told_with_those_that_do(refused, run, stub):
    events = "perf::PAGE-FAULTS,PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L3_TCM,PAPI_BR_INS,STUB_CLOCK"
    line = refused("-e", events, env=stub(SET_MOST=2))
    assert line.startswith("the events cannot be counted: not all at once: "), line
    fit = line.split("; these fit together: ")[1].split("; ")[0]
    assert fit == "PAPI_TOT_INS, PAPI_TOT_CYC or PAPI_L3_TCM, PAPI_BR_INS or STUB_CLOCK", line
    assert "--multiplex" in line
    result = run("-e", events, "--multiplex", env=stub(SET_MOST=2))
    assert result.ran and result.returncode == 0, result.stderr


def test_events_of_other_components_need_no_counters(run, stub):
    result = run("-e", "PAPI_TOT_INS,PAPI_TOT_CYC,other:::CLOCK,perf::PAGE-FAULTS", env=stub(SET_MOST=2))
    assert result.ran and result.returncode == 0, result.stderr


def test_a_group_that_does_not_fit(refused, group, stub):
    path = group("EVENTSET\nA  STUB_NEEDS_2\nB  STUB_CLOCK\nMETRICS\nx  A + B\n")
    line = refused("-g", path, env=stub(SET_MOST=2))
    assert "these fit together: STUB_NEEDS_2 or STUB_CLOCK; " in line, line


@pytest.mark.parametrize("event, settings, words", [
    ("PAPI_TLB_DM", {}, "event PAPI_TLB_DM: "),
    ("STUB_EPERM", {}, "event STUB_EPERM: "),
    ("PAPI_TOT_INS", {"DISABLED": "no counters in here"}, "no counters in here"),
    ("PAPI_TOT_INS", {"VERSION": 5 << 24}, "event PAPI_TOT_INS: "),
    ("STUB_CLOCK", {"FAIL": "start:1+"}, "event STUB_CLOCK: "),
    ("STUB_CLOCK", {"FAIL": "read:1+"}, "event STUB_CLOCK: "),
    ("STUB_CLOCK", {"FAIL": "create:1+"}, "event STUB_CLOCK: ")])
def test_an_event_that_cannot_be_counted_here(refused, stub, event, settings, words):
    line = refused("-e", f"perf::TASK-CLOCK,{event}", env=stub(**settings))
    assert line.startswith(f"event {event}: ") and words in line and len(line) > len(words), line


def test_near_presets_are_named(refused, stub):
    line = refused("-e", "PAPI_TOT_INZ", env=stub())
    assert line.startswith("event PAPI_TOT_INZ: unknown") and "PAPI_TOT_INS" in line.split("; nearest: ")[1], line


def test_a_libpapi_that_dies_is_told(refused, tmp_path):
    source, library = tmp_path / "dies.c", tmp_path / "libdies.so"
    source.write_text("__attribute__((constructor)) static void die(void) { __builtin_trap(); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    line = refused("-e", "PAPI_TOT_INS", env={"HEDDLE_PAPI": str(library)})
    assert line.startswith("cannot check the events: libpapi or the kernel ended the check by signal "), line


# ---- options ----


@pytest.mark.parametrize("options, words", [
    (["--multiplex"], "--multiplex has no effect without events"),
    (["--counters-at", "all"], "--counters-at has no effect without events"),
    (["-e", "perf::CS", "--counters-at", "loops"], "--counters-at expects region, loop or all, not 'loops'"),
    (["-e", ""], "--events expects comma-separated names of events, not ''"),
    (["-e", "perf::CS,,perf::FAULTS"], "--events expects comma-separated names of events"),
    (["-e", "perf::CS,"], "--events expects comma-separated names of events"),
    (["-g", " "], "--groups expects comma-separated names of groups or files"),
    (["-g"], "'-g' needs an argument")])
def test_wrong_options(run, options, words):
    result = run(*options) if options != ["-g"] else subprocess.run(
        [HEDDLE, "run", "-g"], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 2 and result.stderr.startswith(f"heddle run: {words}"), result.stderr


def test_options_go_with_events_of_the_environment(run):
    result = run("--multiplex", "--counters-at", "all", env={"HEDDLE_COUNTERS": "perf::PAGE-FAULTS"})
    assert result.ran and result.returncode == 0, result.stderr


# ---- groups ----


def test_an_unknown_group_is_named_with_the_nearest(refused):
    assert refused("-g", "OS,BRANHC") == "no group of events 'BRANHC'; nearest: BRANCH"
    assert refused("-g", "ZZZZZZZZ") == ("no group of events 'ZZZZZZZZ'; there are: BRANCH, CACHE, FLOPS, FLOPS_DP, "
                                        "FLOPS_SP, IPC, MEM, OS")


def test_a_missing_file_is_named(refused):
    assert refused("-g", "./none.txt") == "./none.txt: No such file or directory"


FILES = {
    "": "1: EVENTSET is missing",
    "EVENTSET\nA  perf::CS\n": "2: METRICS is missing",
    "TITLE none\n": "1: unknown section 'TITLE': there are SHORT, EVENTSET, METRICS and LONG",
    "EVENTSET\nA  perf::CS\nA  perf::FAULTS\n": "3: the name 'A' is taken: it is an event's in line 2",
    "EVENTSET\nbusy  perf::CS\n": "2: the name 'busy' is taken: in formulas it is the busy time",
    "EVENTSET\nsqrt  perf::CS\n": "2: the name 'sqrt' is taken: in formulas it is a function",
    "EVENTSET\nperf::CS\n": "2: event 'perf::CS' needs a name for formulas before it: a letter, then letters, digits and _",
    "EVENTSET\nA  perf::CS\nMETRICS\nx  A\nx  2 * A\n": "5: a second metric 'x': the first is in line 4",
    "EVENTSET\nA  perf::CS\nMETRICS\nx A\n":
        "4: 'x A' has no formula: a metric is a name, two or more blanks or a tab, a formula",
    b"EVENTSET\nA  perf::CS\nMETRICS\n\xff  A\n": "4: byte 0xff is not UTF-8",
    "EVENTSET\n" + "".join(f"E{n}  event{n}\n" for n in range(33)): "34: more than 32 events",
}


@pytest.mark.parametrize("text", FILES, ids=lambda text: None)
def test_a_damaged_group_is_told_with_its_line(refused, group, text):
    path = group(text)
    assert refused("-g", path) == f"{path}:{FILES[text]}"


FORMULAS = {
    "1000 * B / A": "column 17: 'B' is no event of this group",
    "FAULT / A": "column 10: 'FAULT' is no event of this group; nearest: FAULTS",
    "A / 0": "column 12: division by zero",
    "A / (1 - 1) + FAULTS": "column 12: division by zero",
    "A / * FAULTS": "column 14: Unexpected operator \"*\"",
    "(A / FAULTS": "column 21: Missing parenthesis",
    "A = 5": "column 12: a formula cannot assign; == compares",
}


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: None)
def test_a_wrong_formula_is_told_with_line_and_column_and_its_column_is_empty(run_heddle, build_program, export, group,
                                                                              tmp_path, formula):
    path = group(f"EVENTSET\r\nA  perf::CS\r\nFAULTS  perf::FAULTS\r\nMETRICS\r\nMetric   {formula}\r\nTwice  2 * FAULTS\r\n")
    what = f"{path}:5: formula of 'Metric', {FORMULAS[formula]}: its column"
    result = run_heddle("run", "-q", "-o", tmp_path / "p.heddle", "-g", path, "--", build_program(REGION),
                        env=environment_for(19))
    assert (result.returncode, result.stdout) == (3, "threads 2\n")
    assert result.stderr == f"heddle: {what} will be empty\n"
    profile = export(tmp_path / "p.heddle")
    assert f"{what} is empty" in profile["run"]["notes"]
    program = profile["program"]
    name = path.stem
    assert program["metrics"] == {f"{name}: Metric": None, f"{name}: Twice": 2 * program["counters"]["perf::FAULTS"]}
    report = run_heddle("report", "--csv", "--flat", tmp_path / "p.heddle").stdout
    assert f"{name}: Metric self" in report and run_heddle("report", tmp_path / "p.heddle").returncode == 0


def test_an_event_of_a_group_is_told_with_its_line(refused, group):
    path = group("# a comment\nEVENTSET\nA  perf::PAGE-FAULTS\nB  perf::MINOR-FALUTS\nMETRICS\nx  A + B\n")
    line = refused("-e", "perf::TASK-CLOCK", "-g", f"OS,{path}")
    assert line.startswith(f"{path}:4: event perf::MINOR-FALUTS: unknown"), line
    assert "perf::MINOR-FAULTS" in line.split("; nearest: ")[1]


def test_two_groups_of_one_name(refused, run, group, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = group(GOOD, "a/Same.txt"), group(GOOD, "b/SAME.txt")
    assert refused("-g", first, "-g", second) == f"two groups of events are named SAME: {first} and {second}"
    assert run("-g", f"{first},{first}").ran


def test_groups_without_end(refused, group):
    path = group(GOOD + "LONG\n" + 2000 * (99 * "x" + "\n"))
    assert refused("-g", path) == (f"{path}: the groups' files are longer than 120000 bytes together; shorten their "
                                   "LONG texts")
    path = group(GOOD + "LONG\n" + (1 << 20) * "x")
    assert refused("-g", path) == f"{path}: larger than 1 MiB: this is no group of events"
    path = group(b"EVENTSET\0")
    assert refused("-g", path) == f"{path}: has a zero byte: this is no text file"


def test_long_groups_that_fit_reach_the_program(run, group):
    result = run("-g", group(GOOD + "LONG\n" + 1190 * (99 * "x" + "\n")))
    assert result.ran and result.returncode == 0, result.stderr


def test_an_unreadable_group(refused, group):
    path = group(GOOD)
    path.chmod(stat.S_IWUSR)
    before = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []  # root's capabilities read everything
    assert refused("-g", path, before=before) == f"{path}: Permission denied"
    assert refused("-g", "/tmp/") == "/tmp/: Is a directory"


# ---- the program's environment ----


def environment_of(run_heddle, *options, env=None):
    result = run_heddle("run", *options, "--", "env", "-0", env=env)
    assert result.returncode == 0, result.stderr
    return dict(entry.split("=", 1) for entry in result.stdout.split("\0") if "=" in entry)


def test_the_program_gets_every_event_once(run_heddle, tmp_path, group):
    first = group(GOOD + "LONG\r\nwindows\r\n", "first.txt")
    second = group("SHORT mine\n" + GOOD.replace("METRICS", "B  perf::TASK-CLOCK\nMETRICS"), "a\nb.txt")
    found = environment_of(run_heddle, "-g", f"{first}, {second}", "-e", "perf::minor-faults,perf::task-clock",
                           "--counters-at", "all", "--multiplex",
                           env={"HEDDLE_GROUP_TEXT": "old", "HEDDLE_COUNTERS": "old"})
    assert found["HEDDLE_COUNTERS"].split(",") == ["perf::minor-faults", "perf::task-clock", "perf::PAGE-FAULTS"]
    assert found["HEDDLE_COUNTERS_AT"] == "all" and found["HEDDLE_MULTIPLEX"] == "1"
    groups = found["HEDDLE_GROUP_TEXT"].split("\x1e")
    assert [text.split("\n", 1) for text in groups] == [[str(first), first.read_bytes().decode().replace("\r", "")],
                                                        [str(tmp_path / "a?b.txt"), second.read_text()]]


def test_the_program_gets_nothing_that_was_not_asked_for(run_heddle):
    names = ("HEDDLE_COUNTERS", "HEDDLE_COUNTERS_AT", "HEDDLE_MULTIPLEX", "HEDDLE_GROUP_TEXT")
    assert not set(names) & set(environment_of(run_heddle))
    found = environment_of(run_heddle, "-e", "perf::FAULTS", env={"HEDDLE_GROUP_TEXT": "old"})
    assert [name for name in names if name in found] == ["HEDDLE_COUNTERS"]
    own = {"HEDDLE_COUNTERS": "perf::FAULTS", "HEDDLE_GROUP_TEXT": "kept"}
    found = environment_of(run_heddle, env=own)
    assert {name: found.get(name) for name in own} == own


@pytest.mark.parametrize("variable", [{"OMP_PROC_BIND": "true"}, {"OMP_PLACES": "{0}"}, {"GOMP_CPU_AFFINITY": "0"}])
def test_the_program_keeps_its_processors(run_heddle, group, variable):
    """Formulas need a library that brings GCC's runtime, which binds the process that loads it."""
    code = "import os; print(sorted(os.sched_getaffinity(0)))"
    result = run_heddle("run", "-g", group(GOOD), "--", "/usr/bin/python3", "-c", code, env=variable)
    assert result.returncode == 0 and result.stdout == f"{sorted(os.sched_getaffinity(0))}\n", result.stderr


def test_nothing_is_said_in_the_name_of_gccs_runtime(run_heddle, group):
    result = run_heddle("run", "-q", "-g", group(GOOD), "--", "true", env={"OMP_DISPLAY_ENV": "true", "OMP_NUM_THREADS": "0"})
    assert "OMP_NUM" not in result.stderr and "libgomp:" not in result.stderr, result.stderr


def test_no_descriptor_is_added(run_heddle, group):
    code = "import os; print(os.listdir('/proc/self/fd'))"
    plain = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    result = run_heddle("run", "-e", "perf::FAULTS", "-g", group(GOOD), "--", "/usr/bin/python3", "-c", code,
                        stdin=subprocess.DEVNULL)
    assert result.stdout == plain.stdout


# ---- without heddle run ----


def test_a_wrong_event_without_heddle_run_changes_nothing_in_the_program(build_program, export, tmp_path, runtime):
    program = build_program(REGION)
    path = tmp_path / "plain.heddle"
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path), "HEDDLE_COUNTERS": "perf::CS,ZZZZ"}
    result = subprocess.run([program], env=environment_for(runtime, env=tool), capture_output=True, text=True,
                            timeout=TIMEOUT_S)
    assert result.returncode == 3 and result.stdout == "threads 2\n"
    assert result.stderr.startswith("heddle: ") and result.stderr.count("\n") == 1 and "ZZZZ" in result.stderr
    loaded = export(path)
    assert loaded["run"]["counters"] is None
    assert any("ZZZZ" in note for note in loaded["run"]["notes"]), loaded["run"]["notes"]
    assert sum(thread["busy_s"] for thread in loaded.threads) > 0


def test_plain_use_says_which_values_a_switch_takes(build_program, tmp_path):
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(tmp_path / "plain.heddle"),
            "HEDDLE_COUNTERS": "perf::PAGE-FAULTS", "HEDDLE_MULTIPLEX": "may\x1bbe"}
    result = subprocess.run([build_program(REGION)], env=environment_for(19, env=tool), capture_output=True, text=True,
                            timeout=TIMEOUT_S)
    assert result.stderr == "heddle: HEDDLE_MULTIPLEX expects 0 or 1, not may?be; ignored\n"


def test_the_summary_says_that_nothing_was_counted(build_program, tmp_path):
    """heddle run checks events where it runs; elsewhere, or a moment later, they may not be counted all the same."""
    program = build_program(REGION)
    inner = f"HEDDLE_COUNTERS=ZZZZ exec {program}"
    result = subprocess.run([HEDDLE, "run", "-o", tmp_path / "x.heddle", "-e", "perf::FAULTS", "--", "sh", "-c", inner],
                            env=environment_for(19), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 3 and result.stdout == "threads 2\n"
    assert "nothing was counted" in result.stderr.split("heddle: profile: ")[1], result.stderr
