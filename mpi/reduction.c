/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mpi/reduction.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "entry/target.h"
#include "mpi/calls.h"
#include "mpi/part.h"
#include "mpi/tree.h"

extern struct heddle_mpi_calls heddle_mpi_calls_2;

enum { PATH_BYTES = 1024 };

/* What MPI may still write to, or read, when a rank has given up. */
static struct reduction {
  const struct heddle_mpi_job *job;
  MPI_Comm world, own;
  MPI_Errhandler handler; /* the program's */
  int rank, ranks;
  uint64_t deadline;
  struct hd_part_sources sources;
  int mine, least; /* which rank has no part; INT_MAX: each has one */
  uint64_t sent_bytes, received_bytes;
  char path[PATH_BYTES]; /* of the job's file; "": there is none */
} self;

/* ---- MPI ---- */

#define FUNCTIONS(_)                                                                                                   \
  _(Initialized)                                                                                                       \
  _(Finalized)                                                                                                         \
  _(Comm_rank)                                                                                                         \
  _(Comm_size)                                                                                                         \
  _(Comm_get_errhandler)                                                                                               \
  _(Comm_set_errhandler)                                                                                               \
  _(Errhandler_free)                                                                                                   \
  _(Comm_idup)                                                                                                         \
  _(Iallreduce)                                                                                                        \
  _(Ibcast)                                                                                                            \
  _(Isend)                                                                                                             \
  _(Irecv)                                                                                                             \
  _(Test)                                                                                                              \
  _(Cancel)                                                                                                            \
  _(Request_free)

static struct {
#define MEMBER(name) __typeof__(&PMPI_##name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
} mpi;

/* Open MPI's constants are the addresses of its variables. Where only the module that needs MPI sees it, those of a
 * program are found like the functions. */
#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_errors_return
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_op_min
#define HANDLES(_)                                                                                                     \
  _(MPI_Comm, world, ompi_mpi_comm_world)                                                                              \
  _(MPI_Errhandler, errors_return, ompi_mpi_errors_return)                                                             \
  _(MPI_Datatype, integer, ompi_mpi_int)                                                                               \
  _(MPI_Datatype, byte, ompi_mpi_byte)                                                                                 \
  _(MPI_Op, least, ompi_mpi_op_min)
#else
#define HANDLES(_)                                                                                                     \
  _(MPI_Comm, world, MPI_COMM_WORLD)                                                                                   \
  _(MPI_Errhandler, errors_return, MPI_ERRORS_RETURN)                                                                  \
  _(MPI_Datatype, integer, MPI_INT)                                                                                    \
  _(MPI_Datatype, byte, MPI_BYTE)                                                                                      \
  _(MPI_Op, least, MPI_MIN)
#endif

static struct {
#define MEMBER(type, name, value) type name;
  HANDLES(MEMBER)
#undef MEMBER
} handle;

