# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One file of a job, which its ranks make in MPI_Finalize (heddle run --one-file), under Open MPI and MPICH: what is in it, and
that the job ends as it would without, whatever goes wrong."""
import json
import subprocess

import pytest

from conftest import marks

PROGRAM = "mpi_end.c"
LONG = "--one-file=500"  # however busy the machine is
ONE = ("-o", "job.heddle", LONG)
SOON = ("-o", "job.heddle", "--one-file=2")  # where the others never come: it takes so long


def names(folder):
    return sorted(path.name for path in folder.glob("*.heddle*"))


def of_ranks(*ranks):
    return [f"job.rank{rank}.heddle" for rank in ranks]


def own_output(result):
    """The program's. Where ranks gave up waiting, MPICH on UCX tells of their requests on standard output."""
    return "".join(line for line in result.stdout.splitlines(keepends=True) if "UCX  WARN" not in line)


@pytest.fixture
def job_of(run_heddle):
    """job_of(files...) -> what `heddle job` says of them, with places by their text."""

    def load(*files):
        result = run_heddle("job", "--json", "--all-ranks", *files)
        assert result.returncode == 0, result.stderr
        job = json.loads(result.stdout)
        job["places"] = {place["text"]: place for place in job["places"]}
        return job

    return load


@pytest.mark.parametrize("inside", [True, False], ids=["launcher in heddle", "heddle in launcher"])
@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
def test_the_ranks_leave_one_file(run_job, run_heddle, tmp_path, ranks, inside):
    result = run_job(PROGRAM, "well", ranks=ranks, inside=inside, options=ONE)
    assert (result.returncode, result.stdout) == (0, "sum 0\n"), result.stderr
    assert names(tmp_path) == ["job.heddle"], result.stderr
    assert result.stderr.count("heddle: job: job.heddle\n") == 1 and "heddle: more: heddle job job.heddle\n" in result.stderr
    assert "no profile" not in result.stderr
    job = json.loads(run_heddle("job", "--json", tmp_path / "job.heddle").stdout)
    assert [rank["rank"] for rank in job["ranks"]] == list(range(ranks))
    (region,) = [place for place in job["places"] if place["line"] == marks(PROGRAM)["region"]]
    assert region["visits"] == ranks and len(region["seconds"]) == ranks and region["least_s"] > 0.02


def test_one_rank_keeps_its_profile(run_job, export, tmp_path):
    result = run_job(PROGRAM, "well", ranks=1, options=ONE)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle"], result.stderr
    assert export(tmp_path / "job.heddle").visits(marks(PROGRAM)["region"], "parallel") == 1


def scale_of(made, merged, rank):
    """A rank's profile knows its clock's rate a little better when it is closed."""
    at = f"parallel {PROGRAM}:{marks(PROGRAM)['region']} in work"
    return made["places"][at]["seconds"][rank] / merged["places"][at]["seconds"][rank]


