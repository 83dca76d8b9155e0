/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/teams.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command/memory.h"

struct member {
  uint32_t thread, number;
};

/* A region that has begun and not ended. */
struct open_region {
  uint32_t thread; /* its primary */
  uint32_t node;
  bool has_team;          /* it is not alone */
  uint32_t team;          /* HD_TEAM() */
  uint64_t ordinal;       /* among all regions of the trace, in the order of their begins */
  uint32_t number;        /* second walk: of its team */
  struct member *members; /* first walk: the workers that have come */
  uint32_t count, limit;
};

struct hd_trace_teams {
  const struct hd_model *model;
  FILE *numbers; /* of the regions' teams, by ordinal, 32 bits each */
  uint64_t begun;
  struct open_region *open; /* in the order of their begins */
  uint32_t open_count, open_limit;
  struct hd_trace_team *items;
  uint32_t count;
  json_t *by_text; /* their numbers */
  int error;       /* errno of the first write that failed */
};

/* ---- regions that are open ---- */

static bool begins_region(const struct hd_trace_entry *entry) {
  return entry->what == HD_WHAT_REGION_BEGIN || entry->what == HD_WHAT_NESTED_BEGIN;
}

static struct open_region *innermost_of(const struct hd_trace_teams *teams, uint32_t thread) {
  for (uint32_t i = teams->open_count; i-- > 0;)
    if (teams->open[i].thread == thread)
      return &teams->open[i];
  return NULL;
}

static struct open_region *with_team(const struct hd_trace_teams *teams, uint32_t team) {
  for (uint32_t i = teams->open_count; i-- > 0;)
    if (teams->open[i].has_team && teams->open[i].team == team)
      return &teams->open[i];
  return NULL;
}

static struct open_region *open_region(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  if (teams->open_count == teams->open_limit) {
    teams->open_limit = 2 * teams->open_limit + 8;
    teams->open = hd_grow(teams->open, teams->open_limit, sizeof *teams->open);
  }
  struct open_region *region = &teams->open[teams->open_count++];
  *region = (struct open_region){
      .thread = entry->thread, .node = entry->operand, .ordinal = teams->begun++, .number = HD_NONE};
  return region;
}

static void forget(struct hd_trace_teams *teams, struct open_region *region) {
  free(region->members);
  memmove(region, region + 1, (size_t)(teams->open + --teams->open_count - region) * sizeof *region);
}

/* ---- different teams ---- */

static int by_thread(const void *a, const void *b) {
  const struct member *left = a, *right = b;
  return (left->thread > right->thread) - (left->thread < right->thread);
}

static int by_number(const void *a, const void *b) {
  const struct member *left = a, *right = b;
  return left->number != right->number ? (left->number > right->number) - (left->number < right->number)
                                       : by_thread(a, b);
}

/* In the order of their numbers, each thread once: a damaged trace may have it twice. */
static void order(struct open_region *region) {
  uint32_t used = 0;
  if (region->count == 0)
    return;
  qsort(region->members, region->count, sizeof *region->members, by_thread);
  for (uint32_t i = 0; i < region->count; i++)
    if (region->members[i].thread != region->thread &&
        (used == 0 || region->members[used - 1].thread != region->members[i].thread))
      region->members[used++] = region->members[i];
  region->count = used;
  qsort(region->members, used, sizeof *region->members, by_number);
}

static char *text_of(const struct open_region *region) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  hd_need(out);
  fprintf(out, "%u", region->thread);
  for (uint32_t i = 0; i < region->count; i++)
    fprintf(out, " %u", region->members[i].thread);
  hd_written(out);
  return text;
}

static uint32_t add_team(struct hd_trace_teams *teams, const struct open_region *region) {
  uint32_t *threads = hd_new((size_t)region->count + 1, sizeof *threads);
  threads[0] = region->thread;
  for (uint32_t i = 0; i < region->count; i++)
    threads[i + 1] = region->members[i].thread;
  teams->items = hd_grow(teams->items, (size_t)teams->count + 1, sizeof *teams->items);
  teams->items[teams->count] = (struct hd_trace_team){threads, region->count + 1};
  return teams->count++;
}

static uint32_t number_of(struct hd_trace_teams *teams, struct open_region *region) {
  order(region);
  char *text = text_of(region);
  const json_t *known = json_object_get(teams->by_text, text);
  const uint32_t number = known ? (uint32_t)json_integer_value(known) : add_team(teams, region);
  if (!known)
    hd_need(json_object_set_new(teams->by_text, text, json_integer(number)) == 0);
  free(text);
  return number;
}

/* ---- the first walk ---- */

