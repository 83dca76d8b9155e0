/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mpi/bytes.h"

#include "entry/target.h"

/* A function of the MPI that the caller uses, by the name that no tool stands in front of. */
#define FIND(name, function)                                                                                           \
  static struct hd_target target_of_##name = {#function, {{0}}};                                                       \
  __typeof__(&function) const name = (__typeof__(&function))hd_target_of(&target_of_##name, caller)

/* The type of nothing need not be one. */
uint64_t hd_buffer_bytes(const void *caller, MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || !type || type == MPI_DATATYPE_NULL)
    return 0;
  FIND(type_size, PMPI_Type_size_x);
  return type_size(type, &size) == MPI_SUCCESS && size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

static MPI_Count count_at(unsigned which, const void *counts, size_t count_bytes) {
  return count_bytes == sizeof(int) ? ((const int *)counts)[which] : ((const MPI_Count *)counts)[which];
}

MPI_Count hd_sum(unsigned number, const void *counts, size_t count_bytes) {
  MPI_Count sum = 0;
  for (unsigned i = 0; i < number; i++) {
    const MPI_Count count = count_at(i, counts, count_bytes);
    sum += count > 0 ? count : 0;
  }
  return sum;
}

/* Where handles of C and of Fortran have the same size, they are the same. */
static MPI_Datatype type_at(const void *caller, unsigned which, const void *types, size_t type_bytes) {
  return type_bytes == sizeof(MPI_Datatype) ? ((const MPI_Datatype *)types)[which]
                                            : hd_datatype_of(caller, ((const MPI_Fint *)types)[which]);
}

uint64_t hd_buffers_bytes(const void *caller, unsigned number, const void *counts, size_t count_bytes,
                          const void *types, size_t type_bytes) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < number; i++)
    sum += hd_buffer_bytes(caller, count_at(i, counts, count_bytes), type_at(caller, i, types, type_bytes));
  return sum;
}

static unsigned no_less_than_0(int number) {
  return number > 0 ? (unsigned)number : 0;
}

unsigned hd_rank(const void *caller, MPI_Comm comm) {
  int rank = 0;
  FIND(comm_rank, PMPI_Comm_rank);
  comm_rank(comm, &rank);
  return no_less_than_0(rank);
}

unsigned hd_members(const void *caller, MPI_Comm comm) {
  int size = 0;
  FIND(comm_size, PMPI_Comm_size);
  comm_size(comm, &size);
  return no_less_than_0(size);
}

unsigned hd_peers(const void *caller, MPI_Comm comm) {
  int has_remote_group = 0, size = 0;
  FIND(test_inter, PMPI_Comm_test_inter);
  test_inter(comm, &has_remote_group);
  if (!has_remote_group)
    return hd_members(caller, comm);
  FIND(remote_size, PMPI_Comm_remote_size);
  remote_size(comm, &size);
  return no_less_than_0(size);
}

static int cart_neighbors(const void *caller, MPI_Comm comm) {
  int dimensions = 0;
  FIND(cartdim_get, PMPI_Cartdim_get);
  cartdim_get(comm, &dimensions);
  return 2 * dimensions;
}

static int graph_neighbors(const void *caller, MPI_Comm comm) {
  int neighbors = 0;
  FIND(neighbors_count, PMPI_Graph_neighbors_count);
  neighbors_count(comm, (int)hd_rank(caller, comm), &neighbors);
  return neighbors;
}

static int dist_graph_neighbors(const void *caller, MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  FIND(neighbors_count, PMPI_Dist_graph_neighbors_count);
  neighbors_count(comm, &in, &out, &weighted);
  return out;
}

unsigned hd_neighbors(const void *caller, MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  FIND(topo_test, PMPI_Topo_test);
  topo_test(comm, &topology);
  if (topology == MPI_CART)
    return no_less_than_0(cart_neighbors(caller, comm));
  if (topology == MPI_GRAPH)
    return no_less_than_0(graph_neighbors(caller, comm));
  return topology == MPI_DIST_GRAPH ? no_less_than_0(dist_graph_neighbors(caller, comm)) : 0;
}

/* ---- from Fortran's handles: MPICH's are the same, and it does so by macros ---- */

#ifdef PMPI_Type_f2c
#define CONVERT(from) (void)caller
#define CONVERTED(f2c, handle) f2c(handle)
#else
#define CONVERT(f2c) FIND(convert, f2c)
#define CONVERTED(f2c, handle) convert(handle)
#endif

MPI_Datatype hd_datatype_of(const void *caller, MPI_Fint handle) {
  CONVERT(PMPI_Type_f2c);
  return CONVERTED(PMPI_Type_f2c, handle);
}

MPI_Comm hd_comm_of(const void *caller, MPI_Fint handle) {
  CONVERT(PMPI_Comm_f2c);
  return CONVERTED(PMPI_Comm_f2c, handle);
}

MPI_Op hd_op_of(const void *caller, MPI_Fint handle) {
  CONVERT(PMPI_Op_f2c);
  return CONVERTED(PMPI_Op_f2c, handle);
}
