/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes packed profiles to begin from: random programs on the fake runtime, some of them killed, with counters and
 * with bounded paths, and one with everything that these lack. usage: seeds FOLDER */
#include <stdio.h>
#include <stdlib.h>

#include "fake_ompt.h"
#include "mutate.h"
#include "packed.h"
#include "profile_sample.h"
#include "random_program.h"
#include "script.h"

enum { BYTES_MOST = 4 << 20 };
static uint8_t file[BYTES_MOST], packed[BYTES_MOST];

static void write_seed(const char *folder, const char *name, size_t size) {
  char path[4096];
  fz_unseal(file);
  const size_t bytes = fz_pack(file, size, packed, sizeof packed);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  if (!out || bytes > sizeof packed || fwrite(packed, 1, bytes, out) != bytes || fclose(out) != 0) {
    perror(path);
    exit(1);
  }
}

static void play(const char *folder, const char *name, uint64_t seed, struct rp_options program,
                 const struct fk_options *options) {
  program.routines = true;
  program.events = 100; /* or fewer: small inputs are tried more often */
  rp_generate(seed, &program);
  const struct fk_result result = fk_play(sc_script(), options);
  FILE *in = result.path[0] ? fopen(result.path, "rb") : NULL;
  if (!in) {
    fprintf(stderr, "%s: no profile\n", name);
    exit(1);
  }
  const size_t there = fread(file, 1, sizeof file, in);
  const size_t claimed =
      HD_HEADER_BYTES + (size_t)((struct hd_file_header *)(void *)file)->block_count * HD_BLOCK_BYTES;
  fclose(in);
  write_seed(folder, name, claimed < there ? claimed : there); /* behind that a live file has nothing but space */
}

/* Whole, of the run's end, of a phase, of the times in which few threads are busy, and of changes of their number. */
static void play_traced(const char *folder) {
  static const struct {
    const char *name;
    const char *environment[3];
  } traces[] = {{"traced", {"HEDDLE_TRACE=1M"}},
                {"traced-last", {"HEDDLE_TRACE_LAST=4k"}},
                {"traced-phase", {"HEDDLE_TRACE=1M", "HEDDLE_TRACE_WHEN=phase phase 1"}},
                {"traced-region", {"HEDDLE_TRACE=1M", "HEDDLE_TRACE_WHEN=region 1000ff-100100,1010ff-101100"}},
                {"traced-lulls", {"HEDDLE_TRACE=1M", "HEDDLE_TRACE_WHEN=busy<=1 for 1us"}}};
  for (uint64_t i = 0; i < sizeof traces / sizeof *traces; i++)
    play(folder, traces[i].name, 10 + i, (struct rp_options){0},
         &(struct fk_options){.environment = traces[i].environment});
}

int main(int argc, char **argv) {
  static const char *const alone[] = {"STUB_PAPI_SET_MOST=1", NULL};
  const struct fk_options counted = {.counters = "STUB_CLOCK,STUB_CLOCK_3", .counters_at = "all"};
  const struct fk_options turns = {
      .counters = "STUB_CLOCK,STUB_CLOCK_2", .counters_at = "loop", .take_turns = true, .environment = alone};
  if (argc != 2) {
    fputs("usage: seeds FOLDER\n", stderr);
    return 2;
  }
  play(argv[1], "plain", 1, (struct rp_options){0}, NULL);
  play(argv[1], "recursive", 2, (struct rp_options){.recursive = true}, NULL);
  play(argv[1], "killed", 3, (struct rp_options){.killed = true}, NULL);
  play(argv[1], "killed-recursive", 4, (struct rp_options){.killed = true, .recursive = true}, NULL);
  play(argv[1], "bounded", 5, (struct rp_options){.recursive = true}, &(struct fk_options){.depth = "2"});
  play(argv[1], "counted", 6, (struct rp_options){0}, &counted);
  play(argv[1], "counted-killed", 7, (struct rp_options){.killed = true}, &counted);
  play(argv[1], "turns", 8, (struct rp_options){0}, &turns);
  play_traced(argv[1]);
  struct sample sample;
  make_sample(&sample);
  memcpy(file, sample.builder.bytes, sample.builder.size);
  write_seed(argv[1], "sample", sample.builder.size);
  builder_free(&sample.builder);
  return 0;
}
