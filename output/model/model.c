/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/model.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/model/format_names.h"

uint64_t hd_ticks_waiting(const uint64_t ticks[HD_STATE_COUNT]) {
  uint64_t sum = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    sum += ticks[state];
  return sum;
}

uint64_t hd_ticks_in_mpi(const uint64_t ticks[HD_STATE_COUNT]) {
  uint64_t sum = 0;
  for (int state = HD_WAIT_MPI_FIRST; state <= HD_WAIT_LAST; state++)
    sum += ticks[state];
  return sum;
}

enum hd_state hd_mpi_kind(const uint64_t ticks[HD_STATE_COUNT]) {
  int state = HD_WAIT_MPI_FIRST;
  while (state < HD_WAIT_LAST && ticks[state] == 0)
    state++;
  return (enum hd_state)state;
}

uint64_t hd_ticks_runtime(const uint64_t ticks[HD_STATE_COUNT]) {
  uint64_t sum = 0;
  for (int state = HD_RUNTIME_FIRST; state <= HD_RUNTIME_LAST; state++)
    sum += ticks[state];
  return sum;
}

uint64_t hd_ticks_all(const uint64_t ticks[HD_STATE_COUNT]) {
  return ticks[HD_BUSY] + hd_ticks_waiting(ticks) + hd_ticks_runtime(ticks) + ticks[HD_IDLE];
}

int64_t hd_intrusion_waiting(const struct hd_intrusion *intrusion) {
  return hd_add_signed(intrusion->ticks[HD_INTRUSION_WAITING], intrusion->merged);
}

int64_t hd_intrusion_all(const struct hd_intrusion *intrusion) {
  int64_t sum = intrusion->merged;
  for (int class = 0; class < HD_INTRUSION_CLASSES; class ++)
    sum = hd_add_signed(sum, intrusion->ticks[class]);
  return sum;
}

static double estimate(double measured, double intrusion) {
  return intrusion >= 0 && intrusion <= measured ? measured - intrusion : NAN;
}

double hd_corrected(uint64_t ticks, int64_t intrusion) {
  return estimate((double)ticks, (double)intrusion);
}

double hd_corrected_waiting(const uint64_t ticks[HD_STATE_COUNT], const struct hd_intrusion *intrusion) {
  const double corrected = (double)hd_ticks_waiting(ticks) - (double)hd_intrusion_waiting(intrusion);
  return corrected >= 0 ? corrected : NAN;
}

double hd_model_corrected_elapsed(const struct hd_model *model) {
  return hd_corrected(model->elapsed_ticks, model->thread_count > 0 ? model->threads[0].late_ticks : 0);
}

double hd_team_corrected_elapsed(const struct hd_team_totals *team) {
  return team->instances > 0 ? estimate(hd_team_elapsed(team), (double)team->intrusion_ticks) : NAN;
}

/* What is taken off is an estimate, the mean of a kind for most events: it may come out larger than a small time. */
static double part_of(int64_t intrusion, double whole) {
  const double part = whole > 0 ? (double)intrusion / whole : 0;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

double hd_model_overhead(const struct hd_model *model) {
  const bool known = model->cost_count > 0 && model->ticks[HD_BUSY] > 0;
  return known ? (double)model->cost_ticks / (double)model->ticks[HD_BUSY] : NAN;
}

double hd_overhead_of(const uint64_t ticks[HD_STATE_COUNT], const struct hd_intrusion *intrusion,
                      const struct hd_team_totals *team) {
  const double busy = part_of(intrusion->ticks[HD_INTRUSION_BUSY], (double)ticks[HD_BUSY]);
  const double late = part_of(team->intrusion_ticks, hd_team_elapsed(team));
  return busy > late ? busy : late;
}

bool hd_overhead_matters(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT],
                         const struct hd_intrusion *intrusion, const struct hd_team_totals *team) {
  return hd_overhead_of(ticks, intrusion, team) > HD_OVERHEAD_LARGE &&
         (part_of(intrusion->ticks[HD_INTRUSION_BUSY], (double)model->ticks[HD_BUSY]) >= HD_OVERHEAD_NOTICED ||
          part_of(team->intrusion_ticks, (double)model->elapsed_ticks) >= HD_OVERHEAD_NOTICED);
}

uint64_t hd_model_threads_ever(const struct hd_model *model) {
  uint64_t threads = 0;
  for (uint32_t i = 0; i < model->thread_count; i++)
    threads += model->threads[i].threads;
  return threads;
}

uint32_t hd_model_thread_marks(const struct hd_model *model, uint32_t thread) {
  const uint32_t of_program = model->nodes[0].marks[HD_MARKS_OF_CALLPATHS];
  const uint32_t refused = model->threads[thread].refused;
  const uint32_t of_waits = refused & (HD_CLASSES_OF_WAITS | HD_REFUSED_SINKS)
                                ? HD_MARKS_RISING & ~(uint32_t)(HD_MARK_RUNTIME | HD_MARK_REGIONS)
                                : 0;
  const uint32_t of_runtime = refused >> HD_CLASS_ENTRY & 1 ? HD_MARK_RUNTIME : 0;
  const struct hd_unresolved *unresolved = &model->threads[thread].unresolved;
  const uint32_t of_regions = unresolved->regions + unresolved->idle > 0 ? (uint32_t)HD_MARK_REGIONS : 0;
  const uint32_t marks = of_program & (of_waits | of_runtime | of_regions);
  return marks | (marks && model->estimated ? HD_MARK_ESTIMATED : 0);
}

