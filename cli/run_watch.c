/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What epoll returns for the directory; anything smaller is an index into `processes`. */
static const uint32_t directory_event = UINT32_MAX;

struct watched {
  pid_t pid;
  int descriptor; /* a pidfd; -1: dead, the slot is free */
};

struct hd_run_watch {
  const char *directory;
  int events;  /* epoll */
  int changes; /* inotify */
  int probe;   /* watch on the probe file */
  bool refused;
  struct watched *processes;
  size_t count;
};

static bool observe(struct hd_run_watch *watch, int descriptor, uint32_t data) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = data};
  return epoll_ctl(watch->events, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

struct hd_run_watch *hd_run_watch_start(const struct hd_run_environment *environment) {
  struct hd_run_watch *watch = calloc(1, sizeof *watch);
  if (!watch)
    return NULL;
  watch->directory = environment->directory;
  watch->events = epoll_create1(EPOLL_CLOEXEC);
  watch->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  watch->probe = inotify_add_watch(watch->changes, environment->probe, IN_OPEN);
  if (watch->probe >= 0 && inotify_add_watch(watch->changes, environment->directory, IN_CREATE) >= 0 &&
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

/* "PROGRAM.PID.live": 0 for any other name. */
static pid_t pid_in_name(const char *name) {
  const char *end = strstr(name, ".live");
  const char *digits = end;
  while (digits && digits > name && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  return digits && digits < end ? (pid_t)strtol(digits, NULL, 10) : 0;
}

static void add_process(struct hd_run_watch *watch, pid_t pid) {
  if (pid <= 0 || hd_run_watch_is_alive(watch, pid))
    return;
  struct watched *slot = new_slot(watch);
  if (!slot)
    return;
  /* Fails for a process that is already gone: its profile then ends with its last event. */
  const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
  if (descriptor < 0)
    return;
  *slot = (struct watched){pid, descriptor};
  if (!observe(watch, descriptor, (uint32_t)(slot - watch->processes))) {
    close(descriptor);
    slot->descriptor = -1;
  }
}

static void read_changes(struct hd_run_watch *watch) {
  char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
  ssize_t length;
  while ((length = read(watch->changes, buffer, sizeof buffer)) > 0)
    for (const char *at = buffer; at < buffer + length;) {
      const struct inotify_event *event = (const void *)at;
      if (event->wd == watch->probe)
        watch->refused = watch->refused || (event->mask & IN_OPEN);
      else if (event->len)
        add_process(watch, pid_in_name(event->name));
      at += sizeof *event + event->len;
    }
}

static void bury(struct hd_run_watch *watch, struct watched *process) {
  hd_run_stamp_end(watch->directory, process->pid);
  close(process->descriptor); /* epoll forgets it */
  process->descriptor = -1;
}

void hd_run_watch_handle(struct hd_run_watch *watch) {
  struct epoll_event ready[16];
  int count;
  if (!watch)
    return;
  while ((count = epoll_wait(watch->events, ready, sizeof ready / sizeof *ready, 0)) > 0)
    for (int i = 0; i < count; i++) {
      if (ready[i].data.u32 == directory_event)
        read_changes(watch);
      else
        bury(watch, &watch->processes[ready[i].data.u32]);
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

bool hd_run_watch_is_alive(const struct hd_run_watch *watch, pid_t pid) {
  for (size_t i = 0; watch && i < watch->count; i++)
    if (watch->processes[i].pid == pid && watch->processes[i].descriptor >= 0)
      return true;
  return false;
}

bool hd_run_watch_saw_refusal(const struct hd_run_watch *watch) {
  return watch && watch->refused;
}
