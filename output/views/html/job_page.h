/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file job_page.h
 * An MPI job as a page (html.h): what heddle job says, and the ranks in time and in each place as heat maps (job.js).
 */
#ifndef HEDDLE_OUTPUT_VIEWS_HTML_JOB_PAGE_H
#define HEDDLE_OUTPUT_VIEWS_HTML_JOB_PAGE_H

#include "output/views/job/job_view.h"

/** False: no memory. Write errors are left to `out`. */
bool hd_html_write_job(const struct hd_job *job, FILE *out);

#endif
