# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle events`: what can be counted here, and the groups. The kernel's events are the same on every machine."""

import csv
import io
import os
import pathlib
import subprocess

import pytest

from conftest import HEDDLE, SOURCE, TIMEOUT_S, clean_environment
from counting import PAPIS, STUB

GROUPS = SOURCE / "output" / "metrics" / "groups"
NAMES = ["BRANCH", "CACHE", "FLOPS", "FLOPS_DP", "FLOPS_SP", "IPC", "MEM", "OS"]
ANYBODYS = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"}
KERNELS = ANYBODYS | {"perf::CPU-MIGRATIONS"}


@pytest.fixture
def run_heddle(run_heddle):
    """On the stub of libpapi, unless told otherwise."""
    return lambda *arguments, env=None, **options: run_heddle(*arguments, env={**PAPIS["on"], **(env or {})}, **options)


@pytest.fixture
def succeed(run_heddle):
    def succeed(*arguments, **options):
        result = run_heddle("events", *arguments, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return succeed


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_kernels_events_are_listed_with_unit_source_and_meaning(succeed):
    lines = [line.split() for line in succeed("perf::").splitlines()]
    found = {line[0]: line[1:] for line in lines if line and line[0].startswith("perf::")}
    assert KERNELS <= set(found)
    assert found["perf::TASK-CLOCK"][0] == "ns" and found["perf::TASK-CLOCK"][1] in ("kernel", "usage")
    assert found["perf::PAGE-FAULTS"][0] in ("kernel", "usage") and "faults" in found["perf::PAGE-FAULTS"]
    assert found["perf::CPU-MIGRATIONS"][0] == "kernel"


@pytest.mark.parametrize("papi", PAPIS)
def test_no_event_is_listed_twice(succeed, papi):
    found = rows(succeed("--csv", env=PAPIS[papi]))
    names = [row["event"].upper() for row in found]
    assert len(names) == len(set(names)) >= len(KERNELS)
    papis = {row["event"] for row in found if row["source"] == "papi" and row["event"].startswith("perf::")}
    assert papis == ({"perf::CYCLES"} if papi == "on" else set())


def test_the_expression_is_found_in_names_and_descriptions_without_regard_to_case(succeed):
    assert {row["event"] for row in rows(succeed("--csv", "^PERF::(task-clock|page-faults)$"))} == {
        "perf::TASK-CLOCK", "perf::PAGE-FAULTS"}
    assert "perf::CPU-MIGRATIONS" in {row["event"] for row in rows(succeed("--csv", "ANOTHER"))}


def test_what_cannot_be_counted_has_a_reason(succeed):
    for row in rows(succeed("--csv")):
        assert (row["available"], row["reason"] == "") in (("yes", True), ("no", False)), row
        assert row["source"] in ("kernel", "usage", "papi")
    for row in rows(succeed("--csv", "--available")):
        assert row["available"] == "yes", row
    assert ANYBODYS <= {row["event"] for row in rows(succeed("--csv", "-a"))}


def test_every_event_that_is_available_can_be_counted(succeed, run_heddle, tmp_path):
    available = rows(succeed("--csv", "--available", "perf::"))
    assert ANYBODYS <= {row["event"] for row in available}
    for row in available:
        result = run_heddle("run", "-q", "-e", row["event"], "--", "true", cwd=tmp_path)
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("papi", PAPIS)
def test_reasons_stand_once_below_the_table(papi):
    """As root all are permitted: take the permission away. Where anybody may count all are permitted to anybody."""
    permitted = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2
    before = ["setpriv", "--bounding-set=-perfmon,-sys_admin"] if os.geteuid() == 0 else []
    result = subprocess.run([*before, HEDDLE, "events", "switches|migrations"], env={**clean_environment(), **PAPIS[papi]},
                            capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    if permitted:
        assert not any(" no [1] " in line and "perf::" in line for line in lines), lines
        return
    refused = [line.split()[0] for line in lines if " no [1] " in line]
    assert refused == ["perf::CPU-MIGRATIONS", "perf::CGROUP-SWITCHES"], lines
    assert [line for line in lines if line.startswith("[1] ")][0].startswith("[1] no permission: /proc/sys/kernel/")


def test_the_first_lines_are_about_the_sources(succeed):
    kernel, usage, papi = succeed().splitlines()[:3]
    assert kernel.startswith("kernel  ") and "perf_event_paranoid" in kernel
    assert usage.startswith("usage   ") and "perf_event_open is forbidden" in usage
    assert papi.startswith("papi    ") and "PAPI" in papi
    assert "7.0" in papi and str(STUB) in papi, papi


def test_the_stubs_events_are_listed(succeed):
    found = {row["event"]: row for row in rows(succeed("--csv"))}
    assert found["STUB_CLOCK"]["unit"] == "ns" and found["STUB_CLOCK"]["available"] == "yes"
    assert found["PAPI_TLB_DM"]["available"] == "no" and found["PAPI_TLB_DM"]["reason"]
    assert found["STUB_EPERM"]["available"] == "no" and found["STUB_EPERM"]["reason"]
    assert "\n" not in found["STUB_CLOCK"]["description"]


def test_a_missing_libpapi_is_said_and_the_kernels_events_remain(run_heddle):
    result = run_heddle("events", env={"HEDDLE_PAPI": "/nowhere/libpapi.so"})
    assert result.returncode == 0 and "perf::TASK-CLOCK" in result.stdout
    assert "/nowhere/libpapi.so" in result.stdout and "PAPI_" not in result.stdout
    result = run_heddle("events", "--csv", env={"HEDDLE_PAPI": "/nowhere/libpapi.so"})
    assert result.returncode == 0 and "/nowhere/libpapi.so" in result.stderr
    assert rows(result.stdout)


def test_nothing_that_matches(run_heddle):
    result = run_heddle("events", "ZZZZ")
    assert result.returncode == 1 and result.stdout.count("ZZZZ") == 0
    assert result.stderr == "heddle: no event matches 'ZZZZ'; 'heddle events' lists all\n"
    result = run_heddle("events", "perf::PAGE-FALUTS")
    assert result.returncode == 1 and "perf::PAGE-FAULTS" in result.stderr.split("; nearest: ")[1]
    result = run_heddle("events", "--groups", "ZZZZ")
    assert result.returncode == 1 and result.stderr == "heddle: no group matches 'ZZZZ'; 'heddle events --groups' lists all\n"


@pytest.mark.parametrize("arguments, words", [(["("], "'(': "), (["[a"], "'[a': "), ([""], "the regular expression is empty"),
                                              (["a", "b"], "only one regular expression can be given"),
                                              (["--none"], "'--none' is not an option here")])
def test_wrong_arguments(run_heddle, arguments, words):
    result = run_heddle("events", *arguments)
    assert result.returncode == 2 and result.stderr.startswith(f"heddle events: {words}"), result.stderr
    assert result.stdout == ""


def test_a_reader_that_goes_away_is_no_error(heddle):
    command = f"{heddle} events --csv | head -n 1; {heddle} events | head -n 1"
    result = subprocess.run(["sh", "-c", command], env=clean_environment(), capture_output=True, text=True,
                            timeout=TIMEOUT_S)
    assert result.returncode == 0 and result.stderr == ""


def test_a_full_disk_is_an_error(heddle):
    with open("/dev/full", "w") as full:
        result = subprocess.run([heddle, "events"], env=clean_environment(), stdout=full, stderr=subprocess.PIPE,
                                text=True, timeout=TIMEOUT_S)
    assert result.returncode == 1 and "No space left" in result.stderr


# ---- groups ----


def test_all_groups_are_listed(succeed):
    found = rows(succeed("--groups", "--csv"))
    assert [row["group"] for row in found] == NAMES
    for row in found:
        assert row["file"] == str(GROUPS / f"{row['group']}.txt") and row["description"] and row["events"]
    os_group = found[-1]
    assert set(os_group["events"].split()) == ANYBODYS and os_group["available"] == "yes"
    table = succeed("--groups").splitlines()
    assert [line.split()[0] for line in table[1:1 + len(NAMES)]] == NAMES


def test_a_group_is_explained(succeed):
    text = succeed("--groups", "^os$")
    assert text.startswith("OS: What the operating system did")
    assert f"{GROUPS}/OS.txt\ncan be counted here: yes\n" in text
    assert "\n  CLOCK = perf::TASK-CLOCK\n" in text and "\n  CPUs = 1e-9 * CLOCK / elapsed\n" in text
    assert text.endswith("-e perf::CPU-MIGRATIONS adds moves to another processor.\n")


def test_a_group_that_cannot_be_counted_says_why(succeed, run_heddle):
    env = {"HEDDLE_PAPI": "/nowhere/libpapi.so"}
    row = rows(succeed("--groups", "--csv", "^IPC$", env=env))[0]
    assert row["available"] == "no" and row["reason"].startswith("PAPI_TOT_INS: ")
    assert "can be counted here: no, PAPI_TOT_INS: " in succeed("--groups", "^IPC$", env=env)
    result = run_heddle("events", "--groups", "--csv", "--available", env=env)
    assert {row["group"] for row in rows(result.stdout)} == {"OS"}


def test_the_users_groups_come_first_and_damaged_ones_are_told(run_heddle, tmp_path):
    (tmp_path / "ipc.txt").write_text("SHORT another\nEVENTSET\nA  perf::PAGE-FAULTS\nMETRICS\nx, y [\"\"]  A\n")
    (tmp_path / "Bad.txt").write_text("EVENTSET\nA  perf::PAGE-FAULTS\nMETRICS\nx A / 2\n")
    env = {"HEDDLE_GROUPS": str(tmp_path)}
    result = run_heddle("events", "--groups", "--csv", env=env)
    assert result.returncode == 0
    found = {row["group"]: row for row in rows(result.stdout)}
    assert sorted(found, key=str.lower) == sorted([name for name in NAMES if name != "IPC"] + ["ipc"], key=str.lower)
    assert found["ipc"]["description"] == "another" and found["ipc"]["available"] == "yes"
    assert result.stderr == f"heddle: {tmp_path}/Bad.txt:4: 'x A / 2' has no formula: a metric is a name, two or more blanks or a tab, " \
                            "a formula\n"


def test_every_group_that_comes_with_heddle_parses_and_fits_four_counters(succeed):
    found = rows(succeed("--groups", "--csv"))
    assert [row["group"] for row in found] == NAMES
    for row in found:
        assert 1 <= len(row["events"].split()) <= 4, row
