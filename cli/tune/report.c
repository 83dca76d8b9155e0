/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune_internal.h"
#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/views/render/json.h"
#include "output/views/render/table.h"
#include "support/command/memory.h"

enum { JSON_VERSION = 1 };

/* ---- the verdict ---- */

/* "0.190 to 0.230 s less", "-0.010 to 0.020 s less". */
static char *range_text(struct hd_interval saved, const struct hd_unit *unit, const char *name) {
  return hd_print("%.*f to %.*f %s less", unit->decimals, saved.low * unit->per_second, unit->decimals,
                  saved.high * unit->per_second, name);
}

static const char *unit_name(const struct hd_unit *unit) {
  return unit->per_second > 1e3 ? "us" : unit->per_second > 1 ? "ms" : "s";
}

static void print_winner(const struct hd_tune *tune, const char *text, FILE *out) {
  const struct hd_tune_verdict *verdict = &tune->verdict;
  const struct hd_unit unit = hd_unit_for(verdict->base_s);
  char *range = range_text(verdict->saved, &unit, unit_name(&unit));
  const size_t runs = tune->races[tune->race_count - 1].candidates[1].count;
  const char *is = verdict->faster ? "" : "Nothing beats the default. ";
  char *line = hd_print("%s%s: %.*f %s instead of %.*f %s, from %s (%zu runs of each, made after the choice)", is, text,
                        unit.decimals, verdict->other_s * unit.per_second, unit_name(&unit), unit.decimals,
                        verdict->base_s * unit.per_second, unit_name(&unit), range, runs);
  hd_print_paragraph(line, 0, out);
  free(line);
  free(range);
}

static void print_verdict(const struct hd_tune *tune, FILE *out) {
  char *text = hd_tune_settings_text(&tune->chosen);
  if (tune->judged)
    print_winner(tune, text, out);
  else if (*text)
    fprintf(out, "%s was fastest, but --limit left no time to compare it with the default once more.\n", text);
  else
    fprintf(out, "Nothing %s the default.\n", tune->limited ? "was found yet that beats" : "beats");
  if (tune->limited)
    fputs("--limit ended the search; repeat the command, without it or with more time, to resume.\n", out);
  free(text);
}

/* ---- races ---- */

static struct hd_sample sample_of(const struct hd_tune_candidate *candidate) {
  return (struct hd_sample){candidate->seconds, candidate->count};
}

static struct hd_tune_verdict against_first(const struct hd_tune_race *race, size_t index) {
  const struct hd_sample first = sample_of(&race->candidates[0]), own = sample_of(&race->candidates[index]);
  struct hd_tune_verdict verdict = hd_tune_judge(&first, &own);
  if (index == 0)
    verdict.saved = HD_INTERVAL_UNKNOWN;
  return verdict;
}

static bool was_stopped(const struct hd_tune_race *race, const struct hd_tune_candidate *candidate) {
  return candidate->out && !candidate->failed && candidate->count < race->repeats;
}

/* What is said of a setting besides its times. */
static const char *remark(const struct hd_tune_race *race, size_t index) {
  const struct hd_tune_candidate *candidate = &race->candidates[index];
  if (candidate->failed)
    return " (failed)";
  if (index == race->winner && race->winner > 0)
    return " (chosen)";
  return was_stopped(race, candidate) ? " (stopped early: too slow)" : "";
}

static void add_row(struct hd_table *table, const struct hd_tune_race *race, size_t index, const struct hd_unit *unit) {
  const struct hd_tune_candidate *candidate = &race->candidates[index];
  const struct hd_tune_verdict verdict = against_first(race, index);
  char *place = hd_print("%s%s", hd_tune_settings_name(candidate->text), remark(race, index));
  hd_table_row(table, NULL);
  hd_table_cell(table, "%zu", candidate->count);
  if (candidate->count > 0)
    hd_table_cell(table, "%.*f", unit->decimals, verdict.other_s * unit->per_second);
  else
    hd_table_cell(table, "-");
  if (isfinite(verdict.saved.low))
    hd_table_cell(table, "%.*f..%.*f", unit->decimals, verdict.saved.low * unit->per_second, unit->decimals,
                  verdict.saved.high * unit->per_second);
  else
    hd_table_cell(table, "-");
  hd_table_at(table, place);
  free(place);
}

