/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/format_names.h"

struct words {
  const char *id;
  const char *words;
};

static const struct words kinds[HD_KIND_COUNT] = {
    [HD_KIND_PROGRAM] = {"program", "program"},
    [HD_KIND_PARALLEL] = {"parallel", "parallel"},
    [HD_KIND_TEAMS] = {"teams", "teams"},
    [HD_KIND_LOOP] = {"loop", "loop"},
    [HD_KIND_LOOP_STATIC] = {"loop_static", "loop static"},
    [HD_KIND_LOOP_DYNAMIC] = {"loop_dynamic", "loop dynamic"},
    [HD_KIND_LOOP_GUIDED] = {"loop_guided", "loop guided"},
    [HD_KIND_SECTIONS] = {"sections", "sections"},
    [HD_KIND_SINGLE] = {"single", "single"},
    [HD_KIND_WORKSHARE] = {"workshare", "workshare"},
    [HD_KIND_DISTRIBUTE] = {"distribute", "distribute"},
    [HD_KIND_TASKLOOP] = {"taskloop", "taskloop"},
    [HD_KIND_SCOPE] = {"scope", "scope"},
    [HD_KIND_TASK] = {"task", "task"},
    [HD_KIND_TASKWAIT] = {"taskwait", "taskwait"},
    [HD_KIND_TASKGROUP] = {"taskgroup", "taskgroup"},
    [HD_KIND_BARRIER_EXPLICIT] = {"barrier_explicit", "barrier"},
    [HD_KIND_BARRIER_IMPLICIT] = {"barrier_implicit", "implicit barrier"},
    [HD_KIND_BARRIER] = {"barrier", "barrier or loop end"},
    [HD_KIND_REDUCTION] = {"reduction", "reduction"},
    [HD_KIND_CRITICAL] = {"critical", "critical"},
    [HD_KIND_LOCK] = {"lock", "lock"},
    [HD_KIND_ORDERED] = {"ordered", "ordered"},
    [HD_KIND_ATOMIC] = {"atomic", "atomic"},
    [HD_KIND_OTHER] = {"other", "other construct"},
    [HD_KIND_ROUTINE] = {"routine", "routine"},
    [HD_KIND_PHASE] = {"phase", "phase"},
    [HD_KIND_MASKED] = {"masked", "masked"},
    [HD_KIND_WORKDISTRIBUTE] = {"workdistribute", "workdistribute"},
};

#define ID(name, id, class) id,
static const char *const events[HD_EVENT_KINDS] = {HD_EVENT_TABLE(ID)};

#define WORDS(name, id, words) {id, words},
static const struct words classes[HD_CLASS_COUNT] = {HD_CLASS_TABLE(WORDS)};

const char *hd_event_id(enum hd_event_kind kind) {
  return (unsigned)kind < HD_EVENT_KINDS ? events[kind] : "other";
}

const char *hd_event_class_id(enum hd_event_class event_class) {
  return (unsigned)event_class < HD_CLASS_COUNT ? classes[event_class].id : "other";
}

const char *hd_event_class_words(enum hd_event_class event_class) {
  return (unsigned)event_class < HD_CLASS_COUNT ? classes[event_class].words : "other events";
}

const char *hd_kind_id(enum hd_kind kind) {
  return (unsigned)kind < HD_KIND_COUNT ? kinds[kind].id : "other";
}

const char *hd_kind_words(enum hd_kind kind) {
  return (unsigned)kind < HD_KIND_COUNT ? kinds[kind].words : "other construct";
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

uint32_t hd_kind_event_classes(enum hd_kind kind) {
  enum { MUTEX = 1u << HD_CLASS_MUTEX, TASK = 1u << HD_CLASS_TASK, SYNC = 1u << HD_CLASS_SYNC };
  switch (kind) {
  case HD_KIND_CRITICAL:
  case HD_KIND_LOCK:
  case HD_KIND_ORDERED:
  case HD_KIND_ATOMIC:
    return MUTEX;
  case HD_KIND_TASK:
    return TASK;
  case HD_KIND_TASKWAIT:
    return TASK | SYNC;
  case HD_KIND_TASKGROUP:
  case HD_KIND_BARRIER_EXPLICIT:
  case HD_KIND_BARRIER_IMPLICIT:
  case HD_KIND_BARRIER:
  case HD_KIND_REDUCTION:
    return SYNC;
  case HD_KIND_OTHER:
    return MUTEX | SYNC | 1u << HD_CLASS_WORK;
  case HD_KIND_ROUTINE:
    return 1u << HD_CLASS_CALL;
  default:
    return hd_kind_is_worksharing(kind) || kind == HD_KIND_MASKED ? 1u << HD_CLASS_WORK : 0;
  }
}

const char *hd_thread_kind_id(uint32_t kind) {
  return kind == HD_THREAD_INITIAL ? "initial" : kind == HD_THREAD_WORKER ? "worker" : "other";
}
