/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/schedules/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/command/memory.h"

/* Of more chunks than so many, and so many for each thread, several are taken as one. */
enum { CHUNKS_MOST = 8192, CHUNKS_EACH = 64 };

/* ---- cost ---- */

struct hd_cost_curve hd_curve_new(uint32_t parts) {
  return (struct hd_cost_curve){parts, hd_new((size_t)parts + 1, sizeof(uint64_t)),
                                hd_new((size_t)parts + 1, sizeof(double))};
}

void hd_curve_free(struct hd_cost_curve *curve) {
  free(curve->begin);
  free(curve->before);
  *curve = (struct hd_cost_curve){0};
}

uint64_t hd_curve_iterations(const struct hd_cost_curve *curve) {
  return curve->begin[curve->parts];
}

double hd_curve_all(const struct hd_cost_curve *curve) {
  return curve->before[curve->parts];
}

double hd_curve_before(const struct hd_cost_curve *curve, double iteration) {
  uint32_t low = 0, high = curve->parts; /* the part: the last that begins before it */
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if ((double)curve->begin[middle] <= iteration)
      low = middle;
    else
      high = middle;
  }
  const double first = (double)curve->begin[low], count = (double)curve->begin[low + 1] - first;
  const double part = count > 0 ? fmin((iteration - first) / count, 1) : 1;
  return curve->before[low] + part * (curve->before[low + 1] - curve->before[low]);
}

/* ---- schedules ---- */

void hd_schedule_text(char text[HD_SCHEDULE_BYTES], const struct hd_schedule *schedule) {
  static const char *const names[] = {"static", "dynamic", "dynamic", "guided"};
  const bool is_default = schedule->kind == HD_SCHEDULE_GUIDED && schedule->chunk == 1;
  if (schedule->chunk > 0 && !is_default)
    snprintf(text, HD_SCHEDULE_BYTES, "%s,%" PRIu64, names[schedule->kind], schedule->chunk);
  else
    snprintf(text, HD_SCHEDULE_BYTES, "%s", names[schedule->kind]);
}

struct worker {
  double time;        /* when it is ready for its next chunk */
  uint64_t next, end; /* chunks of its own: dynamic */
  uint32_t victim;    /* whom it takes chunks from when it has none */
};

struct loop {
  const struct hd_cost_curve *curve;
  uint64_t iterations;
  uint64_t chunk;
  double chunk_cost;
  uint32_t threads;
  struct worker *workers;
  uint32_t *heap; /* those that go on, the one that is ready first at [0] */
  uint32_t working;
  struct hd_schedule_run run;
};

/* ---- who is ready first ---- */

static bool is_before(const struct loop *loop, uint32_t a, uint32_t b) {
  const double left = loop->workers[loop->heap[a]].time, right = loop->workers[loop->heap[b]].time;
  return left < right || (left <= right && loop->heap[a] < loop->heap[b]);
}

/* The first one's time has grown. */
static void sift(struct loop *loop) {
  for (uint32_t at = 0, child; (child = 2 * at + 1) < loop->working; at = child) {
    if (child + 1 < loop->working && is_before(loop, child + 1, child))
      child++;
    if (is_before(loop, at, child))
      return;
    const uint32_t worker = loop->heap[at];
    loop->heap[at] = loop->heap[child];
    loop->heap[child] = worker;
  }
}

static void stop_first(struct loop *loop) {
  loop->heap[0] = loop->heap[--loop->working];
  sift(loop);
}

/* ---- chunks ---- */

static double cost_of(const struct loop *loop, uint64_t first, uint64_t end) {
  return hd_curve_before(loop->curve, (double)end) - hd_curve_before(loop->curve, (double)first);
}

/* The worker gets iterations `first` to `end` - 1, and works on them. */
static void work_on(struct loop *loop, uint32_t worker, uint64_t first, uint64_t end) {
  struct worker *its = &loop->workers[worker];
  its->time += loop->chunk_cost + cost_of(loop, first, end);
  loop->run.handed += loop->chunk_cost;
  loop->run.chunks++;
  loop->run.longest = fmax(loop->run.longest, its->time);
}

static uint64_t end_of(const struct loop *loop, uint64_t first, uint64_t count) {
  return loop->iterations - first > count ? first + count : loop->iterations;
}

/* Whoever is ready first gets `size` of the iterations that are left. */
static void hand_out(struct loop *loop, uint64_t (*size)(const struct loop *loop, uint64_t left)) {
  for (uint64_t first = 0, end; first < loop->iterations; first = end) {
    end = end_of(loop, first, size(loop, loop->iterations - first));
    work_on(loop, loop->heap[0], first, end);
    sift(loop);
  }
}

static uint64_t size_of_chunk(const struct loop *loop, uint64_t left) {
  (void)left;
  return loop->chunk;
}

