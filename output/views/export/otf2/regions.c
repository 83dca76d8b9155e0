/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/otf2/regions.h"

#include <jansson.h>
#include <stdlib.h>

#include "output/model/node_text.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

struct hd_otf2_regions {
  const struct hd_model *model;
  uint32_t *of_nodes;                 /* HD_NONE: not asked for yet */
  uint32_t of_states[HD_STATE_COUNT]; /* likewise */
  json_t *by_text;
  struct hd_otf2_region *items;
  uint32_t count;
};

struct hd_otf2_regions *hd_otf2_regions_new(const struct hd_model *model) {
  struct hd_otf2_regions *regions = hd_new(1, sizeof *regions);
  *regions = (struct hd_otf2_regions){
      .model = model, .of_nodes = hd_new(model->node_count, sizeof(uint32_t)), .by_text = json_object()};
  hd_need(regions->by_text);
  for (uint32_t i = 0; i < model->node_count; i++)
    regions->of_nodes[i] = HD_NONE;
  for (uint32_t state = 0; state < HD_STATE_COUNT; state++)
    regions->of_states[state] = HD_NONE;
  return regions;
}

void hd_otf2_regions_free(struct hd_otf2_regions *regions) {
  json_decref(regions->by_text);
  free(regions->of_nodes);
  free(regions->items);
  free(regions);
}

static uint32_t add(struct hd_otf2_regions *regions, uint32_t node, uint32_t state) {
  regions->items = hd_grow_by_one(regions->items, regions->count, sizeof *regions->items);
  regions->items[regions->count] = (struct hd_otf2_region){node, state};
  return regions->count++;
}

/* Callpaths that end at one place have one region: the place's text alone may stand for several. */
static uint32_t find_node(struct hd_otf2_regions *regions, uint32_t node) {
  const struct hd_node *at = &regions->model->nodes[node];
  char place[HD_PLACE_BYTES];
  hd_node_text(place, regions->model, at, NULL);
  char *text = hd_print("%d %u %s %s", (int)at->kind, at->name.line, place, at->name.file ? at->name.file : "");
  hd_sanitize(text);
  const json_t *known = json_object_get(regions->by_text, text);
  const uint32_t region = known ? (uint32_t)json_integer_value(known) : add(regions, node, HD_BUSY);
  if (!known)
    hd_need(json_object_set_new(regions->by_text, text, json_integer(region)) == 0);
  free(text);
  return region;
}

OTF2_RegionRef hd_otf2_region(struct hd_otf2_regions *regions, uint32_t node, uint32_t state) {
  uint32_t *known = state == HD_BUSY ? &regions->of_nodes[node] : &regions->of_states[state];
  if (*known == HD_NONE)
    *known = state == HD_BUSY ? find_node(regions, node) : add(regions, node, state);
  return *known;
}

uint32_t hd_otf2_regions_count(const struct hd_otf2_regions *regions) {
  return regions->count;
}

struct hd_otf2_region hd_otf2_region_at(const struct hd_otf2_regions *regions, OTF2_RegionRef region) {
  return regions->items[region];
}

/* ---- OTF2's words for them ---- */

