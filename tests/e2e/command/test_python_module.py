# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python/heddle: profiles as tables for scripts."""

import importlib
import io
import json
import sys
import types

import pytest

from conftest import SOURCE

WORK = r"""
#include <omp.h>
static volatile double sink;
static void work(int n) { for (int i = 0; i < n; i++) sink += i; }
int main(void) {
#pragma omp parallel num_threads(2)
  work(omp_get_thread_num() == 0 ? 20000000 : 1000);
#pragma omp parallel for num_threads(2) schedule(dynamic, 10)
  for (int i = 0; i < 100; i++)
    work(100);
  return 0;
}
"""


@pytest.fixture
def heddle_module(heddle, monkeypatch):
    monkeypatch.setenv("HEDDLE", str(heddle))
    monkeypatch.syspath_prepend(str(SOURCE / "python"))
    monkeypatch.delitem(sys.modules, "heddle", raising=False)
    return importlib.import_module("heddle")


@pytest.fixture(scope="module")
def made(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("python") / "run.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


def test_tables_are_those_of_the_json(heddle_module, made, run_heddle):
    run = heddle_module.load(made)
    plain = json.loads(run_heddle("export", made).stdout)
    assert run.data == plain and "heddle.Profile of" in repr(run)
    assert run.callpaths.column("id") == [entry["id"] for entry in plain["profiles"]]
    assert len(run.callpath_threads) == sum(len(entry["threads"]) for entry in plain["profiles"])
    assert sum(run.waits.column("seconds")) == pytest.approx(
        sum(sum((entry["wait_s"] or {}).values()) for entry in plain["profiles"]))
    assert sum(run.levels.column("seconds")) == pytest.approx(plain["program"]["busy_s"], abs=1e-6)
    assert run.threads == plain["threads"]
    assert run.histories.column("elapsed_s") == [
        seconds for entry in plain["profiles"] for seconds in (entry.get("history") or {"elapsed_s": []})["elapsed_s"]]
    assert all(0 <= row["busy_threads"] <= 2.001 for row in run.histories if row["busy_threads"] is not None)


def test_rows_are_found_and_sorted(heddle_module, made, run_heddle):
    run = heddle_module.load(made)
    assert len(run.regions) == 2 and len(run.loops) == 1
    gains = run.regions.by("potential_gain_s").column("potential_gain_s")
    assert gains == sorted(gains, reverse=True) and gains[0] > 0
    [first] = run.callpaths.where(kind="parallel", line=6)
    assert first["place"].startswith("parallel ") and first["place"].endswith(":6 in main")
    assert first["path"][0] == 0 and first["path"][-1] == first["id"] and first["depth"] == len(first["path"]) - 1
    assert isinstance(run.regions[:1], heddle_module.Table)
    assert run.findings == json.loads(run_heddle("explain", "--json", made).stdout)["findings"]


def test_frames_are_made_by_pandas(heddle_module, made, monkeypatch):
    def from_records(rows):
        return ("a frame of", len(rows))

    run = heddle_module.load(made)
    frames = types.SimpleNamespace(DataFrame=types.SimpleNamespace(from_records=from_records))
    monkeypatch.setitem(sys.modules, "pandas", frames)
    assert run.threads.frame() == ("a frame of", 2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(heddle_module.Error, match="needs pandas"):
        run.threads.frame()


def test_measurements_for_extra_p(heddle_module, made):
    run = heddle_module.load(made)
    out = io.StringIO()
    heddle_module.extra_p([run, run], out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert all(line["params"] == {"threads": 2} and line["value"] >= 0 for line in lines)
    busy = [line["value"] for line in lines if line["metric"] == "busy_s"]
    assert sum(busy) == pytest.approx(2 * sum(row["busy_s"] or 0 for row in run.callpaths))
    assert any("->parallel " in line["callpath"] and line["metric"] == "elapsed_s" for line in lines)


def test_errors_are_those_of_the_command(heddle_module, tmp_path, monkeypatch):
    with pytest.raises(heddle_module.Error, match="No such file"):
        heddle_module.load(tmp_path / "missing.heddle")
    monkeypatch.setenv("HEDDLE", str(tmp_path / "nothing"))
    with pytest.raises(heddle_module.Error, match="there is no command"):
        heddle_module.load("any")
