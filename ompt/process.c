/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/process.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompt/child.h"
#include "ompt/shared/clock.h"
#include "store/profile_file.h"
#include "support/inprocess/heap.h"
#include "support/mpi_rank.h"
#include "support/own_file.h"

static void copy_text(char *to, size_t bytes, const char *from) {
  strncpy(to, from, bytes - 1);
  to[bytes - 1] = 0;
}

void hd_process_program(char *name, size_t bytes) {
  char path[PATH_MAX];
  const char *slash = hd_own_file(path) ? strrchr(path, '/') : NULL;
  copy_text(name, bytes, slash && slash[1] ? slash + 1 : "program");
}

const char *hd_process_output_directory(const char *output, char *place, size_t bytes) {
  char current[PATH_MAX] = "";
  const char *slash = strrchr(output, '/');
  if (*output != '/' && !getcwd(current, sizeof current))
    return NULL;
  const int length =
      snprintf(place, bytes, "%s%s%.*s", current, *current ? "/" : "", slash ? (int)(slash - output) : 0, output);
  return length > 0 && (size_t)length < bytes ? place : NULL;
}

/* glibc has relocated the table's addresses; the vDSO's, which it has not, needs nothing. */
static bool needs(const ElfW(Dyn) * dynamic, const char *library) {
  const char *strings = NULL;
  for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_STRTAB)
      strings = (const char *)entry->d_un.d_ptr;
  for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED && strings && !strncmp(strings + entry->d_un.d_val, library, strlen(library)))
      return true;
  return false;
}

static int module_needs_libgomp(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return needs((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), "libgomp.so");
  return 0;
}

bool hd_process_needs_libgomp(void) {
  return dl_iterate_phdr(module_needs_libgomp, NULL);
}

static ssize_t read_file(const char *path, char *buffer, size_t bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t length = read(fd, buffer, bytes - 1);
  close(fd);
  buffer[length > 0 ? length : 0] = 0;
  return length;
}

/* Field 22 of /proc/self/stat: clock ticks since boot. 0: unknown. The name in field 2 may hold spaces and brackets. */
static uint64_t kernel_start_ns(void) {
  char text[1024];
  unsigned long long start = 0;
  long per_second = sysconf(_SC_CLK_TCK);
  if (read_file("/proc/self/stat", text, sizeof text) <= 0 || per_second <= 0)
    return 0;
  const char *field = strrchr(text, ')');
  for (int i = 2; field && i < 22; i++) {
    field = strchr(field + 1, ' ');
  }
  /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
  if (!field || sscanf(field, "%llu", &start) != 1)
    return 0;
  uint64_t since_boot = start * (1000000000u / (uint64_t)per_second);
  uint64_t age = hd_clock_system_ns(CLOCK_BOOTTIME) - since_boot;
  return hd_clock_system_ns(CLOCK_MONOTONIC) - age;
}

static void describe_start(struct hd_file_header *header, const char *start) {
  unsigned pid;
  unsigned long long ns;
  struct hd_clock_pair now = header->clock_first;
  uint64_t begin = now.ns;
  if (hd_clock.kind == HD_CLOCK_EXTERNAL) {
    header->begin_ns = begin;
    return;
  }
  if (header->parent_pid) {
    begin = hd_child.forked_ns;
    /* NOLINTNEXTLINE(cert-err34-c): `heddle run` wrote it */
  } else if (start && sscanf(start, "%u:%llu", &pid, &ns) == 2 && pid == header->pid) {
    begin = ns;
  } else {
    uint64_t kernel = kernel_start_ns();
    header->flags |= HD_FILE_START_COARSE;
    if (kernel)
      begin = kernel;
  }
  header->begin_ns = begin < now.ns ? begin : now.ns;
  header->begin_epoch_ns =
      hd_clock_system_ns(CLOCK_REALTIME) - (hd_clock_system_ns(CLOCK_MONOTONIC) - header->begin_ns);
}

static uint32_t count_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 0 : (uint32_t)CPU_COUNT(&set);
}

static uint32_t count_online_processors(void) {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (uint32_t)count : 0;
}

/* Is the process, or the one that forked it, the program that `heddle run` has started? */
static bool is_started_by_run(const struct hd_file_header *header, const char *start) {
  unsigned pid;
  /* NOLINTNEXTLINE(cert-err34-c): `heddle run` wrote it */
  return start && sscanf(start, "%u:", &pid) == 1 && (pid == header->pid || pid == header->parent_pid);
}