static const OTF2_RegionRole kind_roles[HD_KIND_COUNT] = {
    [HD_KIND_PROGRAM] = OTF2_REGION_ROLE_ARTIFICIAL,
    [HD_KIND_PARALLEL] = OTF2_REGION_ROLE_PARALLEL,
    [HD_KIND_TEAMS] = OTF2_REGION_ROLE_PARALLEL,
    [HD_KIND_LOOP] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_LOOP_STATIC] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_LOOP_DYNAMIC] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_LOOP_GUIDED] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_SECTIONS] = OTF2_REGION_ROLE_SECTIONS,
    [HD_KIND_SINGLE] = OTF2_REGION_ROLE_SINGLE,
    [HD_KIND_WORKSHARE] = OTF2_REGION_ROLE_WORKSHARE,
    [HD_KIND_DISTRIBUTE] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_TASKLOOP] = OTF2_REGION_ROLE_LOOP,
    [HD_KIND_SCOPE] = OTF2_REGION_ROLE_CODE,
    [HD_KIND_TASK] = OTF2_REGION_ROLE_TASK,
    [HD_KIND_TASKWAIT] = OTF2_REGION_ROLE_TASK_WAIT,
    [HD_KIND_TASKGROUP] = OTF2_REGION_ROLE_TASK_WAIT,
    [HD_KIND_BARRIER_EXPLICIT] = OTF2_REGION_ROLE_BARRIER,
    [HD_KIND_BARRIER_IMPLICIT] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
    [HD_KIND_BARRIER] = OTF2_REGION_ROLE_BARRIER,
    [HD_KIND_REDUCTION] = OTF2_REGION_ROLE_CODE,
    [HD_KIND_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
    [HD_KIND_LOCK] = OTF2_REGION_ROLE_WRAPPER,
    [HD_KIND_ORDERED] = OTF2_REGION_ROLE_ORDERED,
    [HD_KIND_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
    [HD_KIND_OTHER] = OTF2_REGION_ROLE_UNKNOWN,
    [HD_KIND_ROUTINE] = OTF2_REGION_ROLE_FUNCTION,
    [HD_KIND_PHASE] = OTF2_REGION_ROLE_CODE,
    [HD_KIND_MASKED] = OTF2_REGION_ROLE_MASTER,
    [HD_KIND_WORKDISTRIBUTE] = OTF2_REGION_ROLE_WORKSHARE,
    [HD_KIND_BEFORE] = OTF2_REGION_ROLE_ARTIFICIAL,
    [HD_KIND_MPI] = OTF2_REGION_ROLE_WRAPPER,
};

static const OTF2_RegionRole state_roles[HD_STATE_COUNT] = {
    [HD_WAIT_BARRIER_IMPLICIT] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
    [HD_WAIT_BARRIER_EXPLICIT] = OTF2_REGION_ROLE_BARRIER,
    [HD_WAIT_TASKWAIT] = OTF2_REGION_ROLE_TASK_WAIT,
    [HD_WAIT_TASKGROUP] = OTF2_REGION_ROLE_TASK_WAIT,
    [HD_WAIT_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
    [HD_WAIT_LOCK] = OTF2_REGION_ROLE_WRAPPER,
    [HD_WAIT_ORDERED] = OTF2_REGION_ROLE_ORDERED,
    [HD_WAIT_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
    [HD_WAIT_REDUCTION] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
    [HD_WAIT_OTHER] = OTF2_REGION_ROLE_UNKNOWN,
    [HD_WAIT_MPI_POINT_TO_POINT] = OTF2_REGION_ROLE_POINT2POINT,
    [HD_WAIT_MPI_COLLECTIVE] = OTF2_REGION_ROLE_COLL_OTHER,
    [HD_WAIT_MPI_ONE_SIDED] = OTF2_REGION_ROLE_RMA,
    [HD_WAIT_MPI_IO] = OTF2_REGION_ROLE_FILE_IO,
    [HD_WAIT_MPI_OTHER] = OTF2_REGION_ROLE_WRAPPER,
    [HD_RUNTIME_FORK_JOIN] = OTF2_REGION_ROLE_ARTIFICIAL,
    [HD_RUNTIME_SCHEDULING] = OTF2_REGION_ROLE_ARTIFICIAL,
    [HD_RUNTIME_TASK_CREATION] = OTF2_REGION_ROLE_TASK_CREATE,
    [HD_IDLE] = OTF2_REGION_ROLE_ARTIFICIAL,
};

OTF2_RegionRole hd_otf2_role(const struct hd_model *model, const struct hd_otf2_region *region) {
  return region->state == HD_BUSY ? kind_roles[model->nodes[region->node].kind] : state_roles[region->state];
}

/* Routines of which only the stack is known, too, are the program's. */
OTF2_Paradigm hd_otf2_paradigm(const struct hd_model *model, const struct hd_otf2_region *region) {
  if (region->state >= HD_WAIT_MPI_FIRST && region->state <= HD_WAIT_LAST)
    return OTF2_PARADIGM_MPI;
  if (region->state != HD_BUSY)
    return OTF2_PARADIGM_OPENMP;
  switch (model->nodes[region->node].kind) {
  case HD_KIND_PROGRAM:
    return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
  case HD_KIND_ROUTINE:
    return OTF2_PARADIGM_COMPILER;
  case HD_KIND_PHASE:
    return OTF2_PARADIGM_USER;
  case HD_KIND_MPI:
    return OTF2_PARADIGM_MPI;
  default:
    return OTF2_PARADIGM_OPENMP;
  }
}
