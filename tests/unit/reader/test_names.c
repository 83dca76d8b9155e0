/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file test_names.c
 * From addresses to names, and names kept in the profile.
 */
#include "profile_builder.h"

#include <link.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/model/memory.h"
#include "output/model/node_text.h"
#include "output/reader/open.h"
#include "output/symbols/gcc_lines.h"
#include "output/symbols/name_cache.h"
#include "output/symbols/readable_names.h"
#include "output/symbols/resolve_names.h"
#include "output/symbols/symbols.h"

static void expect_readable(const char *linkage_name, const char *expected) {
  char *name = hd_symbols_readable(linkage_name);
  if (expected)
    assert_string_equal(name, expected);
  else
    assert_null(name);
  free(name);
}

static void test_outlined_functions_bear_their_parents_name(void **state) {
  (void)state;
  expect_readable("main", "main");
  expect_readable("main._omp_fn.0", "main");
  expect_readable("main._omp_fn.0._omp_fn.3", "main");
  expect_readable("main._omp_fn.0.constprop.0", "main");
  expect_readable("main.omp_outlined", "main");
  expect_readable("main.omp_outlined_debug__", "main");
  expect_readable("main.omp_outlined.12", "main");
  expect_readable("main.omp_task_entry.", "main");
  expect_readable("kernel.part.0", "kernel");
  expect_readable("_Z3fooid", "foo(int, double)");
  expect_readable("_Z3fooid._omp_fn.1", "foo(int, double)");
  expect_readable("_Z3fooid.omp_outlined", "foo(int, double)");
  expect_readable("_Znot_mangled", "_Znot_mangled");
}

static void test_fortran_names_are_the_sources(void **state) {
  (void)state;
  expect_readable("__loom_MOD_weave", "loom::weave");
  expect_readable("__a_MOD_b_MOD_c", "a::b_MOD_c");
  expect_readable("__loom.knots_MOD_pull", "loom::pull");
  expect_readable("__loom_MOD_weave._omp_fn.0", "loom::weave");
  expect_readable("beat.0", "beat");
  expect_readable("beat.12._omp_fn.3", "beat");
  expect_readable("_QMloomPweave", "loom::weave");
  expect_readable("_QMloomPweave..omp_par", "loom::weave");
  expect_readable("_QMloomPweave..omp_par.2", "loom::weave");
  expect_readable("_QMloomSknotsPpull", "loom::pull");
  expect_readable("_QMloomFweavePbeat", "beat");
  expect_readable("_QFweavePbeat", "beat");
  expect_readable("_QFPcut..omp_par", "cut");
  expect_readable("_QQmain", "MAIN__");
  expect_readable("_QQmain..omp_par", "MAIN__");
}

static void test_names_that_only_look_like_fortran_are_kept(void **state) {
  (void)state;
  const char *kept[] = {
      "__loom_MOD_", "__MOD_weave",     "__cyg_profile_func_enter", "loom_MOD_weave", "spin_",  "_Q", "_QM", "_QMloom",
      "_QMloomP",    "_QMloomPweave_X", "_QMloomPweavePx",          "_QMloomEcount",  "_Quick", ".0", "0"};
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
    expect_readable(kept[i], kept[i]);
}

static void expect_routine_name(const char *linkage_name, const char *expected) {
  char *name = hd_symbols_routine_name(linkage_name);
  assert_string_equal(name, expected);
  free(name);
}

static void test_routines_names_keep_the_mark_of_outlined_code(void **state) {
  (void)state;
  expect_routine_name("__loom_MOD_weave", "loom::weave");
  expect_routine_name("__loom_MOD_weave._omp_fn.0", "loom::weave._omp_fn.0");
  expect_routine_name("beat.0.constprop.1", "beat");
  expect_routine_name("_Z3fooid._omp_fn.1", "foo(int, double)._omp_fn.1");
}

