// Two ranks make communicators in each of MPI's ways; and a call within another one is part of it.
#include <mpi.h>
#include <stddef.h>

#include "recorder.h"

static MPI_Request request;
static MPI_Comm made, world;

#define MAKES(call)                                                                                                    \
  EXPECT(call, OTHER, 0);                                                                                              \
  EXPECT(MPI_Comm_free(&made), OTHER, 0)

// The copy of an attribute, which MPI_Comm_dup() asks for, makes a call of its own.
static int copy(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag) {
  (void)key;
  (void)extra;
  *(void **)to = from;
  *flag = 1;
  return MPI_Barrier(comm);
}

static void topologies(void) {
  const int size = 2, is_periodic = 0, degrees[2] = {1, 2}, edges[2] = {1, 0}, remain = 1;
  MPI_Comm whole;
  MAKES(MPI_Graph_create(world, 2, degrees, edges, 0, &made));
  MAKES(MPI_Dist_graph_create(world, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  EXPECT(MPI_Cart_create(world, 1, &size, &is_periodic, 0, &whole), OTHER, 0);
  MAKES(MPI_Cart_sub(whole, &remain, &made));
  EXPECT(MPI_Comm_free(&whole), OTHER, 0);
}

static void between_groups(int rank) {
  MPI_Comm group, between;
  EXPECT(MPI_Comm_split(world, rank, 0, &group), OTHER, 0);
  EXPECT(MPI_Intercomm_create(group, 0, world, 1 - rank, 1, &between), OTHER, 0);
  MAKES(MPI_Intercomm_merge(between, rank, &made));
  EXPECT(MPI_Comm_disconnect(&between), OTHER, 0);
  EXPECT(MPI_Comm_free(&group), OTHER, 0);
}

int main(int argc, char **argv) {
  int rank, provided, key;
  MPI_Group group;
  MPI_Info info;
  EXPECT(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), OTHER, 0);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_group(world, &group);
  MPI_Info_create(&info);
  MAKES(MPI_Comm_dup(world, &made));
  MAKES(MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made));
  EXPECT(MPI_Comm_idup(world, &made, &request), OTHER, 0);
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Comm_free(&made), OTHER, 0);
  MAKES(MPI_Comm_create(world, group, &made));
  MAKES(MPI_Comm_create_group(world, group, 3, &made));
  MAKES(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
  topologies();
  between_groups(rank);
  EXPECT(MPI_Comm_set_info(world, info), OTHER, 0);

  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(world, key, NULL);
  MAKES(MPI_Comm_dup(world, &made));
  MPI_Comm_delete_attr(world, key);
  EXPECT(MPI_Finalize(), OTHER, 0);
  return finish();
}