def assert_same_place(made, merged, scales):
    assert [made[key] for key in ("visits", "bytes", "kind", "called", "function", "path", "line", "wait")] == \
        [merged[key] for key in ("visits", "bytes", "kind", "called", "function", "path", "line", "wait")]
    expected = [scale * seconds for scale, seconds in zip(scales, merged["seconds"], strict=True)]
    if made["called"] == "MPI_Finalize" or made["kind"] == "program":  # it goes on in the ranks' profiles
        assert all(before <= after * (1 + 1e-12) for before, after in zip(made["seconds"], expected, strict=True))
    else:
        assert made["seconds"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ranks", [3, 4])
def test_it_is_what_merge_makes_of_the_ranks_profiles(run_job, run_heddle, job_of, tmp_path, ranks):
    result = run_job(PROGRAM, "well", ranks=ranks, options=(*ONE, "--rank-files", "--all-ranks"))
    assert names(tmp_path) == ["job.heddle", *of_ranks(*range(ranks))], result.stderr
    profiles = [tmp_path / name for name in of_ranks(*range(ranks))]
    assert run_heddle("merge", "--job", "-q", "--all-ranks", "-o", tmp_path / "merged", *profiles).returncode == 0
    made, merged = job_of(tmp_path / "job.heddle"), job_of(tmp_path / "merged")
    scales = [scale_of(made, merged, rank) for rank in range(ranks)]
    assert scales == pytest.approx([1] * ranks, rel=1e-2)
    assert made["places"].keys() == merged["places"].keys() and len(made["places"]) > 3
    for text, place in made["places"].items():
        assert_same_place(place, merged["places"][text], scales)
    for before, after, scale in zip(made["ranks"], merged["ranks"], scales, strict=True):
        assert [before[key] for key in ("rank", "ranks", "host", "program", "threads", "processors")] == \
            [after[key] for key in ("rank", "ranks", "host", "program", "threads", "processors")]
        assert before["elapsed_s"] < scale * after["elapsed_s"]
        assert before["runtime_s"] == pytest.approx(scale * after["runtime_s"], rel=1e-12)


def test_times_of_each_rank_are_kept_where_they_matter(run_job, run_heddle, tmp_path):
    def short_ones():
        return [place["seconds"] for place in json.loads((tmp_path / "job.heddle").read_text())["places"] if place["most_s"] == 0]

    assert run_job(PROGRAM, "well", options=ONE).returncode == 0
    assert short_ones() == [None]  # MPI_Finalize
    (tmp_path / "job.heddle").unlink()
    assert run_job(PROGRAM, "well", options=(*ONE, "--all-ranks")).returncode == 0
    assert short_ones() == [[0, 0]]
    again = run_heddle("merge", "--job", "-q", "-o", tmp_path / "twice", tmp_path / "job.heddle", tmp_path / "job.heddle")
    assert again.returncode == 0, again.stderr


def test_names(run_job, tmp_path):
    assert run_job(PROGRAM, "well", options=("-q", "-o", "of-%r-%n.heddle", LONG)).stderr == ""
    assert names(tmp_path) == ["of-all-mpi_end.heddle"]
    again = run_job(PROGRAM, "well", options=("-q", "-o", "of-all-mpi_end.heddle", LONG))
    name = tmp_path / "of-all-mpi_end.heddle"
    assert (again.returncode, again.stderr) == (0, f"heddle: {name} exists already and is kept: the file of this job is {name}.1\n")
    assert names(tmp_path) == ["of-all-mpi_end.heddle", "of-all-mpi_end.heddle.1"]


def test_variables_instead_of_options(run_job, tmp_path):
    env = {"HEDDLE_ONE_FILE": "500", "HEDDLE_RANK_FILES": "1", "HEDDLE_ALL_RANKS": "1"}
    result = run_job(PROGRAM, "well", env=env)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle", *of_ranks(0, 1)], result.stderr
    assert all(place["seconds"] for place in json.loads((tmp_path / "job.heddle").read_text())["places"])


def test_all_threads_may_call_mpi(run_job, job_of, tmp_path):
    result = run_job(PROGRAM, "well", 0, "multiple", ranks=3, options=ONE)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle"], result.stderr
    (call,) = [place for text, place in job_of(tmp_path / "job.heddle")["places"].items() if text.startswith("MPI_Sendrecv")]
    assert call["visits"] == 6


def test_what_comes_after_mpi_is_not_in_it(run_job, job_of, tmp_path):
    result = run_job(PROGRAM, "after", ranks=3, options=ONE)
    assert (result.returncode, result.stdout) == (0, "sum 0\n") and names(tmp_path) == ["job.heddle"], result.stderr
    (region,) = [place for place in job_of(tmp_path / "job.heddle")["places"].values() if place["kind"] == "parallel"]
    assert region["visits"] == 3


@pytest.mark.parametrize("options", [ONE, ("-o", "job.heddle")], ids=["one-file", "without"])
def test_no_message_comes_among_those_of_the_program(run_job, options):
    """Rank 1 takes any that there are, when the others have ended."""
    result = run_job(PROGRAM, "takes", 1, ranks=4, options=options)
    assert (result.returncode, result.stdout) == (0, "sum 5\n"), result.stderr


def test_different_programs(run_job, build_program, mpi, job_of, tmp_path):
    other = build_program(PROGRAM, flags=(*mpi.flags(), "-O1"))
    result = run_job(PROGRAM, "well", ":", "-n", 2, other, "well", ranks=1, options=ONE)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle"], result.stderr
    assert [rank["rank"] for rank in job_of(tmp_path / "job.heddle")["ranks"]] == [0, 1, 2]


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)  # MPICH starts no processes where it uses UCX
def test_processes_that_ranks_start_have_a_file_of_their_own(run_job, job_of, tmp_path):
    result = run_job("mpi_spawn.c", 3, ranks=2, options=ONE)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle", "job.heddle.1"], result.stderr
    assert sorted(len(job_of(tmp_path / name)["ranks"]) for name in names(tmp_path)) == [2, 3]


# ---- what goes wrong ----


def test_a_rank_without_heddle_keeps_no_other_waiting(run_job, build_program, mpi, export, tmp_path):
    program = build_program(PROGRAM, flags=mpi.flags())
    result = run_job(PROGRAM, "well", ":", "-n", 1, "env", "-u", "LD_PRELOAD", program, "well", ranks=2, options=SOON)
    assert (result.returncode, own_output(result)) == (0, "sum 0\n"), result.stderr
    assert "heddle: no file of the job: not every rank has come to MPI_Finalize with Heddle within 2 s; each" in result.stderr
    assert names(tmp_path) == of_ranks(0, 1, 2)
    assert all(export(tmp_path / name).visits(marks(PROGRAM)["region"], "parallel") == 1 for name in of_ranks(0, 1, 2))


