/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/teams.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/trace/walk.h"
#include "support/command/memory.h"

/* A worker that has joined. */
struct member {
  uint32_t thread, number;
  uint64_t ordinal; /* among all begins of regions and joins of workers in the trace */
};

/* A region that has begun and not ended. */
struct open_region {
  uint32_t thread; /* its primary */
  uint32_t node;
  bool has_started;
  uint32_t team;    /* HD_TEAM(), since then */
  uint64_t ordinal; /* as a member's */
  struct member *members;
  uint32_t count, limit;
};

/* Workers may join before the primary tells which team that is. */
struct early {
  bool waits;
  uint32_t team;
  struct member member;
};

struct hd_trace_teams {
  const struct hd_model *model;
  FILE *numbers; /* of teams, and 1, by ordinal, 32 bits each; 0: none is known */
  uint64_t ordinals;
  struct open_region *open; /* in the order of their begins */
  uint32_t open_count, open_limit;
  struct early *early; /* by thread */
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
    if (teams->open[i].has_started && teams->open[i].team == team)
      return &teams->open[i];
  return NULL;
}

static void open_region(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  if (teams->open_count == teams->open_limit) {
    teams->open_limit = 2 * teams->open_limit + 8;
    teams->open = hd_grow(teams->open, teams->open_limit, sizeof *teams->open);
  }
  teams->open[teams->open_count++] =
      (struct open_region){.thread = entry->thread, .node = entry->operand, .ordinal = teams->ordinals++};
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
  teams->items = hd_grow_by_one(teams->items, teams->count, sizeof *teams->items);
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

static void write_number(struct hd_trace_teams *teams, uint64_t ordinal, uint32_t number) {
  const uint32_t and_one = number + 1;
  const off_t at = (off_t)(ordinal * sizeof and_one);
  if (teams->error == 0 && pwrite(fileno(teams->numbers), &and_one, sizeof and_one, at) != (ssize_t)sizeof and_one)
    teams->error = errno ? errno : ENOSPC;
}

static void close_region(struct hd_trace_teams *teams, struct open_region *region) {
  const uint32_t number = number_of(teams, region);
  write_number(teams, region->ordinal, number);
  for (uint32_t i = 0; i < region->count; i++)
    write_number(teams, region->members[i].ordinal, number);
  forget(teams, region);
}

static void add_member(const struct hd_trace_teams *teams, struct open_region *region, struct member member) {
  if (region->count >= 2 * teams->model->thread_count)
    return;
  if (region->count == region->limit) {
    region->limit = 2 * region->limit + 8;
    region->members = hd_grow(region->members, region->limit, sizeof *region->members);
  }
  region->members[region->count++] = member;
}

static void join(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  const struct member member = {entry->thread, entry->number, teams->ordinals++};
  struct open_region *region = with_team(teams, entry->team);
  if (region)
    add_member(teams, region, member);
  teams->early[entry->thread] = (struct early){!region, entry->team, member};
}

static void start(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  struct open_region *region = innermost_of(teams, entry->thread);
  if (!region)
    return;
  region->has_started = true;
  region->team = entry->team;
  for (uint32_t i = 0; i < teams->model->thread_count; i++) {
    struct early *early = &teams->early[i];
    if (early->waits && early->team == entry->team)
      add_member(teams, region, early->member), early->waits = false;
  }
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
static void close_ended(struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  bool ends = entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END;
  for (struct open_region *region; (region = innermost_of(teams, entry->thread)); ends = false)
    if (!ends && !has_ended(teams, region, entry))
      return;
    else
      close_region(teams, region);
}

static bool find(void *context, const struct hd_trace_entry *entry) {
  struct hd_trace_teams *teams = context;
  close_ended(teams, entry);
  if (begins_region(entry))
    open_region(teams, entry);
  else if (entry->what == HD_WHAT_START)
    start(teams, entry);
  else if (entry->what == HD_WHAT_TEAM)
    join(teams, entry);
  return teams->error == 0;
}

struct hd_trace_teams *hd_trace_teams_find(const struct hd_model *model) {
  char error[8]; /* the second walk says what is wrong with the trace */
  struct hd_trace_teams *teams = hd_new(1, sizeof *teams);
  *teams = (struct hd_trace_teams){.model = model,
                                   .numbers = tmpfile(),
                                   .early = hd_new((size_t)model->thread_count + 1, sizeof *teams->early),
                                   .by_text = json_object()};
  hd_need(teams->by_text);
  if (!teams->numbers)
    teams->error = errno;
  else
    hd_trace_walk(model, find, teams, error, sizeof error);
  while (teams->numbers && teams->open_count > 0)
    close_region(teams, &teams->open[teams->open_count - 1]);
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
  free(teams->early);
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

uint32_t hd_trace_teams_take(const struct hd_trace_teams *teams, const struct hd_trace_entry *entry) {
  uint32_t and_one = 0;
  if (!begins_region(entry) && entry->what != HD_WHAT_TEAM)
    return HD_NONE;
  return fread(&and_one, sizeof and_one, 1, teams->numbers) == 1 && and_one <= teams->count ? and_one - 1 : HD_NONE;
}
