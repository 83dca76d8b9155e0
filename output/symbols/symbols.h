/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file symbols.h
 * Code addresses to functions, files and lines, through libdw: one program file or library at a time.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_SYMBOLS_H
#define HEDDLE_OUTPUT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_symbols; /* one module's debug information */

enum hd_symbols_status {
  HD_SYMBOLS_OK,
  HD_SYMBOLS_GONE,   /* no such file here, or it cannot be read */
  HD_SYMBOLS_REBUILT /* the file is not the one that ran */
};

/** What an address stands for. The strings are the caller's, to be freed; NULL and 0: not known. */
struct hd_symbol {
  char *function; /* innermost inlined function; C++ demangled; outlined code bears its parent's name */
  char *file;     /* full path as the compiler wrote it */
  uint32_t line;
  bool outlined; /* compiler-made code with an unknown parent: `function` is NULL */
};

/**
 * Opens the file at `path` if it is the one that ran: the one with this build id or, for files without one, not changed
 * since `run_epoch_ns`. Debug information in a file of its own is found the usual ways. `*symbols` is the caller's.
 */
enum hd_symbols_status hd_symbols_open(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                                       uint64_t run_epoch_ns, struct hd_symbols **symbols);

/** Opens the file at `path`, whichever it is. NULL: it cannot be read. */
struct hd_symbols *hd_symbols_open_any(const char *path);

void hd_symbols_close(struct hd_symbols *symbols);

/** Calls `take` for each piece of code of a line, from one offset to the module's load address up to another. `file` is
 *  the end of the source file's path. */
void hd_symbols_each_of_line(struct hd_symbols *symbols, const char *file, int line,
                             void (*take)(void *context, uint64_t from, uint64_t to), void *context);

/** What is called at an address. GCC asks the runtime for work in loops and singles, and may have given the call no
 * line of its own; flang gives that of a region another one's. */
enum hd_symbols_call { HD_CALL_PLAIN, HD_CALL_OF_LOOP, HD_CALL_OF_SINGLE, HD_CALL_OF_REGION };

/**
 * Looks up a return address: `offset` to the module's load address, `address` in the process that ran. One behind the
 * first byte of a function stands for the function: its place is the first line that it has, GCC's for the construct
 * that it was made of. Where GCC gave a call no line, that of the statement before it would be shown: then the first
 * line of the construct's block is taken, on x86-64. Where flang began a region, the line is its directive's, and if
 * the address is behind a call of a function that ends with the region, the place is in that function; likewise on
 * x86-64. Always fills `symbol`.
 */
void hd_symbols_find(struct hd_symbols *symbols, uint64_t offset, uint64_t address, enum hd_symbols_call call,
                     struct hd_symbol *symbol);

/**
 * Looks up a function by the address of its first instruction, or of its cold part's: its own name, never that of a
 * function inlined there, and the place of its definition. Always fills `symbol`. Compiler-made functions (the bodies
 * of parallel regions) are functions of their own here and keep the linker's name.
 */
void hd_symbols_find_routine(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol);

/**
 * Looks up an instruction: the innermost function inlined there, and in `*inlined_into`, the caller's to free, the
 * function that has the code; NULL: nothing is inlined there. Always fills `symbol`.
 */
void hd_symbols_find_code(struct hd_symbols *symbols, uint64_t offset, uint64_t address, struct hd_symbol *symbol,
                          char **inlined_into);

#endif
