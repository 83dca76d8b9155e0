/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file name_choice.h
 * A choice among names: "+REGEX,-REGEX,...", POSIX extended regular expressions that may match anywhere in a name. The
 * last one that matches decides; what none matches is taken if the first is a '-'. Without a sign it is a '+'. A comma
 * in [...] or {...}, or behind a backslash, is part of the expression.
 */
#ifndef HEDDLE_SUPPORT_NAME_CHOICE_H
#define HEDDLE_SUPPORT_NAME_CHOICE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_CHOICE_RULES = 32 };

struct hd_name_choice {
  uint32_t count;
  struct {
    regex_t regex;
    bool takes;
  } rules[HD_CHOICE_RULES];
};

/** False: `why` says in some words what is wrong with `list`, and nothing is to be freed. Uses malloc. */
bool hd_name_choice_read(const char *list, struct hd_name_choice *choice, char *why, size_t why_bytes);
void hd_name_choice_free(struct hd_name_choice *choice);

/** What matches none of the rules. */
enum { HD_CHOICE_NONE = -1 };

/** The last rule that matches the name, or HD_CHOICE_NONE. Of something with several names the largest counts. */
int32_t hd_name_choice_rule(const struct hd_name_choice *choice, const char *name);

/** Whether what that rule decides is taken. */
bool hd_name_choice_takes(const struct hd_name_choice *choice, int32_t rule);

#endif