static uint64_t size_guided(const struct loop *loop, uint64_t left) {
  const uint64_t threads = loop->threads;
  if (left < 2 * threads * (loop->chunk + 1))
    return loop->chunk;
  return (uint64_t)((double)left * (0.5 / (double)threads));
}

/* ---- dynamic ---- */

static bool steal(struct loop *loop, struct worker *thief) {
  for (uint32_t i = 0; i < loop->threads; i++) {
    struct worker *victim = &loop->workers[(thief->victim + i) % loop->threads];
    const uint64_t left = victim->end - victim->next;
    if (victim == thief || left == 0)
      continue;
    thief->victim = (thief->victim + i) % loop->threads;
    thief->end = victim->end;
    victim->end -= left > 7 ? left / 4 : 1;
    thief->next = victim->end;
    return true;
  }
  return false;
}

static void divide(struct loop *loop, uint64_t chunks) {
  for (uint32_t i = 0; i < loop->threads; i++) {
    struct worker *worker = &loop->workers[i];
    const uint64_t each = chunks / loop->threads, more = chunks % loop->threads;
    worker->next = i * each + (i < more ? i : more);
    worker->end = worker->next + each + (i < more);
    worker->victim = (i + 1) % loop->threads;
  }
}

static void run_dynamic(struct loop *loop, bool steals) {
  const uint64_t chunks = loop->iterations / loop->chunk + (loop->iterations % loop->chunk > 0);
  if (!steals || chunks < loop->threads || loop->threads == 1) {
    hand_out(loop, size_of_chunk);
    return;
  }
  divide(loop, chunks);
  while (loop->working > 0) {
    struct worker *worker = &loop->workers[loop->heap[0]];
    if (worker->next == worker->end && !steal(loop, worker)) {
      stop_first(loop);
      continue;
    }
    const uint64_t first = worker->next++ * loop->chunk;
    work_on(loop, loop->heap[0], first, end_of(loop, first, loop->chunk));
    sift(loop);
  }
}

/* ---- static ---- */

static void run_blocks(struct loop *loop) {
  const uint64_t each = loop->iterations / loop->threads, more = loop->iterations % loop->threads;
  uint64_t first = 0;
  for (uint32_t i = 0; i < loop->threads; i++) {
    const uint64_t end = first + each + (i < more);
    loop->run.longest = fmax(loop->run.longest, cost_of(loop, first, end));
    first = end;
  }
}

static void run_turns(struct loop *loop) {
  uint32_t worker = 0;
  for (uint64_t first = 0, end; first < loop->iterations; first = end) {
    end = end_of(loop, first, loop->chunk);
    loop->workers[worker].time += cost_of(loop, first, end);
    loop->run.longest = fmax(loop->run.longest, loop->workers[worker].time);
    worker = (worker + 1) % loop->threads;
  }
}

/* ---- all ---- */

/* Larger chunks where there are too many; what handing them out takes stays the same. */
static void limit_chunks(struct loop *loop) {
  const uint64_t each = (uint64_t)CHUNKS_EACH * loop->threads, most = each > CHUNKS_MOST ? each : CHUNKS_MOST;
  if (loop->iterations / loop->chunk <= most)
    return;
  const uint64_t larger = loop->iterations / most;
  loop->chunk_cost *= (double)larger / (double)loop->chunk;
  loop->chunk = larger;
}

static void run_guided(struct loop *loop) {
  const double least = (2.0 * (double)loop->chunk + 1) * loop->threads;
  if (least >= (double)loop->iterations || loop->threads == 1)
    hand_out(loop, size_of_chunk);
  else
    hand_out(loop, size_guided);
}

struct hd_schedule_run hd_schedule_simulate(const struct hd_cost_curve *curve, const struct hd_schedule *schedule,
                                            uint32_t threads, double chunk_cost) {
  struct loop loop = {.curve = curve,
                      .iterations = hd_curve_iterations(curve),
                      .chunk = schedule->chunk > 0 ? schedule->chunk : 1,
                      .chunk_cost = chunk_cost,
                      .threads = threads,
                      .workers = hd_new(threads, sizeof *loop.workers),
                      .heap = hd_new(threads, sizeof *loop.heap),
                      .working = threads};
  for (uint32_t i = 0; i < threads; i++)
    loop.heap[i] = i;
  if (schedule->kind != HD_SCHEDULE_GUIDED)
    limit_chunks(&loop);
  if (schedule->kind == HD_SCHEDULE_GUIDED)
    run_guided(&loop);
  else if (schedule->kind != HD_SCHEDULE_STATIC)
    run_dynamic(&loop, schedule->kind == HD_SCHEDULE_DYNAMIC);
  else if (schedule->chunk > 0)
    run_turns(&loop);
  else
    run_blocks(&loop);
  free(loop.workers);
  free(loop.heap);
  return loop.run;
}
