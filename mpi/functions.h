/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file functions.h
 * The functions of MPI that have wrappers: those of MPI-3.1, and of MPI-4 where that mpi.h has them, that communicate,
 * synchronize, wait, or do input and output. Not those that only compute, ask locally, or make a persistent request.
 *
 * A row says what a call is for (enum heddle_mpi_kind), the function's name in C and in Fortran, its parameters and
 * arguments, and its bytes (bytes.h). This file is included once for each language and width of counts: c.c, fortran.c.
 *
 *   FUNCTION      without a buffer and without counts
 *   CHOICE        with a buffer of any type, which MPICH's module mpi_f08 passes with a descriptor
 *   LARGE         with counts: there is another function with large ones, MPI_..._c
 *   LARGE_CHOICE  both
 *   TEXT, TEXTS   with one string, with two: Fortran passes their lengths, too. No bytes
 *   C_ONLY, FORTRAN_ONLY   where the parameters differ between the languages. No bytes
 *
 * Types of parameters: IN(type) a value, OUT(type) a pointer, ARRAY(type) a pointer to constants. Those that bytes depend
 * on have types of their own: COUNT, COUNTS, DATATYPE, DATATYPES, ROOT, COMM, OP. DISPLACEMENT and DISPLACEMENTS are wider
 * beside large counts. No include guard.
 */
/* clang-format off */
#define LIST(...) __VA_ARGS__

/* ---- point to point ---- */

