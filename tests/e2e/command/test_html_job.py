# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of an MPI job: its tables, the ranks in time and in each place, of few ranks and of ten thousand."""
import json

import pytest

from test_html import ATTACK, Page

TIMES = 50
MAP = "document.querySelector('[data-figure=ranks] canvas')"
READOUT = "document.querySelector('[data-figure=ranks] .readout').textContent"


def rank_of(number, ranks, busy_at):
    busy = sum(busy_at) / TIMES * 2
    return {"rank": number, "ranks": ranks, "file": f"job.rank{number}.heddle", "program": "app" + ATTACK, "host": f"node{number // 64}",
            "threads": 4, "processors": 256, "elapsed_s": 2.0, "outside_mpi_s": 1.0 + 0.5 * (number == 3), "busy_s": busy, "wait_s": 0.5,
            "runtime_s": 0.25, "mpi_s": {"mpi_collective": 8.25 - busy}, "busy_at": busy_at}


def place_of(text, seconds, wait=None):
    order = sorted(range(len(seconds)), key=lambda rank: seconds[rank])
    at = [order[round(part * (len(order) - 1) / 4)] for part in range(5)]
    return {"kind": "mpi" if wait else "parallel", "called": text if wait else None, "function": "f", "path": f"/src/{text}.c", "line": 3,
            "text": text, "wait": wait, "visits": 7, "bytes": 8, "busy_s": None if wait else 1.0, "mean_s": sum(seconds) / len(seconds),
            "most_rank": order[-1], "least_rank": order[0], "quartiles_s": [seconds[rank] for rank in at], "seconds": seconds}


