/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file instances.h
 * The instances of regions: how long each lasted. Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_TRACE_INSTANCES_H
#define HEDDLE_OUTPUT_VIEWS_TRACE_INSTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "output/views/trace/trace_views.h"

struct hd_instance {
  uint64_t begin_ticks, end_ticks;
  uint32_t thread; /* its primary */
  uint32_t number; /* of the region's instances, in the order of their ends */
};

/** Of a region, by length. */
struct hd_instances {
  struct hd_instance *items; /* the shortest first */
  uint32_t count, limit;
};

/** Of all nodes, by node; those that began and ended in the trace. Free with hd_instances_free(). */
struct hd_instances *hd_instances_find(const struct hd_model *model, bool *read);
void hd_instances_free(const struct hd_model *model, struct hd_instances *instances);

static inline uint64_t hd_instance_ticks(const struct hd_instance *instance) {
  return instance->end_ticks - instance->begin_ticks;
}

#endif
