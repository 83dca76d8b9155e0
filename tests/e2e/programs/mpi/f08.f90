! The module mpi_f08: error codes may be left out, buffers may be parts of arrays. Three ranks.
program f08
  use mpi_f08
  implicit none
  integer, parameter :: p2p = 0, collective = 1, one_sided = 2, io = 3, other = 4
  integer :: rank, error
  integer, asynchronous :: sent(16), got(16)
  integer :: counts(3), places(3), same(3)
  type(MPI_Request) :: request, requests(2)
  type(MPI_Comm) :: comm
  type(MPI_File) :: file
  type(MPI_Win) :: window
  type(MPI_Datatype) :: garbage, types(3)
#ifdef MPICH
  integer(MPI_COUNT_KIND) :: large(3)
  integer(MPI_ADDRESS_KIND) :: far(3)
#endif

  call MPI_Init()
  call expect('MPI_Init', other, 0, __LINE__)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  garbage%MPI_VAL = 24
  sent = 1
  counts = (/1, 2, 3/)
  places = (/0, 1, 3/)
  types = MPI_INTEGER
  comm = MPI_COMM_WORLD

  call MPI_Barrier(comm)
  call expect('MPI_Barrier', collective, 0, __LINE__)
  call MPI_Irecv(got, 5, MPI_INTEGER, mod(rank + 2, 3), 1, comm, requests(1))
  call expect('MPI_Irecv', p2p, 20, __LINE__)
  call MPI_Isend(sent, 3, MPI_INTEGER, mod(rank + 1, 3), 1, comm, requests(2), error)
  call expect('MPI_Isend', p2p, 12, __LINE__)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect('MPI_Waitall', p2p, 0, __LINE__)

  call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_SUM, comm)
  call expect('MPI_Allreduce', collective, 16, __LINE__)
  call MPI_Allgather(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, comm)
  call expect('MPI_Allgather', collective, 8, __LINE__)
  call MPI_Allgatherv(MPI_IN_PLACE, -5, garbage, got, counts, places, MPI_INTEGER, comm)
  call expect('MPI_Allgatherv', collective, 4 * (rank + 1), __LINE__)
  call MPI_Ialltoall(MPI_IN_PLACE, -5, garbage, got, 2, MPI_INTEGER, comm, request)
  call expect('MPI_Ialltoall', collective, 3 * 8, __LINE__)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call expect('MPI_Wait', p2p, 0, __LINE__)
  same = rank + 1
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, got, same, (/0, 4, 8/), MPI_INTEGER, comm)
  call expect('MPI_Alltoallv', collective, 4 * 6, __LINE__)
  call MPI_Alltoallw(sent, counts, 4 * places, types, got, same, (/0, 16, 32/), types, comm)
  call expect('MPI_Alltoallw', collective, 4 * 6, __LINE__)
  if (rank == 1) then
    call MPI_Gather(MPI_IN_PLACE, -5, garbage, got, 2, MPI_INTEGER, 1, comm)
    call expect('MPI_Gather', collective, 0, __LINE__)
    call MPI_Scatter(sent, 2, MPI_INTEGER, MPI_IN_PLACE, -5, garbage, 1, comm)
    call expect('MPI_Scatter', collective, 0, __LINE__)
  else
    call MPI_Gather(sent, 2, MPI_INTEGER, got, -5, garbage, 1, comm)
    call expect('MPI_Gather', collective, 8, __LINE__)
    call MPI_Scatter(sent, 2, garbage, got, 2, MPI_INTEGER, 1, comm)
    call expect('MPI_Scatter', collective, 8, __LINE__)
  end if

  call MPI_Win_create(got, 64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, window)
  call expect('MPI_Win_create', other, 0, __LINE__)
  call MPI_Win_fence(0, window)
  call expect('MPI_Win_fence', one_sided, 0, __LINE__)
  call MPI_Fetch_and_op(sent, sent(8), MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, MPI_SUM, window)
  call expect('MPI_Fetch_and_op', one_sided, 4, __LINE__)
  call MPI_Win_fence(0, window)
  call forget()
  call MPI_Win_free(window)
  call expect('MPI_Win_free', other, 0, __LINE__)

  call MPI_File_open(comm, 'written', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
  call expect('MPI_File_open', io, 0, __LINE__)
  call MPI_File_write_all(file, sent, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  call expect('MPI_File_write_all', io, 12, __LINE__)
  call MPI_File_close(file)
  call expect('MPI_File_close', io, 0, __LINE__)

#ifdef MPICH
  large = counts
  far = places
  call MPI_Bcast(sent(1:8:2), 2_MPI_COUNT_KIND, MPI_INTEGER, 0, comm)
  call expect('MPI_Bcast', collective, 8, __LINE__)
  call MPI_Allgatherv(MPI_IN_PLACE, -5_MPI_COUNT_KIND, garbage, got, large, far, MPI_INTEGER, comm)
  call expect('MPI_Allgatherv', collective, 4 * (rank + 1), __LINE__)
#endif
  call MPI_Finalize()
  call expect('MPI_Finalize', other, 0, __LINE__)
  call finish()
end program
