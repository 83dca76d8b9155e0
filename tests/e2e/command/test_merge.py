# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle merge`: the sum of real runs has the sum of their numbers, and reports and exports as any profile does."""

import os
import re
import signal
import subprocess

import pytest

import counting
from conftest import LIBRARY, assert_identities, assert_states_sum_to_lifetimes, environment_for

# ARGUMENT loops of 1000 iterations in a region of two threads, in a function that is called from two places; a
# critical section in each. "die": it kills itself inside its last region.
WORK = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static int total;
static volatile double sink;
__attribute__((noinline)) static void step(int last) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 100)
    for (int i = 0; i < 1000; i++)
      for (int j = 0; j < 300; j++)
        sink += j;
#pragma omp critical
    total++;
    if (last)
      raise(SIGKILL);
  }
}
__attribute__((noinline)) static void from_here(int n) { for (int i = 0; i < n; i++) step(0); }
__attribute__((noinline)) static void from_there(int n) { for (int i = 0; i < n; i++) step(0); total--; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3;
  from_here(n);
  from_there(2 * n);
  if (argc > 2 && !strcmp(argv[2], "die"))
    step(1);
  return 0;
}
"""
OTHER = WORK.replace("total++", "total += 2")

PLAIN = ("visits", "instances", "elapsed_s", "capacity_s", "busy_s", "busy_inclusive_s", "runtime_s", "wall_share_s",
         "wall_share_inclusive_s", "visits_concurrent")


def path_of(profile, entry):
    """What a callpath is matched by."""
    chain = [entry, *profile.ancestors(entry)]
    return tuple((e["kind"], e["module"], e["offset"]) for e in chain)


def numbers_of(entry):
    found = {key: entry[key] for key in PLAIN if entry.get(key) is not None}
    found.update({("wait", cause): value for cause, value in (entry["wait_s"] or {}).items()})
    for key in ("thread_time_at_k_s", "elapsed_at_k_s"):
        found.update({(key, k): value for k, value in enumerate(entry.get(key) or [])})
    for row in entry["threads"] or []:
        found.update({(row["thread"], key): row[key] for key in ("visits", "busy_s")})
    return found


COUNTS = ("visits", "instances", "visits_concurrent")


def is_count(key):
    return key in COUNTS or (isinstance(key, tuple) and key[-1] in COUNTS)


def add_numbers(into, numbers, seconds=1):
    """Adds the numbers, the times among them multiplied by `seconds`."""
    for key, value in numbers.items():
        into[key] = into.get(key, 0) + (value or 0) * (1 if is_count(key) else seconds)


def assert_same_numbers(actual, expected, what):
    for key in actual.keys() | expected.keys():
        a, b = actual.get(key, 0) or 0, expected.get(key, 0) or 0
        assert a == b or abs(a - b) <= 1e-8 * max(abs(a), abs(b)) + 1e-9, f"{what}: {key}: {a}, expected {b}"


def assert_is_sum(merged, runs):
    """Ticks are added up. Each run finds out by itself how long a tick is, a short one not to 1e-5; the sum has one."""
    expected = {}
    scales = [run["run"]["ticks_per_s"] / merged["run"]["ticks_per_s"] for run in runs]
    assert all(abs(scale - 1) < 1e-3 for scale in scales)
    for run, scale in zip(runs, scales, strict=True):
        for entry in run.profiles:
            if entry["id"] > 0:
                add_numbers(expected.setdefault(path_of(run, entry), {}), numbers_of(entry), scale)
    found = {path_of(merged, entry): numbers_of(entry) for entry in merged.profiles if entry["id"] > 0}
    assert found.keys() == expected.keys()
    for path, numbers in found.items():
        assert_same_numbers(numbers, expected[path], path)
    whole = {}
    for run, scale in zip(runs, scales, strict=True):
        add_numbers(whole, {key: run["program"][key] for key in ("elapsed_s", "busy_s", "potential_gain_s")}, scale)
        add_numbers(whole, dict(enumerate(run["program"]["time_at_k_s"])), scale)
    assert_same_numbers({**{key: merged["program"][key] for key in ("elapsed_s", "busy_s", "potential_gain_s")},
                         **dict(enumerate(merged["program"]["time_at_k_s"]))}, whole, "program")
    for number, thread in enumerate(merged.threads):
        lifetimes = [run.threads[number]["lifetime_s"] * scale
                     for run, scale in zip(runs, scales, strict=True) if number < len(run.threads)]
        assert abs(thread["lifetime_s"] - sum(lifetimes)) <= 1e-8 * sum(lifetimes)


@pytest.fixture
def program(build_program):
    return build_program(WORK)


@pytest.fixture
def merge(run_heddle, tmp_path, export):
    """merge(files...) -> the sum's Profile, with .path and .messages, its identities held."""

    def run(*files, options=()):
        path = tmp_path / "sum.heddle"
        result = run_heddle("merge", "-f", "-o", path, *options, *files)
        assert result.returncode == 0, result.stderr
        assert result.stdout == ""
        loaded = export(path)
        loaded.path, loaded.messages = path, result.stderr
        assert_states_sum_to_lifetimes(loaded)
        return loaded

    return run


