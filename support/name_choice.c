/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/name_choice.h"

#include <stdio.h>
#include <string.h>

enum { PATTERN_BYTES = 1024 };

static bool is_sign(char c) {
  return c == '+' || c == '-';
}

/* Where the set of characters ends that begins at `at`. What follows the '[' is in it, even a ']'. */
static const char *end_of_set(const char *at) {
  const char *first = at + 1 + (at[1] == '^');
  const char *end = *first ? strchr(first + 1, ']') : NULL;
  return end ? end : at;
}

/* Where the rule ends that begins at `at`: at a comma, but not in [...] or {...}. */
static const char *end_of(const char *at) {
  bool in_braces = false;
  for (; *at && (*at != ',' || in_braces); at++) {
    in_braces = *at == '{' || (in_braces && *at != '}');
    if (*at == '[')
      at = end_of_set(at);
    else if (*at == '\\' && at[1])
      at++;
  }
  return at;
}

static bool read_pattern(const char *pattern, regex_t *regex, char *why, size_t why_bytes) {
  if (!*pattern) {
    snprintf(why, why_bytes, "an empty expression");
    return false;
  }
  const int error = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
  if (!error)
    return true;
  const int used = snprintf(why, why_bytes, "'%s': ", pattern);
  if (used > 0 && (size_t)used < why_bytes)
    regerror(error, regex, why + used, why_bytes - (size_t)used);
  return false;
}

static bool read_rule(const char *begin, const char *end, struct hd_name_choice *choice, char *why, size_t why_bytes) {
  char pattern[PATTERN_BYTES];
  const bool is_signed = is_sign(*begin);
  const size_t bytes = (size_t)(end - begin) - is_signed;
  if (choice->count == HD_CHOICE_RULES || bytes >= sizeof pattern) {
    snprintf(why, why_bytes, "more than %d expressions, or one of more than %d characters", HD_CHOICE_RULES,
             PATTERN_BYTES - 1);
    return false;
  }
  memcpy(pattern, begin + is_signed, bytes);
  pattern[bytes] = 0;
  if (!read_pattern(pattern, &choice->rules[choice->count].regex, why, why_bytes))
    return false;
  choice->rules[choice->count++].takes = *begin != '-';
  return true;
}

bool hd_name_choice_read(const char *list, struct hd_name_choice *choice, char *why, size_t why_bytes) {
  const char *end;
  choice->count = 0;
  for (const char *at = list;; at = end + 1) {
    end = end_of(at);
    if (!read_rule(at, end, choice, why, why_bytes))
      break;
    if (!*end)
      return true;
  }
  hd_name_choice_free(choice);
  return false;
}

void hd_name_choice_free(struct hd_name_choice *choice) {
  for (uint32_t i = 0; i < choice->count; i++)
    regfree(&choice->rules[i].regex);
  choice->count = 0;
}

int32_t hd_name_choice_rule(const struct hd_name_choice *choice, const char *name) {
  for (int32_t i = (int32_t)choice->count - 1; i >= 0; i--)
    if (regexec(&choice->rules[i].regex, name, 0, NULL, 0) == 0)
      return i;
  return HD_CHOICE_NONE;
}

bool hd_name_choice_takes(const struct hd_name_choice *choice, int32_t rule) {
  return rule == HD_CHOICE_NONE ? !choice->rules[0].takes : choice->rules[rule].takes;
}
