# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floods of regions go off but for windows: they are counted, and estimated.

tests/unit/limits/test_refused_regions.c and test_resolve_regions.c show without a machine that nothing is observed of what is
refused, and that estimates are right on average.
"""
import json
import re

import pytest

from conftest import assert_identities, marks

BUDGETS = ("2%", "0.5%", "0.1%", "0.02%")  # a thread that hardly gets a processor pays little


def is_off(loaded):
    return "region" in {entry["class"] for entry in loaded["run"]["switched_off"]}


def play(profile, export, program, *arguments, threads=2, runtime=19, env=None):
    """The first run in which regions went off."""
    for budget in BUDGETS:
        path = profile(program, *arguments, runtime=runtime, threads=threads, env={"HEDDLE_OVERHEAD": budget, **(env or {})})
        assert profile.result.returncode == 0 and profile.result.stderr == ""
        loaded = export(path)
        assert_identities(loaded)
        if is_off(loaded):
            break
    assert is_off(loaded)
    assert not [note for note in loaded["run"]["notes"] if "begin" in note and "without" in note]
    loaded.counts = [int(count) for count in re.search(r"^regions (\d+) (\d+)$", profile.result.stdout, re.MULTILINE).groups()]
    return path, loaded


def total(times):
    wait = times["wait_s"]
    return times["busy_s"] + (sum(wait.values()) if isinstance(wait, dict) else wait) + times["runtime_s"]


@pytest.mark.parametrize("threads", (1, 2, 4))
@pytest.mark.parametrize("runtime", (14, 19))
def test_regions_are_counted(profile, export, build_program, threads, runtime):
    _, loaded = play(profile, export, build_program("region_flood.c"), "plain", 0.5, threads=threads, runtime=runtime)
    places = marks("region_flood.c")
    assert [loaded.visits(places["first"], "parallel"), loaded.visits(places["second"], "parallel")] == loaded.counts


@pytest.mark.parametrize("what, mark", [("nested", "outer"), ("tasks", "tasks"), ("teams", "league")])
def test_what_is_in_regions_goes_with_them(profile, export, build_program, what, mark):
    _, loaded = play(profile, export, build_program("region_flood.c"), what, 0.5)
    line = marks("region_flood.c")[mark]
    assert loaded.visits(line, "teams" if what == "teams" else "parallel") == loaded.counts[0]


def test_several_initial_threads_open_regions(profile, export, build_program):
    _, loaded = play(profile, export, build_program("region_flood.c"), "initials", 0.5)
    places = marks("region_flood.c")
    assert [loaded.visits(places["first"], "parallel"), loaded.visits(places["second"], "parallel")] == loaded.counts


def test_regions_are_estimated(profile, export, build_program, run_heddle):
    path, loaded = play(profile, export, build_program("region_flood.c"), "plain", 0.8)
    program = loaded["program"]
    assert program["estimated"] and program["unresolved_s"] > 0
    low, high = program["interval_s"]["potential_gain_s"]
    assert 0 <= low <= program["estimate_s"]["potential_gain_s"] + 1e-9 <= high + 2e-9
    assert "~" in run_heddle("report", path).stdout


@pytest.mark.parametrize("flags", (["--overhead", "off"], ["--critical-path"]))
def test_regions_stay_on_where_all_is_asked_for(build_program, run_heddle, tmp_path, export, flags):
    path = tmp_path / "on.heddle"
    result = run_heddle("run", *flags, "-o", path, "--", build_program("region_flood.c"), "plain", 0.3)
    assert result.returncode == 0
    assert not is_off(export(path))


def rows_of(page):
    return {int(row): text for row, text in re.findall(r'<tr id="c(\d+)".*?>(.*?)</tr>', page, re.DOTALL)}


def test_a_page_shows_estimates_and_has_what_was_observed(profile, export, build_program, run_heddle):
    path, loaded = play(profile, export, build_program("region_flood.c"), "plain", 0.5)
    region = loaded.one(marks("region_flood.c")["second"], "parallel")["id"]
    page, raw = (run_heddle("html", *flags, path).stdout for flags in ([], ["--no-estimates"]))
    assert "~" in rows_of(page)[region] and "data-estimated" in page
    assert "&gt;=" in rows_of(raw)[region] and "<main>" in raw and "&gt;=" not in rows_of(page)[region]
    for text in (page, raw):
        data = re.search(r'<script type="application/json" id="profile">(.*?)</script>', text, re.DOTALL).group(1)
        assert json.loads(data)["program"] == loaded["program"]


def test_comparisons_are_of_estimates(profile, export, build_program, run_heddle):
    """The times of regions, and what is outside, are nearly the run's and nothing: as observed it is the other way round."""
    paths = [play(profile, export, build_program("region_flood.c"), "plain", 0.5, threads=threads)[0] for threads in (1, 2)]
    result = run_heddle("compare", "--json", *paths)
    assert result.returncode == 0
    rows = json.loads(result.stdout)["comparisons"][0]["rows"]
    whole = next(row for row in rows if row["kind"] == "program")
    for point in (0, 1):
        regions = sum(row["at"][point]["time_s"] for row in rows if row["kind"] == "region")
        assert regions > 0.7 * whole["at"][point]["time_s"]
