/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/inspect.h"
#include "cli/scale/scale_internal.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

enum { FORMAT = 1 };

/* ---- programs ---- */

/* Tells builds apart; nobody tries to deceive it. */
static uint64_t hash(const unsigned char *bytes, size_t count) {
  uint64_t sum = 0xcbf29ce484222325u ^ count;
  for (; count >= sizeof sum; bytes += sizeof sum, count -= sizeof sum) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  for (; count; bytes++, count--)
    sum = (sum ^ *bytes) * 0x100000001b3u;
  return sum;
}

/* What cannot be read has the sum 0. */
static uint64_t hash_file(const char *path) {
  struct stat status;
  uint64_t sum = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
    const size_t size = (size_t)status.st_size;
    unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      sum = hash(bytes, size);
      munmap(bytes, size);
    }
  }
  if (fd >= 0)
    close(fd);
  return sum;
}

static struct timespec time_of_change(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ctim : (struct timespec){0};
}

/* One that is not found, or not yet, is left to the run, which says so. */
void hd_scale_programs_find(struct hd_scale_plan *plan) {
  for (uint32_t i = 0; i < plan->set_count; i++) {
    const struct hd_scale_step step = {.set = i, .threads = plan->options->threads.items[0], .repeat = 1};
    struct hd_scale_set *set = &plan->sets[i];
    struct hd_texts command = {0};
    hd_scale_step_command(plan, &step, &command);
    if (hd_program_find(command.items[0], set->program)) {
      set->program_changed = time_of_change(set->program);
      set->program_content = hash_file(set->program);
    } else {
      set->program[0] = '\0';
    }
    hd_texts_free(&command);
  }
}

bool hd_scale_program_is_same(struct hd_scale_set *set) {
  const struct timespec changed = time_of_change(set->program);
  if (!set->program[0] ||
      (changed.tv_sec == set->program_changed.tv_sec && changed.tv_nsec == set->program_changed.tv_nsec))
    return true;
  set->program_changed = changed;
  return hash_file(set->program) == set->program_content;
}

/* ---- JSON of texts ---- */

/* JSON holds no bytes that are not UTF-8: these are written as \xNN. */
static json_t *make_text(const char *text) {
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

static json_t *make_texts(char *const *texts) {
  json_t *list = json_array();
  for (; list && texts && *texts; texts++)
    json_array_append_new(list, make_text(*texts));
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
  json_t *list = make_texts(found.items);
  hd_texts_free(&found);
  return list;
}

/* ---- the definition ---- */

static json_t *make_directory(void) {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? make_text(path) : json_null();
}

static json_t *make_names(const struct hd_scale_options *options) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < options->parameter_count; i++)
    json_array_append_new(list, make_text(options->parameters[i].name));
  return list;
}

/* The counts that were there, and those that are not among them. */
static json_t *make_threads(const struct hd_scale_options *options, const json_t *before) {
  const json_t *there = json_object_get(before, "threads");
  json_t *list = json_is_array(there) ? json_deep_copy(there) : json_array();
  for (size_t i = 0; i < options->threads.count; i++) {
    bool known = false;
    for (size_t j = 0; j < json_array_size(list); j++)
      known = known || json_integer_value(json_array_get(list, j)) == options->threads.items[i];
    if (!known)
      json_array_append_new(list, json_integer(options->threads.items[i]));
  }
  return list;
}

/* Sets that were there stay. */
static json_t *make_sets(const struct hd_scale_plan *plan, const json_t *before) {
  const json_t *there = json_object_get(before, "sets");
  json_t *sets = json_is_object(there) ? json_deep_copy(there) : json_object();
  for (uint32_t i = 0; i < plan->set_count; i++) {
    const struct hd_scale_set *set = &plan->sets[i];
    json_t *name = make_text(set->name);
    if (name && set->program[0])
      json_object_set_new(sets, json_string_value(name),
                          json_pack("{s:o, s:o}", "program", make_text(set->program), "content",
                                    json_sprintf("%016llx", (unsigned long long)set->program_content)));
    json_decref(name);
  }
  return sets;
}

static json_t *make_host(void) {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return make_text(name);
}

json_t *hd_scale_definition_make(const struct hd_scale_plan *plan, const json_t *before) {
  const struct hd_scale_options *options = plan->options;
  const json_int_t repeats = json_integer_value(json_object_get(before, "repeats"));
  return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "heddle_scale", FORMAT, "command",
                   make_texts(options->command), "directory", make_directory(), "options",
                   make_texts(options->run_options.items), "bind",
                   options->bind ? make_text(options->bind) : json_null(), "parameters", make_names(options),
                   "environment", make_environment(), "threads", make_threads(options, before), "repeats",
                   repeats > options->repeats ? repeats : (json_int_t)options->repeats, "sets", make_sets(plan, before),
                   "host", make_host());
}

/* ---- what differs ---- */

/* True: both have the same under this key; else says what they have. */
static bool is_same(const char *key, const json_t *before, const json_t *asked) {
  const json_t *was = json_object_get(before, key), *is = json_object_get(asked, key);
  if (json_equal(was, is))
    return true;
  char *was_text = json_dumps(was, JSON_ENCODE_ANY | JSON_COMPACT);
  char *is_text = json_dumps(is, JSON_ENCODE_ANY | JSON_COMPACT);
  hd_log("  %s: %s, now %s", key, was_text ? was_text : "nothing", is_text ? is_text : "nothing");
  free(was_text);
  free(is_text);
  return false;
}

/* Does the set's program have the content that it had? Sets that are new fit. */
static bool program_fits(const struct hd_scale_set *set, const json_t *before, const json_t *asked) {
  json_t *name = make_text(set->name);
  const json_t *was = json_object_get(before, json_string_value(name));
  const json_t *is = json_object_get(asked, json_string_value(name));
  json_decref(name);
  return !was || !is || json_equal(json_object_get(was, "content"), json_object_get(is, "content")) ||
         HD_COMPLAIN("  %s has been changed since (another build)", set->program);
}

bool hd_scale_definition_fits(const struct hd_scale_plan *plan, const json_t *before, const json_t *asked) {
  static const char *const keys[] = {"heddle_scale", "command",    "directory",  "options",
                                     "bind",         "parameters", "environment"};
  bool fits = true;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    fits = is_same(keys[i], before, asked) && fits;
  for (uint32_t i = 0; i < plan->set_count; i++)
    fits = program_fits(&plan->sets[i], json_object_get(before, "sets"), json_object_get(asked, "sets")) && fits;
  if (fits && !json_equal(json_object_get(before, "host"), json_object_get(asked, "host"))) {
    hd_log("warning: the existing runs were made on another machine");
    is_same("host", before, asked);
  }
  return fits;
}
