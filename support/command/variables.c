/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/variables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command/edit_distance.h"
#include "support/log.h"
#include "support/settings.h"

enum { NAME_BYTES = 64, MISSPELT = 3 };

#define SETTING(variable, member, kind, unset) "HEDDLE_" #variable,
#define VARIABLE(variable) "HEDDLE_" #variable,
static const char *const known[] = {HD_SETTINGS(SETTING) HD_COMMAND_VARIABLES(VARIABLE)};

static const char *nearest(const char *name) {
  const char *found = known[0];
  for (size_t i = 1; i < sizeof known / sizeof *known; i++)
    if (hd_edit_distance(known[i], name) < hd_edit_distance(found, name))
      found = known[i];
  return found;
}

void hd_variables_each_unknown(hd_variable_visit *visit, void *context) {
  char name[NAME_BYTES];
  for (char **each = environ; each && *each; each++) {
    const size_t length = strcspn(*each, "=");
    if (strncmp(*each, "HEDDLE_", 7) != 0 || length >= sizeof name)
      continue;
    memcpy(name, *each, length);
    name[length] = '\0';
    const char *meant = nearest(name);
    if (strcmp(meant, name) != 0)
      visit(context, name, hd_edit_distance(meant, name) <= MISSPELT ? meant : NULL);
  }
}

static void warn(void *context, const char *name, const char *meant) {
  (void)context;
  hd_log("%s is not a Heddle variable and has no effect%s%s%s", name, meant ? "; did you mean " : "",
         meant ? meant : "", meant ? "?" : "");
}

void hd_variables_warn(void) {
  hd_variables_each_unknown(warn, NULL);
}
