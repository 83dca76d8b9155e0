/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file numbered.h
 * Records of the process in the profile file whose number is their place. Several threads may add records at the same
 * time, and none waits for another. The caller hands out the numbers and fills the records.
 */
#ifndef HEDDLE_STORE_NUMBERED_H
#define HEDDLE_STORE_NUMBERED_H

#include "store/store.h"
#include "support/inprocess/list.h"

struct hd_numbered {
  enum hd_block_type type;
  uint32_t record_bytes;
  uint32_t early; /* the last block that some thread makes, or has made, before it is needed */
  struct hd_list blocks;
};

/** The place of record `i`, zeroed at first. The caller has asked for all earlier ones. NULL: the file cannot grow. */
void *hd_numbered_record(struct hd_numbered *records, struct hd_store *store, uint32_t i);

/** Makes all records up to the i-th, which are complete, visible to readers. */
void hd_numbered_publish(struct hd_numbered *records, uint32_t i);

#endif
