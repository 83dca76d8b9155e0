/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/child.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt/shared/clock.h"
#include "ompt/shared/measuring.h"
#include "store/store.h"
#include "support/inprocess/pristine.h"
#include "support/inprocess/seccomp.h"
#include "support/lasting.h"

struct hd_child hd_child HD_LASTING = {0};

static struct {
  struct hd_file_header *parent; /* of the parent's profile; NULL: it has been told */
  uint64_t mapped_bytes;
} inherited HD_LASTING = {0};

/* The child of a child that is new has that one's parent for its own. */
void hd_child_forked(bool measured) {
  hd_child.forked_ns = hd_clock_monotonic_ns();
  if (!measured)
    return;
  inherited.parent = hd_store.header;
  inherited.mapped_bytes = hd_store.open_bytes;
  hd_child.parent_pid = hd_store.header->pid;
  hd_child.is_paused = hd_clock_is_paused();
  hd_child.is_new = true;
  hd_seccomp_follow();
}

/* What the runtime still has of the parent's may lead into its profile: there is memory of the child's own in its place
 * from here on. */
static bool replace(char *begin, size_t bytes) {
  return mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

/* All but the page with the header, by which the child tells its parent. */
static uint64_t header_bytes(void) {
  const long page = sysconf(_SC_PAGESIZE);
  return page > (long)HD_HEADER_BYTES ? (uint64_t)page : HD_HEADER_BYTES;
}

bool hd_child_forget_parent(void) {
  const uint64_t kept = header_bytes();
  hd_child.is_new = false;
  if (hd_seccomp_is_expected() && hd_seccomp_is_new())
    return false;
  hd_seccomp_leave();
  return (kept >= inherited.mapped_bytes || replace((char *)inherited.parent + kept, inherited.mapped_bytes - kept)) &&
         hd_pristine_restore();
}

void hd_child_tell_parent(bool measured) {
  struct hd_file_header *parent = inherited.parent;
  if (!parent)
    return;
  if (!measured) {
    __atomic_fetch_add(&parent->unmeasured_children, 1, __ATOMIC_RELAXED);
  } else {
    const uint32_t number = __atomic_fetch_add(&parent->children, 1, __ATOMIC_RELAXED);
    if (number < HD_CHILD_PIDS)
      parent->child_pids[number] = (uint32_t)getpid();
  }
  inherited.parent = NULL;
  replace((char *)parent, header_bytes());
}
