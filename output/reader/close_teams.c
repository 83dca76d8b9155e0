/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file close_teams.c
 * Ends the region instances that were still running when the profile ended, and adds up all there were. A program
 * killed inside its one big region has that region's numbers nevertheless.
 */
#include "output/reader/reader_internal.h"

#include <stdlib.h>

#include "output/model/accumulate.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

static uint64_t since(uint64_t end, uint64_t begin) {
  return end > begin ? end - begin : 0;
}

/* ---- into the model ---- */

/* There is room for one from every total and every team. */
static void keep_part(struct hd_model *model, uint32_t node, uint32_t thread, const struct hd_team_totals *part) {
  model->team_parts[model->team_part_count++] = (struct hd_team_part){node, thread, *part};
}

/* What one instance, or the sum of some of one team size, adds to its node. */
static void add_team(struct hd_reader *reader, uint32_t node_id, uint32_t primary, const struct hd_team_totals *part) {
  struct hd_model *model = reader->model;
  const bool outermost = hd_kind_is_region(model->nodes[node_id].kind) && !reader->in_region[node_id];
  hd_accumulate_team_part(&model->nodes[node_id].team, part);
  if (outermost && primary == 0)
    model->inside_ticks += part->elapsed_ticks;
  keep_part(model, node_id, primary, part);
}

static void add_total(struct hd_reader *reader, const struct hd_total_record *record) {
  if (hd_total_is_empty(record))
    return;
  const struct hd_team_totals part = hd_team_totals_of(record);
  add_team(reader, record->profile, record->thread, &part);
}

/* ---- instances that had not ended ---- */

/* A team that had not joined: for how long its members were busy. */
struct open_team {
  uint32_t team; /* HD_TEAM */
  uint32_t index;
  uint64_t busy_ticks;
  uint64_t busy_most_ticks;
};

struct open_teams {
  struct open_team *teams; /* in the order of `team` */
  uint32_t count;
};

static bool is_running(const struct hd_team_record *team) {
  return (team->flags & HD_TEAM_OPEN) && !(team->flags & (HD_TEAM_ENDED | HD_TEAM_ADDED));
}

/* Its members have not told for how long they were busy. */
static bool is_apart(const struct hd_team_record *team) {
  return is_running(team) && !(team->flags & HD_TEAM_JOINED);
}

static int by_team(const void *a, const void *b) {
  const struct open_team *left = a, *right = b;
  return (left->team > right->team) - (left->team < right->team);
}

static void list_open(const struct hd_reader *reader, struct open_teams *open) {
  open->teams = hd_new((size_t)reader->teams.count + 1, sizeof *open->teams);
  for (uint32_t i = 0; i < reader->teams.count; i++) {
    const struct hd_team_record *team = reader->teams.records[i];
    if (is_apart(team))
      open->teams[open->count++] = (struct open_team){.team = team->team, .index = i};
  }
  qsort(open->teams, open->count, sizeof *open->teams, by_team);
}

/* What the thread noted may be of an earlier team of that number. Returns the team; NULL: none that is open. */
static struct hd_team_record *add_member(const struct hd_reader *reader, struct open_teams *open, uint32_t thread,
                                         const struct hd_membership_record *member) {
  const struct open_team wanted = {.team = member->team};
  struct open_team *found =
      member->begin_ticks == 0 ? NULL : bsearch(&wanted, open->teams, open->count, sizeof wanted, by_team);
  struct hd_team_record *team = found ? reader->teams.records[found->index] : NULL;
  if (!team || member->begin_ticks < team->begin_ticks)
    return NULL;
  const uint64_t busy = since(reader->busy_now_ticks[thread], member->busy_at_begin);
  found->busy_ticks += busy;
  found->busy_most_ticks = busy > found->busy_most_ticks ? busy : found->busy_most_ticks;
  return team;
}

