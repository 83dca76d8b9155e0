/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json.h
 * Values of JSON. NULL: no memory.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_RENDER_JSON_H
#define HEDDLE_OUTPUT_VIEWS_RENDER_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "output/model/model.h"

/** A text; null for NULL. What is not UTF-8 becomes U+FFFD. */
json_t *hd_json_text(const char *text);

/** A number; null for NaN and infinities. */
json_t *hd_json_number(double number);
json_t *hd_json_count(uint64_t number);
json_t *hd_json_seconds(const struct hd_model *model, uint64_t ticks);
json_t *hd_json_ticks(const struct hd_model *model, double ticks); /* in seconds, too */

/** Seconds by level. */
json_t *hd_json_levels(const struct hd_model *model, const struct hd_levels *from);

/** Waiting time by those causes that occur; barrier_implicit also at 0 where every visit ends in one. */
json_t *hd_json_waits(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], bool always_barrier);

/** Members for an object: the runtime's own work, in all and by cause. NULL: not measured. */
json_t *hd_json_runtime_members(const struct hd_model *model, const uint64_t *ticks);

/** Adds a member, in the order in which they are written; one of the same name is replaced. False: no memory; the value
 *  is taken in any case. */
bool hd_json_put(json_t *object, const char *key, json_t *value);

/** A member of an object; of HD_JSON_MERGE the value is an object whose members are added. {0} ends a list. */
struct hd_json_member {
  const char *key;
  json_t *value; /* NULL: no memory */
};
extern const char HD_JSON_MERGE[];

/** An object with such members; with nulls where they are not `known`. Values are taken in any case. */
json_t *hd_json_members(bool known, const struct hd_json_member *members);

/** HD_JSON({"key", value}, ...) */
#define HD_JSON(...) HD_JSON_IF(true, __VA_ARGS__)
#define HD_JSON_IF(known, ...) hd_json_members(known, (const struct hd_json_member[]){__VA_ARGS__, {0}})

/** The object if it is `done`, else NULL, and it is freed. */
json_t *hd_json_finish(json_t *object, bool done);

/** An array of what `item` makes of the `count` parts of `of`; NULL is left out. */
json_t *hd_json_array(const void *of, size_t count, json_t *(*item)(const void *of, size_t index));

/** A text for each. */
json_t *hd_json_strings(const struct hd_strings *list);

/** The marks of numbers (enum hd_mark), true or false. */
json_t *hd_json_marks(uint32_t marks);

/** Writes a value, or ",\n\"KEY\": " and it. The value is taken; false: it is NULL. Write errors are left to `out`. */
bool hd_json_write(json_t *value, FILE *out);
bool hd_json_write_member(const char *key, json_t *value, FILE *out);

#endif
