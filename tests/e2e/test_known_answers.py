# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose answers are known: counts exactly, times within 1 %. The arithmetic is in each program's head comment.

Times are compared with the program's own books (programs/spin.h), kept by the same clock.
"""
import pytest

from conftest import assert_close, check_times, marks, wait_of, wait_of_thread

THREADS = (1, 2, 4)
threads_1_2_4 = pytest.mark.parametrize("threads", THREADS)


def row_of(entry, thread):
    return next(row for row in entry["threads"] if row["thread"] == thread)


def assert_team_numbers(entry, elapsed, busy, threads, what):
    """elapsed, mean concurrency, imbalance, potential gain of one region from the busy times of its threads."""
    assert_close(entry["elapsed_s"], elapsed, f"{what} elapsed")
    assert_close(entry["mean_concurrency"], sum(busy) / elapsed, f"{what} mean concurrency")
    assert_close(entry["imbalance"], threads * max(busy) / sum(busy), f"{what} imbalance")
    assert_close(entry["potential_gain_s"], elapsed - sum(busy) / threads, f"{what} potential gain", scale=elapsed)


# ---- counts ----


@threads_1_2_4
def test_visits_of_nested_constructs_are_exact(measure, build_program, runtime, threads):
    repeat, line = 10, marks("counts.c")
    loaded = measure(build_program("counts.c"), repeat, runtime=runtime, threads=threads)
    tells = runtime >= 17  # older ones do not tell a loop's schedule
    per_thread = {
        ("static", "loop_static" if tells else "loop"): 3,
        ("dynamic", "loop_dynamic" if tells else "loop"): 2,
        ("guided", "loop_guided" if tells else "loop"): 2,
        ("sections", "sections"): 1,
        ("single", "single"): 1,
        ("critical", "critical"): 5,
        ("barrier", "barrier_explicit"): 1,
    }
    for region, instances in (("first", repeat), ("second", 2 * repeat)):
        entry = loaded.one(line[region], "parallel")
        assert entry["visits"] == instances
        assert entry["team_size"] == {"min": threads, "max": threads}
        assert [row["visits"] for row in entry["threads"]] == [instances] * threads
        for (mark, kind), times in per_thread.items():
            inner = loaded.one(line[mark], kind, below=line[region])
            assert inner["visits"] == times * instances * threads, mark
            assert [row["visits"] for row in inner["threads"]] == [times * instances] * threads, mark
    assert len(loaded.profiles) == len({entry["id"] for entry in loaded.profiles})


@threads_1_2_4
def test_visits_do_not_depend_on_how_often_the_program_is_run(measure, build_program, threads):
    """The same counts from a program built by clang 19 on the installed libomp."""
    line = marks("counts.c")
    loaded = measure(build_program("counts.c", compiler="clang-19"), 7, runtime=19, threads=threads)
    assert loaded.one(line["second"], "parallel")["visits"] == 14
    assert loaded.one(line["static"], "loop_static", below=line["second"])["visits"] == 3 * 14 * threads
    assert loaded.one(line["dynamic"], "loop_dynamic", below=line["second"])["visits"] == 2 * 14 * threads


# ---- times ----


@threads_1_2_4
def test_threads_that_spin(measure, build_program, runtime, threads):
    line = marks("spin_threads.c")["region"]

    def check(loaded):
        region = loaded.one(line, "parallel")
        assert region["visits"] == 4
        for i in range(threads):
            assert_close(row_of(region, i)["busy_s"], loaded.spun[i], f"busy of thread {i}")
            assert_close(wait_of(row_of(region, i), "barrier_implicit"), loaded.waited[i] if i + 1 < threads else 0,
                         f"wait of thread {i}", scale=loaded.elapsed[0])
        assert_close(region["busy_s"], sum(loaded.spun), "busy")
        assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")

    check_times(lambda: measure(build_program("spin_threads.c"), 50, 4, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_loop_owns_the_wait_at_its_barrier(measure, build_program, runtime, threads):
    line = marks("spin_loop.c")

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        loop = loaded.one(line["loop"])
        assert loop["parent"] == region["id"] and loop["visits"] == threads
        for i in range(threads):
            assert_close(row_of(loop, i)["busy_s"], loaded.spun[i], f"busy of thread {i}")
            assert_close(wait_of(row_of(loop, i), "barrier_implicit"), loaded.waited[i] if i + 1 < threads else 0,
                         f"wait of thread {i}", scale=loaded.elapsed[0])
        assert_close(wait_of(region, "barrier_implicit"), 0, "wait at the region's end", scale=loaded.elapsed[0])
        assert_close(region["busy_inclusive_s"], sum(loaded.spun), "inclusive busy time of the region")
        assert_close(loop["imbalance"], threads * max(loaded.spun) / sum(loaded.spun), "imbalance of the loop")
        assert_close(loop["potential_gain_s"], max(loaded.spun) - sum(loaded.spun) / threads, "gain of the loop",
                     scale=loaded.elapsed[0])
        assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")

    check_times(lambda: measure(build_program("spin_loop.c"), 100, runtime=runtime, threads=threads), check)


def check_exclusive_section(loaded, region_line, inner_line, kind, cause, threads):
    """One thread at a time (critical, lock, ordered): waiting to get in."""
    region = loaded.one(region_line, "parallel")
    inner = loaded.one(inner_line, kind)
    assert inner["visits"] == threads
    assert_close(wait_of(inner, cause), sum(loaded.blocked) if threads > 1 else 0, f"waiting for the {kind}",
                 scale=loaded.elapsed[0])
    for i in range(threads):
        assert_close(wait_of_thread(inner, i, cause), loaded.blocked[i] if loaded.blocked[i] > 0.01 else 0,
                     f"waiting of thread {i}", scale=loaded.elapsed[0])
    assert_close(region["busy_inclusive_s"], sum(loaded.spun), "inclusive busy time")
    assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")
    return region, inner


@threads_1_2_4
def test_critical_section_held_for_a_known_time(measure, build_program, runtime, threads):
    line = marks("critical_hold.c")

    def check(loaded):
        region, critical = check_exclusive_section(loaded, line["region"], line["critical"], "critical", "critical",
                                                   threads)
        assert_close(critical["busy_s"], sum(loaded.spun), "busy inside")
        assert_close(wait_of(region, "barrier_implicit"), sum(loaded.waited) if threads > 1 else 0, "wait at the end",
                     scale=loaded.elapsed[0])

    check_times(lambda: measure(build_program("critical_hold.c"), 100, runtime=runtime, threads=threads), check)


@threads_1_2_4
@pytest.mark.parametrize("nest", [False, True], ids=["lock", "nest_lock"])
def test_lock_held_for_a_known_time(measure, build_program, runtime, threads, nest):
    line = marks("locks.c")

    def check(loaded):
        check_exclusive_section(loaded, line["region"], line["nest" if nest else "lock"], "lock", "lock", threads)
        outside = loaded.one(line["outside"], "lock")
        assert outside["parent"] == 0 and outside["visits"] == 1
        if nest:  # a nestable lock that the thread has already: never waits
            for entry in loaded.all(line["again"]):
                assert_close(wait_of(entry, "lock"), 0, "second time", scale=loaded.elapsed[0])

    arguments = [100, "nest"] if nest else [100]
    check_times(lambda: measure(build_program("locks.c"), *arguments, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_ordered_sections_wait_for_their_turn(measure, build_program, runtime, threads):
    line = marks("ordered.c")

    def check(loaded):
        _, ordered = check_exclusive_section(loaded, line["region"], line["ordered"], "ordered", "ordered", threads)
        loop = loaded.one(line["loop"])
        assert ordered["parent"] == loop["id"]
        assert_close(ordered["busy_s"], sum(loaded.spun), "busy inside")
        assert_close(wait_of(loop, "barrier_implicit"), sum(loaded.waited) if threads > 1 else 0, "wait at the end",
                     scale=loaded.elapsed[0])

    check_times(lambda: measure(build_program("ordered.c"), 100, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_explicit_barrier_has_a_wait_of_its_own(measure, build_program, runtime, threads):
    line = marks("barrier_explicit.c")

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        barrier = loaded.one(line["barrier"], "barrier_explicit")
        assert barrier["parent"] == region["id"] and barrier["visits"] == threads
        for i in range(threads):
            blocked = loaded.blocked[i] if i + 1 < threads else 0
            assert_close(wait_of_thread(barrier, i, "barrier_explicit"), blocked, f"explicit wait of thread {i}",
                         scale=loaded.elapsed[0])
            waited = loaded.waited[i] if i > 0 else 0
            assert_close(wait_of_thread(region, i, "barrier_implicit"), waited, f"implicit wait of thread {i}",
                         scale=loaded.elapsed[0])
        assert_close(region["busy_s"], sum(loaded.spun), "busy")
        assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")

    check_times(lambda: measure(build_program("barrier_explicit.c"), 50, runtime=runtime, threads=threads), check)


@threads_1_2_4
@pytest.mark.parametrize("kind", ["single", "sections"])
def test_single_and_sections(measure, build_program, runtime, threads, kind):
    line = marks(f"{kind}.c")

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        construct = loaded.one(line["construct"], kind)
        assert construct["parent"] == region["id"] and construct["visits"] == threads
        assert_close(construct["busy_s"], sum(loaded.spun), "busy")
        assert_close(wait_of(construct, "barrier_implicit"), sum(loaded.waited) if threads > 1 else 0, "wait",
                     scale=loaded.elapsed[0])
        assert_close(construct["imbalance"], threads * max(loaded.spun) / sum(loaded.spun), "imbalance")
        assert_close(construct["potential_gain_s"], max(loaded.spun) - sum(loaded.spun) / threads, "potential gain",
                     scale=loaded.elapsed[0])
        assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")

    check_times(lambda: measure(build_program(f"{kind}.c"), 100, runtime=runtime, threads=threads), check)


@threads_1_2_4
@pytest.mark.parametrize("where", ["taskwait", "barrier"])
def test_tasks_inside_waits_are_work(measure, build_program, runtime, threads, where):
    line = marks("tasks.c")

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        task = loaded.one(line["task"], "task")
        assert task["visits"] == 12
        for i in range(threads):
            busy = next((row["busy_s"] for row in task["threads"] if row["thread"] == i), 0.0)
            assert_close(busy, loaded.spun[i], f"busy of thread {i}", scale=loaded.elapsed[0])
        assert_close(task["busy_s"], sum(loaded.spun), "busy in tasks")
        assert sum(task["wait_s"].values()) < 0.01 * loaded.elapsed[0]
        lost = threads * loaded.elapsed[0] - sum(loaded.spun)
        waits = sum(sum(entry["wait_s"].values()) for entry in loaded.profiles
                    if entry is region or region in loaded.ancestors(entry))
        assert waits <= lost + 0.01 * loaded.elapsed[0]
        assert_team_numbers(region, loaded.elapsed[0], loaded.spun, threads, "region")

    arguments = [25, "taskwait"] if where == "taskwait" else [25]
    check_times(lambda: measure(build_program("tasks.c"), *arguments, runtime=runtime, threads=threads), check)


def test_taskwait_and_taskgroup_wait_for_another_threads_task(measure, build_program, runtime):
    line = marks("taskwait_one.c")

    def check(loaded):
        for i, (kind, task) in enumerate((("taskwait", "task"), ("taskgroup", "second task"))):
            entry = loaded.one(line[kind], kind)
            assert entry["visits"] == 1
            assert_close(wait_of(entry, kind), loaded.blocked[i], f"waiting in the {kind}")
            assert loaded.one(line[task], "task")["visits"] == 1
            assert_close(loaded.one(line[task], "task")["busy_s"], loaded.spun[1] / 2, f"task of the {kind}")

    check_times(lambda: measure(build_program("taskwait_one.c"), 100, runtime=runtime, threads=2), check)


def test_nested_regions(measure, build_program, runtime):
    line = marks("nested.c")

    def check(loaded):
        outer = loaded.one(line["outer"], "parallel")
        inner = loaded.one(line["inner"], "parallel")
        assert inner["parent"] == outer["id"]
        assert (outer["visits"], inner["visits"]) == (1, 2)
        assert inner["team_size"] == {"min": 2, "max": 2}
        assert len(loaded.threads) == 4
        assert_close(inner["busy_s"], sum(loaded.spun), "busy of the inner regions")
        assert_close(wait_of(inner, "barrier_implicit"), loaded.waited[0] + loaded.waited[2], "wait of the inner regions")
        assert_close(inner["elapsed_s"], sum(loaded.elapsed), "elapsed of the inner regions")
        assert_close(inner["potential_gain_s"], sum(loaded.elapsed) - sum(loaded.spun) / 2, "gain")

    check_times(lambda: measure(build_program("nested.c"), 100, runtime=runtime, threads=4), check)


def test_serialised_regions(measure, build_program, runtime):
    line = marks("serialised.c")

    def check(loaded):
        outer = loaded.one(line["outer"], "parallel")
        inner = loaded.one(line["inner"], "parallel")
        assert inner["parent"] == outer["id"] and outer["parent"] == 0
        assert (outer["visits"], inner["visits"]) == (3, 3)
        assert outer["team_size"] == inner["team_size"] == {"min": 1, "max": 1}
        assert_close(outer["busy_s"], loaded.spun[0], "busy of the outer region")
        assert_close(inner["busy_s"], loaded.spun[1], "busy of the inner region")
        assert_close(outer["elapsed_s"], sum(loaded.spun), "elapsed of the outer region")
        assert_close(inner["mean_concurrency"], 1, "mean concurrency")
        assert_close(outer["potential_gain_s"], 0, "gain", scale=outer["elapsed_s"])

    check_times(lambda: measure(build_program("serialised.c"), 50, runtime=runtime, threads=2), check)


def test_two_threads_that_open_regions(measure, build_program, runtime):
    line = marks("two_initials.c")

    def check(loaded):
        assert len(loaded.threads) == 4
        for team, mark in enumerate(("main", "pthread")):
            region = loaded.one(line[mark], "parallel")
            spun = loaded.spun[2 * team : 2 * team + 2]
            assert region["visits"] == 3 and len(region["threads"]) == 2
            assert_close(region["busy_s"], sum(spun), f"busy of {mark}")
            assert_close(wait_of(region, "barrier_implicit"), loaded.waited[2 * team], f"wait of {mark}")
            assert_team_numbers(region, loaded.elapsed[team], spun, 2, mark)

    check_times(lambda: measure(build_program("two_initials.c", flags=["-pthread"]), 100, 3, runtime=runtime,
                                threads=4), check)


def test_program_totals(measure, build_program, runtime):
    """The program's elapsed time, its serial part and its busy time are those of its threads."""

    def check(loaded):
        program = loaded["program"]
        assert program["elapsed_s"] >= loaded.elapsed[0]
        assert_close(program["busy_s"], sum(thread["busy_s"] for thread in loaded.threads), "busy")
        assert_close(program["mean_concurrency"], program["busy_s"] / program["elapsed_s"], "mean concurrency")
        regions = sum(entry["elapsed_s"] for entry in loaded.profiles if entry["kind"] == "parallel")
        assert_close(program["serial_s"], program["elapsed_s"] - regions, "serial", scale=program["elapsed_s"])

    check_times(lambda: measure(build_program("spin_threads.c"), 50, 4, runtime=runtime, threads=2), check)


