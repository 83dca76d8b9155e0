// Two ranks write one file and read it, in each of MPI's ways. An int has 4 bytes.
#include <mpi.h>
#include <stddef.h>

#include "recorder.h"

#define IGNORE MPI_STATUS_IGNORE
#define WAIT EXPECT(MPI_Wait(&request, IGNORE), POINT_TO_POINT, 0)

static int data[8];
static MPI_File file;
static MPI_Request request;

static void rewind_file(void) {
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  EXPECT(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), IO, 0);
}

#define EACH_WAY(verb)                                                                                                 \
  rewind_file();                                                                                                       \
  EXPECT(MPI_File_##verb(file, data, 3, MPI_INT, IGNORE), IO, 12);                                                     \
  EXPECT(MPI_File_##verb##_all(file, data, 3, MPI_INT, IGNORE), IO, 12);                                               \
  EXPECT(MPI_File_##verb##_shared(file, data, 2, MPI_INT, IGNORE), IO, 8);                                             \
  EXPECT(MPI_File_##verb##_ordered(file, data, 2, MPI_INT, IGNORE), IO, 8);                                            \
  EXPECT(MPI_File_##verb##_at(file, 0, data, 4, MPI_INT, IGNORE), IO, 16);                                             \
  EXPECT(MPI_File_##verb##_at_all(file, 0, data, 4, MPI_INT, IGNORE), IO, 16);                                         \
  EXPECT(MPI_File_i##verb(file, data, 1, MPI_INT, &request), IO, 4);                                                   \
  WAIT;                                                                                                                \
  EXPECT(MPI_File_i##verb##_all(file, data, 1, MPI_INT, &request), IO, 4);                                             \
  WAIT;                                                                                                                \
  EXPECT(MPI_File_i##verb##_shared(file, data, 1, MPI_INT, &request), IO, 4);                                          \
  WAIT;                                                                                                                \
  EXPECT(MPI_File_i##verb##_at(file, 0, data, 5, MPI_INT, &request), IO, 20);                                          \
  WAIT;                                                                                                                \
  EXPECT(MPI_File_i##verb##_at_all(file, 0, data, 5, MPI_INT, &request), IO, 20);                                      \
  WAIT;                                                                                                                \
  EXPECT(MPI_File_##verb##_all_begin(file, data, 6, MPI_INT), IO, 24);                                                 \
  EXPECT(MPI_File_##verb##_all_end(file, data, IGNORE), IO, 0);                                                        \
  EXPECT(MPI_File_##verb##_at_all_begin(file, 0, data, 6, MPI_INT), IO, 24);                                           \
  EXPECT(MPI_File_##verb##_at_all_end(file, data, IGNORE), IO, 0);                                                     \
  EXPECT(MPI_File_##verb##_ordered_begin(file, data, 6, MPI_INT), IO, 24);                                             \
  EXPECT(MPI_File_##verb##_ordered_end(file, data, IGNORE), IO, 0)

int main(int argc, char **argv) {
  MPI_Offset size;
  MPI_Info info;
  EXPECT(MPI_Init(&argc, &argv), OTHER, 0);
  MPI_Info_create(&info);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), IO, 0);
  EXPECT(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), IO, 0);
  EXPECT(MPI_File_set_size(file, 64), IO, 0);
  EXPECT(MPI_File_preallocate(file, 64), IO, 0);
  EXPECT(MPI_File_set_atomicity(file, 0), IO, 0);
  EXPECT(MPI_File_set_info(file, info), IO, 0);
  EACH_WAY(write);
  EXPECT(MPI_File_sync(file), IO, 0);
  EXPECT(MPI_File_get_size(file, &size), IO, 0);
  EACH_WAY(read);
  EXPECT(MPI_File_get_position_shared(file, &size), IO, 0);
#if MPI_VERSION >= 4
  EXPECT(MPI_File_write_at_c(file, 0, data, 4, MPI_INT, IGNORE), IO, 16);
#endif
  EXPECT(MPI_File_close(&file), IO, 0);
  EXPECT_FAILURE(MPI_File_delete("missing", MPI_INFO_NULL), IO);
  EXPECT(MPI_Finalize(), OTHER, 0);
  return finish();
}
