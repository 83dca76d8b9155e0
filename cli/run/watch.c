/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/recover/salvage.h"
#include "cli/run/run_internal.h"

/* What epoll returns for the directory; anything smaller is an index into `processes`. */
static const uint32_t directory_event = UINT32_MAX;

struct watched {
  pid_t pid;
  int descriptor; /* a pidfd; -1: dead, the slot is free */
};

struct hd_run_watch {
  const char *directory;
  int events;                         /* epoll */
  int changes;                        /* inotify */
  int probes[HD_PRIVATE_PROBE_COUNT]; /* inotify's numbers for them */
  bool seen[HD_PRIVATE_PROBE_COUNT];
  struct watched *processes;
  size_t count;
};

static bool observe(struct hd_run_watch *watch, int descriptor, uint32_t data) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = data};
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
      observe(watch, watch->changes, directory_event))
    return watch;
  hd_run_watch_stop(watch);
  return NULL;
}

void hd_run_watch_stop(struct hd_run_watch *watch) {
  if (!watch)
    return;
  for (size_t i = 0; i < watch->count; i++)
    if (watch->processes[i].descriptor >= 0)
      close(watch->processes[i].descriptor);
  if (watch->changes >= 0)
    close(watch->changes);
  if (watch->events >= 0)
    close(watch->events);
  free(watch->processes);
  free(watch);
}

int hd_run_watch_descriptor(const struct hd_run_watch *watch) {
  return watch ? watch->events : -1;
}

/* A free slot; NULL: no memory. */
static struct watched *new_slot(struct hd_run_watch *watch) {
  for (size_t i = 0; i < watch->count; i++)
    if (watch->processes[i].descriptor < 0)
      return &watch->processes[i];
  struct watched *grown = realloc(watch->processes, (watch->count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  watch->processes = grown;
  grown[watch->count].descriptor = -1;
  return &grown[watch->count++];
}

static struct watched *find_process(const struct hd_run_watch *watch, pid_t pid) {
  for (size_t i = 0; i < watch->count; i++)
    if (watch->processes[i].pid == pid && watch->processes[i].descriptor >= 0)
      return &watch->processes[i];
  return NULL;
}

static void add_process(struct hd_run_watch *watch, pid_t pid) {
  if (find_process(watch, pid))
    return;
  struct watched *slot = new_slot(watch);
  if (!slot)
    return;
  /* Fails for a process that is already gone. */
  const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
  if (descriptor < 0)
    return;
  *slot = (struct watched){.pid = pid, .descriptor = descriptor};
  if (!observe(watch, descriptor, (uint32_t)(slot - watch->processes))) {
    close(descriptor);
    slot->descriptor = -1;
  }
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
static void bury(const struct hd_run_watch *watch, struct watched *process) {
  hd_run_stamp_process(watch->directory, process->pid);
  close(process->descriptor); /* epoll forgets it */
  process->descriptor = -1;
}

void hd_run_watch_handle(struct hd_run_watch *watch) {
  struct epoll_event ready[16];
  int count = watch != NULL;
  /* A bound, so that a stream of changes cannot keep heddle from noticing the program's end. */
  for (int round = 0; round < 1000 && count > 0; round++) {
    count = epoll_wait(watch->events, ready, sizeof ready / sizeof *ready, 0);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.u32 == directory_event)
        read_changes(watch);
      else
        bury(watch, &watch->processes[ready[i].data.u32]);
    }
  }
}

static bool any_alive(const struct hd_run_watch *watch) {
  for (size_t i = 0; i < watch->count; i++)
    if (watch->processes[i].descriptor >= 0)
      return true;
  return false;
}

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void hd_run_watch_settle(struct hd_run_watch *watch, int limit_ms) {
  const int64_t end = now_ms() + limit_ms;
  hd_run_watch_handle(watch);
  while (watch && any_alive(watch)) {
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
