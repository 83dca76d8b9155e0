# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare` of different builds: a program is built twice, edited in between; its regions are found again."""
import json
import re
import subprocess

import pytest

from compared_profiles import assert_adds_up, flat, row_of
from conftest import HEDDLE, TIMEOUT_S, compile_command, environment_for
from timed import check_times

# Threads sleep instead of working: regions take as long as they say, whatever else the machine does. Two routines with
# a region each, one of them with constructs in it, and two regions in main(). The region's call is not a routine's last
# one: it would be a jump.
PROGRAM = r"""
#include <time.h>
static void rest(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, 0); }
__attribute__((noinline)) static void first(void) {
#pragma omp parallel
  rest(3000);
  __asm__ volatile("");
}
__attribute__((noinline)) static void second(void) {
#pragma omp parallel
  {
    rest(500);
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++)
      rest(1000);
#pragma omp single
    rest(2000);
  }
  __asm__ volatile("");
}
int main(void) {
  first();
  second();
#pragma omp parallel
  rest(1500);
  rest(100);
#pragma omp parallel
  rest(2500);
  return 0;
}
"""
REGIONS = ["parallel program.c:4 in first", "parallel program.c:9 in second", "parallel program.c:23 in main",
           "parallel program.c:26 in main"]
ALL = REGIONS + ["loop static program.c:12", "single program.c:15"]
MOVED = PROGRAM.replace("#include", "/* moves\n * everything\n */\n#include").replace("int main", "\n\n\n\nint main")
ADDED = PROGRAM.replace("  first();", "#pragma omp parallel\n  rest(1700);\n  first();")
REMOVED = PROGRAM.replace("#pragma omp parallel\n  rest(1500);\n", "")
SLOWED = MOVED.replace("rest(1000)", "rest(4000)")
DYNAMIC = PROGRAM.replace("schedule(static)", "schedule(dynamic)")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """record(source, runs, compiler=, flags=, name=, file=, runtime=) builds the program and runs it with two threads
    -> the folder of its profiles. Each is built and run once, until record.forget()."""
    known = {}

    def run(source, runs=1, compiler="clang", flags=(), name="program", file="program.c", runtime=19, env=None):
        key = (source, runs, compiler, tuple(flags), name, file, runtime, tuple(env or ()))
        if key not in known:
            folder = known[key] = tmp_path_factory.mktemp("build")
            (folder / "source").mkdir()
            text = folder / "source" / file
            text.write_text(source.lstrip("\n"))
            program = folder / name
            built = subprocess.run(compile_command(compiler, text, program, ["-Wl,--build-id", *flags]),
                                   capture_output=True, text=True)
            assert built.returncode == 0, built.stderr
            for number in range(runs):
                play(program, folder / "runs" / f"{number}.heddle", runtime, env)
        return known[key] / "runs"

    run.forget = known.clear
    return run


