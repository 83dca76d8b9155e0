/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The events: slices as Enter and Leave; teams around the regions' slices; tasks and locks; the number of busy threads.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/trace/slices.h"
#include "output/trace/walk.h"
#include "output/views/export/otf2/order.h"
#include "output/views/export/otf2/writing.h"
#include "support/command/memory.h"

/* A slice with which a team began. */
struct membership {
  uint32_t depth; /* so many slices are around it */
  uint32_t team;
  bool is_primary;
};

struct location {
  OTF2_EvtWriter *writer;
  uint64_t last_ticks;
  uint32_t depth; /* open slices */
  struct membership *members;
  uint32_t member_count, member_limit;
};

struct events {
  struct hd_otf2 *otf2;
  struct location *locations;
  struct hd_slices slices;
  struct hd_otf2_order *order;
  const struct hd_trace_entry *entry; /* whose slices begin and end */
  uint32_t team; /* that it begins or joins, unless a slice has begun with it already; or HD_NONE */
  uint32_t busy, busy_told;
};

/* ---- records ---- */

/* Never backwards: what a damaged file says of its threads' ends may be. */
static OTF2_TimeStamp time_at(struct events *events, struct location *location, uint64_t ticks) {
  struct hd_otf2 *otf2 = events->otf2;
  if (location->last_ticks < ticks)
    location->last_ticks = ticks;
  ticks = location->last_ticks;
  if (!otf2->has_events || otf2->first_ticks > ticks)
    otf2->first_ticks = ticks;
  if (!otf2->has_events || otf2->last_ticks < ticks)
    otf2->last_ticks = ticks;
  otf2->has_events = true;
  return ticks;
}

static void begin_team(struct events *events, struct location *location, OTF2_TimeStamp time, bool is_primary) {
  struct hd_otf2 *otf2 = events->otf2;
  const uint32_t team = events->team;
  events->team = HD_NONE;
  if (location->member_count == location->member_limit) {
    location->member_limit = 2 * location->member_limit + 4;
    location->members = hd_grow(location->members, location->member_limit, sizeof *location->members);
  }
  location->members[location->member_count++] = (struct membership){location->depth, team, is_primary};
  if (is_primary)
    hd_otf2_check(otf2, OTF2_EvtWriter_ThreadFork(location->writer, NULL, time, OTF2_PARADIGM_OPENMP,
                                                  hd_trace_teams_at(otf2->teams, team).count));
  hd_otf2_check(otf2, OTF2_EvtWriter_ThreadTeamBegin(location->writer, NULL, time, team));
}

static void end_team(struct events *events, struct location *location, OTF2_TimeStamp time) {
  struct hd_otf2 *otf2 = events->otf2;
  if (location->member_count == 0 || location->members[location->member_count - 1].depth != location->depth)
    return;
  const struct membership *member = &location->members[--location->member_count];
  hd_otf2_check(otf2, OTF2_EvtWriter_ThreadTeamEnd(location->writer, NULL, time, member->team));
  if (member->is_primary)
    hd_otf2_check(otf2, OTF2_EvtWriter_ThreadJoin(location->writer, NULL, time, OTF2_PARADIGM_OPENMP));
}

static void count_busy(struct events *events, uint64_t ticks, uint32_t busy) {
  struct location *location = &events->locations[hd_otf2_busy_location(events->otf2)];
  const OTF2_Type type = OTF2_TYPE_UINT64;
  const OTF2_MetricValue value = {.unsigned_int = busy};
  if (busy == events->busy_told)
    return;
  events->busy_told = busy;
  hd_otf2_check(events->otf2, OTF2_EvtWriter_Metric(location->writer, NULL, time_at(events, location, ticks),
                                                    HD_OTF2_BUSY, 1, &type, &value));
}

/* ---- tasks and locks ---- */

static struct hd_otf2_place place_of(const struct events *events, uint32_t thread) {
  const struct location *location = &events->locations[thread];
  const uint32_t count = location->member_count;
  return (struct hd_otf2_place){location->writer, thread, count > 0 ? location->members[count - 1].team : HD_NONE};
}

static void write_kept(const struct events *events, uint32_t thread) {
  const struct hd_otf2_place place = place_of(events, thread);
  hd_otf2_order_write(events->order, &place);
}

/* What happened before this entry. At its time it comes between the ends and the begins of slices. */
static void write_passed(const struct events *events, const struct hd_trace_entry *entry) {
  OTF2_TimeStamp time;
  if (hd_otf2_order_keeps(events->order, entry->thread, &time) && (time < entry->ticks || entry->what == HD_WHAT_ORDER))
    write_kept(events, entry->thread);
}

static void take_order(struct events *events, const struct hd_trace_entry *entry) {
  const struct hd_otf2_place place = place_of(events, entry->thread);
  hd_otf2_order_take(events->order, &place, entry, time_at(events, &events->locations[entry->thread], entry->ticks));
}

/* ---- slices ---- */

static bool begins_region(const struct hd_trace_entry *entry) {
  return entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN;
}

