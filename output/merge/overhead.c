/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file overhead.c
 * What Heddle's own work cost in the runs of a sum, by thread and kind of event, and what was switched off.
 */
#include <stdlib.h>

#include "output/merge/merge_internal.h"

/* All of a thread's events are in the sum: none is left at the price of an ordinary one. */
static void add_cost(struct hd_event_cost *to, const struct hd_event_cost *from, uint64_t factor) {
  const uint64_t left = from->count > from->charged ? from->count - from->charged : 0;
  to->count += from->count;
  to->charged = to->count;
  to->total_ticks += (from->total_ticks + left * from->ticks) * factor;
}

static void write_costs(struct hd_merge *merge) {
  struct hd_costs_record *sums = hd_new(merge->thread_count, sizeof *sums);
  bool any = false;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->cost_count; j++, any = true) {
      const struct hd_costs_record *from = &merge->models[i]->costs[j];
      for (int kind = 0; kind < HD_EVENT_KINDS; kind++)
        add_cost(&sums[from->thread].kinds[kind], &from->kinds[kind], merge->factors[i]);
    }
  if (any)
    hd_writer_begin_block(merge->writer, HD_BLOCK_COSTS);
  for (uint32_t i = 0; any && i < merge->thread_count; i++) {
    sums[i].thread = i;
    hd_writer_add(merge->writer, &sums[i], sizeof sums[i]);
  }
  free(sums);
}

static int by_cause(const void *a, const void *b) {
  const struct hd_switch_record *left = a, *right = b;
  if (left->event_class != right->event_class)
    return left->event_class < right->event_class ? -1 : 1;
  if (left->profile != right->profile)
    return left->profile < right->profile ? -1 : 1;
  return left->thread < right->thread ? -1 : left->thread > right->thread;
}

static uint32_t profile_of(const struct hd_merge *merge, size_t run, const struct hd_switch *from) {
  if (from->asked)
    return from->in_part ? HD_SOME_REGIONS : HD_NONE;
  return merge->united->node_of[run][from->node];
}

static struct hd_switch_record switch_of(const struct hd_merge *merge, size_t run, const struct hd_switch *from) {
  return (struct hd_switch_record){.event_class = from->event_class,
                                   .thread = from->thread,
                                   .profile = profile_of(merge, run, from),
                                   .times = from->times < UINT32_MAX ? (uint32_t)from->times : UINT32_MAX,
                                   .total_ticks = from->ticks * merge->factors[run],
                                   .cost_ppm = from->cost_ppm};
}

static void add_switch(struct hd_switch_record *to, const struct hd_switch_record *from) {
  to->times = to->times > UINT32_MAX - from->times ? UINT32_MAX : to->times + from->times;
  to->total_ticks += from->total_ticks;
  to->cost_ppm = to->cost_ppm > from->cost_ppm ? to->cost_ppm : from->cost_ppm;
}

static void write_switches(struct hd_merge *merge) {
  size_t count = 0;
  for (size_t i = 0; i < merge->count; i++)
    count += merge->models[i]->switch_count;
  struct hd_switch_record *records = hd_new(count, sizeof *records);
  count = 0;
  for (size_t i = 0; i < merge->count; i++)
    for (uint32_t j = 0; j < merge->models[i]->switch_count; j++)
      records[count++] = switch_of(merge, i, &merge->models[i]->switches[j]);
  if (count > 0) {
    qsort(records, count, sizeof *records, by_cause);
    hd_writer_begin_block(merge->writer, HD_BLOCK_SWITCHES);
  }
  for (size_t i = 0; i < count; i++) {
    if (i + 1 < count && by_cause(&records[i], &records[i + 1]) == 0)
      add_switch(&records[i + 1], &records[i]);
    else
      hd_writer_add(merge->writer, &records[i], sizeof records[i]);
  }
  free(records);
}

void hd_merge_write_overhead(struct hd_merge *merge) {
  write_costs(merge);
  write_switches(merge);
}