# ---- names ----

NAMES = {
    "parallel": ("in_static_function", "parallel"),
    "critical": ("in_static_function", "critical"),
    "single": ("in_static_function", "single"),
    "barrier": ("in_static_function", "barrier_explicit"),
    "task region": ("with_tasks", "parallel"),
    "task": ("with_tasks", "task"),
    "taskwait": ("with_tasks", "taskwait"),
    "lock region": ("main", "parallel"),
    "lock": ("main", "lock"),
}


def assert_names(loaded, source, expected):
    line = marks(source)
    for mark, (function, kind) in expected.items():
        entry = loaded.one(line[mark], kind)
        assert entry["name"] == function, mark
        assert entry["file"].endswith(source), mark


def test_names_are_the_pragmas_lines(measure, build_program, runtime):
    loaded = measure(build_program("names.c"), runtime=runtime, threads=2)
    assert_names(loaded, "names.c", NAMES)
    kind = "loop_dynamic" if runtime >= 17 else "loop"
    assert_names(loaded, "names.c", {"loop": ("in_static_function", kind)})
    assert {entry["line"] for entry in loaded.profiles if entry["line"]} <= set(marks("names.c").values())


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3"], ["-O2", "-gdwarf-4"]], ids=" ".join)
def test_names_from_clang_19(measure, build_program, flags):
    loaded = measure(build_program("names.c", compiler="clang-19", flags=flags), runtime=19, threads=2)
    assert_names(loaded, "names.c", {**NAMES, "loop": ("in_static_function", "loop_dynamic")})