def test_sum_of_three_runs(runtime, program, profile, export, merge, run_heddle):
    paths = [profile(program, n, runtime=runtime, threads=2) for n in (2, 3, 2)]
    runs = [export(path) for path in paths]
    merged = merge(*paths)
    assert_is_sum(merged, runs)
    assert_identities(merged)
    assert merged["timeline"] is None
    assert f"sum of 3 runs: {paths[0]} (" in merged["run"]["notes"][0]
    assert any("timelines cannot be merged" in note for note in merged["run"]["notes"])
    assert any("different arguments" in note for note in merged["run"]["notes"])
    assert not any("settings" in note for note in merged["run"]["notes"])  # the files' names are none
    regions = [entry for entry in merged.profiles if entry["kind"] == "parallel"]
    assert sum(entry["visits"] for entry in regions) == 3 * (2 + 3 + 2)
    report = run_heddle("report", merged.path)
    assert report.returncode == 0 and "sum of 3 runs" in report.stdout and report.stderr == ""
    assert ", pid" not in report.stdout
    flat = run_heddle("report", "--flat", "--limit", 0, merged.path).stdout
    assert re.search(r"^.* - +\S+ +\S+ +\S+ +\S+ +\S+ program ", flat, re.M), flat  # called three times or once?


def test_order_does_not_matter_and_sums_add_up(program, profile, export, merge, tmp_path):
    paths = [profile(program, n, runtime=19, threads=2) for n in (1, 2, 4)]
    runs = [export(path) for path in paths]
    assert_is_sum(merge(paths[2], paths[0], paths[1]), runs)
    first = tmp_path / "first.heddle"
    merge(paths[0], paths[1]).path.rename(first)
    both = merge(first, paths[2])
    assert_is_sum(both, runs)
    assert any(note.startswith("sum of 2 runs") for note in both["run"]["notes"])
    assert any(note.startswith("sum of 2 profiles") for note in both["run"]["notes"])
    assert len(set(both["run"]["notes"])) == len(both["run"]["notes"])


def test_one_run_twice_is_twice_the_run(program, profile, export, merge):
    path = profile(program, runtime=19, threads=2)
    run = export(path)
    assert_is_sum(merge(path, path), [run, run])


def test_runs_with_different_teams(program, profile, export, merge):
    paths = [profile(program, runtime=19, threads=2),
             profile(program, runtime=19, env={"OMP_THREAD_LIMIT": "1"})]
    runs = [export(path) for path in paths]
    merged = merge(*paths)
    assert_is_sum(merged, runs)
    sizes = [entry["team_size"] for entry in merged.profiles if entry["kind"] == "parallel"]
    assert sizes and all(size == {"min": 1, "max": 2} for size in sizes)
    assert any("different OpenMP settings" in note for note in merged["run"]["notes"])


def test_names_are_kept_when_the_program_is_gone(build_program, tmp_path, run_heddle, export, merge):
    moved = tmp_path / "app"
    moved.write_bytes(build_program(WORK).read_bytes())
    moved.chmod(0o755)
    environment = environment_for(19, 2)
    for number in range(2):
        result = run_heddle("run", "-q", "-o", tmp_path / f"{number}.heddle", moved, env=environment)
        assert result.returncode == 0, result.stderr
    moved.unlink()
    merged = merge(tmp_path / "0.heddle", tmp_path / "1.heddle")
    names = {entry["name"] for entry in merged.profiles if entry["kind"] == "parallel"}
    assert names == {"step"}


