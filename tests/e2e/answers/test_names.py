# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of real programs: each construct bears its function and the line of its pragma, whoever compiled it."""
import re
import subprocess

import pytest

from conftest import environment_for, libomp_folder, marks
from test_known_answers import lines_of_constructs


# ---- names ----

NAMES = {
    "parallel": ("in_static_function", "parallel"),
    "critical": ("in_static_function", "critical"),
    "single": ("in_static_function", "single"),
    "barrier": ("in_static_function", "barrier_explicit"),
    "task region": ("with_tasks", "parallel"),
    "master": ("with_tasks", "masked"),
    "task": ("with_tasks", "task"),
    "taskwait": ("with_tasks", "taskwait"),
    "lock region": ("main", "parallel"),
    "lock": ("main", "lock"),
}


def assert_names(loaded, source, expected):
    line = marks(source)
    for mark, (function, kind) in expected.items():
        entry = loaded.one(line[mark], kind)
        assert entry["name"] == function, mark
        assert entry["file"].endswith(source), mark


def test_names_are_the_pragmas_lines(measure, build_program, runtime):
    loaded = measure(build_program("names.c"), runtime=runtime, threads=2)
    loop = "loop_dynamic" if runtime >= 17 else "loop"
    assert_names(loaded, "names.c", {**NAMES, "loop": ("in_static_function", loop)})
    assert lines_of_constructs(loaded) == set(marks("names.c").values())


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3"], ["-O2", "-gdwarf-4"], ["-O2", "-no-pie"]], ids=" ".join)
def test_names_from_clang_19(measure, build_program, flags):
    loaded = measure(build_program("names.c", compiler="clang-19", flags=flags), runtime=19, threads=2)
    assert_names(loaded, "names.c", {**NAMES, "loop": ("in_static_function", "loop_dynamic")})
    assert lines_of_constructs(loaded) == set(marks("names.c").values())


def test_names_of_cplusplus(measure, build_program, runtime):
    loaded = measure(build_program("names.cpp", compiler="clang++"), runtime=runtime, threads=2)
    assert_names(loaded, "names.cpp", {
        "member": ("loom::Shuttle::pass(int)", "parallel"),
        "template": ("double loom::weave<double>(int)", "parallel"),
        "template critical": ("double loom::weave<double>(int)", "critical"),
    })
    assert loaded.one(marks("names.cpp")["lambda"], "parallel")["name"].startswith("loom::tie()::")


INLINED = {"static": "scale", "constructor": "Spool", "lambda taker": "each", "unnamed": "dye"}


def assert_inlined_names(loaded):
    """Each region bears the name and line of the function it is written in, whichever caller that was inlined into."""
    regions = [entry for entry in loaded.profiles if entry["kind"] == "parallel"]
    lines = {line: INLINED[mark] for mark, line in marks("names_inlined.cpp").items()}
    assert len(regions) >= 4 and {entry["line"] for entry in regions} == set(lines)
    for entry in regions:
        assert entry["file"].endswith("names_inlined.cpp")
        assert re.search(rf"(^|[: ]){lines[entry['line']]}\b", entry["name"]), entry["name"]
    assert sum(entry["visits"] for entry in regions) == 7


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3"], ["-O2", "-gdwarf-4"], ["-O2", "-gline-tables-only"],
                                   ["-O2", "-gsplit-dwarf"]], ids=" ".join)
def test_names_of_inlined_cplusplus(measure, build_program, flags):
    program = build_program("names_inlined.cpp", compiler="clang++", flags=flags)
    assert_inlined_names(measure(program, runtime=19, threads=2))


@pytest.mark.parametrize("flags", [["-O0"], ["-O3"], ["-O2", "-gdwarf-4"], ["-O2", "-gsplit-dwarf"]], ids=" ".join)
def test_names_of_inlined_cplusplus_from_gcc(build_program, run_heddle, export, flags, tmp_path):
    path = tmp_path / "gcc.heddle"
    program = build_program("names_inlined.cpp", compiler="g++", flags=flags)
    result = run_heddle("run", "--gomp", "--libomp", libomp_folder(19) / "libomp.so.5", "-o", path, "--", program,
                        env=environment_for(None, threads=2))
    assert result.returncode == 0, result.stderr
    assert_inlined_names(export(path))


