/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file findings_mpi.c
 * Waits in MPI. One process's profile does not tell for whom, nor how much of it is the transfer itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"

/* What is called once, at the begin or the end, is no wait that a cure would save. */
static double waits_in(const struct hd_node *node) {
  return (double)(hd_ticks_in_mpi(node->ticks) - node->ticks[HD_WAIT_MPI_OTHER]);
}

static double waits_outside(const struct hd_diagnosis *diagnosis) {
  double sum = 0;
  for (uint32_t i = 0; i < diagnosis->model->node_count; i++)
    if (diagnosis->book->place[i] == HD_PLACE_OUTSIDE)
      sum += waits_in(&diagnosis->model->nodes[i]);
  return sum;
}

/* Outside regions nobody works meanwhile, unless other initial threads do. */
void hd_charges_find_mpi(struct hd_diagnosis *diagnosis) {
  const struct hd_model *model = diagnosis->model;
  const double outside = waits_outside(diagnosis);
  const double most = model->levels_known ? (double)hd_levels_up_to(&model->time_at, 0) : outside;
  const double part = outside > most ? most / outside : 1;
  for (uint32_t i = 1; i < model->node_count; i++) {
    const double ticks = waits_in(&model->nodes[i]);
    if (diagnosis->book->place[i] == HD_PLACE_OUTSIDE)
      hd_charge_run(diagnosis, HD_CAUSE_MPI_WAIT, i, ticks * diagnosis->book->threads, ticks * part);
    else
      hd_charge_add(diagnosis, HD_CAUSE_MPI_WAIT, i, ticks);
  }
}

static bool is_send(const char *function) {
  static const char *const sends[] = {"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend"};
  for (size_t i = 0; function && i < sizeof sends / sizeof sends[0]; i++)
    if (strcmp(function, sends[i]) == 0)
      return true;
  return false;
}

const char *hd_mpi_cure(enum hd_state wait, const char *function) {
  switch (wait) {
  case HD_WAIT_MPI_COLLECTIVE:
    return "fewer of them, for more at once; or a non-blocking one (MPI_Iallreduce) with work meanwhile";
  case HD_WAIT_MPI_POINT_TO_POINT:
    return is_send(function) ? "MPI_Irecv in time where it is received, or MPI_Isend here; fewer and larger messages"
                             : "MPI_Irecv and MPI_Isend before work that does not need them; fewer and larger messages";
  case HD_WAIT_MPI_IO:
    return "collective calls (MPI_File_write_all), larger pieces, or fewer ranks that write";
  default:
    return "fewer epochs, for more at once; passive targets (MPI_Win_lock_all)";
  }
}

void hd_say_mpi_wait(const struct hd_diagnosis *diagnosis, struct hd_finding *finding) {
  const struct hd_node *call = finding->place;
  const struct hd_place_sums *sums = &finding->sums;
  const double visits = sums->visits > 0 ? (double)sums->visits : 1;
  char bytes[40] = "";
  if (sums->mpi_bytes > 0)
    snprintf(bytes, sizeof bytes, " and %.0f bytes", sums->mpi_bytes / visits);
  hd_say(finding->evidence[0], "%" PRIu64 " call%s of %s%s%s: how much of it is transfer is not known", sums->visits,
         hd_plural(sums->visits), hd_say_time(diagnosis, sums->mpi_ticks / visits).text, bytes,
         sums->visits == 1 ? "" : " each");
  hd_say(finding->attempt[0], "see for which rank this one waits: heddle job, with the profiles of all");
  hd_say(finding->attempt[1], "%s", hd_mpi_cure(hd_mpi_kind(call->ticks), call->called));
}