def test_killed_run_counts_up_to_its_end(program, profile, export, merge, tmp_path):
    complete = profile(program, 1, runtime=19, threads=2)
    store = tmp_path / "store"
    store.mkdir()
    environment = environment_for(19, 2, {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_STORE_DIR": str(store)})
    dead = subprocess.run([program, "1", "die"], env=environment, capture_output=True, timeout=60)
    assert dead.returncode == -signal.SIGKILL
    [killed] = store.iterdir()
    runs = [export(complete), export(killed)]
    merged = merge(complete, killed)
    assert_is_sum(merged, runs)
    assert merged["run"]["complete"] is False
    assert any(str(killed) in note and "counted up to" in note for note in merged["run"]["notes"])
    assert "counted up to" in merged.messages


def test_running_program_is_added_as_it_is(build_program, merge, profile, tmp_path, program, export):
    endless = build_program("endless.c")
    store = tmp_path / "store"
    store.mkdir()
    environment = environment_for(19, 2, {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_STORE_DIR": str(store)})
    running = subprocess.Popen([endless], env=environment, stdout=subprocess.PIPE)
    try:
        deadline = 100
        while not list(store.glob("*.live")) and deadline:
            deadline -= 1
            os.sched_yield()
            subprocess.run(["sleep", "0.05"])
        subprocess.run(["sleep", "0.2"])
        [live] = store.glob("*.live")
        merged = merge(live, live)
        assert any("is still running" in note for note in merged["run"]["notes"])
        assert merged["program"]["elapsed_s"] > 0
    finally:
        running.kill()
        running.wait()


# ---- counters ----


def counts_of(entry):
    """By field, event and thread: None where that is not known."""
    found = {}
    for who in (entry, *(entry.get("threads") or [])):
        for field in counting.CLASSES.values():
            for event, n in (who.get(field) or {}).items():
                found[field, event, who.get("thread") if who is not entry else None] = n
    return found


def add_counts(into, counts):
    for key, n in counts.items():
        before = into.get(key, 0)
        into[key] = None if before is None or n is None else before + n


def assert_counts_add_up(merged, runs):
    """To the last count. What a run does not know its sum does not."""
    expected, whole = {}, {}
    for run in runs:
        add_counts(whole, counts_of({**run["program"], "threads": run.threads}))
        for entry in run.profiles:
            add_counts(expected.setdefault(path_of(run, entry), {}), counts_of(entry))
    assert any(n for counts in expected.values() for n in counts.values())
    for entry in merged.profiles:
        assert counts_of(entry) == expected[path_of(merged, entry)], entry
    assert counts_of({**merged["program"], "threads": merged.threads}) == whole


def counted(profile, program, n, *events, at="loop", **env):
    return profile(program, n, runtime=19, threads=2,
                   env={"HEDDLE_COUNTERS": ",".join(events), "HEDDLE_COUNTERS_AT": at, **env})


@pytest.mark.parametrize("at", ["region", "loop", "all"])
def test_counts_add_up(program, profile, export, merge, run_heddle, at):
    paths = [counted(profile, program, n, counting.FAULTS, counting.CLOCK, at=at) for n in (2, 3, 2)]
    runs = [export(path) for path in paths]
    merged = merge(*paths)
    assert_is_sum(merged, runs)
    assert_counts_add_up(merged, runs)
    assert merged["run"]["counters"]["at"] == at
    assert [event["name"] for event in merged["run"]["counters"]["events"]] == [counting.FAULTS, counting.CLOCK]
    report = run_heddle("report", merged.path)
    assert report.returncode == 0 and report.stderr == ""


def test_events_that_all_runs_counted_are_kept(program, profile, export, merge):
    paths = [counted(profile, program, 2, counting.FAULTS, counting.CLOCK),
             counted(profile, program, 2, counting.SWITCHES, counting.FAULTS)]
    merged = merge(*paths)
    assert [event["name"] for event in merged["run"]["counters"]["events"]] == [counting.FAULTS]
    runs = [export(path)["program"]["counters"][counting.FAULTS] for path in paths]
    assert merged["program"]["counters"] == {counting.FAULTS: sum(runs)}
    notes = merged["run"]["notes"]
    assert f"{counting.CLOCK} was not counted in {paths[1]}: the sum leaves it out" in notes
    assert f"{counting.SWITCHES} was not counted in {paths[0]}: the sum leaves it out" in notes


def test_runs_that_counted_otherwise_leave_no_counts(program, profile, merge):
    paths = [counted(profile, program, 1, counting.FAULTS), profile(program, 1, runtime=19, threads=2),
             counted(profile, program, 1, counting.FAULTS, at="all")]
    merged = merge(paths[0], paths[1])
    assert merged["run"]["counters"] is None
    assert any(note.startswith(f"no events were counted in {paths[1]}") for note in merged["run"]["notes"])
    merged = merge(paths[0], paths[2])
    assert merged["run"]["counters"] is None
    assert any(f"read at loops in {paths[0]}, at all constructs in {paths[2]}" in n for n in merged["run"]["notes"])


def test_groups_and_their_metrics_survive(program, run_heddle, export, merge, tmp_path):
    paths = [tmp_path / f"{n}.heddle" for n in range(2)]
    for path in paths:
        result = run_heddle("run", "-q", "-g", "OS", "-o", path, program, env=environment_for(19, 2))
        assert result.returncode == 0, result.stderr
    runs = [export(path) for path in paths]
    merged = merge(*paths)
    assert_counts_add_up(merged, runs)
    assert [group["name"] for group in merged["run"]["counters"]["groups"]] == ["OS"]
    metrics = merged["program"]["metrics"]
    assert metrics.keys() == runs[0]["program"]["metrics"].keys() and any(metrics.values())


# ---- what it refuses ----


def test_other_programs_are_refused_unless_forced(build_program, program, profile, run_heddle, tmp_path):
    first = profile(program, runtime=19, threads=2)
    second = profile(build_program(OTHER), runtime=19, threads=2)
    out = tmp_path / "out.heddle"
    result = run_heddle("merge", "-o", out, first, second)
    assert result.returncode == 1 and not out.exists()
    assert f"{first} and {second} are runs of different builds of program" in result.stderr
    result = run_heddle("merge", "-o", out, "--force", first, second)
    assert result.returncode == 0 and out.exists()


def test_existing_file_is_kept_unless_forced(program, profile, run_heddle, tmp_path):
    path = profile(program, runtime=19, threads=2)
    result = run_heddle("merge", path, path, cwd=tmp_path)
    assert result.returncode == 0
    out = tmp_path / "merged.heddle"
    before = out.read_bytes()
    result = run_heddle("merge", path, cwd=tmp_path)
    assert result.returncode == 1 and "merged.heddle" in result.stderr and "--force" in result.stderr
    assert out.read_bytes() == before
    result = run_heddle("merge", "-q", "--force", path, cwd=tmp_path)
    assert result.returncode == 0 and result.stderr == "" and out.read_bytes() != before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".heddle")] == []


def test_bad_input_is_named_and_nothing_is_written(program, profile, run_heddle, tmp_path):
    good = profile(program, runtime=19, threads=2)
    text, cut = tmp_path / "text", tmp_path / "cut"
    text.write_text("not a profile\n")
    cut.write_bytes(good.read_bytes()[:-20000])
    result = run_heddle("merge", "-o", tmp_path / "out", good, text, tmp_path / "missing", cut, tmp_path)
    assert result.returncode == 1 and not (tmp_path / "out").exists()
    lines = result.stderr.splitlines()
    assert len(lines) == 4, result.stderr
    assert f"{text}: not a Heddle profile" in lines[0]
    assert f"{tmp_path / 'missing'}: No such file" in lines[1]
    assert f"{cut}: cut short" in lines[2]
    assert f"{tmp_path}: is a directory" in lines[3]


@pytest.mark.parametrize("out", ["/nowhere/at/all.heddle", "/proc/merged.heddle", "/"])
def test_place_that_cannot_be_written_is_said(program, profile, run_heddle, out):
    result = run_heddle("merge", "-o", out, profile(program, runtime=19, threads=2))
    assert result.returncode == 1 and out in result.stderr


@pytest.mark.parametrize("arguments", [(), ("-o",), ("-o", "", "x"), ("--bogus", "x")], ids=str)
def test_wrong_usage(run_heddle, tmp_path, arguments):
    result = run_heddle("merge", *arguments, cwd=tmp_path)
    assert result.returncode == 2 and "Usage: heddle merge" in result.stderr