def test_a_rank_that_nobody_measures(run_job, build_program, mpi, tmp_path):
    program = build_program(PROGRAM, flags=mpi.flags())
    nothing = ("env", "-u", "LD_PRELOAD", "-u", "OMP_TOOL_LIBRARIES", program, "well")
    result = run_job(PROGRAM, "well", ":", "-n", 1, *nothing, ranks=2, options=SOON)
    assert result.returncode == 0 and names(tmp_path) == of_ranks(0, 1), result.stderr


@pytest.mark.parametrize("how", ["abort", "killed"])
def test_a_job_that_dies_leaves_profiles(run_job, job_of, tmp_path, how):
    result = run_job(PROGRAM, how, 1, ranks=3, options=ONE)
    assert result.returncode != 0 and "sum" not in result.stdout
    assert names(tmp_path) == of_ranks(0, 1, 2), result.stderr
    assert len(job_of(*(tmp_path / name for name in names(tmp_path)))["ranks"]) == 3


def test_a_rank_that_leaves_early(run_job, tmp_path):
    """What the launcher makes of it is its own affair."""
    run_job(PROGRAM, "leaves", 1, ranks=3, options=SOON)
    assert names(tmp_path) == of_ranks(0, 1, 2)


def test_a_rank_that_is_too_late(run_job, tmp_path):
    """The others have given up before, and are in MPI's own end; unless they were still later on a busy machine."""
    result = run_job(PROGRAM, "late", 1, ranks=3, options=("-o", "job.heddle", "--one-file=1"))
    assert (result.returncode, own_output(result)) == (0, "sum 0\n"), result.stderr
    if "job.heddle" not in names(tmp_path):
        assert "heddle: no file of the job: " in result.stderr
        assert names(tmp_path) == of_ranks(0, 1, 2)


def test_without_the_command(run_job, tmp_path):
    result = run_job(PROGRAM, "well", ranks=3, options=ONE, between=("env", "HEDDLE_COMMAND=/nonexistent/heddle"))
    assert (result.returncode, result.stdout) == (0, "sum 0\n"), result.stderr
    assert result.stderr.count("no file of the job: 'heddle' could not read the profile of rank 0; each rank keeps") == 1
    assert names(tmp_path) == of_ranks(0, 1, 2)


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
FULL = 'mount -t tmpfs -o size=4k none "$0" && exec "$@"'


@pytest.mark.needs("own-mounts")
@pytest.mark.parametrize("mount,why", [(READ_ONLY, "Read-only file system"), (FULL, "No space left on device")],
                         ids=["read-only", "full"])
def test_rank_0_cannot_write(run_job, tmp_path, mount, why):
    (tmp_path / "out").mkdir()
    result = run_job(PROGRAM, "well", ranks=3, options=("-o", "out/job.heddle", LONG),
                     before=("unshare", "-m", "sh", "-c", mount, tmp_path / "out"))
    assert (result.returncode, result.stdout) == (0, "sum 0\n"), result.stderr
    assert f"no file of the job: {tmp_path}/out/job.heddle: {why}; each rank keeps its profile" in result.stderr
    assert names(tmp_path) == of_ranks(0, 1, 2)  # beside the folder, as without --one-file


REFUSED = [(("--all-ranks",), "go with --one-file"), (("--rank-files",), "go with --one-file"),
           (("--one-file", "--no-mpi"), "what --no-mpi leaves out"), (("--one-file", "--trace"), "needs --rank-files"),
           (("--one-file=0",), "a number of seconds"), (("--one-file=soon",), "a number of seconds")]


@pytest.mark.parametrize("options,why", REFUSED)
def test_options_that_do_not_go_together(run_heddle, options, why):
    refused = run_heddle("run", *options, "--", "/bin/true")
    assert refused.returncode == 2 and why in refused.stderr


def test_without_mpi_it_has_no_effect(run_heddle, tmp_path):
    result = run_heddle("run", "--one-file", "--", "/bin/true", cwd=tmp_path)
    assert result.returncode == 0 and "--one-file has no effect: /bin/true is not known to use" in result.stderr


FORTRAN = """
program ends
  use mpi
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Finalize(error)
end program
"""


def test_fortran(run_job, mpi, job_of, tmp_path):
    (tmp_path / "ends.f90").write_text(FORTRAN)
    subprocess.run([f"mpifort.{mpi.name}", "-g", "ends.f90", "-o", "ends"], check=True, cwd=tmp_path)
    result = run_job(PROGRAM, "well", ":", "-n", 2, tmp_path / "ends", ranks=1, options=ONE)
    assert result.returncode == 0 and names(tmp_path) == ["job.heddle"], result.stderr
