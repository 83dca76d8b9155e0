/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gives a harness the files of folders, without libFuzzer: usage: NAME [-m ROUNDS] FOLDER...
 * With -m also what the harness's own mutator makes of them, as the same ROUNDS changes each time. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#pragma weak LLVMFuzzerCustomMutator

enum { INPUT_BYTES_MOST = 1 << 20 };

static uint8_t input[INPUT_BYTES_MOST], changed[INPUT_BYTES_MOST];

static void run(const uint8_t *bytes, size_t size) {
  uint8_t *copy = malloc(size + (size == 0));
  if (!copy)
    abort();
  memcpy(copy, bytes, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void replay(const char *path, unsigned rounds) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  const size_t size = fread(input, 1, sizeof input, file);
  fclose(file);
  fprintf(stderr, "%s\n", path); /* the last line names the one that crashed */
  run(input, size);
  for (unsigned round = 1; LLVMFuzzerCustomMutator && round <= rounds; round++) {
    memcpy(changed, input, size);
    run(changed, LLVMFuzzerCustomMutator(changed, size, sizeof changed, round));
  }
}

static unsigned replay_folder(const char *folder, unsigned rounds) {
  struct dirent **entries = NULL;
  char path[4096];
  unsigned done = 0;
  const int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0) {
    perror(folder);
    exit(1);
  }
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.') {
      replay(path, rounds);
      done++;
    }
    free(entries[i]);
  }
  free(entries);
  return done;
}

int main(int argc, char **argv) {
  unsigned rounds = 0, done = 0;
  int at = 1;
  if (argc > 2 && strcmp(argv[1], "-m") == 0) {
    rounds = (unsigned)atoi(argv[2]);
    at = 3;
  }
  for (; at < argc; at++)
    done += replay_folder(argv[at], rounds);
  fprintf(stderr, "%u inputs\n", done);
  return done > 0 ? 0 : 1;
}
