/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file bytes.h
 * How many bytes of this rank's own data a call names: what it sends, or its receive buffer if it only receives. Asked
 * after a call that succeeded, so handles that matter are valid. What MPI says is not significant is not looked at, and
 * where a rank of a collective call neither sends nor receives by itself, there is nothing.
 *
 * The macros are the last column of functions.h. They use `caller`, and for each language: VALUE, the value of a
 * parameter; DATATYPE_OF, COMM_OF, OP_OF, the handle in C; IS_IN_PLACE.
 */
#ifndef HEDDLE_MPI_BYTES_H
#define HEDDLE_MPI_BYTES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open MPI's constants are the addresses of its variables, which a process without it does not have. */
#ifdef OPEN_MPI
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_op_no_op
#endif

#define NOTHING 0
#define BUFFER(count, type) hd_buffer_bytes(caller, VALUE(count), DATATYPE_OF(type))
#define ELEMENT(type) hd_buffer_bytes(caller, 1, DATATYPE_OF(type))
/* One of several buffers of a type; all of them; all, with a type for each. */
#define BUFFER_OF(which, counts, type) hd_buffer_bytes(caller, (counts)[which], DATATYPE_OF(type))
#define BUFFERS(number, counts, type)                                                                                  \
  hd_buffer_bytes(caller, hd_sum((number), (counts), sizeof *(counts)), DATATYPE_OF(type))
#define BUFFERS_OF_TYPES(number, counts, types)                                                                        \
  hd_buffers_bytes(caller, (number), (counts), sizeof *(counts), (types), sizeof *(types))

/* Between groups, a rank of the root's group is none of those that take part; the root has the others' data. */
#define ROOTED(count, type, root) (VALUE(root) == MPI_PROC_NULL ? 0 : BUFFER(count, type))
/* What the root gets from each rank, or gives it. */
#define SHARE(buffer, count, type, root)                                                                               \
  (VALUE(root) == MPI_ROOT || VALUE(root) == MPI_PROC_NULL || IS_IN_PLACE(buffer) ? 0 : BUFFER(count, type))

#define IS_NO_OP(op) (OP_OF(op) == MPI_NO_OP)
#define RANK(comm) hd_rank(caller, COMM_OF(comm))
#define MEMBERS(comm) hd_members(caller, COMM_OF(comm))
#define PEERS(comm) hd_peers(caller, COMM_OF(comm))
#define NEIGHBORS(comm) hd_neighbors(caller, COMM_OF(comm))

/** Of a buffer; 0 if the count is negative, or MPI does not know the type's size. */
uint64_t hd_buffer_bytes(const void *caller, MPI_Count count, MPI_Datatype type);

/** Of counts, each of as many bytes: those of int, or of MPI_Count. */
MPI_Count hd_sum(unsigned number, const void *counts, size_t count_bytes);

/** Of buffers of different types, each a handle of C or, of other size, of Fortran. */
uint64_t hd_buffers_bytes(const void *caller, unsigned number, const void *counts, size_t count_bytes,
                          const void *types, size_t type_bytes);

/** This rank; the ranks in its group; those that each rank exchanges data with: in the other group if there is one. */
unsigned hd_rank(const void *caller, MPI_Comm comm);
unsigned hd_members(const void *caller, MPI_Comm comm);
unsigned hd_peers(const void *caller, MPI_Comm comm);

/** The ranks that this one sends to in a topology. */
unsigned hd_neighbors(const void *caller, MPI_Comm comm);

/** From Fortran's handles. */
MPI_Datatype hd_datatype_of(const void *caller, MPI_Fint handle);
MPI_Comm hd_comm_of(const void *caller, MPI_Fint handle);
MPI_Op hd_op_of(const void *caller, MPI_Fint handle);

#endif
