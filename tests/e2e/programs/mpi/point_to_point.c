// Every function between two ranks, here a rank and itself, and what may wait for it. An int has 4 bytes, `pair` 8.
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#include "recorder.h"

static int data[8], got[8], flag, number, which[2];
static MPI_Request receive, request, requests[2];
static MPI_Message message;

static void post(void) {
  QUIETLY(MPI_Irecv(got, 8, MPI_INT, 0, 1, MPI_COMM_SELF, &receive));
}

static void complete(MPI_Request *one) {
  EXPECT(MPI_Wait(one, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
}

static void send(void) {
  QUIETLY(MPI_Isend(data, 5, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
}

#define SENDS(Name, name)                                                                                              \
  post();                                                                                                              \
  EXPECT(MPI_##Name(data, 3, MPI_INT, 0, 1, MPI_COMM_SELF), POINT_TO_POINT, 12);                                       \
  complete(&receive);                                                                                                  \
  post();                                                                                                              \
  EXPECT(MPI_I##name(data, 2, pair, 0, 1, MPI_COMM_SELF, &request), POINT_TO_POINT, 16);                               \
  complete(&request);                                                                                                  \
  complete(&receive)

static void sends(MPI_Datatype pair) {
  void *space = malloc(4096 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(space, 4096 + MPI_BSEND_OVERHEAD);
  SENDS(Send, send);
  SENDS(Ssend, ssend);
  SENDS(Rsend, rsend);
  SENDS(Bsend, bsend);
  EXPECT(MPI_Buffer_detach(&space, &number), POINT_TO_POINT, 0);
  free(space);
  EXPECT(MPI_Send(data, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF), POINT_TO_POINT, 12);
  EXPECT(MPI_Send(data, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF), POINT_TO_POINT, 0);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  EXPECT_FAILURE(MPI_Send(data, 3, MPI_INT, 7, 1, MPI_COMM_SELF), POINT_TO_POINT);
  EXPECT_FAILURE(MPI_Send(data, -1, MPI_INT, 0, 1, MPI_COMM_SELF), POINT_TO_POINT);
  EXPECT_FAILURE(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_SELF), POINT_TO_POINT);
}

// What a receive names is more than what comes: 5 ints.
static void receives(void) {
  send();
  EXPECT(MPI_Probe(0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Recv(got, 8, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), POINT_TO_POINT, 32);
  complete(&request);
  send();
  EXPECT(MPI_Irecv(got, 7, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &receive), POINT_TO_POINT, 28);
  complete(&receive);
  complete(&request);
  send();
  EXPECT(MPI_Mprobe(0, 1, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Mrecv(got, 6, MPI_INT, &message, MPI_STATUS_IGNORE), POINT_TO_POINT, 24);
  complete(&request);
  send();
  for (flag = 0; !flag;)
    EXPECT(MPI_Improbe(0, 1, MPI_COMM_SELF, &flag, &message, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Imrecv(got, 6, MPI_INT, &message, &receive), POINT_TO_POINT, 24);
  complete(&receive);
  complete(&request);
}

static void both_ways(MPI_Datatype pair) {
  EXPECT(MPI_Sendrecv(data, 2, MPI_INT, 0, 1, got, 3, pair, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), POINT_TO_POINT,
         8 + 24);
  EXPECT(MPI_Sendrecv_replace(data, 3, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), POINT_TO_POINT, 12);
#if MPI_VERSION >= 4
  EXPECT(MPI_Isendrecv(data, 2, MPI_INT, 0, 1, got, 3, pair, 0, 1, MPI_COMM_SELF, &request), POINT_TO_POINT, 8 + 24);
  complete(&request);
  EXPECT(MPI_Isendrecv_replace(data, 3, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, &request), POINT_TO_POINT, 12);
  complete(&request);
#endif
}

// Persistent requests: what names the buffer is local, and not reported.
static void waits(void) {
  MPI_Recv_init(got, 8, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Send_init(data, 5, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  EXPECT(MPI_Start(&requests[0]), POINT_TO_POINT, 0);
  EXPECT(MPI_Start(&requests[1]), POINT_TO_POINT, 0);
  EXPECT(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Startall(2, requests), POINT_TO_POINT, 0);
  EXPECT(MPI_Waitany(2, requests, &number, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Waitsome(2, requests, &number, which, MPI_STATUSES_IGNORE), POINT_TO_POINT, 0);
  QUIETLY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  QUIETLY(MPI_Startall(2, requests));
  EXPECT(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Testany(2, requests, &number, &flag, MPI_STATUS_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Testsome(2, requests, &number, which, MPI_STATUSES_IGNORE), POINT_TO_POINT, 0);
  EXPECT(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE), POINT_TO_POINT, 0);
  QUIETLY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

#if MPI_VERSION >= 4
static void large_counts(MPI_Datatype pair) {
  MPI_Count size;
  void *space = malloc(4096);
  post();
  EXPECT(MPI_Send_c(data, 3, MPI_INT, 0, 1, MPI_COMM_SELF), POINT_TO_POINT, 12);
  complete(&receive);
  EXPECT(MPI_Sendrecv_c(data, 2, MPI_INT, 0, 1, got, 3, pair, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), POINT_TO_POINT,
         8 + 24);
  MPI_Buffer_attach_c(space, 4096);
  EXPECT(MPI_Buffer_detach_c(&space, &size), POINT_TO_POINT, 0);
  free(space);
  EXPECT(MPI_Send_c(data, INT64_C(1) << 33, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF), POINT_TO_POINT,
         INT64_C(1) << 35);
}
#endif

int main(int argc, char **argv) {
  MPI_Datatype pair; // 2 ints, of which each third counts
  EXPECT(MPI_Init(&argc, &argv), OTHER, 0);
  MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  sends(pair);
  MPI_Type_free(&pair);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  receives();
  both_ways(pair);
  waits();
#if MPI_VERSION >= 4
  large_counts(pair);
#endif
  EXPECT(MPI_Finalize(), OTHER, 0);
  return finish();
}
