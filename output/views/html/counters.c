/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was counted, in the whole run and in each callpath that has counts of its own. */
#include <math.h>

#include "output/views/html/sections.h"
#include "output/views/html/table.h"
#include "output/views/render/count_columns.h"

static void put_cells(struct hd_count_columns *columns, const struct hd_count_sum *sum, double elapsed, FILE *out) {
  char cell[HD_CELL_BYTES];
  for (size_t i = 0; i < columns->count; i++) {
    hd_count_cell(cell, columns, i, sum, elapsed);
    fputs("<td>", out);
    hd_html_text(cell, out);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

static void put_titles(const struct hd_count_columns *columns, FILE *out) {
  fputs("<thead><tr><th scope=\"col\" class=\"word\">Callpath</th>", out);
  for (size_t i = 0; i < columns->count; i++) {
    fputs("<th scope=\"col\">", out);
    hd_html_text(columns->items[i].title, out);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n", out);
}

void hd_html_counters(const struct hd_model *model, FILE *out) {
  struct hd_count_columns columns;
  if (model->header.event_count == 0 || !model->counts_inclusive)
    return;
  hd_count_columns_choose(&columns, model, false);
  hd_html_section("counters", "Counters", out);
  fputs("<p class=\"hint\">While threads were busy, with the callpaths below.</p>\n", out);
  fputs("<div class=\"wide\"><table id=\"counter-table\">\n", out);
  put_titles(&columns, out);
  fputs("<tbody>\n", out);
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (i > 0 && !hd_node_has_own_counts(node))
      continue;
    fputs("<tr><th scope=\"row\">", out);
    hd_html_place(model, node, out);
    fputs("</th>", out);
    put_cells(&columns, &model->counts_inclusive[i],
              i > 0 ? hd_count_elapsed(&node->team) : hd_count_elapsed_of_program(model), out);
  }
  fputs("</tbody></table></div>\n", out);
  fputs("<p class=\"hint\">~: an estimate, the event took turns with others. &gt;=: some is missing. -: not "
        "known.</p>\n</section>\n",
        out);
}
