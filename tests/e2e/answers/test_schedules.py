# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule advisor: what it predicts from one run is what a run with another schedule takes. Iterations sleep, so that
threads need no processors, and the program says that each has one."""
import json

import pytest

from conftest import libomp_folder, marks
from timed import check_times

WITHIN = 0.10
LIBOMP = 19  # the first of those here that says which schedule a loop has
OTHERS = ("static", "static,8", "dynamic,8", "guided")
# The shape, what is measured first, and what is predicted from that.
PREDICTIONS = [
    ("even", "dynamic", OTHERS),
    ("grows", "dynamic", OTHERS),
    ("grows", "fixed", ("static,1", "dynamic,8", "guided")),
    ("falls", "static,1", ("static", "dynamic,8", "guided")),
    ("huge", "dynamic", OTHERS),
    ("random", "dynamic", OTHERS),
    ("random", "static,1", ("static", "dynamic,8", "guided")),
]


@pytest.fixture
def ask(run_heddle, export, tmp_path, build_program):
    """ask(shape, schedule, threads=) -> what `heddle explain --loop --json` says of the program's loop; ask.path, ask.id: of it."""
    program, line, folder = build_program("schedules.c"), marks("schedules.c"), libomp_folder(LIBOMP)
    if not (folder / "libomp.so.5").exists():
        pytest.skip(f"no libomp {LIBOMP}")

    def run(shape, schedule, threads=2):
        kind = "fixed" if schedule == "fixed" else "runtime"
        ask.path = tmp_path / f"{shape}.{schedule}.heddle"
        ask.path.unlink(missing_ok=True)
        env = {"OMP_NUM_THREADS": str(threads), "LD_LIBRARY_PATH": str(folder), "KMP_BLOCKTIME": "0",
               "OMP_SCHEDULE": "static" if kind == "fixed" else schedule}
        done = run_heddle("run", "-q", "--overhead", "off", "-o", ask.path, "--", program, shape, kind, env=env)
        assert done.returncode == 0, done.stderr
        [ask.id] = [entry["id"] for entry in export(ask.path).all(line[kind]) if entry["kind"].startswith("loop")]
        done = run_heddle("explain", "--json", "--loop", ask.id, ask.path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    ask = run
    return ask


@pytest.mark.timed
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("shape, measured, others", PREDICTIONS)
def test_predictions_are_what_other_schedules_take(ask, shape, measured, others, threads):
    def measure_once():
        said = ask(shape, measured, threads)
        assert said["unknown"] is None and said["threads"] == threads
        assert said["iterations"] == 200 and said["instances"] == 4
        predicted = {one["schedule"]: one["predicted_s"] for one in said["schedules"]}
        return {other: (predicted[other], ask(shape, other, threads)["measured_s"]) for other in others}

    def check(times):
        for other, (predicted, took) in times.items():
            assert abs(predicted / took - 1) < WITHIN, (shape, measured, other, predicted, took)

    check_times(measure_once, check)


@pytest.mark.timed
def test_a_static_loop_has_a_part_for_each_thread(ask, run_heddle):
    def measure_once():
        said = ask("grows", "fixed")
        return (said, run_heddle("explain", "--loop", ask.id, ask.path).stdout,
                json.loads(run_heddle("explain", "--json", ask.path).stdout)["findings"])

    def check(measured):
        said, text, found = measured
        assert said["unknown"] is None and said["curve_from"] == "blocks" and said["chunk_cost_from"] == "assumed"
        first, second = said["iteration_s"]
        assert 2 * first < second and said["instances"] == 4 and said["iterations"] == 200
        assert said["best"] and said["best_s"] < said["measured_s"] and not said["too_few_iterations"]
        assert "4 instances of 200 iterations, 2 threads" in text and "Assumed: the loop is schedule(static)" in text
        assert f"schedule({said['best']})" in text and "Best: " in text
        [uneven] = [one for one in found if one["cause"] == "imbalance"]
        assert f"schedule({said['best']})" in uneven["try"][0] and "instead of" in uneven["try"][0]
        assert "cost grows over the iterations" in uneven["evidence"][1]

    check_times(measure_once, check)


def test_a_loop_in_chunks_has_64_parts(ask):
    said = ask("falls", "dynamic")
    assert said["curve_from"] == "chunks" and len(said["iteration_s"]) == 64 and said["chunk_cost_from"] == "loop"
    assert said["schedules"][0]["schedule"] == "dynamic,1" and said["schedules"][0]["measured_s"] == said["measured_s"]


def test_a_sum_of_runs_has_the_instances_of_all(ask, run_heddle, tmp_path):
    once, twice = ask("even", "fixed"), tmp_path / "twice.heddle"
    assert run_heddle("merge", "-o", twice, ask.path, ask.path).returncode == 0
    said = json.loads(run_heddle("explain", "--json", "--loop", ask.id, twice).stdout)
    assert said["curve_from"] == "blocks" and said["instances"] == 2 * once["instances"] and said["iterations"] == 200
    assert said["iteration_s"] == pytest.approx(once["iteration_s"], rel=1e-6)


def test_what_is_no_loop_has_no_prediction(ask, run_heddle):
    ask("even", "fixed")
    done = run_heddle("explain", "--loop", 0, ask.path)
    assert done.returncode == 0 and "no prediction: it is no worksharing loop" in done.stdout
    assert json.loads(run_heddle("explain", "--json", "--loop", 0, ask.path).stdout)["unknown"]
    done = run_heddle("explain", "--loop", 999, ask.path)
    assert done.returncode == 1 and "no callpath 999" in done.stderr
    assert run_heddle("explain", "--loop", "x", ask.path).returncode == 2
