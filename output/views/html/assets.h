/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file assets.h
 * The page's scripts and styles, which embed.cmake puts into the command.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_ASSETS_H
#define HEDDLE_OUTPUT_VIEWS_HTML_ASSETS_H

#include <stddef.h>

struct hd_asset {
  const char *text; /* without anything that would end its element */
  size_t bytes;
  const char *sha256; /* of the text, in base64 */
};

extern const struct hd_asset hd_asset_style;
extern const struct hd_asset hd_asset_head;   /* runs first */
extern const struct hd_asset hd_asset_script; /* the rest of Heddle's */
extern const struct hd_asset hd_asset_d3;     /* bytes 0: it was not there at build time */
extern const struct hd_asset hd_asset_d3_licence;
extern const char hd_d3_version[];

#endif
