/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/comparison/scaling_law.h"

#include <math.h>
#include <stdlib.h>

#include "output/comparison/scaling_fit.h"
#include "support/command/memory.h"

/* Predictions are told when the longest time is at most so many times the shortest; far beyond what was measured the
 * laws are believed only when they leave little open. */
static const double SPAN_MOST = 2, SPAN_MOST_FAR = 1.25;
static const double FAR = 4; /* times the largest number of threads measured */

/* Amdahl's law is refuted when it fails by so many times what would do. */
static const double REFUTED = 2;

/* The standard deviation that is left unexplained at least: four points may lie on a law by luck. */
static const double MISFIT_LEAST = 0.015;

static const size_t face_counts[HD_LAW_COUNT] = {HD_FACE_COHERENCE, HD_FACE_COUNT};
static const enum hd_law_face_id whole[HD_LAW_COUNT] = {HD_FACE_AMDAHL, HD_FACE_USL};
static const double time_one[HD_LAW_TERMS] = {1, 0, 0}, serial[HD_LAW_TERMS] = {0, 1, 0},
                    coherence[HD_LAW_TERMS] = {0, 0, 1};

struct hd_law_data {
  struct hd_law_faces faces;
  enum hd_law_face_id best[HD_LAW_COUNT];
  double variance; /* the mean of the points'; NaN: not known, because a point has too few repeats */
  size_t count;
  struct hd_law_point points[]; /* that have a time */
};

/* ---- points ---- */

/* NULL: added, or it has no time; else why it cannot be. */
static const char *add_point(struct hd_law_data *data, const struct hd_scaling_point *point) {
  const struct hd_sample *sample = &point->seconds;
  if (sample->count == 0)
    return NULL;
  const double seconds = sample->values[hd_median_index(sample->values, sample->count)];
  if (point->threads == 0 || !isfinite(seconds) || seconds < 0)
    return "a time is not known";
  if (!(seconds > 0) || !isnormal(seconds))
    return "a time is zero";
  const double variance = hd_median_variance(sample) / seconds / seconds;
  data->points[data->count++] = (struct hd_law_point){point->threads, seconds, variance, (double)sample->count - 1};
  data->variance += variance;
  return NULL;
}

static size_t count_different(const struct hd_law_data *data) {
  size_t different = 0;
  for (size_t i = 0; i < data->count; i++) {
    size_t j = 0;
    while (j < i && fabs(data->points[j].threads - data->points[i].threads) > 0.5)
      j++;
    different += j == i;
  }
  return different;
}

/* NULL: there are enough; else why not. */
static const char *gather(struct hd_law_data *data, const struct hd_scaling_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *why = add_point(data, &points[i]);
    if (why)
      return why;
  }
  data->variance /= (double)data->count;
  return count_different(data) < HD_LAW_POINTS_LEAST ? "fewer than 4 thread counts" : NULL;
}

/* ---- confidence limits ---- */

/* Student's t: 95 % lie between plus and minus this. */
static double student(double freedom) {
  static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  const size_t rows = sizeof table / sizeof *table;
  if (freedom < 1)
    return table[0];
  return freedom < (double)rows + 1 ? table[(size_t)freedom - 1] : 1.96 + 2.5 / freedom;
}

static double freedom_left(const struct hd_law_data *data, enum hd_law law) {
  return (double)data->count - (law == HD_LAW_AMDAHL ? 2 : 3);
}

static double least_squares(const struct hd_law_data *data, enum hd_law law) {
  return data->faces.faces[data->best[law]].squares;
}

/* How far off the law may be, squared, by the relative errors that the noise of repeats does not explain. */
static double misfit(const struct hd_law_data *data, enum hd_law law) {
  const double all = least_squares(data, law) / freedom_left(data, law);
  const double unexplained = isnan(data->variance) ? all : fmax(0, all - data->variance);
  const double quantile = student(freedom_left(data, law));
  return quantile * quantile * unexplained + 1.96 * 1.96 * MISFIT_LEAST * MISFIT_LEAST;
}

/* What the noise of the repeats does to factors * (a, b, c): as if all points had this variance; and, in squares of the
 * standard error, how far off it may be. Points weigh as much as the value depends on them, and the freedom is what
 * Welch and Satterthwaite make of it. */
static double noise_budget(const struct hd_law_data *data, enum hd_law law, const double factors[HD_LAW_TERMS]) {
  const struct hd_law_face *face = &data->faces.faces[whole[law]];
  double weights = 0, sum = 0, parts = 0;
  for (size_t i = 0; i < data->count; i++) {
    double here[HD_LAW_TERMS], weight = 0;
    const struct hd_law_point *point = &data->points[i];
    hd_law_factors(point->threads, here);
    for (size_t k = 0; k < HD_LAW_TERMS; k++)
      for (size_t l = 0; l < HD_LAW_TERMS; l++)
        weight += here[k] * face->inverse[k][l] * factors[l];
    weight *= weight / (point->seconds * point->seconds);
    const double part = weight * point->variance;
    weights += weight;
    sum += part;
    parts += part * part / point->freedom;
  }
  if (!(sum > 0))
    return 0;
  const double quantile = student(sum * sum / parts);
  return quantile * quantile * sum / weights;
}

