/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file elf_hooks.h
 * Does a program's or library's file call Heddle by itself, or a tool's or hooks of its own?
 */
#ifndef HEDDLE_CLI_PROGRAM_ELF_HOOKS_H
#define HEDDLE_CLI_PROGRAM_ELF_HOOKS_H

#include <stdbool.h>

/** Does an ELF file import GCC's and clang's hooks of -finstrument-functions, or hold a note of heddle.h? */
bool hd_elf_calls_heddle(const char *path);

/** Does it define these hooks itself? */
bool hd_elf_has_own_hooks(const char *path);

/** Does it define ompt_start_tool, without being a runtime? */
bool hd_elf_has_tool(const char *path);

#endif
