/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file writing.h
 * An OTF2 archive that is being written: first its events, then its definitions, which have to know them. Between the
 * files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_WRITING_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_WRITING_H

#include <otf2/otf2.h>

#include "output/model/model.h"
#include "output/trace/teams.h"
#include "output/views/export/otf2/regions.h"

/** A location is a thread, by its number; one more has the number of busy threads. */
struct hd_otf2 {
  const struct hd_model *model;
  OTF2_Archive *archive;
  OTF2_ErrorCode error; /* the first; OTF2_SUCCESS: there was none */
  char reason[256];     /* what OTF2 said then, or "" */
  struct hd_otf2_regions *regions;
  struct hd_trace_teams *teams;
  bool *is_alone;         /* by thread: events name a team of it alone, outside all regions */
  uint64_t *event_counts; /* by location */
  uint64_t first_ticks, last_ticks;
  bool has_events;
};

static inline OTF2_LocationRef hd_otf2_busy_location(const struct hd_otf2 *otf2) {
  return otf2->model->thread_count;
}

static inline uint32_t hd_otf2_locations(const struct hd_otf2 *otf2) {
  return otf2->model->thread_count + 1;
}

/** Teams are communicators by their numbers. Behind them come those of threads outside all regions. */
static inline OTF2_CommRef hd_otf2_comm_alone(const struct hd_otf2 *otf2, uint32_t thread) {
  return hd_trace_teams_count(otf2->teams) + thread;
}

/** When the program began; the trace begins when the tool was loaded. */
static inline uint64_t hd_otf2_program_begin(const struct hd_model *model) {
  const uint64_t loaded = model->header.loaded_ticks;
  return loaded >= model->before_ticks ? loaded - model->before_ticks : loaded;
}

/** The metric of how many threads are busy, and the instance of it that events name. */
enum { HD_OTF2_BUSY_MEMBER = 0, HD_OTF2_BUSY_CLASS = 0, HD_OTF2_BUSY = 1 };

/** Notes the first error; later ones come of it. */
void hd_otf2_check(struct hd_otf2 *otf2, OTF2_ErrorCode error);

/** False: the trace is damaged, and stderr says where; what comes before is written. */
bool hd_otf2_write_events(struct hd_otf2 *otf2);

void hd_otf2_write_definitions(struct hd_otf2 *otf2);

#endif
