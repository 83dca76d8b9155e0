/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/model/format_names.h"
#include "output/symbols/resolve_names.h"
#include "output/views/render/report_internal.h"
#include "support/command/sanitize.h"

struct hd_unit hd_unit_for(double seconds) {
  static const struct hd_unit units[] = {{"seconds", 1, 0}, {"milliseconds", 1e3, 0}, {"microseconds", 1e6, 0}};
  struct hd_unit unit = units[seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2];
  const double largest = seconds * unit.per_second;
  unit.decimals = largest >= 1000 ? 1 : largest >= 100 ? 2 : 3;
  return unit;
}

void hd_cell_number(char cell[HD_CELL_BYTES], double number, int decimals) {
  if (isfinite(number))
    snprintf(cell, HD_CELL_BYTES, "%.*f", decimals, number);
  else
    snprintf(cell, HD_CELL_BYTES, "-");
}

void hd_cell_time(char cell[HD_CELL_BYTES], const struct hd_unit *unit, double seconds) {
  hd_cell_number(cell, seconds * unit->per_second, unit->decimals);
}

bool hd_unit_shows(const struct hd_unit *unit, double seconds) {
  return seconds * unit->per_second >= 0.5 * pow(10, -unit->decimals);
}

void hd_cell_duration(char cell[HD_CELL_BYTES], double seconds) {
  const struct hd_unit unit = hd_unit_for(seconds);
  const char *name = unit.per_second > 1e3 ? "us" : unit.per_second > 1 ? "ms" : "s";
  snprintf(cell, HD_CELL_BYTES, "%.*f %s", unit.decimals, seconds * unit.per_second, name);
}

void hd_location_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node) {
  place[0] = '\0';
  if (node->flags & HD_PROFILE_TAIL_CALL)
    strcpy(place, "tail call");
  else if (node->name.file && node->name.line != 0)
    snprintf(place, HD_PLACE_BYTES, "%s:%u", hd_base_name(node->name.file), node->name.line);
  else if (node->module != HD_NONE && !(node->flags & HD_PROFILE_IN_RUNTIME))
    snprintf(place, HD_PLACE_BYTES, "%s+0x%llx", hd_base_name(model->modules[node->module].path),
             (unsigned long long)node->offset);
  hd_plain(place);
}

/* Characters of the sign behind "operator"; 0: a type or a word. The longest comes first. */
static size_t sign_length(const char *text) {
  static const char signs[][4] = {"->*", "<=>", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|=", "()", "[]", "+",
                                  "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  "<",  ">",  ","};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (strncmp(text, signs[i], strlen(signs[i])) == 0)
      return strlen(signs[i]);
  return 0;
}

/* Copies "operator" and its sign: they may be brackets. Returns how much of `from` that was; 0: another word. */
static size_t copy_operator(char *to, const char *from) {
  static const char word[] = "operator";
  size_t length = sizeof word - 1;
  if (strncmp(from, word, length) != 0 || isalnum((unsigned char)from[length]) || from[length] == '_')
    return 0;
  length += sign_length(from + length);
  memcpy(to, from, length);
  return length;
}

void hd_function_text(char to[HD_FUNCTION_BYTES], const char *function) {
  char *end = to;
  int depth = 0;
  for (const char *from = function; *from && end + 16 < to + HD_FUNCTION_BYTES; from++) {
    const size_t taken =
        depth == 0 && (from == function || from[-1] == ':' || from[-1] == ' ') ? copy_operator(end, from) : 0;
    end += taken;
    from += taken;
    if (!*from)
      break;
    depth += *from == '<' || *from == '(';
    if (depth == 0)
      *end++ = *from;
    depth -= (*from == '>' || *from == ')') && depth > 0;
  }
  while (end > to && end[-1] == ' ')
    end--;
  *end = '\0';
  if (end - to > 6 && strcmp(end - 6, " const") == 0)
    *(end -= 6) = '\0';
  const char *space = strrchr(to, ' ');
  if (space && space[1])
    memmove(to, space + 1, (size_t)(end - space));
  hd_plain(to);
}

enum { FULL_BYTES = 240 };

static void shown_function(char to[FULL_BYTES], const struct hd_name *name) {
  if (name->in_full) {
    snprintf(to, FULL_BYTES, "%s", name->function);
    hd_plain(to);
  } else {
    hd_function_text(to, name->function);
  }
}

static void phase_text(char to[HD_FUNCTION_BYTES], const struct hd_node *node) {
  snprintf(to, HD_FUNCTION_BYTES, "%.*s", HD_FUNCTION_BYTES - 1, node->name.function ? node->name.function : "?");
}

/* "kernel app.c:10", "phase setup"; without a name the address says where. */
static void name_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node) {
  char location[HD_PLACE_BYTES];
  char function[FULL_BYTES] = "";
  const char *kind = node->kind == HD_KIND_PHASE ? "phase " : "";
  hd_location_text(location, model, node);
  if (node->name.function)
    shown_function(function, &node->name);
  if (node->kind == HD_KIND_PHASE)
    phase_text(function, node);
  if (node->kind == HD_KIND_PHASE && !function[0])
    strcpy(function, "without a name");
  if (node->kind == HD_KIND_PHASE || (function[0] && node->name.line == 0))
    location[0] = '\0';
  snprintf(place, HD_PLACE_BYTES, "%s%s%s%.250s", kind, function, function[0] && location[0] ? " " : "",
           function[0] || location[0] ? location : "unknown routine");
}

