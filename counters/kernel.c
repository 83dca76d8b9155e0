/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file kernel.c
 * Software events, which the kernel counts on any machine, virtual or not: perf_event_open(2). Where that is forbidden,
 * usage.c has some of them.
 *
 * A set is one group of events of the calling thread: one read(2) for all of them. On a virtual machine where
 * getppid(2) takes 0.11 us, that is 0.6 us for one event and 0.7 us for four.
 *
 * Programs close descriptors that they do not know (closefrom), and open their own under the same numbers; reading from
 * one of these would take away what the program waits for. Ours therefore lie high, and each reading first asks for a
 * mark that ours have: 0.12 us, half of what a look at the event's own number takes. What is not ours is neither read,
 * started, stopped nor closed.
 */
#include "counters/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters/perf_permission.h"
#include "counters/software_events.h"
#include "heddle-format.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/high_fd.h"

struct hd_event_set {
  uint32_t count;
  bool dead;
  int fds[HD_EVENTS_MOST]; /* the first leads the group */
  uint64_t ids[HD_EVENTS_MOST];
};

/* ---- reasons ---- */

static void explain(int error, const struct hd_software *event, char *why, size_t why_bytes) {
  struct rlimit limit = {0};
  if (error == EACCES || error == EPERM) {
    hd_permission_explain(event->in_user ? HD_PARANOID_USER_CODE : HD_PARANOID_KERNEL_TOO, why, why_bytes);
  } else if (error == EMFILE) {
    getrlimit(RLIMIT_NOFILE, &limit);
    snprintf(why, why_bytes,
             "too many open files: each event needs one on each thread, and Heddle takes no more than a quarter of the "
             "limit (ulimit -n: %llu)",
             (unsigned long long)limit.rlim_cur);
  } else if (error == ENOSYS) {
    snprintf(why, why_bytes, "this kernel has no perf_event_open, or a container's seccomp filter hides it");
  } else if (error == ENOENT || error == EINVAL || error == EOPNOTSUPP) {
    snprintf(why, why_bytes, "this kernel does not know the event (%s)", strerror(error));
  } else {
    snprintf(why, why_bytes, "perf_event_open: %s", strerror(error));
  }
}

/* ---- descriptors ---- */

/* The signal that would tell of input, if that were asked for: it never is. */
enum { MARK = 63 };

/* Each event takes one on each thread. */
static uint64_t room(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) ? UINT64_MAX : limit.rlim_cur / 4;
}

static int open_once(uint32_t config, int leader, bool user_only) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = config,
      .read_format = PERF_FORMAT_GROUP,
      .disabled = leader < 0, /* the others follow the leader */
      .exclude_kernel = user_only,
      .exclude_hv = user_only,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel's part too, if it may be counted. Negative: -errno. */
static int open_event(const struct hd_software *event, int leader, bool *user_only) {
  *user_only = false;
  int fd = open_once(event->config, leader, false);
  if (fd < 0 && (errno == EACCES || errno == EPERM) && event->in_user) {
    *user_only = true;
    fd = open_once(event->config, leader, true);
  }
  return fd < 0 ? -errno : hd_descriptor_move_high(fd);
}

static bool is_marked(const struct hd_event_set *set) {
  return fcntl(set->fds[0], F_GETSIG) == MARK;
}

static bool is_ours(const struct hd_event_set *set, uint32_t i) {
  uint64_t id;
  return !ioctl(set->fds[i], PERF_EVENT_IOC_ID, &id) && id == set->ids[i];
}

/* ---- the source ---- */

/* Each event says for itself why it cannot be counted. */
static enum hd_source_state describe_source(char *text, size_t bytes) {
  const int paranoid = hd_permission_paranoid();
  if (paranoid == INT_MIN)
    snprintf(text, bytes, "the kernel's software events");
  else
    snprintf(text, bytes, "the kernel's software events; perf_event_paranoid is %d", paranoid);
  return HD_SOURCE_WHOLE;
}

