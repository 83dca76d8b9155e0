# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instrumented programs that do what profilers do not expect: the program behaves as without Heddle, what could not be
followed is said in the notes, and every number that is given is consistent (levels.py, and the sums of conftest.py).
"""
import pathlib
import re
import subprocess

import pytest

from conftest import INSTRUMENTED, compile_command, load_checked, run_plain, source_of

each_compiler = pytest.mark.parametrize("compiler", ["clang", "gcc"])


@pytest.fixture
def run_both(run_routines, build_program, export):
    """run_both(a source's name or a program's path, compiler, *arguments) -> the profile, once the program has been seen to say and return
    the same with Heddle and without. Heddle complains of nothing on standard error either."""

    def run(source, compiler, *arguments, runtime=19, env=None, expect=7, **options):
        program = source if isinstance(source, pathlib.Path) else build_program(source, compiler, INSTRUMENTED)
        gomp = compiler.startswith("g")
        plain = run_plain(program, *arguments, runtime=runtime, threads=2, env=env)
        path = run_routines(program, *arguments, runtime=runtime, threads=2, gomp=gomp, env=env, **options)
        result = run_routines.result
        status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        assert result.returncode == status == expect, (result.returncode, plain.returncode, result.stderr)
        assert without_times(result.stdout) == without_times(plain.stdout)
        assert path, f"no profile: {result.stderr}"
        assert result.stderr == plain.stderr
        return load_checked(export, path, result.stdout)

    return run


def without_times(stdout):
    """But for what differs from run to run: the program's books, and how many signals came."""
    return re.sub(r"^(span|window|handled) .*\n", "", stdout, flags=re.M)


def notes(loaded, *words):
    """The notes that have one of these words."""
    return [note for note in loaded["run"]["notes"] if any(word in note for word in words)]


def assert_finite(loaded, path_limit=200):
    assert len(loaded.profiles) <= path_limit, len(loaded.profiles)


# ---- no names ----


@each_compiler
def test_stripped_program(run_both, build_program, tmp_path, compiler):
    program = tmp_path / "stripped"
    built = build_program("recursion_mutual.c", compiler, INSTRUMENTED)
    subprocess.run(["strip", "-s", "-o", program, built], check=True)
    loaded = run_both(program, compiler, 1, "sleep", expect=0)
    routines = [entry for entry in loaded.profiles if entry["kind"] == "routine"]
    assert sum(entry["visits"] for entry in routines) == 8 + 6 + 1
    for entry in routines:
        assert entry["name"] is None or entry["name"] not in ("even", "odd", "main")
        assert entry["module"] == "stripped" and int(entry["offset"], 16) > 0
    assert len({entry["offset"] for entry in routines}) == 3
    assert all(entry["file"] is None and entry["line"] is None for entry in routines)


# ---- libraries that come and go ----


@pytest.fixture
def plugins(tmp_path):
    """Two libraries with instrumented routines own_0 and own_1."""
    libraries = []
    for number in range(2):
        library = tmp_path / f"plugin_{number}.so"
        flags = [f"-DNAME=own_{number}", "-shared", "-fPIC", "-finstrument-functions"]
        subprocess.run(compile_command("clang", source_of("bad_plugin.c"), library, flags), check=True)
        libraries.append(library)
    return libraries


@pytest.mark.parametrize("rounds", [1, 20])
def test_unloaded_libraries(run_both, plugins, runtime, rounds):
    """The second library gets the first one's address: routines and regions are told apart all the same."""
    loaded = run_both("bad_dlclose.c", "clang", rounds, *plugins, runtime=runtime)
    mine = [entry for entry in loaded.profiles if entry["kind"] == "routine"
            and entry["name"] not in ("main", "use") and entry["module"] not in ("bad_dlclose", "program")]
    own = {name: loaded.calls(name) for name in ("own_0", "own_1", "plugin")}
    assert sum(entry["visits"] for entry in mine) == rounds * (3 + 4 + 2), (own, loaded.summary())
    assert own == {"own_0": 3 * rounds, "own_1": 4 * rounds, "plugin": 2 * rounds}, loaded["run"]["notes"]
    assert len(notes(loaded, "was unloaded")) == 2
    regions = [entry for entry in loaded.profiles if entry["kind"] == "parallel"]
    assert sum(entry["visits"] for entry in regions) == 2 * rounds + 1
    assert_finite(loaded)


