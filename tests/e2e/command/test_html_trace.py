# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trace in the page of `heddle html`: what is drawn is what the profile says, whatever is zoomed, folded or missing."""
import json
import re

import pytest

WORK = r"""
#include <omp.h>

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

static void region(int which) { // the third is the slowest
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; i++)
      spin(which == 2 ? 0.005 : 0.001);
#pragma omp critical
    spin(0.001);
  }
}

int main(void) {
  for (volatile int i = 0; i < 5; i++) // not unrolled: one callpath
    region(i);
  return 0;
}
"""
FLOOD = r"""
volatile int sum;

int main(void) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 30000; i++)
#pragma omp critical
    sum++;
  return 0;
}
"""
HEADER_BYTES = 4096
PASSIVE = {"OMP_WAIT_POLICY": "passive"}
VIEW = "heddle.traceView.state.view"
CANVAS = "document.querySelector('canvas.trace')"
SECTION = "document.getElementById('trace-section')"
MICROSECOND = "1e-6 / heddle.trace.tickSeconds"


@pytest.fixture(scope="module")
def record(run_heddle, tmp_path_factory):
    """record(program, arguments...) -> the profile of a run with a trace."""
    folder = tmp_path_factory.mktemp("traced")

    def run(program, *arguments, trace="--trace", env=None):
        path = folder / f"{len(list(folder.iterdir()))}.heddle"
        result = run_heddle("run", "-q", trace, "-o", path, "--", program, *arguments, env={**PASSIVE, **(env or {})})
        assert result.returncode == 0, result.stderr
        return path

    return run


@pytest.fixture(scope="module")
def make_page(run_heddle):
    """make_page(profile, options...) -> its page."""

    def make(path, *options, errors=""):
        page = path.with_name(f"{path.stem}{len(list(path.parent.iterdir()))}.html")
        result = run_heddle("html", "-o", page, *options, path)
        assert (result.returncode, result.stdout) == (0, "") and re.fullmatch(errors, result.stderr), result.stderr
        return page

    return make


@pytest.fixture(scope="module")
def path(build_program, record):
    return record(build_program(WORK, compiler="clang-19"))


@pytest.fixture(scope="module")
def flood(build_program, record):
    """Very many short stretches; the trace is full long before the run ends."""
    return record(build_program(FLOOD, compiler="clang-19"), trace="--trace=200k")


@pytest.fixture(scope="module")
def page(path, make_page):
    return make_page(path)


def sums_of_page(browser):
    """Seconds of each thread in each state, by the page's data."""
    return browser.of("""Object.fromEntries(heddle.trace.threads.map(thread => [thread.thread, Object.fromEntries(
      [...heddle.trace.sumsOf(thread, 0, heddle.trace.end)].slice(0, heddle.trace.NOTHING).map((ticks, state) =>
        [heddle.trace.stateIds[state], ticks * heddle.trace.tickSeconds]).filter(([, seconds]) => seconds > 0))]))""")


def sums_of_profile(profiles):
    """The same of the JSON's callpaths."""
    sums = {}
    for entry in profiles:
        for row in entry["threads"]:
            states = {"busy": row["busy_s"], **row["wait_s"], **row["runtime_by_s"], "idle": row["idle_s"]}
            of = sums.setdefault(str(row["thread"]), {})
            for state, seconds in states.items():
                if seconds:
                    of[state] = of.get(state, 0) + seconds
    return sums


def press(browser, *keys):
    browser.of(f"{CANVAS}.focus()")
    for key in keys:
        browser.press(key)


def frame(browser):
    browser.of("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")


def window(browser):
    """What is shown, in seconds since the trace's begin."""
    return browser.of(f"[{VIEW}.from * heddle.trace.tickSeconds, {VIEW}.to * heddle.trace.tickSeconds]")