/* A function and its nonblocking form. */
#define PAIR(kind, Name, name, parameters, arguments, bytes) \
  LARGE_CHOICE(kind, Name, name, (LIST parameters), (LIST arguments), bytes) \
  LARGE_CHOICE(kind, I##name, i##name, (LIST parameters, OUT(MPI_Request) request), (LIST arguments, request), bytes)

#define SEND(Name, name) \
  PAIR(POINT_TO_POINT, Name, name, \
       (const void *buffer, COUNT count, DATATYPE type, IN(int) target, IN(int) tag, COMM comm), \
       (buffer, count, type, target, tag, comm), BUFFER(count, type))
SEND(Send, send)
SEND(Bsend, bsend)
SEND(Ssend, ssend)
SEND(Rsend, rsend)

LARGE_CHOICE(POINT_TO_POINT, Recv, recv,
  (void *buffer, COUNT count, DATATYPE type, IN(int) source, IN(int) tag, COMM comm, OUT(MPI_Status) status),
  (buffer, count, type, source, tag, comm, status), BUFFER(count, type))
LARGE_CHOICE(POINT_TO_POINT, Irecv, irecv,
  (void *buffer, COUNT count, DATATYPE type, IN(int) source, IN(int) tag, COMM comm, OUT(MPI_Request) request),
  (buffer, count, type, source, tag, comm, request), BUFFER(count, type))
LARGE_CHOICE(POINT_TO_POINT, Mrecv, mrecv,
  (void *buffer, COUNT count, DATATYPE type, OUT(MPI_Message) message, OUT(MPI_Status) status),
  (buffer, count, type, message, status), BUFFER(count, type))
LARGE_CHOICE(POINT_TO_POINT, Imrecv, imrecv,
  (void *buffer, COUNT count, DATATYPE type, OUT(MPI_Message) message, OUT(MPI_Request) request),
  (buffer, count, type, message, request), BUFFER(count, type))

#define SENDRECV(Name, name, last) \
  LARGE_CHOICE(POINT_TO_POINT, Name, name, \
    (const void *sent, COUNT sent_count, DATATYPE sent_type, IN(int) target, IN(int) sent_tag, void *received, \
     COUNT received_count, DATATYPE received_type, IN(int) source, IN(int) received_tag, COMM comm, OUT(last) end), \
    (sent, sent_count, sent_type, target, sent_tag, received, received_count, received_type, source, received_tag, comm, \
     end), \
    BUFFER(sent_count, sent_type) + BUFFER(received_count, received_type)) \
  LARGE_CHOICE(POINT_TO_POINT, Name##_replace, name##_replace, \
    (void *buffer, COUNT count, DATATYPE type, IN(int) target, IN(int) sent_tag, IN(int) source, IN(int) received_tag, \
     COMM comm, OUT(last) end), \
    (buffer, count, type, target, sent_tag, source, received_tag, comm, end), BUFFER(count, type))
SENDRECV(Sendrecv, sendrecv, MPI_Status)
#if MPI_VERSION >= 4
SENDRECV(Isendrecv, isendrecv, MPI_Request)
#endif

FUNCTION(POINT_TO_POINT, Probe, probe,
  (IN(int) source, IN(int) tag, COMM comm, OUT(MPI_Status) status), (source, tag, comm, status), NOTHING)
FUNCTION(POINT_TO_POINT, Iprobe, iprobe,
  (IN(int) source, IN(int) tag, COMM comm, OUT(int) flag, OUT(MPI_Status) status), (source, tag, comm, flag, status), NOTHING)
FUNCTION(POINT_TO_POINT, Mprobe, mprobe,
  (IN(int) source, IN(int) tag, COMM comm, OUT(MPI_Message) message, OUT(MPI_Status) status),
  (source, tag, comm, message, status), NOTHING)
FUNCTION(POINT_TO_POINT, Improbe, improbe,
  (IN(int) source, IN(int) tag, COMM comm, OUT(int) flag, OUT(MPI_Message) message, OUT(MPI_Status) status),
  (source, tag, comm, flag, message, status), NOTHING)

FUNCTION(POINT_TO_POINT, Start, start, (OUT(MPI_Request) request), (request), NOTHING)
FUNCTION(POINT_TO_POINT, Startall, startall, (IN(int) number, OUT(MPI_Request) requests), (number, requests), NOTHING)
FUNCTION(POINT_TO_POINT, Wait, wait, (OUT(MPI_Request) request, OUT(MPI_Status) status), (request, status), NOTHING)
FUNCTION(POINT_TO_POINT, Waitall, waitall,
  (IN(int) number, OUT(MPI_Request) requests, OUT(MPI_Status) statuses), (number, requests, statuses), NOTHING)
FUNCTION(POINT_TO_POINT, Waitany, waitany,
  (IN(int) number, OUT(MPI_Request) requests, OUT(int) which, OUT(MPI_Status) status),
  (number, requests, which, status), NOTHING)
FUNCTION(POINT_TO_POINT, Waitsome, waitsome,
  (IN(int) number, OUT(MPI_Request) requests, OUT(int) done, OUT(int) which, OUT(MPI_Status) statuses),
  (number, requests, done, which, statuses), NOTHING)
FUNCTION(POINT_TO_POINT, Test, test,
  (OUT(MPI_Request) request, OUT(int) flag, OUT(MPI_Status) status), (request, flag, status), NOTHING)
FUNCTION(POINT_TO_POINT, Testall, testall,
  (IN(int) number, OUT(MPI_Request) requests, OUT(int) flag, OUT(MPI_Status) statuses),
  (number, requests, flag, statuses), NOTHING)
FUNCTION(POINT_TO_POINT, Testany, testany,
  (IN(int) number, OUT(MPI_Request) requests, OUT(int) which, OUT(int) flag, OUT(MPI_Status) status),
  (number, requests, which, flag, status), NOTHING)
FUNCTION(POINT_TO_POINT, Testsome, testsome,
  (IN(int) number, OUT(MPI_Request) requests, OUT(int) done, OUT(int) which, OUT(MPI_Status) statuses),
  (number, requests, done, which, statuses), NOTHING)
FUNCTION(POINT_TO_POINT, Request_get_status, request_get_status,
  (IN(MPI_Request) request, OUT(int) flag, OUT(MPI_Status) status), (request, flag, status), NOTHING)
LARGE(POINT_TO_POINT, Buffer_detach, buffer_detach, (void *buffer, OUT(COUNT) size), (buffer, size), NOTHING)
#if MPI_VERSION >= 4
/* Not MPI_Pready_list: some versions of MPICH declare it as the standard does not. */
FUNCTION(POINT_TO_POINT, Pready, pready, (IN(int) part, IN(MPI_Request) request), (part, request), NOTHING)
FUNCTION(POINT_TO_POINT, Pready_range, pready_range,
  (IN(int) first, IN(int) last, IN(MPI_Request) request), (first, last, request), NOTHING)
FUNCTION(POINT_TO_POINT, Parrived, parrived,
  (IN(MPI_Request) request, IN(int) part, OUT(int) flag), (request, part, flag), NOTHING)
#endif

/* ---- collective ---- */

FUNCTION(COLLECTIVE, Barrier, barrier, (COMM comm), (comm), NOTHING)
FUNCTION(COLLECTIVE, Ibarrier, ibarrier, (COMM comm, OUT(MPI_Request) request), (comm, request), NOTHING)
PAIR(COLLECTIVE, Bcast, bcast, (void *buffer, COUNT count, DATATYPE type, ROOT root, COMM comm),
     (buffer, count, type, root, comm), ROOTED(count, type, root))

PAIR(COLLECTIVE, Gather, gather,
     (const void *sent, COUNT sent_count, DATATYPE sent_type, void *received, COUNT received_count, DATATYPE received_type,
      ROOT root, COMM comm),
     (sent, sent_count, sent_type, received, received_count, received_type, root, comm),
     SHARE(sent, sent_count, sent_type, root))
PAIR(COLLECTIVE, Gatherv, gatherv,
     (const void *sent, COUNT sent_count, DATATYPE sent_type, void *received, COUNTS received_counts,
      DISPLACEMENTS places, DATATYPE received_type, ROOT root, COMM comm),
     (sent, sent_count, sent_type, received, received_counts, places, received_type, root, comm),
     SHARE(sent, sent_count, sent_type, root))
PAIR(COLLECTIVE, Scatter, scatter,
     (const void *sent, COUNT sent_count, DATATYPE sent_type, void *received, COUNT received_count, DATATYPE received_type,
      ROOT root, COMM comm),
     (sent, sent_count, sent_type, received, received_count, received_type, root, comm),
     SHARE(received, received_count, received_type, root))
PAIR(COLLECTIVE, Scatterv, scatterv,
     (const void *sent, COUNTS sent_counts, DISPLACEMENTS places, DATATYPE sent_type, void *received, COUNT received_count,
      DATATYPE received_type, ROOT root, COMM comm),
     (sent, sent_counts, places, sent_type, received, received_count, received_type, root, comm),
     SHARE(received, received_count, received_type, root))

#define GATHER_ALL(Name, name, bytes) \
  PAIR(COLLECTIVE, Name, name, \
       (const void *sent, COUNT sent_count, DATATYPE sent_type, void *received, COUNT received_count, \
        DATATYPE received_type, COMM comm), \
       (sent, sent_count, sent_type, received, received_count, received_type, comm), bytes)
#define GATHER_ALL_V(Name, name, bytes) \
  PAIR(COLLECTIVE, Name, name, \
       (const void *sent, COUNT sent_count, DATATYPE sent_type, void *received, COUNTS received_counts, \
        DISPLACEMENTS places, DATATYPE received_type, COMM comm), \
       (sent, sent_count, sent_type, received, received_counts, places, received_type, comm), bytes)
#define EXCHANGE_V(Name, name, bytes) \
  PAIR(COLLECTIVE, Name, name, \
       (const void *sent, COUNTS sent_counts, DISPLACEMENTS sent_places, DATATYPE sent_type, void *received, \
        COUNTS received_counts, DISPLACEMENTS received_places, DATATYPE received_type, COMM comm), \
       (sent, sent_counts, sent_places, sent_type, received, received_counts, received_places, received_type, comm), bytes)
#define EXCHANGE_W(Name, name, Places, bytes) \
  PAIR(COLLECTIVE, Name, name, \
       (const void *sent, COUNTS sent_counts, Places sent_places, DATATYPES sent_types, void *received, \
        COUNTS received_counts, Places received_places, DATATYPES received_types, COMM comm), \
       (sent, sent_counts, sent_places, sent_types, received, received_counts, received_places, received_types, comm), bytes)

GATHER_ALL(Allgather, allgather,
           IS_IN_PLACE(sent) ? BUFFER(received_count, received_type) : BUFFER(sent_count, sent_type))
GATHER_ALL_V(Allgatherv, allgatherv,
             IS_IN_PLACE(sent) ? BUFFER_OF(RANK(comm), received_counts, received_type) : BUFFER(sent_count, sent_type))
GATHER_ALL(Alltoall, alltoall,
           PEERS(comm) * (IS_IN_PLACE(sent) ? BUFFER(received_count, received_type) : BUFFER(sent_count, sent_type)))
EXCHANGE_V(Alltoallv, alltoallv,
           IS_IN_PLACE(sent) ? BUFFERS(PEERS(comm), received_counts, received_type)
                             : BUFFERS(PEERS(comm), sent_counts, sent_type))
EXCHANGE_W(Alltoallw, alltoallw, DISPLACEMENTS,
           IS_IN_PLACE(sent) ? BUFFERS_OF_TYPES(PEERS(comm), received_counts, received_types)
                             : BUFFERS_OF_TYPES(PEERS(comm), sent_counts, sent_types))

GATHER_ALL(Neighbor_allgather, neighbor_allgather, BUFFER(sent_count, sent_type))
GATHER_ALL_V(Neighbor_allgatherv, neighbor_allgatherv, BUFFER(sent_count, sent_type))
GATHER_ALL(Neighbor_alltoall, neighbor_alltoall, NEIGHBORS(comm) * BUFFER(sent_count, sent_type))
EXCHANGE_V(Neighbor_alltoallv, neighbor_alltoallv, BUFFERS(NEIGHBORS(comm), sent_counts, sent_type))
EXCHANGE_W(Neighbor_alltoallw, neighbor_alltoallw, ARRAY(MPI_Aint),
           BUFFERS_OF_TYPES(NEIGHBORS(comm), sent_counts, sent_types))

PAIR(COLLECTIVE, Reduce, reduce,
     (const void *sent, void *received, COUNT count, DATATYPE type, OP op, ROOT root, COMM comm),
     (sent, received, count, type, op, root, comm), ROOTED(count, type, root))
#define REDUCE_ALL(Name, name, bytes) \
  PAIR(COLLECTIVE, Name, name, (const void *sent, void *received, COUNT count, DATATYPE type, OP op, COMM comm), \
       (sent, received, count, type, op, comm), bytes)
REDUCE_ALL(Allreduce, allreduce, BUFFER(count, type))
REDUCE_ALL(Scan, scan, BUFFER(count, type))
REDUCE_ALL(Exscan, exscan, BUFFER(count, type))
REDUCE_ALL(Reduce_scatter_block, reduce_scatter_block, MEMBERS(comm) * BUFFER(count, type))
PAIR(COLLECTIVE, Reduce_scatter, reduce_scatter,
     (const void *sent, void *received, COUNTS counts, DATATYPE type, OP op, COMM comm),
     (sent, received, counts, type, op, comm), BUFFERS(MEMBERS(comm), counts, type))

/* ---- one-sided ---- */

/* A function and its form with a request. */
#define ACCESS(Name, name, parameters, arguments, bytes) \
  LARGE_CHOICE(ONE_SIDED, Name, name, (LIST parameters), (LIST arguments), bytes) \
  LARGE_CHOICE(ONE_SIDED, R##name, r##name, (LIST parameters, OUT(MPI_Request) request), (LIST arguments, request), bytes)

ACCESS(Put, put,
       (const void *buffer, COUNT count, DATATYPE type, IN(int) target, IN(MPI_Aint) place, COUNT target_count,
        DATATYPE target_type, IN(MPI_Win) window),
       (buffer, count, type, target, place, target_count, target_type, window), BUFFER(count, type))
ACCESS(Get, get,
       (void *buffer, COUNT count, DATATYPE type, IN(int) target, IN(MPI_Aint) place, COUNT target_count,
        DATATYPE target_type, IN(MPI_Win) window),
       (buffer, count, type, target, place, target_count, target_type, window), BUFFER(count, type))
ACCESS(Accumulate, accumulate,
       (const void *buffer, COUNT count, DATATYPE type, IN(int) target, IN(MPI_Aint) place, COUNT target_count,
        DATATYPE target_type, OP op, IN(MPI_Win) window),
       (buffer, count, type, target, place, target_count, target_type, op, window), BUFFER(count, type))
ACCESS(Get_accumulate, get_accumulate,
       (const void *buffer, COUNT count, DATATYPE type, void *fetched, COUNT fetched_count, DATATYPE fetched_type,
        IN(int) target, IN(MPI_Aint) place, COUNT target_count, DATATYPE target_type, OP op, IN(MPI_Win) window),
       (buffer, count, type, fetched, fetched_count, fetched_type, target, place, target_count, target_type, op, window),
       IS_NO_OP(op) ? BUFFER(fetched_count, fetched_type) : BUFFER(count, type))
CHOICE(ONE_SIDED, Fetch_and_op, fetch_and_op,
  (const void *buffer, void *fetched, DATATYPE type, IN(int) target, IN(MPI_Aint) place, OP op, IN(MPI_Win) window),
  (buffer, fetched, type, target, place, op, window), ELEMENT(type))
CHOICE(ONE_SIDED, Compare_and_swap, compare_and_swap,
  (const void *buffer, const void *compared, void *fetched, DATATYPE type, IN(int) target, IN(MPI_Aint) place,
   IN(MPI_Win) window),
  (buffer, compared, fetched, type, target, place, window), ELEMENT(type))

#define WIN(name, parameters, arguments) FUNCTION(ONE_SIDED, Win_##name, win_##name, parameters, arguments, NOTHING)
WIN(fence, (IN(int) assertion, IN(MPI_Win) window), (assertion, window))
WIN(start, (IN(MPI_Group) group, IN(int) assertion, IN(MPI_Win) window), (group, assertion, window))
WIN(complete, (IN(MPI_Win) window), (window))
WIN(post, (IN(MPI_Group) group, IN(int) assertion, IN(MPI_Win) window), (group, assertion, window))
WIN(wait, (IN(MPI_Win) window), (window))
WIN(test, (IN(MPI_Win) window, OUT(int) flag), (window, flag))
WIN(lock, (IN(int) lock, IN(int) target, IN(int) assertion, IN(MPI_Win) window), (lock, target, assertion, window))
WIN(unlock, (IN(int) target, IN(MPI_Win) window), (target, window))
WIN(lock_all, (IN(int) assertion, IN(MPI_Win) window), (assertion, window))
WIN(unlock_all, (IN(MPI_Win) window), (window))
WIN(flush, (IN(int) target, IN(MPI_Win) window), (target, window))
WIN(flush_all, (IN(MPI_Win) window), (window))
WIN(flush_local, (IN(int) target, IN(MPI_Win) window), (target, window))
WIN(flush_local_all, (IN(MPI_Win) window), (window))
WIN(sync, (IN(MPI_Win) window), (window))

/* ---- input and output ---- */

/* What reads and what writes; `last`: of a status, or of a request. */
#define READ(name, last) \
  LARGE_CHOICE(IO, File_##name, file_##name, \
    (IN(MPI_File) file, void *buffer, COUNT count, DATATYPE type, OUT(last) end), (file, buffer, count, type, end), \
    BUFFER(count, type))
#define READ_AT(name, last) \
  LARGE_CHOICE(IO, File_##name, file_##name, \
    (IN(MPI_File) file, IN(MPI_Offset) offset, void *buffer, COUNT count, DATATYPE type, OUT(last) end), \
    (file, offset, buffer, count, type, end), BUFFER(count, type))
#define WRITE(name, last) \
  LARGE_CHOICE(IO, File_##name, file_##name, \
    (IN(MPI_File) file, const void *buffer, COUNT count, DATATYPE type, OUT(last) end), (file, buffer, count, type, end), \
    BUFFER(count, type))
#define WRITE_AT(name, last) \
  LARGE_CHOICE(IO, File_##name, file_##name, \
    (IN(MPI_File) file, IN(MPI_Offset) offset, const void *buffer, COUNT count, DATATYPE type, OUT(last) end), \
    (file, offset, buffer, count, type, end), BUFFER(count, type))
READ(read, MPI_Status)
READ(read_all, MPI_Status)
READ(read_shared, MPI_Status)
READ(read_ordered, MPI_Status)
READ(iread, MPI_Request)
READ(iread_all, MPI_Request)
READ(iread_shared, MPI_Request)
READ_AT(read_at, MPI_Status)
READ_AT(read_at_all, MPI_Status)
READ_AT(iread_at, MPI_Request)
READ_AT(iread_at_all, MPI_Request)
WRITE(write, MPI_Status)
WRITE(write_all, MPI_Status)
WRITE(write_shared, MPI_Status)
WRITE(write_ordered, MPI_Status)
WRITE(iwrite, MPI_Request)
WRITE(iwrite_all, MPI_Request)
WRITE(iwrite_shared, MPI_Request)
WRITE_AT(write_at, MPI_Status)
WRITE_AT(write_at_all, MPI_Status)
WRITE_AT(iwrite_at, MPI_Request)
WRITE_AT(iwrite_at_all, MPI_Request)

/* In two halves, of which the first names the buffer's size. */
#define HALVES(name, constant) \
  LARGE_CHOICE(IO, File_##name##_begin, file_##name##_begin, \
    (IN(MPI_File) file, constant void *buffer, COUNT count, DATATYPE type), (file, buffer, count, type), \
    BUFFER(count, type)) \
  CHOICE(IO, File_##name##_end, file_##name##_end, \
    (IN(MPI_File) file, constant void *buffer, OUT(MPI_Status) status), (file, buffer, status), NOTHING)
#define HALVES_AT(name, constant) \
  LARGE_CHOICE(IO, File_##name##_begin, file_##name##_begin, \
    (IN(MPI_File) file, IN(MPI_Offset) offset, constant void *buffer, COUNT count, DATATYPE type), \
    (file, offset, buffer, count, type), BUFFER(count, type)) \
  CHOICE(IO, File_##name##_end, file_##name##_end, \
    (IN(MPI_File) file, constant void *buffer, OUT(MPI_Status) status), (file, buffer, status), NOTHING)
HALVES(read_all, )
HALVES(read_ordered, )
HALVES_AT(read_at_all, )
HALVES(write_all, const)
HALVES(write_ordered, const)
HALVES_AT(write_at_all, const)

#define FILE_CALL(name, parameters, arguments) FUNCTION(IO, File_##name, file_##name, parameters, arguments, NOTHING)
TEXT(IO, File_open, file_open,
  (COMM comm, const char *name, IN(int) mode, IN(MPI_Info) info, OUT(MPI_File) file), (comm, name, mode, info, file))
TEXT(IO, File_delete, file_delete, (const char *name, IN(MPI_Info) info), (name, info))
TEXT(IO, File_set_view, file_set_view,
  (IN(MPI_File) file, IN(MPI_Offset) offset, DATATYPE element, DATATYPE view, const char *representation, IN(MPI_Info) info),
  (file, offset, element, view, representation, info))
FILE_CALL(close, (OUT(MPI_File) file), (file))
FILE_CALL(set_size, (IN(MPI_File) file, IN(MPI_Offset) size), (file, size))
FILE_CALL(get_size, (IN(MPI_File) file, OUT(MPI_Offset) size), (file, size))
FILE_CALL(preallocate, (IN(MPI_File) file, IN(MPI_Offset) size), (file, size))
FILE_CALL(set_info, (IN(MPI_File) file, IN(MPI_Info) info), (file, info))
FILE_CALL(set_atomicity, (IN(MPI_File) file, IN(int) flag), (file, flag))
FILE_CALL(seek_shared, (IN(MPI_File) file, IN(MPI_Offset) offset, IN(int) whence), (file, offset, whence))
FILE_CALL(get_position_shared, (IN(MPI_File) file, OUT(MPI_Offset) offset), (file, offset))
FILE_CALL(sync, (IN(MPI_File) file), (file))

/* ---- other: what begins and ends MPI, communicators, windows ---- */

C_ONLY(OTHER, Init, (int *argc, char ***argv), (argc, argv))
C_ONLY(OTHER, Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))
C_ONLY(OTHER, Finalize, (void), ())
FORTRAN_ONLY(OTHER, Init, init, (MPI_Fint *error), (error))
FORTRAN_ONLY(OTHER, Init_thread, init_thread, (void *required, void *provided, MPI_Fint *error), (required, provided, error))
FORTRAN_ONLY(OTHER, Finalize, finalize, (MPI_Fint *error), (error))

#define OTHER_CALL(Name, name, parameters, arguments) FUNCTION(OTHER, Name, name, parameters, arguments, NOTHING)
#define COMM_CALL(name, parameters, arguments) OTHER_CALL(Comm_##name, comm_##name, parameters, arguments)
COMM_CALL(dup, (COMM comm, OUT(MPI_Comm) made), (comm, made))
COMM_CALL(dup_with_info, (COMM comm, IN(MPI_Info) info, OUT(MPI_Comm) made), (comm, info, made))
COMM_CALL(idup, (COMM comm, OUT(MPI_Comm) made, OUT(MPI_Request) request), (comm, made, request))
COMM_CALL(create, (COMM comm, IN(MPI_Group) group, OUT(MPI_Comm) made), (comm, group, made))
COMM_CALL(create_group, (COMM comm, IN(MPI_Group) group, IN(int) tag, OUT(MPI_Comm) made), (comm, group, tag, made))
COMM_CALL(split, (COMM comm, IN(int) color, IN(int) key, OUT(MPI_Comm) made), (comm, color, key, made))
COMM_CALL(split_type, (COMM comm, IN(int) kind, IN(int) key, IN(MPI_Info) info, OUT(MPI_Comm) made),
          (comm, kind, key, info, made))
COMM_CALL(set_info, (COMM comm, IN(MPI_Info) info), (comm, info))
COMM_CALL(free, (OUT(MPI_Comm) comm), (comm))
COMM_CALL(disconnect, (OUT(MPI_Comm) comm), (comm))
COMM_CALL(join, (IN(int) socket, OUT(MPI_Comm) made), (socket, made))
TEXT(OTHER, Comm_accept, comm_accept,
  (const char *port, IN(MPI_Info) info, ROOT root, COMM comm, OUT(MPI_Comm) made), (port, info, root, comm, made))
TEXT(OTHER, Comm_connect, comm_connect,
  (const char *port, IN(MPI_Info) info, ROOT root, COMM comm, OUT(MPI_Comm) made), (port, info, root, comm, made))
TEXTS(OTHER, Comm_spawn, comm_spawn,
  (const char *command, OUT(char *) words, IN(int) number, IN(MPI_Info) info, ROOT root, COMM comm, OUT(MPI_Comm) made,
   OUT(int) errors),
  (command, words, number, info, root, comm, made, errors))
TEXTS(OTHER, Comm_spawn_multiple, comm_spawn_multiple,
  (IN(int) count, OUT(char *) commands, OUT(char **) words, ARRAY(int) numbers, ARRAY(MPI_Info) infos, ROOT root, COMM comm,
   OUT(MPI_Comm) made, OUT(int) errors),
  (count, commands, words, numbers, infos, root, comm, made, errors))
TEXTS(OTHER, Publish_name, publish_name,
  (const char *service, IN(MPI_Info) info, const char *port), (service, info, port))
TEXTS(OTHER, Unpublish_name, unpublish_name,
  (const char *service, IN(MPI_Info) info, const char *port), (service, info, port))
TEXTS(OTHER, Lookup_name, lookup_name, (const char *service, IN(MPI_Info) info, char *port), (service, info, port))

OTHER_CALL(Intercomm_create, intercomm_create,
  (COMM local, IN(int) leader, COMM bridge, IN(int) remote_leader, IN(int) tag, OUT(MPI_Comm) made),
  (local, leader, bridge, remote_leader, tag, made))
OTHER_CALL(Intercomm_merge, intercomm_merge, (COMM comm, IN(int) high, OUT(MPI_Comm) made), (comm, high, made))
OTHER_CALL(Cart_create, cart_create,
  (COMM comm, IN(int) dimensions, ARRAY(int) sizes, ARRAY(int) periods, IN(int) reorder, OUT(MPI_Comm) made),
  (comm, dimensions, sizes, periods, reorder, made))
OTHER_CALL(Cart_sub, cart_sub, (COMM comm, ARRAY(int) remain, OUT(MPI_Comm) made), (comm, remain, made))
OTHER_CALL(Graph_create, graph_create,
  (COMM comm, IN(int) nodes, ARRAY(int) degrees, ARRAY(int) edges, IN(int) reorder, OUT(MPI_Comm) made),
  (comm, nodes, degrees, edges, reorder, made))
OTHER_CALL(Dist_graph_create, dist_graph_create,
  (COMM comm, IN(int) number, ARRAY(int) nodes, ARRAY(int) degrees, ARRAY(int) targets, ARRAY(int) weights,
   IN(MPI_Info) info, IN(int) reorder, OUT(MPI_Comm) made),
  (comm, number, nodes, degrees, targets, weights, info, reorder, made))
OTHER_CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent,
  (COMM comm, IN(int) in, ARRAY(int) sources, ARRAY(int) source_weights, IN(int) out, ARRAY(int) targets,
   ARRAY(int) target_weights, IN(MPI_Info) info, IN(int) reorder, OUT(MPI_Comm) made),
  (comm, in, sources, source_weights, out, targets, target_weights, info, reorder, made))

