# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counting without permission: for users who may not use perf_event_open, as on many systems and in most containers, the
group OS counts all the same, and exactly. The machine's setting stays as it is; a filter forbids the call."""
import csv
import errno
import io
import os
import pathlib
import re
import subprocess

import pytest

from conftest import (HEDDLE, LIBRARY, TIMEOUT_S, assert_close, clean_environment,
                      environment_for, load_checked, marks, source_of)
from counting import CLOCK, FAULTS, PAPIS, SWITCHES, assert_counts, below, count, each
from timed import check_times
from test_counters import expected_of_loops

PARANOID = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
# Without its capabilities root is as anybody else.
AS_ANYBODY = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
OS_EVENTS = [CLOCK, FAULTS, SWITCHES]


@pytest.fixture(scope="session")
def forbid(tmp_path_factory):
    """forbid(error) -> the words before a command that make perf_event_open fail with that error."""
    program = tmp_path_factory.mktemp("forbid") / "forbid_perf"
    subprocess.run(["cc", "-o", program, source_of("forbid_perf.c")], check=True)
    return lambda error: [*AS_ANYBODY, program, str(error)]


def sources_of_users():
    """Who counts what for users without CAP_PERFMON, as the setting is."""
    user_code, kernel_too = PARANOID <= 2, PARANOID <= 1
    return ["kernel" if user_code else "usage"] * 2 + ["kernel" if kernel_too else "usage"]


@pytest.fixture(params=("as the setting is", errno.EPERM, errno.EACCES, errno.ENOSYS),
                ids=lambda error: errno.errorcode.get(error, "setting"))
def unprivileged(request, forbid):
    """(the words before a command, who counts OS_EVENTS then)."""
    if request.param in errno.errorcode:
        return forbid(request.param), ["usage"] * 3
    return AS_ANYBODY, sources_of_users()


