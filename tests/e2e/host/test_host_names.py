# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with functions of their own that are called like the C library's."""
from conftest import marks
from host_program import either_way

SOURCE = "own_names.c"


@either_way
def test_functions_of_the_program_are_not_called(both, export, under_run):
    pair = both(SOURCE, under_run=under_run, flags=("-fno-builtin", "-w", "-rdynamic"))
    loaded = export(pair.only())
    assert pair.status == 9
    assert loaded.visits(marks(SOURCE)["region"], "parallel") == 10
