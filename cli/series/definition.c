/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/series/series.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

json_t *hd_series_text(const char *text) {
  json_t *made = json_string(text);
  if (made)
    return made;
  char *escaped = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&escaped, &bytes);
  for (; out && *text; text++)
    fprintf(out, (unsigned char)*text < 0x80 ? "%c" : "\\x%02x", (unsigned char)*text);
  hd_written(out);
  made = json_string(escaped);
  free(escaped);
  return made;
}

json_t *hd_series_texts(char *const *texts) {
  json_t *list = json_array();
  for (; list && texts && *texts; texts++)
    json_array_append_new(list, hd_series_text(*texts));
  return list;
}

/* Variables that change what a run does or measures. */
static bool matters(const char *variable) {
  static const struct {
    const char *prefix;
    bool matters;
  } prefixes[] = {{"OMP_NUM_THREADS=", false},
                  {"HEDDLE_OUTPUT=", false},
                  {"HEDDLE_STORE_DIR=", false},
                  {"OMP_", true},
                  {"KMP_", true},
                  {"GOMP_", true},
                  {"HEDDLE_", true},
                  {"LD_LIBRARY_PATH=", true},
                  {"LD_PRELOAD=", true}};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(variable, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
      return prefixes[i].matters;
  return false;
}

static json_t *make_environment(void) {
  struct hd_texts found = {0};
  for (char **variable = environ; *variable; variable++)
    if (matters(*variable))
      hd_texts_add(&found, hd_print("%s", *variable));
  hd_texts_sort(&found);
  json_t *list = hd_series_texts(found.items);
  hd_texts_free(&found);
  return list;
}

static json_t *make_directory(void) {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? hd_series_text(path) : json_null();
}

static json_t *make_host(void) {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return hd_series_text(name);
}

bool hd_series_is_same(const char *key, const json_t *before, const json_t *asked) {
  const json_t *was = json_object_get(before, key), *is = json_object_get(asked, key);
  if ((!was && !is) || json_equal(was, is))
    return true;
  char *was_text = json_dumps(was, JSON_ENCODE_ANY | JSON_COMPACT);
  char *is_text = json_dumps(is, JSON_ENCODE_ANY | JSON_COMPACT);
  hd_log("  %s: %s, now %s", key, was_text ? was_text : "nothing", is_text ? is_text : "nothing");
  free(was_text);
  free(is_text);
  return false;
}

bool hd_series_program_fits(const struct hd_series_program *program, const json_t *before, const json_t *asked) {
  return !before || !asked || json_equal(json_object_get(before, "content"), json_object_get(asked, "content")) ||
         HD_COMPLAIN("  %s has been changed since (another build)", program->path);
}

json_t *hd_series_definition(const struct hd_series_options *options) {
  return json_pack("{s:o, s:o, s:o, s:o}", "command", hd_series_texts(options->command), "directory", make_directory(),
                   "environment", make_environment(), "host", make_host());
}

bool hd_series_definition_fits(const char *const *keys, const json_t *before, const json_t *asked) {
  static const char *const shared[] = {"command", "directory", "environment", NULL};
  bool fits = true;
  for (; *keys; keys++)
    fits = hd_series_is_same(*keys, before, asked) && fits;
  for (keys = shared; *keys; keys++)
    fits = hd_series_is_same(*keys, before, asked) && fits;
  if (fits && !json_equal(json_object_get(before, "host"), json_object_get(asked, "host"))) {
    hd_log("warning: the existing runs were made on another machine");
    hd_series_is_same("host", before, asked);
  }
  return fits;
}
