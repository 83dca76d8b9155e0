! The module mpi, as mpif.h: three ranks call functions of each form of parameters.
program mpif
  use mpi
  implicit none
  integer, parameter :: p2p = 0, collective = 1, one_sided = 2, io = 3, other = 4
  integer :: rank, error, request, comm, group, file, window, provided, garbage, type, base
  integer :: sent(16), got(16), counts(3), places(3), same(3), types(3)
  logical :: flag
  integer(MPI_ADDRESS_KIND) :: zero, size

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call expect('MPI_Init_thread', other, 0, __LINE__)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  garbage = 24
  sent = 1
  counts = (/1, 2, 3/)
  places = (/0, 1, 3/)
  types = MPI_INTEGER
  comm = MPI_COMM_WORLD

  call MPI_Barrier(comm, error)
  call expect('MPI_Barrier', collective, 0, __LINE__)
  call MPI_Sendrecv(sent, 2, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, got, 3, MPI_INTEGER, MPI_PROC_NULL, 1, comm, &
                    MPI_STATUS_IGNORE, error)
  call expect('MPI_Sendrecv', p2p, 16 + 12, __LINE__)
  call MPI_Irecv(got, 5, MPI_INTEGER, mod(rank + 2, 3), 1, comm, request, error)
  call expect('MPI_Irecv', p2p, 20, __LINE__)
  call MPI_Send(sent, 3, MPI_INTEGER, mod(rank + 1, 3), 1, comm, error)
  call expect('MPI_Send', p2p, 12, __LINE__)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call expect('MPI_Wait', p2p, 0, __LINE__)
  call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
  call expect('MPI_Test', p2p, 0, __LINE__)

  call MPI_Allreduce(sent, got, 4, MPI_INTEGER, MPI_SUM, comm, error)
  call expect('MPI_Allreduce', collective, 16, __LINE__)
  call MPI_Allgather(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, comm, error)
  call expect('MPI_Allgather', collective, 8, __LINE__)
  call MPI_Allgather(MPI_IN_PLACE, -5, garbage, got, 2, MPI_INTEGER, comm, error)
  call expect('MPI_Allgather', collective, 8, __LINE__)
  call MPI_Allgatherv(MPI_IN_PLACE, -5, garbage, got, counts, places, MPI_INTEGER, comm, error)
  call expect('MPI_Allgatherv', collective, 4 * (rank + 1), __LINE__)
  call MPI_Alltoall(MPI_IN_PLACE, -5, garbage, got, 2, MPI_INTEGER, comm, error)
  call expect('MPI_Alltoall', collective, 3 * 8, __LINE__)
  same = rank + 1
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, got, same, (/0, 4, 8/), MPI_INTEGER, comm, error)
  call expect('MPI_Alltoallv', collective, 4 * 6, __LINE__)
  call MPI_Alltoallw(sent, counts, 4 * places, types, got, same, (/0, 16, 32/), types, comm, error)
  call expect('MPI_Alltoallw', collective, 4 * 6, __LINE__)
  if (rank == 1) then
    call MPI_Gather(MPI_IN_PLACE, -5, garbage, got, 2, MPI_INTEGER, 1, comm, error)
    call expect('MPI_Gather', collective, 0, __LINE__)
    call MPI_Scatterv(sent, counts, places, MPI_INTEGER, MPI_IN_PLACE, -5, garbage, 1, comm, error)
    call expect('MPI_Scatterv', collective, 0, __LINE__)
  else
    call MPI_Gather(sent, 2, MPI_INTEGER, got, -5, garbage, 1, comm, error)
    call expect('MPI_Gather', collective, 8, __LINE__)
    call MPI_Scatterv(sent, counts, places, garbage, got, rank + 1, MPI_INTEGER, 1, comm, error)
    call expect('MPI_Scatterv', collective, 4 * (rank + 1), __LINE__)
  end if
  call MPI_Ireduce_scatter(sent, got, counts, MPI_INTEGER, MPI_SUM, comm, request, error)
  call expect('MPI_Ireduce_scatter', collective, 4 * 6, __LINE__)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call forget()

  size = 64
  zero = 0
  call MPI_Win_create(got, size, 4, MPI_INFO_NULL, comm, window, error)
  call expect('MPI_Win_create', other, 0, __LINE__)
  call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window, error)
  call expect('MPI_Win_lock', one_sided, 0, __LINE__)
  call MPI_Put(sent, 3, MPI_INTEGER, rank, zero, 3, MPI_INTEGER, window, error)
  call expect('MPI_Put', one_sided, 12, __LINE__)
  call MPI_Get_accumulate(sent, 0, MPI_INTEGER, sent(8), 2, MPI_INTEGER, rank, zero, 2, MPI_INTEGER, MPI_NO_OP, window, &
                          error)
  call expect('MPI_Get_accumulate', one_sided, 8, __LINE__)
  call MPI_Win_unlock(rank, window, error)
  call expect('MPI_Win_unlock', one_sided, 0, __LINE__)
  call MPI_Win_free(window, error)
  call expect('MPI_Win_free', other, 0, __LINE__)

  call MPI_File_open(comm, 'written', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  call expect('MPI_File_open', io, 0, __LINE__)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, error)
  call expect('MPI_File_set_view', io, 0, __LINE__)
  call MPI_File_write_at_all(file, 0_MPI_OFFSET_KIND, sent, 3, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call expect('MPI_File_write_at_all', io, 12, __LINE__)
  call MPI_File_close(file, error)
  call expect('MPI_File_close', io, 0, __LINE__)

  call MPI_Comm_split(comm, rank, 0, group, error)
  call expect('MPI_Comm_split', other, 0, __LINE__)
  call MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN, error)
  call MPI_Send(sent, 3, MPI_INTEGER, 7, 1, group, error)
  call expect('MPI_Send', p2p, 0, __LINE__)
  call MPI_Comm_free(group, error)
  call expect('MPI_Comm_free', other, 0, __LINE__)
  call MPI_Finalize(error)
  call expect('MPI_Finalize', other, 0, __LINE__)
  call finish()
end program