def write_job(path, ranks):
    """Rank r has r % 5 of its 4 threads busy in the first half of its time, and all in the second."""
    rows = [rank_of(number, ranks, [number % 5] * (TIMES // 2) + [4] * (TIMES // 2)) for number in range(ranks)]
    seconds = [0.5 + 0.5 * (number == 3) for number in range(ranks)]
    even = [0.125] * ranks
    places = [place_of("skewed", seconds), place_of("even", even), place_of("MPI_Allreduce", [1.5 - one for one in seconds], "mpi_collective")]
    path.write_text(json.dumps({"heddle": 1, "ranks": rows, "places": places}))


@pytest.fixture(scope="module")
def pages(run_heddle, tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    for ranks in (8, 10000):
        write_job(folder / f"{ranks}.job", ranks)
        result = run_heddle("html", "-o", folder / f"{ranks}.html", folder / f"{ranks}.job")
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return folder


def test_the_page_says_what_heddle_job_says(pages, run_heddle):
    text = (pages / "8.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.fetched == [] and "<script>alert" not in text and page.elements.count("script") == text.count("</script>")
    assert json.loads(page.data["job"]) == json.loads(run_heddle("job", "--json", pages / "8.job").stdout)
    said = run_heddle("job", "-n", "0", pages / "8.job").stdout
    for words in ("8 ranks of app", "2.000 s", "balance 70.8 %"):
        assert words in said and words in text
    findings = json.loads(page.data["job"])["findings"]
    assert {finding["cause"] for finding in findings} == {"mpi-imbalance", "mpi-wait"}
    for finding in findings:
        assert finding["evidence"][0] in text and f"try {finding['try'][0]}" in text


def cells(browser, table):
    return browser.of(f"[...document.querySelectorAll('#{table} tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def test_places_have_quartiles_and_a_cell_for_each_rank(browser, pages):
    browser.open(pages / "8.html")
    assert browser.errors == []
    head, skewed, even = cells(browser, "table-2")
    assert head == ["Work: elapsed time of regions", "Mean", "Most", "By", "Least", "By", "25%", "Median", "75%", "/mean", "Calls", "Ranks"]
    assert skewed == ["skewed", "0.562", "1.000", "3", "0.500", "0", "0.500", "0.500", "0.500", "1.78", "7", ""]
    assert even[:3] == ["even", "0.125", "0.125"]
    strip = "document.querySelectorAll('#table-2 canvas')[0]"
    opacity = (f"(() => {{ const at = {strip}, each = at.width / 8; return Array.from({{length: 8}}, (_, rank) => "
               "at.getContext('2d').getImageData((rank + 0.5) * each, 5, 1, 1).data[3]); })()")
    assert browser.of(opacity) == pytest.approx([255 if rank == 3 else 127.5 for rank in range(8)], abs=1)
    browser.of(f"{strip}.dispatchEvent(new MouseEvent('mousemove', {{clientX: {strip}.getBoundingClientRect().left + 3.5 / 8 * {strip}.clientWidth}}))")
    assert browser.of(f"{strip}.title") == "rank 3: 1.000 s"


def test_tables_sort(browser, pages):
    browser.open(pages / "8.html")
    order = "[...document.querySelectorAll('#table-2 tbody th')].map(cell => cell.textContent)"
    browser.of("document.querySelectorAll('#table-2 thead button')[1].click()")
    browser.of("document.querySelectorAll('#table-2 thead button')[1].click()")
    assert browser.of(order) == ["even", "skewed"]
    assert browser.of("document.querySelector('#table-2 th.heat button')") is None


def test_keys_and_the_mouse_read_the_map(browser, pages):
    browser.open(pages / "8.html")
    browser.of(f"{MAP}.focus()")
    browser.press("ArrowDown")
    assert browser.of(READOUT) == "rank 1, 0 s to 40.000 ms: 1.00 of 4 threads busy"
    browser.press("ArrowLeft")
    assert browser.of(READOUT) == "rank 1, 0 s to 40.000 ms: 1.00 of 4 threads busy"
    browser.of(f"(() => {{ const box = {MAP}.getBoundingClientRect(); {MAP}.dispatchEvent(new MouseEvent('mousemove', "
               "{clientX: box.right - 5, clientY: box.top + 40})); })()")
    assert browser.of(READOUT) == "rank 2, 1.960 s to 2.000 s: 4.00 of 4 threads busy"


def test_a_rank_that_ends_early_is_busy_until_then(browser, pages, run_heddle):
    job = json.loads((pages / "8.job").read_text())
    job["ranks"][1]["elapsed_s"] = 1.0
    (pages / "early.job").write_text(json.dumps(job))
    assert run_heddle("html", "-o", pages / "early.html", pages / "early.job").returncode == 0
    browser.open(pages / "early.html")
    browser.of(f"{MAP}.focus()")
    said = {0: [], 1: []}
    for row, back in ((0, "ArrowLeft"), (1, "ArrowDown")):
        for key in [back] + ["ArrowRight"] * (TIMES - 1):
            browser.press(key)
            said[row].append(float(browser.of(READOUT).split(": ")[1].split()[0]))
        for _ in range(TIMES):
            browser.press("ArrowLeft")
    assert said[0] == [0] * 25 + [4] * 25
    assert said[1][:12] + said[1][13:] == [1] * 12 + [4] * 12 + [0] * 25  # the thirteenth is half of each


@pytest.mark.parametrize("width", [1280, 390])
def test_ten_thousand_ranks_are_folded_and_open(browser, pages, width):
    browser.open(pages / "10000.html", width)
    assert browser.errors == [] and browser.of("document.documentElement.scrollWidth") <= width
    assert browser.of(f"{MAP}.clientHeight") < 900
    browser.of(f"{MAP}.focus()")
    browser.press("ArrowRight")
    assert browser.of(READOUT) == "ranks 0 to 49, 40.000 ms to 80.000 ms: 100.00 of 200 threads busy"
    assert browser.of("document.querySelector('[data-figure=ranks]').textContent").endswith("A row is 50 ranks together.")
    strip = "document.querySelectorAll('#table-2 canvas')[0]"
    assert browser.of(f"{strip}.width") <= 150
    assert browser.of(f"{strip}.getContext('2d').getImageData(0, 5, 1, 1).data[3]") == 255  # the most of its ranks
    assert browser.of(f"{strip}.getContext('2d').getImageData(1, 5, 1, 1).data[3]") == pytest.approx(127.5, abs=1)


def test_without_scripts_the_tables_are_there(browser, pages):
    browser.open(pages / "8.html", scripts=False)
    assert len(cells(browser, "table-1")) == 9 and len(cells(browser, "table-3")) == 2


def test_ranks_whose_time_is_not_known(browser, pages, run_heddle):
    job = json.loads((pages / "8.job").read_text())
    for rank in job["ranks"]:
        del rank["busy_at"]
    for place in job["places"]:
        place["seconds"] = None
    (pages / "old.job").write_text(json.dumps(job))
    assert run_heddle("html", "-o", pages / "old.html", pages / "old.job").returncode == 0
    browser.open(pages / "old.html")
    assert browser.errors == [] and browser.of(MAP) is None
    assert "It is not known" in browser.of("document.querySelector('[data-figure=ranks]').textContent")
    assert cells(browser, "table-2")[1][-1] == "-"


@pytest.mark.parametrize("option", [["--no-source"], ["--no-estimates"], ["--trace-changes", "0"], ["--since", "1"], ["--from", "1"],
                                    ["--no-cache"]])
def test_options_of_profiles_are_refused(pages, run_heddle, option):
    result = run_heddle("html", "-o", pages / "no.html", *option, pages / "8.job")
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert "its page has -o and --force" in result.stderr and not (pages / "no.html").exists()


def test_several_jobs_are_refused(pages, run_heddle):
    result = run_heddle("html", "-o", pages / "no.html", pages / "8.job", pages / "10000.job")
    assert result.returncode == 1 and "'heddle compare' compares jobs" in result.stderr and len(result.stderr.splitlines()) == 1