# ---- jumps ----


@each_compiler
@pytest.mark.parametrize("times, levels", [(1, 0), (10, 4), (1000, 50), (100000, 3)])
def test_longjmp_over_routines(run_both, compiler, times, levels):
    loaded = run_both("bad_longjmp.c", compiler, times, levels)
    assert loaded.calls("middle") == loaded.calls("after") == times
    assert loaded.calls("down") == times * (levels + 1)
    arcs = loaded.arcs()
    assert arcs["main", "middle"] == times and arcs["middle", "down"] == times, arcs
    assert arcs["main", "after"] == times, arcs
    assert loaded.calls("main") == 1
    assert notes(loaded, "exit", "left", "jump"), loaded["run"]["notes"]
    assert_finite(loaded)
    assert loaded.path.stat().st_size < 1 << 20


@each_compiler
def test_longjmp_to_a_routine_that_then_returns(run_both, compiler):
    loaded = run_both("bad_longjmp.c", compiler, 100, 10, "middle")
    assert loaded.calls("middle") == loaded.calls("after") == 100 and loaded.calls("down") == 1100
    arcs = loaded.arcs()
    assert arcs["main", "after"] == 100 and arcs["middle", "down"] == 100, arcs
    for name in ("middle", "after", "down"):
        assert sum(entry["elapsed_s"] for entry in loaded.routines(name)) <= loaded["program"]["elapsed_s"]


@each_compiler
@pytest.mark.parametrize("turns", [1, 10, 50000])
def test_jumps_between_routines_that_are_compiled_into_one_another(run_both, compiler, turns):
    loaded = run_both("bad_inlined.c", compiler, turns)
    assert loaded.arcs() == {(None, "main"): 1, ("main", "outer"): 2, ("outer", "middle"): turns,
                             ("middle", "inner"): turns, ("outer", "inner"): turns}
    assert_finite(loaded)


@pytest.mark.parametrize("compiler", ["clang++", "g++"])
@pytest.mark.parametrize("times, levels", [(10, 3), (2000, 20)])
def test_exceptions_through_routines(run_both, build_program, run_routines, tmp_path, compiler, times, levels):
    program = tmp_path / "exceptions"
    command = compile_command(compiler, source_of("bad_exceptions.cpp"), program, INSTRUMENTED)
    subprocess.run(command, check=True, capture_output=True)
    loaded = run_both(program, compiler, times, levels)
    assert f"caught {3 * times}, after {3 * times}" in loaded.stdout
    by_name = {}
    for entry in loaded.profiles:
        if entry["kind"] == "routine" and entry["name"]:
            name = re.sub(r"\(.*", "", entry["name"])
            by_name[name] = by_name.get(name, 0) + entry["visits"]
    assert by_name["thrower"] == by_name["after"] == 3 * times
    assert by_name["down"] == 3 * times * (levels + 1)
    under_main = [e for e in loaded.profiles if e["kind"] == "routine" and (e["name"] or "").startswith("after")]
    for entry in under_main:  # never below what was thrown through
        above = [a["name"] for a in loaded.ancestors(entry) if a["kind"] == "routine"]
        assert not any(name.startswith(("thrower", "down")) for name in above), above
    if compiler == "clang++":
        assert notes(loaded, "exit", "left", "jump"), loaded["run"]["notes"]
    assert_finite(loaded)


# ---- ends ----


@pytest.mark.parametrize("mode, status", [("exit", 9), ("quick", 9), ("abort", 134), ("kill", 137), ("region", 9),
                                          ("thread", 9)])
