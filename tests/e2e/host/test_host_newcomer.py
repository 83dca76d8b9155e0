# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What somebody does in the first hour: mistyped commands, wrong files, programs that are none, OpenMP that is loaded later.
Each mistake gives a first line with the cause and the cure; the rest works."""
import bz2
import gzip
import json
import lzma
import os
import subprocess
import zipfile

import pytest

from conftest import libomp_folder

REGION = r"""
#include <stdio.h>
int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  printf("threads %d\n", count);
  return 0;
}
"""

WORK = r"""
int work(void);
int work(void) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  return count;
}
"""


@pytest.fixture
def said(run_heddle, tmp_path):
    """said(arguments..., status=) -> the first line on stderr, and that it is alone but for the usage."""

    def run(*arguments, status=1, lines=1, **options):
        result = run_heddle(*arguments, cwd=tmp_path, **options)
        assert result.returncode == status, result.stdout + result.stderr
        first, *more = result.stderr.splitlines()
        assert len(more) == (2 if status == 2 else lines - 1), result.stderr
        return first

    return run


# ---- what is typed ----


@pytest.mark.parametrize("typed, meant", [("reprot", "report"), ("rprot", "report"), ("Run", "run"), ("comapre", "compare"),
                                          ("docter", "doctor"), ("exprot", "export")])
def test_mistyped_command(said, typed, meant):
    assert said(typed, "x", status=2) == f"heddle: '{typed}' is not a command; did you mean {meant}?"


@pytest.mark.parametrize("typed, meant", [("record", "run"), ("annotate", "report --hot --lines"), ("diff", "compare")])
def test_names_of_other_tools_are_translated(said, typed, meant):
    assert said(typed, "x", status=2) == f"heddle: '{typed}' is not a command; here it is heddle {meant}"


def test_no_command_at_all(said, tmp_path):
    assert said(status=2) == "heddle: no command given"
    assert said("qwertyuiop", status=2) == "heddle: 'qwertyuiop' is not a command"
    assert said("x.1.heddle", status=2).endswith("to show a profile: heddle report x.1.heddle")
    (tmp_path / "app").write_text("")
    assert said("./app", status=2).endswith("to run a program: heddle run -- ./app")


@pytest.mark.parametrize("command, typed, words", [
    ("report", "--flt", "did you mean --flat?"),
    ("report", "--tere", "did you mean --tree?"),
    ("events", "--goups", "did you mean --groups?"),
    ("run", "--quite", "did you mean --quiet?"),
    ("run", "--lib", "is ambiguous"),
    ("run", "--completely-different", "is not an option here"),
    ("report", "--limit", "needs an argument"),
    ("report", "--flat=3", "takes no argument"),
])
def test_mistyped_option(said, command, typed, words):
    line = said(command, typed, status=2)
    assert line.startswith(f"heddle {command}: '{typed}' ") and words in line


def test_help_as_a_command(run_heddle):
    for arguments in (("help",), ("--help",), ("-h",)):
        result = run_heddle(*arguments)
        assert result.returncode == 0 and "\n  doctor " in result.stdout and result.stderr == ""
    result = run_heddle("help", "report")
    assert result.returncode == 0 and result.stdout.startswith("Usage: heddle report ")
    assert run_heddle("help", "nothing").returncode == 2


# ---- files that are no profiles ----


def test_report_of_other_files(said, tmp_path):
    text = b"once upon a time\n" * 100
    (tmp_path / "text").write_bytes(text)
    (tmp_path / "a.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.xz").write_bytes(lzma.compress(text))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd" + text)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("text", text)
    (tmp_path / "a.json").write_text(json.dumps({"program": {}}))
    (tmp_path / "script").write_text("#!/bin/sh\n")
    (tmp_path / "empty").write_bytes(b"")
    for file, words in (("text", "not a Heddle profile"), ("a.gz", "gunzip it"), ("a.xz", "unxz it"),
                        ("a.bz2", "bunzip2 it"), ("a.zst", "unzstd it"), ("a.zip", "unzip it"),
                        ("a.json", "reports need the profile"), ("script", "'heddle run -- SCRIPT' writes profiles"),
                        ("/bin/true", "'heddle run -- PROGRAM' writes a profile"), ("empty", "the file is empty"),
                        ("none", "'heddle run -- PROGRAM' writes profiles"), (".", "name a profile in it")):
        line = said("report", file)
        assert line.startswith(f"heddle: {file}: ") and words in line
    assert "gunzip it" in said("export", "--format", "json", "a.gz")
    assert "gunzip it" in said("compare", "a.gz", "a.gz", lines=2)
    assert "gunzip it" in said("merge", "-o", "sum", "a.gz", "a.gz", lines=2)


def test_profiles_of_other_versions_say_so(said, profile, build_program, tmp_path):
    data = bytearray(profile(build_program(REGION), runtime=19).read_bytes())
    for version, words in ((99, "written by a newer Heddle (format 99"), (1, "written by an older Heddle (format 1")):
        data[8:12] = version.to_bytes(4, "little")
        (tmp_path / "other").write_bytes(data)
        assert words in said("report", "other")


# ---- programs that are none ----


def test_programs_that_cannot_run(said, tmp_path):
    (tmp_path / "notes").write_text("no program\n")
    (tmp_path / "a-script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "a-script").chmod(0o755)
    for name, status, words in (("./none", 127, "No such file or directory"),
                                ("no-such-program", 127, "it is not on the PATH; name its file, as in ./no-such-program"),
                                ("a-script", 127, "in this directory it is: ./a-script"),
                                ("./a-script", 127, "does not exist: /no/such/interpreter"),
                                ("./notes", 126, "chmod +x ./notes, if it is a program"),
                                (".", 126, "it is a directory; name the program's file in it")):
        line = said("run", "--", name, status=status)
        assert line.startswith(f"heddle: cannot run '{name}': ") and line.endswith(words), line


def test_missing_library_is_named_with_the_cure(run_heddle, tmp_path):
    subprocess.run(["gcc", "-shared", "-o", tmp_path / "libgone.so", "-x", "c", "-"], input="int gone;", text=True, check=True)
    subprocess.run(["gcc", "-o", tmp_path / "app", "-x", "c", "-", f"-L{tmp_path}", "-lgone"], text=True, check=True,
                   input="extern int gone; int main(void) { return gone; }")
    result = run_heddle("run", "--", "./app", cwd=tmp_path)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("heddle: no profile: ./app cannot start: ") and "does not find libgone.so" in last
    assert "LD_LIBRARY_PATH" in last


def test_program_for_another_machine(run_heddle, tmp_path):
    header = bytearray(b"\x7fELF\x01\x01\x01".ljust(52, b"\0"))  # 32 bits, little endian
    header[16:24] = bytes([2, 0, 3, 0, 1, 0, 0, 0])  # an executable for x86
    header[40] = 52
    (tmp_path / "old").write_bytes(header)
    (tmp_path / "old").chmod(0o755)
    last = run_heddle("run", "--", "./old", cwd=tmp_path).stderr.splitlines()[-1]
    assert last == "heddle: no profile: ./old is a program for x86, 32 bits, not for this machine; build it here"


def test_output_in_a_missing_directory_is_saved_elsewhere(run_heddle, build_program, tmp_path):
    result = run_heddle("run", "-q", "-o", "/no/such/x.heddle", "--", build_program(REGION), cwd=tmp_path,
                        env={"LD_LIBRARY_PATH": str(libomp_folder(19))})
    saved = list(tmp_path.glob("x.heddle*"))
    assert result.returncode == 0 and result.stdout == "threads 2\n" and len(saved) == 1
    assert "/no/such/x.heddle" in result.stderr and str(saved[0]) in result.stderr


# ---- another tool ----

TOOL = r"""
void *ompt_start_tool(unsigned version, const char *runtime);
static int initialize(void *lookup, int device, void *data) { (void)lookup; (void)device; (void)data; return 1; }
static void finalize(void *data) { (void)data; }
void *ompt_start_tool(unsigned version, const char *runtime) {
  static struct { int (*initialize)(void *, int, void *); void (*finalize)(void *); unsigned long data; } tool;
  (void)version; (void)runtime;
  tool.initialize = initialize;
  tool.finalize = finalize;
  return &tool;
}
"""


def no_profile(run_heddle, tmp_path, program, **env):
    result = run_heddle("run", "--", program, cwd=tmp_path, env={"LD_LIBRARY_PATH": str(libomp_folder(19)), **env})
    assert result.returncode == 0 and result.stdout == "threads 2\n" and not list(tmp_path.glob("*.heddle*"))
    return result.stderr


def test_tool_inside_the_program_is_named(run_heddle, build_program, tmp_path):
    stderr = no_profile(run_heddle, tmp_path, build_program(REGION + TOOL))
    assert "another OMPT tool came first, the one in the program itself" in stderr and "link it without" in stderr


def test_tool_loaded_before_is_named(run_heddle, build_program, tmp_path):
    tool = build_program(TOOL, compiler="gcc", flags=["-shared", "-fPIC", "-fno-openmp"])
    for name in (str(tool), os.path.relpath(tool, tmp_path)):
        stderr = no_profile(run_heddle, tmp_path, build_program(REGION), LD_PRELOAD=name)
        assert f"another OMPT tool came first, the one in {name}" in stderr


def test_program_that_came_to_no_region_is_sent_to_the_doctor(run_heddle, build_program, tmp_path):
    program = build_program(WORK + "int main(int argc, char **argv) { return argc > 5 ? work() : 0; }\n", flags=["-O0"])
    result = run_heddle("run", "--", program, cwd=tmp_path, env={"LD_LIBRARY_PATH": str(libomp_folder(19))})
    assert result.returncode == 0 and "ran no OpenMP construct" in result.stderr
    assert f"More: heddle doctor -- {program}\n" in result.stderr
    assert run_heddle("doctor", "--", program, cwd=tmp_path,
                      env={"LD_LIBRARY_PATH": str(libomp_folder(19))}).returncode == 0


# ---- OpenMP that comes later ----


def region_of(export, tmp_path):
    profiles = list(tmp_path.glob("*.heddle"))
    assert len(profiles) == 1, profiles
    return [each for each in export(profiles[0])["profiles"] if each["kind"] == "parallel"][0]


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_extension_of_python_is_profiled(run_heddle, runtime, build_program, export, tmp_path, compiler):
    library = build_program(WORK, compiler=compiler, flags=["-shared", "-fPIC"])
    script = tmp_path / "script.py"
    script.write_text(f"import ctypes\nprint('threads', ctypes.CDLL({str(library)!r}).work())\n")
    gomp = ["--gomp", "--libomp", libomp_folder(runtime) / "libomp.so.5"] if compiler == "gcc" else []
    result = run_heddle("run", "-q", *gomp, "--", "/usr/bin/python3", script, cwd=tmp_path,
                        env={"LD_LIBRARY_PATH": str(libomp_folder(runtime))})
    assert result.returncode == 0 and result.stdout == "threads 2\n", result.stderr
    assert region_of(export, tmp_path)["visits"] == 1


def test_extension_of_python_on_libgomp_offers_gomp(run_heddle, build_program, tmp_path):
    library = build_program(WORK, compiler="gcc", flags=["-shared", "-fPIC"])
    result = run_heddle("run", "--", "/usr/bin/python3", "-c", f"import ctypes; ctypes.CDLL({str(library)!r}).work()",
                        cwd=tmp_path)
    assert result.returncode == 0 and "no profile" in result.stderr and "--gomp" in result.stderr


def test_launcher_of_ranks(run_heddle, build_program, tmp_path):
    launcher = tmp_path / "mpirun"
    launcher.write_text('#!/bin/sh\nfor rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank "$@" & done\nwait\n')
    launcher.chmod(0o755)
    result = run_heddle("run", "-q", "-o", "rank%r.heddle", "--", launcher, build_program(REGION), cwd=tmp_path,
                        env={"LD_LIBRARY_PATH": str(libomp_folder(19))})
    assert result.returncode == 0 and result.stdout == "threads 2\nthreads 2\n", result.stderr
    assert sorted(path.name for path in tmp_path.glob("*.heddle")) == ["rank0.heddle", "rank1.heddle"]


@pytest.mark.parametrize("variables, found", [
    ("SLURM_PROCID=$rank SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2 PMIX_RANK=$rank", {"job.rank0.heddle": 2, "job.rank1.heddle": 2}),
    ("PMIX_RANK=$rank", {"job.rank0.heddle": None, "job.rank1.heddle": None}),
    ("SLURM_PROCID=0 SLURM_NTASKS=2", {"job.heddle": None, "job.heddle.1": None})], ids=["srun", "PMIx", "batch script"])
def test_ranks_of_slurm_and_pmix(run_heddle, export, build_program, tmp_path, variables, found):
    """What srun sets for its tasks, another launcher that speaks PMIx, and sbatch for its script, which is no rank."""
    launcher = tmp_path / "srun"
    launcher.write_text(f'#!/bin/sh\nfor rank in 0 1; do {variables} "$@" & done\nwait\n')
    launcher.chmod(0o755)
    result = run_heddle("run", "-q", "-o", "job.heddle", "--", launcher, build_program(REGION), cwd=tmp_path,
                        env={"LD_LIBRARY_PATH": str(libomp_folder(19))})
    assert result.returncode == 0, result.stderr
    assert {path.name: export(path)["run"]["ranks"] for path in tmp_path.glob("job*")} == found
