# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many threads: those that live one after the other share rows, so that memory and file grow with the threads that live
at once; and none of their events is lost."""
from conftest import marks

APART = 256  # threads with rows of their own, unless HEDDLE_THREADS_APART says otherwise


def short_threads(measure, build_program, runtime, count, width=1, env=None, **options):
    """All is counted, however much it costs. The program's regions have two threads, whatever OMP_NUM_THREADS says: by that
    libomp sizes its table of threads. libomp 14 frees the table when it grows, though other threads may be reading it: of
    1,200 runs without a tool, with 100 initial threads and a table of 32, seven ended with SIGSEGV in the runtime."""
    loaded = measure(build_program("threads_short.c", flags=("-pthread",)), count, width, runtime=runtime, threads=max(2, width),
                     env={"HEDDLE_OVERHEAD": "off", **(env or {})}, **options)
    assert loaded.stdout == f"{45 * count}\n"
    return loaded


def begun(loaded):
    return sum(thread["threads"] for thread in loaded["threads"])


def check_counts(loaded, count):
    line = marks("threads_short.c")
    regions = loaded.all(line["region"])
    assert sum(entry["visits"] for entry in regions) == count
    assert sum(entry["visits"] for entry in loaded.all(line["loop"])) == 2 * count
    assert loaded["program"]["threads_ever"] == begun(loaded) >= count


def test_rows_do_not_grow_with_the_threads_that_ever_lived(measure, build_program, runtime):
    few = short_threads(measure, build_program, runtime, 2 * APART)
    many = short_threads(measure, build_program, runtime, 3000)
    for loaded, count in ((few, 2 * APART), (many, 3000)):
        check_counts(loaded, count)
        assert len(loaded["threads"]) <= APART + 8  # those that lived at once: one, its worker, and who is just going
    assert abs(many.path.stat().st_size - few.path.stat().st_size) <= 16 * 20000
    assert many["run"]["memory"]["used_bytes"] <= 1.1 * few["run"]["memory"]["used_bytes"]
    assert many["run"]["memory"]["limit_bytes"] <= 1.1 * few["run"]["memory"]["limit_bytes"]


def test_rows_grow_with_the_threads_that_live_at_once(measure, build_program, runtime):
    loaded = short_threads(measure, build_program, runtime, 1000, 50, env={"HEDDLE_THREADS_APART": "10"})
    check_counts(loaded, 1000)
    assert len(loaded["threads"]) <= 10 + 2 * 50 + 60


def test_every_thread_has_rows_of_its_own_when_asked(measure, build_program, runtime):
    loaded = short_threads(measure, build_program, runtime, 400, env={"HEDDLE_THREADS_APART": "100000"})
    check_counts(loaded, 400)
    assert all(thread["threads"] == 1 for thread in loaded["threads"])
    assert len(loaded["threads"]) >= 400


def test_counters_of_short_threads_are_closed_again(measure, build_program, runtime):
    loaded = short_threads(measure, build_program, runtime, 1500, events="task-clock",
                           env={"HEDDLE_THREADS_APART": "4"})
    check_counts(loaded, 1500)
    assert all(thread["counters"]["task-clock"] is not None for thread in loaded["threads"])
    assert not any("not counted" in note for note in loaded["run"]["notes"])


def test_report_says_how_many_threads_a_row_stands_for(measure, run_heddle, build_program):
    loaded = short_threads(measure, build_program, 19, 50, env={"HEDDLE_THREADS_APART": "4"})
    text = run_heddle("report", "--threads", loaded.path).stdout
    assert f"threads   {begun(loaded)} in {len(loaded['threads'])} rows" in text
    shared = [thread for thread in loaded["threads"] if thread["threads"] > 1]
    assert shared
    assert all(f"{thread['kind']} x {thread['threads']}" in text for thread in shared)


def test_merged_profiles_keep_the_number_of_threads(measure, run_heddle, export, build_program, tmp_path):
    loaded = short_threads(measure, build_program, 19, 50, env={"HEDDLE_THREADS_APART": "4"})
    merged = tmp_path / "sum.heddle"
    result = run_heddle("merge", "-o", merged, loaded.path, loaded.path)
    assert result.returncode == 0, result.stderr
    assert [thread["threads"] for thread in export(merged)["threads"]] == [
        thread["threads"] for thread in loaded["threads"]]