def play(program, file, runtime, env=None):
    file.parent.mkdir(exist_ok=True)
    environment = environment_for(runtime, 2, {"OMP_WAIT_POLICY": "passive", **dict(env or ())})
    result = subprocess.run([HEDDLE, "run", "-q", "-o", file, "--", program], env=environment, capture_output=True,
                            text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, result.stderr


@pytest.fixture
def load(run_heddle):
    """load(options and sides...) -> the comparison, which adds up, by name or not."""

    def run(*arguments, by_name=True):
        result = run_heddle("compare", "--json", *(["--force"] if by_name else []), *arguments)
        assert result.returncode == 0, result.stderr
        [comparison] = json.loads(result.stdout)["comparisons"]
        assert comparison["mode"] == "sides" and comparison["by_name"] == by_name
        assert_adds_up(comparison)
        return comparison

    return run


def everywhere(comparison):
    """Texts of the rows that occur at all points."""
    return sorted(row["text"] for row in comparison["rows"][2:] if all(row["at"]))


def nowhere_else(comparison, point):
    """Texts of the rows that occur at one point only."""
    found = [row for row in comparison["rows"][2:] if [at is not None for at in row["at"]].count(True) == 1]
    return sorted(row["text"] for row in found if row["at"][point])


def seconds(comparison, text, point):
    return row_of(comparison, text)["at"][point]["time_s"]


def expect_seconds(comparison, text, point, expected):
    """Threads never sleep shorter, and longer by what a busy machine needs to wake them."""
    actual = seconds(comparison, text, point)
    assert expected <= actual < expected + 0.02, (text, actual, expected)


# ---- one build ----


@pytest.mark.needs("random-addresses")
@pytest.mark.parametrize("flags", [(), ("-s",)], ids=["names", "stripped"])
def test_runs_of_one_build_are_the_same_wherever_they_are_loaded(load, record, flags):
    runs = record(PROGRAM, 2, flags=flags)
    comparison = load(runs / "0.heddle", runs / "1.heddle", by_name=False)
    assert len(everywhere(comparison)) >= len(ALL) and comparison["moved"] == 0
    assert len(comparison["rows"]) == 2 + len(everywhere(comparison))
    assert flags or everywhere(comparison) == sorted(ALL)
    bases = [module_bases(runs / f"{number}.heddle") for number in (0, 1)]
    assert bases[0] != bases[1], "not loaded at random addresses: this proves nothing"


def module_bases(file):
    """The bytes before the program's path wherever it is in the file: in its module's record, the load address."""
    content = file.read_bytes()
    path = bytes(file.parent.parent / "program")
    found = [match.start() for match in re.finditer(re.escape(path), content)]
    assert found
    return [content[at - 16:at - 8] for at in found]


def test_a_stripped_copy_is_the_same_build(load, record, tmp_path):
    runs = record(PROGRAM)
    subprocess.run(["strip", "-o", tmp_path / "program", runs.parent / "program"], check=True)
    play(tmp_path / "program", tmp_path / "runs" / "0.heddle", 19)
    for sides in ((runs, tmp_path / "runs"), (tmp_path / "runs", runs)):
        assert everywhere(load(*sides, by_name=False)) == sorted(ALL)


def test_a_schedule_that_a_run_chooses_makes_no_other_loop(load, record):
    source = PROGRAM.replace("schedule(static)", "schedule(runtime)")
    runs = [record(source, env=(("OMP_SCHEDULE", kind),)) for kind in ("static", "dynamic", "guided")]
    comparison = load(*runs)
    assert len(everywhere(comparison)) == len(ALL) == len(comparison["rows"]) - 2


# ---- edited in between ----


def test_another_build_is_refused_unless_forced(run_heddle, record):
    before, after = record(PROGRAM), record(MOVED)
    result = run_heddle("compare", before, after)
    assert result.returncode == 1 and result.stdout == ""
    assert str(before / "0.heddle") in result.stderr and str(after / "0.heddle") in result.stderr
    assert "different builds of program" in result.stderr and "--force" in result.stderr
    result = run_heddle("compare", "--force", before, after)
    assert result.returncode == 0, result.stderr
    assert "only at" not in result.stdout and "before" in result.stdout


def test_another_program_is_refused_unless_forced(run_heddle, load, record):
    before, after = record(PROGRAM), record(PROGRAM, name="improved")
    result = run_heddle("compare", before, after)
    assert result.returncode == 1 and result.stdout == ""
    assert "program" in result.stderr and "improved" in result.stderr and "--force" in result.stderr
    assert everywhere(load(before, after)) == sorted(ALL)


@pytest.mark.timed
def test_moved_lines_are_found_again(load, record, runtime):
    comparison = load(record(PROGRAM, runtime=runtime), record(MOVED, runtime=runtime))
    rows = comparison["rows"][2:]
    assert len(everywhere(comparison)) == len(rows) == len(ALL)
    assert comparison["moved"] >= len(ALL)
    for text, time_s in zip(REGIONS, (3e-3, 6.5e-3, 1.5e-3, 2.5e-3), strict=True):
        expect_seconds(comparison, text, 0, time_s)
        expect_seconds(comparison, text, 1, time_s)


@pytest.mark.parametrize("compiler, flags", [("clang", ["-O0"]), ("clang", ["-O3", "-fno-omit-frame-pointer"]),
                                             ("clang", ["-g0"]), ("clang-19", ["-O2"])],
                         ids=lambda value: "".join(value))
def test_compilers_and_optimization_make_no_other_region(load, record, compiler, flags):
    comparison = load(record(PROGRAM), record(MOVED, compiler=compiler, flags=flags))
    assert everywhere(comparison) == sorted(ALL)


def test_another_source_file_has_the_same_functions(load, record):
    comparison = load(record(PROGRAM), record(MOVED, file="improved.c"))
    assert everywhere(comparison) == sorted(ALL)


@pytest.mark.timed
def test_an_added_region_is_new(load, run_heddle, record):
    before, after = record(PROGRAM), record(ADDED)
    comparison = load(before, after)
    assert everywhere(comparison) == sorted(ALL)
    [added] = nowhere_else(comparison, 1)
    assert added == "parallel program.c:21 in main" and nowhere_else(comparison, 0) == []
    expect_seconds(comparison, added, 1, 1.7e-3)
    for text, time_s in zip(REGIONS, (3e-3, 6.5e-3, 1.5e-3, 2.5e-3), strict=True):
        expect_seconds(comparison, text, 1, time_s)
    text = run_heddle("compare", "--force", before, after).stdout
    assert len(re.findall(r"\(only at ", text)) == 1 and "so not compared: 1 region, " in flat(text), text


@pytest.mark.timed
def test_a_removed_region_is_gone(load, record):
    comparison = load(record(PROGRAM), record(REMOVED))
    assert everywhere(comparison) == sorted(set(ALL) - {REGIONS[2]})
    assert nowhere_else(comparison, 0) == [REGIONS[2]] and nowhere_else(comparison, 1) == []
    expect_seconds(comparison, REGIONS[3], 1, 2.5e-3)


@pytest.mark.timed
def test_what_became_slower_is_found(load, run_heddle, record):
    """4 of 8 iterations on each of two threads, 3 ms longer: 12 ms of the run."""

    def measured():
        record.forget()
        return [record(source, runs=3) for source in (PROGRAM, SLOWED, MOVED)]

    def check(folders):
        before, after, moved = folders
        comparison = load(before, after)
        assert everywhere(comparison) == sorted(ALL)
        slower = row_of(comparison, REGIONS[1])["at"][1]
        assert 11e-3 < slower["lost_total_s"] < 14e-3 and slower["main_cause"] == "work_inflation", slower
        assert not slower["in_noise"]
        weights = {row["text"]: row["weight_s"] for row in comparison["rows"] if row["kind"] == "region"}
        assert max(weights, key=weights.get) == REGIONS[1]
        condition = ["--fail-if", "region.seconds > 0.008", before]
        assert run_heddle("compare", "--force", *condition, after).returncode == 3
        assert run_heddle("compare", "--force", *condition, moved).returncode == 0

    check_times(measured, check)


def test_another_schedule_is_the_same_loop(load, record):
    comparison = load(record(PROGRAM), record(DYNAMIC))
    assert len(everywhere(comparison)) == len(ALL) == len(comparison["rows"]) - 2


@pytest.mark.timed
def test_three_builds(load, record):
    comparison = load(record(PROGRAM), record(ADDED), record(SLOWED))
    assert everywhere(comparison) == sorted(ALL)
    assert nowhere_else(comparison, 1) == ["parallel program.c:21 in main"]
    assert seconds(comparison, REGIONS[1], 2) - seconds(comparison, REGIONS[1], 1) > 4e-3


# ---- without names ----


def test_what_has_no_names_is_shown_apart(load, record):
    """Nothing but the addresses is known of a build without symbols."""
    comparison = load(record(PROGRAM), record(MOVED, flags=["-s"]))
    assert everywhere(comparison) == []
    assert set(REGIONS) <= set(nowhere_else(comparison, 0))
    assert len(nowhere_else(comparison, 1)) >= len(REGIONS)
    program = comparison["rows"][0]["at"]
    assert program[1]["matched"] and program[1]["busy_ticks"] > 0
