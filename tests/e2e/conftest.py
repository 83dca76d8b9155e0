# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end-to-end harness: builds programs, runs them under Heddle on three libomps, reads what `heddle export` says.

HEDDLE_BUILD names the build folder (default: build/), HEDDLE the command, HEDDLE_RUNTIMES the folder that
scripts/fetch-runtimes filled. With HEDDLE_NO_SKIP set a skipped test is a failure.
"""
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from levels import broken_identities

# Programs and fixtures that several files of tests have in common.
pytest_plugins = ("timed", "compared_profiles", "concurrency", "machine", "host_program", "browser", "run_program", "scale_program",
                  "steered_program", "top_program", "mpi_jobs")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = SOURCE / "tests" / "e2e" / "programs"
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", SOURCE / "build")).resolve()
HEDDLE = pathlib.Path(os.environ.get("HEDDLE", BUILD / "cli" / "heddle"))
LIBRARY = BUILD / "ompt" / "libheddle.so"
RUNTIMES = pathlib.Path(os.environ.get("HEDDLE_RUNTIMES", BUILD / "runtimes")).resolve()
VERSIONS = (14, 16, 19)
TIMEOUT_S = 600  # of what should never hang: a busy machine may be ten times slower than an idle one


def pytest_configure(config):
    config.addinivalue_line("markers", "timed: measures time; nothing else may run beside it")
    for number in (signal.SIGINT, signal.SIGQUIT):  # ignored in a shell's background jobs; programs would inherit that
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_ignore_collect(collection_path):
    """With HEDDLE_AREAS, which scripts/test sets, only these of the folders beside this file: "command|host"."""
    areas = os.environ.get("HEDDLE_AREAS")
    is_area = collection_path.is_dir() and collection_path.parent == SOURCE / "tests" / "e2e"
    return True if areas and is_area and collection_path.name not in areas.split("|") else None


def libomp_folder(version):
    return RUNTIMES / str(version) / "usr" / "lib" / f"llvm-{version}" / "lib"


def build_id(path):
    """By readelf; None: the file has none."""
    found = re.search(r"Build ID: ([0-9a-f]+)", subprocess.run(["readelf", "-n", path], capture_output=True, text=True,
                                                               check=True).stdout)
    return found and found.group(1)


def clean_environment():
    """The caller's environment without anything that steers OpenMP or Heddle."""
    steering = ("OMP_", "KMP_", "GOMP_", "HEDDLE", "LD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(steering)}


@pytest.fixture(params=VERSIONS, ids=lambda version: f"libomp{version}")
def runtime(request):
    """A libomp's version; the test runs once on each."""
    if not (libomp_folder(request.param) / "libomp.so.5").exists():
        pytest.skip(f"no libomp {request.param} below {RUNTIMES}: run scripts/fetch-runtimes {BUILD}")
    return request.param


@pytest.fixture(scope="session")
def heddle():
    """The path of the command."""
    assert HEDDLE.exists(), f"{HEDDLE} is not built"
    return HEDDLE


@pytest.fixture(scope="session")
def run_heddle(heddle):
    """run_heddle("report", file) -> CompletedProcess."""

    def run(*arguments, env=None, **options):
        return subprocess.run([heddle, *map(str, arguments)], env={**clean_environment(), **(env or {})},
                              capture_output=True, encoding="utf-8", errors="surrogateescape", timeout=TIMEOUT_S,
                              **options)

    return run


def source_of(name):
    """The path of a program by its file's name: names are unique below programs/. A path is one already."""
    if isinstance(name, pathlib.Path):
        return name
    found = list(PROGRAMS.rglob(name))
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def compile_command(compiler, source, program, flags):
    """clang: version 14, whose programs run on every libomp; with libomp's headers from the unpacked packages."""
    folders = [PROGRAMS, *sorted(path for path in PROGRAMS.iterdir() if path.is_dir())]
    command = [compiler, "-fopenmp", "-g", "-O2", *(f"-I{folder}" for folder in folders)]
    if compiler in ("clang", "clang++"):
        library = libomp_folder(14)
        headers = next(library.glob("clang/14*/include"), None)
        if headers is None:
            pytest.skip(f"no omp.h below {library}: run scripts/fetch-runtimes {BUILD}")
        command += ["-isystem", str(headers), f"-L{library}"]
    return command + [str(source), "-o", str(program), "-lm", *flags]


@functools.cache
def compiler_version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


@functools.cache
def headers():
    """All that a program of the tests may include of this project's."""
    return "".join(path.read_text() for path in sorted([*PROGRAMS.rglob("*.h"), *(SOURCE / "include").glob("*.h")]))


def compile_program(source, compiler, place, flags):
    """Compiles in a folder, where .dwo files go, too; the program's path."""
    path = source
    if "\n" in str(source):
        path = place / "program.c"
        path.write_text(source)
    elif not os.path.isabs(source):
        path = source_of(source)
    program = place / path.stem
    result = subprocess.run(compile_command(compiler, path, program, flags), capture_output=True, text=True, cwd=place)
    assert result.returncode == 0, result.stderr
    return program


def compile_once(source, compiler, flags):
    """As compile_program(), in a folder below BUILD that all workers and later sessions share; nobody may change it.
    None: the flags name a file, which may change."""
    if any("/" in flag.replace(str(SOURCE), "") for flag in map(str, flags)):
        return None
    text = source if "\n" in str(source) else source_of(source).read_text()
    key = repr((text, str(source), compiler_version(compiler), compile_command(compiler, "", "", flags), headers()))
    place = BUILD / "e2e-programs" / hashlib.sha256(key.encode()).hexdigest()[:20]
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        name = place / "name"
        if not name.exists():
            name.write_text(compile_program(source, compiler, place, flags).name)
        return place / name.read_text()


@pytest.fixture(scope="session")
def build_program(tmp_path_factory):
    """build_program("name.c" in programs/, a path, or the text of a C program; compiler, flags) -> the program's path.
    Compilers: clang (14; its programs run on every libomp), clang++, clang-19, gcc. It is the session's own copy."""
    built = {}
    folder = tmp_path_factory.mktemp("programs")

    def build(source, compiler="clang", flags=()):
        key = (str(source), compiler, tuple(flags))
        if key not in built:
            place = folder / str(len(built))
            place.mkdir(exist_ok=True)  # the compiler may have been missing the first time
            if shared := compile_once(source, compiler, flags):
                built[key] = pathlib.Path(shutil.copy2(shared, place))
            else:
                built[key] = compile_program(source, compiler, place, flags)
        return built[key]

    return build


def environment_for(runtime, threads=None, env=None):
    result = clean_environment()
    if runtime is not None:
        result["LD_LIBRARY_PATH"] = str(libomp_folder(runtime))
    if threads is not None:
        result["OMP_NUM_THREADS"] = str(threads)
    result.update(env or {})
    return result


def run_plain(program, *arguments, runtime=None, threads=None, env=None):
    """Runs a program without Heddle -> CompletedProcess."""
    return subprocess.run([program, *map(str, arguments)], env=environment_for(runtime, threads, env),
                          capture_output=True, text=True, timeout=TIMEOUT_S)


@pytest.fixture(scope="session")
def live_store():
    """Where profiles lie while their programs run. What a killed program leaves there goes with the session."""
    with tempfile.TemporaryDirectory(prefix="heddle-tests-", dir="/dev/shm") as place:
        yield place


@pytest.fixture
def profile(tmp_path, live_store):
    """profile(program, arguments..., runtime=, threads=, env=) -> path of the profile; profile.result: how it ended.
    Only OMP_TOOL_LIBRARIES is set, as a user without `heddle run` would do."""
    paths = []

    def run(program, *arguments, runtime=None, threads=None, env=None):
        path = tmp_path / f"{len(paths)}.heddle"
        paths.append(path)
        tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path), "HEDDLE_STORE_DIR": live_store}
        run.result = run_plain(program, *arguments, runtime=runtime, threads=threads, env={**tool, **(env or {})})
        assert path.exists(), f"no profile; status {run.result.returncode}, standard error: {run.result.stderr}"
        return path

    return run


