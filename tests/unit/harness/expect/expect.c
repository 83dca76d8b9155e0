/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expect.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle.h"
#include "output/model/lazy_rows.h"
#include "output/reader/open.h"
#include "output/trace/compare.h"
#include "output/trace/size.h"
#include "script.h"

/* The fake runtime calls a phase by its number. */
uint64_t ex_code(const struct hd_node *node) {
  const char *name = node->kind == HD_KIND_PHASE ? node->name.function : NULL;
  if (node->kind != HD_KIND_PHASE)
    return node->address;
  return name && !strncmp(name, "phase ", 6) ? strtoull(name + 6, NULL, 10) : 0;
}

static const struct hd_node *child_of(const struct hd_model *model, const struct hd_node *parent, struct ex_site site) {
  for (uint32_t i = 1; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (node->parent == parent->id && node->kind == (enum hd_kind)site.kind && ex_code(node) == site.code)
      return node;
  }
  return NULL;
}

static void print_nodes(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    print_error("node %u parent %u kind %d code %" PRIx64 "\n", node->id, node->parent, node->kind, node->address);
  }
}

const struct hd_node *ex_node_at(const struct hd_model *model, bool required, const struct ex_site *path,
                                 size_t count) {
  const struct hd_node *node = &model->nodes[0];
  for (size_t i = 0; i < count; i++) {
    const struct hd_node *child = path[i].kind == HD_KIND_PROGRAM ? node : child_of(model, node, path[i]);
    if (!child && required) {
      print_nodes(model);
      fail_msg("no node for kind %u code %" PRIx64, path[i].kind, path[i].code);
    }
    if (!child)
      return NULL;
    node = child;
  }
  return node;
}

uint64_t ex_ticks_at(const struct hd_model *model, uint32_t thread, enum hd_state state, const struct ex_site *path,
                     size_t count) {
  const struct hd_row *row = hd_model_row(model, ex_node_at(model, true, path, count)->id, thread);
  return row ? row->ticks[state] : 0;
}

uint64_t ex_visits_at(const struct hd_model *model, uint32_t thread, const struct ex_site *path, size_t count) {
  const struct hd_row *row = hd_model_row(model, ex_node_at(model, true, path, count)->id, thread);
  return row ? row->visits : 0;
}

static struct ex_cells cells_of(const uint64_t numbers[HD_ENTRY_STATES][HD_ENTRY_STATES]) {
  return (struct ex_cells){.ss = numbers[HD_SEQUENTIAL][HD_SEQUENTIAL],
                           .sc = numbers[HD_SEQUENTIAL][HD_CONCURRENT],
                           .cs = numbers[HD_CONCURRENT][HD_SEQUENTIAL],
                           .cc = numbers[HD_CONCURRENT][HD_CONCURRENT]};
}

static void expect_cells(const char *what, struct ex_cells expected, struct ex_cells found, const char *file,
                         int line) {
  if (!memcmp(&expected, &found, sizeof found))
    return;
  print_error("%s: S-S, S-C, C-S, C-C expected %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, what, expected.ss,
              expected.sc, expected.cs, expected.cc);
  print_error(", found %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", found.ss, found.sc, found.cs, found.cc);
  _fail(file, line);
}

void ex_expect_entries_at(const struct hd_model *model, uint32_t thread, struct ex_cells visits, struct ex_cells ticks,
                          const struct ex_site *path, size_t count, const char *file, int line) {
  static const struct hd_row none;
  const struct hd_row *row = hd_model_row(model, ex_node_at(model, true, path, count)->id, thread);
  row = row ? row : &none;
  expect_cells("entries", visits, cells_of(row->entries.visits), file, line);
  expect_cells("time of entries", ticks, cells_of(row->entries.ticks), file, line);
}

/* The file itself, for what the model does not show: each thread's busy_ticks against its rows. */
struct raw {
  uint64_t busy[FK_MAX_THREADS];     /* of rows */
  uint64_t recorded[FK_MAX_THREADS]; /* of thread records */
};

static void read_block(const char *block, struct raw *raw) {
  const struct hd_block_header *header = (const void *)block;
  const struct hd_row_record *rows = (const void *)(block + HD_BLOCK_HEADER_BYTES);
  const struct hd_thread_record *threads = (const void *)(block + HD_BLOCK_HEADER_BYTES);
  for (uint32_t i = 0; i < header->count; i++) {
    if (header->type == HD_BLOCK_ROWS)
      raw->busy[rows[i].thread % FK_MAX_THREADS] += rows[i].cells[0].ticks;
    else if (header->type == HD_BLOCK_THREADS)
      raw->recorded[threads[i].id % FK_MAX_THREADS] = threads[i].busy_ticks;
  }
}

static bool read_raw(const char *path, struct raw *raw) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &status))
    return false;
  char *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED)
    return false;
  uint32_t block_count = ((const struct hd_file_header *)(const void *)bytes)->block_count;
  memset(raw, 0, sizeof *raw);
  for (uint32_t i = 0; i < block_count;) {
    const char *block = bytes + HD_HEADER_BYTES + (size_t)i * HD_BLOCK_BYTES;
    read_block(block, raw);
    i += ((const struct hd_block_header *)(const void *)block)->span;
  }
  munmap(bytes, (size_t)status.st_size);
  return true;
}