static void construct_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node,
                           const char *around) {
  char location[HD_PLACE_BYTES];
  char function[FULL_BYTES] = "";
  const char *mark = "";
  const char *name = node->name.function;
  hd_location_text(location, model, node);
  if (name && !(around && strcmp(name, around) == 0)) {
    shown_function(function, &node->name);
    mark = strstr(name, HD_UNKNOWN_SITE) ? HD_UNKNOWN_SITE : "";
  }
  snprintf(place, HD_PLACE_BYTES, "%s%s%.200s%s%s%s", hd_kind_words(node->kind), location[0] ? " " : "", location,
           function[0] ? " in " : "", function, mark);
}

void hd_node_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node,
                  const struct hd_node *outer) {
  if (node->kind == HD_KIND_PROGRAM)
    snprintf(place, HD_PLACE_BYTES, "program %.200s", model->header.program);
  else if (node->kind == HD_KIND_ROUTINE || node->kind == HD_KIND_PHASE)
    name_text(place, model, node);
  else
    construct_text(place, model, node, outer && outer->kind != HD_KIND_PHASE ? outer->name.function : NULL);
  hd_plain(place);
}

static bool is_shortened(const struct hd_line *line) {
  return line->flags & HD_PROFILE_SHORTENED;
}

static void line_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_line *line,
                      const struct hd_line *outer) {
  hd_node_text(place, model, line->node, outer ? outer->node : NULL);
  const size_t used = strlen(place);
  if (line->flags & HD_PROFILE_RECURSIVE && line->node->kind != HD_KIND_ROUTINE)
    snprintf(place + used, HD_PLACE_BYTES - used, " (recursive)");
}

void hd_place_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_line *line,
                   const struct hd_line *outer) {
  char text[HD_PLACE_BYTES];
  const bool marked = is_shortened(line) && !(outer && is_shortened(outer)); /* once for both of its sites */
  line_text(text, model, line, outer);
  snprintf(place, HD_PLACE_BYTES, "%s%.500s", marked ? "... " : "", text);
  hd_plain(place); /* a character may have been cut */
}

/* A callpath of any depth is cut where the text is full. */
void hd_callpath_text(char text[HD_CALLPATH_BYTES], const struct hd_view *view, uint32_t line) {
  char place[HD_PLACE_BYTES];
  size_t used = 0;
  const struct hd_line *inner = NULL;
  text[0] = '\0';
  if (line == 0)
    strcpy(text, "program, outside parallel regions");
  while (line != 0 && used + 2 * (size_t)HD_PLACE_BYTES < HD_CALLPATH_BYTES) {
    line_text(place, view->model, &view->lines[line], inner);
    used += (size_t)snprintf(text + used, HD_CALLPATH_BYTES - used, "%s%s", inner ? " < " : "", place);
    inner = &view->lines[line];
    line = inner->parent;
  }
  if (line != 0 || (inner && is_shortened(inner)))
    strcpy(text + used, " < ...");
}

size_t hd_text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

/* A stream in memory is about to go to stderr. */
size_t hd_report_width(FILE *out) {
  struct winsize size;
  const int descriptor = fileno(out) >= 0 ? fileno(out) : STDERR_FILENO;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : HD_UNBOUNDED_WIDTH;
}

size_t hd_report_page(FILE *out) {
  enum { PAGE = 120, PAGE_LEAST = 20 };
  const size_t width = hd_report_width(out);
  const char *columns = getenv("COLUMNS");
  if (width != HD_UNBOUNDED_WIDTH)
    return width;
  const long asked = columns ? strtol(columns, NULL, 10) : 0;
  return asked < PAGE_LEAST ? PAGE : asked > HD_UNBOUNDED_WIDTH ? HD_UNBOUNDED_WIDTH : (size_t)asked;
}

struct libscols_table *hd_table_new(FILE *out) {
  scols_init_debug(0);
  struct libscols_table *table = scols_new_table();
  if (!table)
    return NULL;
  scols_table_set_stream(table, out);
  scols_table_set_termwidth(table, hd_report_width(out));
  scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
  return table;
}

bool hd_table_column(struct libscols_table *table, const char *title, int flags) {
  return scols_table_new_column(table, title, 0, flags) != NULL;
}

int hd_report_causes(const uint64_t most[HD_STATE_COUNT], const struct hd_model *model, const struct hd_unit *unit,
                     enum hd_state causes[HD_STATE_COUNT]) {
  int count = 0;
  for (int state = HD_WAIT_FIRST; state <= HD_WAIT_LAST; state++)
    if (hd_unit_shows(unit, hd_model_seconds(model, most[state])))
      causes[count++] = (enum hd_state)state;
  return count;
}
