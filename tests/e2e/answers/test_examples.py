# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples: twins print the same, and Heddle shows the flaw of one and its absence in the other."""
import json
import subprocess

import pytest

from conftest import BUILD, TIMEOUT_S, environment_for, wait_of
from timed import check_times

EXAMPLES = BUILD / "examples"
# Smaller than the defaults, so that all take about a second.
TWINS = {
    "heat": ("heat", "heat_fixed", [1000, 200]),
    "mandelbrot": ("mandelbrot_static", "mandelbrot_dynamic", [400]),
    "cg": ("cg", "cg_fixed", [200]),
    "nbody": ("nbody", "nbody_fixed", [1500, 50]),
    "sort": ("sort", "sort_fixed", [300000]),
}
THREADS = 2
PASSIVE = {"OMP_WAIT_POLICY": "passive"}  # threads that spin while they wait take the processors from those that work


@pytest.fixture(autouse=True)
def built():
    if not EXAMPLES.is_dir():
        pytest.skip(f"no examples below {BUILD}: configure with HEDDLE_EXAMPLES=ON and an OpenMP clang")


def run(name, arguments, env=None):
    result = subprocess.run([EXAMPLES / name, *map(str, arguments)], env=environment_for(None, THREADS, env),
                            capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def twins(profile, export):
    """twins(pair) -> (Profile of the flawed one, Profile of the fixed one); what they print is the same. Every event of the
    flawed ones is observed: some send more than the budget allows."""

    def measure(pair, env=None):
        flawed, fixed, arguments = TWINS[pair]
        loaded = []
        for name in (flawed, fixed):
            path = profile(EXAMPLES / name, *arguments, threads=THREADS, env={"HEDDLE_OVERHEAD": "off", **(env or {})})
            assert profile.result.returncode == 0 and profile.result.stderr == ""
            loaded.append(export(path))
            loaded[-1].stdout = profile.result.stdout
        assert loaded[0].stdout == loaded[1].stdout
        return loaded

    return measure


def of_function(loaded, function, kind):
    found = [entry for entry in loaded.profiles if entry["name"] == function and entry["kind"] == kind]
    assert len(found) == 1, loaded.summary()
    return found[0]


@pytest.mark.parametrize("pair", TWINS)
def test_twins_print_the_same_with_and_without_heddle(twins, pair):
    flawed, fixed, arguments = TWINS[pair]
    expected = run(flawed, arguments, PASSIVE)
    assert "checksum" in expected
    assert run(fixed, arguments, PASSIVE) == expected
    assert twins(pair, PASSIVE)[0].stdout == expected


@pytest.mark.parametrize("pair", TWINS)
def test_wrong_arguments_give_usage(pair):
    for name in TWINS[pair][:2]:
        result = subprocess.run([EXAMPLES / name, "0"], env=environment_for(None), capture_output=True, text=True)
        assert result.returncode == 2 and result.stderr.startswith("usage: ")


@pytest.mark.timed
def test_heat_opens_too_many_regions(twins):
    def check(pair):
        many, once = of_function(pair[0], "relax", "parallel"), of_function(pair[1], "run_steps", "parallel")
        assert many["visits"] == 998 * 200 and once["visits"] == 1
        assert many["elapsed_s"] > once["elapsed_s"] and many["potential_gain_s"] > 2 * once["potential_gain_s"]

    check_times(lambda: twins("heat"), check)


@pytest.mark.timed
def test_mandelbrot_is_imbalanced(twins):
    def check(pair):
        static, dynamic = (of_function(loaded, "draw", "parallel") for loaded in pair)
        assert static["imbalance"] > 1.5 and dynamic["imbalance"] < 1.2
        assert static["potential_gain_s"] > 3 * dynamic["potential_gain_s"]

    check_times(lambda: twins("mandelbrot"), check)


def test_cg_waits_for_a_critical_section(twins):
    flawed, fixed = twins("cg")
    criticals = [entry for entry in flawed.profiles if entry["kind"] == "critical"]
    assert sum(wait_of(entry, "critical") for entry in criticals) > 0
    # libomp's release of a critical section can take thread 0's return address away: about one acquire in a million.
    assert {entry["name"] for entry in criticals} <= {"dot", "dot (call site unknown)"}
    assert sum(entry["visits"] for entry in criticals if entry["name"] != "dot") < 100
    assert sum(entry["visits"] for entry in criticals) % (200 * 200 / 8) == 0
    assert criticals and not [entry for entry in fixed.profiles if entry["kind"] == "critical"]


@pytest.mark.timed
def test_nbody_energy_is_a_triangle(twins):
    """Over the whole run one of two threads has 3/4 of the pairs, in the fixed twin half of them."""

    def share_of_busiest(loaded):
        loop = next(entry for entry in loaded.profiles
                    if entry["name"] == "potential_energy" and entry["kind"].startswith("loop"))
        busy = [row["busy_s"] for row in loop["threads"]]
        return max(busy) / sum(busy)

    def check(pair):
        flawed, fixed = map(share_of_busiest, pair)
        assert flawed > 0.7 and fixed < 0.6

    check_times(lambda: twins("nbody"), check)


def test_sort_makes_too_many_tasks(twins):
    flawed, fixed = (of_function(loaded, "merge_sort", "task") for loaded in twins("sort", PASSIVE))
    assert flawed["visits"] == 300000 - 1
    assert fixed["visits"] < 300


@pytest.mark.timed
@pytest.mark.needs("two-processors")
def test_what_if_predicts_the_fixed_twin(profile, export, run_heddle):
    """What the regions' times are; how long a program takes to start differs as much as its fix may gain."""
    flawed, fixed, _ = TWINS["mandelbrot"]

    def measure():
        paths = [profile(EXAMPLES / name, 600, threads=THREADS) for name in (flawed, fixed)]
        regions = [of_function(export(path), "draw", "parallel") for path in paths]
        told = run_heddle("explain", "--json", "--what-if", f"{regions[0]['id']}=balanced", paths[0])
        assert told.returncode == 0, told.stderr
        return json.loads(told.stdout), *(region["elapsed_s"] for region in regions)

    def check(measured):
        told, before, after = measured
        assert told["predicted_low_s"] <= told["predicted_s"] <= told["predicted_high_s"]
        assert before - (told["elapsed_s"] - told["predicted_s"]) == pytest.approx(after, rel=0.05)

    check_times(measure, check)
