/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file module_bytes.h
 * What a module's file holds at an address: its code, and its data before the dynamic linker has been at work.
 */
#ifndef HEDDLE_OUTPUT_SYMBOLS_MODULE_BYTES_H
#define HEDDLE_OUTPUT_SYMBOLS_MODULE_BYTES_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/** The bytes from `address`, one of libdwfl's, to the end of its section, and how many they are. The module's; NULL:
 *  there are none. */
const uint8_t *hd_module_bytes(Dwfl_Module *module, Dwarf_Addr address, size_t *count);

#endif