/* Before the tool was loaded there was one thread, in the program. */
static uint64_t begin_ticks(const struct events *events, const struct hd_slice *slice) {
  const struct hd_model *model = events->otf2->model;
  const bool is_first = slice->thread == 0 && slice->node == 0 && slice->state == HD_BUSY &&
                        slice->ticks == model->header.loaded_ticks && events->locations[0].last_ticks == 0;
  return is_first ? hd_otf2_program_begin(model) : slice->ticks;
}

/* The fork, and the worker's coming, are before the region is entered, as measurement systems have it. */
static void begin(void *context, const struct hd_slice *slice) {
  struct events *events = context;
  struct location *location = &events->locations[slice->thread];
  const uint64_t ticks = begin_ticks(events, slice);
  const OTF2_TimeStamp time = time_at(events, location, ticks);
  const bool forks = begins_region(events->entry) && slice->node == events->entry->operand;
  write_kept(events, slice->thread);
  if (ticks != slice->ticks)
    count_busy(events, ticks, 1);
  if (events->team != HD_NONE && slice->state == HD_BUSY && (forks || events->entry->what == HD_WHAT_TEAM))
    begin_team(events, location, time, forks);
  location->depth++;
  hd_otf2_check(events->otf2, OTF2_EvtWriter_Enter(location->writer, NULL, time,
                                                   hd_otf2_region(events->otf2->regions, slice->node, slice->state)));
}

static void end(void *context, const struct hd_slice *slice) {
  struct events *events = context;
  struct location *location = &events->locations[slice->thread];
  const OTF2_TimeStamp time = time_at(events, location, slice->ticks);
  location->depth--;
  hd_otf2_check(events->otf2, OTF2_EvtWriter_Leave(location->writer, NULL, time,
                                                   hd_otf2_region(events->otf2->regions, slice->node, slice->state)));
  end_team(events, location, time);
}

static void leave_task(void *context, const struct hd_slice *slice) {
  struct events *events = context;
  const struct hd_otf2_place place = place_of(events, slice->thread);
  hd_otf2_order_leave(events->order, &place, time_at(events, &events->locations[slice->thread], slice->ticks));
}

static bool write(void *context, const struct hd_trace_entry *entry) {
  struct events *events = context;
  events->entry = entry;
  events->team = hd_trace_teams_take(events->otf2->teams, entry);
  write_passed(events, entry);
  if (entry->what == HD_WHAT_ORDER)
    take_order(events, entry);
  hd_slices_take(&events->slices, entry);
  if (entry->now.state == HD_STATE_COUNT)
    hd_otf2_order_end(events->order, entry->thread, entry->is_bound);
  if (hd_trace_is_change(entry->what))
    write_kept(events, entry->thread);
  events->busy += (uint32_t)(entry->now.state == HD_BUSY) - (uint32_t)(entry->before.state == HD_BUSY);
  count_busy(events, entry->ticks, events->busy);
  return events->otf2->error == OTF2_SUCCESS;
}

/* ---- all of them ---- */

static bool walk(struct events *events) {
  const struct hd_model *model = events->otf2->model;
  char error[PATH_MAX + 256];
  events->slices = (struct hd_slices){
      .model = model, .begin = begin, .end = end, .leave_task = leave_task, .context = events, .teams_alone = true};
  hd_slices_start(&events->slices);
  const bool read = hd_trace_walk(model, write, events, error, sizeof error);
  if (!read)
    fprintf(stderr, "heddle: %s\n", error);
  hd_slices_finish(&events->slices, events->otf2->last_ticks);
  for (uint32_t i = 0; i < model->thread_count; i++)
    write_kept(events, i);
  return read;
}

static bool open_writers(struct events *events) {
  struct hd_otf2 *otf2 = events->otf2;
  hd_otf2_check(otf2, OTF2_Archive_OpenEvtFiles(otf2->archive));
  for (uint32_t i = 0; otf2->error == OTF2_SUCCESS && i < hd_otf2_locations(otf2); i++)
    if (!(events->locations[i].writer = OTF2_Archive_GetEvtWriter(otf2->archive, i)))
      hd_otf2_check(otf2, OTF2_ERROR_FILE_CAN_NOT_OPEN);
  return otf2->error == OTF2_SUCCESS;
}

static void close_writers(struct events *events) {
  struct hd_otf2 *otf2 = events->otf2;
  for (uint32_t i = 0; i < hd_otf2_locations(otf2); i++) {
    struct location *location = &events->locations[i];
    if (location->writer) {
      hd_otf2_check(otf2, OTF2_EvtWriter_GetNumberOfEvents(location->writer, &otf2->event_counts[i]));
      hd_otf2_check(otf2, OTF2_Archive_CloseEvtWriter(otf2->archive, location->writer));
    }
    free(location->members);
  }
  hd_otf2_check(otf2, OTF2_Archive_CloseEvtFiles(otf2->archive));
}

bool hd_otf2_write_events(struct hd_otf2 *otf2) {
  struct events events = {.otf2 = otf2, .team = HD_NONE, .busy_told = HD_NONE};
  events.locations = hd_new(hd_otf2_locations(otf2), sizeof *events.locations);
  events.order = hd_otf2_order_new(otf2);
  const bool is_whole = open_writers(&events) && walk(&events);
  close_writers(&events);
  hd_otf2_order_free(events.order);
  free(events.locations);
  return is_whole;
}
