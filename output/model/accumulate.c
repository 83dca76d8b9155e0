/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/accumulate.h"

void hd_accumulate_cell(struct hd_shares *to, const struct hd_row_cell *cell, uint32_t kind) {
  if (kind == HD_CELL_CHUNKS) {
    to->chunks += cell->ticks;
    to->iterations += (uint64_t)cell->intrusion;
  } else if (kind == HD_CELL_TASKS) {
    to->created += cell->ticks;
    to->elsewhere += (uint64_t)cell->intrusion;
  } else if (kind == HD_CELL_STATIC) {
    to->static_iterations += cell->ticks;
    to->number = hd_numbers_join(to->number, cell->intrusion);
  } else if (kind == HD_CELL_MPI) {
    to->mpi_bytes += cell->ticks;
  } else if (kind == HD_CELL_REFUSED) {
    to->refused += cell->ticks;
  }
}

void hd_accumulate_shares(struct hd_shares *to, const struct hd_shares *from) {
  to->chunks += from->chunks;
  to->iterations += from->iterations;
  to->created += from->created;
  to->elsewhere += from->elsewhere;
  to->mpi_bytes += from->mpi_bytes;
  to->static_iterations += from->static_iterations;
  to->number = hd_numbers_join(to->number, from->number);
  to->refused += from->refused;
}

void hd_accumulate_ticks(uint64_t to[HD_STATE_COUNT], const uint64_t from[HD_STATE_COUNT]) {
  for (int state = 0; state < HD_STATE_COUNT; state++)
    to[state] += from[state];
}

void hd_accumulate_intrusion(struct hd_intrusion *to, const struct hd_intrusion *from) {
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    to->ticks[class] = hd_add_signed(to->ticks[class], from->ticks[class]);
  to->merged = hd_add_signed(to->merged, from->merged);
}

void hd_accumulate_unresolved(struct hd_unresolved *to, const struct hd_unresolved *from) {
  to->ticks += from->ticks;
  to->waiting += from->waiting;
  to->regions += from->regions;
  to->idle += from->idle;
}

/* After the team's join the thread was idle. */
void hd_accumulate_unresolved_cell(struct hd_unresolved *to, const struct hd_row_cell *cell, uint32_t kind) {
  if (kind == HD_CELL_UNRESOLVED) {
    to->ticks += cell->ticks;
    to->waiting += (uint64_t)cell->intrusion;
  } else if (kind == HD_CELL_UNRESOLVED_TEAM) {
    to->ticks -= cell->ticks;
    to->waiting -= cell->ticks;
  } else if (kind == HD_CELL_UNRESOLVED_REGIONS) {
    const uint64_t idle = (uint64_t)cell->intrusion;
    to->ticks += cell->ticks - idle;
    to->regions += cell->ticks - idle;
    to->idle += idle;
  }
}

static uint32_t least_team(uint32_t a, uint32_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

void hd_accumulate_team(struct hd_team_totals *to, const struct hd_team_totals *from) {
  to->instances += from->instances;
  to->open_instances += from->open_instances;
  to->elapsed_ticks += from->elapsed_ticks;
  to->capacity_ticks += from->capacity_ticks;
  to->busy_ticks += from->busy_ticks;
  to->busy_max_ticks += from->busy_max_ticks;
  to->idle_ticks += from->idle_ticks;
  to->intrusion_ticks = hd_add_signed(to->intrusion_ticks, from->intrusion_ticks);
  to->team_min = least_team(to->team_min, from->team_min);
  to->team_max = to->team_max > from->team_max ? to->team_max : from->team_max;
  to->gain_ticks += from->gain_ticks;
  to->mean_ticks += from->mean_ticks;
}

void hd_accumulate_team_part(struct hd_team_totals *to, const struct hd_team_totals *part) {
  struct hd_team_totals own = *part;
  own.team_max = part->team_min;
  own.gain_ticks = 0;
  own.mean_ticks = (double)part->elapsed_ticks; /* killed before the size of its team was known */
  if (part->team_min > 0) {
    own.gain_ticks = ((double)part->capacity_ticks - (double)part->busy_ticks) / part->team_min;
    own.mean_ticks = (double)part->capacity_ticks / part->team_min;
  }
  hd_accumulate_team(to, &own);
}

void hd_accumulate_entries(struct hd_entries *to, const struct hd_entries *from) {
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++) {
      to->visits[caller][own] += from->visits[caller][own];
      to->ticks[caller][own] += from->ticks[caller][own];
    }
}

void hd_accumulate_row(struct hd_row *to, const struct hd_row *from) {
  to->visits += from->visits;
  to->refused |= from->refused;
  to->cpu_ns += from->cpu_ns;
  hd_accumulate_shares(&to->shares, &from->shares);
  hd_accumulate_entries(&to->entries, &from->entries);
  hd_accumulate_ticks(to->ticks, from->ticks);
  hd_accumulate_intrusion(&to->intrusion, &from->intrusion);
  hd_accumulate_unresolved(&to->unresolved, &from->unresolved);
}

int hd_compare_pairs(const void *a, const void *b) {
  const uint32_t *left = a, *right = b;
  if (left[0] != right[0])
    return left[0] < right[0] ? -1 : 1;
  return (left[1] > right[1]) - (left[1] < right[1]);
}

uint64_t hd_entries_ticks(const struct hd_entries *entries) {
  uint64_t sum = 0;
  for (int caller = 0; caller < HD_ENTRY_STATES; caller++)
    for (int own = 0; own < HD_ENTRY_STATES; own++)
      sum += entries->ticks[caller][own];
  return sum;
}

void hd_widen_levels(struct hd_levels *to, const struct hd_levels *from) {
  to->count = from->count > to->count ? from->count : to->count;
}

void hd_accumulate_levels(struct hd_levels *to, const struct hd_levels *from) {
  for (uint32_t k = 0; k < from->count; k++)
    to->ticks[k] += from->ticks[k];
}