LARGE_CHOICE(OTHER, Win_create, win_create,
  (void *base, IN(MPI_Aint) size, DISPLACEMENT unit, IN(MPI_Info) info, COMM comm, OUT(MPI_Win) window),
  (base, size, unit, info, comm, window), NOTHING)
LARGE(OTHER, Win_allocate, win_allocate,
  (IN(MPI_Aint) size, DISPLACEMENT unit, IN(MPI_Info) info, COMM comm, void *base, OUT(MPI_Win) window),
  (size, unit, info, comm, base, window), NOTHING)
LARGE(OTHER, Win_allocate_shared, win_allocate_shared,
  (IN(MPI_Aint) size, DISPLACEMENT unit, IN(MPI_Info) info, COMM comm, void *base, OUT(MPI_Win) window),
  (size, unit, info, comm, base, window), NOTHING)
/* Open MPI's module mpi has these two also for a base of type c_ptr. */
FORTRAN_ONLY(OTHER, Win_allocate, win_allocate_cptr,
  (void *size, void *unit, void *info, void *comm, void *base, void *window, MPI_Fint *error),
  (size, unit, info, comm, base, window, error))
FORTRAN_ONLY(OTHER, Win_allocate_shared, win_allocate_shared_cptr,
  (void *size, void *unit, void *info, void *comm, void *base, void *window, MPI_Fint *error),
  (size, unit, info, comm, base, window, error))
