/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/recover/salvage.h"
#include "cli/run/run_internal.h"

struct hd_run_watch {
  const char *directory;
  int events;                         /* epoll: of `changes`, and of a pidfd for each process that lives */
  int changes;                        /* inotify */
  int probes[HD_PRIVATE_PROBE_COUNT]; /* inotify's numbers for them */
  bool seen[HD_PRIVATE_PROBE_COUNT];
  size_t alive; /* processes that are watched; one that runs several programs counts as often */
};

/* What epoll returns for it: the process's number and its pidfd; 0, 0 for `changes`. */
static bool observe(const struct hd_run_watch *watch, int descriptor, pid_t pid) {
  const uint64_t data = pid ? (uint64_t)pid << 32 | (uint32_t)descriptor : 0;
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};
  return epoll_ctl(watch->events, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

struct hd_run_watch *hd_run_watch_start(const struct hd_run *run) {
  struct hd_run_watch *watch = calloc(1, sizeof *watch);
  if (!watch)
    return NULL;
  watch->directory = run->directory;
  watch->events = epoll_create1(EPOLL_CLOEXEC);
  watch->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  bool watching = true;
  for (size_t i = 0; i < HD_PRIVATE_PROBE_COUNT; i++) {
    watch->probes[i] = inotify_add_watch(watch->changes, run->probes[i], IN_OPEN);
    watching = watching && watch->probes[i] >= 0;
  }
  if (watching && inotify_add_watch(watch->changes, run->directory, IN_CREATE | IN_CLOSE_WRITE) >= 0 &&
      observe(watch, watch->changes, 0))
    return watch;
  hd_run_watch_stop(watch);
  return NULL;
}

void hd_run_watch_stop(struct hd_run_watch *watch) {
  if (!watch)
    return;
  if (watch->changes >= 0)
    close(watch->changes);
  if (watch->events >= 0)
    close(watch->events);
  free(watch);
}

int hd_run_watch_descriptor(const struct hd_run_watch *watch) {
  return watch ? watch->events : -1;
}

/* pidfd_open fails for a process that is already gone. */
static void add_process(struct hd_run_watch *watch, pid_t pid) {
  const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
  if (descriptor >= 0 && observe(watch, descriptor, pid))
    watch->alive++;
  else if (descriptor >= 0)
    close(descriptor);
}

static void handle_change(struct hd_run_watch *watch, const struct inotify_event *event) {
  const pid_t pid = event->len ? hd_salvage_pid(event->name) : 0;
  for (size_t i = 0; i < HD_PRIVATE_PROBE_COUNT; i++)
    watch->seen[i] = watch->seen[i] || (event->wd == watch->probes[i] && (event->mask & IN_OPEN));
  if (pid > 0 && (event->mask & IN_CREATE))
    add_process(watch, pid);
  else if (pid > 0 && (event->mask & IN_CLOSE_WRITE)) /* the last use: its process has ended, or runs another program */
    hd_run_stamp_process(watch->directory, pid);
}

static void read_changes(struct hd_run_watch *watch) {
  char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
  ssize_t length;
  while ((length = read(watch->changes, buffer, sizeof buffer)) > 0)
    for (const char *at = buffer; at < buffer + length;) {
      const struct inotify_event *event = (const void *)at;
      handle_change(watch, event);
      at += sizeof *event + event->len;
    }
}

/* Children that it forked may still have the live file in their memory. */
static void bury(struct hd_run_watch *watch, uint64_t process) {
  hd_run_stamp_process(watch->directory, (pid_t)(process >> 32));
  close((int)(uint32_t)process); /* epoll forgets it */
  watch->alive--;
}

void hd_run_watch_handle(struct hd_run_watch *watch) {
  struct epoll_event ready[16];
  int count = watch != NULL;
  /* A bound, so that a stream of changes cannot keep heddle from noticing the program's end. */
  for (int round = 0; round < 1000 && count > 0; round++) {
    count = epoll_wait(watch->events, ready, sizeof ready / sizeof *ready, 0);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.u64 == 0)
        read_changes(watch);
      else
        bury(watch, ready[i].data.u64);
    }
  }
}

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void hd_run_watch_settle(struct hd_run_watch *watch, int limit_ms) {
  const int64_t end = now_ms() + limit_ms;
  hd_run_watch_handle(watch);
  while (watch && watch->alive > 0) {
    struct pollfd poll_for = {.fd = watch->events, .events = POLLIN};
    const int64_t left = end - now_ms();
    if (left <= 0 || poll(&poll_for, 1, (int)left) <= 0)
      return;
    hd_run_watch_handle(watch);
  }
}

bool hd_run_watch_saw_probe(const struct hd_run_watch *watch, enum hd_private_probe probe) {
  return watch && watch->seen[probe];
}
