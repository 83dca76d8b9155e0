/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The definitions: what the numbers in events stand for. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/export/otf2/writing.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

struct definitions {
  struct hd_otf2 *otf2;
  OTF2_GlobalDefWriter *writer;
  json_t *strings; /* their numbers */
};

/* ---- texts ---- */

static OTF2_StringRef string(struct definitions *definitions, const char *text) {
  char *clean = hd_print("%s", text ? text : "");
  hd_sanitize(clean);
  const json_t *known = json_object_get(definitions->strings, clean);
  const OTF2_StringRef number =
      known ? (OTF2_StringRef)json_integer_value(known) : (OTF2_StringRef)json_object_size(definitions->strings);
  if (!known) {
    hd_need(json_object_set_new(definitions->strings, clean, json_integer(number)) == 0);
    hd_otf2_check(definitions->otf2, OTF2_GlobalDefWriter_WriteString(definitions->writer, number, clean));
  }
  free(clean);
  return number;
}

/* ---- when ---- */

static uint64_t ticks_per_second(const struct hd_model *model) {
  const double ticks = 1 / model->seconds_per_tick;
  return ticks >= 1 && ticks < 1e18 ? (uint64_t)llround(ticks) : 1000000000;
}

static void define_clock(const struct definitions *definitions) {
  const struct hd_otf2 *otf2 = definitions->otf2;
  const uint64_t program = hd_otf2_program_begin(otf2->model);
  const uint64_t first = otf2->has_events && otf2->first_ticks < program ? otf2->first_ticks : program;
  const uint64_t last = otf2->last_ticks > first ? otf2->last_ticks : first;
  hd_otf2_check(definitions->otf2,
                OTF2_GlobalDefWriter_WriteClockProperties(
                    definitions->writer, ticks_per_second(otf2->model), first, last - first,
                    first == program ? otf2->model->header.begin_epoch_ns : OTF2_UNDEFINED_TIMESTAMP));
}

/* ---- where ---- */

enum { HOST, PROCESS = 0 };

static void property(struct definitions *definitions, const char *name, const char *value) {
  OTF2_AttributeValue text = {.stringRef = string(definitions, value)};
  if (value && value[0])
    hd_otf2_check(definitions->otf2,
                  OTF2_GlobalDefWriter_WriteLocationGroupProperty(definitions->writer, PROCESS,
                                                                  string(definitions, name), OTF2_TYPE_STRING, text));
}

static void define_properties(struct definitions *definitions) {
  const struct hd_model *model = definitions->otf2->model;
  char *pid = hd_print("%" PRIu32, model->header.pid), *text = NULL;
  size_t bytes = 0;
  FILE *line = open_memstream(&text, &bytes);
  hd_need(line);
  for (size_t i = 0; i < model->arguments.count; i++)
    fprintf(line, "%s%s", i > 0 ? " " : "", model->arguments.items[i]);
  hd_written(line);
  property(definitions, "program", model->header.program);
  property(definitions, "command line", text);
  property(definitions, "pid", pid);
  property(definitions, "host", model->header.host);
  property(definitions, "OpenMP runtime", model->header.runtime);
  property(definitions, "measured by", "Heddle " HEDDLE_VERSION);
  free(text);
  free(pid);
}

static void define_thread(struct definitions *definitions, uint32_t thread) {
  const struct hd_otf2 *otf2 = definitions->otf2;
  const char *kind = hd_thread_kind_id(otf2->model->threads[thread].kind);
  char *name = hd_print("thread %" PRIu32 " (%s)", thread, kind);
  hd_otf2_check(definitions->otf2,
                OTF2_GlobalDefWriter_WriteLocation(definitions->writer, thread, string(definitions, name),
                                                   OTF2_LOCATION_TYPE_CPU_THREAD, otf2->event_counts[thread], PROCESS));
  free(name);
}