static void test_target_regions_bear_their_functions_name(void **state) {
  (void)state;
  expect_readable("__omp_offloading_10303_1a2b3c_main_l42", "main");
  expect_readable("__omp_offloading_fd00_1_a_l1_c_l42", "a_l1_c");
  expect_readable("__omp_offloading_fd00_1__Z3fooid_l7_debug__", "foo(int, double)");
  expect_readable("__omp_offloading_fd00_1_main_l42.omp_outlined", "main");
  expect_readable("__omp_offloading_fd00_1_main_l42_2", "main");
  expect_readable("__omp_offloading_main", "__omp_offloading_main");
  expect_readable("__omp_offloading_fd00_1_l42", "__omp_offloading_fd00_1_l42");
}

static void test_outlined_functions_without_parent_have_no_name(void **state) {
  (void)state;
  expect_readable(".omp_outlined.", NULL);
  expect_readable(".omp_outlined..3", NULL);
  expect_readable(".omp_outlined._debug__", NULL);
  expect_readable(".omp_task_entry.", NULL);
}

/* ---- the block that GCC's call for work leads to ---- */

static void expect_block(const char *code, size_t bytes, bool found, int64_t offset) {
  int64_t at = 0;
  assert_int_equal(hd_gcc_block((const uint8_t *)code, bytes, &at), found);
  if (found)
    assert_int_equal(at, offset);
}

static void test_block_of_a_call_for_work_is_where_the_answer_was_yes(void **state) {
  (void)state;
  expect_block("\x84\xc0\x75\x10", 4, true, 4 + 0x10);                  /* test %al,%al; jne */
  expect_block("\x84\xc0\x74\x10", 4, true, 4);                         /* test %al,%al; je */
  expect_block("\x3c\x01\x74\xf0", 4, true, 4 - 0x10);                  /* cmp $1,%al; je, backwards */
  expect_block("\x3c\x01\x75\x10", 4, true, 4);                         /* cmp $1,%al; jne */
  expect_block("\x84\xc0\x0f\x85\x00\x01\x00\x00", 8, true, 8 + 0x100); /* far */
  expect_block("\x84\xc0\x0f\x85\x00\x01\x00", 7, false, 0);            /* cut */
  expect_block("\x84\xc0\x75", 3, false, 0);
  expect_block("\x84", 1, false, 0);
  expect_block("", 0, false, 0);
  expect_block("\x89\xc3\x84\xc0\x75\x10", 6, false, 0); /* mov %eax,%ebx comes before */
  expect_block("\x84\xc0\xeb\x10", 4, false, 0);         /* jmp */
}

/* Where this very program was loaded. */
static int find_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uint64_t *)base = info->dlpi_addr;
  return 1; /* the first is the program */
}

/* The address after the call to this function. */
static __attribute__((noinline)) uint64_t here(void) {
  return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

/* Copies the build id of this program into its module, where the linker left one. */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct hd_module_record *module = data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const char *at = (const char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);
    const char *end = at + (segment->p_type == PT_NOTE ? segment->p_memsz : 0);
    while (at + sizeof(ElfW(Nhdr)) < end) {
      const ElfW(Nhdr) *note = (const void *)at;
      at += sizeof *note + ((note->n_namesz + 3u) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= sizeof module->build_id) {
        memcpy(module->build_id, at, note->n_descsz);
        module->build_id_bytes = note->n_descsz;
      }
      at += (note->n_descsz + 3u) & ~3u;
    }
  }
  return 1;
}

/* A region called from `address` of this program, and one inside it that the runtime called itself. */
static void make_own(struct builder *builder, uint64_t address, uint64_t run_epoch_ns) {
  builder_init(builder);
  builder->header->begin_epoch_ns = run_epoch_ns;
  struct hd_module_record *module = builder_record(builder, HD_BLOCK_MODULES, sizeof *module);
  assert_true(readlink("/proc/self/exe", module->path, sizeof module->path - 1) > 0);
  dl_iterate_phdr(find_base, &module->base);
  dl_iterate_phdr(find_build_id, module);
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  struct hd_profile_record *region = builder_profile(builder, 0, HD_KIND_PARALLEL);
  region->module = 0;
  region->address = address;
  region->offset = address - module->base;
  struct hd_profile_record *inner = builder_profile(builder, 1, HD_KIND_PARALLEL);
  inner->flags = HD_PROFILE_IN_RUNTIME;
  inner->module = 0;
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 1000);
}

