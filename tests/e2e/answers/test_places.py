# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which line and function a construct is shown at, where the return address does not tell."""
import shutil

import pytest

from conftest import marks

COUNT = 6
THREADS = 2
COMPILERS = ("clang", "gcc", "g++")


@pytest.fixture
def measure_built(build_program, measure_routines):
    """The profile of a program from tests/e2e/programs, as a compiler has built it with these flags."""

    def run(source, compiler, *flags, runtime=19):
        flags = ["-x", "c++", *flags] if compiler == "g++" else flags
        program = build_program(source, compiler=compiler, flags=("-g", *flags))
        loaded = measure_routines(program, COUNT, gomp=compiler != "clang", threads=THREADS, runtime=runtime)
        assert loaded.stdout == "done\n"
        return loaded

    return run


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_constructs_of_one_block_have_their_own_lines(measure_built, compiler, level, runtime):
    line = marks("gcc_places.c")
    loaded = measure_built("gcc_places.c", compiler, level, runtime=runtime)
    for name in ("first", "second", "dynamic", "guided", "chosen"):
        assert loaded.visits(line[name], "parallel") == COUNT, (name, loaded.summary())
    for name in ("task", "other"):
        assert loaded.visits(line[name], "task") == COUNT, (name, loaded.summary())
    assert {e["name"] for e in loaded.profiles if e["kind"] in ("parallel", "task")} == {"main"}


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_loop_that_is_all_of_its_region_is_one_entry(measure_built, level, runtime):
    line = marks("gcc_places.c")
    loaded = measure_built("gcc_places.c", "gcc", level, runtime=runtime)
    for name in ("dynamic", "guided", "chosen"):
        loops = [e for e in loaded.all(line[name]) if e["kind"].startswith("loop")]
        assert [e["visits"] for e in loops] == [COUNT * THREADS], (name, loaded.summary())
    assert not [e for e in loaded.profiles if e["kind"].startswith("loop") and e["line"] is None]


@pytest.mark.parametrize("flags", [("-O0",), ("-O1",), ("-O2",), ("-O3",), ("-O2", "-fno-plt"), ("-O2", "-no-pie")],
                         ids=" ".join)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_constructs_are_shown_within_themselves(measure_built, compiler, flags, runtime):
    """GCC's calls may bear the line of what comes before them: then it is a line of the construct's block at least."""
    line = marks("gcc_lines.c")
    loaded = measure_built("gcc_lines.c", compiler, *flags, runtime=runtime)
    expected = {"loop": ["first_loop", "combined", "bound"], "single": ["single", "inline", "first_single"],
                "task": ["task", "other"]}
    for kind, names in expected.items():
        lines = sorted({e["line"] for e in loaded.profiles if e["kind"].split("_")[0] == kind})
        ranges = [(line[name], line[name + "_"]) for name in names]
        assert len(lines) == len(ranges), (kind, loaded.summary())
        for found, (first, last) in zip(lines, sorted(ranges), strict=True):
            assert first <= found <= last, (kind, found, first, last)
    functions = {e["name"].split("(")[0] for e in loaded.profiles if e["kind"] == "task"}
    assert functions == {"halve"}


TASKLOOPS = r"""
#include <stdio.h>
static volatile int sum;
static void first(int n) {
#pragma omp taskloop grainsize(1)
  for (int k = 0; k < n; k++)
    __atomic_fetch_add(&sum, k, __ATOMIC_RELAXED);
}
static void second(int n) {
#pragma omp taskloop num_tasks(3)
  for (int k = 0; k < n; k++)
    __atomic_fetch_add(&sum, k, __ATOMIC_RELAXED);
}
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
    first(2000);
    second(12);
  }
  puts("done");
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_taskloops_and_their_tasks_are_shown_where_they_are(measure_built, compiler, run_heddle, tmp_path, runtime):
    """libomp's events come from inside it, and it creates a taskloop's many tasks recursively."""
    loaded = measure_built(TASKLOOPS, compiler, "-fno-inline", runtime=runtime)
    lines = [number for number, line in enumerate(TASKLOOPS.splitlines(), 1) if "taskloop" in line]
    for line, function in zip(lines, ("first", "second"), strict=True):
        assert loaded.visits(line, "taskloop") == 2, loaded.summary()
        tasks = loaded.all(line, "task")
        assert tasks and {e["name"].split("(")[0] for e in tasks + loaded.all(line, "taskloop")} == {function}
    assert sum(e["visits"] for e in loaded.all(lines[1], "task")) == 6
    assert {e["line"] for e in loaded.profiles if e["kind"] in ("task", "taskloop")} == set(lines)
    for options in ([], ["--flat"]):
        report = run_heddle("report", *options, next(tmp_path.glob("*.heddle"))).stdout
        assert "taskloop" in report and "recursive" not in report and "unknown" not in report


@pytest.mark.parametrize("flags", [("-O2",), ("-O2", "-fno-plt"), ("-O2", "-Wl,-z,now"), ("-O2", "-no-pie"), ("-O0",)],
                         ids=" ".join)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_construct_entered_by_a_tail_call_is_shown_where_it_is(measure_built, compiler, flags, runtime):
    line = marks("tail_calls.c")
    loaded = measure_built("tail_calls.c", compiler, *flags, runtime=runtime)
    expected = {"alpha": ("parallel", "alpha"), "beta": ("parallel", "beta"), "child": ("task", "spawn"),
                "wait": ("taskwait", "spawn")}
    for name, (kind, function) in expected.items():
        assert loaded.visits(line[name], kind) == COUNT, (name, loaded.summary())
        assert {e["name"].split("(")[0] for e in loaded.all(line[name], kind)} == {function}
    assert not [e for e in loaded.profiles if e["tail_call"] and e["name"].split("(")[0] != "choose"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_tail_call_that_may_be_either_is_marked(measure_built, compiler, run_heddle, tmp_path):
    line = marks("tail_calls.c")
    loaded = measure_built("tail_calls.c", compiler, "-O2")
    marked = [e for e in loaded.profiles if e["tail_call"]]
    assert {(e["kind"], e["name"].split("(")[0], e["line"], e["visits"]) for e in marked} == {
        ("parallel", "choose", None, COUNT)}
    assert not loaded.all(line["either"]) and not loaded.all(line["other"])
    report = run_heddle("report", next(tmp_path.glob("*.heddle"))).stdout
    assert "parallel tail call in choose" in report, report


def test_region_that_is_offloaded_to_the_host_is_shown_at_its_target_construct(build_program, measure_routines,
                                                                               tmp_path):
    """It counts: what libomptarget calls is not the runtime's own."""
    line = marks("offloaded.c")
    library = build_program("offloaded.c", flags=("-O0", "-shared", "-fPIC", "-DTARGET"))
    shutil.copy(library, tmp_path / "libomptarget.test.so")
    program = build_program("offloaded.c", flags=(f"-L{tmp_path}", "-l:libomptarget.test.so", f"-Wl,-rpath,{tmp_path}"))
    loaded = measure_routines(program, threads=THREADS)
    for name in ("region", "other"):
        assert loaded.visits(line[name], "parallel") == 3, loaded.summary()
    assert {e["name"] for e in loaded.profiles if e["kind"] == "parallel"} == {"main"}
    assert loaded.threads[0]["kind"] == "initial", loaded.threads[0]
