/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a search tested, found and ruled out: as text, and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctl/search_internal.h"
#include "output/model/format_names.h"
#include "output/views/render/json.h"
#include "output/views/render/table.h"

enum { PLACES_SHOWN = 3, INDENT = 10, CLASSES_BYTES = 256 };

/* ---- text ---- */

static void put_classes(uint32_t classes, char text[CLASSES_BYTES]) {
  size_t used = (size_t)snprintf(text, CLASSES_BYTES, "regions%s", classes ? "" : " alone");
  for (int c = 0; c < HD_CLASS_COUNT; c++)
    if (classes >> c & 1)
      used += (size_t)snprintf(text + used, CLASSES_BYTES - used, ", %s", hd_event_class_id((enum hd_event_class)c));
}

static void print_test(const struct hd_search_sums *sums, const char *word, FILE *out) {
  char classes[CLASSES_BYTES];
  put_classes(sums->classes, classes);
  fprintf(out, "%-*s%s: ", INDENT, word, classes);
  if (sums->tests == 0)
    fputs("not tested\n", out);
  else
    fprintf(out, "%u time%s from %.3f s on, %.3f s, %.0f event%s\n", sums->tests, hd_plural(sums->tests), sums->from_s,
            sums->elapsed_s, sums->events, hd_plural((uint64_t)sums->events));
}

static void print_places(const struct hd_search_sums *sums, uint32_t causes, FILE *out) {
  const struct hd_search_place *places[HD_SEARCH_PLACES];
  const uint32_t count = hd_search_foremost(sums, causes, places);
  for (uint32_t i = 0; i < count && i < PLACES_SHOWN; i++)
    fprintf(out, "%*s%5.1f %%  %s, %s\n", INDENT, "", 100 * places[i]->gain_s / sums->elapsed_s,
            hd_cause_words(places[i]->cause), places[i]->text);
  if (count > PLACES_SHOWN)
    fprintf(out, "%*s%u more\n", INDENT, "", count - PLACES_SHOWN);
}

static void print_hypothesis(const struct hd_search_state *search, int i, FILE *out) {
  const struct hd_search_sums *sums = hd_search_sums_of(search, i);
  const bool holds = hd_search_holds(search, i);
  if (hd_search_test_of(i) == i) {
    struct hd_search_sums shown = *sums;
    shown.classes = hd_hypotheses[i].classes;
    print_test(&shown, "tested", out);
  }
  if (sums->tests == 0)
    fprintf(out, "  %-*s%7s   %s\n", INDENT - 4, "?", "", hd_hypotheses[i].words);
  else
    fprintf(out, "  %-*s%5.1f %%  %s\n", INDENT - 4, holds ? "yes" : "no", 100 * hd_search_share(search, i),
            hd_hypotheses[i].words);
  if (holds)
    print_places(sums, hd_hypotheses[i].causes, out);
}

void hd_search_print(const struct hd_search_state *search, FILE *out) {
  fprintf(out, "%-*stests of %.3g s; a hypothesis holds if its cure would save %.3g %% of the time or more\n", INDENT,
          "search", search->options->interval_seconds, 100 * search->options->threshold);
  for (int i = 0; i < HD_SEARCH_COUNT; i++)
    print_hypothesis(search, i, out);
  if (search->sums[HD_SEARCH_TASKS].tests == 0)
    fprintf(out, "%-*s%s\n", INDENT, "ended", search->ctl.error[0] ? search->ctl.error : "the program ended");
  if (search->together.tests == 0)
    return;
  print_test(&search->together, "together", out);
  print_places(&search->together, UINT32_MAX, out);
}

/* ---- JSON ---- */

struct listed {
  const struct hd_search_sums *sums;
  const struct hd_search_place *places[HD_SEARCH_PLACES];
};

static json_t *place_json(const void *of, size_t index) {
  const struct listed *listed = of;
  const struct hd_search_place *place = listed->places[index];
  return HD_JSON({"cause", json_string(hd_cause_id(place->cause))}, {"place", hd_json_text(place->text)},
                 {"callpath", hd_json_count(place->node)}, {"gain_s", hd_json_number(place->gain_s)},
                 {"gain_percent", hd_json_number(100 * place->gain_s / listed->sums->elapsed_s)});
}

static json_t *places_json(const struct hd_search_sums *sums, uint32_t causes) {
  struct listed listed = {.sums = sums};
  const uint32_t count = hd_search_foremost(sums, causes, listed.places);
  return hd_json_array(&listed, count, place_json);
}

static json_t *class_json(const void *of, size_t index) {
  const uint32_t classes = *(const uint32_t *)of;
  return classes >> index & 1 ? json_string(hd_event_class_id((enum hd_event_class)index)) : NULL;
}

static json_t *classes_json(uint32_t classes) {
  const uint32_t with_regions = classes | HD_CLASS_BIT(REGION);
  return hd_json_array(&with_regions, HD_CLASS_COUNT, class_json);
}

static json_t *hypothesis_json(const void *of, size_t index) {
  const struct hd_search_state *search = of;
  const struct hd_hypothesis *hypothesis = &hd_hypotheses[index];
  const struct hd_search_sums *sums = hd_search_sums_of(search, (int)index);
  const bool tested = sums->tests > 0;
  return HD_JSON({"hypothesis", json_string(hypothesis->id)}, {"classes", classes_json(hypothesis->classes)},
                 {"tests", hd_json_count(sums->tests)}, {"tested_s", hd_json_number(sums->elapsed_s)},
                 {"from_s", tested ? hd_json_number(sums->from_s) : json_null()},
                 {"events", hd_json_number(sums->events)},
                 {"holds", tested ? json_boolean(hd_search_holds(search, (int)index)) : json_null()},
                 {"gain_percent", hd_json_number(100 * hd_search_share(search, (int)index))},
                 {"places", places_json(sums, hypothesis->causes)});
}

bool hd_search_json(const struct hd_search_state *search, FILE *out) {
  const struct hd_search_sums *together = &search->together;
  json_t *value =
      HD_JSON({"heddle_search", hd_json_count(1)}, {"interval_s", hd_json_number(search->options->interval_seconds)},
              {"threshold_percent", hd_json_number(100 * search->options->threshold)},
              {"hypotheses", hd_json_array(search, HD_SEARCH_COUNT, hypothesis_json)},
              {"together",
               HD_JSON({"classes", classes_json(together->classes)}, {"tests", hd_json_count(together->tests)},
                       {"tested_s", hd_json_number(together->elapsed_s)}, {"events", hd_json_number(together->events)},
                       {"places", places_json(together, UINT32_MAX)})});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  return made;
}