/* How much larger than the least the sum of squares may be. */
static double budget(const struct hd_law_data *data, enum hd_law law, const double factors[HD_LAW_TERMS]) {
  return (isnan(data->variance) ? 0 : noise_budget(data, law, factors)) + misfit(data, law);
}

static double limit(const struct hd_law_data *data, enum hd_law law, const double factors[HD_LAW_TERMS]) {
  return least_squares(data, law) + budget(data, law, factors);
}

static double value(const struct hd_law_data *data, enum hd_law law, const double factors[HD_LAW_TERMS]) {
  const double *at = data->faces.faces[data->best[law]].at;
  return factors[0] * at[0] + factors[1] * at[1] + factors[2] * at[2];
}

/* Of factors * (a, b, c), in units. */
static struct hd_interval interval_of(const struct hd_law_data *data, enum hd_law law,
                                      const double factors[HD_LAW_TERMS]) {
  double at[HD_LAW_TERMS];
  const double negative[HD_LAW_TERMS] = {-factors[0], -factors[1], -factors[2]};
  const double most = limit(data, law, factors);
  return (struct hd_interval){-hd_law_faces_most(&data->faces, face_counts[law], negative, most, at),
                              hd_law_faces_most(&data->faces, face_counts[law], factors, most, at)};
}

/* The largest sign * part / a, from where the fit has it. Dinkelbach 1967: when part - ratio * a can become positive,
 * the ratio there is larger. */
static double most_of_a(const struct hd_law_data *data, enum hd_law law, const double part[HD_LAW_TERMS], double sign) {
  double ratio = sign * value(data, law, part) / value(data, law, time_one), at[HD_LAW_TERMS];
  double factors[HD_LAW_TERMS] = {-ratio, sign * part[1], sign * part[2]};
  const double most = limit(data, law, factors);
  for (int i = 0; i < 50; i++) {
    factors[0] = -ratio;
    if (!(hd_law_faces_most(&data->faces, face_counts[law], factors, most, at) > 1e-13))
      return ratio;
    if (at[0] < 1e-9)
      return part[2] > 0 ? INFINITY : fmax(sign, 0);
    ratio = fmax(ratio, (factors[1] * at[1] + factors[2] * at[2]) / at[0]);
  }
  return ratio;
}

static struct hd_interval interval_of_a(const struct hd_law_data *data, enum hd_law law,
                                        const double part[HD_LAW_TERMS]) {
  return (struct hd_interval){fmax(0, -most_of_a(data, law, part, -1)), most_of_a(data, law, part, 1)};
}

/* ---- the fit ---- */

/* Where the time is shortest. A peak that the noise may have made is none. */
static double peak_of(const struct hd_law_fit *fit) {
  if (fit->serial >= 1)
    return 1;
  return fit->coherence_interval.low > 0 ? fmax(1, sqrt((1 - fit->serial) / fit->coherence)) : INFINITY;
}

static void describe(const struct hd_law_data *data, enum hd_law law, struct hd_law_fit *fit) {
  const double unit = data->faces.unit, one = value(data, law, time_one);
  fit->time_one = one * unit;
  fit->serial = value(data, law, serial) / one;
  fit->coherence = value(data, law, coherence) / one;
  const struct hd_interval times = interval_of(data, law, time_one);
  fit->time_one_interval = (struct hd_interval){fmax(0, times.low) * unit, times.high * unit};
  fit->serial_interval = interval_of_a(data, law, serial);
  fit->coherence_interval = (struct hd_interval){0, 0};
  if (law == HD_LAW_USL)
    fit->coherence_interval = interval_of_a(data, law, coherence);
  fit->residual = sqrt(least_squares(data, law) / (double)data->count);
  fit->peak = peak_of(fit);
}

static double law_seconds(const struct hd_law_data *data, enum hd_law law, double threads) {
  double factors[HD_LAW_TERMS];
  hd_law_factors(threads, factors);
  return value(data, law, factors) * data->faces.unit;
}

static void fill_residuals(struct hd_scaling *scaling, enum hd_law law) {
  const struct hd_law_data *data = scaling->data;
  double *residuals = scaling->residuals + (size_t)law * scaling->point_count;
  const struct hd_law_point *point = data->points;
  for (size_t i = 0; i < scaling->point_count; i++) {
    const bool timed = scaling->points[i].seconds.count > 0;
    residuals[i] = timed ? 1 - law_seconds(data, law, point->threads) / point->seconds : NAN;
    point += timed;
  }
}

