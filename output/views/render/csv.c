/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/csv.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "support/command/sanitize.h"

void hd_csv_text(const char *text, FILE *out) {
  char *copy = strdup(text ? text : "");
  if (!copy)
    return;
  hd_sanitize_lines(copy);
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
#define NAME(csv, json, marks) "," csv
  fputs(HD_MARK_TABLE(NAME), out);
}

void hd_csv_more_mark_names(FILE *out) {
  fputs(HD_MORE_MARK_TABLE(NAME), out);
#undef NAME
}

void hd_csv_marks(uint32_t marks, FILE *out) {
#define VALUE(csv, json, any) fputs(marks &(any) ? ",true" : ",false", out);
  HD_MARK_TABLE(VALUE)
}

void hd_csv_more_marks(uint32_t marks, FILE *out) {
  HD_MORE_MARK_TABLE(VALUE)
#undef VALUE
}

/* ---- counts ---- */

static const char *const class_names[HD_COUNT_CLASSES] = {"", " waiting", " runtime"};

static bool is_anything_missing(const struct hd_model *model) {
  const struct hd_count_sum *all = &model->counts_total[model->thread_count];
  return all->missing[HD_COUNT_BUSY] != 0;
}

/* A field with what may have to be quoted in it. */
static void put_name(FILE *out, const char *format, ...) {
  char *name = NULL;
  va_list arguments;
  va_start(arguments, format);
  fputc(',', out);
  if (vasprintf(&name, format, arguments) >= 0)
    hd_csv_text(name, out);
  va_end(arguments);
  free(name);
}

void hd_csv_count_names(const struct hd_model *model, const char *suffix, bool classes, FILE *out) {
  for (uint32_t i = 0; i < model->header.event_count; i++) {
    const char *event = model->events[i].name;
    for (int class = 0; class < (classes ? HD_COUNT_CLASSES : 1); class ++)
      put_name(out, "%s%s%s", event, class_names[class], suffix);
    if (model->header.event_slots > 0)
      put_name(out, "%s fraction%s", event, suffix);
    if (is_anything_missing(model))
      put_name(out, "%s at least%s", event, suffix);
  }
  for (uint32_t i = 0; model->header.event_count > 0 && i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->metric_count; j++)
      put_name(out, "%s: %s%s", model->groups[i]->name, model->groups[i]->metrics[j].name, suffix);
}

static double whole_or_nothing(struct hd_count count) {
  return count.known && !count.partial ? count.value : NAN;
}

void hd_csv_counts(const struct hd_model *model, const struct hd_count_sum *sum, bool classes, double elapsed_ticks,
                   FILE *out) {
  const struct hd_count none = {.known = false};
  for (uint32_t i = 0; i < model->header.event_count; i++) {
    const struct hd_count busy = sum ? hd_count_sum_of(model, sum, i, HD_COUNT_BUSY) : none;
    for (int class = 0; class < (classes ? HD_COUNT_CLASSES : 1); class ++)
      hd_csv_number(whole_or_nothing(sum ? hd_count_sum_of(model, sum, i, (enum hd_count_class) class) : none), out);
    if (model->header.event_slots > 0)
      hd_csv_number(busy.known ? busy.fraction : NAN, out);
    if (is_anything_missing(model))
      hd_csv_number(busy.known && busy.partial ? busy.value : NAN, out);
  }
  for (uint32_t i = 0; model->header.event_count > 0 && i < model->group_count; i++)
    for (uint32_t j = 0; j < model->groups[i]->metric_count; j++) {
      const struct hd_group *group = model->groups[i];
      const struct hd_metric *metric = &group->metrics[j];
      hd_csv_number(whole_or_nothing(sum ? hd_count_sum_metric(model, sum, group, metric, elapsed_ticks, NULL) : none),
                    out);
    }
}
