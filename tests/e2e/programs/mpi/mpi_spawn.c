/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks that start argv[1] others, which run this, too. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Comm parent, others;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, atoi(argv[1]), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  else
    others = parent;
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
