/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/compare/sets.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/resolve/resolve.h"
#include "output/model/marks.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/resolve_names.h"
#include "support/command/complain.h"
#include "support/command/directory.h"
#include "support/command/memory.h"
#include "support/command/texts.h"

/* ---- files ---- */

static void add_set(struct hd_compare_sets *sets, const char *path) {
  sets->sets = hd_grow_by_one(sets->sets, sets->set_count, sizeof *sets->sets);
  sets->sets[sets->set_count++] = (struct hd_compare_set){.path = hd_print("%s", path)};
}

/* Into the newest set. */
static bool add_run(struct hd_compare_sets *sets, const char *path) {
  char error[PATH_MAX + 256];
  struct hd_model *model = NULL;
  if (!hd_profile_open(path, &model, error, sizeof error))
    return HD_COMPLAIN("%s", error);
  if (model->nodes[0].marks[HD_MARKS_OF_CALLPATHS] & HD_MARK_REGIONS) /* else most of what those took would be missing */
    hd_resolve(model);
  hd_names_resolve(model);
  sets->runs = hd_grow_by_one(sets->runs, sets->run_count, sizeof *sets->runs);
  sets->runs[sets->run_count++] = (struct hd_compare_run){.model = model, .set = (uint32_t)sets->set_count - 1};
  return true;
}

static bool is_profile(const char *name) {
  const size_t length = strlen(name);
  return length > 7 && strcmp(name + length - 7, ".heddle") == 0;
}

static int by_version(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Names that are not hidden, in order. */
static bool list(const char *path, struct hd_texts *names) {
  struct hd_directory directory = hd_directory_open(path);
  if (!directory.stream)
    return HD_COMPLAIN("%s: %s", path, strerror(errno));
  while (hd_directory_next(&directory))
    if (directory.name[0] != '.')
      hd_texts_add(names, hd_print("%s", directory.name));
  if (names->count)
    qsort(names->items, names->count, sizeof *names->items, by_version);
  return true;
}

/* A directory's own profiles; `*found` grows by their number. */
static bool add_own(struct hd_compare_sets *sets, const char *directory, const struct hd_texts *names, size_t *found) {
  const size_t before = *found;
  char path[PATH_MAX];
  bool done = true;
  for (size_t i = 0; i < names->count; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, names->items[i]);
    if (!is_profile(names->items[i]) || hd_is_directory(path))
      continue;
    if ((*found)++ == before)
      add_set(sets, directory);
    done = add_run(sets, path) && done; /* all that is wrong is said at once */
  }
  return done;
}

static bool add_below(struct hd_compare_sets *sets, const char *directory, const char *name, size_t *found) {
  char path[PATH_MAX];
  struct hd_texts names = {0};
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (!hd_is_directory(path))
    return true;
  const bool done = list(path, &names) && add_own(sets, path, &names, found);
  hd_texts_free(&names);
  return done;
}

/* What a scan says of itself; NULL: it is none. Its sets are in the order in which they were asked for. */
static json_t *scan_of(const char *directory) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/scan.json", directory);
  return json_load_file(path, 0, NULL);
}

/* Subdirectories: first those that the scan names, in its order, then the others by their names. */
static bool add_directory(struct hd_compare_sets *sets, const char *directory, size_t *found) {
  struct hd_texts names = {0};
  const char *name = NULL;
  json_t *set = NULL;
  if (!list(directory, &names))
    return false;
  json_t *scan = scan_of(directory);
  json_t *named = json_object_get(scan, "sets");
  bool done = add_own(sets, directory, &names, found);
  json_object_foreach(named, name, set) if (name[0] && !strchr(name, '/') && name[0] != '.') done =
      add_below(sets, directory, name, found) && done;
  for (size_t i = 0; i < names.count; i++)
    if (!json_object_get(named, names.items[i]))
      done = add_below(sets, directory, names.items[i], found) && done;
  json_decref(scan);
  hd_texts_free(&names);
  return done;
}

