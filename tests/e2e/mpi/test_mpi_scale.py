# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle scale --ranks`: an MPI job at several numbers of ranks, what did not scale and why, as the program has it."""
import json
import subprocess

import pytest

from conftest import TIMEOUT_S, environment_for, marks
from mpi_jobs import ENVIRONMENT
from timed import check_times

PROGRAM = "mpi_scale.c"
WORK_S, UNEVEN_S, SERIAL_S = 0.8, 0.3, 0.4  # as in the program
PARTS = ["imbalance", "mpi", "openmp", "work_inflation"]


@pytest.fixture
def scan(heddle, build_program, mpi, tmp_path):
    """scan(options..., how=): `heddle scale` of the program, in tmp_path."""

    def run(*options, how="even", ranks="1,2,4", launcher=None, env=None):
        program = build_program(PROGRAM, flags=mpi.flags())
        launcher = launcher or " ".join(mpi.launcher("{ranks}"))
        command = [heddle, "scale", "--ranks", ranks, "--launcher", launcher, "-r", "1", "-o", "scan", *options]
        return subprocess.run([*map(str, command), "--", program, how], capture_output=True, text=True, timeout=TIMEOUT_S,
                              cwd=tmp_path, env=environment_for(19, env={**ENVIRONMENT, "OMP_NUM_THREADS": "1",
                                                                         **(env or {})}))

    return run


def compared(result):
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def place_at(found, mark):
    line = marks(PROGRAM)[mark]
    (place,) = [place for place in found["places"] if place["line"] == line]
    return place


def outside(found):
    (place,) = [place for place in found["places"] if place["kind"] == "program"]
    return place


def assert_adds_up(at, before, ratio):
    assert sum(at["lost_s"].values()) == pytest.approx(at["lost_total_s"], abs=1e-9)
    for part in PARTS:
        assert at["lost_s"][part] == pytest.approx(at["parts_s"][part] - before["parts_s"][part] * ratio, abs=1e-9)


def assert_identities(found):
    first = found["points"][0]
    for index, point in enumerate(found["points"]):
        ratio = first["ranks"] * first["threads"] / (point["ranks"] * point["threads"])
        efficiency = point["efficiency"]
        assert point["speedup"] == pytest.approx(first["elapsed_s"] / point["elapsed_s"])
        assert point["scaling_efficiency"] == pytest.approx(point["speedup"] * ratio)
        assert point["scaling_efficiency"] == pytest.approx(
            efficiency["parallel"] / first["efficiency"]["parallel"] * point["work_efficiency"])
        assert efficiency["parallel"] == pytest.approx(
            efficiency["balance"] * efficiency["communication"] * efficiency["openmp"])
        assert sum(point["parts_s"].values()) == pytest.approx(point["elapsed_s"])
        assert_adds_up(point, first, ratio)
        for place in found["places"]:
            assert_adds_up(place["at"][index], place["at"][0], ratio)


def test_each_number_of_ranks_is_run_and_adds_up(scan, run_heddle, tmp_path):
    result = scan("--json", "-r", "2")
    found = compared(result)
    assert found["mode"] == "scaling"
    assert [(point["ranks"], point["threads"], len(point["seconds"])) for point in found["points"]] == [(1, 1, 2), (2, 1, 2), (4, 1, 2)]
    assert_identities(found)
    region = place_at(found, "region")
    assert [at["visits"] for at in region["at"]] == [1, 2, 4]
    for at, ranks in zip(region["at"], (1, 2, 4), strict=True):
        assert at["mean_s"] >= WORK_S / ranks and at["busy_s"] >= WORK_S
    assert place_at(found, "collective")["called"] == "MPI_Allreduce"
    names = sorted(path.name for path in (tmp_path / "scan").glob("n*"))
    assert names == sorted(f"n{ranks}.t1.r{run}{ending}" for ranks in (1, 2, 4) for run in (1, 2) for ending in (".job", ".out"))
    job = json.loads(run_heddle("job", "--json", tmp_path / "scan" / "n4.t1.r1.job").stdout)
    assert [rank["rank"] for rank in job["ranks"]] == [0, 1, 2, 3]
    assert job["elapsed_s"] == found["points"][2]["seconds"][0]
    again = scan("--json", "-r", "2")  # nothing is run again
    assert again.stdout == result.stdout and "all runs are in scan" in again.stderr


def test_an_imbalance_that_grows_with_the_ranks(scan):
    found = compared(scan("--json", how="uneven"))
    assert_identities(found)
    region, line = place_at(found, "region"), marks(PROGRAM)["region"]
    for at, ranks in zip(region["at"], (1, 2, 4), strict=True):
        assert at["most_s"] >= WORK_S / ranks + UNEVEN_S * (ranks - 1)
        assert at["most_rank"] == ranks - 1
    (finding,) = [finding for finding in found["findings"] if finding["place"]["line"] == line]
    assert finding["cause"] == region["at"][2]["main_cause"] == "imbalance"
    assert finding["gain_s"] == region["at"][2]["lost_s"]["imbalance"]
    assert found["points"][2]["late_rank"] == 3 and "rank 3" in finding["evidence"]


