/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support/byte_size.h"
#include "support/inprocess/memory_budget.h"
#include "support/log.h"
#include "support/percent.h"

enum setting_type {
  SETTING_TEXT,
  SETTING_COUNT,
  SETTING_COUNT_OR_OFF,
  SETTING_SIZE_OR_OFF,
  SETTING_SWITCH,
  SETTING_SHARE
};

struct setting {
  const char *name;
  enum setting_type type;
  size_t offset;
};

static const struct setting table[] = {
    {"HEDDLE_OUTPUT", SETTING_TEXT, offsetof(struct hd_settings, output)},
    {"HEDDLE_STORE_DIR", SETTING_TEXT, offsetof(struct hd_settings, store_dir)},
    {"HEDDLE_START", SETTING_TEXT, offsetof(struct hd_settings, start)},
    {"HEDDLE_CLOCK", SETTING_TEXT, offsetof(struct hd_settings, clock)},
    {"HEDDLE_CALLPATH_DEPTH", SETTING_COUNT, offsetof(struct hd_settings, callpath_depth)},
    {"HEDDLE_CYCLE_LIMIT", SETTING_COUNT, offsetof(struct hd_settings, cycle_limit)},
    {"HEDDLE_UNWIND", SETTING_COUNT_OR_OFF, offsetof(struct hd_settings, unwind_depth)},
    {"HEDDLE_MEMORY", SETTING_SIZE_OR_OFF, offsetof(struct hd_settings, memory)},
    {"HEDDLE_THREADS_APART", SETTING_COUNT, offsetof(struct hd_settings, threads_apart)},
    {"HEDDLE_CPU_TIME", SETTING_COUNT_OR_OFF, offsetof(struct hd_settings, cpu_time)},
    {"HEDDLE_GOMP", SETTING_SWITCH, offsetof(struct hd_settings, gomp)},
    {"HEDDLE_COUNTERS", SETTING_TEXT, offsetof(struct hd_settings, counters)},
    {"HEDDLE_COUNTERS_AT", SETTING_TEXT, offsetof(struct hd_settings, counters_at)},
    {"HEDDLE_MULTIPLEX", SETTING_SWITCH, offsetof(struct hd_settings, take_turns)},
    {"HEDDLE_OVERHEAD", SETTING_SHARE, offsetof(struct hd_settings, overhead_ppm)},
    {"HEDDLE_TEST_DELAY", SETTING_TEXT, offsetof(struct hd_settings, test_delay)},
    {"HEDDLE_GROUP_TEXT", SETTING_TEXT, offsetof(struct hd_settings, groups)},
};

static void read_count(const struct setting *setting, const char *text, uint64_t *value) {
  char *end;
  if (setting->type != SETTING_COUNT && !strcmp(text, "off")) {
    *value = 0;
    return;
  }
  errno = 0;
  unsigned long long count = strtoull(text, &end, 10);
  if (setting->type == SETTING_SWITCH && (strlen(text) != 1 || !strchr("01", *text)))
    hd_log("%s=%s is neither 0 nor 1; ignored", setting->name, text);
  else if (errno || *end || end == text || *text == '-')
    hd_log("%s=%s is not a count%s; ignored", setting->name, text,
           setting->type == SETTING_COUNT_OR_OFF ? " or \"off\"" : "");
  else
    *value = count;
}

static void read_share(const struct setting *setting, const char *text, uint64_t *ppm) {
  if (!hd_share_read(text, ppm))
    hd_log("%s=%s is neither percent, from 0.0001 to 100, nor \"off\"; ignored", setting->name, text);
}

static void read_size(const struct setting *setting, const char *text, uint64_t *value) {
  if (!strcmp(text, "off"))
    *value = HD_MEMORY_UNLIMITED;
  else if (!hd_size_read(text, value))
    hd_log("%s=%s is not a size as 16M, nor \"off\"; ignored", setting->name, text);
}

void hd_settings_read(struct hd_settings *settings) {
  *settings = (struct hd_settings){.output = "%n.%p.heddle",
                                   .clock = "auto",
                                   .cycle_limit = 1,
                                   .unwind_depth = 64,
                                   .counters_at = "loop",
                                   .memory = HD_MEMORY_DEFAULT,
                                   .threads_apart = 256,
                                   .overhead_ppm = 20000};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    /* secure_getenv: a set-user-id program must not write where its caller says. */
    const char *text = secure_getenv(table[i].name);
    void *field = (char *)settings + table[i].offset;
    if (!text || !*text)
      continue;
    if (table[i].type == SETTING_TEXT)
      memcpy(field, &text, sizeof text);
    else if (table[i].type == SETTING_SHARE)
      read_share(&table[i], text, field);
    else if (table[i].type == SETTING_SIZE_OR_OFF)
      read_size(&table[i], text, field);
    else
      read_count(&table[i], text, field);
  }
}

const char *hd_settings_name(size_t index) {
  return index < sizeof table / sizeof *table ? table[index].name : NULL;
}
