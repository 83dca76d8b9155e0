/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/source.h"

#include <stdio.h>

#include "heddle-format.h"

const struct hd_source *const hd_sources[] = {&hd_source_kernel, &hd_source_usage, &hd_source_papi, NULL};

bool hd_source_try(const struct hd_source *source, const struct hd_counter_event *const *events, uint32_t count,
                   char *why, size_t why_bytes) {
  uint64_t counts[HD_EVENTS_MOST];
  struct hd_event_set *set = source->create(events, count, why, why_bytes);
  if (!set)
    return false;
  bool works = source->start(set, why, why_bytes);
  if (works && !source->read(set, counts)) {
    snprintf(why, why_bytes, "the counts cannot be read");
    works = false;
  }
  source->destroy(set);
  return works;
}

enum hd_counter_status hd_source_ask(const struct hd_source *source, const char *name, struct hd_counter_event *event,
                                     char *why, size_t why_bytes) {
  const struct hd_counter_event *const alone = event;
  const enum hd_counter_status status = source->find(name, event, why, why_bytes);
  event->source = source;
  if (status == HD_COUNTER_FOUND && !hd_source_try(source, &alone, 1, why, why_bytes))
    return HD_COUNTER_UNAVAILABLE;
  return status;
}