static bool find_handles(const void *caller) {
#ifdef OPEN_MPI
  bool found = true;
#define FIND(type, name, symbol)                                                                                       \
  handle.name = &symbol ? (type)(void *)&symbol : (type)hd_target_look_up(#symbol, caller);                            \
  found &= handle.name != NULL;
  HANDLES(FIND)
#undef FIND
  return found;
#else
  (void)caller;
#define SET(type, name, value) handle.name = value;
  HANDLES(SET)
#undef SET
  return true;
#endif
}

static bool find_mpi(const void *caller) {
  void *symbol;
#define FIND(name)                                                                                                     \
  symbol = hd_target_look_up("PMPI_" #name, caller);                                                                   \
  if (!symbol)                                                                                                         \
    return false;                                                                                                      \
  memcpy(&mpi.name, &symbol, sizeof symbol);
  FUNCTIONS(FIND)
#undef FIND
  return find_handles(caller);
}

static bool is_in_mpi(void) {
  int is_on = 0, is_over = 1;
  return mpi.Initialized(&is_on) == MPI_SUCCESS && is_on && mpi.Finalized(&is_over) == MPI_SUCCESS && !is_over;
}

static void give_time(void) {
  const uint64_t most_s = 1000000000;
  self.deadline = hd_part_clock() + (self.job->wait_s < most_s ? self.job->wait_s : most_s) * 1000000000;
}

/* `result` of the call that made the request. */
static bool finish(int result, MPI_Request *request) {
  int done = 0;
  if (result != MPI_SUCCESS)
    return false;
  while (mpi.Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done && hd_part_clock() < self.deadline)
    hd_part_nap();
  return done;
}

/* ---- messages: the number of bytes, then these. 0: there is no part ---- */

static bool send(const void *bytes, int count, int to) {
  MPI_Request request;
  return finish(mpi.Isend(bytes, count, handle.byte, to, 0, self.own, &request), &request);
}

static bool receive(void *bytes, int count, int from) {
  MPI_Request request;
  const int result = mpi.Irecv(bytes, count, handle.byte, from, 0, self.own, &request);
  const bool done = finish(result, &request);
  if (!done && result == MPI_SUCCESS && mpi.Cancel(&request) == MPI_SUCCESS)
    mpi.Request_free(&request);
  return done;
}

static void send_part(int part, int to) {
  char *bytes = hd_part_map(part);
  self.sent_bytes = bytes ? hd_part_bytes(part) : 0;
  bool done = send(&self.sent_bytes, sizeof self.sent_bytes, to);
  for (uint64_t at = 0; done && at < self.sent_bytes; at += HD_PIECE_BYTES)
    done = send(bytes + at, hd_piece_bytes(self.sent_bytes, at), to);
  if (done && bytes)
    hd_part_unmap(part, bytes);
}

/* -1: the rank has none, or does not come in time. */
static int receive_part(int from) {
  self.received_bytes = 0;
  if (!receive(&self.received_bytes, sizeof self.received_bytes, from) || self.received_bytes == 0)
    return -1;
  const int part = hd_part_new(self.received_bytes);
  char *bytes = hd_part_map(part);
  bool done = bytes;
  for (uint64_t at = 0; done && at < self.received_bytes; at += HD_PIECE_BYTES)
    done = receive(bytes + at, hd_piece_bytes(self.received_bytes, at), from);
  if (done) {
    hd_part_unmap(part, bytes);
    return part;
  }
  hd_part_free(part);
  return -1;
}

/* ---- the steps ---- */

static __attribute__((format(printf, 1, 2))) void give_up(const char *format, ...) {
  char why[PATH_BYTES], text[PATH_BYTES + 128];
  va_list arguments;
  if (self.rank != 0)
    return;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "no file of the job: %s; each rank keeps its profile, for 'heddle merge --job'", why);
  self.job->say(text);
}

static bool begin(const void *caller) {
  self.job = heddle_mpi_calls_2.find_job ? heddle_mpi_calls_2.find_job() : NULL;
  if (!self.job || !find_mpi(caller) || !is_in_mpi())
    return false;
  self.world = handle.world;
  return mpi.Comm_rank(self.world, &self.rank) == MPI_SUCCESS &&
         mpi.Comm_size(self.world, &self.ranks) == MPI_SUCCESS && self.ranks > 1;
}

/* This rank's own part, before it waits for anybody. */
static void make_part(void) {
  self.sources =
      (struct hd_part_sources){.command = self.job->command, .all_ranks = true, .profile = self.job->profile};
  self.sources.parts[0] = self.job->profile ? hd_part_join(&self.sources, self.deadline) : -1;
  self.sources.part_count = 1;
  self.sources.profile = NULL;
  self.mine = self.sources.parts[0] >= 0 ? INT_MAX : self.rank;
}

/* All have come, and each has a part. */
static bool agree(void) {
  MPI_Request request;
  give_time();
  if (!finish(mpi.Iallreduce(&self.mine, &self.least, 1, handle.integer, handle.least, self.world, &request), &request))
    give_up("not every rank has come to MPI_Finalize with Heddle within %llu s", (unsigned long long)self.job->wait_s);
  else if (self.least < INT_MAX)
    give_up("'heddle' could not read the profile of rank %d", self.least);
  else
    return true;
  return false;
}

static bool make_communicator(void) {
  MPI_Request request;
  give_time();
  if (finish(mpi.Comm_idup(self.world, &self.own, &request), &request))
    return true;
  give_up("the ranks did not agree within %llu s", (unsigned long long)self.job->wait_s);
  return false;
}

/* Also what is of no use any more: who sends it waits until it is taken. */
static bool take_from_children(void) {
  bool done = true;
  int child;
  for (int which = 0; (child = hd_tree_child(self.rank, self.ranks, which)) >= 0; which++) {
    const int part = receive_part(child);
    done &= part >= 0;
    if (part >= 0)
      self.sources.parts[self.sources.part_count++] = part;
  }
  return done;
}

static void free_parts(void) {
  for (int i = 0; i < self.sources.part_count; i++)
    hd_part_free(self.sources.parts[i]);
}

/* Of this rank and all below it; -1: one is missing. */
static int join(void) {
  if (!take_from_children())
    return -1;
  if (self.rank != 0 && self.sources.part_count == 1)
    return self.sources.parts[0];
  self.sources.all_ranks = self.rank != 0 || self.job->all_ranks;
  return hd_part_join(&self.sources, self.deadline);
}

static void save(int part) {
  if (part < 0)
    give_up("a rank's part of it did not come within %llu s, or could not be joined",
            (unsigned long long)self.job->wait_s);
  else if (!self.job->save(part, self.path, sizeof self.path)) {
    const int error = errno;
    give_up("%s: %s", self.path, strerror(error));
    self.path[0] = '\0';
  }
}

static void pass_on(void) {
  const int part = join();
  if (self.rank == 0)
    save(part);
  else
    send_part(part, hd_tree_parent(self.rank));
  if (part >= 0 && part != self.sources.parts[0])
    hd_part_free(part);
}

/* Rank 0 says whether there is a file. The communicator is left to MPI's end: freeing it may wait for ranks that have
 * given up. */
static bool hear(void) {
  MPI_Request request;
  return finish(mpi.Ibcast(self.path, sizeof self.path, handle.byte, 0, self.own, &request), &request);
}

static void reduce(void) {
  give_time();
  make_part();
  if (agree() && make_communicator()) {
    pass_on();
    if ((hear() || self.rank == 0) && self.path[0])
      self.job->settle(self.path);
  }
  free_parts();
}

/* Until MPI's own end an error is none of the program's. */
void hd_reduction_run(const void *caller) {
  static bool is_done;
  const int kept_errno = errno;
  if (__atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED))
    return;
  if (begin(caller) && mpi.Comm_get_errhandler(self.world, &self.handler) == MPI_SUCCESS) {
    mpi.Comm_set_errhandler(self.world, handle.errors_return);
    reduce();
    mpi.Comm_set_errhandler(self.world, self.handler);
    mpi.Errhandler_free(&self.handler);
  }
  errno = kept_errno;
}
