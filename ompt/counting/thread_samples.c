/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/counting/thread_samples.h"

#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "callpath/code/modules.h"
#include "ompt/counting/sample_table.h"
#include "ompt/counting/thread_counters_internal.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "support/inprocess/seccomp.h"

/* The kernel takes no more often than every 10 us. */
enum { HZ_DEFAULT = 100, HZ_MOST = 100000, PAGE_BYTES = 4096 };

/* Data of a thread's rings. The kernel limits what a user's processes map in this way: when it refuses, less will do.
 * At 100 Hz these are 6.8 s and 218 s of processor time, and 1.7 s and 54 s. */
static const size_t ring_bytes[] = {16 << 10, 4 << 10};
enum { SIZES = sizeof ring_bytes / sizeof *ring_bytes };

static struct {
  hd_sample_opener *open; /* NULL: nothing can be sampled */
  hd_sample_teller *tell;
  uint64_t period_ns; /* the unit of all samples; 0: not known yet */
  uint32_t weight;    /* so many units are between two samples; 0: nothing is sampled */
  uint64_t changes;   /* so often has that changed: what a thread without rings looks at as if samples came */
  struct hd_store_cursor text_cursor;
} sampling;

/* ---- start ---- */

static size_t bytes_of(const struct hd_sample_ring *ring) {
  return ring->page ? ring->data_bytes + PAGE_BYTES : 0;
}

static void close_rings(struct hd_thread_samples *mine) {
  hd_memory_take_back(bytes_of(&mine->all) + bytes_of(&mine->rare));
  hd_sample_ring_close(&mine->all);
  hd_sample_ring_close(&mine->rare);
  mine->head = &sampling.changes;
  mine->taken = mine->change;
}

/* The rarer ones first: they have nothing to say as long as the others are not full. */
static int open_rings(struct hd_thread_samples *mine, uint32_t weight) {
  const uint64_t period_ns = sampling.period_ns * weight;
  int error = 0;
  for (uint32_t i = 0; i < SIZES; i++) {
    error = sampling.open(&mine->rare, period_ns * HD_SAMPLE_WEIGHT, ring_bytes[i]);
    if (!error)
      error = sampling.open(&mine->all, period_ns, ring_bytes[i]);
    if (!error)
      break;
    hd_sample_ring_close(&mine->rare);
  }
  hd_memory_grant(bytes_of(&mine->all) + bytes_of(&mine->rare));
  return error;
}

static void say_why_not(const char *why) {
  char note[600];
  const int bytes = snprintf(note, sizeof note, "no samples were taken of what threads execute: %s", why);
  hd_store_add_text(&hd_store, &sampling.text_cursor, HD_TEXT_NOTE, 0, note, bytes > 0 ? (size_t)bytes : 0);
}

/* Whether the kernel samples this thread. */
static bool try_to_open(uint32_t weight) {
  struct hd_thread_samples probe = {0};
  char why[400];
  const int error = open_rings(&probe, weight);
  close_rings(&probe);
  if (!error)
    return true;
  hd_sample_ring_explain(error, why, sizeof why);
  say_why_not(why);
  return false;
}

/* A filter that was there before may end programs that ask for samples; only who has asked for them takes that risk. */
static bool may_ask(const struct hd_settings *settings, hd_sample_opener *open) {
  if (settings->samples_hz != HD_SAMPLES_DEFAULT || open != hd_sample_ring_open || !hd_seccomp_was_there())
    return true;
  say_why_not("the program runs under a filter of system calls (seccomp), which may forbid to ask for them; --samples "
              "100 asks all the same");
  return false;
}

/* Begins with this unit, if there is none yet. */
static bool begin(uint64_t hz) {
  const uint64_t before_ns = sampling.period_ns;
  const uint64_t asked_ns = 1000000000 / (hz < HZ_MOST ? hz : HZ_MOST);
  sampling.period_ns = before_ns > 0 ? before_ns : asked_ns;
  const uint32_t weight = hd_sample_weight(sampling.period_ns, asked_ns);
  if (asked_ns < sampling.period_ns || !try_to_open(weight)) {
    sampling.period_ns = before_ns;
    return false;
  }
  __atomic_store_n(&hd_store.header->sample_period_ns, sampling.period_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&sampling.weight, weight, __ATOMIC_RELAXED);
  return true;
}