static void print_race(const struct hd_tune_race *race, FILE *out) {
  struct hd_table table = {0};
  double longest = 0;
  for (size_t i = 0; i < race->count; i++)
    for (size_t run = 0; run < race->candidates[i].count; run++)
      longest = fmax(longest, race->candidates[i].seconds[run]);
  const struct hd_unit unit = hd_unit_for(longest);
  fprintf(out, "\n%s, in %s%s%s%s\n", race->id, unit.name, race->reason ? " (the first profile found: " : "",
          race->reason ? race->reason : "", race->reason ? ")" : "");
  hd_table_column(&table, "Runs", 0);
  hd_table_column(&table, "Time", 0);
  hd_table_column(&table, "Saved 95%", 0);
  hd_table_place(&table, "Settings", false);
  for (size_t i = 0; i < race->count; i++)
    add_row(&table, race, i, &unit);
  hd_table_print(&table, out);
  hd_table_free(&table);
}

void hd_tune_print(const struct hd_tune *tune, FILE *out) {
  print_verdict(tune, out);
  for (size_t i = 0; i < tune->race_count; i++)
    print_race(&tune->races[i], out);
  fputs("\nTime: median of the program's elapsed time, without Heddle. Saved: against the first line, 95 % interval.\n",
        out);
  if (!tune->facts.has_runtime_loops && !tune->options->schedules)
    fputs("OMP_SCHEDULE was not tried: no loop with schedule(runtime) was seen (--schedules tries it).\n", out);
}

/* ---- JSON ---- */

static json_t *interval(struct hd_interval from) {
  return isfinite(from.low) ? json_pack("[f,f]", from.low, from.high) : json_null();
}

static json_t *times(const struct hd_tune_candidate *candidate) {
  json_t *array = json_array();
  for (size_t i = 0; array && i < candidate->count; i++)
    json_array_append_new(array, json_real(candidate->seconds[i]));
  return array;
}

/* {"OMP_NUM_THREADS": "2"} */
static json_t *variables(const char *text) {
  json_t *object = json_object();
  while (*text) {
    const size_t name = strcspn(text, "="), length = strcspn(text, " ");
    json_object_setn_new(object, text, name, json_stringn(text + name + 1, length - name - 1));
    text += length + (text[length] == ' ');
  }
  return object;
}

static json_t *candidate_json(const void *of, size_t index) {
  const struct hd_tune_race *race = of;
  const struct hd_tune_candidate *candidate = &race->candidates[index];
  const struct hd_tune_verdict verdict = against_first(race, index);
  return HD_JSON({"settings", json_string(candidate->text)}, {"seconds", times(candidate)},
                 {"median_s", hd_json_number(candidate->count > 0 ? verdict.other_s : NAN)},
                 {"saved_interval_s", interval(verdict.saved)}, {"chosen", json_boolean(race->winner == index)},
                 {"failed", json_boolean(candidate->failed)},
                 {"stopped_early", json_boolean(was_stopped(race, candidate))});
}

static json_t *race_json(const void *of, size_t index) {
  const struct hd_tune_race *race = &((const struct hd_tune *)of)->races[index];
  return HD_JSON({"race", json_string(race->id)},
                 {"suggested_by", race->reason ? json_string(race->reason) : json_null()},
                 {"candidates", hd_json_array(race, race->count, candidate_json)});
}

bool hd_tune_print_json(const struct hd_tune *tune, FILE *out) {
  char *text = hd_tune_settings_text(&tune->chosen);
  const struct hd_tune_verdict *verdict = &tune->verdict;
  const bool wins = tune->judged && verdict->faster, judged = tune->judged;
  json_t *value = HD_JSON(
      {"heddle_tune", hd_json_count(JSON_VERSION)}, {"winner", wins ? json_string(text) : json_null()},
      {"variables", wins ? variables(text) : json_object()}, {"fastest_seen", json_string(text)},
      {"compared", json_boolean(judged)}, {"default_s", hd_json_number(judged ? verdict->base_s : NAN)},
      {"fastest_s", hd_json_number(judged ? verdict->other_s : NAN)},
      {"saved_s", hd_json_number(judged ? verdict->base_s - verdict->other_s : NAN)},
      {"saved_interval_s", judged ? interval(verdict->saved) : json_null()}, {"limited", json_boolean(tune->limited)},
      {"runtime_schedule", json_boolean(tune->facts.has_runtime_loops)},
      {"races", hd_json_array(tune, tune->race_count, race_json)});
  const bool made = hd_json_write(value, out);
  fputc('\n', out);
  free(text);
  return made;
}