static bool describe(const struct hd_software *software, struct hd_counter_event *event, char *why, size_t why_bytes) {
  bool user_only;
  const int fd = open_event(software, -1, &user_only);
  const bool is_clock = software->unit[0];
  event->code = (uint64_t)(software - hd_software);
  event->component = 0;
  snprintf(event->unit, sizeof event->unit, "%s", software->unit);
  snprintf(event->description, sizeof event->description, "%s%s", software->description,
           fd >= 0 && user_only && !is_clock ? " (not the kernel's own)" : "");
  if (fd < 0)
    explain(-fd, software, why, why_bytes);
  else
    close(fd);
  return fd >= 0;
}

static enum hd_counter_status find(const char *name, struct hd_counter_event *event, char *why, size_t why_bytes) {
  const struct hd_software *software = hd_software_of_name(name);
  if (!software)
    return HD_COUNTER_UNKNOWN;
  return describe(software, event, why, why_bytes) ? HD_COUNTER_FOUND : HD_COUNTER_UNAVAILABLE;
}

static void each(hd_event_visit visit, void *context) {
  for (const struct hd_software *software = hd_software; software < hd_software + HD_SOFTWARE_COUNT; software++) {
    struct hd_counter_event event = {0};
    char why[256] = "";
    snprintf(event.name, sizeof event.name, "perf::%s", software->name);
    const enum hd_counter_status status = hd_source_ask(&hd_source_kernel, event.name, &event, why, sizeof why);
    if (!visit(context, &event, status == HD_COUNTER_FOUND, why))
      return;
  }
}

static void destroy(struct hd_event_set *set) {
  if (!set)
    return;
  for (uint32_t i = set->count; i-- > 0;)
    if (is_ours(set, i))
      close(set->fds[i]);
  hd_heap_free(set);
}

static bool add(struct hd_event_set *set, const struct hd_counter_event *event, char *why, size_t why_bytes) {
  const struct hd_software *software = &hd_software[event->code];
  bool user_only;
  const int fd = open_event(software, set->count ? set->fds[0] : -1, &user_only);
  uint64_t id;
  if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &id) && !fcntl(fd, F_SETSIG, MARK)) {
    set->ids[set->count] = id;
    set->fds[set->count++] = fd;
    return true;
  }
  explain(fd < 0 ? -fd : errno, software, why, why_bytes);
  if (fd >= 0)
    close(fd);
  return false;
}

static struct hd_event_set *create(const struct hd_counter_event *const *events, uint32_t count, char *why,
                                   size_t why_bytes) {
  struct hd_event_set *set = count && count <= HD_EVENTS_MOST ? hd_heap_allocate(1, sizeof *set) : NULL;
  if (!set) {
    snprintf(why, why_bytes, "no memory for the event set");
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (add(set, events[i], why, why_bytes))
      continue;
    destroy(set);
    return NULL;
  }
  return set;
}

static bool start(struct hd_event_set *set, char *why, size_t why_bytes) {
  if (!set->dead && is_ours(set, 0) && !ioctl(set->fds[0], PERF_EVENT_IOC_ENABLE, 0))
    return true;
  snprintf(why, why_bytes, "the program closed the event's descriptor");
  return false;
}

static bool read_set(struct hd_event_set *set, uint64_t *counts) {
  uint64_t values[1 + HD_EVENTS_MOST];
  const size_t bytes = (1 + set->count) * sizeof *values;
  if (__builtin_expect(set->dead || !is_marked(set), false) || read(set->fds[0], values, bytes) != (ssize_t)bytes) {
    set->dead = true;
    return false;
  }
  memcpy(counts, values + 1, bytes - sizeof *values);
  return true;
}

static void stop(struct hd_event_set *set) {
  if (is_ours(set, 0))
    ioctl(set->fds[0], PERF_EVENT_IOC_DISABLE, 0);
}

const struct hd_source hd_source_kernel = {
    .name = "kernel",
    .room = room,
    .reads_others = true,
    .describe = describe_source,
    .find = find,
    .each = each,
    .create = create,
    .start = start,
    .read = read_set,
    .stop = stop,
    .destroy = destroy,
};