/* What the first sample would do in a thread's event, which is then 0.3 ms late where system calls and memory that is
 * touched for the first time are slow: makes the table, and knows the modules where most samples lie. */
static void prepare_places(void) {
  const uintptr_t places[] = {getauxval(AT_ENTRY), (uintptr_t)getpid, getauxval(AT_SYSINFO_EHDR),
                              (uintptr_t)hd_samples_ask};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    hd_modules_find((const void *)places[i], false); /* NOLINT(performance-no-int-to-ptr) */
  hd_sample_table_prepare();
}

void hd_samples_init(const struct hd_settings *settings, hd_sample_opener *open, hd_sample_teller *tell) {
  const uint64_t hz = settings->samples_hz == HD_SAMPLES_DEFAULT ? HZ_DEFAULT : settings->samples_hz;
  sampling.open = open;
  sampling.tell = tell;
  if (hz > 0 && open && may_ask(settings, open) && begin(hz) && open == hd_sample_ring_open)
    prepare_places();
}

bool hd_samples_ask(uint32_t hz) {
  HD_KEEP_ERRNO;
  if (hz == 0)
    __atomic_store_n(&sampling.weight, 0, __ATOMIC_RELAXED);
  else if (!sampling.open || hd_seccomp_is_new() || !begin(hz))
    return false;
  __atomic_fetch_add(&sampling.changes, 1, __ATOMIC_RELEASE);
  return true;
}

/* ---- samples ---- */

