/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale/scale_internal.h"
#include "output/model/memory.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

enum { SETS_MOST = 10000 };

/* ---- sets ---- */

static bool is_utf8(const char *text) {
  json_t *made = json_string(text);
  json_decref(made);
  return made != NULL;
}

/* Characters that mean something in a folder's name, and those that are none, are written as % and two digits. */
static void write_name(FILE *out, const char *text) {
  const unsigned char last = is_utf8(text) ? 0xff : 0x7e;
  for (; *text; text++)
    if (strchr("/,%=", *text) || (unsigned char)*text < ' ' || *text == 0x7f || (unsigned char)*text > last)
      fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
    else
      putc(*text, out);
}

static bool name_set(const struct hd_scale_options *options, struct hd_scale_set *set) {
  size_t bytes = 0;
  FILE *out = open_memstream(&set->name, &bytes);
  for (size_t i = 0; out && i < options->parameter_count; i++) {
    fprintf(out, "%s%s=", i ? "," : "", options->parameters[i].name);
    write_name(out, set->values[i]);
  }
  hd_written(out);
  return bytes <= NAME_MAX || HD_COMPLAIN("the folder of these values would have too long a name: %s", set->name);
}

/* Set number `index`: the last parameter varies fastest. */
static bool fill_set(const struct hd_scale_options *options, uint32_t index, struct hd_scale_set *set) {
  set->values = hd_new(options->parameter_count + 1, sizeof *set->values);
  for (size_t i = options->parameter_count; i-- > 0;) {
    const struct hd_texts *values = &options->parameters[i].values;
    set->values[i] = values->items[index % values->count];
    index /= (uint32_t)values->count;
  }
  return name_set(options, set);
}

static bool make_sets(struct hd_scale_plan *plan) {
  size_t count = 1;
  for (size_t i = 0; i < plan->options->parameter_count && count <= SETS_MOST; i++)
    count *= plan->options->parameters[i].values.count;
  if (count > SETS_MOST)
    return HD_COMPLAIN("the parameters have more than %d combinations", SETS_MOST);
  plan->sets = hd_new(count, sizeof *plan->sets);
  for (plan->set_count = 0; plan->set_count < count; plan->set_count++)
    if (!fill_set(plan->options, plan->set_count, &plan->sets[plan->set_count])) {
      plan->set_count++;
      return false;
    }
  return true;
}

/* ---- steps ---- */

static size_t count_ranks(const struct hd_scale_options *options) {
  return options->ranks.count ? options->ranks.count : 1;
}

/* Step number `turn` of a round: thread counts vary fastest, sets slowest. */
static void add_step(struct hd_scale_plan *plan, size_t turn, uint32_t repeat) {
  const struct hd_series_threads *threads = &plan->options->threads, *ranks = &plan->options->ranks;
  const size_t of_set = threads->count * count_ranks(plan->options), in_set = turn % of_set;
  plan->steps[plan->step_count++] =
      (struct hd_scale_step){.set = (uint32_t)(turn / of_set),
                             .ranks = ranks->count ? ranks->items[in_set / threads->count] : 0,
                             .threads = threads->items[in_set % threads->count],
                             .repeat = repeat};
}

bool hd_scale_plan_make(const struct hd_scale_options *options, struct hd_scale_plan *plan) {
  memset(plan, 0, sizeof *plan);
  plan->options = options;
  if (!make_sets(plan))
    return false;
  const size_t of_set = options->threads.count * count_ranks(options), round = plan->set_count * of_set;
  plan->steps =
      hd_new(round * options->series.repeats + (size_t)plan->set_count * options->warmups, sizeof *plan->steps);
  for (uint32_t set = 0; set < plan->set_count; set++)
    for (uint32_t i = 0; i < options->warmups; i++)
      add_step(plan, (set + 1) * of_set - 1, 0);
  for (uint32_t repeat = 1; repeat <= options->series.repeats; repeat++)
    for (size_t i = 0; i < round; i++)
      add_step(plan, (i + repeat - 1) % round, repeat);
  return true;
}

void hd_scale_plan_free(struct hd_scale_plan *plan) {
  for (uint32_t i = 0; i < plan->set_count; i++) {
    free(plan->sets[i].name);
    free(plan->sets[i].values);
    hd_model_free(plan->sets[i].first);
  }
  free(plan->sets);
  free(plan->steps);
}