OTHER_CALL(Win_create_dynamic, win_create_dynamic,
  (IN(MPI_Info) info, COMM comm, OUT(MPI_Win) window), (info, comm, window))
OTHER_CALL(Win_set_info, win_set_info, (IN(MPI_Win) window, IN(MPI_Info) info), (window, info))
OTHER_CALL(Win_free, win_free, (OUT(MPI_Win) window), (window))

#if MPI_VERSION >= 4
COMM_CALL(idup_with_info, (COMM comm, IN(MPI_Info) info, OUT(MPI_Comm) made, OUT(MPI_Request) request),
          (comm, info, made, request))
TEXT(OTHER, Comm_create_from_group, comm_create_from_group,
  (IN(MPI_Group) group, const char *tag, IN(MPI_Info) info, IN(MPI_Errhandler) handler, OUT(MPI_Comm) made),
  (group, tag, info, handler, made))
TEXT(OTHER, Intercomm_create_from_groups, intercomm_create_from_groups,
  (IN(MPI_Group) local, IN(int) leader, IN(MPI_Group) remote, IN(int) remote_leader, const char *tag, IN(MPI_Info) info,
   IN(MPI_Errhandler) handler, OUT(MPI_Comm) made),
  (local, leader, remote, remote_leader, tag, info, handler, made))
OTHER_CALL(Session_init, session_init,
  (IN(MPI_Info) info, IN(MPI_Errhandler) handler, OUT(MPI_Session) session), (info, handler, session))
OTHER_CALL(Session_finalize, session_finalize, (OUT(MPI_Session) session), (session))
#endif
/* clang-format on */