/* The cell that time is charged to says it all. */
static uint64_t place_of(const struct hd_thread *thread, uint64_t address) {
  const uintptr_t cell = (uintptr_t)thread->cell;
  const struct hd_row_record *row = (const void *)(cell & ~(uintptr_t)(sizeof *row - 1));
  const uint32_t state = hd_row_kind(row, (uint32_t)(thread->cell - row->cells));
  const void *code = (const void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
  return hd_sample_place(row->profile, state, hd_modules_find(code, false));
}

/* When the rings are read, by both clocks. */
struct reading {
  struct hd_clock_pair now;
  double ticks_each_ns;
  uint64_t until_ticks; /* no sample is later */
};

static struct reading begin_reading(uint64_t until_ticks) {
  const struct hd_clock_pair first = hd_store.header->clock_first, now = hd_clock_read_pair();
  const double ns = now.ns > first.ns ? (double)(now.ns - first.ns) : 1;
  return (struct reading){
      .now = now, .ticks_each_ns = (double)(now.ticks - first.ticks) / ns, .until_ticks = until_ticks};
}

/* The clock has not been paused since. */
static uint64_t ticks_of(const struct reading *reading, const struct hd_sample *sample) {
  const uint64_t now = reading->now.ticks - __atomic_load_n(&hd_clock.paused_ticks, __ATOMIC_RELAXED);
  const double ago = reading->now.ns > sample->ns ? (double)(reading->now.ns - sample->ns) : 0;
  const uint64_t ago_ticks = (uint64_t)(ago * reading->ticks_each_ns), ticks = now > ago_ticks ? now - ago_ticks : 0;
  return ticks < reading->until_ticks ? ticks : reading->until_ticks;
}

static void add(struct hd_thread *thread, const struct reading *reading, const struct hd_sample *sample,
                uint64_t weight) {
  if (!sample->address)
    return;
  const uint64_t place = place_of(thread, sample->address);
  if (!hd_sample_table_add(sample->address, place, weight))
    __atomic_fetch_add(&hd_store.header->unplaced_samples, weight, __ATOMIC_RELAXED);
  if (thread->instruments & HD_INSTRUMENT_TRACED)
    sampling.tell(thread, ticks_of(reading, sample), sample->address, hd_sample_module_of(place), weight);
}

/* Without room for all of them, the rarer ones say what came after the last. They may have run out of room, too. */
static void read_rings(struct hd_thread *thread, struct hd_thread_samples *mine, bool counts, uint64_t until_ticks) {
  const uint64_t weight = mine->weight;
  const bool is_traced = counts && thread->instruments & HD_INSTRUMENT_TRACED;
  const struct reading reading = is_traced ? begin_reading(until_ticks) : (struct reading){0};
  struct hd_sample sample = {0};
  const bool is_full = hd_sample_ring_begin(&mine->all);
  while (hd_sample_ring_next(&mine->all, &sample))
    if (counts)
      add(thread, &reading, &sample, weight);
  const uint64_t last_ns = sample.ns;
  hd_sample_ring_begin(&mine->rare);
  while (hd_sample_ring_next(&mine->rare, &sample))
    if (counts && is_full && sample.ns > last_ns)
      add(thread, &reading, &sample, HD_SAMPLE_WEIGHT * weight);
  __atomic_fetch_add(&hd_store.header->lost_samples, mine->rare.lost * HD_SAMPLE_WEIGHT * weight, __ATOMIC_RELAXED);
  mine->rare.lost = 0;
  hd_sample_ring_end(&mine->rare);
  hd_sample_ring_end(&mine->all);
}

/* ---- threads ---- */

void hd_samples_prepare(struct hd_thread *thread) {
  const uint64_t changes = __atomic_load_n(&sampling.changes, __ATOMIC_ACQUIRE);
  thread->samples = (struct hd_thread_samples){.head = &sampling.changes, .taken = changes, .change = changes};
}

/* A filter of system calls may have come meanwhile, whose author did not expect these. */
void hd_samples_start(struct hd_thread *thread) {
  struct hd_thread_samples *mine = &thread->samples;
  mine->weight = __atomic_load_n(&sampling.weight, __ATOMIC_RELAXED);
  if (mine->weight == 0)
    return;
  if (hd_seccomp_is_new() || open_rings(mine, mine->weight)) {
    if (!mine->is_unsampled)
      __atomic_fetch_add(&hd_store.header->unsampled_threads, 1, __ATOMIC_RELAXED);
    mine->is_unsampled = true;
    return;
  }
  mine->epoch = hd_counters_epoch();
  mine->head = hd_sample_ring_head(&mine->all);
  read_rings(thread, mine, false, 0); /* touches them for the first time now, not in an event */
  mine->taken = mine->all.at;
}

/* More or fewer samples have been asked for since. */
static void follow(struct hd_thread *thread) {
  struct hd_thread_samples *mine = &thread->samples;
  const uint64_t changes = __atomic_load_n(&sampling.changes, __ATOMIC_ACQUIRE);
  if (changes == mine->change)
    return;
  HD_KEEP_ERRNO;
  mine->change = changes;
  close_rings(mine);
  hd_samples_start(thread);
}

/* What came before a pause, in it and after it cannot be told apart: then none counts. */
static void take(struct hd_thread *thread, uint64_t until_ticks) {
  struct hd_thread_samples *mine = &thread->samples;
  HD_KEEP_ERRNO;
  const uint64_t epoch = hd_counters_epoch();
  if (!mine->all.page)
    return;
  read_rings(thread, mine, epoch == mine->epoch && !(epoch & 1), until_ticks);
  mine->epoch = epoch;
  mine->taken = mine->all.at;
}

void hd_samples_take(struct hd_thread *thread, uint64_t until_ticks) {
  hd_thread_leave_program(thread);
  take(thread, until_ticks);
  follow(thread);
}

/* ---- outside any event ---- */

static void take_at_work(struct hd_thread *thread) {
  const uint32_t expected = __atomic_load_n(&thread->expected_alarms, __ATOMIC_RELAXED);
  if (expected == HD_AT_WORK || !thread->samples.all.page)
    return;
  __atomic_store_n(&thread->expected_alarms, HD_AT_WORK, __ATOMIC_RELAXED);
  take(thread, hd_clock_now());
  __atomic_store_n(&thread->expected_alarms, expected, __ATOMIC_RELAXED);
}

void hd_samples_before_pause(struct hd_thread *thread) {
  take_at_work(thread);
}

void hd_samples_after_pause(struct hd_thread *thread) {
  thread->samples.epoch = hd_counters_epoch();
}

void hd_samples_end(struct hd_thread *thread) {
  close_rings(&thread->samples);
}

void hd_samples_close(struct hd_thread *self) {
  if (self)
    take_at_work(self);
}