static void test_own_address_is_found(void **state) {
  (void)state;
  struct builder builder;
  make_own(&builder, here(), (uint64_t)4e18);
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(hd_names_resolve(model), 2);
  assert_string_equal(model->nodes[1].name.function, "test_own_address_is_found");
  assert_string_equal(model->nodes[2].name.function, "test_own_address_is_found (call site unknown)");
  assert_null(model->nodes[2].name.file);
  assert_int_equal(model->notes.count, 0);
  hd_model_free(model);
  builder_free(&builder);
}

static void expect_routine(const char *linkage_name, const char *expected) {
  char *name = hd_symbols_routine_name(linkage_name);
  assert_string_equal(name, expected);
  free(name);
}

/* The body of a parallel region may be a routine of its own: it is not its parent. */
static void test_routines_keep_names_of_their_own(void **state) {
  (void)state;
  expect_routine("main", "main");
  expect_routine("kernel.cold", "kernel");
  expect_routine("kernel.part.0", "kernel");
  expect_routine("kernel.constprop.0.cold", "kernel");
  expect_routine("main._omp_fn.0", "main._omp_fn.0");
  expect_routine("main.omp_outlined.3", "main.omp_outlined.3");
  expect_routine("_Z3fooid.cold", "foo(int, double)");
  expect_routine("_Z3fooid.omp_outlined", "foo(int, double).omp_outlined");
}

/* Found at its first instruction: one before it lies another function. */
static void test_routine_is_found_at_its_entry(void **state) {
  (void)state;
  struct builder builder;
  make_own(&builder, here(), (uint64_t)4e18);
  struct hd_profile_record *routine = builder_profile(&builder, 0, HD_KIND_ROUTINE);
  struct hd_module_record *module = (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  routine->module = 0;
  routine->address = (uint64_t)(uintptr_t)here;
  routine->offset = routine->address - module->base;
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(hd_names_resolve(model), 3);
  assert_string_equal(model->nodes[3].name.function, "here");
  hd_model_free(model);
  builder_free(&builder);
}

static void test_routines_without_symbols_are_noted(void **state) {
  (void)state;
  struct builder builder;
  make_own(&builder, here(), (uint64_t)4e18);
  struct hd_profile_record *routine = builder_profile(&builder, 0, HD_KIND_ROUTINE);
  routine->module = 0;
  routine->address = routine->offset = 1; /* in the ELF header: no function */
  struct hd_model *model = builder_read(&builder);
  hd_names_resolve(model);
  assert_null(model->nodes[3].name.function);
  assert_int_equal(model->notes.count, 1);
  assert_non_null(strstr(model->notes.items[0], "some code in test_names has no symbols and is shown by address"));
  assert_non_null(strstr(model->notes.items[0], "DEBUGINFOD_URLS"));
  hd_model_free(model);
  builder_free(&builder);
}

static void test_another_build_is_not_asked(void **state) {
  (void)state;
  struct builder builder;
  make_own(&builder, here(), 1);
  struct hd_module_record *module = (void *)((char *)builder.newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  module->build_id[0] ^= 1;
  struct hd_model *model = builder_read(&builder);
  assert_int_equal(hd_names_resolve(model), 0);
  assert_null(model->nodes[1].name.function);
  assert_int_equal(model->notes.count, 1);
  assert_non_null(strstr(model->notes.items[0], "test_names: rebuilt since the run"));
  hd_model_free(model);
  builder_free(&builder);
}

static void write_file(const char *path, const struct builder *builder) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(builder->bytes, 1, builder->size, file), builder->size);
  assert_int_equal(fclose(file), 0);
}

