/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file command.c
 * `heddle top [PID|FILE]`: what a running program is doing.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/top/screen/screen.h"
#include "cli/watch/watch.h"
#include "support/command/options.h"
#include "support/command/output_stream.h"
#include "support/command/sigbus_guard.h"

#define SORT(name, words) words,
static const char *const sort_names[HD_TOP_SORT_COUNT] = {HD_TOP_SORTS(SORT)};

enum { LIMIT_USUAL = 25 };
#define LIMIT_NONE_GIVEN UINT32_MAX

struct choices {
  bool list;
  bool once;
  bool json;
  double interval_seconds;
  enum hd_top_sort sort;
  uint32_t limit;
};

static bool take_interval(const struct hd_option_use *use) {
  char *end;
  double *seconds = use->field;
  *seconds = strtod(use->argument, &end);
  return (*use->argument && !*end && *seconds >= 0.1 && *seconds <= 3600) ||
         hd_option_expect(use, "a number of seconds from 0.1 to 3600");
}

static const struct hd_option options[] = {
    {'l', "list", NULL, "only list the programs that run under Heddle", HD_OPTION_FLAG(struct choices, list)},
    {'1', "once", NULL, "show one interval and end; so it is where output is no terminal",
     HD_OPTION_FLAG(struct choices, once)},
    {'i', "interval", "SECONDS", "time between two readings of the profile (default 2)", .take = take_interval,
     .field = offsetof(struct choices, interval_seconds)},
    {'s', "sort", "KEY",
     "sort regions and constructs by gain over the interval (default),\n"
     "run-gain, elapsed, calls or name",
     .take = hd_take_word, .field = offsetof(struct choices, sort), .words = sort_names, .most = HD_TOP_SORT_COUNT},
    {'n', "limit", "N",
     "show at most N threads, regions and constructs (default 25; 0, and\n"
     "--json's default: all)",
     .take = hd_take_number, .field = offsetof(struct choices, limit), .expects = "a number of lines"},
    {0, "json", NULL, "write one interval, or the list, as JSON (docs/top.md)", HD_OPTION_FLAG(struct choices, json)},
    {0},
};

static const struct hd_usage usage = {
    .command = "top",
    .synopsis = "[options] [PID|FILE]",
    .description =
        "Shows what a program that runs under Heddle is doing: how many threads are busy, what each thread does and\n"
        "where, and which regions lose time, over the last interval and over the run. The program is not stopped and\n"
        "not asked. Without PID or FILE: the only program that runs, or a list of them. On a terminal it goes on\n"
        "until 'q' is pressed; 'h' lists the keys.",
    .options = options,
    .epilogue = "FILE is a program's live profile (--list names it), also of a program that is gone.",
    .several = "one PID or FILE at a time",
};

static int fail(const char *error) {
  fprintf(stderr, "heddle: %s\n", error);
  return HD_EXIT_FAILED;
}

static bool print(const struct choices *choices, const struct hd_top_watch *watch) {
  const uint32_t usual = choices->json ? 0 : LIMIT_USUAL;
  const struct hd_top top =
      hd_top_of(watch, choices->sort, choices->limit == LIMIT_NONE_GIVEN ? usual : choices->limit);
  if (choices->json)
    return hd_top_json(&top, stdout);
  hd_top_print(&top, stdout);
  return true;
}

static bool read_interval(const struct choices *choices, struct hd_top_watch *watch, char *error, size_t bytes) {
  if (!hd_top_watch_read(watch, error, bytes))
    return false;
  if (watch->life != HD_TOP_RUNS)
    return true;
  hd_top_watch_wait(watch, choices->interval_seconds);
  return hd_top_watch_read(watch, error, bytes);
}

/* Not into a file or a pipe. */
static bool wants_screen(const struct choices *choices) {
  return !choices->once && !choices->json && !choices->list && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
}

/* `path` NULL: the user chooses. */
static int show_screen(const struct choices *choices, const char *path) {
  const struct hd_top_screen_options screen = {path, choices->interval_seconds, choices->sort};
  char error[PATH_MAX + 256];
  return hd_top_screen(&screen, error, sizeof error) ? HD_EXIT_OK : fail(error);
}

static int show(const struct choices *choices, const char *path) {
  if (wants_screen(choices))
    return show_screen(choices, path);
  struct hd_top_watch watch;
  char error[PATH_MAX + 256];
  if (!hd_top_watch_open(&watch, path, error, sizeof error))
    return fail(error);
  const bool read = read_interval(choices, &watch, error, sizeof error);
  const bool made = read && print(choices, &watch);
  hd_top_watch_close(&watch);
  if (!read)
    return fail(error);
  return hd_stream_finish(stdout, "standard output") && made ? HD_EXIT_OK : HD_EXIT_FAILED;
}

static int show_list(const struct choices *choices, struct hd_top_programs *programs) {
  const bool made = hd_top_programs_print(programs, choices->json, stdout);
  return hd_stream_finish(stdout, "standard output") && made ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* The program of that number, the only one, or NULL: a list is called for. */
static const struct hd_top_program *choose(const struct hd_top_programs *programs, unsigned long pid) {
  for (size_t i = 0; i < programs->count; i++)
    if ((unsigned long)programs->items[i].pid == pid)
      return &programs->items[i];
  return pid == 0 && programs->count == 1 ? &programs->items[0] : NULL;
}

static int show_program(const struct choices *choices, unsigned long pid) {
  struct hd_top_programs programs = hd_top_programs_find(NULL);
  const struct hd_top_program *chosen = choices->list ? NULL : choose(&programs, pid);
  int status;
  if (chosen) {
    status = show(choices, chosen->path);
  } else if (pid != 0) {
    char error[128];
    snprintf(error, sizeof error,
             "no program with the number %lu runs under Heddle; 'heddle top --list' lists those that do", pid);
    status = fail(error);
  } else {
    status = wants_screen(choices) ? show_screen(choices, NULL) : show_list(choices, &programs);
  }
  hd_top_programs_free(&programs);
  return status;
}

int hd_cmd_top(int argc, char **argv) {
  struct choices choices = {.interval_seconds = 2, .limit = LIMIT_NONE_GIVEN};
  int first = 0, status = HD_EXIT_OK;
  unsigned long pid = 0;
  struct stat file;
  hd_stream_guard();
  hd_sigbus_guard();
  if (!hd_options_read(&usage, argc, argv, &choices, &first, &status))
    return status;
  if (choices.list && first < argc)
    return hd_usage_complain(&usage, "--list takes no PID or FILE"), HD_EXIT_USAGE;
  if (first < argc && (!hd_number_read(argv[first], INT_MAX, &pid) || pid == 0 || stat(argv[first], &file) == 0))
    return show(&choices, argv[first]);
  return show_program(&choices, pid);
}
