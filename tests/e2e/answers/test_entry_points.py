# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's own work by cause: libheddle-entry.so in front of the runtime's entry points. What else a profile says must
not depend on it, least of all where constructs are in the code."""
import re

import pytest

from conftest import LIBRARY, assert_between, marks, run_plain
from timed import check_times

ENTRIES = LIBRARY.parent / "libheddle-entry.so"
COMPILERS = pytest.mark.parametrize("compiler", ("clang", "gcc"))
SOURCES = pytest.mark.parametrize("source", ("counts.c", "creation.c", "spin_loop.c", "nested.c"))


def total(loaded, cause):
    return loaded["program"]["runtime_by_s"][cause]


def assert_causes(loaded):
    """The causes add up; so do threads."""
    for owner in (loaded["program"], *loaded.threads, *loaded.profiles):
        if owner["runtime_s"] is not None:
            assert abs(sum(owner["runtime_by_s"].values()) - owner["runtime_s"]) < 1e-9, owner
    for entry in loaded.profiles:
        for cause, seconds in (entry["runtime_by_s"] or {}).items():
            assert abs(sum(row["runtime_by_s"][cause] for row in entry["threads"]) - seconds) < 1e-9, entry
    for cause in ("fork_join", "scheduling", "task_creation"):
        assert abs(sum(e["runtime_by_s"][cause] for e in loaded.profiles if e["runtime_by_s"]) - total(loaded, cause)) < 1e-9


def notes(loaded):
    return [note for note in loaded["run"]["notes"] if "libheddle-entry.so" in note]


# ---- what is told apart ----


def test_chunks_are_handed_out_in_the_loop(measure_routines, build_program, runtime):
    line = marks("handout.c")
    loaded = measure_routines(build_program("handout.c"), 900, runtime=runtime, threads=2)
    assert_causes(loaded)
    for mark in ("called", "dynamic", "down", "unsigned"):
        [loop] = [entry for entry in loaded.all(line[mark]) if entry["kind"].startswith("loop")]
        assert loop["runtime_by_s"]["scheduling"] > 0 and loop["runtime_by_s"]["task_creation"] == 0, mark
    assert total(loaded, "task_creation") == 0 and total(loaded, "scheduling") > 0
    assert re.search(r"^sum 3150$", loaded.stdout, re.M) and not notes(loaded)


@COMPILERS
def test_tasks_are_created_where_they_stand(measure_routines, build_program, runtime, compiler):
    gomp = compiler == "gcc"
    line = marks("creation.c")
    loaded = measure_routines(build_program("creation.c", compiler), runtime=runtime, threads=2, gomp=gomp)
    assert_causes(loaded)
    assert "sum 600" in loaded.stdout and total(loaded, "scheduling") == 0 and not notes(loaded)
    creators = {e["kind"] for e in loaded.profiles if e["runtime_by_s"] and e["runtime_by_s"]["task_creation"] > 0}
    assert {"task", "taskloop"} <= creators and creators <= {"single", "parallel", "task", "taskloop", "program"}
    for mark in ("deferred", "inner", "dependent", "undeferred"):
        assert loaded.visits(line[mark], "task") == 100, mark


@COMPILERS
def test_a_loops_place_is_its_own(measure_routines, build_program, runtime, compiler):
    line = marks("counts.c")
    loaded = measure_routines(build_program("counts.c", compiler), 5, runtime=runtime, threads=2, gomp=compiler == "gcc")
    assert_causes(loaded)
    places = [line["dynamic"], line["dynamic"] + 1]  # GCC's: that of the `for`
    loops = [e for place in places for e in loaded.all(place) if e["kind"].startswith("loop")]
    assert loops and all(loop["runtime_by_s"]["scheduling"] > 0 for loop in loops)
    assert not notes(loaded)


# ---- what is counted ----


def test_chunks_and_iterations_are_exact(measure_routines, build_program, runtime, run_heddle, export, tmp_path):
    line, n = marks("handout.c"), 1000
    loaded = measure_routines(build_program("handout.c"), n, runtime=runtime, threads=2)
    expected = {"called": ((n + 2) // 3, n), "dynamic": (n, n), "down": (n // 2 // 5, n // 2)}
    for mark, (chunks, iterations) in expected.items():
        [loop] = [entry for entry in loaded.all(line[mark]) if entry["kind"].startswith("loop")]
        assert (loop["loop"]["chunks"], loop["loop"]["iterations"]) == (chunks, iterations), mark
        for what in ("chunks", "iterations"):
            assert sum(row["loop"][what] for row in loop["threads"]) == loop["loop"][what]
    [guided] = [entry for entry in loaded.all(line["unsigned"]) if entry["kind"].startswith("loop")]
    assert guided["loop"]["iterations"] == n and 0 < guided["loop"]["chunks"] <= n // 7 + 2
    assert all(entry["loop"] is None for entry in loaded.profiles if not entry["kind"].startswith("loop"))
    books = {int(chunks) for chunks in re.findall(r"^chunks \d+ (\d+)$", loaded.stdout, re.M)}
    [called] = [entry for entry in loaded.all(line["called"]) if entry["kind"].startswith("loop")]
    assert {row["loop"]["chunks"] for row in called["threads"]} == books
    twice = tmp_path / "twice.heddle"
    assert run_heddle("merge", "-o", twice, loaded.path, loaded.path).returncode == 0
    [called] = [entry for entry in export(twice).all(line["called"]) if entry["kind"].startswith("loop")]
    assert (called["loop"]["chunks"], called["loop"]["iterations"]) == (2 * ((n + 2) // 3), 2 * n)
    once, = [entry["loop"] for entry in loaded.all(line["called"]) if entry["kind"].startswith("loop")]
    for space, factor in ((once["space"], 2), (called["loop"]["space"], 1)):
        assert (space["lower"], space["upper"]) == (0, n - 1)
        space["buckets"] = [(pytest.approx(factor * one["s"]), factor * one["iterations"]) for one in space["buckets"]]
    assert once["space"] == called["loop"]["space"]


GCCS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 1000; i++) sum++; // 250 chunks
#pragma omp for schedule(monotonic : dynamic, 10)
    for (unsigned long long i = 3; i < 3000; i += 3) sum++; // 999 iterations, 100 chunks
#pragma omp for schedule(runtime)
    for (int i = 500; i > 0; i--) sum++; // OMP_SCHEDULE=dynamic,2: 250 chunks
#pragma omp for schedule(static)
    for (int i = 0; i < 10; i++) sum++;
  }
  printf("sum %ld\n", sum);
  return 0;
}
"""