static void close_region(struct hd_trace_teams *teams, struct open_region *region) {
  const uint32_t number = number_of(teams, region);
  const off_t at = (off_t)(region->ordinal * sizeof number);
  if (teams->error == 0 && pwrite(fileno(teams->numbers), &number, sizeof number, at) != (ssize_t)sizeof number)
    teams->error = errno ? errno : ENOSPC;
  forget(teams, region);
}

static void add_member(struct open_region *region, const struct hd_trace_entry *entry, uint32_t most) {
  if (!region || region->count >= most)
    return;
  if (region->count == region->limit) {
    region->limit = 2 * region->limit + 8;
    region->members = hd_grow(region->members, region->limit, sizeof *region->members);
  }
  region->members[region->count++] = (struct member){entry->thread, entry->number};
}

static void note_start(const struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  struct open_region *region = innermost_of(teams, entry->thread);
  if (!region)
    return;
  region->has_team = true;
  region->team = entry->team;
}

/* Parents have smaller numbers than their children. */
static bool is_in(const struct hd_model *model, uint32_t node, uint32_t outer) {
  while (node > outer)
    node = model->nodes[node].parent;
  return node == outer;
}

/* Its end may not have been told, where events were switched off. */
static bool has_ended(const struct hd_trace_teams *teams, const struct open_region *region,
                      const struct hd_trace_entry *entry) {
  if (entry->now.state == HD_STATE_COUNT)
    return true;
  return begins_region(entry) && (!is_in(teams->model, entry->operand, region->node) ||
                                  (entry->what == HD_WHAT_REGION_BEGIN && entry->operand == region->node));
}

/* Before an entry is looked at, what has ended by then. */
static void close_ended(struct hd_trace_teams *teams, const struct hd_trace_entry *entry,
                        void (*close)(struct hd_trace_teams *teams, struct open_region *region)) {
  bool ends = entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END;
  for (struct open_region *region; (region = innermost_of(teams, entry->thread)); ends = false)
    if (!ends && !has_ended(teams, region, entry))
      return;
    else
      close(teams, region);
}

static bool find(void *context, const struct hd_trace_entry *entry) {
  struct hd_trace_teams *teams = context;
  close_ended(teams, entry, close_region);
  if (begins_region(entry))
    open_region(teams, entry);
  else if (entry->what == HD_WHAT_START)
    note_start(teams, entry);
  else if (entry->what == HD_WHAT_TEAM)
    add_member(with_team(teams, entry->team), entry, 2 * teams->model->thread_count);
  return teams->error == 0;
}

struct hd_trace_teams *hd_trace_teams_find(const struct hd_model *model) {
  char error[8]; /* the second walk says what is wrong with the trace */
  struct hd_trace_teams *teams = hd_new(1, sizeof *teams);
  *teams = (struct hd_trace_teams){.model = model, .numbers = tmpfile(), .by_text = json_object()};
  hd_need(teams->by_text);
  if (!teams->numbers)
    teams->error = errno;
  else
    hd_trace_walk(model, find, teams, error, sizeof error);
  while (teams->numbers && teams->open_count > 0)
    close_region(teams, &teams->open[teams->open_count - 1]);
  teams->begun = 0;
  if (teams->error == 0)
    return teams;
  fprintf(stderr, "heddle: a temporary file for the teams of the trace: %s\n", strerror(teams->error));
  hd_trace_teams_free(teams);
  return NULL;
}

void hd_trace_teams_free(struct hd_trace_teams *teams) {
  while (teams->open_count > 0)
    forget(teams, &teams->open[teams->open_count - 1]);
  for (uint32_t i = 0; i < teams->count; i++)
    free((void *)teams->items[i].threads);
  free(teams->items);
  free(teams->open);
  json_decref(teams->by_text);
  if (teams->numbers)
    fclose(teams->numbers);
  free(teams);
}

/* ---- the second ---- */

uint32_t hd_trace_teams_count(const struct hd_trace_teams *teams) {
  return teams->count;
}

struct hd_trace_team hd_trace_teams_at(const struct hd_trace_teams *teams, uint32_t number) {
  return teams->items[number];
}

static uint32_t open_next(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  struct open_region *region = open_region(teams, entry);
  if (fread(&region->number, sizeof region->number, 1, teams->numbers) != 1 || region->number >= teams->count)
    region->number = HD_NONE;
  return region->number;
}

uint32_t hd_trace_teams_take(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  uint32_t number = HD_NONE;
  close_ended(teams, entry, forget);
  if (begins_region(entry))
    number = open_next(teams, entry);
  else if (entry->what == HD_WHAT_START)
    note_start(teams, entry);
  else if (entry->what == HD_WHAT_TEAM && with_team(teams, entry->team))
    number = with_team(teams, entry->team)->number;
  return number;
}
