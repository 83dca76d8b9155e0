// Stands in for libheddle.so: remembers the calls that the wrappers report, and compares each with what the program
// expects. A program ends with `return finish();`, which prints "checked N" if nothing was wrong.
#ifndef RECORDER_H
#define RECORDER_H

#include <stdint.h>

#include "mpi/calls.h"

// After one call of MPI: that alone was reported, with these bytes.
#define EXPECT(call, kind, bytes) expect_after((call) == 0, __LINE__, #call, HEDDLE_MPI_##kind, (uint64_t)(bytes))
#define EXPECT_FAILURE(call, kind) expect_after((call) != 0, __LINE__, #call, HEDDLE_MPI_##kind, 0)

void expect_after(int as_it_should, int line, const char *call, enum heddle_mpi_kind kind, uint64_t bytes);
// A call whose record is of no interest.
#define QUIETLY(call) ((call), forget())
void forget(void);
int finish(void);

#endif