/* The memory with the arguments is the program's: parsers put terminators into it, or names of their own. It keeps its
 * length. So what `heddle run` started is what it says it was if that is as long; else another program has been
 * executed since. */
static ssize_t read_arguments(const struct hd_store *store, const char *start, char *text, size_t bytes) {
  char path[sizeof store->run_directory + sizeof HD_SAVE_COMMAND_FILE + 1];
  const ssize_t length = read_file("/proc/self/cmdline", text, bytes);
  if (!*store->run_directory || !is_started_by_run(store->header, start))
    return length;
  snprintf(path, sizeof path, "%s/%s", store->run_directory, HD_SAVE_COMMAND_FILE);
  char *started = hd_heap_allocate(1, bytes);
  if (started && read_file(path, started, bytes) == length)
    memcpy(text, started, bytes);
  hd_heap_free(started);
  return length;
}

static void add_arguments(struct hd_store *store, struct hd_store_cursor *cursor, const char *start) {
  char text[8192];
  uint32_t number = 0;
  ssize_t length = read_arguments(store, start, text, sizeof text);
  for (ssize_t at = 0; at < length;) {
    size_t bytes = strlen(text + at);
    hd_store_add_text(store, cursor, HD_TEXT_ARGUMENT, number++, text + at, bytes);
    at += (ssize_t)bytes + 1;
  }
}

static bool steers_openmp(const char *variable) {
  static const char *const prefixes[] = {"OMP_", "KMP_", "GOMP_", "LIBOMP_", "HEDDLE_"};
  if (!strncmp(variable, "HEDDLE_START=", 13) || !strncmp(variable, "HEDDLE_STORE_DIR=", 17) ||
      !strncmp(variable, "OMP_TOOL", 8))
    return false; /* how this library was loaded, not how the program ran */
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
      return true;
  return false;
}

static void add_environment(struct hd_store *store, struct hd_store_cursor *cursor) {
  uint32_t number = 0;
  for (char **variable = environ; variable && *variable; variable++)
    if (steers_openmp(*variable))
      hd_store_add_text(store, cursor, HD_TEXT_ENVIRONMENT, number++, *variable, strlen(*variable));
}

/* heddle run marks what comes after Heddle with an entry of its own, whose name begins like Heddle's. */
void hd_process_note_tools(struct hd_store *store) {
  struct hd_store_cursor cursor = {0};
  const char *list = getenv("OMP_TOOL_LIBRARIES");
  list = list ? strstr(list, "libheddle") : NULL;
  while (list && (list = strchr(list, ':')) != NULL) {
    char note[PATH_MAX + 100];
    const char *entry = ++list;
    const size_t length = strcspn(entry, ":");
    if (length == 0 || memmem(entry, length, "libheddle", strlen("libheddle")))
      continue;
    const int bytes =
        snprintf(note, sizeof note, "another OMPT tool, %.*s, was not loaded: the runtime takes only the first",
                 (int)length, entry);
    if (bytes > 0 && (size_t)bytes < sizeof note)
      hd_store_add_text(store, &cursor, HD_TEXT_NOTE, 0, note, (size_t)bytes);
  }
}

static void add_place(struct hd_store *store, struct hd_store_cursor *cursor) {
  hd_store_add_text(store, cursor, HD_TEXT_OUTPUT, 0, store->output_path, strlen(store->output_path));
  if (*store->run_directory)
    hd_store_add_text(store, cursor, HD_TEXT_RUN, 0, store->run_directory, strlen(store->run_directory));
}

bool hd_process_describe(struct hd_store *store, const char *start, const char *output, const char *runtime) {
  struct hd_file_header *header = store->header;
  struct hd_store_cursor texts = {0};
  header->clock_kind = hd_clock.kind;
  header->clock_first = header->clock_last = hd_clock_read_pair();
  header->loaded_ticks = header->clock_first.ticks;
  header->pid = (uint32_t)getpid();
  header->parent_pid = hd_child.parent_pid;
  const struct hd_mpi_rank place = hd_mpi_rank_find();
  header->rank = place.rank;
  header->ranks = place.ranks;
  header->max_threads = count_processors();
  header->online_processors = count_online_processors();
  hd_process_program(header->program, sizeof header->program);
  copy_text(header->runtime, sizeof header->runtime, runtime);
  if (gethostname(header->host, sizeof header->host - 1))
    copy_text(header->host, sizeof header->host, "unknown");
  describe_start(header, start);
  if (!hd_profile_file_expand_name(output, header, store->output_path, sizeof store->output_path))
    return false;
  add_arguments(store, &texts, start);
  add_environment(store, &texts);
  add_place(store, &texts);
  return true;
}
