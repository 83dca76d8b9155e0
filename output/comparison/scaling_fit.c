/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/scaling_fit.h"

#include <math.h>
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

/* The relative errors' slopes along a face's directions, and what they shall add up to: 1. */
static void set_row(enum hd_law_face_id id, double threads, double relative_seconds, double row[HD_LAW_TERMS + 1]) {
  double factors[HD_LAW_TERMS];
  hd_law_factors(threads, factors);
  for (int i = 0; i < frames[id].count; i++)
    row[i] = product(factors, frames[id].direction[i]) / relative_seconds;
  row[frames[id].count] = 1;
}

/* Rotates a row into the triangle of those before (Givens): what is left of its last number is no combination of
 * theirs. */
static double rotate(double triangle[HD_LAW_TERMS][HD_LAW_TERMS + 1], int directions, double row[HD_LAW_TERMS + 1]) {
  for (int i = 0; i < directions; i++) {
    const double length = hypot(triangle[i][i], row[i]);
    const double cosine = length > 0 ? triangle[i][i] / length : 1, sine = length > 0 ? row[i] / length : 0;
    for (int j = i; j <= directions; j++) {
      const double above = triangle[i][j];
      triangle[i][j] = cosine * above + sine * row[j];
      row[j] = cosine * row[j] - sine * above;
    }
  }
  return row[directions];
}

/* From the triangle T of the face's directions D to a, b, c: M = D' / T has M M' = inverse of J'J. */
static bool take_over(struct hd_law_face *face, enum hd_law_face_id id, double triangle[][HD_LAW_TERMS + 1]) {
  double m[HD_LAW_TERMS][HD_LAW_TERMS] = {{0}};
  bool finite = isfinite(face->squares);
  for (int k = 0; k < HD_LAW_TERMS; k++)
    for (int j = 0; j < frames[id].count; j++) {
      m[k][j] = frames[id].direction[j][k];
      for (int i = 0; i < j; i++)
        m[k][j] -= m[k][i] * triangle[i][j];
      m[k][j] /= triangle[j][j];
      face->at[k] += m[k][j] * triangle[j][frames[id].count];
    }
  for (int k = 0; k < HD_LAW_TERMS; k++) {
    for (int l = 0; l < HD_LAW_TERMS; l++)
      face->inverse[k][l] = product(m[k], m[l]);
    finite = finite && isfinite(face->at[k]) && isfinite(face->inverse[k][k]);
  }
  return finite;
}

bool hd_law_faces_fit(const struct hd_law_point *points, size_t count, struct hd_law_faces *faces) {
  bool fitted = true;
  *faces = (struct hd_law_faces){.unit = 0};
  for (size_t i = 0; i < count; i++)
    faces->unit = fmax(faces->unit, points[i].seconds);
  for (int id = 0; id < HD_FACE_COUNT && fitted; id++) {
    double triangle[HD_LAW_TERMS][HD_LAW_TERMS + 1] = {{0}}, row[HD_LAW_TERMS + 1];
    for (size_t i = 0; i < count; i++) {
      set_row((enum hd_law_face_id)id, points[i].threads, points[i].seconds / faces->unit, row);
      const double error = rotate(triangle, frames[id].count, row);
      faces->faces[id].squares += error * error;
    }
    fitted = take_over(&faces->faces[id], (enum hd_law_face_id)id, triangle);
  }
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
