/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor/probe/probe_internal.h"

enum { PATIENCE_S = 30 };

static bool steers_runtime(const char *variable) {
  static const char *const prefixes[] = {"OMP_", "KMP_", "GOMP_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

/* In place: in the child nobody else looks. */
static void forget_variables(void) {
  char **kept = environ;
  for (char **each = environ; each && *each; each++)
    if (!steers_runtime(*each))
      *kept++ = *each;
  if (kept)
    *kept = NULL;
}

static void prepare_child(int to) {
  const struct rlimit none = {0, 0};
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
  }
  dup2(to, STDERR_FILENO);
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGALRM, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  alarm(PATIENCE_S);
}

static _Noreturn void be_probe(const char *libomp, const char *tool, const char *output) {
  char why[200];
  forget_variables();
  if (tool) {
    hd_probe->yields = 1;
    setenv("OMP_TOOL_LIBRARIES", tool, 1);
    setenv("HEDDLE_OUTPUT", output, 1);
    setenv("HEDDLE_START", "0:0", 1); /* as under 'heddle run': nothing of variables that are not Heddle's, which the
                                         doctor knows */
  }
  void *handle = dlopen(libomp, RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    fprintf(stderr, "%s\n", dlerror());
  else if (!hd_probe_play(handle, why, sizeof why))
    fprintf(stderr, "%s\n", why);
  exit(0); /* the runtime shuts down meanwhile, and says so to the tool */
}

/* All that it says, so that it never has to wait; the first line is kept. */
static void listen_to(int from, char *said, size_t bytes) {
  char more[512];
  size_t used = 0;
  ssize_t length;
  while ((length = read(from, more, sizeof more)) > 0 || (length < 0 && errno == EINTR)) {
    for (ssize_t i = 0; i < length && used + 1 < bytes; i++)
      said[used++] = more[i];
  }
  said[used] = '\0';
}

static void wait_for(pid_t child, struct hd_probe_end *end) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

struct hd_probe *hd_probe_run(const char *libomp, const char *tool, const char *output, struct hd_probe_end *end) {
  int ends[2];
  *end = (struct hd_probe_end){0};
  struct hd_probe *probe = mmap(NULL, sizeof *probe, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED)
    return NULL;
  if (pipe2(ends, O_CLOEXEC) != 0)
    goto failed;
  fflush(NULL); /* what is buffered is ours alone to write */
  const pid_t child = fork();
  if (child == 0) {
    hd_probe = probe;
    prepare_child(ends[1]);
    be_probe(libomp, tool, output);
  }
  close(ends[1]);
  if (child > 0) {
    listen_to(ends[0], end->said, sizeof end->said);
    wait_for(child, end);
  }
  close(ends[0]);
  if (child > 0)
    return probe;
failed:
  hd_probe_free(probe);
  return NULL;
}

void hd_probe_free(struct hd_probe *probe) {
  if (probe)
    munmap(probe, sizeof *probe);
}

const char *hd_probe_place_name(uint32_t place) {
#define WORDS(name, words, body) [HD_PROBE_##name] = (words),
  static const char *const names[HD_PROBE_PLACES] = {[HD_PROBE_NOWHERE] = "its start",
                                                     HD_PROBE_CONSTRUCTS(WORDS)[HD_PROBE_END] = "its end"};
  return place < HD_PROBE_PLACES ? names[place] : "?";
}
