/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the fake runtime: a child process for each play, its threads, and the files that come out. */
#include "fake_player.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct fk_script *script;
static const struct fk_options *options;

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static size_t turn; /* the event that may be played */

static void wait_for_turn(size_t i) {
  pthread_mutex_lock(&turn_lock);
  while (turn != i)
    pthread_cond_wait(&turn_changed, &turn_lock);
  pthread_mutex_unlock(&turn_lock);
}

static void pass_turn(void) {
  pthread_mutex_lock(&turn_lock);
  turn++;
  pthread_cond_broadcast(&turn_changed);
  pthread_mutex_unlock(&turn_lock);
}

static bool *done; /* free running: events that have been played */

/* What the runtime would not send before other threads have come so far. */
static bool is_held_back(const struct fk_event *e) {
  if (e->op == FK_IMPLICIT_TASK)
    return e->endpoint == ompt_scope_begin && e->index > 0;
  if (e->op == FK_SYNC_REGION || e->op == FK_SYNC_WAIT)
    return e->endpoint == ompt_scope_end;
  return e->op == FK_TASK_SCHEDULE || e->op == FK_FINALIZE;
}

static void wait_for_all_before(size_t i) {
  static __thread size_t seen;
  for (; seen < i; seen++)
    while (!__atomic_load_n(&done[seen], __ATOMIC_ACQUIRE))
      sched_yield();
}

static void play_freely(size_t i) {
  const struct fk_event *e = &script->events[i];
  if (is_held_back(e))
    wait_for_all_before(i);
  fk_player_play(e);
  __atomic_store_n(&done[i], true, __ATOMIC_RELEASE);
}

static void *thread_main(void *argument) {
  uint32_t thread = *(uint32_t *)argument;
  for (size_t i = 0; i < script->count; i++) {
    const struct fk_event *e = &script->events[i];
    if (e->thread != thread)
      continue;
    if (options->free_running) {
      play_freely(i);
      continue;
    }
    wait_for_turn(i);
    fk_player_play(e);
    pass_turn();
  }
  return NULL;
}

static void play_on_pthreads(void) {
  static uint32_t numbers[FK_MAX_THREADS];
  pthread_t threads[FK_MAX_THREADS];
  uint32_t count = 0;
  if (!(done = calloc(script->count + 1, sizeof *done)))
    _exit(FK_BAD_SCRIPT);
  for (size_t i = 0; i < script->count; i++)
    if (script->events[i].thread >= count && script->events[i].thread != FK_NONE)
      count = script->events[i].thread + 1;
  for (uint32_t i = 0; i < count; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, thread_main, &numbers[i]))
      _exit(FK_BAD_SCRIPT);
  }
  for (uint32_t i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

static const char *store_directory(void) {
  static char path[300];
  snprintf(path, sizeof path, "%s/store", fk_directory());
  return path;
}

static const char *output_path(void) {
  static char path[300];
  snprintf(path, sizeof path, "%s/out.heddle", fk_directory());
  return options->output ? options->output : path;
}

/* cmocka's handlers would go on with the next test, in the child. */
static void die_of_faults(void) {
  static const int signals[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
}

static void set_counters(void) {
  if (!options->counters)
    return;
  setenv("HEDDLE_PAPI", STUB_PAPI, 1);
  setenv("HEDDLE_COUNTERS", options->counters, 1);
  if (options->counters_at)
    setenv("HEDDLE_COUNTERS_AT", options->counters_at, 1);
  if (options->take_turns)
    setenv("HEDDLE_MULTIPLEX", "1", 1);
}

/* The tests' own variables say nothing to the tool, which would say so. */
static void hide_own_variables(void) {
  static const char *const names[] = {"HEDDLE_SEED",         "HEDDLE_SEEDS",         "HEDDLE_MACHINE_HAS",
                                      "HEDDLE_TEST_VERBOSE", "HEDDLE_UNLESS_PASSED", "HEDDLE_NO_SKIP",
                                      "HEDDLE_AREAS",        "HEDDLE_MACHINE_FACTS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
}

static void child_main(struct fk_told *told) {
  die_of_faults();
  hide_own_variables();
  setenv("HEDDLE_OUTPUT", output_path(), 1);
  setenv("HEDDLE_STORE_DIR", store_directory(), 1);
  if (options->depth)
    setenv("HEDDLE_CALLPATH_DEPTH", options->depth, 1);
  if (options->cycle_limit)
    setenv("HEDDLE_CYCLE_LIMIT", options->cycle_limit, 1);
  setenv("HEDDLE_MEMORY", "off", 1);
  if (options->real_clock) /* events cost too much under a sanitizer */
    setenv("HEDDLE_OVERHEAD", "off", 1);
  set_counters();
  for (const char *const *variable = options->environment; variable && *variable; variable++)
    putenv((char *)*variable);
  setenv("HEDDLE_UNWIND", "off", 1); /* the player's own stack is nobody's business */
  fk_player_start(script, options, told);
  if (options->live) {
    options->live(options->live_context);
    _exit(0);
  }
  if (options->pthreads)
    play_on_pthreads();
  for (size_t i = 0; i < script->count && !options->pthreads; i++)
    fk_player_play(&script->events[i]);
  _exit(0);
}

/* The first file in `directory`, removed or told. */
static bool find_file(const char *directory, bool remove_all, char *path, size_t bytes) {
  DIR *dir = opendir(directory);
  bool found = false;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.')
      continue;
    if ((size_t)snprintf(path, bytes, "%s/%s", directory, entry->d_name) >= bytes)
      abort();
    if (remove_all)
      unlink(path);
    found = true;
    if (!remove_all)
      break;
  }
  if (dir)
    closedir(dir);
  return found;
}

struct fk_result fk_play(const struct fk_script *to_play, const struct fk_options *how) {
  static const struct fk_options defaults;
  struct fk_result result = {0};
  script = to_play;
  options = how ? how : &defaults;
  struct fk_told *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (told == MAP_FAILED)
    abort();
  find_file(store_directory(), true, result.path, sizeof result.path);
  unlink(output_path());
  fk_player_load();
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    child_main(told);
  if (child < 0 || waitpid(child, &result.status, 0) != child)
    abort();
  snprintf(result.path, sizeof result.path, "%s", output_path());
  if (access(result.path, F_OK) != 0 && !find_file(store_directory(), false, result.path, sizeof result.path))
    result.path[0] = '\0';
  memcpy(result.registered, told->registered, sizeof result.registered);
  memcpy(result.controls, told->controls, sizeof result.controls);
  result.control_count = told->control_count;
  munmap(told, sizeof *told);
  return result;
}

static char directory[200];
static pid_t directory_owner;

/* Children inherit the handler: only the test program itself removes its directory. */
static void remove_directory(void) {
  char path[512];
  if (getpid() != directory_owner)
    return;
  find_file(store_directory(), true, path, sizeof path);
  rmdir(store_directory());
  find_file(directory, true, path, sizeof path);
  rmdir(directory);
}

const char *fk_directory(void) {
  if (directory[0])
    return directory;
  /* In memory: thousands of profiles are written, each with its space reserved on disk. */
  snprintf(directory, sizeof directory, "%s/heddle-test.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
  if (!mkdtemp(directory))
    abort();
  directory_owner = getpid();
  mkdir(store_directory(), 0700);
  atexit(remove_directory);
  return directory;
}