/* Of all rows, by callpath, by thread; each within the time that it is part of. */
static const char *broken_unresolved(const struct hd_model *model) {
  uint64_t all = 0, of_nodes = 0, of_threads = 0;
  hd_model_need_rows(model);
  for (uint32_t i = 0; i < model->row_count; i++) {
    const struct hd_row *row = &model->rows[i];
    const uint64_t most = row->ticks[HD_BUSY] + row->ticks[HD_WAIT_BARRIER_IMPLICIT];
    all += row->unresolved.ticks;
    if (row->unresolved.ticks > most)
      return "more time is unresolved than a thread was busy, or waited for its region's end";
    if (row->unresolved.regions > row->ticks[HD_BUSY] || row->unresolved.idle > row->ticks[HD_IDLE])
      return "more time is unresolved since regions were refused than a thread was busy, or idle";
    if (row->unresolved.ticks > row->unresolved.regions && !model->nodes[row->node].refused)
      return "time is unresolved where nothing was refused";
  }
  for (uint32_t i = 0; i < model->node_count; i++)
    of_nodes += model->nodes[i].unresolved.ticks;
  for (uint32_t i = 0; i < model->thread_count; i++)
    of_threads += model->threads[i].unresolved.ticks;
  return all == of_nodes && all == of_threads && all == model->unresolved.ticks &&
                 all == model->nodes[0].unresolved_inclusive.ticks
             ? NULL
             : "unresolved times do not add up";
}

struct trace_check {
  char text[600];
  bool is_part; /* the begin of the run is missing: it is less than the profile */
};

static void note_difference(void *context, const struct hd_trace_difference *difference) {
  struct trace_check *check = context;
  const bool may_be = check->is_part && difference->trace_ticks < difference->profile_ticks;
  if (!*check->text && !may_be)
    snprintf(check->text, 200, "the trace differs: thread %u, state %u in callpath %u: profile %llu, trace %llu",
             difference->thread, difference->state, difference->node, (unsigned long long)difference->profile_ticks,
             (unsigned long long)difference->trace_ticks);
}

/* If there is one. */
static const char *broken_trace(const struct hd_model *model) {
  static struct trace_check check;
  struct hd_trace_size size;
  hd_trace_size(model, &size);
  if (model->header.trace_limit_bytes == 0 || model->header.trace_full_ticks > 0 || size.has_condition)
    return NULL;
  if (size.only_concurrency)
    return ex_broken_concurrency(model);
  check = (struct trace_check){.is_part = size.from_ticks > 0};
  hd_trace_compare(model, note_difference, &check, check.text, sizeof check.text);
  if (*check.text)
    return check.text;
  return check.is_part ? NULL : ex_broken_replay(model);
}

const char *ex_broken_identity(const struct hd_model *model, const char *path) {
  static struct raw raw;
  for (uint32_t i = 0; i < model->thread_count; i++)
    if (!hd_model_thread_is_whole(model, i))
      return "a thread's states do not sum to its lifetime";
  if (!read_raw(path, &raw))
    return "the profile cannot be mapped";
  for (uint32_t i = 0; i < model->thread_count && i < FK_MAX_THREADS; i++)
    if (raw.busy[i] != raw.recorded[i])
      return "a thread's busy_ticks differ from the busy cells of its rows";
  const char *broken = broken_trace(model);
  broken = broken ? broken : broken_unresolved(model);
  return broken ? broken : ex_broken_levels(model);
}

static struct hd_model *open_result(const struct fk_result *result) {
  char error[512] = "";
  struct hd_model *model = NULL;
  if (!result->path[0])
    fail_msg("no profile was left");
  if (!hd_profile_open(result->path, &model, error, sizeof error))
    fail_msg("cannot read the profile: %s", error);
  hd_model_need_rows(model);
  const char *broken = ex_broken_identity(model, result->path);
  if (broken)
    fail_msg("%s", broken);
  return model;
}

struct hd_model *ex_play_rough(const struct fk_options *options) {
  struct fk_result result = fk_play(sc_script(), options);
  if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
    fail_msg("the child ended with wait status %x", (unsigned)result.status);
  return open_result(&result);
}

struct hd_model *ex_play_with(const struct fk_options *options) {
  struct hd_model *model = ex_play_rough(options);
  assert_true(model->header.flags & HD_FILE_COMPLETE);
  assert_int_equal(model->header.unknown_events, 0);
  assert_int_equal(model->header.unmatched_events, 0);
  assert_int_equal(model->header.lost_threads, 0);
  assert_int_equal(model->header.folded_paths, 0);
  assert_int_equal(model->header.lost_callbacks, 0);
  assert_int_equal(model->header.lost_tallies, 0);
  return model;
}

struct hd_model *ex_play(void) {
  return ex_play_with(NULL);
}

static unsigned number(const char *text, unsigned otherwise) {
  return text ? (unsigned)atoi(text) : otherwise;
}

static struct hd_model *checked(struct hd_model *model, const struct fk_options *options) {
  static const struct fk_options defaults;
  options = options ? options : &defaults;
  struct or_result *oracle = or_run_with(sc_script(), number(options->depth, 0), number(options->cycle_limit, 1));
  const char *difference = or_difference(oracle, model);
  if (difference)
    fail_msg("%s", difference);
  or_free(oracle);
  return model;
}

struct hd_model *ex_play_exact(const struct fk_options *options) {
  return checked(ex_play_with(options), options);
}

struct hd_model *ex_play_exact_rough(const struct fk_options *options) {
  return checked(ex_play_rough(options), options);
}

struct hd_model *ex_play_killed_with(const struct fk_options *options) {
  struct fk_result result = fk_play(sc_script(), options);
  assert_true(WIFSIGNALED(result.status));
  return open_result(&result);
}

struct hd_model *ex_play_killed(void) {
  return ex_play_killed_with(NULL);
}