static bool refutes_amdahl(const struct hd_law_data *data) {
  return least_squares(data, HD_LAW_AMDAHL) >
         least_squares(data, HD_LAW_USL) + REFUTED * budget(data, HD_LAW_USL, coherence);
}

void hd_scaling_fit(const struct hd_scaling_point *points, size_t count, struct hd_scaling *scaling) {
  *scaling = (struct hd_scaling){.points = points, .point_count = count};
  scaling->residuals = hd_new(HD_LAW_COUNT * count, sizeof *scaling->residuals);
  struct hd_law_data *data = scaling->data = hd_new(1, sizeof *data + count * sizeof *data->points);
  scaling->why = gather(data, points, count);
  if (!scaling->why && !hd_law_faces_fit(data->points, data->count, &data->faces))
    scaling->why = "the thread counts do not determine a law";
  else if (!scaling->why && !hd_law_faces_have_time_one(&data->faces))
    scaling->why = "no law fits: with one thread there would be no time at all";
  scaling->fitted = !scaling->why;
  for (int law = 0; law < HD_LAW_COUNT && scaling->fitted; law++) {
    data->best[law] = hd_law_faces_best(&data->faces, face_counts[law]);
    describe(data, (enum hd_law)law, &scaling->laws[law]);
    fill_residuals(scaling, (enum hd_law)law);
  }
  scaling->amdahl_refuted = scaling->fitted && refutes_amdahl(data);
}

void hd_scaling_free(struct hd_scaling *scaling) {
  free(scaling->data);
  free(scaling->residuals);
  *scaling = (struct hd_scaling){.why = "freed"};
}

/* ---- predictions ---- */

/* The law's own interval, and around it that a time may be as far from the law as the measured ones are. */
static struct hd_interval predict(const struct hd_law_data *data, enum hd_law law, double threads, double seconds) {
  double factors[HD_LAW_TERMS];
  hd_law_factors(threads, factors);
  const struct hd_interval of_law = interval_of(data, law, factors);
  const double off = sqrt(misfit(data, law)) * seconds;
  const double low = hypot(seconds - of_law.low * data->faces.unit, off);
  const double high = hypot(of_law.high * data->faces.unit - seconds, off);
  return (struct hd_interval){fmax(0, seconds - low), seconds + high};
}

static bool are_apart(struct hd_interval a, struct hd_interval b) {
  return a.high < b.low || b.high < a.low;
}

/* By both laws. Growing times are Amdahl's constant, but not the other's. */
static bool may_be_constant(const struct hd_law_data *data) {
  const double squares = data->faces.faces[HD_FACE_CONSTANT].squares;
  return squares <= limit(data, HD_LAW_AMDAHL, serial) && squares <= limit(data, HD_LAW_USL, coherence);
}

/* NULL: the data can tell. */
static const char *doubt(const struct hd_scaling *scaling, double threads, const struct hd_prediction *prediction) {
  const struct hd_law_data *data = scaling->data;
  double most = 0, span = 1;
  for (size_t i = 0; i < data->count; i++)
    most = fmax(most, data->points[i].threads);
  for (size_t law = scaling->amdahl_refuted ? HD_LAW_USL : HD_LAW_AMDAHL; law < HD_LAW_COUNT; law++)
    span = fmax(span, prediction->interval[law].high / prediction->interval[law].low);
  if (may_be_constant(data))
    return "the time does not change with the number of threads beyond its noise";
  if (!scaling->amdahl_refuted && are_apart(prediction->interval[HD_LAW_AMDAHL], prediction->interval[HD_LAW_USL]))
    return "the two laws contradict each other";
  if (!(span <= SPAN_MOST))
    return "the possible times differ by more than a factor of 2";
  if (threads > FAR * most && !(span <= SPAN_MOST_FAR))
    return "more than 4 times as many threads as measured, and the possible times differ by more than 25 %";
  return NULL;
}

void hd_scaling_predict(const struct hd_scaling *scaling, uint32_t threads, struct hd_prediction *prediction) {
  *prediction = (struct hd_prediction){.why = "no law was fitted"};
  for (int law = 0; law < HD_LAW_COUNT; law++) {
    prediction->seconds[law] = NAN;
    prediction->interval[law] = HD_INTERVAL_UNKNOWN;
    if (!scaling->fitted || threads == 0)
      continue;
    prediction->seconds[law] = law_seconds(scaling->data, (enum hd_law)law, threads);
    prediction->interval[law] = predict(scaling->data, (enum hd_law)law, threads, prediction->seconds[law]);
  }
  if (scaling->fitted && threads > 0)
    prediction->why = doubt(scaling, threads, prediction);
  prediction->told = !prediction->why;
}
