# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks print: Markdown tables, and the processor that they ran on."""
import pathlib
import platform


def number(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


def with_interval(found, form=number):
    """found: a value and the ends of its interval."""
    value, low, high = map(form, found)
    return f"{value} ({low} to {high})"


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(cells):
    print_row(cells)
    print_row(["---"] * len(cells))


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())