static bool add_operand(struct hd_compare_sets *sets, const char *operand) {
  size_t found = 0;
  char *path = hd_print("%s", operand);
  for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
    path[length - 1] = '\0';
  bool done;
  if (!hd_is_directory(path)) {
    add_set(sets, path);
    done = add_run(sets, path);
  } else {
    done = add_directory(sets, path, &found) &&
           (found > 0 || HD_COMPLAIN("%s: no profiles (*.heddle) in this directory", path));
  }
  free(path);
  return done;
}

/* ---- what the runs and sets are called ---- */

static int compare_threads(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a;
  const uint32_t right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

static size_t distinct(uint32_t *threads, size_t count) {
  size_t kept = 0;
  qsort(threads, count, sizeof *threads, compare_threads);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || threads[kept - 1] != threads[i])
      threads[kept++] = threads[i];
  return kept;
}

static void find_threads(struct hd_compare_sets *sets) {
  bool asked = true;
  uint32_t *most = hd_new(sets->run_count, sizeof *most);
  for (size_t i = 0; i < sets->run_count; i++) {
    struct hd_loss_book *book = hd_loss_book_new(sets->runs[i].model);
    hd_need(book != NULL);
    most[i] = book->threads;
    sets->runs[i].threads = book->asked_threads;
    asked = asked && book->asked_threads > 0;
    hd_loss_book_free(book);
  }
  for (size_t i = 0; !asked && i < sets->run_count; i++)
    sets->runs[i].threads = most[i];
  free(most);
}

static void count_threads(struct hd_compare_sets *sets) {
  uint32_t *threads = hd_new(sets->run_count, sizeof *threads);
  for (size_t set = 0; set < sets->set_count; set++) {
    size_t count = 0;
    for (size_t i = 0; i < sets->run_count; i++)
      if (sets->runs[i].set == set)
        threads[count++] = sets->runs[i].threads;
    sets->sets[set].thread_counts = distinct(threads, count);
  }
  for (size_t i = 0; i < sets->run_count; i++)
    threads[i] = sets->runs[i].threads;
  sets->thread_counts = threads;
  sets->thread_count_count = distinct(threads, sets->run_count);
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* `heddle scale` writes what cannot be in a folder's name "NAME=VALUE" as %2F. What cannot be shown stays so. */
static void decode(char *name) {
  char *to = name;
  for (const char *from = name; *from; from++) {
    unsigned code = 0;
    /* NOLINTNEXTLINE(cert-err34-c): two digits cannot be too many */
    if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1 && code >= ' ' && code <= '~' && strlen(from) > 2) {
      *to++ = (char)code;
      from += 2;
    } else
      *to++ = *from;
  }
  *to = '\0';
}

static void label_sets(struct hd_compare_sets *sets) {
  for (size_t i = 0; i < sets->set_count; i++) {
    struct hd_compare_set *set = &sets->sets[i];
    set->name = hd_print("%s", last_part(set->path));
    if (strchr(set->name, '='))
      decode(set->name);
  }
  for (size_t i = 0; i < sets->set_count; i++) {
    sets->sets[i].label = sets->sets[i].name;
    for (size_t j = 0; j < sets->set_count; j++)
      if (j != i && strcmp(sets->sets[i].name, sets->sets[j].name) == 0)
        sets->sets[i].label = sets->sets[i].path;
  }
}

bool hd_compare_sets_open(struct hd_compare_sets *sets, char **operands, size_t count) {
  *sets = (struct hd_compare_sets){0};
  bool done = true;
  for (size_t i = 0; i < count; i++)
    done = add_operand(sets, operands[i]) && done;
  if (!done)
    return false;
  label_sets(sets);
  find_threads(sets);
  count_threads(sets);
  return true;
}

void hd_compare_sets_free(struct hd_compare_sets *sets) {
  for (size_t i = 0; i < sets->run_count; i++)
    hd_model_free(sets->runs[i].model);
  for (size_t i = 0; i < sets->set_count; i++) {
    free(sets->sets[i].path);
    free(sets->sets[i].name);
  }
  free(sets->runs);
  free(sets->sets);
  free(sets->thread_counts);
  *sets = (struct hd_compare_sets){0};
}