@pytest.fixture
def export(run_heddle):
    """export(path, *options) -> the profile's JSON: a dictionary, with a Profile's look-ups."""

    def load(path, *options):
        result = run_heddle("export", "--format", "json", *options, path)
        assert result.returncode == 0, result.stderr
        return Profile(json.loads(result.stdout))

    return load


@pytest.fixture
def measure(profile, export):
    """measure(program, arguments..., runtime=, ...) -> Profile, with .path, .stdout and the program's own books in
    seconds (programs/spin.h): .spun, .blocked, .waited, .joined of each thread, .elapsed of each team. events, at: what
    is counted, and where (counting.py); then no symbol is looked up late, which would count, too."""

    def run(program, *arguments, threads=None, env=None, events=None, at=None, **options):
        asked = {"HEDDLE_COUNTERS": events, "HEDDLE_COUNTERS_AT": at, "LD_BIND_NOW": events and "1"}
        env = {**(env or {}), **{name: value for name, value in asked.items() if value}}
        steered = {"OMP_WAIT_POLICY", "KMP_BLOCKTIME"} & set(env or {})
        if threads and threads > len(os.sched_getaffinity(0)) and not steered:  # who waits must leave them to who spins
            env = {"OMP_WAIT_POLICY": "passive", **(env or {})}
        path = profile(program, *arguments, threads=threads, env=env, **options)
        assert profile.result.returncode == 0, profile.result.stderr
        return load_checked(export, path, profile.result.stdout)

    return run


