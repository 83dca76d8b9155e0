/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file sigbus_guard.h
 * Large profiles, and the programs whose names are looked up, are mapped and not copied. If someone truncates such a
 * file while it is read, SIGBUS would end the command.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_SIGBUS_GUARD_H
#define HEDDLE_SUPPORT_COMMAND_SIGBUS_GUARD_H

/** From now on the process says which file it was, and exits with status 1. Of the command only: libheddle.so installs
 *  no handler. */
void hd_sigbus_guard(void);

#endif
