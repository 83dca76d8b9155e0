/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rules.h
 * What of a program is measured where, by rules in a file, one on each line:
 *
 *     off CLASS[,CLASS...] [under REGEX]
 *     on CLASS[,CLASS...] under REGEX
 *
 * An empty line, or one that begins with '#', is none. For a callpath the last rule counts whose expression
 * (site_regex.h) matches it or one above it; one without an expression is for all.
 */
#ifndef HEDDLE_CLI_CTL_RULES_H
#define HEDDLE_CLI_CTL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hd_rule {
  bool is_off;
  uint32_t classes; /* bits */
  char *under;      /* a valid expression; owned; NULL: everywhere */
  uint32_t line;    /* in the file, from 1 */
};

struct hd_rules {
  const char *path; /* the file's; the caller's */
  struct hd_rule *items;
  size_t count;
};

/** Reads a file. False: `error` says where it is wrong, and what was expected; then there is nothing to be freed. */
bool hd_rules_read(const char *path, struct hd_rules *rules, char *error, size_t error_bytes);
void hd_rules_free(struct hd_rules *rules);

/** Applies the rules to the program that writes the live profile `live`, and to callpaths as they come, until it ends.
 *  Then says on `errors` which rules had nothing to apply to. False: nothing could be done; `error` says why. */
bool hd_rules_apply(const struct hd_rules *rules, const char *live, FILE *errors, char *error, size_t error_bytes);

#endif