@pytest.fixture
def measure_as(export, tmp_path):
    """measure_as(the words before, options of `heddle run`, program, arguments...) -> Profile."""

    def measure(before, options, program, *arguments, runtime=19, threads=2, env=None):
        path = tmp_path / "permission.heddle"
        result = subprocess.run([*before, HEDDLE, "run", "-q", *options, "-o", path, "--", program,
                                 *map(str, arguments)], env=environment_for(runtime, threads, env),
                                capture_output=True, text=True, timeout=TIMEOUT_S, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        return load_checked(export, path, result.stdout)

    return measure


def sources(loaded):
    return {event["name"]: event["source"] for event in loaded["run"]["counters"]["events"]}


@pytest.mark.parametrize("at", ("region", "loop", "all"))
def test_faults_are_where_the_pages_were_touched(measure_as, build_program, unprivileged, runtime, at):
    before, counted_by = unprivileged
    loaded = measure_as(before, ["-g", "OS", "--counters-at", at], build_program("counters_loops.c"), runtime=runtime,
                        env={"OMP_WAIT_POLICY": "passive"})
    assert sources(loaded) == dict(zip(OS_EVENTS, counted_by, strict=True))
    for routine, n in (("measured", 1), ("other", 3)):
        expected = expected_of_loops(marks("counters_loops.c"), at, 2, n)
        assert_counts(below(loaded, routine), at, expected)
    for entry in (loaded["program"], *loaded.threads):
        assert list(entry["counters"]) == OS_EVENTS and None not in entry["counters"].values()
        assert entry["counters"][CLOCK] > 0
    assert loaded["program"]["metrics"]["OS: Faults"] > 0


@pytest.mark.timed
def test_switches_of_threads_that_sleep(measure_as, build_program, unprivileged):
    """Every sleep is a switch; the kernel says how many others there were. One may fall between its books and ours."""
    before, counted_by = unprivileged
    line = marks("counters_switches.c")["loop"]

    def check(loaded):
        assert sources(loaded) == {SWITCHES: counted_by[2]}
        books = [[int(n) for n in found] for found in re.findall(r"^switched \d+ (\d+) (\d+)$", loaded.stdout, re.M)]
        assert [voluntary for voluntary, _ in books] == [10, 20]
        assert each([loaded.one(line)], event=SWITCHES) == sorted(sum(found) for found in books)

    check_times(lambda: measure_as(before, ["-e", SWITCHES], build_program("counters_switches.c"), 10,
                                   env={"OMP_WAIT_POLICY": "passive"}), check)


@pytest.mark.timed
def test_processor_time_is_where_it_was_spent(measure_as, build_program, forbid):
    line = marks("counters_clock.c")["loop"]

    def check(loaded):
        loop = loaded.one(line)
        assert_close(count(loop, event=CLOCK) / 1e9, sum(loaded.ran), "busy, by the processor's time")
        for actual, ran in zip(each([loop], event=CLOCK), sorted(loaded.ran), strict=True):
            assert_close(actual / 1e9, ran, "busy of a thread", scale=sum(loaded.ran))
        assert count(loop, "waiting", CLOCK) / 1e9 < 0.02 * sum(loaded.spun)

    check_times(lambda: measure_as(forbid(errno.EPERM), ["-e", CLOCK], build_program("counters_clock.c"), 40,
                                   env={"OMP_WAIT_POLICY": "passive"}), check)


def test_without_heddle_run(forbid, build_program, export, tmp_path, runtime):
    path = tmp_path / "plain.heddle"
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path), "HEDDLE_COUNTERS": FAULTS}
    result = subprocess.run([*forbid(errno.EPERM), build_program("counters_loops.c")],
                            env=environment_for(runtime, 2, tool), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0 and result.stderr == ""
    loaded = load_checked(export, path, result.stdout)
    assert sources(loaded) == {FAULTS: "usage"}
    assert_counts(below(loaded, "measured"), "loop", expected_of_loops(marks("counters_loops.c"), "loop", 2, 1))


# ---- what is said of it ----


def heddle_as(before, *arguments, cwd=None, papi="on"):
    return subprocess.run([*before, HEDDLE, *arguments], env={**clean_environment(), **PAPIS[papi]}, capture_output=True,
                          text=True, timeout=TIMEOUT_S, cwd=cwd)


with_each_papi = pytest.mark.parametrize("papi", PAPIS)


@with_each_papi
def test_the_list_says_who_counts_an_event(unprivileged, papi):
    before, counted_by = unprivileged
    result = heddle_as(before, "events", "--csv", "perf::", papi=papi)
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    rows = [row for row in rows if row["event"] != "perf::CYCLES"]  # PAPI's
    found = {row["event"]: row for row in rows}
    assert len(found) == len(rows) == 10
    for event, source in zip(OS_EVENTS, counted_by, strict=True):
        assert (found[event]["source"], found[event]["available"], found[event]["reason"]) == (source, "yes", "")
    migrations = found["perf::CPU-MIGRATIONS"]
    assert migrations["source"] == "kernel" and (migrations["available"] == "no") == bool(migrations["reason"])
    assert migrations["available"] == "no" or PARANOID < 2
    if counted_by[1] == "usage":
        assert "MAP_POPULATE" in found[FAULTS]["description"]


@pytest.mark.parametrize("error, level, words", [(errno.ENOENT, "note", "this machine exposes no hardware counters"),
                                                 (errno.EACCES, "ok", "counters of the processor")])
def test_a_machine_that_exposes_no_counters_is_noted(forbid, tmp_path, error, level, words):
    """A kernel without hardware events answers ENOENT; where it forbids them, libpapi (here the stub) is believed."""
    line = heddle_as(forbid(error), "events", "STUB_CLOCK").stdout.splitlines()[2]
    assert line.startswith("papi ") and words in line
    doctor = heddle_as(forbid(error), "doctor", cwd=tmp_path)
    assert doctor.returncode == 0
    (found, rest), = re.findall("^(ok|note) +counters +papi: (.*)$", doctor.stdout, re.M)
    assert found == level and words in rest


def test_the_group_works_for_everybody(unprivileged):
    result = heddle_as(unprivileged[0], "events", "--groups", "^OS$")
    assert "\ncan be counted here: yes\n" in result.stdout, result.stdout


@with_each_papi
@pytest.mark.parametrize("error, why", [(errno.EACCES, "perf_event_paranoid is "), (errno.EPERM, "perf_event_paranoid is "),
                                        (errno.ENOSYS, "this kernel has no perf_event_open, or a container's seccomp")])
def test_what_nobody_can_count_is_refused(forbid, tmp_path, error, why, papi):
    result = heddle_as(forbid(error), "run", "-g", "OS", "-e", "perf::CPU-MIGRATIONS", "--", "touch", "ran", cwd=tmp_path,
                       papi=papi)
    assert result.returncode == 125 and not list(tmp_path.iterdir())
    assert result.stderr.startswith("heddle: event perf::CPU-MIGRATIONS: ") and result.stderr.count("\n") == 1
    assert why in result.stderr and "nearest" not in result.stderr, result.stderr


@pytest.mark.parametrize("wrong, nearest", [("perf::PAGE-FALUTS", FAULTS), ("perf::TASK_CLOK", CLOCK),
                                            ("perf::context-switch", SWITCHES)])
def test_the_nearest_are_those_that_can_be_counted(forbid, tmp_path, wrong, nearest):
    result = heddle_as(forbid(errno.EPERM), "run", "-e", wrong, "--", "touch", "ran", cwd=tmp_path)
    assert result.returncode == 125 and result.stderr.startswith(f"heddle: event {wrong}: unknown"), result.stderr
    assert result.stderr.rstrip().split("; nearest: ")[1].split(", ")[0] == nearest
