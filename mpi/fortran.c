/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file fortran.c
 * The wrappers of the functions that Fortran calls, in mpif.h and the module mpi (mpi_send_) and in the module mpi_f08.
 * The MPI libraries call C's behind them, mostly as PMPI_..., or from their own code, so that C's wrappers would either
 * not see the call, or not the program's line.
 *
 * Every parameter is an address, and the last one is that of the error code; mpi_f08 may pass none. The names are those
 * of compilers that use lower case and append an underscore. Lengths of strings come last of all.
 */
#include "mpi/wrap.h"

/* ---- MPI_IN_PLACE: the address of a variable that the program and MPI's Fortran library share ---- */

#ifdef OPEN_MPI
#define F08_CHOICE(name) mpi_##name##_f08_

extern int mpi_fortran_in_place_ __attribute__((weak));

static inline bool is_in_place(const void *buffer, bool has_descriptors) {
  (void)has_descriptors;
  return buffer == &mpi_fortran_in_place_;
}
#else
#define F08_CHOICE(name) mpi_##name##_f08ts_

extern void *MPIR_F_MPI_IN_PLACE __attribute__((weak));
#pragma weak MPIR_F08_MPI_IN_PLACE

/* A descriptor begins with the buffer's address. */
static inline bool is_in_place(const void *buffer, bool has_descriptors) {
  if (has_descriptors)
    return *(void *const *)buffer == &MPIR_F08_MPI_IN_PLACE;
  return &MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE;
}
#endif

/* ---- the wrappers ---- */

#define WRAP(kind, Name, symbol, with_descriptors, parameters, arguments, bytes)                                       \
  HD_EXPORTED void symbol parameters;                                                                                  \
  HD_EXPORTED void symbol parameters {                                                                                 \
    HD_FIND_NEXT(void, symbol, parameters);                                                                            \
    const bool has_descriptors = with_descriptors;                                                                     \
    (void)has_descriptors;                                                                                             \
    MPI_Fint own_error = MPI_SUCCESS;                                                                                  \
    error = error ? error : &own_error;                                                                                \
    const uint32_t begun = hd_mpi_begin(HEDDLE_MPI_##kind, "MPI_" #Name, caller);                                      \
    hd_mpi_prepare("MPI_" #Name, caller);                                                                              \
    next arguments;                                                                                                    \
    if (begun)                                                                                                         \
      heddle_mpi_calls_2.end(begun, *error == MPI_SUCCESS ? (bytes) : 0);                                              \
  }

#define IN(type) const void *
#define OUT(type) void *
#define ARRAY(type) const void *
#define COUNTS COUNT
#define DATATYPE const MPI_Fint *
#define DATATYPES const MPI_Fint *
#define ROOT const MPI_Fint *
#define COMM const MPI_Fint *
#define OP const MPI_Fint *
#define DISPLACEMENT const void *
#define DISPLACEMENTS const void *

#define VALUE(parameter) (*(parameter))
#define DATATYPE_OF(parameter) hd_datatype_of(caller, *(parameter))
#define COMM_OF(parameter) hd_comm_of(caller, *(parameter))
#define OP_OF(parameter) hd_op_of(caller, *(parameter))
#define IS_IN_PLACE(buffer) is_in_place((buffer), has_descriptors)

#define COUNT const MPI_Fint *
#define BOTH(kind, Name, name, f08_name, has_descriptors, parameters, arguments, bytes)                                \
  WRAP(kind, Name, mpi_##name##_, false, parameters, arguments, bytes)                                                 \
  WRAP(kind, Name, f08_name, has_descriptors, parameters, arguments, bytes)
#define FUNCTION(kind, Name, name, parameters, arguments, bytes)                                                       \
  BOTH(kind, Name, name, mpi_##name##_f08_, false, (LIST parameters, MPI_Fint * error), (LIST arguments, error), bytes)
#define CHOICE(kind, Name, name, parameters, arguments, bytes)                                                         \
  BOTH(kind, Name, name, F08_CHOICE(name), true, (LIST parameters, MPI_Fint * error), (LIST arguments, error), bytes)
#define LARGE FUNCTION
#define LARGE_CHOICE CHOICE
#define TEXT(kind, Name, name, parameters, arguments)                                                                  \
  BOTH(kind, Name, name, mpi_##name##_f08_, false, (LIST parameters, MPI_Fint * error, size_t length),                 \
       (LIST arguments, error, length), NOTHING)
#define TEXTS(kind, Name, name, parameters, arguments)                                                                 \
  BOTH(kind, Name, name, mpi_##name##_f08_, false, (LIST parameters, MPI_Fint * error, size_t length, size_t other),   \
       (LIST arguments, error, length, other), NOTHING)
#define C_ONLY(...)
#define FORTRAN_ONLY(kind, Name, name, parameters, arguments)                                                          \
  BOTH(kind, Name, name, mpi_##name##_f08_, false, parameters, arguments, NOTHING)
#include "mpi/functions.h"

/* ---- large counts: in MPICH's mpi_f08 alone ---- */

#if MPI_VERSION >= 4 && !defined OPEN_MPI
#undef COUNT
#undef FUNCTION
#undef CHOICE
#undef LARGE
#undef LARGE_CHOICE
#undef TEXT
#undef TEXTS
#undef FORTRAN_ONLY
#define COUNT const MPI_Count *
#define FUNCTION(...)
#define CHOICE(...)
#define LARGE(kind, Name, name, parameters, arguments, bytes)                                                          \
  WRAP(kind, Name, mpi_##name##_f08_large_, false, (LIST parameters, MPI_Fint * error), (LIST arguments, error), bytes)
#define LARGE_CHOICE(kind, Name, name, parameters, arguments, bytes)                                                   \
  WRAP(kind, Name, mpi_##name##_f08ts_large_, true, (LIST parameters, MPI_Fint * error), (LIST arguments, error), bytes)
#define TEXT(...)
#define TEXTS(...)
#define FORTRAN_ONLY(...)
#include "mpi/functions.h"
#endif
