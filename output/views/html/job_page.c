/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/html/job_page.h"

#include "output/views/html/frame.h"
#include "output/views/render/html_escape.h"

static bool write_json(const void *job, FILE *out) {
  return hd_job_json(job, false, out);
}

bool hd_html_write_job(const struct hd_job *job, FILE *out) {
  hd_html_head(job->ranks[0].program, out);
  fputs("<header><h1>Heddle: ", out);
  hd_html_text(job->ranks[0].program, out);
  fputs(", an MPI job</h1></header>\n<main>\n", out);
  hd_job_print(job, 0, true, out);
  fputs("</main>\n", out);
  hd_html_footer(out);
  const bool made = hd_html_data_of("job", write_json, job, out);
  hd_html_end(out);
  return made;
}
