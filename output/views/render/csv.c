/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "support/command/sanitize.h"

void hd_csv_text(const char *text, FILE *out) {
  char *copy = strdup(text ? text : "");
  if (!copy)
    return;
  hd_plain_lines(copy);
  const bool quoted = strpbrk(copy, ",\"\n");
  fputs(quoted ? "\"" : "", out);
  for (const char *at = copy; *at; at++)
    fputs(*at == '"' ? "\"\"" : (const char[]){*at, '\0'}, out);
  fputs(quoted ? "\"" : "", out);
  free(copy);
}

void hd_csv_number(double number, FILE *out) {
  fputc(',', out);
  if (isfinite(number))
    fprintf(out, "%.17g", number);
}

void hd_csv_count(uint64_t count, bool known, FILE *out) {
  fputc(',', out);
  if (known)
    fprintf(out, "%llu", (unsigned long long)count);
}

void hd_csv_node_names(FILE *out) {
  fputs("kind,function,file,line,module,offset", out);
}

void hd_csv_node(const struct hd_model *model, const struct hd_node *node, FILE *out) {
  const bool known = node->module != HD_NONE;
  fprintf(out, "%s,", hd_kind_id(node->kind));
  hd_csv_text(node->name.function, out);
  fputc(',', out);
  hd_csv_text(node->name.file, out);
  fputc(',', out);
  if (node->name.line != 0)
    fprintf(out, "%u", node->name.line);
  fputc(',', out);
  if (known)
    hd_csv_text(model->modules[node->module].path, out);
  fputc(',', out);
  if (known)
    fprintf(out, "0x%llx", (unsigned long long)node->offset);
}

void hd_csv_mark_names(FILE *out) {
  fputs(",incomplete,busy_at_most", out);
}

void hd_csv_marks(const struct hd_model *model, const struct hd_node *node, uint32_t flags, FILE *out) {
  const bool incomplete = hd_node_is_measured(node) && hd_model_is_incomplete(model, node->kind);
  fprintf(out, ",%s,%s", incomplete ? "true" : "false", flags & HD_NODE_BUSY_AT_MOST ? "true" : "false");
}

void hd_csv_place_names(FILE *out) {
  fputs("id,row,parent,", out);
  hd_csv_node_names(out);
  hd_csv_mark_names(out);
}

void hd_csv_place(const struct hd_view *view, uint32_t index, FILE *out) {
  const struct hd_line *line = &view->lines[index];
  fprintf(out, "%u,%u,", line->node->id, index);
  if (index > 0)
    fprintf(out, "%u", line->parent);
  fputc(',', out);
  hd_csv_node(view->model, line->node, out);
  hd_csv_marks(view->model, line->node, line->flags, out);
}
