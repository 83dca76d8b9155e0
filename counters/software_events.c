/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters/software_events.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define SW_CGROUP_SWITCHES 11 /* newer than some systems' headers */

static const char in_advance[] = " (also of mlock, MAP_POPULATE, ...)";

const struct hd_software hd_software[HD_SOFTWARE_COUNT] = {
    {"CPU-CLOCK", "CPU-CLOCK", "CPU_CLOCK", PERF_COUNT_SW_CPU_CLOCK, true, "ns",
     "time on a processor, by the processor's clock", ""},
    {"TASK-CLOCK", "TASK-CLOCK", "TASK_CLOCK", PERF_COUNT_SW_TASK_CLOCK, true, "ns", "time on a processor", ""},
    {"PAGE-FAULTS", "FAULTS", "PAGE_FAULTS", PERF_COUNT_SW_PAGE_FAULTS, true, "", "page faults", in_advance},
    {"CONTEXT-SWITCHES", "CS", "CONTEXT_SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES, false, "",
     "switches from the thread to another one", ""},
    {"CPU-MIGRATIONS", "MIGRATIONS", "CPU_MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS, false, "",
     "moves from one processor to another", NULL},
    {"MINOR-FAULTS", "MINOR-FAULTS", "PAGE_FAULTS_MIN", PERF_COUNT_SW_PAGE_FAULTS_MIN, true, "",
     "page faults without input from storage", in_advance},
    {"MAJOR-FAULTS", "MAJOR-FAULTS", "PAGE_FAULTS_MAJ", PERF_COUNT_SW_PAGE_FAULTS_MAJ, true, "",
     "page faults that waited for storage", in_advance},
    {"ALIGNMENT-FAULTS", "ALIGNMENT-FAULTS", "ALIGNMENT_FAULTS", PERF_COUNT_SW_ALIGNMENT_FAULTS, true, "",
     "unaligned accesses that the kernel had to handle", NULL},
    {"EMULATION-FAULTS", "EMULATION-FAULTS", "EMULATION_FAULTS", PERF_COUNT_SW_EMULATION_FAULTS, true, "",
     "instructions that the kernel had to emulate", NULL},
    {"CGROUP-SWITCHES", "CGROUP-SWITCHES", "CGROUP_SWITCHES", SW_CGROUP_SWITCHES, false, "",
     "context switches to a thread of another control group", NULL},
};

static const char *after(const char *name, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncasecmp(name, prefix, length) ? NULL : name + length;
}

const struct hd_software *hd_software_of_name(const char *name) {
  const char *bare = after(name, "perf::");
  if (!bare)
    bare = after(name, "perf_sw::");
  if (!bare)
    bare = name;
  const char *constant = after(bare, "PERF_COUNT_SW_");
  for (const struct hd_software *event = hd_software; event < hd_software + HD_SOFTWARE_COUNT; event++)
    if (constant ? !strcasecmp(constant, event->constant)
                 : !strcasecmp(bare, event->name) || !strcasecmp(bare, event->alias))
      return event;
  return NULL;
}