@each_compiler
def test_end_inside_of_routines(run_both, compiler, mode, status):
    loaded = run_both("bad_exit.c", compiler, mode, expect=status)
    for name in ("a", "b", "c"):
        entry = loaded.routine(name)
        assert entry["visits"] == 1
        assert 0.1 <= entry["elapsed_s"] <= loaded["program"]["elapsed_s"]
    if mode in ("exit", "region", "thread"):
        assert loaded.calls("at_the_end") <= 1
    if mode == "exit":
        assert loaded.calls("at_the_end") == 1


# ---- signals ----


@each_compiler
@pytest.mark.parametrize("arguments", [(500000,), (200000, "team")])
def test_instrumented_signal_handler(run_both, compiler, arguments):
    loaded = run_both("bad_signals.c", compiler, *arguments)
    calls, threads = arguments[0], len(arguments)
    assert loaded.calls("job") == calls * threads
    assert loaded.calls("step") == calls * threads // 1000
    handled = int(re.search(r"handled (\d+)", loaded.stdout)[1])
    assert handled > 20
    for name in ("handler", "helper"):
        assert loaded.calls(name) <= handled
        if loaded.calls(name) < handled:
            assert notes(loaded, "signal"), loaded["run"]["notes"]
        assert loaded.calls(name) >= handled // 4
    assert_finite(loaded, 400)


# ---- threads, processes, coroutines ----


@pytest.mark.parametrize("threads, rounds", [(1, 3), (4, 10), (16, 20)])
def test_threads_without_openmp(run_both, threads, rounds):
    loaded = run_both("bad_threads.c", "clang", threads, rounds)
    assert loaded.calls("body") == loaded.calls("outer") == threads * rounds
    assert loaded.calls("inner") == 10 * threads * rounds
    inner = loaded.routines("inner")
    concurrent = sum(entry["visits_concurrent"] for entry in inner)
    # main waits in pthread_join, in the program's own code as Heddle sees it: it is busy.
    assert concurrent == 10 * threads * rounds
    assert loaded["program"]["threads_ever"] == 1 + threads * rounds
    assert_finite(loaded)


@pytest.mark.parametrize("arguments", [(), ("region",)])
@each_compiler
def test_fork_inside_of_a_routine(run_both, run_routines, export, compiler, arguments):
    loaded = run_both("bad_fork.c", compiler, *arguments)
    assert loaded.calls("before") == 3 + 2 * len(arguments)
    assert loaded.calls("forker") == 1
    assert loaded.calls("in_parent") == 7
    assert loaded.calls("in_child") == 0
    [path] = loaded.path.parent.glob(f"{loaded.path.stem}.*.heddle")  # the child's
    child = export(path)
    assert child.calls("in_child") == 5 and child.calls("in_parent") == 0


@each_compiler
@pytest.mark.parametrize("rounds", [1, 1000, 100000])
def test_coroutines(run_both, compiler, rounds):
    loaded = run_both("bad_coroutines.c", compiler, rounds)
    assert loaded.calls("first") == loaded.calls("second") == 1
    assert loaded.calls("turn") == loaded.calls("swap") == 2 * rounds
    assert_finite(loaded)
    assert loaded.path.stat().st_size < 1 << 20


@pytest.mark.parametrize("mode", ["exits", "enters", "crossed", "null", "twice", "foreign"])
@pytest.mark.parametrize("calls", [1, 1000, 1000000])
def test_unbalanced_hooks(run_both, mode, calls):
    calls = min(calls, 2000) if mode == "foreign" else calls  # a thread for each
    loaded = run_both("bad_hooks.c", "clang", mode, calls)
    if mode in ("exits", "twice", "foreign", "crossed"):
        assert notes(loaded, "entr", "exit"), loaded["run"]["notes"]
    if mode in ("enters", "foreign"):
        assert notes(loaded, "exit", "left"), loaded["run"]["notes"]
    expected = {"exits": (1, 0), "crossed": (calls + 1, calls), "twice": (calls + 1, 0), "null": (1, 0),
                "enters": (calls // 2 + 1, calls - calls // 2), "foreign": (calls + 1, 0)}[mode]
    assert (loaded.calls("a"), loaded.calls("b")) == expected
    assert_finite(loaded, 60)
    if mode != "foreign":  # which has many threads
        assert loaded.path.stat().st_size < 1 << 22