static void define_system(struct definitions *definitions) {
  struct hd_otf2 *otf2 = definitions->otf2;
  const OTF2_StringRef host = string(definitions, otf2->model->header.host), node = string(definitions, "node"),
                       program = string(definitions, otf2->model->header.program);
  const OTF2_LocationRef busy = hd_otf2_busy_location(otf2);
  OTF2_GlobalDefWriter *writer = definitions->writer;
  hd_otf2_check(otf2,
                OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, HOST, host, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, HOST, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
  hd_otf2_check(otf2,
                OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, HOST, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
  hd_otf2_check(otf2,
                OTF2_GlobalDefWriter_WriteLocationGroup(writer, PROCESS, program, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        HOST, OTF2_UNDEFINED_LOCATION_GROUP));
  define_properties(definitions);
  for (uint32_t i = 0; i < otf2->model->thread_count; i++)
    define_thread(definitions, i);
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteLocation(writer, busy, string(definitions, "busy threads"),
                                                         OTF2_LOCATION_TYPE_METRIC, otf2->event_counts[busy], PROCESS));
}

/* ---- what ---- */

static void region_text(const struct hd_model *model, const struct hd_otf2_region *region, char text[HD_PLACE_BYTES]) {
  if (region->state == HD_BUSY)
    hd_node_text(text, model, &model->nodes[region->node], NULL);
  else
    hd_state_text(text, (enum hd_state)region->state);
}

static void define_region(struct definitions *definitions, OTF2_RegionRef number) {
  const struct hd_model *model = definitions->otf2->model;
  const struct hd_otf2_region region = hd_otf2_region_at(definitions->otf2->regions, number);
  const struct hd_node *node = region.state == HD_BUSY ? &model->nodes[region.node] : NULL;
  char text[HD_PLACE_BYTES];
  region_text(model, &region, text);
  const OTF2_StringRef name = string(definitions, text),
                       function = string(definitions, node && node->name.function ? node->name.function : text),
                       kind = string(definitions, node ? hd_kind_words(node->kind) : "of any construct"),
                       file = node && node->name.file ? string(definitions, node->name.file) : OTF2_UNDEFINED_STRING;
  const uint32_t line = node ? node->name.line : 0;
  hd_otf2_check(definitions->otf2, OTF2_GlobalDefWriter_WriteRegion(
                                       definitions->writer, number, name, function, kind, hd_otf2_role(model, &region),
                                       hd_otf2_paradigm(model, &region), OTF2_REGION_FLAG_NONE, file, line, 0));
}

static void define_busy(struct definitions *definitions) {
  struct hd_otf2 *otf2 = definitions->otf2;
  const OTF2_MetricMemberRef members[] = {HD_OTF2_BUSY_MEMBER};
  const OTF2_StringRef name = string(definitions, "busy threads"),
                       words = string(definitions, "threads that work, and neither wait nor idle"),
                       unit = string(definitions, "threads");
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteMetricMember(definitions->writer, HD_OTF2_BUSY_MEMBER, name, words,
                                                             OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_LAST,
                                                             OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit));
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteMetricClass(definitions->writer, HD_OTF2_BUSY_CLASS, 1, members,
                                                            OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteMetricInstance(definitions->writer, HD_OTF2_BUSY, HD_OTF2_BUSY_CLASS,
                                                               hd_otf2_busy_location(otf2), OTF2_SCOPE_LOCATION_GROUP,
                                                               PROCESS));
}

/* ---- who together ---- */

/* All threads, and so a member's number in its team's group, too. */
enum { ALL_THREADS };

static void define_group(struct definitions *definitions, OTF2_GroupRef number, const char *name, OTF2_GroupType type,
                         const struct hd_trace_team *team) {
  uint64_t *members = hd_new((size_t)team->count + 1, sizeof *members);
  for (uint32_t i = 0; i < team->count; i++)
    members[i] = team->threads ? team->threads[i] : i;
  hd_otf2_check(definitions->otf2,
                OTF2_GlobalDefWriter_WriteGroup(definitions->writer, number, string(definitions, name), type,
                                                OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, team->count, members));
  free(members);
}

static void define_team(struct definitions *definitions, OTF2_CommRef number, const struct hd_trace_team *team) {
  struct hd_otf2 *otf2 = definitions->otf2;
  char *name = hd_print("team %" PRIu32 " of %" PRIu32 " thread%s", number, team->count, hd_plural(team->count));
  define_group(definitions, ALL_THREADS + 1 + number, name, OTF2_GROUP_TYPE_COMM_GROUP, team);
  hd_otf2_check(otf2,
                OTF2_GlobalDefWriter_WriteComm(definitions->writer, number, string(definitions, name),
                                               ALL_THREADS + 1 + number, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  free(name);
}

static void define_teams(struct definitions *definitions) {
  struct hd_otf2 *otf2 = definitions->otf2;
  const struct hd_trace_team all = {NULL, otf2->model->thread_count};
  hd_otf2_check(otf2, OTF2_GlobalDefWriter_WriteParadigm(definitions->writer, OTF2_PARADIGM_OPENMP,
                                                         string(definitions, "OpenMP"),
                                                         OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
  define_group(definitions, ALL_THREADS, "OpenMP threads", OTF2_GROUP_TYPE_COMM_LOCATIONS, &all);
  for (uint32_t i = 0; i < hd_trace_teams_count(otf2->teams); i++) {
    const struct hd_trace_team team = hd_trace_teams_at(otf2->teams, i);
    define_team(definitions, i, &team);
  }
  for (uint32_t i = 0; i < otf2->model->thread_count; i++) {
    const struct hd_trace_team alone = {&i, 1};
    if (otf2->is_alone[i])
      define_team(definitions, hd_otf2_comm_alone(otf2, i), &alone);
  }
}

/* ---- all of them ---- */

/* Readers ask for a file of each location's own. */
static void write_local(struct hd_otf2 *otf2) {
  hd_otf2_check(otf2, OTF2_Archive_OpenDefFiles(otf2->archive));
  for (uint32_t i = 0; otf2->error == OTF2_SUCCESS && i < hd_otf2_locations(otf2); i++) {
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(otf2->archive, i);
    hd_otf2_check(otf2, writer ? OTF2_Archive_CloseDefWriter(otf2->archive, writer) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
  }
  hd_otf2_check(otf2, OTF2_Archive_CloseDefFiles(otf2->archive));
}

void hd_otf2_write_definitions(struct hd_otf2 *otf2) {
  struct definitions definitions = {otf2, NULL, json_object()};
  hd_need(definitions.strings);
  write_local(otf2);
  if (!(definitions.writer = OTF2_Archive_GetGlobalDefWriter(otf2->archive))) {
    hd_otf2_check(otf2, OTF2_ERROR_FILE_CAN_NOT_OPEN);
  } else {
    define_clock(&definitions);
    define_system(&definitions);
    for (uint32_t i = 0; i < hd_otf2_regions_count(otf2->regions); i++)
      define_region(&definitions, i);
    define_busy(&definitions);
    define_teams(&definitions);
  }
  json_decref(definitions.strings);
}
