# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare` of files of MPI jobs: what changed in which places, and why."""
import json
import shutil

import pytest

from conftest import PROGRAMS, marks

PROGRAM = "mpi_scale.c"
UNEVEN_S = 0.3  # as in the program, of two ranks


@pytest.fixture
def jobs(run_job, run_heddle, tmp_path):
    """Files of two jobs of two ranks: even.job, and uneven.job, in which rank 1 has more to do."""
    for how in ("even", "uneven"):
        result = run_job(PROGRAM, how, options=("-q", "-o", f"{how}.heddle"), env={"OMP_NUM_THREADS": "1"})
        assert result.returncode == 0, result.stderr
        ranks = [tmp_path / f"{how}.rank{rank}.heddle" for rank in range(2)]
        assert run_heddle("merge", "-q", "--job", "--all-ranks", "-o", tmp_path / f"{how}.job", *ranks).returncode == 0
    return [tmp_path / "even.job", tmp_path / "uneven.job"]


def compare(run_heddle, *arguments):
    result = run_heddle("compare", "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def region_in(found):
    (place,) = [place for place in found["places"] if place["line"] == marks(PROGRAM)["region"]]
    return place


def test_sides_are_compared_place_by_place(jobs, run_heddle):
    found = compare(run_heddle, *jobs)
    assert found["mode"] == "sides" and [point["label"] for point in found["points"]] == ["even.job", "uneven.job"]
    alone = [json.loads(run_heddle("job", "--json", job).stdout) for job in jobs]
    for point, job in zip(found["points"], alone, strict=True):
        assert point["elapsed_s"] == job["elapsed_s"]
        shares = [rank["processor_share"] for rank in job["ranks"]]
        assert point["processor_share"] == pytest.approx(sum(shares) / 2) and all(0 < share <= 1 for share in shares)
        assert point["efficiency"] == pytest.approx(job["efficiency"]) and point["late_rank"] == job["late_rank"]
    after = found["points"][1]
    assert after["lost_total_s"] == pytest.approx(alone[1]["elapsed_s"] - alone[0]["elapsed_s"])
    assert sum(after["lost_s"].values()) == pytest.approx(after["lost_total_s"])
    even, uneven = region_in(found)["at"]
    assert uneven["most_rank"] == 1 and uneven["most_s"] >= 0.4 + UNEVEN_S and even["mean_s"] >= 0.4
    back = compare(run_heddle, *reversed(jobs))
    assert back["points"][1]["lost_total_s"] == pytest.approx(-after["lost_total_s"])
    for part, seconds in region_in(back)["at"][1]["lost_s"].items():
        assert seconds == pytest.approx(-uneven["lost_s"][part])


def test_text_says_what_changed(jobs, run_heddle):
    text = run_heddle("compare", *jobs).stdout
    assert "at uneven.job" in text and f"parallel {PROGRAM}:{marks(PROGRAM)['region']} in work" in text
    assert "Mean before" in text and "even.job, the baseline" in text and "longer than at even.job" in text
    assert "shorter than at uneven.job" in run_heddle("compare", *reversed(jobs)).stdout


def test_places_of_another_build_are_found_by_function_and_order(jobs, run_job, run_heddle, tmp_path):
    """The same program, some lines further down, as another file would have it."""
    text = (PROGRAMS / "mpi" / PROGRAM).read_text().replace("#include <mpi.h>", "\n\n\n#include <mpi.h>")
    result = run_job(text, "even", options=("-q", "-o", "moved.heddle"), env={"OMP_NUM_THREADS": "1"})
    assert result.returncode == 0, result.stderr
    ranks = [tmp_path / f"moved.rank{rank}.heddle" for rank in range(2)]
    assert run_heddle("merge", "-q", "--job", "--all-ranks", "-o", tmp_path / "moved.job", *ranks).returncode == 0
    found = compare(run_heddle, jobs[0], tmp_path / "moved.job")
    before, after = region_in(found)["at"]
    assert before["mean_s"] >= 0.4 and after["mean_s"] >= 0.4
    texts = [place["text"] for place in found["places"]]
    assert len(texts) == len(json.loads(jobs[0].read_text())["places"]) == found["moved"] + 1  # but what is outside regions
    assert f"{found['moved']} places: the line differs" in run_heddle("compare", jobs[0], tmp_path / "moved.job").stdout
    assert compare(run_heddle, *jobs)["moved"] == 0


def test_repeats_lie_in_directories(jobs, run_heddle, tmp_path):
    for job in jobs:
        (tmp_path / job.stem).mkdir()
        for number in range(3):
            shutil.copy(job, tmp_path / job.stem / f"{number}.job")
    found = compare(run_heddle, tmp_path / "even", tmp_path / "uneven")
    after = found["points"][1]
    assert len(after["seconds"]) == 3 and after["label"] == "uneven"
    assert after["lost_total_interval_s"] == pytest.approx([after["lost_total_s"]] * 2) and after["in_noise"] is False
    alike = compare(run_heddle, tmp_path / "even", jobs[0])  # one run has no noise
    assert alike["points"][1]["in_noise"] is None and alike["points"][1]["lost_total_s"] == 0


def test_threads_without_processors_are_said_and_their_time_is_no_work(jobs, run_heddle):
    """As if the ranks of the second job had had a processor for a tenth of their time: that one has more to do is no
    finding."""
    for job, share in zip(jobs, (1, 0.1), strict=True):
        content = json.loads(job.read_text())
        for rank in content["ranks"]:
            rank["processor_share"] = share
        job.write_text(json.dumps(content))
    found = compare(run_heddle, *jobs)
    assert found["points"][1]["processor_share"] == pytest.approx(0.1)
    assert "work_inflation" not in [finding["cause"] for finding in found["findings"]]
    text = " ".join(run_heddle("compare", *jobs).stdout.split())
    assert "warning at uneven.job, the least, threads had a processor for 10 % of the time they wanted one" in text


def test_files_of_earlier_versions_are_compared(jobs, run_heddle):
    for job in jobs:
        content = json.loads(job.read_text())
        for rank in content["ranks"]:
            del rank["processor_share"]
        for place in content["places"]:
            del place["busy_s"]
        job.write_text(json.dumps(content))
    found = compare(run_heddle, *jobs)
    at = region_in(found)["at"][1]
    assert found["points"][1]["processor_share"] is None
    assert at["busy_s"] is None and at["parts_s"]["openmp"] == 0 and at["parts_s"]["work_inflation"] == pytest.approx(at["mean_s"])


def test_what_is_no_job_is_refused(jobs, run_heddle, tmp_path):
    refusals = {
        ("even.job", "even.rank0.heddle"): "even.rank0.heddle holds no MPI job",
        ("even.rank0.heddle", "even.job"): "even.rank0.heddle holds no MPI job",
        ("even.job", "none.job"): "cannot read",
        ("even.job",): "there is nothing to compare",
        ("even.job", "damaged.job"): "neither a profile nor a file of 'heddle merge --job'",
    }
    (tmp_path / "damaged.job").write_text("{")
    for names, said in refusals.items():
        refused = run_heddle("compare", *(tmp_path / name for name in names))
        assert refused.returncode == 1 and said in refused.stderr and refused.stdout == "", names
        assert len(refused.stderr.splitlines()) == 1, refused.stderr