def test_names_of_cplusplus(measure, build_program, runtime):
    loaded = measure(build_program("names.cpp", compiler="clang++"), runtime=runtime, threads=2)
    assert_names(loaded, "names.cpp", {
        "member": ("loom::Shuttle::pass(int)", "parallel"),
        "template": ("double loom::weave<double>(int)", "parallel"),
        "template critical": ("double loom::weave<double>(int)", "critical"),
    })
    line = marks("names.cpp")["lambda"]
    assert loaded.one(line, "parallel")["name"].startswith("loom::tie()::")


def test_names_of_gcc_built_programs(build_program, run_heddle, export, runtime, tmp_path):
    """GCC's code on libomp's GOMP entry points: what has an address has its pragma's line."""
    from conftest import environment_for, libomp_folder

    path = tmp_path / "gcc.heddle"
    result = run_heddle("run", "--gomp", "--libomp", libomp_folder(runtime) / "libomp.so.5", "-o", path, "--",
                        build_program("names.c", compiler="gcc"), env=environment_for(None, threads=2))
    assert result.returncode == 0 and result.stdout == "done 1\n", result.stderr
    loaded = export(path)
    expected = {mark: NAMES[mark] for mark in ("parallel", "task region", "lock region", "critical", "lock")}
    assert_names(loaded, "names.c", expected)
    for mark in ("parallel", "task region", "lock region"):
        assert loaded.one(marks("names.c")[mark], "parallel")["visits"] == 2
