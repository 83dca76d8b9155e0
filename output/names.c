/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/symbols.h"

/* A module whose names are being looked for; opened when the first of them is needed. */
struct module {
  bool tried;
  struct hd_symbols *symbols;  /* NULL: none to be had */
  uint32_t routines, nameless; /* callpaths that end in a routine of it; without a name */
};

/* What an address was found to stand for: many callpaths share it. */
struct place {
  const struct hd_node *node; /* the first of them; NULL: free */
  struct hd_name name;
  bool outlined;
};

struct resolver {
  struct hd_model *model;
  struct module *modules;
  struct place *places; /* hash table by module, offset and whether it is a routine's */
  uint32_t mask;
  size_t found;
};

static void note_missing(struct hd_model *model, const struct hd_module *module, enum hd_symbols_status status) {
  const char *name = hd_base_name(module->path);
  if (status == HD_SYMBOLS_REBUILT)
    hd_model_add_note(model, "%s: rebuilt since the run; names not shown", name);
  else if (status == HD_SYMBOLS_GONE)
    hd_model_add_note(model, "%s: not found on this machine (%s); names not shown", name, module->path);
  else
    hd_model_add_note(model, "%s: cannot be read; names not shown", name);
}

static struct hd_symbols *symbols_of(struct resolver *resolver, uint32_t id) {
  struct module *module = &resolver->modules[id];
  const struct hd_module *about = &resolver->model->modules[id];
  if (module->tried)
    return module->symbols;
  module->tried = true;
  const enum hd_symbols_status status = hd_symbols_open(about->path, about->build_id, about->build_id_bytes,
                                                        resolver->model->header.begin_epoch_ns, &module->symbols);
  if (status != HD_SYMBOLS_OK)
    note_missing(resolver->model, about, status);
  return module->symbols;
}

static bool is_runtime(const char *path) {
  const char *name = hd_base_name(path);
  return strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0 || strncmp(name, "libgomp", 7) == 0;
}

/* The address is no help: it lies in the runtime (the caller made a tail call), or the runtime gave none. */
static bool has_no_site(const struct hd_model *model, const struct hd_node *node) {
  return (node->flags & HD_PROFILE_IN_RUNTIME) || node->address == 0 ||
         (node->module != HD_NONE && is_runtime(model->modules[node->module].path));
}

/* The function of the nearest construct around a node that has one, as a copy without the mark; NULL: none. */
static char *function_around(struct hd_model *model, const struct hd_node *node, const char *mark) {
  while (node->id != 0 && node->parent != 0) {
    node = &model->nodes[node->parent];
    const char *function = node->name.function;
    if (!function || node->kind == HD_KIND_PHASE)
      continue;
    const char *old = strstr(function, HD_UNKNOWN_SITE);
    const size_t length = old ? (size_t)(old - function) : strlen(function);
    char *copy = hd_model_allocate(model, length + strlen(mark) + 1);
    if (copy)
      sprintf(copy, "%.*s%s", (int)length, function, mark);
    return copy;
  }
  return NULL;
}

static const char *keep(struct hd_model *model, char *text) {
  if (!text)
    return NULL;
  char *copy = hd_model_allocate(model, strlen(text) + 1);
  if (copy)
    strcpy(copy, text);
  free(text);
  return copy;
}

static bool is_routine(const struct hd_node *node) {
  return node->kind == HD_KIND_ROUTINE;
}

static struct place *place_of(struct resolver *resolver, const struct hd_node *node) {
  uint64_t hash = ((node->offset << 1 | is_routine(node)) ^ (uint64_t)node->module << 48) * 0x9e3779b97f4a7c15u;
  for (uint32_t slot = (uint32_t)(hash >> 32) & resolver->mask;; slot = (slot + 1) & resolver->mask) {
    struct place *place = &resolver->places[slot];
    const struct hd_node *other = place->node;
    if (!other ||
        (other->module == node->module && other->offset == node->offset && is_routine(other) == is_routine(node)))
      return place;
  }
}

static void look_up(struct resolver *resolver, struct hd_symbols *symbols, const struct hd_node *node,
                    struct place *place) {
  struct hd_symbol symbol;
  if (is_routine(node))
    hd_symbols_find_routine(symbols, node->offset, node->address, &symbol);
  else
    hd_symbols_find(symbols, node->offset, node->address, &symbol);
  place->node = node;
  place->outlined = symbol.outlined;
  place->name =
      (struct hd_name){keep(resolver->model, symbol.function), keep(resolver->model, symbol.file), symbol.line};
}

/* Whether the name is now as good as this machine can make it. */
static bool resolve(struct resolver *resolver, struct hd_node *node) {
  struct hd_model *model = resolver->model;
  if (node->kind == HD_KIND_PHASE)
    return false; /* its name is the program's to give */
  if (node->kind != HD_KIND_ROUTINE && has_no_site(model, node)) {
    node->name.function = function_around(model, node, HD_UNKNOWN_SITE);
    return node->name.function != NULL;
  }
  struct hd_symbols *symbols = node->module != HD_NONE ? symbols_of(resolver, node->module) : NULL;
  if (!symbols)
    return false;
  struct place *place = place_of(resolver, node);
  if (!place->node)
    look_up(resolver, symbols, node, place);
  node->name = place->name;
  if (place->outlined)
    node->name.function = function_around(model, node, "");
  return true;
}

/* Modules that were read but do not name all of their routines: stripped, mostly. */
static void note_nameless(struct resolver *resolver) {
  struct hd_model *model = resolver->model;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (node->kind != HD_KIND_ROUTINE || node->module == HD_NONE)
      continue;
    resolver->modules[node->module].routines++;
    resolver->modules[node->module].nameless += !node->name.function && (node->name_cached || node->name_fresh);
  }
  for (uint32_t i = 0; i < model->module_count; i++) {
    const struct module *module = &resolver->modules[i];
    const char *name = hd_base_name(model->modules[i].path);
    if (module->nameless > 0 && module->nameless == module->routines)
      hd_model_add_note(model, "no symbols in %s: its routines are shown by address", name);
    else if (module->nameless > 0)
      hd_model_add_note(model, "%s does not name all of its routines: the others are shown by address", name);
  }
}

size_t hd_names_resolve(struct hd_model *model) {
  struct resolver resolver = {.model = model, .mask = 15};
  while (resolver.mask / 2 < model->node_count)
    resolver.mask = resolver.mask * 2 + 1;
  resolver.modules = calloc((size_t)model->module_count + 1, sizeof *resolver.modules);
  resolver.places = calloc((size_t)resolver.mask + 1, sizeof *resolver.places);
  model->nodes[0].name.function = model->header.program;
  if (!resolver.modules || !resolver.places) {
    free(resolver.modules);
    free(resolver.places);
    return 0;
  }
  for (uint32_t i = 1; i < model->node_count; i++) { /* parents first: children may ask for their names */
    struct hd_node *node = &model->nodes[i];
    if (!node->name_cached && !node->name_fresh)
      resolver.found += node->name_fresh = resolve(&resolver, node);
  }
  for (uint32_t i = 0; i < model->module_count; i++)
    hd_symbols_close(resolver.modules[i].symbols);
  note_nameless(&resolver);
  free(resolver.modules);
  free(resolver.places);
  return resolver.found;
}

bool hd_names_cache(const char *path) {
  struct hd_model *model = NULL;
  char error[64];
  if (!hd_profile_open(path, &model, error, sizeof error))
    return false;
  const bool done = hd_names_resolve(model) > 0 && hd_names_store(model);
  hd_model_free(model);
  return done;
}
