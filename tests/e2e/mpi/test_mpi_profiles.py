# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of the ranks of MPI jobs, under Open MPI and MPICH: what each waited in MPI, as its own books say; names."""
import json
import pathlib
import shutil
import subprocess

import pytest

from conftest import TIMEOUT_S, environment_for, marks

PROGRAM = "mpi_waits.c"


class Library:
    """An MPI library: how to compile for it and start with it."""

    def __init__(self, name):
        self.name = name

    def flags(self):
        module = {"openmpi": "ompi-c", "mpich": "mpich"}[self.name]
        found = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True, text=True)
        if found.returncode or not shutil.which(f"mpirun.{self.name}"):
            pytest.skip(f"no {self.name}: run scripts/install-deps --tests")
        return found.stdout.split()

    def launcher(self, ranks):
        return [f"mpirun.{self.name}", "-n", str(ranks)]


# What Open MPI asks for where ranks are more than processors, the user is root, or a sandbox forbids process_vm_readv.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_osc": "^ucx", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request):
    return Library(request.param)


@pytest.fixture
def run_job(heddle, build_program, mpi, tmp_path):
    """run_job(arguments..., ranks=, inside=) -> the finished process. `inside`: `heddle run` starts the launcher; else
    the launcher starts `heddle run` for each rank."""

    def run(*arguments, ranks=2, inside=True, options=("-o", "job.heddle"), source=PROGRAM, env=None):
        program = build_program(source, flags=mpi.flags())
        measured = [heddle, "run", *options, "--"]
        launcher = mpi.launcher(ranks)
        command = [*measured, *launcher] if inside else [*launcher, *measured]
        return subprocess.run([*command, program, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S,
                              cwd=tmp_path, env=environment_for(19, env={**ENVIRONMENT, **(env or {})}))

    return run


def names(folder):
    return sorted(path.name for path in folder.glob("*.heddle*"))


def calls(loaded):
    return [entry for entry in loaded.profiles if entry["kind"] == "mpi"]


def assert_agrees_with_books(loaded, books: pathlib.Path):
    """The profile's waits lie within what the program's clock saw around each call."""
    for line in books.read_text().splitlines():
        kind, ns, count, size = line.split()
        found = [entry for entry in calls(loaded) if kind in entry["wait_s"]]
        assert sum(entry["mpi"]["calls"] for entry in found) == int(count), kind
        assert sum(entry["mpi"]["bytes"] for entry in found) == int(size), kind
        waited, booked = sum(entry["wait_s"][kind] for entry in found), int(ns) / 1e9
        assert 0.98 * booked - 0.05 <= waited <= booked, kind  # on a busy machine another process may run in between
        assert loaded.profiles[0]["wait_inclusive_s"][kind] == pytest.approx(waited)


@pytest.mark.parametrize("inside", [True, False], ids=["launcher in heddle", "heddle in launcher"])
def test_each_rank_has_a_profile_that_agrees_with_its_books(run_job, export, tmp_path, inside):
    result = run_job("regions", inside=inside)
    assert result.returncode == 0, result.stderr
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"], result.stderr
    for rank in range(2):
        loaded = export(tmp_path / f"job.rank{rank}.heddle")
        assert (loaded["run"]["rank"], loaded["run"]["ranks"]) == (rank, 2)
        assert_agrees_with_books(loaded, tmp_path / f"books.{rank}")
    assert result.stderr.count("heddle: profile:") == 1  # one summary for the job


def test_calls_have_their_function_line_and_callers(run_job, export, tmp_path):
    result = run_job("regions")
    assert result.returncode == 0, result.stderr
    loaded, lines = export(tmp_path / "job.rank1.heddle"), marks(PROGRAM)
    late = loaded.one(lines["late sender"] - 1, "mpi")
    assert late["mpi"]["function"] == "MPI_Recv"
    assert late["wait_s"]["mpi_point_to_point"] > 0.28
    assert "main" in [entry["name"] for entry in loaded.ancestors(late) if entry["kind"] == "routine"]
    assert loaded.one(lines["collective"], "mpi")["mpi"]["function"] == "MPI_Allreduce"
    assert sum(entry["visits"] for entry in loaded.all(lines["region"], "parallel")) == 3


def test_ranks_without_openmp_have_profiles(run_job, export, tmp_path):
    result = run_job()
    assert result.returncode == 0, result.stderr
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_waiting_in_mpi_is_found_and_is_not_serial(run_job, run_heddle, export, tmp_path):
    result = run_job("regions")
    assert result.returncode == 0, result.stderr
    path = tmp_path / "job.rank1.heddle"
    report = run_heddle("explain", path).stdout
    assert "waits in MPI" in report and "MPI_Recv" in report, report
    findings = json.loads(run_heddle("explain", "--json", path).stdout)["findings"]
    first = next(finding for finding in findings if finding["cause"] == "mpi-wait")
    assert first["place"]["line"] == marks(PROGRAM)["late sender"] - 1 and first["gain_s"] > 0.28
    assert "who sends late" in first["try"][0]
    sender = json.loads(run_heddle("explain", "--json", tmp_path / "job.rank0.heddle").stdout)["findings"]
    held = next(finding for finding in sender if finding["place"]["line"] == marks(PROGRAM)["late receiver"])
    assert held["gain_s"] > 0.18 and "who receives late" in held["try"][0]
    losses = export(path)["program"]
    assert sum(finding["gain_s"] for finding in findings if finding["cause"] == "serial") < 0.1 * losses["elapsed_s"]


def test_an_aborted_job_leaves_profiles(run_job, export, tmp_path):
    result = run_job("abort")
    assert result.returncode != 0
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"], result.stderr
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_ranks_that_never_finalize_have_profiles(run_job, export, tmp_path):
    run_job("forget")  # what the launcher makes of it is its own affair
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"]
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_it_can_be_left_out(run_job, export, tmp_path):
    result = run_job("regions", options=("--no-mpi", "-o", "job.heddle"))
    assert result.returncode == 0, result.stderr
    assert not calls(export(tmp_path / "job.rank1.heddle"))


def test_results_and_status_are_unchanged(run_job, tmp_path):
    assert run_job("regions", options=("-q", "-o", "job.heddle")).stdout == ""
    assert (tmp_path / "written").read_bytes() == b"fifteen letters" * 2


def test_ranks_side_by_side(run_job, run_heddle, tmp_path):
    result = run_job("regions")
    assert result.returncode == 0, result.stderr
    files = [tmp_path / f"job.rank{rank}.heddle" for rank in (1, 0)]
    job = json.loads(run_heddle("job", "--json", *files).stdout)
    assert [rank["rank"] for rank in job["ranks"]] == [0, 1] and job["late_rank"] == 0
    efficiency = job["efficiency"]
    assert efficiency["mpi"] == pytest.approx(efficiency["balance"] * efficiency["communication"])
    assert efficiency["parallel"] == pytest.approx(efficiency["mpi"] * efficiency["openmp"])
    busy, elapsed = sum(rank["busy_s"] for rank in job["ranks"]), max(rank["elapsed_s"] for rank in job["ranks"])
    assert efficiency["parallel"] == pytest.approx(busy / (4 * elapsed))
    lines = marks(PROGRAM)
    (work,) = [place for place in job["places"] if place["line"] == lines["region"]]
    assert work["most_rank"] == 0 and work["most_s"] - work["least_s"] > 0.35  # 650 ms and 260 ms
    (collective,) = [place for place in job["places"] if place["line"] == lines["collective"]]
    assert (collective["called"], collective["least_rank"], collective["visits"], collective["bytes"]) == \
        ("MPI_Allreduce", 0, 2, 48)
    text = run_heddle("job", *files).stdout
    assert "late      rank 0:" in text and "MPI_Allreduce" in text
    assert "missing   1 of the job's 2 ranks" in run_heddle("job", files[0]).stdout
    assert "several profiles of one rank" in run_heddle("job", *files, files[0]).stdout
    assert "warning" not in text