void hd_scale_step_place(const struct hd_scale_step *step, char place[HD_SCALE_PLACE_BYTES]) {
  if (step->ranks)
    snprintf(place, HD_SCALE_PLACE_BYTES, "n%u.t%u", step->ranks, step->threads);
  else
    snprintf(place, HD_SCALE_PLACE_BYTES, "t%u", step->threads);
}

void hd_scale_step_name(const struct hd_scale_plan *plan, const struct hd_scale_step *step, char *name, size_t bytes) {
  const char *set = plan->sets[step->set].name;
  char place[HD_SCALE_PLACE_BYTES];
  hd_scale_step_place(step, place);
  if (step->repeat)
    snprintf(name, bytes, "%s%s%s.r%u", set, *set ? "/" : "", place, step->repeat);
  else
    snprintf(name, bytes, "%s%s%s, not kept", set, *set ? "/" : "", place);
}

/* ---- command and environment ---- */

/* The length of {NAME} at `text`; 0: it is not there. */
static size_t placeholder(const char *text, const char *name) {
  const size_t length = strlen(name);
  return text[0] == '{' && strncmp(text + 1, name, length) == 0 && text[1 + length] == '}' ? length + 2 : 0;
}

bool hd_scale_is_in_command(const struct hd_scale_options *options, const char *name) {
  for (char **argument = options->series.command; *argument; argument++)
    for (const char *text = *argument; (text = strchr(text, '{')); text++)
      if (placeholder(text, name))
        return true;
  return false;
}

/* Writes what stands for {NAME} at `text`. Returns the length of that; 0: it is no parameter. */
static size_t write_value(const struct hd_scale_plan *plan, const struct hd_scale_step *step, const char *text,
                          FILE *out) {
  const bool is_ranks = step->ranks && placeholder(text, "ranks");
  size_t length = placeholder(text, is_ranks ? "ranks" : "threads");
  if (length)
    fprintf(out, "%u", is_ranks ? step->ranks : step->threads);
  for (size_t i = 0; i < plan->options->parameter_count && !length; i++)
    if ((length = placeholder(text, plan->options->parameters[i].name)))
      fputs(plan->sets[step->set].values[i], out);
  return length;
}

static char *replace(const struct hd_scale_plan *plan, const struct hd_scale_step *step, const char *text) {
  char *replaced = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&replaced, &bytes);
  while (out && *text) {
    const size_t length = *text == '{' ? write_value(plan, step, text, out) : 0;
    if (!length)
      putc(*text, out);
    text += length ? length : 1;
  }
  hd_written(out);
  return replaced;
}

void hd_scale_step_command(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                           struct hd_texts *command) {
  for (char **argument = plan->options->series.command; *argument; argument++)
    hd_texts_add(command, replace(plan, step, *argument));
}

/* Words with spaces between them. */
static void make_launcher(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                          struct hd_texts *launcher) {
  for (const char *at = plan->options->launcher; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
    char *word = hd_print("%.*s", (int)strcspn(at, " "), at);
    hd_texts_add(launcher, replace(plan, step, word));
    free(word);
  }
}

void hd_scale_step_environment(const struct hd_scale_plan *plan, const struct hd_scale_step *step,
                               struct hd_texts *environment) {
  const struct hd_scale_options *options = plan->options;
  hd_texts_add(environment, hd_print("OMP_NUM_THREADS=%u", step->threads));
  if (options->bind)
    hd_texts_add(environment, hd_print("OMP_PROC_BIND=%s", options->bind));
  if (options->bind && !getenv("OMP_PLACES"))
    hd_texts_add(environment, hd_print("OMP_PLACES=cores"));
  for (size_t i = 0; i < options->parameter_count; i++)
    if (!hd_scale_is_in_command(options, options->parameters[i].name))
      hd_texts_add(environment, hd_print("%s=%s", options->parameters[i].name, plan->sets[step->set].values[i]));
}

void hd_scale_step_job(const struct hd_scale_plan *plan, const struct hd_scale_step *step, struct hd_series_job *job) {
  *job = (struct hd_series_job){.index = (size_t)(step - plan->steps), .run_options = &plan->options->run_options};
  hd_scale_step_name(plan, step, job->name, sizeof job->name);
  hd_scale_step_environment(plan, step, &job->variables);
  hd_scale_step_command(plan, step, &job->command);
  if (step->ranks)
    make_launcher(plan, step, &job->launcher);
}
