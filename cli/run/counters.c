/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program/child.h"
#include "cli/run/run_internal.h"
#include "counters/event_sets.h"
#include "output/metrics/event_suggest.h"
#include "output/metrics/group.h"
#include "support/command/complain.h"
#include "support/command/memory.h"
#include "support/command/sanitize.h"

enum {
  NEAREST_MOST = 3,
  TEXT_BYTES_MOST = 120000, /* of one environment variable: the kernel takes 128 KiB */
  SEPARATOR = 0x1e
};

/* What is collected before the program starts. */
struct request {
  char *list;   /* events, divided by commas */
  char *groups; /* HEDDLE_GROUP_TEXT */
  struct hd_group *read[HD_EVENTS_MOST];
  uint32_t group_count;
};

/* ---- lists ---- */

void hd_run_list_add(char **list, const char *names) {
  char *longer = hd_print("%s%s%s", *list ? *list : "", *list ? "," : "", names);
  free(*list);
  *list = longer;
}

/* Moves past the next name of a list. NULL: there are no more. */
static const char *next_name(const char **list, size_t *length) {
  if (!*list)
    return NULL;
  const char *name = *list + strspn(*list, " \t");
  *length = strcspn(name, ",");
  *list = name[*length] ? name + *length + 1 : NULL;
  return name;
}

bool hd_run_list_is_valid(const char *list) {
  size_t length;
  while (next_name(&list, &length))
    if (length == 0)
      return false;
  return true;
}

/* ---- groups ---- */

static bool has_event(const char *list, const char *event) {
  size_t length;
  for (const char *name; (name = next_name(&list, &length));)
    if (length == strlen(event) && strncasecmp(name, event, length) == 0)
      return true;
  return false;
}

static bool add_group_text(struct request *request, const struct hd_group *group) {
  char *path = hd_print("%s", group->path);
  hd_sanitize(path);
  char *longer = request->groups ? hd_print("%s%c%s\n%s", request->groups, SEPARATOR, path, group->text)
                                 : hd_print("%s\n%s", path, group->text);
  free(path);
  free(request->groups);
  request->groups = longer;
  return strlen(longer) <= TEXT_BYTES_MOST ||
         HD_COMPLAIN("%s: the groups' files are longer than %d bytes together; shorten their LONG texts", group->path,
                     TEXT_BYTES_MOST);
}

/* What is counted does not depend on them. */
static void warn_of_formulas(const struct hd_group *group) {
  for (uint32_t i = 0; i < group->metric_count; i++)
    if (group->metrics[i].problem) {
      hd_sanitize(group->metrics[i].problem);
      hd_log("%s: its column will be empty", group->metrics[i].problem);
    }
}

/* The metrics of two groups of one name could not be told apart. */
static const struct hd_group *find_group(const struct request *request, const char *name) {
  for (uint32_t i = 0; i < request->group_count; i++)
    if (strcasecmp(request->read[i]->name, name) == 0)
      return request->read[i];
  return NULL;
}

/* Takes the group in any case. */
static bool add_group(struct request *request, struct hd_group *group) {
  const struct hd_group *other = find_group(request, group->name);
  bool fits = true;
  if (other && strcmp(other->path, group->path) != 0)
    fits = HD_COMPLAIN("two groups of events are named %s: %s and %s", group->name, other->path, group->path);
  else if (!other && request->group_count == HD_EVENTS_MOST)
    fits = HD_COMPLAIN("%s: more than %u groups of events", group->path, HD_EVENTS_MOST);
  if (other || !fits) {
    hd_group_free(group);
    return fits;
  }
  warn_of_formulas(group);
  request->read[request->group_count++] = group;
  for (uint32_t i = 0; i < group->event_count; i++)
    if (!has_event(request->list, group->events[i].event))
      hd_run_list_add(&request->list, group->events[i].event);
  return add_group_text(request, group);
}

/* For all that its name tells. */
static bool is_event(const char *name) {
  return !strchr(name, '/') && (strstr(name, "::") || strncasecmp(name, "PAPI_", strlen("PAPI_")) == 0);
}

