/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/command/sigbus_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAPS_BYTES = 1 << 16 };

static void put(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return; /* there is nowhere else to say it */
}

/* What a signal handler may use has no names of files: the kernel's list of mappings has. "" when it is not in there.
 */
static const char *file_at(uintptr_t address) {
  static char maps[MAPS_BYTES];
  size_t used = 0;
  const int list = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t got = 1; got > 0 && used<sizeof maps - 1; used += got> 0 ? (size_t)got : 0)
    got = read(list, maps + used, sizeof maps - 1 - used);
  for (char *line = maps, *end; (end = strchr(line, '\n')); line = end + 1) { /* "from-to ... /path" */
    char *to = NULL;
    *end = '\0';
    const uintptr_t from = strtoul(line, &to, 16);
    const char *path = strchr(line, '/');
    if (*to == '-' && address >= from && address < strtoul(to + 1, NULL, 16))
      return path ? path : "";
  }
  return "";
}

static void end(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  const char *path = file_at((uintptr_t)info->si_addr);
  put("heddle: ");
  put(*path ? path : "a file");
  put(": cut short while it was being read; try again when nobody writes it\n");
  _exit(1);
}

void hd_sigbus_guard(void) {
  struct sigaction action = {.sa_sigaction = end, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
  sigaction(SIGBUS, &action, NULL);
}
