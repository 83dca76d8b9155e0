/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/alarms.h"

uint32_t hd_alarms = HD_ALARM_CLOCK; /* until one is chosen */
