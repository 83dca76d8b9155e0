/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/otf2/archive.h"

#include <stdio.h>
#include <stdlib.h>

#include "output/views/export/otf2/folder.h"
#include "output/views/export/otf2/writing.h"
#include "support/command/memory.h"

/* ---- errors ---- */

void hd_otf2_check(struct hd_otf2 *otf2, OTF2_ErrorCode error) {
  if (error > OTF2_SUCCESS && otf2->error == OTF2_SUCCESS)
    otf2->error = error;
}

/* Instead of what OTF2 would print. */
static OTF2_ErrorCode note_error(void *context, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode error, const char *format, va_list arguments) {
  struct hd_otf2 *otf2 = context;
  (void)file, (void)line, (void)function;
  if (error > OTF2_SUCCESS && !otf2->reason[0])
    vsnprintf(otf2->reason, sizeof otf2->reason, format, arguments);
  hd_otf2_check(otf2, error);
  return error;
}

static bool tell(const struct hd_otf2 *otf2, const char *path) {
  if (otf2->error == OTF2_SUCCESS)
    return true;
  fprintf(stderr, "heddle: %s: the archive is not whole: OTF2 says: %s%s%s\n", path,
          OTF2_Error_GetDescription(otf2->error), otf2->reason[0] ? ": " : "", otf2->reason);
  return false;
}

/* ---- memory ---- */

static OTF2_FlushType flush(void *context, OTF2_FileType type, OTF2_LocationRef location, void *writer, bool is_last) {
  (void)context, (void)type, (void)location, (void)writer, (void)is_last;
  return OTF2_FLUSH;
}

/* One piece for each writer, which it writes out when it is full: by itself OTF2 would take 128 MB of them first. */
static void *allocate(void *context, OTF2_FileType type, OTF2_LocationRef location, void **piece, uint64_t bytes) {
  (void)context, (void)location;
  if (*piece && type == OTF2_FILETYPE_EVENTS)
    return NULL;
  return *piece = hd_new(bytes, 1);
}

static void free_all(void *context, OTF2_FileType type, OTF2_LocationRef location, void **piece, bool is_last) {
  (void)context, (void)type, (void)location, (void)is_last;
  free(*piece);
  *piece = NULL;
}

/* ---- the archive ---- */

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};
static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate, .otf2_free_all = free_all};

static bool open_archive(struct hd_otf2 *otf2, const char *path) {
  otf2->archive = OTF2_Archive_Open(path, HD_OTF2_NAME, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                    OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!otf2->archive) {
    hd_otf2_check(otf2, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    return false;
  }
  hd_otf2_check(otf2, OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush_callbacks, NULL));
  hd_otf2_check(otf2, OTF2_Archive_SetMemoryCallbacks(otf2->archive, &memory_callbacks, NULL));
  hd_otf2_check(otf2, OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive));
  hd_otf2_check(otf2, OTF2_Archive_SetCreator(otf2->archive, "Heddle " HEDDLE_VERSION));
  return otf2->error == OTF2_SUCCESS;
}

static bool write_archive(struct hd_otf2 *otf2, const char *path) {
  bool is_whole = false;
  if (open_archive(otf2, path)) {
    is_whole = hd_otf2_write_events(otf2);
    hd_otf2_write_definitions(otf2);
  }
  if (otf2->archive)
    hd_otf2_check(otf2, OTF2_Archive_Close(otf2->archive));
  return tell(otf2, path) && is_whole;
}

bool hd_otf2_write(const struct hd_model *model, const char *path, bool force) {
  struct hd_otf2 otf2 = {.model = model};
  if (!hd_otf2_make_folder(path, force) || !(otf2.teams = hd_trace_teams_find(model)))
    return false;
  otf2.regions = hd_otf2_regions_new(model);
  otf2.is_alone = hd_new((size_t)model->thread_count + 1, sizeof *otf2.is_alone);
  otf2.event_counts = hd_new(hd_otf2_locations(&otf2), sizeof *otf2.event_counts);
  const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(note_error, &otf2);
  const bool done = write_archive(&otf2, path);
  OTF2_Error_RegisterCallback(before, NULL);
  free(otf2.event_counts);
  free(otf2.is_alone);
  hd_otf2_regions_free(otf2.regions);
  hd_trace_teams_free(otf2.teams);
  return done;
}
