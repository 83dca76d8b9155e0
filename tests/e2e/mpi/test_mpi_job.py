# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ranks of a job side by side: who is late, where, and what the others wait for, as the program's own books say; files of jobs."""
import json

import pytest

from conftest import marks
from timed import check_longer_times

PROGRAM = "mpi_job.c"


def books_of(folder, rank):
    """What the rank's regions and its calls of MPI took, in seconds."""
    lines = (line.split() for line in (folder / f"books.{rank}").read_text().splitlines())
    return {what: int(ns) / 1e9 for what, ns in lines}


def place_at(job, line):
    (place,) = [place for place in job["places"] if place["line"] == line]
    return place


def assert_spent(measured, least, booked):
    """Each lies within what the program's clock saw around it."""
    for one, low, high in zip(measured, least, booked, strict=True):
        assert low <= one <= high


def planned_work(ranks, late, how):
    """Seconds that each rank's regions last at least, however busy the machine is."""
    return [3 * (0.2 if rank == late else 0.01 * (rank + 1) if how == "stairs" else 0.02) for rank in range(ranks)]


def waits_of(job, how):
    return place_at(job, marks(PROGRAM)[how if how in ("sender", "receiver") else "collective"])


def assert_has_culprit(job, folder, ranks, late, how):
    books, lines = [books_of(folder, rank) for rank in range(ranks)], marks(PROGRAM)
    assert [rank["rank"] for rank in job["ranks"]] == list(range(ranks))
    assert job["late_rank"] == late
    work = place_at(job, lines["region"])
    assert_spent(work["seconds"], planned_work(ranks, late, how), [book["work"] for book in books])
    assert work["most_rank"] == late and work["most_s"] == max(work["seconds"]) == work["quartiles_s"][4]
    assert work["mean_s"] == pytest.approx(sum(work["seconds"]) / ranks)
    (found,) = [finding for finding in job["findings"] if finding["cause"] == "mpi-imbalance"]
    assert (found["rank"], found["place"]["line"]) == (late, lines["region"])
    outside = [rank["outside_mpi_s"] for rank in job["ranks"]]
    assert found["gain_s"] == pytest.approx(max(outside) - sum(outside) / ranks)
    waits = waits_of(job, how)
    others = [rank for rank in range(ranks) if rank != late]
    assert_spent([waits["seconds"][rank] for rank in others], [0] * len(others), [books[rank]["wait"] for rank in others])
    assert waits["text"] in found["try"][0]  # where the others wait


@pytest.mark.parametrize("how,ranks,late", [("sender", 3, 1), ("receiver", 3, 2), ("collective", 4, 0), ("stairs", 8, 5),
                                            ("hybrid", 3, 1), ("sender", 8, 3)])
def test_the_late_rank_and_its_line_are_found(run_job, run_heddle, tmp_path, how, ranks, late):
    result = run_job(PROGRAM, how, late, ranks=ranks)
    assert result.returncode == 0, result.stderr
    files = [tmp_path / f"job.rank{rank}.heddle" for rank in range(ranks)]
    job = json.loads(run_heddle("job", "--json", *reversed(files)).stdout)
    assert_has_culprit(job, tmp_path, ranks, late, how)
    efficiency = job["efficiency"]
    assert efficiency["mpi"] == pytest.approx(efficiency["balance"] * efficiency["communication"])
    assert efficiency["parallel"] == pytest.approx(efficiency["mpi"] * efficiency["openmp"])
    busy, elapsed = sum(rank["busy_s"] for rank in job["ranks"]), max(rank["elapsed_s"] for rank in job["ranks"])
    assert efficiency["parallel"] == pytest.approx(busy / (2 * ranks * elapsed))
    for rank in job["ranks"]:
        busy_at = rank["busy_at"]
        assert sum(busy_at) / len(busy_at) == pytest.approx(rank["busy_s"] / rank["elapsed_s"], abs=1 / 128)


@pytest.mark.timed
@pytest.mark.parametrize("how", ["sender", "receiver", "collective"])
def test_times_are_those_of_the_books(run_job, run_heddle, tmp_path, how):
    """Two ranks of one thread each, so that every one may have a processor: all but the time between two clocks."""
    def measure(longer):
        for path in tmp_path.glob("job*"):
            path.unlink()
        result = run_job(PROGRAM, how, 1, longer, ranks=2, options=("-q", "-o", "job.heddle"), env={"OMP_NUM_THREADS": "1"})
        assert result.returncode == 0, result.stderr
        job = json.loads(run_heddle("job", "--json", *(tmp_path / f"job.rank{rank}.heddle" for rank in range(2))).stdout)
        return job, [books_of(tmp_path, rank) for rank in range(2)]

    def check(measured):
        job, books = measured
        work = [book["work"] for book in books]
        assert_spent(place_at(job, marks(PROGRAM)["region"])["seconds"], [0.98 * time - 0.001 for time in work], work)
        assert_spent(waits_of(job, how)["seconds"][:1], [0.98 * books[0]["wait"] - 0.001], [books[0]["wait"]])

    check_longer_times(measure, check)


@pytest.fixture
def files(run_job, tmp_path):
    """The profiles of three ranks, of which rank 1 is late."""
    result = run_job(PROGRAM, "collective", 1, ranks=3)
    assert result.returncode == 0, result.stderr
    return [tmp_path / f"job.rank{rank}.heddle" for rank in range(3)]