static bool add_groups(struct request *request, const char *names) {
  size_t length;
  for (const char *name; (name = next_name(&names, &length));) {
    char error[PATH_MAX + 512] = "";
    char *one = hd_print("%.*s", (int)length, name);
    struct hd_group *group = hd_group_read(one, error, sizeof error);
    hd_sanitize(error);
    if (!group)
      hd_log("%s%s", error, is_event(one) ? "; it is an event: --events" : "");
    free(one);
    if (!group || !add_group(request, group))
      return false;
  }
  return true;
}

/* ---- trying the events out ---- */

struct answer {
  bool made;
  uint32_t near_count;
  struct hd_event_sets_error error;
  char near[NEAREST_MOST][128];
};

static bool can_be_counted(const char *name) {
  char why[256];
  struct hd_counter_event event;
  for (const struct hd_source *const *source = hd_sources; *source; source++)
    if (hd_source_ask(*source, name, &event, why, sizeof why) == HD_COUNTER_FOUND)
      return true;
  return false;
}

/* For an event that exists, only others that can be counted are of use; none when it can itself, and merely failed. */
static void find_near(struct answer *answer) {
  char near[3 * NEAREST_MOST][128];
  const struct hd_event_sets_error *error = &answer->error;
  if (!error->unknown && can_be_counted(error->event))
    return;
  const uint32_t count = hd_event_suggest(error->event, 3 * NEAREST_MOST, near);
  for (uint32_t i = 0; i < count && answer->near_count < NEAREST_MOST; i++)
    if (error->unknown || (strcasecmp(near[i], error->event) != 0 && can_be_counted(near[i])))
      memcpy(answer->near[answer->near_count++], near[i], sizeof near[i]);
}

struct question {
  const char *list;
  bool take_turns;
};

static void make_answer(void *context, int to) {
  const struct question *question = context;
  struct answer answer = {0};
  struct hd_event_sets plan;
  answer.made = hd_event_sets_make(&plan, question->list, question->take_turns, &answer.error);
  if (!answer.made && answer.error.event[0])
    find_near(&answer);
  (void)!write(to, &answer, sizeof answer);
}