PROCEDURES = {"module": "loom::weave", "within": "beat", "submodule": "loom::tie", "submodule's own": "loom::pull", "outside": "spin",
              "program": "cloth", "program's own": "cut"}


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O2", "-gdwarf-4"], ["-O2", "-gsplit-dwarf"]], ids=" ".join)
def test_names_of_fortran_are_the_sources(build_program, run_heddle, export, flags, tmp_path):
    path = tmp_path / "fortran.heddle"
    program = build_program("names.f90", compiler="gfortran", flags=["-finstrument-functions", *flags])
    result = run_heddle("run", "--gomp", "--libomp", libomp_folder(19) / "libomp.so.5", "-o", path, "--", program,
                        env=environment_for(None, threads=2))
    assert (result.returncode, result.stdout) == (0, "10402\n"), result.stderr
    loaded = export(path)
    assert_names(loaded, "names.f90", {mark: (name, "parallel") for mark, name in PROCEDURES.items()})
    assert {entry["name"] for entry in loaded.profiles if entry["kind"] == "routine"} >= {"main", *PROCEDURES.values()}
    assert {entry["name"] for entry in loaded.profiles} <= {"main", "names", *PROCEDURES.values()}


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3"], ["-O2", "-fno-PIE", "-no-pie"]], ids=" ".join)
def test_flangs_regions_lie_on_their_directives(build_program, measure, flags):
    """With -O2 some procedures end in a jump to the runtime; flang knows no name of the main program."""
    loaded = measure(build_program("names.f90", compiler="flang-new-19", flags=flags), runtime=19, threads=2)
    assert loaded.stdout == "10402\n"
    names = {**PROCEDURES, "program": "MAIN__"}
    assert_names(loaded, "names.f90", {mark: (name, "parallel") for mark, name in names.items()})
    assert sum(entry["kind"] == "parallel" for entry in loaded.profiles) == len(names)


def name_by_binutils(program, offset):
    """What addr2line says of the instruction before a return address: (function, line)."""
    command = ["addr2line", "-f", "-e", str(program), hex(int(offset, 16) - 1)]
    function, where = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[:2]
    return function.split("._omp_fn")[0], int(where.split()[0].rpartition(":")[2])


def test_names_of_gcc_built_programs(build_program, run_heddle, export, runtime, tmp_path):
    """GCC's code on libomp's GOMP entry points. What has a function of its own is named by that and must have the pragma's
    line. GCC's line tables place some other constructs a line or two off, so addr2line is asked what they say; of loops and
    singles they may have the line of something else (test_places.py)."""
    path, program = tmp_path / "gcc.heddle", build_program("names.c", compiler="gcc")
    result = run_heddle("run", "--gomp", "--libomp", libomp_folder(runtime) / "libomp.so.5", "-o", path, "--", program,
                        env=environment_for(None, threads=2))
    assert result.returncode == 0 and result.stdout == "done 1\n", result.stderr
    loaded = export(path)
    with_functions = ("parallel", "task region", "lock region", "task")
    assert_names(loaded, "names.c", {mark: NAMES[mark] for mark in ("critical", "lock", *with_functions)})
    regions = [entry for entry in loaded.profiles if entry["kind"] == "parallel"]
    assert [entry["visits"] for entry in regions] == [2, 2, 2]
    located = [entry for entry in loaded.profiles if entry["module"] == "names" and
               entry["kind"] not in ("routine", "parallel", "task")]
    assert len(located) >= 4
    for entry in located:
        name, line = name_by_binutils(program, entry["offset"])
        inside = {"loop": "loop", "loop_dynamic": "loop", "single": "single"}.get(entry["kind"])
        first = marks("names.c")[inside] if inside else line
        assert entry["name"] == name and first <= entry["line"] <= first + (2 if inside else 0), entry
