/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/trace/instances.h"

#include <limits.h>
#include <stdlib.h>

#include "output/trace/open_regions.h"
#include "output/trace/walk.h"
#include "support/command/memory.h"

struct search {
  struct hd_instances *instances; /* by node */
  struct hd_open_regions *open;
};

static void add(struct hd_instances *instances, struct hd_instance instance) {
  if (instances->count == instances->limit) {
    instances->limit = 2 * instances->limit + 16;
    instances->items = hd_grow(instances->items, instances->limit, sizeof *instances->items);
  }
  instance.number = instances->count;
  instances->items[instances->count++] = instance;
}

static bool take(void *context, const struct hd_trace_entry *entry) {
  struct search *search = context;
  struct hd_region_instance ended;
  if (hd_open_regions_take(search->open, entry, &ended))
    add(&search->instances[ended.node],
        (struct hd_instance){.begin_ticks = ended.begin_ticks, .end_ticks = ended.end_ticks, .thread = ended.thread});
  return true;
}

static int by_length(const void *a, const void *b) {
  const struct hd_instance *left = a, *right = b;
  const uint64_t left_ticks = hd_instance_ticks(left), right_ticks = hd_instance_ticks(right);
  if (left_ticks != right_ticks)
    return left_ticks < right_ticks ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

struct hd_instances *hd_instances_find(const struct hd_model *model, bool *read) {
  struct search search = {.instances = hd_new((size_t)model->node_count + 1, sizeof *search.instances),
                          .open = hd_open_regions_new(model->thread_count)};
  char error[PATH_MAX + 256];
  *read = hd_trace_walk(model, take, &search, error, sizeof error);
  if (!*read)
    fprintf(stderr, "heddle: %s\n", error);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (search.instances[i].count > 0)
      qsort(search.instances[i].items, search.instances[i].count, sizeof *search.instances[i].items, by_length);
  hd_open_regions_free(search.open);
  return search.instances;
}

void hd_instances_free(const struct hd_model *model, struct hd_instances *instances) {
  for (uint32_t i = 0; i < model->node_count; i++)
    free(instances[i].items);
  free(instances);
}
