# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with planted flaws: the first finding has the cause and the line of the largest, the next that of the other.
Programs without a flaw have no finding of more than 5 %.

Other processes that take the processors are a finding, too, and on a busy machine may be the first: the test asks for
the first ones about the program. Threads that wait sleep, so that two can work on any machine of two processors.
"""
import json
import os

import pytest

from conftest import BUILD, libomp_folder, marks
from timed import check_longer_times, check_times

HEALTHY_PERCENT = 5

# The flaws of flawed.c: cause, and the mark of the line (or lines) if it is not the flaw's name.
FLAWS = {
    "serial": ("serial", "main"), "between": ("serial", "main"), "team": ("serial",),
    "single": ("serial-in-region",), "masked": ("serial-in-region",), "nowait": ("serial-in-region",),
    "sections": ("serial-in-region",),
    "triangle": ("imbalance",), "decreasing": ("imbalance",), "unclosed": ("imbalance",), "chunk": ("imbalance",),
    "number": ("imbalance",), "lasting": ("imbalance",), "three": ("imbalance",), "uneven": ("imbalance",),
    "huge": ("too-few-iterations",), "few": ("too-few-iterations",),
    "scheduling": ("scheduling",), "reduction": ("reduction",),
    "turns": ("barrier",), "closing": ("barrier", "closing", "second"), "tiny": ("fork-join",),
    "critical": ("critical",), "lock": ("lock",), "ordered": ("ordered",),
    "small": ("task-granularity",), "producer": ("task-creation",),
}
# Threads (more than two have two processors all the same), then what the program does; the largest flaw comes first.
RUNS = [
    *((2, flaw) for flaw in FLAWS),
    (2, "triangle:3"), (2, "single:3"), (2, "critical:3"), (2, "few:2"), (2, "producer:3"), (2, "uneven:3"),
    (2, "critical:2 triangle"), (2, "triangle:2 critical"), (2, "single:2 few"), (2, "producer:2 triangle"),
    (2, "turns:2 number"), (2, "uneven:2 lock"), (2, "tiny:2 huge"), (2, "lock:2 sections"), (2, "serial:2 ordered"),
    (2, "decreasing:2 small"), (2, "ordered:2 masked"), (2, "huge:2 producer"), (2, "nowait:2 unclosed"),
    (2, "number:2 between"), (2, "three:2 closing"), (2, "lasting:2 team"), (2, "chunk:2 single"),
    *((4, flaw) for flaw in ("serial", "team:2", "number", "lasting", "huge", "chunk", "producer", "tiny", "lock:2")),
    (4, "single:2 number"), (4, "uneven:2 critical"), (4, "sections:2 producer"),
    *((8, flaw) for flaw in ("serial:2", "single", "nowait:2", "critical", "ordered", "uneven:2", "huge:2", "small")),
    (8, "number:2 masked"), (8, "sections:2 huge"),
]
# The same of shapes.c: other forms of programs, with the options that one has by default.
SHAPES = {
    "orphan": "imbalance", "collapsed": "imbalance", "turns": "imbalance", "guided": "imbalance",
    "runtime": "imbalance", "nested": "imbalance", "parts": "imbalance",
    "planes": "too-few-iterations", "longest": "too-few-iterations",
    "halves": "serial-in-region", "copies": "serial-in-region",
    "pointer": "critical", "combine": "reduction", "chain": "task-dependences", "each": "task-granularity",
}
SHAPE_RUNS = [
    *((2, shape) for shape in SHAPES),
    (2, "chain:2 planes"), (2, "longest:2 copies"), (2, "halves:2 pointer"), (2, "nested:2 chain"),
    (2, "copies:2 turns"), (2, "combine:2 orphan"),
    (4, "chain"), (4, "halves"), (4, "longest:2 pointer"), (4, "copies:2"), (8, "chain:2 halves"),
]
HEALTHY = [*((2, f"{what}:4") for what in ("even", "guided", "rare", "chunks", "loops")),
           (4, "even:4"), (4, "guided:4"), (4, "rare:4"), (8, "chunks:4"), (8, "even:4 guided:4")]
# The examples: cause, the flawed program and its fixed twin, arguments.
TWINS = {
    "mandelbrot": ("imbalance", "mandelbrot_static", "mandelbrot_dynamic", ["600"]),
    "heat": ("fork-join", "heat", "heat_fixed", ["1000", "200"]),
    "cg": ("critical", "cg", "cg_fixed", ["200"]),
    "nbody": ("imbalance", "nbody", "nbody_fixed", ["1500", "50"]),
    "sort": ("task-granularity", "sort", "sort_fixed", ["300000"]),
}
# With two threads it would add up in a critical section; and waking up a thread may take longer than what is combined.
VARIABLES = {"reduction": {"KMP_FORCE_REDUCTION": "tree", "OMP_WAIT_POLICY": "active"}}


def on_processors(count):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


@pytest.fixture
def explain(run_heddle, tmp_path):
    """explain(program, arguments..., options=, env=, threads=, processors=) -> what `heddle explain --json` says."""
    path = tmp_path / "explained.heddle"

    def run(program, *arguments, runtime=19, options=(), env=None, threads=2, processors=2):
        path.unlink(missing_ok=True)
        variables = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(threads),
                     "LD_LIBRARY_PATH": "" if "--gomp" in options else str(libomp_folder(runtime)), **(env or {})}
        variables = {name: value for name, value in variables.items() if value is not None}
        done = run_heddle("run", "-q", *options, "-o", path, "--", program, *arguments, env=variables, cwd=tmp_path,
                          preexec_fn=lambda: on_processors(processors))
        assert done.returncode == 0, done.stderr
        done = run_heddle("explain", "--json", path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def is_others_work(finding):
    """Whether others took the processors: threads are no more than those."""
    return finding["cause"] == "oversubscription" and finding["place"]["kind"] == "program"


def of_program(explained):
    return [finding for finding in explained["findings"] if not is_others_work(finding)]


def assert_healthy(explained):
    large = [finding for finding in of_program(explained)
             if finding["gain_s"] > HEALTHY_PERCENT / 100 * explained["elapsed_s"]]
    assert not large, large


def assert_found(explained, expected):
    """`expected`: cause and possible lines of the first findings, in their order."""
    findings = of_program(explained)
    assert len(findings) >= len(expected), explained
    for finding, (cause, lines) in zip(findings[:len(expected)], expected, strict=True):
        assert finding["cause"] == cause and finding["place"]["line"] in lines, findings
        assert finding["gain_low_s"] <= finding["gain_s"] <= finding["gain_high_s"]
        assert finding["evidence"] and finding["try"]


def assert_first(explained, cause, lines):
    assert_found(explained, [(cause, lines)])


def expected_of(flaw):
    name = flaw.split(":")[0]
    cause, *places = FLAWS[name]
    return cause, [marks("flawed.c")[place] for place in places or [name]]


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("threads, flaws", RUNS, ids=[f"{flaws}-{threads}" for threads, flaws in RUNS])
def test_first_findings_are_the_flaws(explain, build_program, threads, flaws):
    """The runtime's entry points are observed: what it does in them is scheduling and the creation of tasks."""
    program = build_program("flawed.c")
    flaws = flaws.split()
    expected = [expected_of(flaw) for flaw in flaws]
    check_times(lambda: explain(program, *flaws, options=["--handout"], env=VARIABLES.get(flaws[0]), threads=threads),
                lambda explained: assert_found(explained, expected))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("threads, shapes", SHAPE_RUNS, ids=[f"{shapes}-{threads}" for threads, shapes in SHAPE_RUNS])