bool hd_model_thread_is_whole(const struct hd_model *model, uint32_t thread) {
  const struct hd_model_thread *at = &model->threads[thread];
  return hd_ticks_all(at->ticks) == at->lifetime_ticks;
}

enum hd_life hd_model_life(const struct hd_model *model) {
  if (model->ended || (model->header.flags & (HD_FILE_COMPLETE | HD_FILE_RECOVERED)))
    return HD_LIFE_OVER;
  char host[sizeof model->header.host] = "";
  gethostname(host, sizeof host - 1);
  if (strcmp(host, model->header.host) != 0 || model->header.pid == 0)
    return HD_LIFE_UNKNOWN;
  return kill((pid_t)model->header.pid, 0) == 0 || errno != ESRCH ? HD_LIFE_RUNNING : HD_LIFE_OVER;
}

double hd_team_elapsed(const struct hd_team_totals *team) {
  return team->mean_ticks > 0 ? team->mean_ticks : (double)team->elapsed_ticks;
}

double hd_team_threads(const struct hd_team_totals *team) {
  const double elapsed = hd_team_elapsed(team);
  return elapsed > 0 ? (double)team->capacity_ticks / elapsed : 0;
}

double hd_team_concurrency(const struct hd_team_totals *team) {
  const double elapsed = hd_team_elapsed(team);
  return elapsed > 0 ? (double)team->busy_ticks / elapsed : NAN;
}

double hd_team_imbalance(const struct hd_team_totals *team) {
  return team->busy_ticks > 0 ? (double)team->busy_max_ticks / (double)team->busy_ticks : NAN;
}

double hd_node_held_ticks(const struct hd_node *node) {
  static const struct {
    enum hd_kind kind;
    enum hd_state waits;
  } sections[] = {
      {HD_KIND_CRITICAL, HD_WAIT_CRITICAL}, {HD_KIND_ORDERED, HD_WAIT_ORDERED}, {HD_KIND_ATOMIC, HD_WAIT_ATOMIC}};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (sections[i].kind == node->kind)
      return (double)(hd_ticks_all(node->inclusive_ticks) - node->ticks[sections[i].waits]);
  return NAN;
}

const char *hd_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static uint64_t paused_before_stop(const struct hd_file_header *header) {
  const bool is_cut = (header->flags & HD_FILE_STOPPED) && header->stop_paused_ticks < header->paused_ticks;
  return is_cut ? header->stop_paused_ticks : header->paused_ticks;
}

uint64_t hd_model_paused_ticks(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const uint64_t ticks = paused_before_stop(header),
                 dormant = hd_model_never_woke(model) ? ticks : header->dormant_ticks;
  return ticks > dormant ? ticks - dormant : 0;
}

uint64_t hd_model_unmeasured_ticks(const struct hd_model *model) {
  return model->header.paused_ticks - paused_before_stop(&model->header);
}

bool hd_model_never_woke(const struct hd_model *model) {
  return (model->header.flags & HD_FILE_DORMANT) && model->header.dormant_ticks == 0;
}

double hd_model_dormant_seconds(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const double start = header->begin_ns != 0 ? (double)(int64_t)(header->clock_first.ns - header->begin_ns) * 1e-9 : 0;
  return header->flags & HD_FILE_DORMANT ? start + hd_model_seconds(model, header->dormant_ticks) : 0;
}

double hd_model_from_seconds(const struct hd_model *model) {
  return hd_model_dormant_seconds(model) + hd_model_seconds(model, model->since_ticks);
}

bool hd_model_is_complete(const struct hd_model *model) {
  return (model->header.flags & (HD_FILE_COMPLETE | HD_FILE_STOPPED)) == HD_FILE_COMPLETE;
}

int hd_model_signal(const struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  const uint32_t killed = HD_FILE_EXIT_KNOWN | HD_FILE_KILLED;
  return (header->flags & killed) == killed ? header->exit_status - 128 : 0;
}

/* ---- modules ---- */

const struct hd_module *hd_model_runtime(const struct hd_model *model) {
  return model->header.runtime_module > 0 ? &model->modules[model->header.runtime_module - 1] : NULL;
}

void hd_module_build_id(const struct hd_module *module, size_t digits, char text[HD_BUILD_ID_TEXT_BYTES]) {
  *text = '\0';
  for (size_t i = 0; i < module->build_id_bytes; i++)
    snprintf(text + 2 * i, 3, "%02x", module->build_id[i]);
  if (digits < strlen(text))
    text[digits] = '\0';
}

bool hd_module_is_same(const struct hd_module *a, const struct hd_module *b) {
  if (a->build_id_bytes != b->build_id_bytes)
    return false;
  return a->build_id_bytes > 0 ? memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0
                               : strcmp(a->path, b->path) == 0;
}
