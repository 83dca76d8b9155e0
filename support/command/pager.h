/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file pager.h
 * Results that are longer than the terminal go through a pager: $HEDDLE_PAGER, else $PAGER, else less.
 *
 * They are kept in a file in memory until all are there. So there is no pager for what fits, and none is needed to know
 * that.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_PAGER_H
#define HEDDLE_SUPPORT_COMMAND_PAGER_H

#include "support/command/options.h"

hd_option_taker hd_take_no_pager;

#define HD_OPTION_PAGER                                                                                                \
  {0, "no-pager", NULL, "do not show what is longer than the terminal with a pager (HEDDLE_PAGER, PAGER or less)",     \
   .take = hd_take_no_pager}

/** From now on standard output is kept, if it is a terminal and there may be a pager. Its width and whether it has
 *  colour are still those of the terminal. */
void hd_pager_begin(void);

/** Shows what was kept; nothing without hd_pager_begin(). False: it could not be written. */
bool hd_pager_end(void);

#endif