@COMPILERS
def test_chunks_of_any_compilers_are_exact(measure_routines, build_program, runtime, compiler):
    loaded = measure_routines(build_program(GCCS, compiler), runtime=runtime, threads=2, gomp=compiler == "gcc",
                              env={"OMP_SCHEDULE": "dynamic,2", "HEDDLE_OVERHEAD": "off"})
    assert "sum 2509" in loaded.stdout
    loops = [entry["loop"] for entry in loaded.profiles if entry["loop"]]
    found = {(loop["space"]["lower"], loop["space"]["upper"]): (loop["chunks"], loop["iterations"]) for loop in loops}
    if compiler == "gcc":
        assert found == {(0, 999): (250, 1000), (3, 2997): (100, 999), (500, 1): (250, 500)}
    else:  # clang numbers iterations from 0
        assert found == {(0, 999): (250, 1000), (0, 998): (100, 999), (0, 499): (250, 500)}
    for loop in loops:
        lengths, buckets = loop["chunk_s"], loop["space"]["buckets"]
        assert lengths["observed"] == sum(lengths["log2_ns"]) == loop["chunks"] and len(buckets) == 64
        assert sum(bucket["iterations"] for bucket in buckets) == loop["iterations"]
        assert all(bucket["iterations"] - loop["iterations"] // 64 in (0, 1) for bucket in buckets), buckets
        assert abs(sum(bucket["s"] for bucket in buckets) - lengths["mean"] * loop["chunks"]) < 1e-9
        assert 0 < lengths["mean"] <= lengths["max"]


@pytest.mark.timed
@COMPILERS
def test_cost_by_iteration_is_what_iterations_took(measure_routines, build_program, compiler):
    program = build_program("space.c", compiler)

    def check(loaded):
        [loop] = [entry["loop"] for entry in loaded.profiles if entry["loop"]]
        costs = [int(ns) / 1e9 for ns in re.findall(r"^cost \d+ (\d+)$", loaded.stdout, re.M)]
        assert len(costs) == 64 and [bucket["iterations"] for bucket in loop["space"]["buckets"]] == [1] * 64
        for bucket, cost in zip(loop["space"]["buckets"], costs, strict=True):
            assert cost <= bucket["s"] * 1.001 and bucket["s"] < 1.02 * cost + 20e-6
        assert loop["chunk_s"]["max"] == max(bucket["s"] for bucket in loop["space"]["buckets"])

    check_times(lambda: measure_routines(program, threads=2, gomp=compiler == "gcc"), check)


@COMPILERS
def test_tasks_are_counted(measure_routines, build_program, runtime, compiler, run_heddle):
    line = marks("creation.c")
    loaded = measure_routines(build_program("creation.c", compiler), runtime=runtime, threads=2, gomp=compiler == "gcc")
    for mark in ("deferred", "inner", "dependent", "undeferred"):
        tasks = [entry["task"] for entry in loaded.all(line[mark], "task")]
        for what in ("created", "run"):
            assert sum(task[what] for task in tasks) == 100, (mark, what)
        elsewhere = sum(task["run_elsewhere"] for task in tasks)
        assert elsewhere == 0 if mark == "undeferred" else elsewhere <= 100
        for entry in loaded.all(line[mark], "task"):
            for what in ("created", "run", "run_elsewhere"):
                assert sum(row["task"][what] for row in entry["threads"]) == entry["task"][what]
    shown = run_heddle("report", "--tasks", "--csv", loaded.path).stdout.splitlines()
    names = shown[0].split(",")
    rows = [dict(zip(names, row.split(","))) for row in shown[1:]]
    of_line = [row for row in rows if row["line"] == str(line["inner"])]
    assert sum(int(row["created"]) for row in of_line) == sum(int(row["run"]) for row in of_line) == 100


def test_loops_are_shown(measure_routines, build_program, run_heddle):
    line = marks("handout.c")
    loaded = measure_routines(build_program("handout.c"), 1000, threads=2)
    shown = run_heddle("report", "--loops", loaded.path).stdout
    row = next(text for text in shown.splitlines() if f"handout.c:{line['down']}" in text).split()
    assert row[:3] == ["100", "500", "5.00"]
    shown = run_heddle("report", "--loops", "--csv", loaded.path).stdout.splitlines()
    found = {dict(zip(shown[0].split(","), text.split(",")))["chunks"] for text in shown[1:]}
    assert {"100", "334", "1000"} <= found


# ---- what does not depend on it ----


def shape(loaded):
    """Callpaths by their places, with what does not depend on chance: where tasks run, and what they wait for, does."""
    paths = {}
    for entry in loaded.profiles:
        path = [entry, *loaded.ancestors(entry)]
        key = tuple((e["kind"], e["module"], e["offset"], e["name"]) for e in path)
        if not any(e["kind"] in ("taskwait", "taskgroup") for e in path):
            paths[key] = paths.get(key, 0) + (entry["visits"] or 0)
    return paths


@COMPILERS
@SOURCES
def test_places_and_counts_do_not_depend_on_it(measure_routines, build_program, runtime, compiler, source):
    program = build_program(source, compiler)
    arguments = {"spin_loop.c": (1,), "nested.c": (1,)}.get(source, ())
    with_it, without = (shape(measure_routines(program, *arguments, runtime=runtime, threads=2, gomp=compiler == "gcc",
                                               options=(option,))) for option in ("--handout", "--no-handout"))
    assert with_it == without


def test_without_a_tool_calls_go_through(build_program, runtime):
    for program in (build_program("handout.c"), build_program("creation.c")):
        outputs = []
        for env in ({}, {"LD_PRELOAD": str(ENTRIES)}, {"LD_PRELOAD": str(ENTRIES), "OMP_TOOL": "disabled"}):
            result = run_plain(program, runtime=runtime, threads=2, env=env)
            assert result.returncode == 0 and not result.stderr
            outputs.append(re.findall(r"^sum.*$", result.stdout, re.M))
        assert outputs[0] == outputs[1] == outputs[2] and outputs[0]


@pytest.mark.parametrize("source", ("counts.c", "creation.c"))
def test_on_libgomp_calls_go_through(build_program, source):
    """A preloaded library also comes into programs that a program starts."""
    program = build_program(source, "gcc")
    plain, preloaded = (run_plain(program, threads=2, env=env) for env in ({}, {"LD_PRELOAD": str(ENTRIES)}))
    assert preloaded.returncode == plain.returncode == 0 and not preloaded.stderr
    assert preloaded.stdout == plain.stdout and plain.stdout


def test_where_it_is_not_in_front_the_report_says_so(measure, build_program, runtime):
    loaded = measure(build_program("creation.c"), runtime=runtime, threads=2)
    assert_causes(loaded)
    assert total(loaded, "task_creation") == 0 and len(notes(loaded)) == 1 and "create tasks" in notes(loaded)[0]
    loaded = measure(build_program("creation.c"), runtime=runtime, threads=2, env={"LD_PRELOAD": str(ENTRIES)})
    assert total(loaded, "task_creation") > 0 and not notes(loaded)


@COMPILERS
def test_a_process_that_forks_inside(run_routines, build_program, export, runtime, compiler):
    path = run_routines(build_program("entry_fork.c", compiler), runtime=runtime, threads=2, gomp=compiler == "gcc",
                        env={"HEDDLE_OUTPUT": ""})
    assert run_routines.result.returncode == 0, run_routines.result.stderr
    assert run_routines.result.stdout.count("sum 100") == 2
    loaded = export(path)
    assert_causes(loaded)
    assert total(loaded, "scheduling") > 0


PLUGIN = r"""
int work(void);
int work(void) {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 1000; i++)
    sum++;
  return sum;
}
"""
HOST = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
    printf("%d\n", work ? work() : -1);
    fflush(stdout);
  }
  return 0;
}
"""


def test_a_plugin_finds_the_runtime_that_it_brings(build_program, tmp_path, profile, export, runtime):
    """No library of the program's own defines the entry point: only the plugin's do."""
    host = build_program(HOST, "gcc", ("-fno-openmp",))
    plugins = []
    for name in ("one", "two"):
        plugin = tmp_path / f"{name}.so"
        built = build_program(PLUGIN.replace("1000", "1000" if name == "one" else "500"), "clang", ("-shared", "-fPIC"))
        plugin.write_bytes(built.read_bytes())
        plugins.append(plugin)
    path = profile(host, *plugins, runtime=runtime, threads=2, env={"LD_PRELOAD": str(ENTRIES)})
    assert profile.result.stdout.split() == ["1000", "500"], profile.result.stderr
    assert total(export(path), "scheduling") > 0


# ---- times ----


@pytest.mark.timed
@pytest.mark.parametrize("threads", (2, 4))
def test_hand_out_is_what_the_program_measures_around_its_calls(measure_routines, build_program, runtime, threads):
    """The program's times contain those of the two events of each call, but for what lies between their looks at the clock:
    all that Heddle itself says they cost at most."""
    line = marks("handout.c")

    def check(loaded):
        [loop] = [entry for entry in loaded.all(line["called"]) if entry["kind"].startswith("loop")]
        handed = sum(map(int, re.findall(r"^handed \d+ (\d+)$", loaded.stdout, re.M))) / 1e9
        events = {event["event"]: event for event in loaded["run"]["overhead"]["events"]}
        cost = sum(events[name]["ns_each"] for name in ("scheduling_begin", "scheduling_end")) / 1e9
        calls = sum(map(int, re.findall(r"^chunks \d+ (\d+)$", loaded.stdout, re.M))) + threads
        assert_between(handed, loop["runtime_by_s"]["scheduling"], loop["runtime_by_s"]["scheduling"] + calls * cost,
                       "hand-out", loop["runtime_by_s"]["scheduling"])

    check_times(lambda: measure_routines(build_program("handout.c"), 600000, runtime=runtime, threads=threads), check)
