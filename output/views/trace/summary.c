/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in the trace, and how the instances of each region differ. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/trace/entry.h"
#include "output/trace/limits.h"
#include "output/trace/size.h"
#include "output/trace/walk.h"
#include "output/views/render/columns.h"
#include "output/views/trace/instances.h"
#include "support/command/memory.h"

struct counting {
  uint64_t entries;
  uint64_t first_ticks, last_ticks;
};

static bool count(void *context, const struct hd_trace_entry *entry) {
  struct counting *counting = context;
  if (counting->entries == 0)
    counting->first_ticks = entry->ticks;
  counting->entries += !entry->inferred;
  counting->last_ticks = entry->ticks;
  return true;
}

static void print_limit(void *context, const char *text) {
  FILE *out = context;
  char *line = hd_print("missing   the trace %s\n", text);
  hd_print_facts(line, out);
  free(line);
}

static void print_facts(const struct hd_model *model, const struct counting *counting, FILE *out) {
  struct hd_trace_size size;
  hd_trace_size(model, &size);
  const bool is_whole = hd_trace_limits(model, NULL, NULL) == 0;
  const bool has_all_bytes = counting->entries > 0 && size.from_ticks == 0; /* else there are others in these */
  char *each = has_all_bytes ? hd_print(", %.1f bytes each", (double)size.bytes / (double)counting->entries)
                             : hd_print("%s", "");
  char *text =
      hd_print("trace     %" PRIu64 " events of %" PRIu32 " thread%s in %.2f MB%s\n"
               "time      from %s to %s%s%s\n",
               counting->entries, model->thread_count, hd_plural(model->thread_count), (double)size.bytes / 0x1p20,
               each, hd_duration(hd_trace_seconds(model, counting->first_ticks)).text,
               hd_duration(hd_trace_seconds(model, counting->last_ticks)).text, is_whole ? ": whole" : "",
               size.only_concurrency ? "; only changes of the number of busy threads" : "");
  hd_print_facts(text, out);
  hd_trace_limits(model, print_limit, out);
  free(text);
  free(each);
}

/* ---- instances ---- */

enum { INSTANCES, SHORTEST, MEDIAN, NINETIETH, LONGEST, WHEN, SUM, ID, COLUMNS };

static const struct hd_column columns[COLUMNS] = {
    [INSTANCES] = {"instances", "Instances", HD_COUNT, 0, 0, NULL},
    [SHORTEST] = {NULL, "Shortest", HD_TEXT, 0, 0, NULL},
    [MEDIAN] = {NULL, "Median", HD_TEXT, 0, 0, NULL},
    [NINETIETH] = {NULL, "90%", HD_TEXT, 0, 0, "nine of ten instances are not longer"},
    [LONGEST] = {NULL, "Longest", HD_TEXT, 0, 0, NULL},
    [WHEN] = {NULL, "At", HD_TEXT, 0, 0, "when the longest began"},
    [SUM] = {NULL, "Sum", HD_TEXT, 0, 0, NULL},
    [ID] = {"id", "Id", HD_COUNT, 0, 0, "for 'heddle trace --instance slowest --region ID'"},
};

struct region {
  uint32_t node;
  uint64_t ticks;
};

static int by_ticks(const void *a, const void *b) {
  const struct region *left = a, *right = b;
  if (left->ticks != right->ticks)
    return left->ticks > right->ticks ? -1 : 1;
  return (left->node > right->node) - (left->node < right->node);
}

static uint32_t list_regions(const struct hd_model *model, const struct hd_instances *instances,
                             struct region *regions) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < model->node_count; i++) {
    struct region region = {.node = i};
    for (uint32_t j = 0; j < instances[i].count; j++)
      region.ticks += hd_instance_ticks(&instances[i].items[j]);
    if (instances[i].count > 0)
      regions[used++] = region;
  }
  if (used > 0)
    qsort(regions, used, sizeof *regions, by_ticks);
  return used;
}

static struct hd_value duration(double seconds) {
  struct hd_value value = {.known = true};
  snprintf(value.text, HD_CELL_BYTES, "%s", hd_duration_brief(seconds).text);
  return value;
}

static struct hd_value length_of(const struct hd_model *model, const struct hd_instances *of, double share) {
  const uint32_t at = (uint32_t)(share * (of->count - 1) + 0.5);
  return duration(hd_model_seconds(model, hd_instance_ticks(&of->items[at])));
}

static void put(struct hd_table *grid, const struct hd_columns *shown, const struct hd_model *model,
                const struct region *region, const struct hd_instances *of) {
  const uint64_t slowest = of->items[of->count - 1].begin_ticks;
  const struct hd_value values[COLUMNS] = {
      [INSTANCES] = hd_count(of->count, true),
      [SHORTEST] = length_of(model, of, 0),
      [MEDIAN] = length_of(model, of, 0.5),
      [NINETIETH] = length_of(model, of, 0.9),
      [LONGEST] = length_of(model, of, 1),
      [WHEN] = duration(hd_trace_seconds(model, slowest)),
      [SUM] = duration(hd_model_seconds(model, region->ticks)),
      [ID] = hd_count(region->node, true),
  };
  char place[HD_PLACE_BYTES];
  hd_node_text(place, model, &model->nodes[region->node], NULL);
  hd_table_row(grid, NULL);
  hd_columns_cells(shown, values, grid);
  hd_table_at(grid, place);
}

static void print_instances(const struct hd_model *model, const struct hd_instances *instances, FILE *out) {
  struct region *regions = hd_new((size_t)model->node_count + 1, sizeof *regions);
  const uint32_t used = list_regions(model, instances, regions);
  const struct hd_columns shown = {columns, COLUMNS, 0, {0}};
  struct hd_table grid = {0};
  hd_columns_add(&shown, &grid);
  hd_table_place(&grid, "Region", false);
  for (uint32_t i = 0; i < used; i++)
    put(&grid, &shown, model, &regions[i], &instances[regions[i].node]);
  if (used > 0) {
    fputc('\n', out);
    hd_table_print(&grid, out);
    fputc('\n', out);
    hd_columns_legend(&shown, "", out);
  } else {
    fputs("\nNo region began and ended in it.\n", out);
  }
  hd_table_free(&grid);
  free(regions);
}

bool hd_trace_summary(const struct hd_model *model, FILE *out) {
  struct counting counting = {0};
  char error[PATH_MAX + 256];
  bool read = false;
  if (!hd_trace_walk(model, count, &counting, error, sizeof error)) {
    fprintf(stderr, "heddle: %s\n", error);
    return false;
  }
  struct hd_instances *instances = hd_instances_find(model, &read);
  print_facts(model, &counting, out);
  print_instances(model, instances, out);
  hd_instances_free(model, instances);
  return read;
}
