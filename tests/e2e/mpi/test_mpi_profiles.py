# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of the ranks of MPI jobs, under Open MPI and MPICH: what each waited in MPI, as its own books say; names."""
import json
import pathlib

import pytest

from conftest import marks
from timed import check_longer_times

PROGRAM = "mpi_waits.c"
BETWEEN_CLOCKS_S = 50e-6  # a call's first event costs a look at the stack


def names(folder):
    return sorted(path.name for path in folder.glob("*.heddle*"))


def calls(loaded):
    return [entry for entry in loaded.profiles if entry["kind"] == "mpi"]


def assert_agrees_with_books(loaded, books: pathlib.Path, least=0):
    """The profile's waits lie within what the program's clock saw around each call; on an idle machine they are nearly all of it."""
    for line in books.read_text().splitlines():
        kind, ns, count, size = line.split()
        found = [entry for entry in calls(loaded) if kind in entry["wait_s"]]
        assert sum(entry["mpi"]["calls"] for entry in found) == int(count), kind
        assert sum(entry["mpi"]["bytes"] for entry in found) == int(size), kind
        waited, booked = sum(entry["wait_s"][kind] for entry in found), int(ns) / 1e9
        assert least * booked - BETWEEN_CLOCKS_S * int(count) <= waited <= booked, kind
        assert loaded.profiles[0]["wait_inclusive_s"][kind] == pytest.approx(waited)


@pytest.mark.parametrize("inside", [True, False], ids=["launcher in heddle", "heddle in launcher"])
def test_each_rank_has_a_profile_that_agrees_with_its_books(run_job, export, tmp_path, inside):
    result = run_job(PROGRAM, "regions", inside=inside)
    assert result.returncode == 0, result.stderr
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"], result.stderr
    for rank in range(2):
        loaded = export(tmp_path / f"job.rank{rank}.heddle")
        assert (loaded["run"]["rank"], loaded["run"]["ranks"]) == (rank, 2)
        assert_agrees_with_books(loaded, tmp_path / f"books.{rank}")
    assert result.stderr.count("heddle: profile:") == 1  # one summary for the job
    assert ("all ranks: heddle job job.rank*.heddle" in result.stderr) == inside


@pytest.mark.timed
def test_waits_are_those_of_the_books(run_job, export, tmp_path):
    """Two ranks of one thread each, so that every one may have a processor."""
    def measure(rounds):
        for path in tmp_path.glob("job*"):
            path.unlink()
        result = run_job(PROGRAM, "regions", rounds, options=("-q", "-o", "job.heddle"), env={"OMP_NUM_THREADS": "1"})
        assert result.returncode == 0, result.stderr
        return rounds, [export(tmp_path / f"job.rank{rank}.heddle") for rank in range(2)]

    def check(measured):
        rounds, ranks = measured
        for rank, loaded in enumerate(ranks):
            assert_agrees_with_books(loaded, tmp_path / f"books.{rank}", 0.98)
        late = ranks[1].one(marks(PROGRAM)["late sender"] - 1, "mpi")
        assert late["wait_s"]["mpi_point_to_point"] > 0.28 * rounds  # of 300 ms

    check_longer_times(measure, check)


def test_calls_have_their_function_line_and_callers(run_job, export, tmp_path):
    result = run_job(PROGRAM, "regions")
    assert result.returncode == 0, result.stderr
    loaded, lines = export(tmp_path / "job.rank1.heddle"), marks(PROGRAM)
    late = loaded.one(lines["late sender"] - 1, "mpi")
    assert late["mpi"]["function"] == "MPI_Recv"
    assert late["wait_s"]["mpi_point_to_point"] > 0
    assert "main" in [entry["name"] for entry in loaded.ancestors(late) if entry["kind"] == "routine"]
    assert loaded.one(lines["collective"], "mpi")["mpi"]["function"] == "MPI_Allreduce"
    assert sum(entry["visits"] for entry in loaded.all(lines["region"], "parallel")) == 3


def test_ranks_without_openmp_have_profiles(run_job, export, tmp_path):
    result = run_job(PROGRAM)
    assert result.returncode == 0, result.stderr
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_waiting_in_mpi_is_found_and_is_not_serial(run_job, run_heddle, export, tmp_path):
    result = run_job(PROGRAM, "regions")
    assert result.returncode == 0, result.stderr
    path = tmp_path / "job.rank1.heddle"
    report = run_heddle("explain", path).stdout
    assert "waits in MPI" in report and "MPI_Recv" in report, report
    findings = json.loads(run_heddle("explain", "--json", path).stdout)["findings"]
    first = next(finding for finding in findings if finding["cause"] == "mpi-wait")
    late = export(path).one(marks(PROGRAM)["late sender"] - 1, "mpi")
    assert first["place"]["line"] == late["line"]
    assert first["gain_s"] == pytest.approx(late["wait_s"]["mpi_point_to_point"])
    assert "heddle job" in first["try"][0] and "MPI_Irecv and MPI_Isend before" in first["try"][1]
    sender = json.loads(run_heddle("explain", "--json", tmp_path / "job.rank0.heddle").stdout)["findings"]
    held = next(finding for finding in sender if finding["place"]["line"] == marks(PROGRAM)["late receiver"])
    assert held["cause"] == "mpi-wait" and "where it is received" in held["try"][1]
    losses = export(path)["program"]
    assert sum(finding["gain_s"] for finding in findings if finding["cause"] == "serial") < 0.1 * losses["elapsed_s"]


def test_an_aborted_job_leaves_profiles(run_job, export, tmp_path):
    result = run_job(PROGRAM, "abort")
    assert result.returncode != 0
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"], result.stderr
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_ranks_that_never_finalize_have_profiles(run_job, export, tmp_path):
    run_job(PROGRAM, "forget")  # what the launcher makes of it is its own affair
    assert names(tmp_path) == ["job.rank0.heddle", "job.rank1.heddle"]
    for rank in range(2):
        assert_agrees_with_books(export(tmp_path / f"job.rank{rank}.heddle"), tmp_path / f"books.{rank}")


def test_it_can_be_left_out(run_job, export, tmp_path):
    result = run_job(PROGRAM, "regions", options=("--no-mpi", "-o", "job.heddle"))
    assert result.returncode == 0, result.stderr
    assert not calls(export(tmp_path / "job.rank1.heddle"))


def test_results_and_status_are_unchanged(run_job, tmp_path):
    assert run_job(PROGRAM, "regions", options=("-q", "-o", "job.heddle")).stdout == ""
    assert (tmp_path / "written").read_bytes() == b"fifteen letters" * 2


def test_doctor_knows_the_library(mpi, build_program, run_heddle):
    program = build_program(PROGRAM, flags=mpi.flags())
    found = [finding for finding in json.loads(run_heddle("doctor", "--json", "--", program).stdout)["findings"]
             if finding["about"] == "MPI"]
    assert [finding["level"] for finding in found] == ["ok"]
    assert found[0]["text"].startswith({"openmpi": "Open MPI", "mpich": "MPICH"}[mpi.name])
