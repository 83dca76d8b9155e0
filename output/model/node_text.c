/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/node_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "output/model/format_names.h"
#include "support/command/sanitize.h"

void hd_location_text(char place[HD_PLACE_BYTES], const struct hd_model *model, const struct hd_node *node) {
  place[0] = '\0';
  if (node->flags & HD_PROFILE_TAIL_CALL)
    strcpy(place, "tail call");
  else if (node->name.file && node->name.line != 0)
    snprintf(place, HD_PLACE_BYTES, "%s:%u", hd_base_name(node->name.file), node->name.line);
  else if (node->module != HD_NONE && !(node->flags & HD_PROFILE_IN_RUNTIME))
    snprintf(place, HD_PLACE_BYTES, "%s+0x%llx", hd_base_name(model->modules[node->module].path),
             (unsigned long long)node->offset);
  hd_sanitize(place);
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
  hd_sanitize(to);
}

enum { FULL_BYTES = 240 };

static void shown_function(char to[FULL_BYTES], const struct hd_name *name) {
  if (name->in_full) {
    snprintf(to, FULL_BYTES, "%s", name->function);
    hd_sanitize(to);
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

const char *hd_node_words(const struct hd_node *node) {
  return node->called ? node->called : hd_kind_words(node->kind);
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
  snprintf(place, HD_PLACE_BYTES, "%s%s%.200s%s%s%s", hd_node_words(node), location[0] ? " " : "", location,
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
  hd_sanitize(place);
}
