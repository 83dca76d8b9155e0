/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/callpaths/site_regex.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "support/command/edit_distance.h"
#include "support/command/memory.h"

enum { NEAR_MOST = 5, NEAR_BYTES = 64 };

bool hd_site_regex_is_valid(const char *expression, char *error, size_t error_bytes) {
  regex_t regex;
  const int status = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB);
  if (status != 0)
    regerror(status, &regex, error, error_bytes);
  else
    regfree(&regex);
  return status == 0;
}

bool hd_take_site_regex(const struct hd_option_use *use) {
  char error[256];
  return hd_take_text(use) && (hd_site_regex_is_valid(use->argument, error, sizeof error) ||
                               hd_option_refuse(use, "'%s': %s", use->argument, error));
}

static bool finds(const regex_t *regex, const char *text) {
  return regexec(regex, text, 0, NULL, 0) == 0;
}

static bool is_meant(const regex_t *regex, const struct hd_model *model, const struct hd_node *node) {
  char text[HD_PLACE_BYTES], location[HD_PLACE_BYTES], function[HD_FUNCTION_BYTES];
  if (node->name.function) {
    hd_function_text(function, node->name.function);
    if (finds(regex, node->name.function) || finds(regex, function))
      return true;
  }
  if (node->kind == HD_KIND_PHASE || node->kind == HD_KIND_PROGRAM)
    return false;
  hd_location_text(location, model, node);
  snprintf(text, sizeof text, "%s %.400s", hd_node_words(node), location);
  return finds(regex, text);
}

bool *hd_site_regex_nodes(const struct hd_model *model, const char *expression, uint32_t *count) {
  bool *meant = hd_new(model->node_count, sizeof *meant);
  regex_t regex;
  *count = 0;
  hd_need(regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) == 0);
  for (uint32_t i = 0; i < model->node_count; i++)
    *count += meant[i] = is_meant(&regex, model, &model->nodes[i]);
  regfree(&regex);
  return meant;
}

/* Parents come before their children. */
bool *hd_site_regex_callpaths(const struct hd_model *model, const char *expression, uint32_t *count) {
  bool *meant = hd_site_regex_nodes(model, expression, count);
  for (uint32_t i = 1; i < model->node_count; i++)
    meant[i] = meant[i] || meant[model->nodes[i].parent];
  return meant;
}

/* ---- near names ---- */

struct near {
  char name[NEAR_BYTES];
  unsigned distance;
};

/* Lower is nearer; names that hold the text, or are held by it, come first. One letter is in all of them. */
static unsigned distance_of(const char *name, const char *wanted) {
  const bool holds = strlen(wanted) > 1 && strcasestr(name, wanted);
  const bool held = strlen(name) > 1 && strcasestr(wanted, name);
  return holds || held ? 0 : 1 + hd_edit_distance(wanted, name);
}

static void consider(struct near near[NEAR_MOST], size_t *count, const char *name, const char *wanted) {
  struct near found;
  snprintf(found.name, sizeof found.name, "%.*s", NEAR_BYTES - 1, name);
  found.distance = distance_of(found.name, wanted);
  if (found.distance > 1 + strlen(wanted) / 2)
    return;
  size_t at = *count;
  for (size_t i = 0; i < *count; i++)
    if (strcmp(near[i].name, found.name) == 0)
      return;
  while (at > 0 && near[at - 1].distance > found.distance)
    at--;
  if (at == NEAR_MOST)
    return;
  if (*count < NEAR_MOST)
    ++*count;
  memmove(&near[at + 1], &near[at], (*count - at - 1) * sizeof near[0]);
  near[at] = found;
}

void hd_site_regex_complain(const struct hd_model *model, const char *expression, FILE *errors) {
  char wanted[NEAR_BYTES], function[HD_FUNCTION_BYTES];
  struct near near[NEAR_MOST];
  size_t count = 0;
  snprintf(wanted, sizeof wanted, "%.*s", NEAR_BYTES - 1, expression);
  for (uint32_t i = 0; i < model->node_count; i++) {
    if (!model->nodes[i].name.function)
      continue;
    hd_function_text(function, model->nodes[i].name.function);
    consider(near, &count, function, wanted);
  }
  fprintf(errors, "heddle: %s: no routine, construct or phase matches '%s'", model->path, expression);
  for (size_t i = 0; i < count; i++)
    fprintf(errors, "%s%s", i == 0 ? "; there is: " : ", ", near[i].name);
  fputs(count == 0 ? "; 'heddle report --tree --limit 0' shows all\n" : "\n", errors);
}
