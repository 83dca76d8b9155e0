/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/resolve_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/memory.h"
#include "output/model/node_text.h"
#include "output/symbols/namesakes.h"
#include "output/symbols/symbols.h"

/* A module whose names are being looked for; opened when the first of them is needed. */
struct module {
  bool tried;
  enum hd_symbols_status status;
  struct hd_symbols *symbols; /* NULL: none to be had */
  bool lacking;               /* a callpath whose names are not known either from the file */
  uint32_t places, nameless;  /* callpaths that end in it; those without a name */
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

static struct hd_symbols *symbols_of(struct resolver *resolver, uint32_t id) {
  struct module *module = &resolver->modules[id];
  const struct hd_module *about = &resolver->model->modules[id];
  if (module->tried)
    return module->symbols;
  module->tried = true;
  module->status = hd_symbols_open(about->path, about->build_id, about->build_id_bytes,
                                   resolver->model->header.begin_epoch_ns, &module->symbols);
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
    sprintf(copy, "%.*s%s", (int)length, function, mark);
    return copy;
  }
  return NULL;
}

static const char *keep(struct hd_model *model, char *text) {
  const char *copy = text ? hd_model_copy(model, text, strlen(text)) : NULL;
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
  place->name.function = keep(resolver->model, symbol.function);
  place->name.file = keep(resolver->model, symbol.file);
  place->name.line = symbol.line;
}

static bool is_better(const struct hd_name *found, const struct hd_name *known) {
  return (found->function && !known->function) || (found->line != 0 && known->line == 0);
}

/* Whether the name is as good as this machine can make it, and the file does not hold it. */
static bool resolve(struct resolver *resolver, struct hd_node *node) {
  struct hd_model *model = resolver->model;
  const bool known = node->name_cached || node->name_fresh;
  if (node->kind == HD_KIND_PHASE || (known && node->name.line != 0))
    return false; /* a phase's name is the program's to give */
  if (node->kind != HD_KIND_ROUTINE && has_no_site(model, node)) {
    if (!known)
      node->name.function = function_around(model, node, HD_UNKNOWN_SITE);
    return !known && node->name.function;
  }
  struct hd_symbols *symbols = node->module != HD_NONE ? symbols_of(resolver, node->module) : NULL;
  if (node->module != HD_NONE)
    resolver->modules[node->module].lacking |= !known;
  if (!symbols)
    return false;
  struct place *place = place_of(resolver, node);
  if (!place->node)
    look_up(resolver, symbols, node, place);
  struct hd_name found = place->name;
  if (node->flags & HD_PROFILE_TAIL_CALL)
    found = (struct hd_name){.function = found.function};
  if (place->outlined)
    found.function = function_around(model, node, "");
  if (known && !is_better(&found, &node->name))
    return false;
  node->name = found;
  return true;
}

/* ---- what has no names ---- */

enum { LISTED = 4, LIST_BYTES = 512 };

/* Modules that the same is to be said of. */
struct list {
  char text[LIST_BYTES]; /* "a, b and 3 more" */
  uint32_t count, last;
};

typedef bool (*is_listed)(const struct module *module);

static bool is_rebuilt(const struct module *module) {
  return module->lacking && module->status == HD_SYMBOLS_REBUILT;
}

static bool is_gone(const struct module *module) {
  return module->lacking && module->status == HD_SYMBOLS_GONE;
}

static bool is_unreadable(const struct module *module) {
  return module->lacking && module->status == HD_SYMBOLS_NO_MEMORY;
}

static bool is_nameless(const struct module *module) {
  return module->nameless > 0 && module->nameless == module->places;
}

static bool is_partly_nameless(const struct module *module) {
  return module->nameless > 0 && module->nameless < module->places;
}

static void list_modules(const struct resolver *resolver, is_listed is_one, struct list *list) {
  const struct hd_model *model = resolver->model;
  uint32_t all = 0;
  size_t used = 0;
  for (uint32_t i = 0; i < model->module_count; i++)
    all += is_one(&resolver->modules[i]);
  list->count = all;
  list->text[0] = '\0';
  for (uint32_t i = 0, at = 0; i < model->module_count && at <= LISTED; i++) {
    if (!is_one(&resolver->modules[i]))
      continue;
    list->last = i;
    const char *before = at == 0 ? "" : at + 1 == all || at == LISTED ? " and " : ", ";
    const size_t room = sizeof list->text - used;
    const int length = at < LISTED || at + 1 == all
                           ? snprintf(list->text + used, room, "%s%.100s", before, hd_base_name(model->modules[i].path))
                           : snprintf(list->text + used, room, "%s%u more", before, all - at);
    used += length > 0 && (size_t)length < room ? (size_t)length : 0;
    at++;
  }
}

static void note_unread(struct resolver *resolver) {
  struct hd_model *model = resolver->model;
  struct list list;
  list_modules(resolver, is_rebuilt, &list);
  if (list.count > 0)
    hd_model_add_note(model, "%s: rebuilt since the run; names not shown", list.text);
  list_modules(resolver, is_gone, &list);
  if (list.count == 1)
    hd_model_add_note(model, "%s: not found on this machine (%s); names not shown", list.text,
                      model->modules[list.last].path);
  else if (list.count > 1)
    hd_model_add_note(model, "%s: not found on this machine; names not shown", list.text);
  list_modules(resolver, is_unreadable, &list);
  if (list.count > 0)
    hd_model_add_note(model, "%s: cannot be read; names not shown", list.text);
}

static void note_nameless(struct resolver *resolver) {
  const char *cure = "; for names compile with -g, or use the distribution's debug symbols: packages (Debian: "
                     "NAME-dbgsym) or debuginfod (DEBUGINFOD_URLS)";
  struct list list;
  list_modules(resolver, is_nameless, &list);
  if (list.count > 0)
    hd_model_add_note(resolver->model, "no symbols in %s: its code is shown by address%s", list.text, cure);
  cure = list.count > 0 ? "" : cure;
  list_modules(resolver, is_partly_nameless, &list);
  if (list.count > 0)
    hd_model_add_note(resolver->model, "some code in %s has no symbols and is shown by address%s", list.text, cure);
}

static void count_nameless(struct resolver *resolver) {
  const struct hd_model *model = resolver->model;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_node *node = &model->nodes[i];
    if (node->module == HD_NONE || node->kind == HD_KIND_PHASE || node->kind == HD_KIND_PROGRAM ||
        (node->kind != HD_KIND_ROUTINE && has_no_site(model, node)))
      continue;
    resolver->modules[node->module].places++;
    resolver->modules[node->module].nameless += !node->name.function && (node->name_cached || node->name_fresh);
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
    if (resolve(&resolver, node)) {
      node->name_fresh = true;
      resolver.found++;
    }
  }
  for (uint32_t i = 0; i < model->module_count; i++)
    hd_symbols_close(resolver.modules[i].symbols);
  note_unread(&resolver);
  count_nameless(&resolver);
  note_nameless(&resolver);
  hd_names_mark_namesakes(model);
  free(resolver.modules);
  free(resolver.places);
  return resolver.found;
}
