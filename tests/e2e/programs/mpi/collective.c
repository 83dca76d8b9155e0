// Every collective function on 3 ranks, blocking and nonblocking: from all to all, in place, with a root, between
// neighbours and between groups. What is not significant at a rank is garbage. A double has 8 bytes.
#include <mpi.h>
#include <stddef.h>

#include "recorder.h"

#define GARBAGE ((MPI_Datatype)(intptr_t)24)
#define WRONG 99, MPI_CHAR // a count and a type; some versions look at them before they find them insignificant
#ifdef OPEN_MPI
#define NO_TYPE MPI_CHAR // it refuses none
#else
#define NO_TYPE MPI_DATATYPE_NULL
#endif
#define NOWHERE ((int *)8)
#define D MPI_DOUBLE

static int rank;
static MPI_Request request;
static double sent[16], got[16];
static int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
static MPI_Datatype types[3];

#define BOTH(Name, name, bytes, ...)                                                                                   \
  EXPECT(MPI_##Name(__VA_ARGS__), COLLECTIVE, bytes);                                                                  \
  EXPECT(MPI_I##name(__VA_ARGS__, &request), COLLECTIVE, bytes);                                                       \
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE), POINT_TO_POINT, 0)

static void from_all_to_all(MPI_Comm comm) {
  EXPECT(MPI_Barrier(comm), COLLECTIVE, 0);
  EXPECT(MPI_Ibarrier(comm, &request), COLLECTIVE, 0);
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  BOTH(Allgather, allgather, 16, sent, 2, D, got, 2, D, comm);
  BOTH(Allgather, allgather, 16, MPI_IN_PLACE, WRONG, got, 2, D, comm);
  BOTH(Allgatherv, allgatherv, 8 * (rank + 1), sent, rank + 1, D, got, counts, places, D, comm);
  BOTH(Allgatherv, allgatherv, 8 * (rank + 1), MPI_IN_PLACE, WRONG, got, counts, places, D, comm);
  BOTH(Alltoall, alltoall, 3 * 16, sent, 2, D, got, 2, D, comm);
  BOTH(Alltoall, alltoall, 3 * 16, MPI_IN_PLACE, WRONG, got, 2, D, comm);
  // To rank i as many as i + 1; so this one gets rank + 1 from each.
  int same[3] = {rank + 1, rank + 1, rank + 1}, apart[3] = {0, 4, 8}, one[3] = {1, 1, 1};
  BOTH(Alltoallv, alltoallv, 8 * (1 + 2 + 3), sent, counts, places, D, got, same, apart, D, comm);
  BOTH(Alltoallv, alltoallv, 8 * 3, MPI_IN_PLACE, NOWHERE, NOWHERE, MPI_CHAR, got, one, apart, D, comm);
  // Rank 0 gets nothing, of no type.
  MPI_Datatype kinds[3] = {NO_TYPE, MPI_INT, MPI_DOUBLE}, kind[3];
  int numbers[3] = {0, 4, 3}, bytes[3] = {0, 0, 32}, as_many[3];
  for (int i = 0; i < 3; i++) {
    kind[i] = kinds[rank];
    as_many[i] = numbers[rank];
    apart[i] = 32 * i;
  }
  BOTH(Alltoallw, alltoallw, 4 * 4 + 3 * 8, sent, numbers, bytes, kinds, got, as_many, apart, kind, comm);
  BOTH(Alltoallw, alltoallw, 3 * 8, MPI_IN_PLACE, NOWHERE, NOWHERE, NULL, got, one, apart, types, comm);
}

