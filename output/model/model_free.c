/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/model_free.h"

#include <stdlib.h>

#include "output/metrics/group.h"
#include "output/model/count_sums.h"
#include "output/model/lazy_rows.h"
#include "output/model/memory.h"

void hd_model_free(struct hd_model *model) {
  if (!model)
    return;
  hd_model_free_memory(model);
  free(model->nodes);
  free(model->rows);
  free(model->team_parts);
  if (model->source)
    hd_row_source_clear(model->source);
  free(model->source);
  free(model->threads);
  free(model->modules);
  free(model->counts);
  free(model->costs);
  free(model->switches);
  hd_count_sums_free(model->counts_inclusive);
  hd_count_sums_free(model->counts_total);
  for (uint32_t i = 0; i < model->group_count; i++)
    hd_group_free(model->groups[i]);
  free(model->groups);
  free(model->arguments.items);
  free(model->environment.items);
  free(model->notes.items);
  free(model);
}
