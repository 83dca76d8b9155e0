/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages: nothing from a profile becomes markup or a script, and all of it can be read without scripts. */
#include "profile_sample.h"

#include <jansson.h>
#include <locale.h>
#include <unistd.h>

#include "output/model/memory.h"
#include "output/views/html/html.h"
#include "output/views/html/job_page.h"
#include "output/views/html/source_file.h"
#include "output/views/render/html_escape.h"
#include "support/command/memory.h"

#define ATTACK "</script><script>alert(1)</script>"
#define HOSTILE ATTACK "\"'&<!--\xe2\x80\xa8\xff\xe2\x82\x1b[31m--><b onclick=x>\\u003c"

static struct {
  struct sample sample;
  struct hd_model *model;
  char *page;
} test;

static int forget(void **state) {
  (void)state;
  hd_model_free(test.model);
  if (test.sample.region)
    builder_free(&test.sample.builder);
  free(test.page);
  memset(&test, 0, sizeof test);
  return 0;
}

static char *written(void (*write)(FILE *out)) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  write(out);
  fclose(out);
  return text;
}

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, part)); at++)
    count++;
  return count;
}

/* ---- escaping ---- */

static void write_text(FILE *out) {
  hd_html_text(HOSTILE "\ta\xc3\xa9\n", out);
  hd_html_text(NULL, out);
}