static void with_root(MPI_Comm comm) {
  const int is_root = rank == 1;
  const MPI_Datatype at_root = is_root ? D : MPI_CHAR;
  int *counts_there = is_root ? counts : NOWHERE, *places_there = is_root ? places : NOWHERE;
  BOTH(Bcast, bcast, 40, sent, 5, D, 1, comm);
  BOTH(Gather, gather, 16, sent, 2, D, got, is_root ? 2 : 99, at_root, 1, comm);
  BOTH(Gatherv, gatherv, 8 * (rank + 1), sent, rank + 1, D, got, counts_there, places_there, at_root, 1, comm);
  BOTH(Scatter, scatter, 16, sent, is_root ? 2 : 99, at_root, got, 2, D, 1, comm);
  BOTH(Scatterv, scatterv, 8 * (rank + 1), sent, counts_there, places_there, at_root, got, rank + 1, D, 1, comm);
  BOTH(Reduce, reduce, 40, sent, got, 5, D, MPI_SUM, 1, comm);
  if (is_root) {
    BOTH(Gather, gather, 0, MPI_IN_PLACE, WRONG, got, 2, D, 1, comm);
    BOTH(Gatherv, gatherv, 0, MPI_IN_PLACE, WRONG, got, counts, places, D, 1, comm);
    BOTH(Scatter, scatter, 0, sent, 2, D, MPI_IN_PLACE, WRONG, 1, comm);
    BOTH(Scatterv, scatterv, 0, sent, counts, places, D, MPI_IN_PLACE, WRONG, 1, comm);
    BOTH(Reduce, reduce, 40, MPI_IN_PLACE, got, 5, D, MPI_SUM, 1, comm);
  } else {
    BOTH(Gather, gather, 16, sent, 2, D, NULL, WRONG, 1, comm);
    BOTH(Gatherv, gatherv, 8 * (rank + 1), sent, rank + 1, D, NULL, NULL, NULL, MPI_CHAR, 1, comm);
    BOTH(Scatter, scatter, 16, NULL, WRONG, got, 2, D, 1, comm);
    BOTH(Scatterv, scatterv, 8 * (rank + 1), NULL, NULL, NULL, MPI_CHAR, got, rank + 1, D, 1, comm);
    BOTH(Reduce, reduce, 40, sent, NULL, 5, D, MPI_SUM, 1, comm);
  }
}

static void garbage(MPI_Comm comm) {
  EXPECT(MPI_Allgather(MPI_IN_PLACE, -5, GARBAGE, got, 2, D, comm), COLLECTIVE, 16);
  EXPECT(MPI_Alltoall(MPI_IN_PLACE, -5, GARBAGE, got, 2, D, comm), COLLECTIVE, 3 * 16);
  if (rank == 1) {
    EXPECT(MPI_Gather(MPI_IN_PLACE, -5, GARBAGE, got, 2, D, 1, comm), COLLECTIVE, 0);
    EXPECT(MPI_Scatter(sent, 2, D, MPI_IN_PLACE, -5, GARBAGE, 1, comm), COLLECTIVE, 0);
  } else {
    EXPECT(MPI_Gather(sent, 2, D, NULL, -5, GARBAGE, 1, comm), COLLECTIVE, 16);
    EXPECT(MPI_Scatter(NULL, -5, GARBAGE, got, 2, D, 1, comm), COLLECTIVE, 16);
  }
}

static void reductions(MPI_Comm comm) {
  BOTH(Allreduce, allreduce, 24, sent, got, 3, D, MPI_SUM, comm);
  BOTH(Allreduce, allreduce, 24, MPI_IN_PLACE, got, 3, D, MPI_SUM, comm);
  BOTH(Scan, scan, 24, sent, got, 3, D, MPI_SUM, comm);
  BOTH(Exscan, exscan, 24, sent, got, 3, D, MPI_SUM, comm);
  BOTH(Reduce_scatter_block, reduce_scatter_block, 3 * 16, sent, got, 2, D, MPI_SUM, comm);
  BOTH(Reduce_scatter, reduce_scatter, 8 * (1 + 2 + 3), sent, got, counts, D, MPI_SUM, comm);
  BOTH(Reduce_scatter, reduce_scatter, 8 * (1 + 2 + 3), MPI_IN_PLACE, got, counts, D, MPI_SUM, comm);
}

// Each sends to `out` ranks and gets from as many as the topology says.
static void neighbours(MPI_Comm comm, int out) {
  MPI_Aint bytes[3] = {0, 8, 16};
  int one[3] = {1, 1, 1}, ones[3] = {0, 1, 2};
  BOTH(Neighbor_allgather, neighbor_allgather, 16, sent, 2, D, got, 2, D, comm);
  BOTH(Neighbor_allgatherv, neighbor_allgatherv, 8, sent, 1, D, got, one, ones, D, comm);
  BOTH(Neighbor_alltoall, neighbor_alltoall, 16 * out, sent, 2, D, got, 2, D, comm);
  BOTH(Neighbor_alltoallv, neighbor_alltoallv, 8 * out, sent, one, ones, D, got, one, ones, D, comm);
  BOTH(Neighbor_alltoallw, neighbor_alltoallw, 8 * out, sent, one, bytes, types, got, one, bytes, types, comm);
}

