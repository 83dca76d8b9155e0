/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file log.h
 * The library's only diagnostic output: one line on stderr, written with one system call.
 */
#ifndef HEDDLE_SUPPORT_LOG_H
#define HEDDLE_SUPPORT_LOG_H

/** Writes "heddle: MESSAGE\n" to stderr, by one write(2). Cuts it at 1,000 bytes; control characters become '?', but
 * for a line end before "heddle: ". Writes nothing if descriptor 2 is not what it was at the start: it may be a file of
 * the program's by now. Keeps errno. For cold paths only. */
void hd_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Takes descriptor 2 as it is now for stderr: for code that has put another file there. */
void hd_log_take_stderr(void);

#endif