def test_a_job_is_shown_from_its_file_as_from_its_ranks(files, run_heddle, tmp_path):
    text = run_heddle("job", *files).stdout
    line = marks(PROGRAM)["region"]
    assert f"ranks have unequally much to do, parallel {PROGRAM}:{line} in work" in text
    assert "rank 1 has" in text and "MPI_Allreduce" in text
    merged = run_heddle("merge", "--job", "-o", tmp_path / "all.job", *files)
    assert merged.returncode == 0 and "3 ranks" in merged.stderr
    assert run_heddle("job", tmp_path / "all.job").stdout == text
    explained = run_heddle("explain", tmp_path / "all.job").stdout
    assert text.startswith(explained) and "to gain: ranks have unequally much to do" in explained
    asked = run_heddle("explain", "--what-if", "threads=8", tmp_path / "all.job")
    assert asked.returncode == 1 and "holds a job" in asked.stderr and asked.stdout == ""
    again = run_heddle("merge", "--job", "-o", tmp_path / "all.job", *files)
    assert again.returncode == 1 and "--force" in again.stderr
    (tmp_path / "other.job").write_text('{"heddle": 1}')
    assert "neither a profile nor" in run_heddle("job", tmp_path / "other.job").stderr
    assert "heddle job" in run_heddle("report", tmp_path / "all.job").stderr


def test_a_job_of_ranks_whose_time_is_not_known_has_no_timeline(files, run_heddle, tmp_path):
    job = json.loads(run_heddle("job", "--json", *files).stdout)
    assert "Height: threads of all ranks busy on average, up to 6; .: none" in run_heddle("job", *files).stdout
    job["ranks"][0]["busy_at"][7] = 2.5  # more than it has threads
    for _ in range(2):
        (tmp_path / "old.job").write_text(json.dumps(job))
        shown = run_heddle("job", tmp_path / "old.job")
        assert shown.returncode == 0 and "Height" not in shown.stdout and "rank 2" in shown.stdout
        job["ranks"][0].pop("busy_at", None)


def test_parts_of_a_job_make_the_whole(files, run_heddle, tmp_path):
    whole = run_heddle("job", "--json", "--all-ranks", *files).stdout
    parts = [tmp_path / "one.job", tmp_path / "rest.job"]
    assert run_heddle("merge", "-q", "--job", "--all-ranks", "-o", parts[0], files[2]).returncode == 0
    assert run_heddle("merge", "-q", "--job", "--all-ranks", "-o", parts[1], *files[:2]).returncode == 0
    assert run_heddle("job", "--json", "--all-ranks", *parts).stdout == whole
    assert run_heddle("job", "--json", "--all-ranks", parts[0], *files[:2]).stdout == whole
    assert run_heddle("job", "--rank", 1, *parts).stdout == run_heddle("job", "--rank", 1, *files).stdout
    assert run_heddle("merge", "-q", "--job", "-o", tmp_path / "brief.job", *files).returncode == 0
    brief = json.loads((tmp_path / "brief.job").read_text())
    assert [place["called"] for place in brief["places"] if place["seconds"] is None] == ["MPI_Send"]
    refused = run_heddle("job", tmp_path / "brief.job", files[0])
    assert refused.returncode == 1 and "--all-ranks" in refused.stderr


DAMAGES = [
    lambda job: job.pop("ranks"),
    lambda job: job["ranks"].clear(),
    lambda job: job["ranks"][0].update(threads=0),
    lambda job: job["ranks"][0].update(elapsed_s="long"),
    lambda job: job.pop("places"),
    lambda job: job["places"][0].update(kind="none such"),
    lambda job: job["places"][0].update(wait="none such"),
    lambda job: job["places"][0]["seconds"].append(1.0),
    lambda job: job["places"][0]["quartiles_s"].pop(),
    lambda job: job["places"].append(job["places"][0]),
]


def test_damaged_files_are_refused(files, run_heddle, tmp_path):
    text = run_heddle("job", "--json", "--all-ranks", *files).stdout
    for number, damage in enumerate(DAMAGES):
        job = json.loads(text)
        damage(job)
        (tmp_path / "damaged.job").write_text(json.dumps(job))
        refused = run_heddle("job", tmp_path / "damaged.job")
        assert refused.returncode == 1 and "neither a profile nor a file" in refused.stderr and refused.stdout == "", number


def test_many_files_are_read_side_by_side(files, run_heddle):
    """The same three ranks, forty times: means are the same, sums forty times as large."""
    once = json.loads(run_heddle("job", "--json", "--all-ranks", *files).stdout)
    many = json.loads(run_heddle("job", "--json", "--all-ranks", *(40 * files)).stdout)
    assert len(many["ranks"]) == 120 and many["late_rank"] == 1
    assert many["efficiency"] == pytest.approx(once["efficiency"])
    by_text = {place["text"]: place for place in once["places"]}
    for place in many["places"]:
        before = by_text[place["text"]]
        assert place["mean_s"] == pytest.approx(before["mean_s"]) and place["most_s"] == before["most_s"]
        assert place["visits"] == 40 * before["visits"]
        assert place["seconds"] == [seconds for seconds in before["seconds"] for _ in range(40)]


def test_one_rank_beside_the_others(files, run_heddle):
    text = run_heddle("job", "--rank", 1, "--width", 200, *files).stdout
    first = text.split("Where it differs most\n")[1].splitlines()[0]
    assert "MPI_Allreduce" in first or f"parallel {PROGRAM}" in first
    assert "there is no rank 3 among 3" in run_heddle("job", "--rank", 3, *files).stderr
    assert "not 'one'" in run_heddle("job", "--rank", "one", *files).stderr
    assert run_heddle("job", "--rank", 1, "--json", *files).returncode == 2


def test_what_is_missing_is_said(files, run_heddle):
    assert "missing   2 of the job's 3 ranks" in run_heddle("job", files[0]).stdout
    assert "several profiles of one rank" in run_heddle("job", *files, files[0]).stdout
    assert "missing" not in run_heddle("job", *files).stdout
