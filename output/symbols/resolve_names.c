/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/resolve_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/control_note.h"
#include "output/model/memory.h"
#include "output/model/node_text.h"
#include "output/symbols/namesakes.h"
#include "output/symbols/symbols.h"
#include "support/command/memory.h"

#define uthash_fatal(why) hd_no_memory()
#include <uthash.h>

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
  struct place_key {
    uint64_t offset;
    uint32_t module;
    uint32_t call; /* enum hd_symbols_call, or ROUTINE */
  } key;
  struct hd_name name;
  bool outlined;
  UT_hash_handle hh;
};

struct resolver {
  struct hd_model *model;
  struct module *modules;
  struct place *places; /* the model's memory */
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

/* The taskloop that a task is part of, which the runtime creates, at no place of the program's; NULL: none. */
static const struct hd_node *taskloop_of(const struct hd_model *model, const struct hd_node *task) {
  while (task->kind == HD_KIND_TASK && (task->flags & HD_PROFILE_IN_RUNTIME))
    task = &model->nodes[task->parent];
  return task->kind == HD_KIND_TASKLOOP && !has_no_site(model, task) ? task : NULL;
}

static const char *keep(struct hd_model *model, char *text) {
  const char *copy = text ? hd_model_copy(model, text, strlen(text)) : NULL;
  free(text);
  return copy;
}

enum { ROUTINE = HD_CALL_OF_REGION + 1 };

static uint32_t call_of(enum hd_kind kind) {
  if (kind == HD_KIND_ROUTINE)
    return ROUTINE;
  if (hd_kind_of_site(kind) == HD_KIND_LOOP)
    return HD_CALL_OF_LOOP;
  if (kind == HD_KIND_PARALLEL)
    return HD_CALL_OF_REGION;
  return kind == HD_KIND_SINGLE ? HD_CALL_OF_SINGLE : HD_CALL_PLAIN;
}

static const struct place *look_up(struct resolver *resolver, struct hd_symbols *symbols, const struct hd_node *node) {
  const struct place_key key = {node->offset, node->module, call_of(node->kind)};
  struct hd_symbol symbol;
  struct place *place = NULL;
  /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the key has no gaps */
  HASH_FIND(hh, resolver->places, &key, sizeof key, place);
  if (place)
    return place;
  if (key.call == ROUTINE)
    hd_symbols_find_routine(symbols, node->offset, node->address, &symbol);
  else
    hd_symbols_find(symbols, node->offset, node->address, (enum hd_symbols_call)key.call, &symbol);
  place = hd_model_allocate(resolver->model, sizeof *place);
  place->key = key;
  place->outlined = symbol.outlined;
  place->name = (struct hd_name){.function = keep(resolver->model, symbol.function),
                                 .file = keep(resolver->model, symbol.file),
                                 .line = symbol.line};
  HASH_ADD(hh, resolver->places, key, sizeof key, place);
  return place;
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
    const struct hd_node *taskloop = taskloop_of(model, node);
    if (!known && taskloop)
      node->name = taskloop->name;
    else if (!known)
      node->name.function = function_around(model, node, HD_UNKNOWN_SITE);
    return !known && node->name.function;
  }
  struct hd_symbols *symbols = node->module != HD_NONE ? symbols_of(resolver, node->module) : NULL;
  if (node->module != HD_NONE)
    resolver->modules[node->module].lacking |= !known;
  if (!symbols)
    return false;
  const struct place *place = look_up(resolver, symbols, node);
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

enum lack { REBUILT, GONE, NAMELESS, PARTLY_NAMELESS };

static bool has_lack(const struct module *module, enum lack lack) {
  switch (lack) {
  case REBUILT:
    return module->lacking && module->status == HD_SYMBOLS_REBUILT;
  case GONE:
    return module->lacking && module->status == HD_SYMBOLS_GONE;
  case NAMELESS:
    return module->nameless > 0 && module->nameless == module->places;
  default:
    return module->nameless > 0 && module->nameless < module->places;
  }
}

static struct list list_modules(const struct resolver *resolver, enum lack lack) {
  const struct hd_model *model = resolver->model;
  struct list list = {0};
  size_t used = 0;
  for (uint32_t i = 0; i < model->module_count; i++)
    list.count += has_lack(&resolver->modules[i], lack);
  for (uint32_t i = 0, at = 0; i < model->module_count && at <= LISTED; i++) {
    if (!has_lack(&resolver->modules[i], lack))
      continue;
    list.last = i;
    const char *before = at == 0 ? "" : at + 1 == list.count || at == LISTED ? " and " : ", ";
    const size_t room = sizeof list.text - used;
    const int length = at < LISTED || at + 1 == list.count
                           ? snprintf(list.text + used, room, "%s%.100s", before, hd_base_name(model->modules[i].path))
                           : snprintf(list.text + used, room, "%s%u more", before, list.count - at);
    used += length > 0 && (size_t)length < room ? (size_t)length : 0;
    at++;
  }
  return list;
}

static void note_unread(const struct resolver *resolver) {
  struct hd_model *model = resolver->model;
  const struct list rebuilt = list_modules(resolver, REBUILT);
  const struct list gone = list_modules(resolver, GONE);
  if (rebuilt.count > 0)
    hd_model_add_note(model, "%s: rebuilt since the run; names not shown", rebuilt.text);
  if (gone.count == 1)
    hd_model_add_note(model, "%s: not found on this machine (%s); names not shown", gone.text,
                      model->modules[gone.last].path);
  else if (gone.count > 1)
    hd_model_add_note(model, "%s: not found on this machine; names not shown", gone.text);
}

static void note_nameless(const struct resolver *resolver) {
  const char *cure = "; for names compile with -g, or use the distribution's debug symbols: packages (Debian: "
                     "NAME-dbgsym) or debuginfod (DEBUGINFOD_URLS)";
  const struct list nameless = list_modules(resolver, NAMELESS);
  const struct list partly = list_modules(resolver, PARTLY_NAMELESS);
  if (nameless.count > 0)
    hd_model_add_note(resolver->model, "no symbols in %s: its code is shown by address%s", nameless.text, cure);
  if (partly.count > 0)
    hd_model_add_note(resolver->model, "some code in %s has no symbols and is shown by address%s", partly.text,
                      nameless.count > 0 ? "" : cure);
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
  struct resolver resolver = {.model = model, .modules = hd_new(model->module_count, sizeof *resolver.modules)};
  size_t found = 0;
  model->nodes[0].name.function = model->header.program;
  for (uint32_t i = 1; i < model->node_count; i++) { /* parents first: children may ask for their names */
    struct hd_node *node = &model->nodes[i];
    if (resolve(&resolver, node)) {
      node->name_fresh = true;
      found++;
    }
  }
  HASH_CLEAR(hh, resolver.places);
  for (uint32_t i = 0; i < model->module_count; i++)
    hd_symbols_close(resolver.modules[i].symbols);
  note_unread(&resolver);
  count_nameless(&resolver);
  note_nameless(&resolver);
  hd_names_mark_namesakes(model);
  hd_model_note_control(model);
  free(resolver.modules);
  return found;
}
