/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/place.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

bool hd_place_is_same(const struct hd_node *a, const struct hd_node *b) {
  if (a->kind != b->kind || a->name.line != b->name.line || !same_text(a->name.function, b->name.function) ||
      !same_text(a->called, b->called))
    return false;
  if (a->kind == HD_KIND_PHASE || a->kind == HD_KIND_PROGRAM)
    return true;
  if (a->name.line != 0)
    return same_text(a->name.file, b->name.file);
  return a->module == b->module && a->offset == b->offset;
}

bool hd_place_is_same_line(const struct hd_node *a, const struct hd_node *b) {
  return a->name.line != 0 && a->name.line == b->name.line && same_text(a->name.function, b->name.function) &&
         same_text(a->name.file, b->name.file);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

uint64_t hd_place_hash(uint64_t hash, const struct hd_node *node) {
  const bool by_address = node->name.line == 0 && node->kind != HD_KIND_PHASE && node->kind != HD_KIND_PROGRAM;
  hash = mix(mix(hash, node->kind), node->name.line);
  if (by_address)
    return mix(mix(hash, node->module), node->offset);
  for (const char *at = node->name.function ? node->name.function : ""; *at; at++)
    hash = mix(hash, (unsigned char)*at);
  return hash;
}

static int compare_text(const char *a, const char *b) {
  if (!a || !b)
    return (a == NULL) - (b == NULL); /* the unknown last */
  return strcmp(a, b);
}

int hd_place_compare(const struct hd_node *a, const struct hd_node *b) {
  int order = compare_text(a->name.function, b->name.function);
  if (order == 0)
    order = compare_text(a->name.file, b->name.file);
  if (order == 0)
    order = (a->name.line > b->name.line) - (a->name.line < b->name.line);
  return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}
