/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recover/find.h"
#include "cli/recover/salvage.h"
#include "cli/watch/watch.h"
#include "output/views/render/json.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"
#include "support/command/profile_clock.h"
#include "support/command/sanitize.h"

/* ---- looking ---- */

static bool is_of_this_host(const struct hd_file_header *header) {
  char host[sizeof header->host] = "";
  return gethostname(host, sizeof host - 1) != 0 || !header->host[0] || !strcmp(host, header->host);
}

/* Before that there may not even be a callpath in it. */
static bool has_started(const struct hd_file_header *header) {
  return header->clock_last.ns != header->clock_first.ns;
}

static double elapsed_of(const struct hd_file_header *header) {
  struct hd_clock_pair now;
  hd_profile_clock_read(HD_CLOCK_MONOTONIC, &now);
  return header->begin_ns != 0 && now.ns > header->begin_ns ? (double)(now.ns - header->begin_ns) * 1e-9 : NAN;
}

static bool is_known(const struct hd_top_programs *programs, const char *path) {
  for (size_t i = 0; i < programs->count; i++)
    if (strcmp(programs->items[i].path, path) == 0)
      return true;
  return false;
}

static void add(struct hd_top_programs *programs, const char *path, const struct hd_file_header *header, pid_t pid) {
  if (is_known(programs, path))
    return;
  programs->items = hd_grow_by_one(programs->items, programs->count, sizeof *programs->items);
  struct hd_top_program *item = &programs->items[programs->count++];
  *item = (struct hd_top_program){.pid = pid, .elapsed_seconds = elapsed_of(header)};
  snprintf(item->program, sizeof item->program, "%s", header->program);
  snprintf(item->path, sizeof item->path, "%s", path);
}

static void take_file(void *context, const struct hd_recover_file *file) {
  struct hd_file_header header;
  const int fd = hd_salvage_open(file->directory, file->name);
  if (fd < 0)
    return;
  if (hd_salvage_read_header(fd, &header) && header.end_ticks == 0 && has_started(&header) &&
      is_of_this_host(&header) && hd_salvage_find_writer(fd, file->name) == HD_SALVAGE_ALIVE)
    add(context, file->path, &header, hd_salvage_pid(file->name));
  close(fd);
}

static int newest_first(const void *a, const void *b) {
  const struct hd_top_program *left = a, *right = b;
  return (left->elapsed_seconds > right->elapsed_seconds) - (left->elapsed_seconds < right->elapsed_seconds);
}

static void look_beside(const char *path, const struct hd_recover_visitor *visitor) {
  const char *slash = strrchr(path, '/');
  char *directory = slash ? hd_print("%.*s", (int)(slash - path + 1), path) : hd_print(".");
  hd_recover_visit_directory(directory, visitor);
  free(directory);
}

struct hd_top_programs hd_top_programs_find(const char *beside) {
  struct hd_top_programs programs = {0};
  const struct hd_recover_visitor visitor = {.take_file = take_file, .context = &programs, .only_looks = true};
  hd_recover_visit_all(&visitor);
  if (beside)
    look_beside(beside, &visitor);
  if (programs.count > 0)
    qsort(programs.items, programs.count, sizeof *programs.items, newest_first);
  return programs;
}

void hd_top_programs_free(struct hd_top_programs *programs) {
  free(programs->items);
  *programs = (struct hd_top_programs){0};
}

/* ---- the list ---- */

static json_t *program(const void *of, size_t index) {
  const struct hd_top_program *from = (const struct hd_top_program *)of + index;
  return HD_JSON({"pid", json_integer(from->pid)}, {"program", hd_json_text(from->program)},
                 {"elapsed_s", hd_json_number(from->elapsed_seconds)}, {"file", hd_json_text(from->path)});
}

static bool print_json(const struct hd_top_programs *programs, FILE *out) {
  json_t *value =
      HD_JSON({"heddle_top", hd_json_count(1)}, {"programs", hd_json_array(programs->items, programs->count, program)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}

static void print_rows(struct hd_top_programs *programs, FILE *out) {
  struct hd_table grid = {0};
  hd_table_column(&grid, "PID", 0);
  hd_table_column(&grid, "Elapsed", 0);
  hd_table_column(&grid, "Program", 0);
  hd_table_left(&grid, 2);
  hd_table_place(&grid, "Profile", false);
  for (size_t i = 0; i < programs->count; i++) {
    struct hd_top_program *from = &programs->items[i];
    hd_sanitize(from->program);
    hd_sanitize(from->path);
    hd_table_row(&grid, NULL);
    hd_table_cell(&grid, "%d", (int)from->pid);
    hd_table_cell(&grid, "%s", hd_duration(from->elapsed_seconds).text);
    hd_table_cell(&grid, "%s", from->program);
    hd_table_at(&grid, from->path);
  }
  hd_table_print(&grid, out);
  hd_table_free(&grid);
}

bool hd_top_programs_print(struct hd_top_programs *programs, bool json, FILE *out) {
  if (json)
    return print_json(programs, out);
  if (programs->count == 0)
    fputs("no program runs under Heddle; 'heddle run -- PROGRAM' starts one\n", out);
  else
    print_rows(programs, out);
  return true;
}