BOOKS = ("spun", "blocked", "waited", "joined", "elapsed", "running", "ran", "stood")  # lines of a program's output


def load_checked(export, path, stdout):
    """The profile's JSON with the program's own books, once everything that always holds is seen to hold."""
    loaded = export(path)
    loaded.path = path
    loaded.stdout = stdout
    for book in BOOKS:
        lines = re.findall(rf"^{book} \d+ (\d+)$", loaded.stdout, re.M)
        setattr(loaded, book, [int(ns) / 1e9 for ns in lines])
    assert_states_sum_to_lifetimes(loaded)
    assert_identities(loaded)
    assert_entries(loaded)
    return loaded


INSTRUMENTED = ("-finstrument-functions", "-pthread")


@pytest.fixture
def run_routines(heddle, tmp_path):
    """run_routines(program, arguments..., runtime=, gomp=, env=) -> path of the profile that `heddle run` saved, or None;
    run_routines.result: how it ended. `gomp`: the program was built by GCC and uses OpenMP. events, at: what is
    counted, and where; options: more of `heddle run`'s. Threads that wait leave the cores alone. Calls come in floods, and
    tests count every one: there is no budget."""
    count = 0

    def run(program, *arguments, runtime=19, threads=None, gomp=False, env=None, events=None, at=None, options=(),
            timeout=TIMEOUT_S):
        nonlocal count
        count += 1
        path = tmp_path / f"routines-{count}.heddle"
        asked = ["--gomp", "--libomp", libomp_folder(runtime) / "libomp.so.5"] if gomp else []
        asked += ["-e", events] if events else []
        asked += ["--counters-at", at] if at else []
        store = tmp_path / "store"
        store.mkdir(exist_ok=True)
        env = {"OMP_WAIT_POLICY": "passive", "HEDDLE_STORE_DIR": str(store), "HEDDLE_OVERHEAD": "off",
               **({"LD_BIND_NOW": "1"} if events else {}), **(env or {})}
        run.result = subprocess.run([heddle, "run", "-q", *asked, *options, "-o", path, "--", program,
                                     *map(str, arguments)],
                                    env=environment_for(runtime, threads, env), capture_output=True, timeout=timeout,
                                    encoding="utf-8", errors="surrogateescape", cwd=tmp_path)
        return path if path.exists() else None

    return run


@pytest.fixture
def measure_routines(run_routines, export):
    """As `measure`, but under `heddle run`, for instrumented programs. status: the exit status that is expected."""

    def run(program, *arguments, status=0, **options):
        path = run_routines(program, *arguments, **options)
        result = run_routines.result
        assert result.returncode == status, (result.returncode, result.stdout[-2000:], result.stderr)
        assert path, f"no profile: {result.stderr}"
        return load_checked(export, path, result.stdout)

    return run


def marks(source):
    """Line numbers of a program's `// mark: NAME` comments."""
    found = {}
    for number, line in enumerate(source_of(source).read_text().splitlines(), start=1):
        match = re.search(r"// mark: (.+)$", line)
        if match:
            assert match.group(1) not in found, f"{source}: two marks {match.group(1)}"
            found[match.group(1)] = number
    return found


