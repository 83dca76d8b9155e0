# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calling routines of regions, found on the stack: exactly which callpaths, and how often each region was entered.

The programs' head comments derive the numbers."""
import pytest

FRAMES = [("-fomit-frame-pointer",), ("-fno-omit-frame-pointer",), ("-O0",)]
each_frame_kind = pytest.mark.parametrize("flags", FRAMES, ids=lambda flags: flags[0])
each_c = pytest.mark.parametrize("compiler", ["clang", "gcc"])

CALLERS = {"main straight": 3, "main left shared": 2, "main right shared": 5, "main count": 4, "main nest": 2,
           "main nest parallel straight": 4, "main sort compare": 1, "main deep count": 20}


def step(entry):
    if entry["kind"] != "routine":
        return entry["kind"]
    return entry["name"] or str(entry["offset"])


def path(loaded, entry):
    """What an entry lies in, without the program: routines by name, constructs by kind."""
    above = [one for one in loaded.ancestors(entry) if one["kind"] != "program"]
    return " ".join(step(one) for one in reversed(above))


def regions(loaded):
    """{callpath of a region: its instances}."""
    found = {}
    for entry in loaded.profiles:
        if entry["kind"] == "parallel":
            found[path(loaded, entry)] = found.get(path(loaded, entry), 0) + entry["visits"]
    return found


@pytest.fixture
def callers(build_program, measure_routines):
    """callers(source, compiler, flags, arguments...) -> {callpath: instances}; callers.loaded: the profile."""

    def run(source, compiler="clang", flags=(), *arguments, **options):
        program = build_program(source, compiler, ("-pthread", *flags))
        run.loaded = measure_routines(program, *arguments, threads=2, gomp=compiler.startswith("g"), **options)
        return regions(run.loaded)

    return run


@each_c
@each_frame_kind
def test_regions_are_told_by_their_callers(callers, compiler, flags):
    assert callers("unwind_callers.c", compiler, flags) == CALLERS
    assert not [note for note in callers.loaded["run"]["notes"] if "HEDDLE_UNWIND" in note]


@pytest.mark.parametrize("source", ["unwind_callers.c", "unwind_bodies.c"])
def test_callers_are_the_same_on_every_runtime(callers, runtime, source):
    assert callers(source, "clang", (), runtime=runtime) == callers(source, "clang", (), runtime=19)


@each_c
@each_frame_kind
@pytest.mark.parametrize("rounds", [1, 200])
def test_frames_of_varying_size_deceive_nobody(callers, compiler, flags, rounds):
    each = 3 * rounds
    assert callers("unwind_frames.c", compiler, flags, rounds) == {
        "main fixed work": each, "main array work": each, "main allocate work": each, "main aligned work": each,
        "main indirect tight array work": 32 * rounds, "main indirect wide array work": 32 * rounds}


@each_c
@each_frame_kind
def test_bodies_of_constructs_are_no_routines(callers, compiler, flags):
    passed = "main passing passed work" if flags == ("-O0",) else "main passed work"
    single = "single " if compiler == "clang" else ""  # GCC's inlined single has no event
    assert callers("unwind_bodies.c", compiler, flags) == {
        passed: 1, "main team": 1, "main team parallel last work": 2, "main alone": 1, "main alone parallel work": 1,
        "main tasks": 1, f"main tasks parallel {single}task work": 3, "main direct": 1, "main direct parallel": 2,
        "thread_main work": 1}


@pytest.mark.parametrize("compiler", ["clang++", "g++"])
@each_frame_kind
def test_exceptions_leave_no_callers_behind(callers, compiler, flags):
    found = callers("unwind_exceptions.cpp", compiler, flags)
    assert {name.replace("(int)", "").replace("()", ""): count for name, count in found.items()} == {
        "main guard fall": 4, "main guard fall Opens::~Opens": 4, "main guard": 3, "main": 1, "main calm": 4,
        "main inside": 1, "main inside parallel risky": 2}


def test_clang_19_built_program(callers):
    assert callers("unwind_callers.c", "clang-19") == CALLERS


def test_routines_found_on_the_stack_are_not_measured_themselves(callers):
    callers("unwind_callers.c")
    routines = [entry for entry in callers.loaded.profiles if entry["kind"] == "routine"]
    assert {entry["name"] for entry in routines} == set(" ".join(CALLERS).split()) - {"parallel"}
    for entry in routines:
        assert entry["measured"] is False
        assert entry["visits"] is entry["busy_s"] is entry["entries"] is entry["elapsed_s"] is None, entry["name"]
    main = callers.loaded.routine("main")
    below = [e for e in callers.loaded.profiles if e["kind"] == "parallel"]
    assert main["busy_inclusive_s"] == pytest.approx(sum(e["busy_s"] for e in below), abs=1e-6)


@each_c
def test_unwinding_can_be_switched_off(callers, compiler):
    found = callers("unwind_callers.c", compiler, env={"HEDDLE_UNWIND": "off"})
    assert found == {"": sum(CALLERS.values()) - 4, "parallel": 4}
    assert not [entry for entry in callers.loaded.profiles if entry["kind"] == "routine"]


@each_c
def test_depth_bounds_how_many_callers_are_told(callers, compiler):
    found = callers("unwind_callers.c", compiler, env={"HEDDLE_UNWIND": "2"})
    assert found == {"main straight": 3, "left shared": 2, "right shared": 5, "main count": 1, "count": 22,
                     "main nest": 2, "main nest parallel straight": 4, "sort compare": 1, "deep count": 1}
    assert [note for note in callers.loaded["run"]["notes"] if "HEDDLE_UNWIND" in note]


def test_stripped_program_has_the_same_shape(callers):
    """Without names: as many callpaths of each length, entered as often."""

    def shape(found):
        return sorted((len(name.split()), name.count("parallel"), count) for name, count in found.items())

    assert shape(callers("unwind_callers.c", "clang", ("-s",))) == shape(CALLERS)
    assert {entry["name"] for entry in callers.loaded.profiles if entry["kind"] == "routine"} == {None}
