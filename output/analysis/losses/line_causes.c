/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/losses/line_causes.h"

#include <stdlib.h>

#include "output/analysis/callpaths/callpath_filter.h"
#include "support/command/memory.h"

static bool is_whole(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].flags & HD_NODE_GONE)
      return false;
  return true;
}

struct hd_line_causes hd_line_causes_of(const struct hd_lines *view) {
  struct hd_line_causes causes = {.lines = hd_new(view->count, sizeof *causes.lines), .known = is_whole(view->model)};
  if (!causes.known)
    return causes;
  struct hd_loss_book *book = hd_loss_book_new(view->model);
  causes.threads = book->threads;
  causes.program = causes.outside = book->program;
  for (uint32_t i = 0; i < view->model->node_count; i++) {
    if (view->model->nodes[i].kind != HD_KIND_ROUTINE) /* those have no lines here */
      hd_losses_add(&causes.lines[view->line_of_node[i]], &book->inclusive[i], 1);
    if (book->place[i] == HD_PLACE_REGION)
      hd_losses_add(&causes.outside, &book->inclusive[i], -1);
  }
  hd_loss_book_free(book);
  return causes;
}

void hd_line_causes_free(struct hd_line_causes *causes) {
  free(causes->lines);
  *causes = (struct hd_line_causes){0};
}

double hd_losses_all(const struct hd_losses *losses) {
  double sum = 0;
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    sum += losses->lost[cause] > 0 ? (double)losses->lost[cause] : 0;
  return sum;
}

struct hd_main_cause hd_main_cause_of(const struct hd_losses *losses) {
  struct hd_main_cause most = {HD_LOSS_NONE, 0};
  int64_t ticks = 0;
  for (int cause = 0; cause < HD_LOSS_COUNT; cause++)
    if (losses->lost[cause] > ticks) {
      ticks = losses->lost[cause];
      most.cause = (enum hd_loss)cause;
    }
  most.share = ticks > 0 ? (double)ticks / hd_losses_all(losses) : 0;
  return most;
}

double hd_outside_elapsed(const struct hd_line_causes *causes) {
  return causes->threads > 0 && causes->outside.capacity > 0 ? (double)causes->outside.capacity / causes->threads : 0;
}

double hd_outside_loss(const struct hd_line_causes *causes) {
  return causes->threads > 0 ? hd_losses_all(&causes->outside) / causes->threads : 0;
}