/* In a child, so that nothing that libpapi opens, installs or breaks reaches the program; it has been seen to print. */
static bool ask_child(const char *list, bool take_turns, struct answer *answer) {
  struct question question = {list, take_turns};
  int status = 0;
  if (hd_child_ask(make_answer, &question, answer, sizeof *answer, &status) == (ssize_t)sizeof *answer)
    return true;
  if (!WIFSIGNALED(status))
    return HD_COMPLAIN("cannot check the events: the process for it failed");
  return HD_COMPLAIN("cannot check the events: libpapi or the kernel ended the check by signal %d (%s)",
                     WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* The group's line that asks for it; NULL: it was asked for by name. */
static const struct hd_group_event *find_origin(const struct request *request, const char *event,
                                                const struct hd_group **from) {
  for (uint32_t i = 0; i < request->group_count; i++)
    for (uint32_t j = 0; j < request->read[i]->event_count; j++)
      if (strcasecmp(request->read[i]->events[j].event, event) == 0) {
        *from = request->read[i];
        return &request->read[i]->events[j];
      }
  return NULL;
}

static bool is_group(const char *name) {
  char error[PATH_MAX + 512];
  struct hd_group *group = strchr(name, '/') ? NULL : hd_group_read(name, error, sizeof error);
  hd_group_free(group);
  return group != NULL;
}

/* Why an event is not known, if there is more to say; whether PAPI works has nothing to do with the kernel's names. */
static void explain_unknown(const struct answer *answer, FILE *line) {
  const struct hd_event_sets_error *error = &answer->error;
  const bool kernels = strncasecmp(error->event, "perf::", strlen("perf::")) == 0;
  fprintf(line, "event %s: unknown", error->event);
  if (is_group(error->event))
    fprintf(line, "; it is a group: --groups %s", error->event);
  else if (strcmp(error->why, "no such event") != 0 && !(kernels && answer->near_count > 0))
    fprintf(line, " here (%s)", error->why);
}

/* One line: where it is asked for, the event, why, and what else may have been meant. */
static void explain(const struct request *request, const struct answer *answer) {
  const struct hd_group *group = NULL;
  const struct hd_event_sets_error *error = &answer->error;
  const struct hd_group_event *origin = error->event[0] ? find_origin(request, error->event, &group) : NULL;
  char *text = NULL;
  size_t bytes = 0;
  FILE *line = open_memstream(&text, &bytes);
  hd_need(line != NULL);
  if (origin)
    fprintf(line, "%s:%u: ", group->path, origin->line);
  if (!error->event[0])
    fprintf(line, "the events cannot be counted: %s", error->why);
  else if (!error->unknown)
    fprintf(line, "event %s: %s", error->event, error->why);
  else
    explain_unknown(answer, line);
  for (uint32_t i = 0; i < answer->near_count; i++)
    fprintf(line, "%s%s", i == 0 ? "; nearest: " : ", ", answer->near[i]);
  hd_written(line);
  hd_sanitize(text);
  fprintf(stderr, "heddle: %s\n", text);
  free(text);
}

static bool try_events(const struct request *request, bool take_turns) {
  struct answer answer = {0};
  if (!ask_child(request->list, take_turns, &answer))
    return false;
  if (!answer.made)
    explain(request, &answer);
  return answer.made;
}

/* ---- the environment's own words ---- */

bool hd_run_counters_at_is_valid(const char *at) {
  return strcmp(at, "region") == 0 || strcmp(at, "loop") == 0 || strcmp(at, "all") == 0;
}

static const char *get(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* As the library reads it; but what it would only complain of is refused. */
static bool read_turns(bool *take_turns) {
  const char *value = get("HEDDLE_MULTIPLEX");
  if (!value || *take_turns)
    return true;
  *take_turns = strcmp(value, "1") == 0;
  return *take_turns || strcmp(value, "0") == 0 || strcmp(value, "off") == 0 ||
         HD_COMPLAIN("HEDDLE_MULTIPLEX=%s is neither 0 nor 1", value);
}

static bool check_at(const struct hd_run_options *options) {
  const char *value = get("HEDDLE_COUNTERS_AT");
  return options->set[HD_SET_COUNTERS_AT] || !value || hd_run_counters_at_is_valid(value) ||
         HD_COMPLAIN("HEDDLE_COUNTERS_AT=%s is neither region nor loop nor all", value);
}

/* ---- all of it ---- */

bool hd_run_wants_counters(const struct hd_run_options *options) {
  return options->events || options->groups || get("HEDDLE_COUNTERS");
}

bool hd_run_counters_prepare(const struct hd_run_options *options, struct hd_run_counters *counters) {
  struct request request = {0};
  bool take_turns = options->set[HD_SET_MULTIPLEX];
  if (!hd_run_wants_counters(options))
    return true;
  counters->chosen = options->events || options->groups;
  const char *first = counters->chosen ? options->events : get("HEDDLE_COUNTERS");
  if (first)
    hd_run_list_add(&request.list, first);
  const bool ready = add_groups(&request, options->groups) && check_at(options) && read_turns(&take_turns) &&
                     try_events(&request, take_turns);
  for (uint32_t i = 0; i < request.group_count; i++)
    hd_group_free(request.read[i]);
  counters->events = request.list;
  counters->groups = request.groups;
  return ready;
}

bool hd_run_counters_apply(const struct hd_run_counters *counters) {
  if (!counters->chosen)
    return true;
  if (setenv("HEDDLE_COUNTERS", counters->events, 1) != 0)
    return false;
  return counters->groups ? setenv("HEDDLE_GROUP_TEXT", counters->groups, 1) == 0 : unsetenv("HEDDLE_GROUP_TEXT") == 0;
}

void hd_run_counters_free(struct hd_run_counters *counters) {
  free(counters->events);
  free(counters->groups);
  *counters = (struct hd_run_counters){0};
}