def mouse(browser, kind, x, y, **more):
    """At a point of the canvas."""
    browser.of(f"{CANVAS}.scrollIntoView({{block: 'center'}})")
    left, top = browser.of(f"(box => [box.left, box.top])({CANVAS}.getBoundingClientRect())")
    browser.ask("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, **more)


def drag(browser, places, y, **more):
    for kind, x in (("mousePressed", places[0]), *(("mouseMoved", x) for x in places), ("mouseReleased", places[-1])):
        mouse(browser, kind, x, y, button="left", buttons=1, clickCount=1, **more)


def point_in(browser, thread, test):
    """The middle of the longest stretch of a thread for which the test, in JavaScript, holds: where it is on the canvas."""
    return browser.of(f"""(() => {{
      const thread = heddle.trace.threads[{thread}], all = [], at = heddle.traceView.locate(), view = {VIEW};
      for (let i = 0; i < thread.changes; i++) {{
        const stretch = heddle.trace.stretch(thread, i);
        if (stretch && ({test})(stretch))
          all.push(stretch);
      }}
      const found = all.reduce((most, one) => (one.to - one.from > most.to - most.from ? one : most));
      const middle = (found.from + found.to) / 2;
      return [at.left + (middle - view.from) / (view.to - view.from) * at.inner, at.top + ({thread} + 0.5) * at.high, found.node];
    }})()""")


# ---- what is drawn ----

def test_the_data_have_the_times_of_the_profile(browser, page, path, export):
    browser.open(page)
    found = sums_of_page(browser)
    expected = sums_of_profile(export(path)["profiles"])
    assert set(found) == set(expected) == {"0", "1"}
    before = browser.of("heddle.trace.seconds(0)")  # the tool was not there yet
    assert found["0"].pop("busy") == pytest.approx(expected["0"].pop("busy") - before, abs=1e-5)
    for thread, states in expected.items():
        assert found[thread] == pytest.approx(states, abs=1e-6)
    assert {"busy", "barrier_implicit", "critical", "idle"} <= {state for states in found.values() for state in states}
    assert browser.errors == []


def test_a_row_has_as_many_pixels_of_a_state_as_it_lasted(browser, page):
    browser.open(page)
    frame(browser)
    shares = browser.of(f"""heddle.trace.threads.map((thread, row) => {{
      const at = {{...heddle.traceView.locate(), high: 11}}, view = {VIEW}; // so low that there is no room for names
      heddle.traceDraw.draw({CANVAS}, heddle.traceView.state, at);
      const pixels = {CANVAS}.getContext('2d').getImageData(Math.round(at.left), Math.round(at.top + row * at.high), Math.round(at.inner), 10);
      const drawn = {{}};
      for (let i = 0; i < pixels.data.length; i += 4)
        drawn[pixels.data.slice(i, i + 3).join()] = (drawn[pixels.data.slice(i, i + 3).join()] || 0) + 4 / pixels.data.length;
      const sums = heddle.trace.sumsOf(thread, view.from, view.to), expected = {{}};
      for (const icon of document.querySelectorAll('#trace-view .key i')) {{
        const colour = getComputedStyle(icon).backgroundColor.match(/\\d+/g).join();
        expected[colour] = (expected[colour] || 0) + sums[heddle.trace.stateIds.indexOf(icon.className)] / (view.to - view.from);
      }}
      return Object.entries(expected).map(([colour, part]) => [drawn[colour] || 0, part]);
    }})""")
    assert len(shares) == 2
    for row in shares:
        assert len(row) >= 4
        for drawn, expected in row:
            assert drawn == pytest.approx(expected, abs=0.05)  # a row has ten pixels: in each column it is rounded to a tenth


def test_nothing_is_wider_than_the_screen_and_dark_is_dark(browser, page):
    grounds = set()
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            browser.open(page, width, prefers_color_scheme=scheme)
            assert browser.of("document.documentElement.scrollWidth") <= width and browser.errors == []
            assert browser.of(f"{CANVAS}.clientWidth") > 0.8 * width
            strip = browser.of(f"[...{CANVAS}.getContext('2d').getImageData(heddle.traceView.locate().left + 2, heddle.traceView.locate().strip + 2, 1, 1).data].join()")
            grounds.add((scheme, strip))
    assert len({colour for _, colour in grounds}) == 2


def test_of_many_threads_some_are_shown_at_a_time(browser, build_program, record, make_page):
    program = build_program("volatile int sum;\nint main(void) {\n#pragma omp parallel num_threads(70)\nsum++;\nreturn 0;\n}\n", compiler="clang-19")
    browser.open(make_page(record(program)))
    assert browser.of("[heddle.trace.threads.length, heddle.traceView.state.threads.length]") == [70, 64]
    press(browser, *["ArrowDown"] * 64)
    assert browser.of("heddle.traceView.state.threads.map(thread => thread.thread)") == list(range(64, 70))
    browser.of("document.querySelector('#trace-view button[title=\"the threads before\"]').click()")
    assert browser.of("heddle.traceView.state.threads.length") == 64 and browser.errors == []


# ---- moving ----

def test_keys_zoom_and_move(browser, page):
    browser.open(page)
    whole = window(browser)
    press(browser, "+")
    assert window(browser)[1] - window(browser)[0] == pytest.approx(whole[1] / 2)
    before = window(browser)
    press(browser, "ArrowRight")
    assert window(browser)[0] > before[0]
    press(browser, "Home")
    assert window(browser)[0] == 0
    press(browser, *["+"] * 40)
    assert window(browser)[1] - window(browser)[0] == pytest.approx(2e-7)  # single microseconds are wide
    frame(browser)
    press(browser, "0")
    assert window(browser) == whole and browser.errors == []


def test_buttons_wheel_and_drag_zoom_and_move(browser, page):
    browser.open(page)
    whole = window(browser)[1]
    browser.of("document.querySelector('#trace-view button[title=\"zoom in\"]').click()")
    assert window(browser)[1] - window(browser)[0] == pytest.approx(whole / 2)
    browser.of("document.querySelector('#trace-view button[title=\"the whole trace\"]').click()")
    browser.of("document.activeElement.blur()")
    mouse(browser, "mouseWheel", 400, 100, deltaX=0, deltaY=-10)
    assert window(browser) == [0, whole]  # without the focus the page scrolls
    press(browser)
    mouse(browser, "mouseWheel", 400, 100, deltaX=0, deltaY=-1000)
    frame(browser)
    zoomed = window(browser)
    part = browser.of("(400 - heddle.traceView.locate().left) / heddle.traceView.locate().inner")
    assert zoomed[1] - zoomed[0] == pytest.approx(whole / 4)
    assert zoomed[0] + part * (zoomed[1] - zoomed[0]) == pytest.approx(part * whole, rel=0.01)  # what is below the mouse stays
    drag(browser, (500, 450, 400), 100)
    inner = browser.of("heddle.traceView.locate().inner")
    assert window(browser)[0] - zoomed[0] == pytest.approx(100 / inner * (zoomed[1] - zoomed[0]), rel=0.02)
    assert browser.of("heddle.traceView.state.marked") is None and browser.errors == []


@pytest.mark.parametrize(("y", "keys"), [(30, {}), (100, {"modifiers": 8})])  # the strip; Shift
def test_what_is_selected_by_dragging_is_zoomed_into(browser, page, y, keys):
    browser.open(page)
    whole = window(browser)[1]
    part = browser.of("[300, 500].map(x => (x - heddle.traceView.locate().left) / heddle.traceView.locate().inner)")
    drag(browser, (500, 400, 300), y, **keys)
    assert window(browser) == pytest.approx([whole * part[0], whole * part[1]])
    assert browser.of("heddle.traceView.state.selected") is None and browser.errors == []


# ---- stretches, callpaths and instances ----

def test_pointing_says_what_a_thread_did_and_a_click_chooses_its_callpath(browser, page):
    browser.open(page)
    x, y, node = point_in(browser, 1, "stretch => heddle.trace.stateIds[stretch.state] === 'barrier_implicit'")
    mouse(browser, "mouseMoved", x, y)
    said = browser.of("document.querySelector('#trace-view .readout').textContent")
    assert re.match(r"Thread 1: barrier implicit in .*parallel \S+:\d+.*; from \d+\.\d+ s, for [\d.]+ [mu]?s$", said)
    for kind in ("mousePressed", "mouseReleased"):
        mouse(browser, kind, x, y, button="left", clickCount=1)
    assert browser.of(f"document.getElementById('c{node}').classList.contains('chosen')")
    assert browser.of("document.querySelector('#region select').value") == str(node)
    chosen = "document.querySelector('.chosen-stretch')"
    assert browser.of(f"{chosen}.textContent").startswith(said)
    browser.of("heddle.tables.reveal(0)")
    browser.of(f"{chosen}.querySelector('a[href=\"#c{node}\"]').click()")
    frame(browser)
    top, bottom = browser.of(f"(box => [box.top, box.bottom])(document.getElementById('c{node}').getBoundingClientRect())")
    assert 0 <= top < bottom <= 900 and browser.errors == []


def test_the_strip_says_how_many_were_busy(browser, page, path, run_heddle):
    browser.open(page)
    x, _, _ = point_in(browser, 0, "stretch => heddle.trace.stateIds[stretch.state] === 'busy' && heddle.trace.seconds(stretch.from) > 0.01")
    mouse(browser, "mouseMoved", x, 30)
    said = browser.of("document.querySelector('#trace-view .readout').textContent")
    assert re.search(r"a pixel of [\d.]+ [mu]s: [12]\.\d\d threads busy on average$", said)


def test_keys_go_through_the_stretches_of_a_thread(browser, page):
    browser.open(page)
    press(browser, "ArrowDown", "n")
    marked = "heddle.traceView.state.marked"
    assert browser.of(f"{marked}.thread.thread") == 1
    first = browser.of(f"{marked}.index")
    press(browser, "n", "n", "p")
    assert browser.of(f"{marked}.index") == first + 1
    press(browser, "z")
    assert browser.of(f"({VIEW}.to - {VIEW}.from) / Math.max({marked}.to - {marked}.from, 2e-7 / heddle.trace.tickSeconds)") == pytest.approx(1.12, abs=0.13)
    for end, index in ((0, 0), ("heddle.trace.end", "heddle.trace.threads[1].changes - 2")):  # the worker is not there
        browser.of(f"heddle.traceView.state.marked = null, {VIEW} = {{from: {end}, to: {end}}}, 0")
        press(browser, "n")
        assert browser.of(f"{marked}.index === {index}")
    press(browser, "Enter")
    frame(browser)
    assert browser.of(f"document.getElementById('c' + {marked}.node).classList.contains('chosen')") and browser.errors == []


def test_tab_reaches_the_chart(browser, page):
    browser.open(page)
    for _ in range(60):
        browser.press("Tab")
        if browser.of(f"document.activeElement === {CANVAS}"):
            break
    assert browser.of(f"document.activeElement === {CANVAS}")
    assert "arrow keys move" in browser.of(f"{CANVAS}.getAttribute('aria-label')")


def test_a_text_says_what_the_chart_shows(browser, page):
    browser.open(page)
    shown = f"document.getElementById({CANVAS}.getAttribute('aria-describedby'))"
    assert browser.of(f"{shown}.getAttribute('aria-live')") == "polite"
    for key, parts in (("0", 1), ("+", 2)):
        press(browser, key)
        frame(browser)
        said = re.match(r"Shown: ([\d.]+) s to ([\d.]+) s, which is .*; ([\d.]+) threads busy on average\. All threads: (.*)\.$", browser.of(f"{shown}.textContent"))
        whole = browser.of("heddle.trace.end * heddle.trace.tickSeconds")
        assert float(said[2]) - float(said[1]) == pytest.approx(whole / parts, rel=0.05)
        busy = browser.of(f"heddle.trace.threads.reduce((sum, thread) => sum + heddle.trace.sumsOf(thread, {VIEW}.from, {VIEW}.to)[0], 0) / ({VIEW}.to - {VIEW}.from)")
        assert float(said[3]) == pytest.approx(busy, abs=0.006)
        assert sum(float(part) for part in re.findall(r" ([\d.]+) %", said[4])) == pytest.approx(100, abs=0.5)


def test_a_region_leads_to_its_slowest_instance(browser, page, path, run_heddle):
    browser.open(page)
    region = browser.of("[...heddle.node.values()].find(node => node.kind === 'parallel').id")

    def begin_of(which):
        drawn = run_heddle("trace", "--instance", which, "--region", region, path).stdout
        return float(re.search(r"instance \d of 5: from ([\d.]+) s", drawn)[1])

    shown = f"[heddle.trace.seconds({VIEW}.from), heddle.trace.seconds({VIEW}.to)]"
    browser.of(f"document.querySelector('#c{region} button.slowest').click()")
    slowest = browser.of(shown)
    assert slowest[0] < begin_of("slowest") < slowest[1]
    assert browser.of(f"heddle.trace.seconds({VIEW}.from) <= heddle.trace.seconds(heddle.traceView.state.instance[0])")
    assert browser.of("heddle.trace.seconds(heddle.traceView.state.instance[0])") == pytest.approx(begin_of("slowest"), abs=2e-6)
    assert browser.of("document.querySelector('.chosen-stretch').textContent").startswith("Slowest of 5 instances of parallel ")
    buttons = "[...document.querySelectorAll('#region button')]"
    browser.of(f"{buttons}.find(one => one.textContent.startsWith('first instance')).click()")
    first = browser.of(shown)
    assert first[0] < begin_of("first") < first[1] and browser.errors == []


# ---- what is missing is said ----

def text_of(browser):
    return browser.of(f"{SECTION}.textContent.replace(/\\s+/g, ' ')")


def test_a_whole_trace_has_no_warning(browser, page):
    browser.open(page)
    assert browser.of(f"{SECTION}.querySelectorAll('.warning').length") == 0
    assert re.search(r"\d+ stretches of 2 threads, from [\d.]+ ms to [\d.]+ m?s\.", text_of(browser))


def test_a_full_trace_says_until_when_it_goes(browser, flood, make_page, export):
    until = export(flood)["program"]["trace"]["whole_until_s"]
    browser.open(make_page(flood))
    assert re.search(r"The trace ends at [\d.]+ m?s, not with the run: it had its 0\.2 MB then", text_of(browser))
    assert browser.of("heddle.trace.seconds(heddle.trace.end)") == pytest.approx(until, abs=1e-6)
    assert browser.of("heddle.elapsed") > 1.1 * until and browser.errors == []


def test_the_end_of_a_run_says_when_it_begins(browser, build_program, record, make_page, run_heddle):
    path = record(build_program(FLOOD, compiler="clang-19"), trace="--trace-last=200k")
    browser.open(make_page(path))
    assert re.search(r"The trace begins at [\d.]+ m?s, not with the run: it keeps the last 0\.2 MB,", text_of(browser))
    first = run_heddle("trace", "--print", "--csv", path).stdout.splitlines()[1]
    assert browser.of("heddle.trace.seconds(0)") == pytest.approx(float(first.split(",")[0]), abs=2e-6)
    assert browser.of("heddle.trace.seconds(heddle.trace.end)") == pytest.approx(browser.of("heddle.elapsed"), rel=0.1)
    assert browser.errors == []


def test_a_folded_trace_says_so_and_has_the_same_sums(browser, flood, make_page):
    browser.open(make_page(flood))
    exact, changes = sums_of_page(browser), browser.of("heddle.trace.threads.reduce((sum, one) => sum + one.changes, 0)")
    assert changes > 10000
    folded = make_page(flood, "--trace-changes", "3000")
    browser.open(folded)
    said = re.search(r"embeds at most 3000 changes, so neighbouring stretches of a thread that are shorter than ([\d.]+) (us|ms) are drawn as one", text_of(browser))
    resolution = float(said[1]) * {"us": 1e-6, "ms": 1e-3}[said[2]]
    assert browser.of("heddle.trace.resolution") == pytest.approx(resolution)
    assert browser.of("heddle.trace.threads.reduce((sum, one) => sum + one.changes, 0)") <= 3010
    sums = sums_of_page(browser)
    for thread, states in exact.items():
        assert sums[thread] == pytest.approx(states, rel=0.02, abs=0.02 * sum(states.values()))
    row, first, until = browser.of("""heddle.trace.threads.flatMap((thread, row) => [...thread.offsets.keys()].filter(i => thread.offsets[i]).
      map(i => heddle.trace.stretch(thread, i)).map(stretch => [row, stretch.from, stretch.to]))[0]""")
    browser.of(f"heddle.traceView.state.view = {{from: {first}, to: {until}}}")
    mouse(browser, "mouseMoved", *browser.of(f"(at => [at.left + at.inner / 2, at.top + ({row} + 0.5) * at.high])(heddle.traceView.locate())"))
    assert re.match(r"Thread \d: [\d,]+ short ones: \w+.* [\d.]+ %.*; most of it in ", browser.of("document.querySelector('#trace-view .readout').textContent"))
    assert browser.errors == []


def test_a_page_is_as_large_as_what_it_embeds(flood, make_page):
    without = make_page(flood, "--trace-changes", "0")
    assert 'id="trace' not in without.read_text(encoding="utf-8")
    for changes in (100, 3000):
        page = make_page(flood, "--trace-changes", str(changes))
        assert page.stat().st_size < without.stat().st_size + 4000 + 12 * changes


def test_a_damaged_trace_is_shown_as_far_as_it_can_be_read(browser, flood, make_page, run_heddle):
    whole = bytearray(flood.read_bytes())
    seal = whole.rindex(b"SEAL", 0, HEADER_BYTES)
    whole[seal:seal + 8] = bytes(8)  # as of a program that still runs: without checksums
    damaged = flood.with_name("damaged.heddle")
    for offset in range(len(whole) // 2, len(whole), 5000):
        damaged.write_bytes(whole[:offset] + b"\xff" * 16 + whole[offset + 16:])
        if "damaged: the trace of thread" in run_heddle("trace", damaged).stderr:
            break
    else:
        pytest.fail("no byte of the trace was found")
    page = make_page(damaged, errors=r"heddle: \S+: damaged: the trace of thread \d: [a-z ]+\n")
    browser.open(page)
    assert re.search(r"The trace is damaged: what came after [\d.]+ m?s could not be read\.", text_of(browser))
    assert browser.of("heddle.trace.threads.length") in (1, 2) and browser.errors == []


# ---- where there is none ----

def test_without_a_trace_the_page_has_nothing_of_it(browser, build_program, profile, make_page):
    page = make_page(profile(build_program(WORK), runtime=19))
    assert 'id="trace' not in page.read_text(encoding="utf-8")
    browser.open(page)
    assert browser.of("heddle.trace") is None and browser.of("document.querySelectorAll('button.slowest, canvas.trace').length") == 0
    assert browser.errors == []


@pytest.mark.parametrize("part", [("--from",), ("--to",), ("--from", "--to")], ids=" ".join)
def test_a_part_of_the_run_has_that_part_of_it(browser, path, make_page, run_heddle, export, part):
    rows = run_heddle("trace", "--print", "--csv", path).stdout.splitlines()[1:]
    first, last = (float(row.split(",")[0]) for row in (rows[0], rows[-1]))
    bounds = {"--from": first + (last - first) / 3, "--to": last - (last - first) / 3}
    options = [text for bound in part for text in (bound, f"{bounds[bound]:.9f}")]
    browser.open(make_page(path, *options))
    begin, end = browser.of("[heddle.trace.seconds(0), heddle.trace.seconds(heddle.trace.end)]")
    assert begin == pytest.approx(bounds["--from"] if "--from" in part else first, abs=1e-6)
    assert end == pytest.approx(bounds["--to"] if "--to" in part else last, abs=1e-6)
    shown = export(path, *options)["profiles"]
    found, expected = sums_of_page(browser), sums_of_profile(shown)
    assert set(found) == set(expected) == {"0", "1"}
    if "--from" not in part:
        found["0"]["busy"] += begin  # the tool was not there yet
    for thread, states in expected.items():
        assert found[thread] == pytest.approx(states, abs=1e-5)
    assert set(browser.of("heddle.trace.nodes()")) <= {entry["id"] for entry in shown}
    assert browser.errors == []


def test_what_came_after_a_snapshot_has_none(path, make_page):
    """A profile since itself, so to speak."""
    assert 'id="trace' not in make_page(path, "--since", path, errors="(?s).*").read_text(encoding="utf-8")


def test_a_comparison_says_where_the_trace_is(path, run_heddle, tmp_path):
    page = tmp_path / "compared.html"
    result = run_heddle("html", "--force", "-o", page, path, path)
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert "Traces are not compared: the page of one profile shows its trace" in text and 'id="trace' not in text


def test_the_json_of_the_page_is_that_of_the_export(page, path, run_heddle):
    text = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="profile">(.*?)</script>', text, re.S)[1]
    assert json.loads(data) == json.loads(run_heddle("export", path).stdout)