def test_first_findings_are_the_flaws_in_other_shapes(explain, build_program, threads, shapes):
    program = build_program("shapes.c")
    lines = marks("shapes.c")
    names = [shape.split(":")[0] for shape in shapes.split()]
    expected = [(SHAPES[name], [lines[name]]) for name in names]
    env = {"OMP_WAIT_POLICY": "active"} if "combine" in names else None  # as for a reduction
    check_times(lambda: explain(program, *shapes.split(), threads=threads, env=env),
                lambda explained: assert_found(explained, expected))


def assert_kept(explained, cause):
    """What the cured program took less is within 15 % of the promise, or in its interval. It has not the events of the flaw
    either: Heddle's own work, a finding by itself, goes with it."""
    flawed, cured = explained
    promised = [finding for finding in flawed["findings"] if finding["cause"] in (cause, "measurement")]
    gained = flawed["elapsed_s"] - cured["elapsed_s"]
    gain, low, high = (sum(finding[key] for finding in promised) for key in ("gain_s", "gain_low_s", "gain_high_s"))
    assert of_program(flawed)[0]["cause"] == cause
    assert abs(gained / gain - 1) < 0.15 or low <= gained <= high, (gained, promised)


def quickest(runs):
    return min(runs, key=lambda explained: explained["elapsed_s"])


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("shape", ["orphan", "planes", "halves", "copies", "pointer", "chain"])
def test_the_cure_brings_what_was_promised(explain, build_program, shape):
    check_times(lambda: [explain(build_program(source), f"{shape}:2", env={"OMP_WAIT_POLICY": "active"})
                         for source in ("shapes.c", "shapes_cured.c")],
                lambda explained: assert_kept(explained, SHAPES[shape]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("options", [[], ["--overhead", "off"]], ids=["default", "off"])
@pytest.mark.parametrize("pair", TWINS)
def test_the_fixed_twin_of_an_example_brings_what_was_promised(explain, pair, options):
    """The quickest of three runs each: two runs of one program differ by some per cent."""
    cause, flawed, fixed, arguments = TWINS[pair]

    def run(name, longer):
        *sizes, steps = arguments
        return explain(BUILD / "examples" / name, *sizes, str(int(steps) * longer), options=["--handout", *options],
                       env={"OMP_WAIT_POLICY": None})

    check_longer_times(lambda longer: [quickest([run(name, longer) for _ in range(3)]) for name in (flawed, fixed)],
                       lambda explained: assert_kept(explained, cause))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("compiler", ["clang++", "g++"])
@pytest.mark.parametrize("shape, cause", [("template", "imbalance"), ("method", "critical"), ("jobs", "imbalance")])
def test_flaws_in_templates_methods_and_lambdas(explain, build_program, shape, cause, compiler):
    program = build_program("shapes_cpp.cc", compiler)
    options = ["--gomp", "--libomp", libomp_folder(19) / "libomp.so.5"] if compiler == "g++" else []
    line = marks("shapes_cpp.cc")[shape]
    check_times(lambda: explain(program, shape, options=options),
                lambda explained: assert_first(explained, cause, [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("threads, what", HEALTHY, ids=[f"{what}-{threads}" for threads, what in HEALTHY])
def test_healthy_programs_have_no_finding(explain, build_program, threads, what):
    program = build_program("flawed.c")
    check_times(lambda: explain(program, *what.split(), threads=threads), assert_healthy)


@pytest.mark.timed
@pytest.mark.needs("two-processors")
def test_late_workers_are_found(explain, build_program):
    program = build_program("flaw_regions.c")
    line = marks("flaw_regions.c")["wake"]
    check_times(lambda: explain(program), lambda explained: assert_first(explained, "wake-up", [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
def test_atomic_updates_with_a_lock(explain, build_program):
    program = build_program("flaw_atomic.c", "gcc")
    options = ["--gomp", "--libomp", libomp_folder(19) / "libomp.so.5", "--overhead", "off"]
    line = marks("flaw_atomic.c")["update"]  # GCC's line for the code of both
    check_times(lambda: explain(program, options=options),
                lambda explained: assert_first(explained, "atomic", [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("flaw", ["before", "after"])
def test_instrumented_routine_is_the_place_of_serial_time(explain, build_program, flaw):
    program = build_program("flaw_serial.c", flags=("-finstrument-functions", "-fno-inline"))
    check_times(lambda: explain(program, flaw),
                lambda explained: assert_first(explained, "serial", [marks("flaw_serial.c")["prepare"]]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("shape", ["flat", "nested"])
@pytest.mark.parametrize("policy", ["active", "passive"])
def test_more_threads_than_processors(explain, build_program, shape, policy):
    program = build_program("flaw_crowd.c")
    line = marks("flaw_crowd.c")["nested" if shape == "nested" else "crowd"]

    def measure():
        explained = explain(program, shape, threads=8, env={"OMP_WAIT_POLICY": policy})
        assert explained["threads"] > explained["processors"]
        return explained

    cause = "oversubscription" if os.sysconf("SC_NPROCESSORS_ONLN") == 2 else "pinned"
    check_times(measure, lambda explained: assert_first(explained, cause, [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
def test_a_process_bound_to_one_processor_is_pinned(explain, build_program):
    program = build_program("healthy.c")

    def check(explained):
        assert explained["processors"] == 1 and explained["threads"] == 2
        assert explained["findings"][0]["cause"] == "pinned"
        assert explained["findings"][0]["gain_s"] > 0.3 * explained["elapsed_s"]

    check_times(lambda: explain(program, "even", processors=1), check)


def test_what_is_printed(explain, run_heddle, build_program, tmp_path):
    """Text: lines of at most 100 characters. Refused: what is no profile, and more than one."""
    explain(build_program("flawed.c"), "triangle")
    done = run_heddle("explain", "--all", tmp_path / "explained.heddle")
    assert done.returncode == 0 and done.stderr == ""
    assert "1. " in done.stdout and "Try: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    done = run_heddle("explain", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("heddle: ")
    for wrong in ([], ["a", "b"], ["--no-such-option", "a"]):
        assert run_heddle("explain", *wrong).returncode == 2


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("what", ["tasks", "regions", "steps"])
def test_healthy_programs_that_keep_threads_awake_have_no_finding(explain, build_program, what):
    """libomp's sleeping threads do not wake up for tasks."""
    program = build_program("healthy.c")
    check_times(lambda: explain(program, what, env={"OMP_WAIT_POLICY": None}), assert_healthy)