def test_a_serial_part_on_each_rank(scan):
    found = compared(scan("--json", how="serial"))
    assert_identities(found)
    place = outside(found)
    for at, ranks in zip(place["at"], (1, 2, 4), strict=True):
        assert at["mean_s"] >= SERIAL_S and at["busy_s"] >= ranks * SERIAL_S
        assert at["parts_s"]["work_inflation"] >= SERIAL_S
    assert place["at"][2]["main_cause"] == "work_inflation"
    causes = [finding["cause"] for finding in found["findings"] if finding["place"]["kind"] == "program"]
    lacked = min(point["processor_share"] for point in found["points"]) < 0.95  # then only a part of it counts
    assert causes == ["work_inflation"] or (lacked and causes == [])


def test_with_threads_each_combination_is_run(scan):
    found = compared(scan("--json", "-t", "1,2", how="serial", ranks="1,2"))
    assert [(point["ranks"], point["threads"]) for point in found["points"]] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert_identities(found)
    at = outside(found)["at"][1]  # of two threads one has no work while the other sleeps outside of regions
    # but for busy time's whole microseconds, of some callpaths
    assert at["parts_s"]["openmp"] == pytest.approx(at["parts_s"]["work_inflation"], abs=1e-5) and at["main_cause"] == "openmp"
    assert "2 ranks with 2 threads" in scan("-t", "1,2", how="serial", ranks="1,2").stdout


def test_ranks_that_never_call_mpi_are_alone(scan):
    text = scan(how="alone", ranks="1,2").stdout
    assert "at 2 ranks no rank calls MPI: each is alone, and does all the work" in text


def test_text_says_what_did_not_scale(scan, run_heddle, tmp_path):
    result = scan(how="uneven", ranks="1,4")
    text = result.stdout
    line = marks(PROGRAM)["region"]
    assert "heddle: 2 runs, kept in scan" in result.stderr
    assert f"to gain: ranks have unequally much to do, parallel {PROGRAM}:{line} in work" in " ".join(text.split())
    assert "Efficiencies" in text and "Mean(1)" in text and "Mean(4)" in text
    assert run_heddle("compare", tmp_path / "scan").stdout == text
    markdown = run_heddle("compare", "--markdown", tmp_path / "scan").stdout
    assert "| Parallel% | MPI% |" in markdown
    refused = run_heddle("compare", "--csv", tmp_path / "scan")
    assert refused.returncode == 1 and "--json, --markdown and --limit" in refused.stderr and refused.stdout == ""


@pytest.mark.parametrize("options,said", [
    (("--launcher", "mpirun -n 4"), "does not say {ranks}"),
    (("--no-mpi",), "leave --no-mpi out"),
    (("--param", "N=1,2"), "either --ranks or --param"),
    (("--csv",), "--json, --markdown and --limit"),
    (("--ranks", "none"), "numbers from 1"),
])
def test_nonsense_is_refused_in_one_line(scan, options, said):
    result = scan(*options)
    assert result.returncode == 2 and said in result.stderr.splitlines()[0] and result.stdout == ""


def test_a_launcher_alone_is_refused(run_heddle):
    result = run_heddle("scale", "--launcher", "mpirun -n {ranks}", "--", "true")
    assert result.returncode == 2 and "--launcher goes with --ranks" in result.stderr


def test_ranks_that_cannot_be_started(scan, mpi):
    missing = scan(launcher="no-such-launcher -n {ranks}", ranks="1,2")
    assert missing.returncode == 1 and "no-such-launcher: No such file or directory" in missing.stderr
    assert "n1.t1.r1 failed" in missing.stderr
    refused = scan(launcher=f"mpirun.{mpi.name} --no-such-option -n {{ranks}}", ranks="1,2")
    assert refused.returncode == 1 and "no-such-option" in refused.stderr.split("the end of its output")[1]


def test_another_launcher_is_another_scan(scan):
    assert scan(ranks="1,2").returncode == 0
    other = scan(launcher="env X={ranks}", ranks="1,2")
    assert other.returncode == 1 and "launcher" in other.stderr
    few = scan("--start-over", launcher="env X={ranks}", ranks="2")
    assert few.returncode == 1 and "it left 1 profile, not one of each of 2 ranks" in few.stderr


def regions_of(output):
    return [int(line.split()[1]) / 1e9 for line in output.splitlines() if line.startswith("work ")]


@pytest.mark.timed
@pytest.mark.parametrize("how", ["even", "uneven", "whole"])
def test_losses_are_those_of_the_books(scan, tmp_path, how):
    """What the region lost at two ranks, from the program's own clock: nothing, half of what one rank has more, or half of
    the work."""
    def measure():
        found = compared(scan("--json", "--start-over", how=how, ranks="1,2"))
        return found, [regions_of((tmp_path / "scan" / f"n{ranks}.t1.r1.out").read_text()) for ranks in (1, 2)]

    def check(measured):
        found, ((whole,), parts) = measured
        lost = place_at(found, "region")["at"][1]["lost_s"]
        expected = {"imbalance": (max(parts) - min(parts)) / 2, "mpi": 0, "openmp": 0, "work_inflation": (sum(parts) - whole) / 2}
        for part in PARTS:
            assert lost[part] == pytest.approx(expected[part], abs=0.02 * whole), part
        causes = [finding["cause"] for finding in found["findings"] if finding["place"]["line"] == marks(PROGRAM)["region"]]
        assert len(causes) == (how != "even") and (how != "whole" or causes == ["work_inflation"])

    check_times(measure, check)
