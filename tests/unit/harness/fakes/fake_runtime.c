/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A module whose file is called libomp*: return addresses in it count as the runtime's own. */
void fake_runtime_function(void);
__attribute__((visibility("default"))) void fake_runtime_function(void) {}