class Profile(dict):
    """A profile's JSON with look-ups. Entries are the JSON's own dictionaries."""

    @property
    def profiles(self):
        return self["profiles"]

    @property
    def threads(self):
        return self["threads"]

    def all(self, line, kind=None, below=None):
        """The entries of a source line (and of a kind, and with an ancestor at line `below`)."""
        found = [e for e in self.profiles if e["line"] == line and (kind is None or e["kind"] == kind)]
        if below is not None:
            found = [e for e in found if any(a["line"] == below for a in self.ancestors(e))]
        return found

    def one(self, line, kind=None, below=None):
        found = self.all(line, kind, below)
        assert len(found) == 1, f"{len(found)} entries of line {line}, kind {kind}: {self.summary()}"
        return found[0]

    def visits(self, line, kind=None, below=None):
        """Summed over the code addresses of a line: the compiler unrolls loops and copies inlined functions."""
        return sum(entry["visits"] for entry in self.all(line, kind, below))

    def routines(self, name, below=None):
        """The entries of a routine, also those for its recursive calls (and with an ancestor named `below`)."""
        found = [e for e in self.profiles if e["kind"] == "routine" and e["name"] == name]
        if below is not None:
            found = [e for e in found if any(a["name"] == below and a["kind"] == "routine" for a in self.ancestors(e))]
        return found

    def routine(self, name, below=None):
        found = self.routines(name, below)
        assert len(found) == 1, f"{len(found)} entries of routine {name}: {self.summary()}"
        return found[0]

    def calls(self, name):
        """Of a routine, whoever called it."""
        return sum(entry["visits"] or 0 for entry in self.routines(name))

    def arcs(self):
        """{(caller, callee): calls} of routines by name; what is called by none that is known has caller None."""
        found = {}
        for entry in self.profiles:
            if entry["kind"] == "routine" and entry["visits"]:  # 0: a path that was begun and given up
                caller = next((a["name"] for a in self.ancestors(entry) if a["kind"] == "routine"), None)
                found[caller, entry["name"]] = found.get((caller, entry["name"]), 0) + entry["visits"]
        return found

    def ancestors(self, entry):
        by_id = {e["id"]: e for e in self.profiles}
        while entry["parent"] in by_id:
            entry = by_id[entry["parent"]]
            yield entry

    def summary(self):
        return [(e["id"], e["parent"], e["kind"], e["name"], e["line"], e["visits"]) for e in self.profiles]


def wait_of(entry, cause):
    """Seconds waited for a cause; a cause that is not listed was not met."""
    return entry["wait_s"].get(cause, 0.0)


def assert_close(actual, expected, what, scale=None):
    """Within 1 % of the expected value; one that is itself no more than 1 % of `scale`, within 1 % of `scale`."""
    limit = 0.01 * abs(expected)
    if scale and limit <= 1e-4 * scale:
        limit = 0.01 * scale
    assert abs(actual - expected) <= limit, f"{what}: {actual:.6f}, expected {expected:.6f} within {limit:.6f}"


def assert_between(actual, low, high, what, scale):
    """No less than low and no more than high, each with assert_close's 1 %."""
    if actual < low:
        assert_close(actual, low, what, scale)
    if actual > high:
        assert_close(actual, high, what, scale)


def assert_states_sum_to_lifetimes(loaded):
    """A thread's busy, idle, runtime and waiting time add up to its lifetime, up to the rounding of the output."""
    assert loaded.threads
    for thread in loaded.threads:
        total = thread["busy_s"] + thread["idle_s"] + thread["wait_s"] + thread["runtime_s"]
        assert abs(total - thread["lifetime_s"]) < 1e-6, thread


def assert_identities(loaded):
    """Those of exact concurrency."""
    failures = broken_identities(loaded)
    assert not failures, "\n".join(failures[:20])


CASES = ("S-S", "S-C", "C-S", "C-C")


def case_visits(entry):
    """Entries by the caller's and their own state: [S-S, S-C, C-S, C-C]."""
    return [entry["entries"][case]["visits"] for case in CASES]


def case_elapsed(entry):
    return [entry["entries"][case]["elapsed_s"] for case in CASES]


def assert_entries(loaded):
    """What holds for the entries of all routines: the cases add up, and threads add up. A note tells of lost ones."""
    lost = any("entries" in note for note in loaded["run"]["notes"])
    for entry in loaded.profiles:
        cases = entry.get("entries")
        if entry["kind"] != "routine" or not cases:
            continue
        name = entry["name"], entry["id"]
        visits = case_visits(entry)
        assert sum(visits) == entry["visits"] or lost and sum(visits) < entry["visits"], (name, visits, entry["visits"])
        assert visits[1] + visits[3] == entry["visits_concurrent"], (name, visits, entry["visits_concurrent"])
        assert abs(sum(case_elapsed(entry)) - entry["elapsed_s"]) < 1e-9 * (1 + entry["elapsed_s"]), name
        split = entry["busy_sequential_s"] + entry["busy_concurrent_s"]
        assert abs(split - entry["busy_s"]) < 1e-9 * (1 + split), (name, split, entry["busy_s"])
        for case in CASES:
            of_threads = [thread["entries"][case] for thread in entry["threads"] if thread.get("entries")]
            assert sum(one["visits"] for one in of_threads) == cases[case]["visits"], (name, case)
            total = sum(one["elapsed_s"] for one in of_threads)
            assert abs(total - cases[case]["elapsed_s"]) < 1e-9 * (1 + total), (name, case)
