# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool loads and works on libomp 14, 16 and 19, and the program does not notice: same output, same ending."""
import pathlib
import subprocess

import pytest

from conftest import BOOKS, HEDDLE, LIBRARY, build_id, environment_for, libomp_folder, run_plain

ENDINGS = [["return", 0], ["return", 7], ["exit", 3], ["_exit", 5], ["abort"], ["signal", 15], ["signal", 9]]
PROGRAMS = ["counts.c", "names.c", "nested.c", "serialised.c", "tasks.c", "locks.c", "two_initials.c"]


def without_books(output):
    """The lines that do not depend on the clock."""
    return [line for line in output.splitlines() if line.split()[0] not in BOOKS]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: " ".join(map(str, ending)))
def test_program_ends_as_without_heddle(build_program, runtime, tmp_path, ending):
    program = build_program("exits.c")
    plain = run_plain(program, *ending, runtime=runtime, threads=2)
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(tmp_path / "x.heddle"),
            "HEDDLE_STORE_DIR": str(tmp_path)}
    traced = run_plain(program, *ending, runtime=runtime, threads=2, env=tool)
    assert plain.stdout == "sum 499500\n"
    assert (traced.returncode, traced.stdout, traced.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert list(tmp_path.iterdir()), "no profile: the tool was not loaded"


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: " ".join(map(str, ending)))
def test_heddle_run_passes_output_and_status_on(build_program, export, runtime, tmp_path, ending):
    program = build_program("exits.c")
    plain = run_plain(program, *ending, runtime=runtime, threads=2)
    path = tmp_path / "x.heddle"
    command = [HEDDLE, "run", "-o", path, "--", program, *map(str, ending)]
    traced = subprocess.run(command, env=environment_for(runtime, 2), capture_output=True, text=True, timeout=60)
    expected = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    assert (traced.returncode, traced.stdout) == (expected, plain.stdout)
    assert export(path)["run"]["exit"] == expected


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("source", PROGRAMS)
def test_output_is_the_same_and_the_profile_complete(build_program, profile, export, runtime, source, threads):
    program = build_program(source, flags=["-pthread"])
    plain = run_plain(program, 10, runtime=runtime, threads=threads)
    path = profile(program, 10, runtime=runtime, threads=threads)
    assert plain.returncode == profile.result.returncode == 0
    assert without_books(profile.result.stdout) == without_books(plain.stdout)
    assert profile.result.stderr == plain.stderr
    loaded = export(path)
    assert loaded["run"]["complete"] is True
    assert "LLVM" in loaded["run"]["runtime"]
    assert [entry for entry in loaded["profiles"] if entry["kind"] == "parallel" and entry["visits"] > 0]


def test_profile_names_the_file_of_the_runtime_and_its_build(build_program, profile, export, run_heddle, runtime, tmp_path):
    libomp = (libomp_folder(runtime) / "libomp.so.5").resolve()
    path = profile(build_program("counts.c"), 1, runtime=runtime, threads=2)
    run = export(path)["run"]
    assert (run["runtime_path"], run["runtime_build_id"]) == (str(libomp), build_id(libomp))
    line = f"runtime   {run['runtime']}, {libomp}, build-id {build_id(libomp)[:12]}"
    assert line in run_heddle("report", "--verbose", path).stdout.splitlines()
    assert run_heddle("merge", "-o", tmp_path / "sum.heddle", path, path).returncode == 0
    assert line in run_heddle("report", "--verbose", tmp_path / "sum.heddle").stdout.splitlines()


def test_sum_of_runs_on_two_runtimes_says_so(build_program, profile, export, run_heddle, tmp_path):
    paths = [profile(build_program("counts.c"), 1, runtime=version, threads=2) for version in (14, 19)]
    assert run_heddle("merge", "-o", tmp_path / "sum.heddle", *paths).returncode == 0
    run = export(tmp_path / "sum.heddle")["run"]
    assert run["runtime_path"] == str((libomp_folder(14) / "libomp.so.5").resolve())
    assert any("different OpenMP runtimes" in note for note in run["notes"])


def test_clang_19_built_program(build_program, profile, export):
    path = profile(build_program("counts.c", compiler="clang-19"), runtime=19, threads=2)
    assert profile.result.stdout == run_plain(build_program("counts.c", compiler="clang-19"), runtime=19,
                                              threads=2).stdout
    assert export(path)["run"]["complete"] is True


def test_profile_that_cannot_be_moved_is_saved_elsewhere_and_named(build_program, export, runtime):
    program = build_program("counts.c")
    plain = run_plain(program, runtime=runtime, threads=2)
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": "/proc/no/such/place.heddle"}
    traced = run_plain(program, runtime=runtime, threads=2, env=tool)
    assert (traced.returncode, traced.stdout) == (plain.returncode, plain.stdout)
    lines = traced.stderr.splitlines()
    assert len(lines) == 1 and "/proc/no/such/place.heddle" in lines[0]
    kept = pathlib.Path(lines[0].rpartition(" the profile is in ")[2].removesuffix(" instead"))
    try:
        assert export(kept)["run"]["complete"] is True
    finally:
        kept.unlink()
