// Two ranks reach into each other's windows: what transfers data, and what synchronizes. An int has 4 bytes.
#include <mpi.h>
#include <stddef.h>

#include "recorder.h"

static int rank, data[8], got[8], flag;
static MPI_Win window;
static MPI_Request request;

#define FENCE EXPECT(MPI_Win_fence(0, window), ONE_SIDED, 0)
#define BOTH(Name, name, bytes, ...)                                                                                   \
  EXPECT(MPI_##Name(__VA_ARGS__), ONE_SIDED, bytes);                                                                   \
  EXPECT(MPI_R##name(__VA_ARGS__, &request), ONE_SIDED, bytes);                                                        \
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE), POINT_TO_POINT, 0)

static void transfers(int other, MPI_Datatype pair) {
  EXPECT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window), ONE_SIDED, 0);
  BOTH(Put, put, 16, data, 4, MPI_INT, other, 0, 2, pair, window);
  BOTH(Get, get, 16, got, 2, pair, other, 0, 4, MPI_INT, window);
  BOTH(Accumulate, accumulate, 8, data, 2, MPI_INT, other, 0, 2, MPI_INT, MPI_SUM, window);
  BOTH(Get_accumulate, get_accumulate, 12, data, 3, MPI_INT, got, 3, MPI_INT, other, 0, 3, MPI_INT, MPI_SUM, window);
  BOTH(Get_accumulate, get_accumulate, 8, NULL, 0, MPI_INT, got, 2, MPI_INT, other, 0, 2, MPI_INT, MPI_NO_OP, window);
  EXPECT(MPI_Fetch_and_op(data, got, MPI_INT, other, 0, MPI_SUM, window), ONE_SIDED, 4);
  EXPECT(MPI_Compare_and_swap(data, data + 1, got, MPI_INT, other, 0, window), ONE_SIDED, 4);
#if MPI_VERSION >= 4
  EXPECT(MPI_Put_c(data, 4, MPI_INT, other, 0, 2, pair, window), ONE_SIDED, 16);
#endif
  EXPECT(MPI_Win_flush(other, window), ONE_SIDED, 0);
  EXPECT(MPI_Win_flush_local(other, window), ONE_SIDED, 0);
  EXPECT(MPI_Win_unlock(other, window), ONE_SIDED, 0);
}

static void all_of_them(void) {
  EXPECT(MPI_Win_lock_all(0, window), ONE_SIDED, 0);
  EXPECT(MPI_Win_sync(window), ONE_SIDED, 0);
  EXPECT(MPI_Win_flush_all(window), ONE_SIDED, 0);
  EXPECT(MPI_Win_flush_local_all(window), ONE_SIDED, 0);
  EXPECT(MPI_Win_unlock_all(window), ONE_SIDED, 0);
}

// Rank 1 exposes its window twice, rank 0 writes to it.
static void epochs(int other) {
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &group);
  for (int i = 0; i < 2; i++)
    if (rank == 0) {
      EXPECT(MPI_Win_start(group, 0, window), ONE_SIDED, 0);
      EXPECT(MPI_Put(data, 1, MPI_INT, other, 0, 1, MPI_INT, window), ONE_SIDED, 4);
      EXPECT(MPI_Win_complete(window), ONE_SIDED, 0);
    } else {
      EXPECT(MPI_Win_post(group, 0, window), ONE_SIDED, 0);
      for (flag = 0; i == 0 && !flag;)
        EXPECT(MPI_Win_test(window, &flag), ONE_SIDED, 0);
      if (i == 1)
        EXPECT(MPI_Win_wait(window), ONE_SIDED, 0);
    }
}

int main(int argc, char **argv) {
  void *base;
  MPI_Info info;
  MPI_Datatype pair;
  EXPECT(MPI_Init(&argc, &argv), OTHER, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Info_create(&info);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  EXPECT(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window), OTHER, 0);
  FENCE;
  EXPECT(MPI_Put(data, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, window), ONE_SIDED, 16);
  FENCE;
  transfers(1 - rank, pair);
  QUIETLY(MPI_Barrier(MPI_COMM_WORLD));
  all_of_them();
  QUIETLY(MPI_Barrier(MPI_COMM_WORLD));
  epochs(1 - rank);
  EXPECT(MPI_Win_free(&window), OTHER, 0);
  EXPECT(MPI_Win_create(data, sizeof data, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window), OTHER, 0);
  EXPECT(MPI_Win_set_info(window, info), OTHER, 0);
  EXPECT(MPI_Win_free(&window), OTHER, 0);
  EXPECT(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window), OTHER, 0);
  EXPECT(MPI_Win_free(&window), OTHER, 0);
  EXPECT(MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window), OTHER, 0);
  EXPECT(MPI_Win_free(&window), OTHER, 0);
  MPI_Type_free(&pair);
  EXPECT(MPI_Finalize(), OTHER, 0);
  return finish();
}
