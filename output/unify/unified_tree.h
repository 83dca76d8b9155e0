/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file unified_tree.h
 * Which programs, modules and callpaths of several runs are the same: one tree that holds the callpaths of all.
 *
 * By address, callpaths are the same when their kinds, modules (by build id, else by path) and offsets agree all along
 * the path; phases by their names. Loops of all schedules are of one kind: a run may choose it.
 *
 * By name, for runs of different builds: when kinds, functions and files (their base names) agree all along the path,
 * and lines; of routines the line does not count. Lines move when a program is edited: of what has the same function
 * and file below one parent, the lines of one build are aligned with those of the other (line_alignment.h). What can be
 * aligned in several ways equally well is left alone: nothing tells which is which. A file that does not occur in all
 * builds may have been renamed, or one was built without lines: then the function alone counts.
 * Where a name is not known, offset and the module's base name count (the executable may be called otherwise).
 */
#ifndef HEDDLE_OUTPUT_UNIFY_UNIFIED_TREE_H
#define HEDDLE_OUTPUT_UNIFY_UNIFIED_TREE_H

#include "output/model/model.h"

enum hd_unite_by {
  HD_UNITE_BY_ADDRESS,
  HD_UNITE_BY_NAME,
  HD_UNITE_STRICTLY /* by address, and loops of different schedules are different */
};

struct hd_united_module {
  const struct hd_module *module; /* of the first run that has it */
  uint32_t flags;                 /* of all */
};

/** A callpath of any of the runs. */
struct hd_united_node {
  uint32_t parent;              /* the program, 0, is its own; parents come before their children */
  uint32_t module;              /* index into modules or HD_NONE */
  uint32_t target;              /* HD_PROFILE_BACK: the callpath that takes its time; else itself */
  uint32_t place;               /* equal for callpaths that end at the same place: hd_united_place_is_same() */
  uint32_t flags;               /* of all runs' nodes */
  const struct hd_model *model; /* the first run that has it */
  const struct hd_node *node;   /* and its node there; there may be others of the same run */
  const struct hd_node *named;  /* the first run's node that has a name; else the same */
};

struct hd_united {
  struct hd_model *const *models; /* the caller's; must outlive this */
  size_t model_count;
  enum hd_unite_by by;
  struct hd_united_node *nodes;
  uint32_t node_count;
  struct hd_united_module *modules;
  uint32_t module_count;
  uint32_t **node_of;   /* [model][node]: the united one */
  uint32_t **module_of; /* [model][module] */
  uint32_t moved;       /* callpaths matched though their lines differ */
};

/** Free with hd_united_free(). */
struct hd_united *hd_united_new(struct hd_model *const *models, size_t count, enum hd_unite_by by);
void hd_united_free(struct hd_united *united);

/** Whether two callpaths of the united tree end at the same place of the source: the same kind, function, file and
 * line; without a line, module and offset; phases by their names (place.h does the same for one run). */
bool hd_united_place_is_same(const struct hd_united *united, uint32_t a, uint32_t b);

#endif
