/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file c.c
 * The wrappers of the functions that C calls.
 */
#include "mpi/wrap.h"

HD_EXPORTED struct heddle_mpi_calls heddle_mpi_calls_2;

#define WRAP_AS(kind, function, parameters, arguments, bytes)                                                          \
  HD_EXPORTED int function parameters {                                                                                \
    HD_FIND_NEXT(int, function, parameters);                                                                           \
    const uint32_t begun = hd_mpi_begin(HEDDLE_MPI_##kind, #function, caller);                                         \
    hd_mpi_prepare(#function, caller);                                                                                 \
    const int result = next arguments;                                                                                 \
    if (begun)                                                                                                         \
      heddle_mpi_calls_2.end(begun, result == MPI_SUCCESS ? (bytes) : 0);                                              \
    return result;                                                                                                     \
  }
#define WRAP(kind, Name, name, parameters, arguments, bytes) WRAP_AS(kind, MPI_##Name, parameters, arguments, bytes)

#define IN(type) type
#define OUT(type) type *
#define ARRAY(type) const type *
#define COUNTS const COUNT *
#define DATATYPE MPI_Datatype
#define DATATYPES const MPI_Datatype *
#define ROOT int
#define COMM MPI_Comm
#define OP MPI_Op
#define DISPLACEMENTS const DISPLACEMENT *

#define VALUE(parameter) (parameter)
#define DATATYPE_OF(parameter) (parameter)
#define COMM_OF(parameter) (parameter)
#define OP_OF(parameter) (parameter)
#define IS_IN_PLACE(buffer) ((buffer) == MPI_IN_PLACE)

#define COUNT int
#define DISPLACEMENT int
#define FUNCTION WRAP
#define CHOICE WRAP
#define LARGE WRAP
#define LARGE_CHOICE WRAP
#define TEXT(kind, Name, name, parameters, arguments) WRAP(kind, Name, name, parameters, arguments, NOTHING)
#define TEXTS TEXT
#define C_ONLY(kind, Name, parameters, arguments) WRAP(kind, Name, , parameters, arguments, NOTHING)
#define FORTRAN_ONLY(...)
#include "mpi/functions.h"

/* ---- large counts ---- */

#if MPI_VERSION >= 4
#undef COUNT
#undef DISPLACEMENT
#undef FUNCTION
#undef CHOICE
#undef LARGE
#undef LARGE_CHOICE
#undef TEXT
#undef TEXTS
#undef C_ONLY
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define FUNCTION(...)
#define CHOICE(...)
#define LARGE(kind, Name, name, parameters, arguments, bytes)                                                          \
  WRAP_AS(kind, MPI_##Name##_c, parameters, arguments, bytes)
#define LARGE_CHOICE LARGE
#define TEXT(...)
#define TEXTS(...)
#define C_ONLY(...)
#include "mpi/functions.h"
#endif
