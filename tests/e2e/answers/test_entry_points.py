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
        events = {event["event"]: event for event in loaded["program"]["overhead"]["events"]}
        cost = sum(events[name]["ns_each"] for name in ("scheduling_begin", "scheduling_end")) / 1e9
        calls = sum(map(int, re.findall(r"^chunks \d+ (\d+)$", loaded.stdout, re.M))) + threads
        assert_between(handed, loop["runtime_by_s"]["scheduling"], loop["runtime_by_s"]["scheduling"] + calls * cost,
                       "hand-out", loop["runtime_by_s"]["scheduling"])

    check_times(lambda: measure_routines(build_program("handout.c"), 600000, runtime=runtime, threads=threads), check)
