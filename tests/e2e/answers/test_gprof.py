# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sequential C program under gprof and under Heddle: the same calls, by routine and by arc, and the same order."""
import csv
import io
import re
import shutil
import subprocess

import pytest

from conftest import INSTRUMENTED, TIMEOUT_S, clean_environment

CALLS = {"main": 1, "heavy": 4, "middle": 8, "light": 40, "fib": 1973, "ping": 5, "pong": 5}
ARCS = {("main", "heavy"): 4, ("main", "middle"): 8, ("main", "light"): 8, ("main", "fib"): 1, ("main", "ping"): 1,
        ("heavy", "light"): 8, ("middle", "light"): 24, ("fib", "fib"): 1972, ("ping", "pong"): 5, ("pong", "ping"): 4}
ORDER = ["heavy", "middle", "light"]  # 640, 160 and 40 units; what follows has 5


class Gprof:
    """What gprof says: calls and self time of each routine, and the calls of each arc. Of main it knows no calls."""

    def __init__(self, program, folder):
        subprocess.run([program], cwd=folder, env=clean_environment(), check=True, capture_output=True, timeout=TIMEOUT_S)
        self.calls, self.self_s, self.arcs = {}, {}, {}
        self.read_flat(self.say("-p", program, folder))
        self.read_graph(self.say("-q", program, folder))

    @staticmethod
    def say(what, program, folder):
        return subprocess.run(["gprof", "-b", what, program, folder / "gmon.out"], env=clean_environment(), check=True,
                              capture_output=True, text=True, timeout=TIMEOUT_S).stdout

    def read_flat(self, text):
        """% time, cumulative, self, calls (and two times per call), name."""
        for line in text.splitlines():
            found = re.fullmatch(r"\s*[\d.]+\s+[\d.]+\s+([\d.]+)(?:\s+(\d+)\s+[\d.]+\s+[\d.]+)?\s+(\w+)", line)
            if found:
                self.self_s[found[3]] = float(found[1])
                if found[2]:
                    self.calls[found[3]] = int(found[2])

    def read_graph(self, text):
        """Of each block the routine's own line begins with its [number]; callees follow, each with calls/total calls."""
        for block in re.split(r"^-+$", text, flags=re.M):
            routine = None
            for line in block.splitlines():
                own = re.match(r"\[\d+\].*?([\d+]+)?\s+(\w+|<cycle \d+ as a whole>)( <cycle \d+>)? \[\d+\]$", line)
                if own:
                    routine = own[2]
                    if own[1] and "+" in own[1] and not routine.startswith("<"):
                        self.calls[routine] = sum(map(int, own[1].split("+")))
                    continue
                callee = re.search(r"(\d+)(?:/\d+)?\s+(\w+)( <cycle \d+>)? \[\d+\]$", line)
                if routine and callee and not routine.startswith("<"):
                    self.arcs[routine, callee[2]] = int(callee[1])


@pytest.fixture(scope="module")
def gprof(build_program, tmp_path_factory):
    if not shutil.which("gprof"):
        pytest.skip("no gprof (binutils)")
    program = build_program("gprof_sample.c", "gcc", ["-pg", "-O1", "-fno-openmp"])
    for _ in range(5):  # a sample every 10 ms: on a busy machine too few
        found = Gprof(program, tmp_path_factory.mktemp("gprof"))
        if top(found.self_s) == ORDER:
            break
    return found


def top(own):
    return sorted(own, key=own.get, reverse=True)[:3]


@pytest.fixture(params=["gcc", "clang", "gcc -O2 -pie"])
def profiled(request, build_program, measure_routines):
    compiler, *more = request.param.split()
    program = build_program("gprof_sample.c", compiler, [*INSTRUMENTED, "-fno-openmp", *(more or ["-O1"])])
    return measure_routines(program)


def test_gprof_counts_what_the_program_says(gprof):
    """Else a comparison with gprof says nothing."""
    assert gprof.calls == {name: calls for name, calls in CALLS.items() if name != "main"}
    assert gprof.arcs == ARCS


def test_calls_and_arcs_are_gprofs(gprof, profiled):
    calls = {name: profiled.calls(name) for name in CALLS}
    assert calls == {**gprof.calls, "main": 1}
    arcs = {arc: calls for arc, calls in profiled.arcs().items() if arc != (None, "main")}
    assert arcs == gprof.arcs


def test_order_by_self_time_is_gprofs(gprof, profiled):
    own = {name: sum(entry["busy_s"] for entry in profiled.routines(name)) for name in CALLS}
    assert top(own) == top(gprof.self_s) == ORDER


def rows_of(run_heddle, *arguments):
    result = run_heddle("report", *arguments)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_flat_profile_is_gprofs(gprof, profiled, run_heddle):
    """report --flat sorts by own time."""
    rows = [row for row in rows_of(run_heddle, "--flat", "--csv", "--limit", 0, profiled.path) if row["function"] in CALLS]
    assert sorted((row["function"], int(row["calls"])) for row in rows) == sorted({**gprof.calls, "main": 1}.items())
    assert [row["function"] for row in rows][:3] == ORDER
    own = {name: sum(entry["busy_s"] for entry in profiled.routines(name)) for name in CALLS}
    assert {row["function"]: float(row["self_s"]) for row in rows} == pytest.approx(own, abs=1e-6)


def test_time_from_entry_to_exit_is_once_that_of_the_program(profiled):
    main = profiled.routine("main")
    assert main["elapsed_s"] <= profiled["program"]["elapsed_s"]
    for name in CALLS:
        assert sum(entry["elapsed_s"] for entry in profiled.routines(name)) <= main["elapsed_s"] + 1e-6
    assert sum(entry["busy_s"] for name in CALLS for entry in profiled.routines(name)) == pytest.approx(
        main["elapsed_s"], rel=0.01)


def test_a_program_without_openmp_is_a_single_sequential_thread(profiled):
    assert len(profiled.threads) == 1
    assert len(profiled["program"]["time_at_k_s"]) == 2
    assert {entry["visits_concurrent"] for entry in profiled.profiles if entry["kind"] == "routine"} == {0}
    assert profiled["run"]["complete"] is True and profiled["run"]["exit"] == 0
