/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/render/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/levels.h"
#include "output/views/render/column_names.h"
#include "support/command/sanitize.h"

enum { LEVELS_PADDED = 65 };

const char HD_JSON_MERGE[] = "";

/* jansson takes valid UTF-8 only, which file names need not be, and escapes control characters below U+0020 only. Other
 * bytes become U+FFFD. */
json_t *hd_json_text(const char *text) {
  if (!text)
    return json_null();
  char *copy = malloc(3 * strlen(text) + 1);
  if (!copy)
    return NULL;
  char *to = copy;
  for (const char *at = text; *at;) {
    const size_t bytes = (unsigned char)*at < ' ' ? 1 : hd_sanitize_character(at);
    to = bytes > 0 ? mempcpy(to, at, bytes) : stpcpy(to, "\xef\xbf\xbd");
    at += bytes > 0 ? bytes : 1;
  }
  *to = '\0';
  json_t *value = json_string(copy);
  free(copy);
  return value;
}

json_t *hd_json_number(double number) {
  return isfinite(number) ? json_real(number) : json_null();
}

json_t *hd_json_seconds(const struct hd_model *model, uint64_t ticks) {
  return json_real(hd_model_seconds(model, ticks));
}

json_t *hd_json_ticks(const struct hd_model *model, double ticks) {
  return hd_json_number(ticks * model->seconds_per_tick);
}

json_t *hd_json_count(uint64_t number) {
  return json_integer((json_int_t)number);
}

bool hd_json_put(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0;
}

json_t *hd_json_finish(json_t *object, bool done) {
  if (done)
    return object;
  json_decref(object);
  return NULL;
}

static bool merge(json_t *object, json_t *members) {
  const bool done = object && members && json_object_update(object, members) == 0;
  json_decref(members);
  return done;
}

json_t *hd_json_members(bool known, const struct hd_json_member *members) {
  json_t *object = json_object();
  bool done = object;
  for (; members->key; members++)
    if (members->key == HD_JSON_MERGE) {
      done = merge(object, members->value) && done;
    } else if (known) {
      done = hd_json_put(object, members->key, members->value) && done;
    } else {
      json_decref(members->value);
      done = hd_json_put(object, members->key, json_null()) && done;
    }
  return hd_json_finish(object, done);
}

json_t *hd_json_array(const void *of, size_t count, json_t *(*item)(const void *of, size_t index)) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < count; i++)
    json_array_append_new(array, item(of, i));
  return array;
}

static json_t *string(const void *list, size_t index) {
  return hd_json_text(((const struct hd_strings *)list)->items[index]);
}

json_t *hd_json_strings(const struct hd_strings *list) {
  return hd_json_array(list, list->count, string);
}

/* Seconds by level. All arrays are equally long, so that a script need not ask; but beyond 64 each ends with the
 * highest level that occurs in it, for the size's sake. */
json_t *hd_json_levels(const struct hd_model *model, const struct hd_levels *from) {
  const uint32_t common = model->level_count < LEVELS_PADDED ? model->level_count : LEVELS_PADDED;
  json_t *array = json_array();
  for (uint32_t k = 0; array && (k < from->count || k < common); k++)
    json_array_append_new(array, hd_json_seconds(model, hd_levels_at(from, k)));
  return array;
}

json_t *hd_json_waits(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT], bool always_barrier) {
  json_t *object = json_object();
  for (int state = HD_WAIT_FIRST; object && state <= HD_WAIT_LAST; state++)
    if (ticks[state] > 0 || (always_barrier && state == HD_WAIT_BARRIER_IMPLICIT))
      hd_json_put(object, hd_state_id((enum hd_state)state), hd_json_seconds(model, ticks[state]));
  return object;
}

static json_t *runtime_by_cause(const struct hd_model *model, const uint64_t ticks[HD_STATE_COUNT]) {
  json_t *object = json_object();
  for (int state = HD_RUNTIME_FIRST; object && state <= HD_RUNTIME_LAST; state++)
    hd_json_put(object, hd_state_id((enum hd_state)state), hd_json_seconds(model, ticks[state]));
  return object;
}

json_t *hd_json_runtime_members(const struct hd_model *model, const uint64_t *ticks) {
  return HD_JSON({HD_KEY(RUNTIME), ticks ? hd_json_seconds(model, hd_ticks_runtime(ticks)) : json_null()},
                 {"runtime_by_s", ticks ? runtime_by_cause(model, ticks) : json_null()});
}

bool hd_json_write(json_t *value, FILE *out) {
  const bool done = value;
  if (value)
    json_dumpf(value, out, JSON_INDENT(1) | JSON_ENCODE_ANY);
  json_decref(value);
  return done;
}

bool hd_json_write_member(const char *key, json_t *value, FILE *out) {
  fprintf(out, ",\n\"%s\": ", key);
  return hd_json_write(value, out);
}

json_t *hd_json_marks(uint32_t marks) {
#define MARK(csv, json, any)                                                                                           \
  , {                                                                                                                  \
    json, json_boolean(marks &(any))                                                                                   \
  }
  return HD_JSON({HD_JSON_MERGE, json_object()} HD_MARK_TABLE(MARK) HD_MORE_MARK_TABLE(MARK));
#undef MARK
}
