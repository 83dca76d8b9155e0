/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A league of two teams. The initial thread of team i works i + 1 units, then it opens a region of two threads, of
 * which thread j works j + 1 units. In units, from the league's begin:
 *   team 0: one until 1, two until 2, one until 3; team 1: one until 2, two until 3, one until 4
 *   league: elapsed 4; elapsed at 2 1, at 3 2, at 1 1; thread-time at 2 2, at 3 1; wall share 4/3
 *   team, two instances: elapsed 4; elapsed at 3 3, at 1 1; thread-time at 3 5, at 1 1; wall share 8/3
 */
#include <omp.h>

#include "books.h"

int main(int argc, char **argv) {
  open_books(argc, argv);
  at(NULL);
  uint64_t begin = now_ns();
#pragma omp teams num_teams(2) thread_limit(2) // mark: league
  {
    work_at("league", omp_get_team_num() + 1);
    uint64_t team_begin_ns = now_ns();
#pragma omp parallel num_threads(2) // mark: team
    work_at("team", omp_get_thread_num() + 1);
    window("team", team_begin_ns);
  }
  window("teams", begin);
  at("outside");
  close_books();
  return 0;
}