static struct hd_model *open_file(const char *path) {
  struct hd_model *model = NULL;
  char error[256];
  if (!hd_profile_open(path, &model, error, sizeof error))
    fail_msg("%s", error);
  return model;
}

static void test_names_are_kept_in_the_file(void **state) {
  (void)state;
  char directory[] = "/tmp/heddle-test-XXXXXX";
  char path[64];
  struct stat status;
  struct builder builder;
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/x.heddle", directory);
  make_own(&builder, here(), (uint64_t)4e18);
  write_file(path, &builder);
  chmod(path, 0640);
  assert_true(hd_names_cache(path));
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0640);
  assert_int_equal(status.st_size, builder.size + HD_BLOCK_BYTES);
  struct hd_model *model = open_file(path);
  assert_true(model->nodes[1].name_cached && model->nodes[2].name_cached);
  assert_string_equal(model->nodes[1].name.function, "test_names_are_kept_in_the_file");
  assert_int_equal(hd_names_resolve(model), 0); /* nothing is left to look up */
  assert_int_equal(model->notes.count, 0);
  hd_model_free(model);
  assert_false(hd_names_cache(path));
  unlink(path);
  rmdir(directory); /* no temporary file is left */
  assert_int_not_equal(access(directory, F_OK), 0);
  builder_free(&builder);
}

static void test_live_profile_is_left_alone(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-test-XXXXXX";
  const int file = mkstemp(path);
  struct stat status;
  struct builder builder;
  make_own(&builder, here(), (uint64_t)4e18);
  builder.header->flags = 0;
  builder.header->end_ticks = 0;
  builder.header->pid = (uint32_t)getpid();
  gethostname(builder.header->host, sizeof builder.header->host - 1);
  write_file(path, &builder);
  assert_false(hd_names_cache(path));
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_size, builder.size);
  close(file);
  unlink(path);
  builder_free(&builder);
}

/* Without parameters, template arguments and result; an operator's sign may be a bracket. */
static void test_functions_are_shortened_for_readers(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"main", "main"},
      {"lab::Grid<double, 3>::sum(std::vector<int> const&) const", "lab::Grid::sum"},
      {"int largest<int>(int, int)", "largest"},
      {"A::operator()(int)", "A::operator()"},
      {"int operator|<A, A>(A, A)", "operator|"},
      {"bool operator< <int>(A<int> const&, A<int> const&)", "operator<"},
      {"A::operator[](unsigned long)", "A::operator[]"},
      {"B& operator<<=<B>(B&, int)", "operator<<="},
      {"A::operator->() const", "A::operator->"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char text[HD_FUNCTION_BYTES];
    hd_function_text(text, names[i][0]);
    assert_string_equal(text, names[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_are_shortened_for_readers),
      cmocka_unit_test(test_outlined_functions_bear_their_parents_name),
      cmocka_unit_test(test_fortran_names_are_the_sources),
      cmocka_unit_test(test_names_that_only_look_like_fortran_are_kept),
      cmocka_unit_test(test_routines_names_keep_the_mark_of_outlined_code),
      cmocka_unit_test(test_target_regions_bear_their_functions_name),
      cmocka_unit_test(test_outlined_functions_without_parent_have_no_name),
      cmocka_unit_test(test_block_of_a_call_for_work_is_where_the_answer_was_yes),
      cmocka_unit_test(test_own_address_is_found),
      cmocka_unit_test(test_routines_keep_names_of_their_own),
      cmocka_unit_test(test_routine_is_found_at_its_entry),
      cmocka_unit_test(test_routines_without_symbols_are_noted),
      cmocka_unit_test(test_another_build_is_not_asked),
      cmocka_unit_test(test_names_are_kept_in_the_file),
      cmocka_unit_test(test_live_profile_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
