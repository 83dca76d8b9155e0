/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file log.h
 * The library's only way to speak: one line on stderr, written with one system call.
 */
#ifndef HEDDLE_SUPPORT_LOG_H
#define HEDDLE_SUPPORT_LOG_H

/** Writes "heddle: MESSAGE\n" to stderr. Cut at 1,000 bytes. Keeps errno. For cold paths only. */
void hd_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
