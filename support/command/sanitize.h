/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sanitize.h
 * Texts from profiles for terminals. Programs choose the names of phases, functions and files, and anybody may have
 * made a profile: nothing in it may steer the terminal that it is shown on.
 *
 * Every byte of a control character (C0, DEL, C1) and every byte that is no UTF-8 becomes '?': no text gets longer.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_SANITIZE_H
#define HEDDLE_SUPPORT_COMMAND_SANITIZE_H

#include <stddef.h>
#include <stdio.h>

/** In place. */
void hd_sanitize(char *text);

/** Likewise, but ends of lines stay. */
void hd_sanitize_lines(char *text);

/** Writes it that way. */
void hd_sanitize_write(const char *text, FILE *out);

/** Bytes of the character at `text` that may be shown; 0: it is none such. Ends of lines and tabs are none. */
size_t hd_sanitize_character(const char *text);

#endif
