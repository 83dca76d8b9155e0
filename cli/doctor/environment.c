/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/doctor/doctor_internal.h"
#include "support/command/variables.h"

static const char *value_of(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* ---- whether tools are loaded at all ---- */

static void check_switch(struct hd_doctor *doctor) {
  const char *value = value_of("OMP_TOOL");
  if (value && strcasecmp(value, "enabled") != 0)
    SAY(WRONG, "OMP_TOOL", "=%s keeps OpenMP runtimes from loading tools: unset it", value);
}

static void check_verbose(struct hd_doctor *doctor) {
  const char *value = value_of("OMP_TOOL_VERBOSE_INIT");
  static const char *const words[] = {"disabled", "stdout", "stderr"};
  for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
    if (strcasecmp(value, words[i]) == 0)
      return;
  if (value)
    SAY(NOTE, "OMP_TOOL_VERBOSE_INIT", "=%s: libomp 14 to 19 crash when they cannot write that file", value);
}

/* Calls `take` for each entry of a list. */
static void each_entry(struct hd_doctor *doctor, const char *variable, const char *separators,
                       void take(struct hd_doctor *doctor, const char *variable, const char *entry)) {
  const char *value = value_of(variable);
  char *copy = value ? strdup(value) : NULL;
  char *rest = NULL;
  for (char *entry = copy ? strtok_r(copy, separators, &rest) : NULL; entry; entry = strtok_r(NULL, separators, &rest))
    take(doctor, variable, entry);
  free(copy);
}

static void check_tool(struct hd_doctor *doctor, const char *variable, const char *entry) {
  if (strstr(entry, "libheddle.so"))
    SAY(NOTE, variable, "already names %s; heddle run puts its own first", entry);
  else
    SAY(NOTE, variable, "names another tool, %s: a runtime takes only one, and under heddle run that is Heddle", entry);
  if (strchr(entry, '/') && access(entry, R_OK) != 0)
    SAY(NOTE, variable, "names %s, which does not exist", entry);
}

/* ---- what is loaded with the program ---- */

static void check_preload(struct hd_doctor *doctor, const char *variable, const char *entry) {
  if (strchr(entry, '/') && access(entry, R_OK) != 0)
    SAY(NOTE, variable, "names %s, which does not exist: the loader complains at every start", entry);
  else if (strstr(entry, "libgomp"))
    SAY(WRONG, variable, "loads GCC's libgomp (%s) first, and libgomp loads no tools: remove it", entry);
  else if (strstr(entry, "libomp") || strstr(entry, "libiomp"))
    SAY(NOTE, variable, "loads %s in place of the runtime that a program links", entry);
}

/* ---- Heddle's own ---- */

static void check_name(void *context, const char *name, const char *meant) {
  struct hd_doctor *doctor = context;
  if (meant)
    SAY(WRONG, name, "is not a Heddle variable and has no effect; did you mean %s?", meant);
  else
    SAY(NOTE, name, "is not a Heddle variable and has no effect");
}

/* ---- what steers the runtime ---- */

static void check_one_thread(struct hd_doctor *doctor, const char *name) {
  const char *value = value_of(name);
  if (value && strcmp(value, "1") == 0)
    SAY(NOTE, name, "=1: every region has one thread, so there is little to see");
}

static bool steers(const char *variable) {
  return strncmp(variable, "OMP_", 4) == 0 || strncmp(variable, "KMP_", 4) == 0 || strncmp(variable, "GOMP_", 5) == 0;
}

static void list_steering(struct hd_doctor *doctor) {
  char text[500] = "";
  size_t used = 0;
  for (char **each = environ; each && *each; each++)
    if (steers(*each) && strncmp(*each, "OMP_TOOL", 8) != 0 && used + strlen(*each) + 3 < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", *each);
  if (used)
    SAY(NOTE, "OpenMP's variables", "%s", text);
  else
    SAY(FINE, "OpenMP's variables", "none is set");
}

void hd_doctor_check_environment(struct hd_doctor *doctor) {
  check_switch(doctor);
  check_verbose(doctor);
  each_entry(doctor, "OMP_TOOL_LIBRARIES", ":", check_tool);
  each_entry(doctor, "LD_PRELOAD", ": ", check_preload);
  hd_variables_each_unknown(check_name, doctor);
  check_one_thread(doctor, "OMP_NUM_THREADS");
  check_one_thread(doctor, "OMP_THREAD_LIMIT");
  list_steering(doctor);
}
