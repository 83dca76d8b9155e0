/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file scaling_fit.h
 * The numbers behind scaling_law.h: least squares within the bounds of the laws, and confidence limits.
 *
 * With a = T(1), b = T(1) * s and c = T(1) * k, both laws are sums,
 *
 *     T(p) = a / p + b * (p - 1) / p + c * (p - 1),        0 <= b <= a, 0 <= c (Amdahl: c = 0),
 *
 * and the sum of squares of (T - measured) / measured is a quadratic function of them. The bounds make a wedge of three
 * dimensions; on each of its eight *faces* (some bounds hold as equalities) the least squares without bounds have a
 * closed form. The least of those that lie in the wedge is the least there is. Likewise, how large or small a linear
 * function of a, b, c may become while the sum of squares stays below a limit is known on each face: that is where an
 * ellipsoid is touched by a plane.
 *
 * Times are relative to `unit`.
 */
#ifndef HEDDLE_OUTPUT_COMPARISON_SCALING_FIT_H
#define HEDDLE_OUTPUT_COMPARISON_SCALING_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_LAW_TERMS = 3 }; /* a, b, c */

/** From the least free to the freest, first those of Amdahl's law. */
enum hd_law_face_id {
  HD_FACE_NOTHING,            /* a = b = c = 0 */
  HD_FACE_PARALLEL,           /* b = 0 */
  HD_FACE_CONSTANT,           /* b = a */
  HD_FACE_AMDAHL,             /* a and b free */
  HD_FACE_COHERENCE,          /* a = b = 0: grows from nothing */
  HD_FACE_PARALLEL_COHERENCE, /* the first with c */
  HD_FACE_CONSTANT_COHERENCE,
  HD_FACE_USL,
  HD_FACE_COUNT
};

/** A measured time: the median of repeats. */
struct hd_law_point {
  double threads;
  double seconds;
  double variance; /* of the median, relative to it squared */
  double freedom;  /* how many values the variance is worth */
};

struct hd_law_face {
  double at[HD_LAW_TERMS]; /* where the squares are least, without the bounds that this face does not touch */
  double squares;          /* their sum there */
  double inverse[HD_LAW_TERMS][HD_LAW_TERMS]; /* of J'J, J being the relative errors' derivatives, within the face */
};

struct hd_law_faces {
  struct hd_law_face faces[HD_FACE_COUNT];
  double unit; /* seconds */
};

/** The three factors of a, b and c with p threads. */
void hd_law_factors(double threads, double factors[HD_LAW_TERMS]);

/** Fits all faces to `count` (3 at least) times, all positive. False: the points do not determine it. */
bool hd_law_faces_fit(const struct hd_law_point *points, size_t count, struct hd_law_faces *faces);

/** Whether the least squares have T(1) > 0. If not, there is no best law: the smaller T(1), the better. */
bool hd_law_faces_have_time_one(const struct hd_law_faces *faces);

/** The face with the least squares within the bounds and T(1) > 0, of the first `face_count`; of equal ones the least
 *  free. */
enum hd_law_face_id hd_law_faces_best(const struct hd_law_faces *faces, size_t face_count);

/** The largest value of factors * (a, b, c) within the bounds while the sum of squares stays below `limit`, of the
 * first `face_count` faces; `at` is where. */
double hd_law_faces_most(const struct hd_law_faces *faces, size_t face_count, const double factors[HD_LAW_TERMS],
                         double limit, double at[HD_LAW_TERMS]);

#endif