static void topologies(void) {
  MPI_Comm comm;
  const int size = 3, is_periodic = 1, degrees[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0}, from = 0, to[2] = {1, 2};
  EXPECT(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &comm), OTHER, 0);
  neighbours(comm, 2);
  EXPECT(MPI_Comm_free(&comm), OTHER, 0);
  EXPECT(MPI_Graph_create(MPI_COMM_WORLD, 3, degrees, edges, 0, &comm), OTHER, 0);
  neighbours(comm, rank == 0 ? 2 : 1);
  EXPECT(MPI_Comm_free(&comm), OTHER, 0);
  EXPECT(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank != 0, &from, MPI_UNWEIGHTED, rank == 0 ? 2 : 0, to,
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
         OTHER, 0);
  neighbours(comm, rank == 0 ? 2 : 0);
  EXPECT(MPI_Comm_free(&comm), OTHER, 0);
}

// Rank 0 is alone in a group, ranks 1 and 2 are the other. Rank 1 is the root: rank 2 has no part.
static void between_groups(void) {
  MPI_Comm group, comm;
  const int has_part = rank != 2, root = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  const MPI_Datatype type = has_part ? D : MPI_CHAR;
  EXPECT(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &group), OTHER, 0);
  EXPECT(MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0, 5, &comm), OTHER, 0);
  EXPECT(MPI_Bcast(sent, 5, type, root, comm), COLLECTIVE, has_part ? 40 : 0);
  EXPECT(MPI_Reduce(sent, got, 5, type, MPI_SUM, root, comm), COLLECTIVE, has_part ? 40 : 0);
  EXPECT(MPI_Gather(sent, 2, rank == 0 ? D : MPI_CHAR, got, 2, rank == 1 ? D : MPI_CHAR, root, comm), COLLECTIVE,
         rank == 0 ? 16 : 0);
  EXPECT(MPI_Scatter(sent, 2, rank == 1 ? D : MPI_CHAR, got, 2, rank == 0 ? D : MPI_CHAR, root, comm), COLLECTIVE,
         rank == 0 ? 16 : 0);
  EXPECT(MPI_Alltoall(sent, 2, D, got, 2, D, comm), COLLECTIVE, 16 * (rank == 0 ? 2 : 1));
  EXPECT(MPI_Alltoallv(sent, (int[]){1, 1}, places, D, got, (int[]){1, 1}, places, D, comm), COLLECTIVE,
         8 * (rank == 0 ? 2 : 1));
  EXPECT(MPI_Allgather(sent, 2, D, got, 2, D, comm), COLLECTIVE, 16);
  EXPECT(MPI_Reduce_scatter_block(sent, got, rank == 0 ? 2 : 1, D, MPI_SUM, comm), COLLECTIVE, 16);
  EXPECT(MPI_Comm_free(&comm), OTHER, 0);
  EXPECT(MPI_Comm_free(&group), OTHER, 0);
}

#if MPI_VERSION >= 4
static void large_counts(MPI_Comm comm) {
  MPI_Count large[3] = {1, 2, 3}, same[3] = {rank + 1, rank + 1, rank + 1};
  MPI_Aint apart[3] = {0, 4, 8};
  BOTH(Alltoallv_c, alltoallv_c, 8 * (1 + 2 + 3), sent, large, apart, D, got, same, apart, D, comm);
  BOTH(Reduce_scatter_c, reduce_scatter_c, 8 * (1 + 2 + 3), sent, got, large, D, MPI_SUM, comm);
  BOTH(Allgatherv_c, allgatherv_c, 8 * (rank + 1), MPI_IN_PLACE, WRONG, got, large, apart, D, comm);
}
#endif

int main(int argc, char **argv) {
  EXPECT(MPI_Init(&argc, &argv), OTHER, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++)
    types[i] = D;
  from_all_to_all(MPI_COMM_WORLD);
  with_root(MPI_COMM_WORLD);
  garbage(MPI_COMM_WORLD);
  reductions(MPI_COMM_WORLD);
  topologies();
  between_groups();
#if MPI_VERSION >= 4
  large_counts(MPI_COMM_WORLD);
#endif
  EXPECT(MPI_Finalize(), OTHER, 0);
  return finish();
}
