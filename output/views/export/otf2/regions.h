/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file regions.h
 * What OTF2 calls regions: the places of callpaths, and what threads wait for. Between the files of this folder only.
 */
#ifndef HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_REGIONS_H
#define HEDDLE_OUTPUT_VIEWS_EXPORT_OTF2_REGIONS_H

#include <otf2/otf2.h>

#include "output/model/model.h"

struct hd_otf2_region {
  uint32_t node;  /* one of those that are at the place */
  uint32_t state; /* HD_BUSY: the place; else the wait, at any place */
};

struct hd_otf2_regions;

struct hd_otf2_regions *hd_otf2_regions_new(const struct hd_model *model);
void hd_otf2_regions_free(struct hd_otf2_regions *regions);

/** The region of a slice; from 0 on, in the order in which they are asked for. */
OTF2_RegionRef hd_otf2_region(struct hd_otf2_regions *regions, uint32_t node, uint32_t state);

uint32_t hd_otf2_regions_count(const struct hd_otf2_regions *regions);
struct hd_otf2_region hd_otf2_region_at(const struct hd_otf2_regions *regions, OTF2_RegionRef region);

OTF2_RegionRole hd_otf2_role(const struct hd_model *model, const struct hd_otf2_region *region);
OTF2_Paradigm hd_otf2_paradigm(const struct hd_model *model, const struct hd_otf2_region *region);

#endif
