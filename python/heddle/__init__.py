# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Heddle's profiles as tables, for scripts and notebooks.

    import heddle
    run = heddle.load("app.1234.heddle")
    for region in run.regions.by("potential_gain_s")[:3]:
        print(region["place"], region["potential_gain_s"])
    run.callpaths.frame()      # a pandas.DataFrame, if pandas is installed

Rows are dictionaries with the names of the JSON (docs/profile-json.md); times are in seconds, None was not measured. The
command `heddle` does the reading: it is the one that the variable HEDDLE names, or that PATH has.
"""
import functools
import json
import os
import subprocess

__all__ = ["Error", "Profile", "Table", "compare", "extra_p", "load"]


class Error(RuntimeError):
    """What the command said when it failed."""


def _json_of(*arguments):
    command = [os.environ.get("HEDDLE", "heddle"), *map(os.fspath, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except FileNotFoundError:
        raise Error(f"there is no command {command[0]}: add it to PATH, or set HEDDLE to its path") from None
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")
    return json.loads(done.stdout)


class Table(list):
    """Rows, which are dictionaries."""

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return Table(found) if isinstance(index, slice) else found

    def where(self, condition=None, **values):
        """The rows for which condition(row) is true and that have these values: where(kind="parallel")."""
        return Table(row for row in self if (condition is None or condition(row)) and
                     all(row.get(key) == value for key, value in values.items()))

    def by(self, key):
        """The rows with the largest numbers first; those without one last."""
        return Table(sorted(self, key=lambda row: (row.get(key) is not None, row.get(key) or 0), reverse=True))

    def column(self, key):
        return [row.get(key) for row in self]

    def frame(self):
        """A pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise Error("frame() needs pandas (Debian: python3-pandas)") from None
        return pandas.DataFrame.from_records(self)


def _place(entry):
    at = f"{os.path.basename(entry['file'])}:{entry['line']}" if entry["file"] and entry["line"] else ""
    name = entry["name"] or ""
    kind = entry["kind"].replace("_", " ")
    if entry["kind"] in ("routine", "phase", "program"):
        return " ".join(filter(None, (name or kind, at)))
    return " ".join(filter(None, (kind, at, f"in {name}" if name else "")))


class Profile:
    """A profile. run, program, timeline: these objects of the JSON. All tables are made when they are first asked for."""

    def __init__(self, data, path=None, since=None):
        self.data, self.path, self.since = data, path, since
        self.run, self.program, self.timeline = data["run"], data["program"], data["timeline"]

    def __repr__(self):
        command = self.run["command"] or [self.run["program"]]
        return f"<heddle.Profile of {' '.join(command)}: {self.program['elapsed_s']:.3f} s>"

    @functools.cached_property
    def callpaths(self):
        """A row for each callpath: the JSON's "profiles" with `place` (its text), `depth`, and `path` (the ids from the
        program down to it)."""
        paths = {}
        rows = Table()
        for entry in self.data["profiles"]:
            paths[entry["id"]] = [*paths.get(entry["parent"], []), entry["id"]]
            rows.append({**entry, "place": _place(entry), "depth": len(paths[entry["id"]]) - 1, "path": paths[entry["id"]]})
        return rows

    @property
    def regions(self):
        """The callpaths that end in a parallel or teams region."""
        return self.callpaths.where(lambda row: row["kind"] in ("parallel", "teams"))

    @property
    def loops(self):
        return self.callpaths.where(lambda row: row["kind"].startswith("loop"))

    @property
    def threads(self):
        return Table(self.data["threads"])

    @functools.cached_property
    def callpath_threads(self):
        """A row for each thread in each callpath, with `callpath`."""
        return Table({"callpath": entry["id"], **row} for entry in self.data["profiles"] for row in entry["threads"])

    @functools.cached_property
    def waits(self):
        """callpath, cause, seconds."""
        return Table({"callpath": entry["id"], "cause": cause, "seconds": seconds} for entry in self.data["profiles"]
                     for cause, seconds in (entry["wait_s"] or {}).items() if seconds)

    @functools.cached_property
    def levels(self):
        """callpath, k, seconds: the thread time that it was busy while k threads of the program were."""
        return Table({"callpath": entry["id"], "k": k, "seconds": seconds} for entry in self.data["profiles"]
                     for k, seconds in enumerate(entry["thread_time_at_k_s"] or []) if seconds)

    @functools.cached_property
    def histories(self):
        """Regions in time. callpath, begin_s (after the program's start), length_s; elapsed_s: how long the region ran in
        it; busy_threads: how many threads of the program were busy meanwhile, on average."""
        elapsed_s = self.program["elapsed_s"]
        return Table({"callpath": entry["id"], "begin_s": begin, "length_s": min(history["width_s"], elapsed_s - begin),
                      "elapsed_s": elapsed, "busy_threads": busy / elapsed if elapsed else None}
                     for entry in self.data["profiles"] if (history := entry.get("history"))
                     for i, (elapsed, busy) in enumerate(zip(history["elapsed_s"], history["busy_s"]))
                     for begin in [history["begin_s"] + i * history["width_s"]])

    @functools.cached_property
    def samples(self):
        """What threads were executing, with `callpath`."""
        return Table({"callpath": entry["id"], **sample} for entry in self.data["profiles"]
                     for sample in entry.get("samples") or [])

    @functools.cached_property
    def findings(self):
        """What `heddle explain` finds, the largest gain first."""
        if self.path is None:
            raise Error("findings need the profile's file: use heddle.load()")
        return Table(_json_of("explain", "--json", *_since(self.since), self.path)["findings"])


def _since(earlier):
    return [] if earlier is None else ["--since", earlier]


def load(path, since=None):
    """The Profile in a file; or what of it came after an earlier one of the same run (`heddle ctl PID snapshot`)."""
    return Profile(_json_of("export", "--format", "json", *_since(since), path), path, since)


def compare(*paths):
    """The JSON of `heddle compare` (docs/compare.md)."""
    return _json_of("compare", "--json", *paths)


def extra_p(profiles, out, metrics=("elapsed_s", "busy_s"), parameter="threads"):
    """Writes measurements for Extra-P (its JSON lines) to the file `out`: a line for each profile, callpath and metric that
    was measured. Profiles of several runs with the same number of threads are its repetitions."""
    for profile in profiles:
        threads = len(profile.threads)
        places = {row["id"]: row["place"] for row in profile.callpaths}
        for row in profile.callpaths:
            callpath = "->".join(places[at] for at in row["path"])
            for metric in metrics:
                if row.get(metric) is not None:
                    print(json.dumps({"params": {parameter: threads}, "callpath": callpath, "metric": metric,
                                      "value": row[metric]}), file=out)
