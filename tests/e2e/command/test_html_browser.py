# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of `heddle html` in a browser: charts have the numbers of the data, nothing is wider than the screen, Tab reaches all."""
import pytest

from timed import check_times

WORK = r"""
#include <unistd.h>
static volatile double sink;
static void spin(int n) {
  for (int i = 0; i < n; i++)
    sink += i;
}
__attribute__((noinline)) static void a_function_whose_name_is_as_long_as_those_of_real_programs_are(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    spin(20 * i);
}
int main(void) {
  a_function_whose_name_is_as_long_as_those_of_real_programs_are(200);
  spin(100000);
  for (int i = 0; i < 50; i++) {
#pragma omp parallel
#pragma omp critical
    sink++;
  }
  return 0;
}
"""
WIDTHS = [1280, 390]
CAUSES = ["serial", "imbalance", "barrier_explicit", "locks", "tasks", "runtime", "scheduling", "task_creation", "mpi", "other",
          "work_inflation"]


@pytest.fixture(scope="module")
def pages(build_program, run_heddle, tmp_path_factory):
    """Pages by name: of one profile, of two thread counts, of two builds."""
    folder = tmp_path_factory.mktemp("pages")
    programs = {"before": build_program(WORK, compiler="clang-19"), "after": build_program(WORK.replace("20 * i", "40 * i"), compiler="clang-19")}
    for name, build, threads in [("t1", "before", 1), ("t2", "before", 2), ("after", "after", 2)]:
        result = run_heddle("run", "-q", "-o", folder / f"{name}.heddle", "--", programs[build], env={"OMP_NUM_THREADS": str(threads)})
        assert result.returncode == 0, result.stderr
    made = {"one": ["t2"], "scaling": ["t1", "t2"], "sides": ["t2", "after"]}
    for page, names in made.items():
        result = run_heddle("html", "--force", "-o", folder / f"{page}.html", *[folder / f"{name}.heddle" for name in names])
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return {page: folder / f"{page}.html" for page in made}


