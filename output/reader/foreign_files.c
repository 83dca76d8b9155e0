/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file foreign_files.c
 * What a file that is no profile seems to be: people give reports the wrong file.
 */
#include <string.h>

#include "output/reader/reader_internal.h"

const char *hd_reader_name_other(const char *bytes, size_t size) {
  static const struct {
    const char *magic;
    size_t bytes;
    const char *words;
  } known[] = {
      {"\x1f\x8b", 2, ": it is compressed by gzip; gunzip it"},
      {"\xfd"
       "7zXZ",
       5, ": it is compressed by xz; unxz it"},
      {"\x28\xb5\x2f\xfd", 4, ": it is compressed by zstd; unzstd it"},
      {"BZh", 3, ": it is compressed by bzip2; bunzip2 it"},
      {"PK\x03\x04", 4, ": it is a zip archive; unzip it"},
      {"\x7f"
       "ELF",
       4, ": it is a program or a core dump; 'heddle run -- PROGRAM' writes a profile"},
      {"{", 1,
       ": it looks like JSON; reports need the profile that it was exported from, and a job's file is for 'heddle "
       "job'"},
      {"#!", 2, ": it is a script; 'heddle run -- SCRIPT' writes profiles"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (size >= known[i].bytes && memcmp(bytes, known[i].magic, known[i].bytes) == 0)
      return known[i].words;
  return "";
}
