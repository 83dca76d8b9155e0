/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file format_names.h
 * Words for the numbers of heddle-format.h. All strings are static.
 */
#ifndef HEDDLE_OUTPUT_MODEL_FORMAT_NAMES_H
#define HEDDLE_OUTPUT_MODEL_FORMAT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle-format.h"

/** The end of a noun behind its number: "1 thread", "2 threads". */
static inline const char *hd_plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/** The stable name used in JSON and CSV ("loop_static"). */
const char *hd_kind_id(enum hd_kind kind);

/** The name used in reports ("loop static"). */
const char *hd_kind_words(enum hd_kind kind);

/** Parallel or teams: constructs whose visits are counted as instances. */
bool hd_kind_is_region(enum hd_kind kind);

/** Loops, sections, single and their like, taskloop among them: what a team divides among its threads. */
bool hd_kind_is_worksharing(enum hd_kind kind);

/** Single or masked: what one thread of a team does, and the others cannot. */
bool hd_kind_is_for_one(enum hd_kind kind);

/** The stable name of a kind of event ("work_begin"), and of a class of events ("mutex"); what is in it ("critical
 * sections, locks, ordered and atomic"). */
const char *hd_event_id(enum hd_event_kind kind);
const char *hd_event_class_id(enum hd_event_class event_class);
const char *hd_event_class_words(enum hd_event_class event_class);

/** The class with this stable name; HD_CLASS_COUNT: there is none. And what to say then: "there is no class 'NAME';
 * there are: ...", to be printed with the name. */
enum hd_event_class hd_event_class_find(const char *id);
#define HD_CLASS_ID_WORD(name, id, words) " " id
#define HD_NO_CLASS_FORMAT "there is no class '%s'; there are:" HD_CLASS_TABLE(HD_CLASS_ID_WORD)

/** The classes of events without which entries of a kind are not seen, as bits (1 << enum hd_event_class); 0: they
 * always are. Waits for dependences, which are taskwaits here, need two. */
uint32_t hd_kind_event_classes(enum hd_kind kind);

/** "initial", "worker" or "other". */
const char *hd_thread_kind_id(uint32_t kind);

#endif