static void test_texts_have_no_markup_and_are_utf8(void **state) {
  (void)state;
  char *text = written(write_text);
  assert_string_equal(text, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;!--\xe2\x80\xa8"
                            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd[31m--&gt;&lt;b onclick=x&gt;\\u003c&#9;"
                            "a\xc3\xa9\xef\xbf\xbd");
  free(text);
}

static const char json[] =
    "{\n \"a b\": \"" ATTACK "& \\\" <\\\\\",\n \"\xe2\x80\xa8\": [1, \"x  y\xe2\x80\xa9\"]\n}\n";

static void write_json(FILE *out) {
  hd_html_json(json, sizeof json - 1, out);
}

static void test_json_in_a_script_stays_the_same_json(void **state) {
  (void)state;
  char *text = written(write_json);
  assert_string_equal(text,
                      "{\"a b\":\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e\\u0026 \\\" "
                      "\\u003c\\\\\",\"\\u2028\":[1,\"x  y\\u2029\"]}");
  json_t *before = json_loads(json, 0, NULL), *after = json_loads(text, 0, NULL);
  assert_non_null(before);
  assert_true(json_equal(before, after));
  json_decref(before);
  json_decref(after);
  free(text);
}

/* ---- pages ---- */

/* As much of a text as there is room for. */
static void put(char *to, size_t room, const char *text) {
  const size_t bytes = strnlen(text, room - 1);
  memcpy(to, text, bytes);
  to[bytes] = '\0';
}

static void name_all(const char *name) {
  struct builder *builder = &test.sample.builder;
  put(builder->header->program, sizeof builder->header->program, name);
  put(builder->header->host, sizeof builder->header->host, name);
  builder_name(builder, 1, name, name, "3");
  builder_text(builder, HD_TEXT_NOTE, 0, name, strlen(name));
  builder_text(builder, HD_TEXT_ARGUMENT, 0, name, strlen(name));
  builder_text(builder, HD_TEXT_ENVIRONMENT, 0, "OMP_X=" ATTACK, strlen("OMP_X=" ATTACK));
  struct hd_module_record *module = (void *)((char *)builder->newest[HD_BLOCK_MODULES] + HD_BLOCK_HEADER_BYTES);
  put(module->path, sizeof module->path, name);
}

static void write_page(FILE *out) {
  assert_true(hd_html_write(test.model, &(struct hd_html_options){0}, out));
}

static void make_page(const char *name) {
  make_sample(&test.sample);
  if (name)
    name_all(name);
  test.model = builder_read(&test.sample.builder);
  test.page = written(write_page);
}

/* The data of the page: what stands in a script element of that id. */
static json_t *data_of(const char *id) {
  char *begin = hd_print("<script type=\"application/json\" id=\"%s\">", id);
  const char *at = strstr(test.page, begin);
  assert_non_null(at);
  at += strlen(begin);
  json_t *data = json_loadb(at, (size_t)(strstr(at, "</script>") - at), 0, NULL);
  assert_non_null(data);
  free(begin);
  return data;
}

static size_t scripts_of_a_harmless_page(void) {
  make_page(NULL);
  const size_t count = count_of(test.page, "<script");
  assert_true(count >= 4); /* two of them data */
  assert_int_equal(count_of(test.page, "</script"), count);
  forget(NULL);
  return count;
}

static void write_job_page(FILE *out) {
  struct hd_job *job = hd_job_new();
  hd_job_add(job, test.model);
  hd_job_finish(job);
  assert_true(hd_html_write_job(job, out));
  hd_job_free(job);
}

static void test_names_of_a_job_become_no_script(void **state) {
  (void)state;
  const size_t scripts = scripts_of_a_harmless_page() - 1; /* of a job one is data */
  make_page(HOSTILE);
  free(test.page);
  test.page = written(write_job_page);
  assert_int_equal(count_of(test.page, "<script"), scripts);
  assert_int_equal(count_of(test.page, "</script"), scripts);
  assert_null(strstr(test.page, "<b onclick"));
  json_t *job = data_of("job");
  assert_int_equal(json_array_size(json_object_get(job, "ranks")), 1);
  assert_true(json_array_size(json_object_get(job, "places")) > 0);
  json_decref(job);
}

static void test_names_become_no_script(void **state) {
  (void)state;
  const size_t scripts = scripts_of_a_harmless_page();
  setlocale(LC_ALL, "C.UTF-8");
  make_page(HOSTILE);
  assert_int_equal(count_of(test.page, "<script"), scripts);
  assert_int_equal(count_of(test.page, "</script"), scripts);
  assert_null(strstr(test.page, "<b onclick"));
  assert_null(strstr(test.page, "\x1b"));
  assert_true(mbstowcs(NULL, test.page, 0) != (size_t)-1);
  json_t *data = data_of("profile");
  const json_t *profile = json_array_get(json_object_get(data, "profiles"), 1);
  assert_non_null(strstr(json_string_value(json_object_get(profile, "name")), ATTACK));
  json_decref(data);
}

static void test_a_page_has_all_parts(void **state) {
  (void)state;
  static const char *const parts[] = {"<section id=\"findings\">",     "<section id=\"concurrency\">",
                                      "<table id=\"callpath-table\">", "<table id=\"thread-table\">",
                                      "<table id=\"hot-table\">",      "<table id=\"counter-table\">",
                                      "<table id=\"event-table\">",    "<ul id=\"notes\">",
                                      "<section id=\"source\">"};
  make_page(NULL);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    assert_int_equal(count_of(test.page, parts[i]), 1);
  for (uint32_t i = 0; i < test.model->node_count; i++) {
    char row[32];
    snprintf(row, sizeof row, "<tr id=\"c%u\"", i);
    assert_int_equal(count_of(test.page, row), 1);
  }
  json_t *data = data_of("explain");
  assert_true(json_is_array(json_object_get(data, "findings")));
  json_decref(data);
}

static void test_a_page_allows_its_own_scripts_only(void **state) {
  (void)state;
  make_page(NULL);
  const char *policy = strstr(test.page, "Content-Security-Policy");
  assert_non_null(policy);
  assert_non_null(strstr(policy, "default-src 'none'"));
  const char *sources = strstr(policy, "script-src 'sha256-");
  assert_non_null(sources);
  assert_true(strcspn(sources, ">") > 2 * 44);
  assert_true(strcspn(sources, ">") < strcspn(sources, "*"));
  const char *unsafe = strstr(sources, "unsafe-inline");
  assert_true(!unsafe || unsafe > sources + strcspn(sources, ">"));
  assert_null(strstr(test.page, " src=\"http"));
  assert_null(strstr(test.page, "@import"));
}

/* ---- source files ---- */

/* A profile may name any file: only what is a source is read. */
static void test_only_sources_are_read(void **state) {
  (void)state;
  struct hd_source_file file;
  char source[] = "/tmp/heddle-html-XXXXXX.c", other[] = "/tmp/heddle-html-XXXXXX";
  const int fds[] = {mkstemps(source, 2), mkstemp(other)};
  for (int i = 0; i < 2; i++) {
    assert_true(fds[i] >= 0);
    assert_int_equal(write(fds[i], "int a;\r\n\nint b;", 15), 15);
  }
  assert_true(hd_source_read(source, &file));
  assert_int_equal(file.count, 3);
  assert_string_equal(file.lines[0], "int a;");
  assert_string_equal(file.lines[2], "int b;");
  hd_source_free(&file);
  assert_false(hd_source_read(other, &file));
  assert_false(hd_source_read("/", &file));
  assert_false(hd_source_read(source + 1, &file)); /* depends on the folder that one is in */
  assert_int_equal(write(fds[0], "\0x", 2), 2);
  assert_false(hd_source_read(source, &file));
  for (int i = 0; i < 2; i++) {
    close(fds[i]);
    unlink(i == 0 ? source : other);
  }
}

static void test_names_of_sources(void **state) {
  (void)state;
  static const char *const sources[] = {"/a/b.c", "/a.F90", "/x.y.cpp", "/a.h"};
  static const char *const others[] = {"/etc/passwd", "/a.c/key", "/.c", "/a.pem", "/home/u/.ssh/id_rsa", ""};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    assert_true(hd_source_is_named(sources[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(hd_source_is_named(others[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts_have_no_markup_and_are_utf8),
      cmocka_unit_test(test_json_in_a_script_stays_the_same_json),
      cmocka_unit_test_teardown(test_names_become_no_script, forget),
      cmocka_unit_test_teardown(test_names_of_a_job_become_no_script, forget),
      cmocka_unit_test_teardown(test_a_page_has_all_parts, forget),
      cmocka_unit_test_teardown(test_a_page_allows_its_own_scripts_only, forget),
      cmocka_unit_test(test_only_sources_are_read),
      cmocka_unit_test(test_names_of_sources),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
