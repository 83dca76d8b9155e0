/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/shared/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { CALIBRATE_NS = 50000 };

struct hd_clock hd_clock = {.kind = HD_CLOCK_MONOTONIC};

uint64_t hd_clock_other(void) {
  if (hd_clock.kind == HD_CLOCK_EXTERNAL)
    return __atomic_load_n(hd_clock.external, __ATOMIC_RELAXED);
  return hd_clock_monotonic_ns();
}

#if defined(__x86_64__)
static bool processor_counter_is_invariant(void) {
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#else
static bool processor_counter_is_invariant(void) {
  return HD_PROCESSOR_CLOCK; /* AArch64's generic timer is, by the architecture */
}
#endif

/* The kernel falls back to one of these when it has seen the counters of two processors disagree. */
static bool kernel_gave_counter_up(void) {
  char source[32] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t length = read(fd, source, sizeof source - 1);
  close(fd);
  if (length <= 0)
    return false;
  return !strncmp(source, "hpet", 4) || !strncmp(source, "acpi_pm", 7) || !strncmp(source, "jiffies", 7) ||
         !strncmp(source, "refined-jiffies", 15);
}

uint64_t hd_clock_now_slow(void) {
  uint64_t stands_at = __atomic_load_n(&hd_clock.stands_at, __ATOMIC_ACQUIRE);
  if (__builtin_expect(stands_at != 0, false))
    return stands_at - 1;
  uint64_t raw = hd_clock_raw();
  return raw - __atomic_load_n(&hd_clock.paused_ticks, __ATOMIC_ACQUIRE);
}

bool hd_clock_choose(const char *name, const uint64_t *external) {
  bool automatic = !strcmp(name, "auto");
  if (external) {
    hd_clock.external = external;
    hd_clock.kind = HD_CLOCK_EXTERNAL;
    return true;
  }
  hd_clock.kind = HD_CLOCK_MONOTONIC;
  if (!strcmp(name, "tsc") || (automatic && processor_counter_is_invariant() && !kernel_gave_counter_up())) {
#if HD_PROCESSOR_CLOCK
    hd_clock.kind = HD_CLOCK_TSC;
    hd_clock.shift = hd_processor_clock_shift();
    hd_alarms_clear(HD_ALARM_CLOCK);
#endif
    return true;
  }
  return automatic || !strcmp(name, "monotonic");
}

struct hd_clock_pair hd_clock_read_pair(void) {
  struct hd_clock_pair best = {0};
  uint64_t narrowest = UINT64_MAX;
  if (hd_clock.kind != HD_CLOCK_TSC) {
    best.ticks = hd_clock_raw();
    best.ns = best.ticks;
    return best;
  }
  for (int i = 0; i < 8; i++) {
    uint64_t before = hd_clock_raw();
    uint64_t ns = hd_clock_monotonic_ns();
    uint64_t after = hd_clock_raw();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = (struct hd_clock_pair){.ticks = before + narrowest / 2, .ns = ns};
    }
  }
  return best;
}

uint64_t hd_clock_ticks_per_ms(struct hd_clock_pair first) {
  struct hd_clock_pair last = first;
  if (hd_clock.kind != HD_CLOCK_TSC)
    return 1000000;
  while (last.ns - first.ns < CALIBRATE_NS)
    last = hd_clock_read_pair();
  return (uint64_t)((double)(last.ticks - first.ticks) * 1e6 / (double)(last.ns - first.ns));
}

static pthread_mutex_t pause_lock = PTHREAD_MUTEX_INITIALIZER;

static void pause_clock(struct hd_file_header *header) {
  if (!hd_clock.stands_at) {
    uint64_t now = hd_clock_now();
    header->paused_at_ticks = now;
    __atomic_store_n(&header->pauses, header->pauses + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&hd_clock.stands_at, now + 1, __ATOMIC_RELEASE);
    hd_alarms_set(HD_ALARM_STANDS);
  }
}

/* The offset first: who sees the clock run must see it, too. */
static void resume_clock(struct hd_file_header *header) {
  if (hd_clock.stands_at) {
    header->paused_ticks = hd_clock_raw() - (hd_clock.stands_at - 1);
    __atomic_store_n(&hd_clock.paused_ticks, header->paused_ticks, __ATOMIC_RELEASE);
    if ((header->flags & HD_FILE_DORMANT) && header->dormant_ticks == 0)
      header->dormant_ticks = header->paused_ticks;
    header->paused_at_ticks = 0;
    __atomic_store_n(&hd_clock.stands_at, 0, __ATOMIC_RELEASE);
    hd_alarms_clear(HD_ALARM_STANDS);
  }
}

void hd_clock_pause(struct hd_file_header *header) {
  pthread_mutex_lock(&pause_lock);
  pause_clock(header);
  pthread_mutex_unlock(&pause_lock);
}

void hd_clock_resume(struct hd_file_header *header) {
  pthread_mutex_lock(&pause_lock);
  resume_clock(header);
  pthread_mutex_unlock(&pause_lock);
}

void hd_clock_pause_at_begin(struct hd_file_header *header) {
  header->paused_at_ticks = header->loaded_ticks;
  __atomic_store_n(&hd_clock.stands_at, header->loaded_ticks + 1, __ATOMIC_RELEASE);
  hd_alarms_set(HD_ALARM_STANDS);
}

bool hd_clock_try_change(struct hd_file_header *header, bool pause) {
  if (pthread_mutex_trylock(&pause_lock) != 0)
    return false;
  if (pause)
    pause_clock(header);
  else
    resume_clock(header);
  pthread_mutex_unlock(&pause_lock);
  return true;
}

uint64_t hd_clock_close(struct hd_file_header *header) {
  uint64_t now = hd_clock_now();
  if (hd_clock_is_paused())
    header->paused_ticks = hd_clock_raw() - now;
  return now;
}
