/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A saved profile, with names added or merged, is sealed: whichever bit of it changes, the reader notices. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "layout.h"
#include "output/merge/merge.h"
#include "output/model/memory.h"
#include "output/reader/open.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/resolve_names.h"
#include "profile_sample.h"
#include "random_program.h"
#include "script.h"
#include "store/seal.h"
#include "support/checksum.h"

enum { ELEMENTS = 2, STEP_BYTES = 149, TEXT_BYTES = 512 };

/* The values that RFC 3720 (iSCSI) gives, and the one of every catalogue. */
static void test_checksum_is_crc32c(void **state) {
  (void)state;
  uint8_t bytes[32] = {0};
  assert_int_equal(hd_checksum(0, "123456789", 9), 0xe3069283);
  assert_int_equal(hd_checksum(0, bytes, 32), 0x8a9136aa);
  memset(bytes, 0xff, 32);
  assert_int_equal(hd_checksum(0, bytes, 32), 0x62a8ab43);
  for (uint8_t i = 0; i < 32; i++)
    bytes[i] = i;
  assert_int_equal(hd_checksum(0, bytes, 32), 0x46dd794e);
  for (size_t cut = 0; cut <= 32; cut++)
    assert_int_equal(hd_checksum(hd_checksum(0, bytes, cut), bytes + cut, 32 - cut), 0x46dd794e);
}

/* ---- files ---- */

struct file {
  uint8_t *bytes;
  size_t size;
};

/* What a live file claims; behind that it has nothing but space. */
static struct file load(const char *path) {
  struct hd_file_header header;
  const int fd = open(path, O_RDONLY);
  assert_true(fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header);
  struct file file = {.size = HD_HEADER_BYTES + (size_t)header.block_count * HD_BLOCK_BYTES};
  file.bytes = malloc(file.size);
  assert_non_null(file.bytes);
  assert_int_equal(read(fd, file.bytes, file.size), file.size);
  close(fd);
  return file;
}

static const struct hd_file_header *header_of(const struct file *file) {
  return (const void *)file->bytes;
}

static bool is_read(const struct file *file, char *error) {
  struct hd_model *model = NULL;
  const bool read = hd_profile_parse("sealed", file->bytes, file->size, &model, error, TEXT_BYTES);
  hd_model_free(model);
  return read;
}

static void expect_read(const struct file *file) {
  char error[TEXT_BYTES];
  if (!is_read(file, error))
    fail_msg("%s", error);
}

/* One bit of the field, another one each time. */
static void expect_noticed(struct file *file, size_t offset, unsigned bit) {
  char error[TEXT_BYTES];
  file->bytes[offset] ^= (uint8_t)(1u << bit % 8);
  if (is_read(file, error))
    fail_msg("bit %u of byte %zu of %zu changed, and nobody noticed", bit % 8, offset, file->size);
  file->bytes[offset] ^= (uint8_t)(1u << bit % 8);
}

/* Every field of the headers, of every block and of its first records; and in all else, space that is not used
 * included, a byte now and then. */
static void expect_sealed(struct file *file) {
  struct fz_layout layout;
  unsigned tried = 0;
  assert_int_equal(header_of(file)->seal, HD_SEALED);
  expect_read(file);
  assert_true(fz_layout_make(&layout, file->bytes, file->size, ELEMENTS));
  for (size_t i = 0; i < layout.field_count; i++, tried++)
    expect_noticed(file, layout.fields[i].offset + tried % layout.fields[i].bytes, tried / 3);
  for (size_t offset = 0; offset < file->size; offset += STEP_BYTES, tried++)
    expect_noticed(file, offset, tried);
  assert_true(tried > 400);
  expect_read(file);
  fz_layout_free(&layout);
}

static const char *play(bool killed) {
  static struct fk_result result;
  rp_generate(4, &(struct rp_options){.killed = killed, .routines = true, .events = 60});
  result = fk_play(sc_script(), NULL);
  assert_true(result.path[0]);
  return result.path;
}

/* ---- who saves, seals ---- */

static void test_every_change_of_a_finished_profile_is_noticed(void **state) {
  (void)state;
  struct file file = load(play(false));
  expect_sealed(&file);
  free(file.bytes);
}

/* Its writer may be anywhere. */
static void test_profile_that_is_still_written_has_no_seal(void **state) {
  (void)state;
  struct file file = load(play(true));
  assert_int_equal(header_of(&file)->seal, 0);
  expect_read(&file);
  free(file.bytes);
}

/* A seal that is gone is none that was never there. */
static void test_seal_without_its_word_is_noticed(void **state) {
  (void)state;
  char error[TEXT_BYTES];
  struct file file = load(play(false));
  for (unsigned bit = 0; bit < 8 * sizeof(uint32_t); bit++)
    expect_noticed(&file, offsetof(struct hd_file_header, seal) + bit / 8, bit);
  struct hd_file_header *header = (void *)file.bytes;
  header->seal = 0;
  assert_true(is_read(&file, error)); /* twelve bits have changed: nothing says that it was sealed */
  free(file.bytes);
}

static void test_names_are_sealed_in(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-test-XXXXXX";
  const int fd = mkstemp(path);
  struct sample sample;
  make_sample(&sample);
  struct hd_file_header *header = sample.builder.header;
  sample.region->module = HD_NONE;
  for (size_t at = HD_HEADER_BYTES; at < sample.builder.size;) {
    struct hd_block_header *block = (void *)(sample.builder.bytes + at);
    hd_seal_block(block);
    at += (size_t)block->span * HD_BLOCK_BYTES;
  }
  hd_seal_header(header);
  assert_int_equal(write(fd, sample.builder.bytes, sample.builder.size), sample.builder.size);
  close(fd);
  struct hd_model *model = NULL;
  char error[TEXT_BYTES];
  if (!hd_profile_open(path, &model, error, sizeof error))
    fail_msg("%s", error);
  model->nodes[1].name.function = "region";
  model->nodes[1].name_fresh = true;
  assert_true(hd_names_store(model));
  hd_model_free(model);
  struct file file = load(path);
  assert_int_equal(file.size, sample.builder.size + HD_BLOCK_BYTES);
  expect_sealed(&file);
  free(file.bytes);
  unlink(path);
  builder_free(&sample.builder);
}

static void test_sums_are_sealed(void **state) {
  (void)state;
  struct hd_model *model = NULL;
  struct hd_writer writer = {0};
  char error[TEXT_BYTES];
  if (!hd_profile_open(play(false), &model, error, sizeof error) ||
      !hd_merge(&model, 1, false, &writer, error, sizeof error))
    fail_msg("%s", error);
  struct file file = {(uint8_t *)writer.bytes, writer.size};
  expect_sealed(&file);
  hd_writer_free(&writer);
  hd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_checksum_is_crc32c),
      cmocka_unit_test(test_every_change_of_a_finished_profile_is_noticed),
      cmocka_unit_test(test_profile_that_is_still_written_has_no_seal),
      cmocka_unit_test(test_seal_without_its_word_is_noticed),
      cmocka_unit_test(test_names_are_sealed_in),
      cmocka_unit_test(test_sums_are_sealed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
