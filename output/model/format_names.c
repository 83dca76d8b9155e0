/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/format_names.h"

#include <string.h>

enum {
  WORK = 1u << HD_CLASS_WORK,
  MUTEX = 1u << HD_CLASS_MUTEX,
  TASK = 1u << HD_CLASS_TASK,
  SYNC = 1u << HD_CLASS_SYNC,
  CALL = 1u << HD_CLASS_CALL
};

static const struct {
  const char *id, *words;
  uint32_t event_classes;
} kinds[HD_KIND_COUNT] = {
    [HD_KIND_PROGRAM] = {"program", "program", 0},
    [HD_KIND_PARALLEL] = {"parallel", "parallel", 0},
    [HD_KIND_TEAMS] = {"teams", "teams", 0},
    [HD_KIND_LOOP] = {"loop", "loop", WORK},
    [HD_KIND_LOOP_STATIC] = {"loop_static", "loop static", WORK},
    [HD_KIND_LOOP_DYNAMIC] = {"loop_dynamic", "loop dynamic", WORK},
    [HD_KIND_LOOP_GUIDED] = {"loop_guided", "loop guided", WORK},
    [HD_KIND_SECTIONS] = {"sections", "sections", WORK},
    [HD_KIND_SINGLE] = {"single", "single", WORK},
    [HD_KIND_WORKSHARE] = {"workshare", "workshare", WORK},
    [HD_KIND_DISTRIBUTE] = {"distribute", "distribute", WORK},
    [HD_KIND_TASKLOOP] = {"taskloop", "taskloop", WORK},
    [HD_KIND_SCOPE] = {"scope", "scope", WORK},
    [HD_KIND_TASK] = {"task", "task", TASK},
    [HD_KIND_TASKWAIT] = {"taskwait", "taskwait", TASK | SYNC},
    [HD_KIND_TASKGROUP] = {"taskgroup", "taskgroup", SYNC},
    [HD_KIND_BARRIER_EXPLICIT] = {"barrier_explicit", "barrier", SYNC},
    [HD_KIND_BARRIER_IMPLICIT] = {"barrier_implicit", "implicit barrier", SYNC},
    [HD_KIND_BARRIER] = {"barrier", "barrier or loop end", SYNC},
    [HD_KIND_REDUCTION] = {"reduction", "reduction", SYNC},
    [HD_KIND_CRITICAL] = {"critical", "critical", MUTEX},
    [HD_KIND_LOCK] = {"lock", "lock", MUTEX},
    [HD_KIND_ORDERED] = {"ordered", "ordered", MUTEX},
    [HD_KIND_ATOMIC] = {"atomic", "atomic", MUTEX},
    [HD_KIND_OTHER] = {"other", "other construct", MUTEX | SYNC | WORK},
    [HD_KIND_ROUTINE] = {"routine", "routine", CALL},
    [HD_KIND_PHASE] = {"phase", "phase", 0},
    [HD_KIND_MASKED] = {"masked", "masked", WORK},
    [HD_KIND_WORKDISTRIBUTE] = {"workdistribute", "workdistribute", WORK},
    [HD_KIND_MPI] = {"mpi", "MPI", 0},
    [HD_KIND_BEFORE] = {"before", "begun before the measurement", 0},
};

#define ID(name, id, class) id,
static const char *const events[HD_EVENT_KINDS] = {HD_EVENT_TABLE(ID)};

static const struct {
  const char *id, *words;
} classes[HD_CLASS_COUNT] = {
#define WORDS(name, id, words) {id, words},
    HD_CLASS_TABLE(WORDS)};

const char *hd_event_id(enum hd_event_kind kind) {
  return events[kind];
}

const char *hd_event_class_id(enum hd_event_class event_class) {
  return classes[event_class].id;
}

enum hd_event_class hd_event_class_find(const char *id) {
  int found = 0;
  while (found < HD_CLASS_COUNT && strcmp(id, classes[found].id) != 0)
    found++;
  return (enum hd_event_class)found;
}

const char *hd_event_class_words(enum hd_event_class event_class) {
  return classes[event_class].words;
}

const char *hd_kind_id(enum hd_kind kind) {
  return kinds[kind].id;
}

const char *hd_kind_words(enum hd_kind kind) {
  return kinds[kind].words;
}

uint32_t hd_kind_event_classes(enum hd_kind kind) {
  return kinds[kind].event_classes;
}

bool hd_kind_is_region(enum hd_kind kind) {
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

bool hd_kind_is_for_one(enum hd_kind kind) {
  return kind == HD_KIND_SINGLE || kind == HD_KIND_MASKED;
}

bool hd_kind_is_worksharing(enum hd_kind kind) {
  return (kind >= HD_KIND_LOOP && kind <= HD_KIND_SCOPE) || kind == HD_KIND_WORKDISTRIBUTE;
}

const char *hd_thread_kind_id(uint32_t kind) {
  return kind == HD_THREAD_INITIAL ? "initial" : kind == HD_THREAD_WORKER ? "worker" : "other";
}
