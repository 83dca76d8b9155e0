# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that pauses the runtime hard: libomp ends the tool for good, and the profile says so."""

import re

import pytest
from conftest import assert_identities, libomp_folder


@pytest.mark.parametrize("how", [[], ["_exit"]], ids=["exit", "_exit"])
def test_rest_of_the_program_is_missing_and_said_to_be(run_heddle, build_program, export, tmp_path, runtime, how):
    result = run_heddle("run", "-o", tmp_path / "p.heddle", "--", build_program("hard_pause.c"), *how,
                        env={"LD_LIBRARY_PATH": str(libomp_folder(runtime))})
    assert result.returncode == 4, result.stderr
    told = re.fullmatch(r"paused 0, 606, then (\d+)\n", result.stdout)
    assert told, result.stdout
    loaded = export(tmp_path / "p.heddle")
    program = loaded["program"]
    assert_identities(loaded)
    assert sum(entry["visits"] for entry in loaded.profiles if entry["kind"] == "parallel") == 3
    assert loaded["run"]["complete"] is False and loaded["run"]["exit"] == 4
    assert program["unmeasured_s"] >= int(told.group(1)) * 1e-9
    assert program["elapsed_s"] >= program["unmeasured_s"] + 0.02
    assert abs(sum(program["time_at_k_s"]) + program["unmeasured_s"] - program["elapsed_s"]) < 1e-6
    assert program["pauses"] == 0 and program["paused_s"] == 0
    assert any("ended the measurement" in note for note in loaded["run"]["notes"])
    assert "were not measured" in result.stderr


@pytest.fixture(scope="module")
def early(build_program):
    """Flags that link a program with a library whose constructor uses OpenMP: the tool starts before the C library has
    arranged for destructors to be called at exit."""
    library = build_program("uses_openmp.c", flags=["-shared", "-fPIC"])
    return ["-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}"]


def run_early(run_heddle, export, program, path, runtime):
    result = run_heddle("run", "-o", path, "--", program, env={"LD_LIBRARY_PATH": str(libomp_folder(runtime))})
    loaded = export(path)
    assert "constructor 499500\n" in result.stdout and "destructor 499500\n" in result.stdout
    assert_identities(loaded)
    assert loaded["program"]["pauses"] == 0 and loaded["program"]["paused_s"] == 0
    return loaded


def test_end_of_the_program_is_no_early_end(run_heddle, build_program, export, tmp_path, runtime, early):
    """libomp's destructor ends the tool before the handler that Heddle adds at its start is called."""
    program = build_program("void use(const char *); int main(void) { use(\"main\"); return 3; }\n", flags=early)
    loaded = run_early(run_heddle, export, program, tmp_path / "p.heddle", runtime)
    assert loaded["run"]["complete"] is True and loaded["run"]["exit"] == 3
    assert loaded["program"]["unmeasured_s"] == 0
    assert not [note for note in loaded["run"]["notes"] if "ended the measurement" in note]


def test_early_end_is_told_from_the_programs(run_heddle, build_program, export, tmp_path, runtime, early):
    program = build_program("hard_pause.c", flags=early)
    loaded = run_early(run_heddle, export, program, tmp_path / "p.heddle", runtime)
    assert loaded["run"]["complete"] is False and loaded["program"]["unmeasured_s"] >= 0.2