@pytest.mark.parametrize("page", ["one", "scaling", "sides"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(browser, pages, page, width):
    browser.open(pages[page], width)
    assert browser.errors == []
    assert browser.of("document.documentElement.scrollWidth") <= width
    boxes = browser.of("[...document.querySelectorAll('.wide')].filter(box => !box.closest('.source, .broad')).filter("
                       "box => box.scrollWidth > box.clientWidth + 1).map(box => box.textContent.slice(0, 80))")
    assert boxes == [] or width < 1280
    narrow = browser.of("[...document.querySelectorAll('.narrow')].map(line => line.offsetHeight === 0)")
    assert narrow and (width < 1280 or all(narrow) or page == "sides")


def test_columns_that_do_not_fit_come_back(browser, pages):
    browser.open(pages["sides"], 390)
    count = "[...document.querySelectorAll('#table-4 thead th')].filter(cell => cell.offsetWidth > 0).length"
    few = browser.of(count)
    line = "document.querySelector('#table-4').closest('.wide').previousElementSibling"
    assert browser.of(f"{line}.textContent").startswith("Not shown, for lack of room: ")
    browser.of(f"{line}.querySelector('button').click()")
    assert browser.of(count) == browser.of("document.querySelectorAll('#table-4 thead th').length") > few > 1
    assert browser.of(f"{line}.hidden")


def bars(browser, name):
    """Rows of a chart: name, shown sum, and each cause's width in parts of the widest."""
    return browser.of(f"""[...document.querySelectorAll('[data-figure="{name}"] .row')].map(row => ({{
      name: row.querySelector('.name').textContent, sum: row.querySelector('.sum').textContent, words: row.getAttribute('aria-label'),
      parts: Object.fromEntries([...row.querySelectorAll('.cause')].map(part => [part.classList[1],
        [parseFloat(part.style.left), parseFloat(part.style.width)]]))}}))""")


def data(browser):
    return browser.of("JSON.parse(document.getElementById('compare').textContent).comparisons[0]")


def test_bars_are_the_times_and_their_causes(browser, pages):
    browser.open(pages["scaling"])
    program = data(browser)["rows"][0]["at"]
    rows = bars(browser, "times")
    assert [row["name"] for row in rows] == ["1 thread", "2 threads"]
    longest = max(at["time_s"] for at in program)
    for row, at in zip(rows, program, strict=True):
        assert sum(width for _, width in row["parts"].values()) == pytest.approx(100 * at["time_s"] / longest, abs=0.2)
        busy = at["busy_ticks"] / at["capacity_ticks"] * at["time_s"]
        assert row["parts"]["busy"] == [0, pytest.approx(100 * busy / longest, abs=0.01)]


@pytest.mark.parametrize("page", ["scaling", "sides"])
def test_bars_of_regions_are_what_they_lose(browser, pages, page):
    browser.open(pages[page])
    found = {row["text"]: row["at"][1] for row in data(browser)["rows"] if row["parent"] is None and row["kind"] != "program"}
    rows = bars(browser, "regions")
    assert {row["name"] for row in rows} == set(found) and len(rows) == 3
    order = [abs(found[row["name"]]["lost_total_s"]) for row in rows]
    assert order == sorted(order, reverse=True)
    sides = [[sum(max(0, sign * at["lost_s"][cause]) for cause in CAUSES) for sign in (-1, 1)] for at in found.values()]
    width = max(left for left, _ in sides) + max(right for _, right in sides)
    zero = 100 * max(left for left, _ in sides) / width
    for row in rows:
        lost = found[row["name"]]["lost_s"]
        for cause, (left, wide) in row["parts"].items():
            assert wide == pytest.approx(100 * abs(lost[cause]) / width, abs=0.01)
            assert (left + wide <= zero + 0.01) if lost[cause] < 0 else (left >= zero - 0.01)
        parts = sorted(row["parts"].values())  # no gap, no overlap
        assert all(left + wide == pytest.approx(after, abs=0.05) for (left, wide), (after, _) in zip(parts, parts[1:]))
        assert all(abs(lost[cause]) < 2e-4 * width for cause in CAUSES if cause not in row["parts"])


def test_speedups_are_lines(browser, pages):
    browser.open(pages["scaling"])
    rows = [row for row in data(browser)["rows"] if row["kind"] in ("program", "region") and row["parent"] is None]
    said = browser.of("[...document.querySelectorAll('.choices button')].map(one => [one.querySelector('.place').textContent, "
                      "one.querySelector('b').textContent])")
    assert dict(said) == {row["text"]: f"× {row['at'][1]['speedup']:.2f}" for row in rows} and said[0][0].startswith("program ")
    assert browser.of("document.querySelectorAll('[data-figure=speedup] .chart g.line').length") == len(rows)


def test_tab_reaches_bars_and_lines_and_they_say_their_numbers(browser, pages):
    browser.open(pages["scaling"])
    said = set()
    for _ in range(60):
        browser.press("Tab")
        said.add(browser.of("document.activeElement.closest('.figure') && document.activeElement.closest('.figure').querySelector("
                            "'.readout').textContent"))
    words = {row["words"] for name in ("times", "losses", "regions") for row in bars(browser, name)}
    assert len(words) == 6 and words <= said
    assert any(text and text.startswith("program ") and " 2 threads " in text for text in said)


def test_dark_is_dark_and_light_is_light(browser, pages):
    grounds = []
    for scheme in ("light", "dark"):
        browser.open(pages["scaling"], prefers_color_scheme=scheme)
        grounds.append(browser.of("getComputedStyle(document.body).backgroundColor"))
        colours = browser.of("[...new Set([...document.querySelectorAll('.bars .cause')].map(one => one.className))].map(name => "
                             "getComputedStyle(document.getElementsByClassName(name)[0]).backgroundColor)")
        assert len(set(colours)) == len(colours) > 2 and grounds[-1] not in colours
    assert grounds == ["rgb(255, 255, 255)", "rgb(21, 24, 28)"]


def test_without_scripts_the_tables_are_there(browser, pages):
    browser.open(pages["sides"], scripts=False)
    assert browser.of("document.querySelectorAll('.row').length") == 0
    assert browser.of("[...document.querySelectorAll('table tbody tr')].every(row => row.offsetHeight > 0)")
    assert browser.of("[...document.querySelectorAll('.figure')].every(one => one.offsetHeight === 0)")


def test_what_is_printed_has_all_columns(browser, pages):
    browser.open(pages["sides"], media="print")
    assert browser.of("[...document.querySelectorAll('#table-4 thead th')].every(cell => cell.offsetWidth > 0)")
    assert browser.of("[...document.querySelectorAll('nav, .readout, input')].every(one => one.offsetHeight === 0)")


# ---- a page of one profile: its tree of callpaths, its charts ----

DEPTH = 10
ROUTINE = "__attribute__((noinline)) static void {side}_{level}(void) {{\n  {body}__asm__ volatile(\"\");\n}}\n"


def tree():
    """A program of routines that call two of the next level each."""
    text = ""
    for level in range(DEPTH, -1, -1):
        body = f"left_{level + 1}();\n  right_{level + 1}();\n  " if level < DEPTH else ""
        text += "".join(ROUTINE.format(side=side, level=level, body=body) for side in ("left", "right"))
    return text + """int main(void) {
#pragma omp parallel
  for (volatile int i = 0; i < 100000; i++)
    ;
  left_0();
  right_0();
  return 0;
}
"""


CALLPATHS = 2 * (2**(DEPTH + 1) - 1)  # of these alone
TABLE = "document.getElementById('callpath-table')"


@pytest.fixture(scope="module")
def large(build_program, run_heddle, tmp_path_factory):
    """A page of more than four thousand callpaths."""
    folder = tmp_path_factory.mktemp("large")
    program = build_program(tree(), flags=["-finstrument-functions"])
    result = run_heddle("run", "-q", "--overhead", "off", "-o", folder / "large.heddle", "--", program,
                        env={"OMP_NUM_THREADS": "2", "HEDDLE_MEMORY": "64M"})
    assert result.returncode == 0, result.stderr
    assert run_heddle("html", "-o", folder / "large.html", folder / "large.heddle").returncode == 0
    return folder / "large.html"


def rows(browser, column=0):
    """The cells of a column of the rows that are seen."""
    return browser.of(f"[...{TABLE}.tBodies[0].rows].map(row => row.cells[{column}].textContent.trim())")


def numbers(texts):
    return [float(text.lstrip("~<>=?")) if text not in ("", "-") else float("-inf") for text in texts]


def filter_by(browser, words):
    browser.of(f"""(input => {{ input.value = {words!r}; input.dispatchEvent(new Event('input')); }})(
      document.querySelector('input[aria-label="filter callpaths"]'))""")


def test_a_heading_sorts_and_sorts_back(browser, large):
    browser.open(large)
    before = rows(browser)
    headings = browser.of(f"[...{TABLE}.tHead.rows[0].cells].map(cell => cell.textContent)")
    column = headings.index("Busy")
    click = f"{TABLE}.tHead.rows[0].cells[{column}].querySelector('button').click()"
    found = {}
    for state in ["descending", "ascending"]:
        browser.of(click)
        assert browser.of(f"{TABLE}.tHead.rows[0].cells[{column}].getAttribute('aria-sort')") == state
        found[state] = numbers(rows(browser, column))
        assert found[state] == sorted(found[state], reverse=state == "descending")
    assert found["ascending"][0] < found["descending"][0]
    browser.of(click)
    assert rows(browser) == before and browser.errors == []


def test_the_filter_leaves_what_matches_and_what_is_around_it(browser, large):
    browser.open(large)
    assert browser.of("heddle.node.size") > CALLPATHS
    filter_by(browser, "parallel")
    found = rows(browser)
    assert any("parallel" in text for text in found) and len(found) < 10
    filter_by(browser, "nothing of this name")
    assert rows(browser) == []
    filter_by(browser, "")
    assert len(rows(browser)) > 1 and browser.errors == []


def test_rows_unfold_and_only_so_many_are_shown_at_once(browser, large):
    browser.open(large)
    press = "[...document.querySelectorAll('.tools button')].find(button => button.textContent === '{}').click()"
    browser.of(press.format("unfold all"))
    assert len(rows(browser)) == 200
    more = "[...document.querySelectorAll('button.more')].find(button => !button.hidden)"
    browser.of(f"{more}.click()")
    assert len(rows(browser)) == 400
    browser.of(press.format("fold all"))
    assert 1 < len(rows(browser)) < 20 and browser.errors == []


def widths(browser):
    return browser.of("Object.fromEntries([...document.querySelectorAll('svg.flame g')].map("
                      "group => [group.querySelector('title').textContent, +group.querySelector('rect').getAttribute('width')]))")


def test_the_flame_view_zooms_by_click_and_key(browser, large):
    browser.open(large)
    whole = widths(browser)
    name = next(title for title in whole if "left" in title and 5 < whole[title] < max(whole.values()) / 2)
    browser.of(f"""[...document.querySelectorAll('svg.flame g')].find(group => group.querySelector('title').textContent === {name!r}).
      dispatchEvent(new MouseEvent('click', {{bubbles: true}}))""")
    assert widths(browser)[name] == pytest.approx(max(whole.values()), abs=2)
    browser.of("document.querySelector('svg.flame').dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    assert widths(browser)[name] < max(whole.values()) and browser.errors == []


def test_the_timeline_zooms_by_key(browser, large):
    browser.open(large)
    chart = "document.querySelector('#timeline svg')"
    labels = f"[...{chart}.querySelectorAll('.axis')][0].textContent"
    whole = browser.of(labels)
    browser.of(f"{chart}.dispatchEvent(new KeyboardEvent('keydown', {{key: '+', bubbles: true}}))")
    assert browser.of(labels) != whole
    browser.of(f"{chart}.dispatchEvent(new KeyboardEvent('keydown', {{key: '0', bubbles: true}}))")
    assert browser.of(labels) == whole and browser.errors == []


def test_a_region_has_a_chart_of_the_run(browser, large):
    browser.open(large)
    heading = "[...document.querySelectorAll('#region h3')].find(one => one.textContent.startsWith('When it ran'))"
    assert browser.of(f"{heading}.textContent").startswith("When it ran, and threads of the program busy then: parallel ")
    chart = f"{heading}.parentElement.querySelector('svg')"
    history = browser.of("heddle.node.get(Number(document.querySelector('#region select').value)).history")
    busy = [seconds / elapsed if elapsed else 0 for seconds, elapsed in zip(history["busy_s"], history["elapsed_s"])]
    heights = browser.of(f"[...{chart}.querySelectorAll('.area rect')].map(rect => +rect.getAttribute('height'))")
    assert len(heights) == len(busy) and max(busy) > 0
    assert heights == pytest.approx([height * max(heights) / max(busy) for height in busy], abs=0.01)
    assert browser.errors == []


@pytest.mark.timed
def test_two_thousand_callpaths_open_in_two_seconds(browser, large):
    def measure_once():
        browser.open(large)
        filter_by(browser, "left right")
        return browser.of("performance.getEntriesByType('navigation')[0].loadEventEnd")

    def check(milliseconds):
        assert 0 < milliseconds < 2000

    check_times(measure_once, check)
