/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/scaling_fit.h"

#include <cminpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The directions in which one can go on a face. */
static const struct {
  int count;
  double direction[HD_LAW_TERMS][HD_LAW_TERMS];
} frames[HD_FACE_COUNT] = {
    [HD_FACE_NOTHING] = {0, {{0}}},
    [HD_FACE_PARALLEL] = {1, {{1, 0, 0}}},
    [HD_FACE_CONSTANT] = {1, {{1, 1, 0}}},
    [HD_FACE_AMDAHL] = {2, {{1, 0, 0}, {0, 1, 0}}},
    [HD_FACE_COHERENCE] = {1, {{0, 0, 1}}},
    [HD_FACE_PARALLEL_COHERENCE] = {2, {{1, 0, 0}, {0, 0, 1}}},
    [HD_FACE_CONSTANT_COHERENCE] = {2, {{1, 1, 0}, {0, 0, 1}}},
    [HD_FACE_USL] = {3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
};

/* Relative errors smaller than this are rounding. */
static const double ROUNDING = 1e-12;

void hd_law_factors(double threads, double factors[HD_LAW_TERMS]) {
  factors[0] = 1 / threads;
  factors[1] = (threads - 1) / threads;
  factors[2] = threads - 1;
}

static double product(const double a[HD_LAW_TERMS], const double b[HD_LAW_TERMS]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- least squares on a face ---- */

struct problem {
  const double *threads;
  const double *seconds;
  double unit;
  enum hd_law_face_id face;
};

static double slope(const struct problem *problem, size_t point, int direction) {
  double factors[HD_LAW_TERMS];
  hd_law_factors(problem->threads[point], factors);
  return product(factors, frames[problem->face].direction[direction]) * problem->unit / problem->seconds[point];
}

/* As lmder() calls it: the relative errors, or their derivatives by columns. */
static int evaluate(void *context, int points, int directions, const double *along, double *errors, double *slopes,
                    int stride, int what) {
  const struct problem *problem = context;
  for (int i = 0; i < points; i++) {
    double value = 0;
    for (int j = 0; j < directions; j++) {
      const double here = slope(problem, (size_t)i, j);
      value += here * along[j];
      if (what == 2)
        slopes[i + j * stride] = here;
    }
    if (what == 1)
      errors[i] = value - 1;
  }
  return 0;
}

/* From the face's directions to a, b, c. */
static bool take_over(struct hd_law_face *face, enum hd_law_face_id id, const double *along, const double *inverse,
                      size_t stride) {
  bool finite = isfinite(face->squares);
  for (int i = 0; i < frames[id].count; i++)
    for (size_t k = 0; k < HD_LAW_TERMS; k++) {
      face->at[k] += along[i] * frames[id].direction[i][k];
      for (int j = 0; j < frames[id].count; j++)
        for (size_t l = 0; l < HD_LAW_TERMS; l++)
          face->inverse[k][l] +=
              inverse[(size_t)i + (size_t)j * stride] * frames[id].direction[i][k] * frames[id].direction[j][l];
    }
  for (size_t k = 0; k < HD_LAW_TERMS; k++)
    finite = finite && isfinite(face->at[k]) && isfinite(face->inverse[k][k]);
  return finite;
}

/* `work` has room for 5 numbers for each point. */
static bool fit_face(struct problem *problem, size_t count, double *work, struct hd_law_face *face) {
  const int points = (int)count, directions = frames[problem->face].count;
  double along[HD_LAW_TERMS] = {1, 0, 0}, scale[HD_LAW_TERMS], projected[HD_LAW_TERMS];
  double work1[HD_LAW_TERMS], work2[HD_LAW_TERMS], work3[HD_LAW_TERMS];
  int pivots[HD_LAW_TERMS], evaluations, derivations;
  double *errors = work, *slopes = work + count, *work4 = work + 4 * count;
  *face = (struct hd_law_face){.squares = (double)count};
  if (directions == 0)
    return true;
  lmder(evaluate, problem, points, directions, along, errors, slopes, points, 1e-15, 1e-15, 0, 100, scale, 1, 100, 0,
        &evaluations, &derivations, pivots, projected, work1, work2, work3, work4);
  evaluate(problem, points, directions, along, errors, slopes, points, 1);
  face->squares = 0;
  for (size_t i = 0; i < count; i++)
    face->squares += errors[i] * errors[i];
  covar(directions, slopes, points, pivots, 0, work1);
  return take_over(face, problem->face, along, slopes, count);
}

bool hd_law_faces_fit(const double *threads, const double *seconds, size_t count, struct hd_law_faces *faces) {
  double *work = calloc(count, 5 * sizeof *work);
  struct problem problem = {.threads = threads, .seconds = seconds, .unit = 0};
  bool fitted = work != NULL;
  for (size_t i = 0; i < count; i++)
    problem.unit = fmax(problem.unit, seconds[i]);
  faces->unit = problem.unit;
  for (size_t i = 0; i < HD_FACE_COUNT && fitted; i++) {
    problem.face = (enum hd_law_face_id)i;
    fitted = fit_face(&problem, count, work, &faces->faces[i]);
  }
  free(work);
  return fitted;
}

/* ---- within the bounds ---- */

static bool is_within(const double at[HD_LAW_TERMS], double tolerance) {
  return at[0] >= -tolerance && at[1] >= -tolerance && at[1] <= at[0] + tolerance && at[2] >= -tolerance;
}

enum hd_law_face_id hd_law_faces_best(const struct hd_law_faces *faces, size_t face_count) {
  enum hd_law_face_id best = HD_FACE_CONSTANT; /* always within */
  for (size_t i = 0; i < face_count; i++) {
    const struct hd_law_face *face = &faces->faces[i];
    const double rounding = faces->faces[HD_FACE_NOTHING].squares * ROUNDING * ROUNDING;
    if (face->at[0] > ROUNDING && is_within(face->at, 0) && face->squares + rounding < faces->faces[best].squares)
      best = (enum hd_law_face_id)i;
  }
  return best;
}

bool hd_law_faces_have_time_one(const struct hd_law_faces *faces) {
  const struct hd_law_face *without = &faces->faces[HD_FACE_COHERENCE];
  return !is_within(without->at, 0) ||
         faces->faces[hd_law_faces_best(faces, HD_FACE_COUNT)].squares <= without->squares;
}

double hd_law_faces_most(const struct hd_law_faces *faces, size_t face_count, const double factors[HD_LAW_TERMS],
                         double limit, double at[HD_LAW_TERMS]) {
  double most = -INFINITY;
  for (size_t i = 0; i < face_count; i++) {
    const struct hd_law_face *face = &faces->faces[i];
    double there[HD_LAW_TERMS], step[HD_LAW_TERMS];
    if (face->squares > limit)
      continue;
    for (size_t k = 0; k < HD_LAW_TERMS; k++)
      step[k] = product(face->inverse[k], factors);
    const double bend = product(step, factors);
    const double far = bend > 0 ? sqrt((limit - face->squares) / bend) : 0;
    for (size_t k = 0; k < HD_LAW_TERMS; k++)
      there[k] = face->at[k] + far * step[k];
    if (is_within(there, 1e-9 * fabs(there[0]) + ROUNDING) && product(there, factors) > most) {
      most = product(there, factors);
      memcpy(at, there, sizeof there);
    }
  }
  return most;
}