static bool add_members(struct hd_reader *reader, struct open_teams *open) {
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_THREADS); hd_records_next(&at);) {
    const struct hd_thread_record *record = at.record;
    add_member(reader, open, record->id, &record->member);
  }
  for (struct hd_records at = hd_records_of(reader->source, HD_BLOCK_MEMBERSHIPS); hd_records_next(&at);) {
    const struct hd_membership_record *member = at.record;
    if (member->thread >= reader->model->thread_count)
      return hd_reader_fail(reader, "damaged: a team has a thread that does not exist");
    struct hd_team_record *team = add_member(reader, open, member->thread, member);
    if (team && team->team_size == 0) /* its primary would have told if there were others */
      team->team_size = 1;
  }
  return true;
}

/* Workers idle until they come, or until the join if they never do; and after it. */
static uint64_t idle_of(const struct hd_team_record *team, uint64_t end) {
  const uint64_t workers = team->team_size > 0 ? team->team_size - 1 : 0;
  const uint64_t begun = team->begun < workers ? team->begun : workers;
  const uint64_t join = team->flags & HD_TEAM_JOINED ? team->join_ticks : end;
  const uint64_t late_ticks = team->begun > workers ? 0 : team->begun_ticks - begun * team->begin_ticks;
  return late_ticks + (workers - begun) * since(join, team->begin_ticks) + workers * since(end, join) -
         (team->flags & HD_TEAM_JOINED ? team->late_finish_ticks : 0);
}

/* Outer instances enclose inner ones of the same node: such a one counts, but its time is already there. */
static void close_uncounted(struct hd_model *model, const struct hd_team_record *team,
                            const struct hd_team_totals *part) {
  struct hd_team_totals *sum = &model->nodes[team->profile].team;
  const struct hd_team_totals counts = {.instances = part->instances, .open_instances = part->open_instances};
  sum->instances += counts.instances;
  sum->open_instances += counts.open_instances;
  keep_part(model, team->profile, team->primary, &counts);
}

/* As long as the size of the team is not known nothing is said of what it did. */
static uint64_t known_ticks(const struct hd_team_record *team, uint64_t ticks) {
  return team->team_size > 0 ? ticks : 0;
}

static void close_team(struct hd_reader *reader, const struct hd_team_record *team, const struct open_team *open) {
  const uint64_t end = reader->model->end_ticks;
  struct hd_team_totals part = {.instances = !(team->flags & HD_LOG_UNASKED), .team_min = team->team_size};
  part.open_instances = part.instances;
  part.elapsed_ticks = since(end, team->begin_ticks);
  part.capacity_ticks = part.elapsed_ticks * team->team_size;
  part.busy_ticks = known_ticks(team, open ? open->busy_ticks : team->busy_ticks);
  part.busy_max_ticks = (open ? open->busy_most_ticks : team->busy_most_ticks) * team->team_size;
  part.idle_ticks = idle_of(team, end);
  if (team->flags & HD_LOG_UNCOUNTED)
    close_uncounted(reader->model, team, &part);
  else if (part.instances > 0 || part.elapsed_ticks > 0) /* else it began in the pause in which the profile ended */
    add_team(reader, team->profile, team->primary, &part);
}

static bool close_open_teams(struct hd_reader *reader, struct open_teams *open) {
  if (!add_members(reader, open))
    return false;
  for (uint32_t i = 0; i < open->count; i++)
    close_team(reader, reader->teams.records[open->teams[i].index], &open->teams[i]);
  for (uint32_t i = 0; i < reader->teams.count; i++) {
    const struct hd_team_record *team = reader->teams.records[i];
    if (is_running(team) && !is_apart(team))
      close_team(reader, team, NULL);
  }
  return true;
}

bool hd_reader_close_teams(struct hd_reader *reader) {
  struct hd_model *model = reader->model;
  struct open_teams open = {0};
  model->team_parts = hd_new((size_t)reader->totals.count + reader->teams.count + 1, sizeof *model->team_parts);
  for (uint32_t i = 0; i < reader->totals.count; i++)
    add_total(reader, reader->totals.records[i]);
  list_open(reader, &open);
  const bool done = close_open_teams(reader, &open);
  free(open.teams);
  return done;
}
