/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/account.h"

#include <math.h>

#include "output/model/model.h"

struct hd_account hd_account_of_record(const struct hd_thread_record *record) {
  if (record->told == 0 || record->told != record->threads)
    return (struct hd_account){0};
  return (struct hd_account){
      .known = true, .ran_ns = record->ran_ns, .queued_ns = record->queued_ns, .preemptions = record->preemptions};
}

void hd_account_add(struct hd_account *to, const struct hd_account *from) {
  if (!to->known || !from->known) {
    *to = (struct hd_account){0};
    return;
  }
  to->ran_ns += from->ran_ns;
  to->queued_ns += from->queued_ns;
  to->preemptions += from->preemptions;
}

struct hd_account hd_account_of_program(const struct hd_model *model) {
  struct hd_account sum = {.known = model->thread_count > 0};
  for (uint32_t i = 0; i < model->thread_count; i++)
    hd_account_add(&sum, &model->threads[i].account);
  return sum;
}

double hd_account_share(const struct hd_account *account) {
  const double ran = (double)account->ran_ns;
  return account->known && ran > 0 ? ran / (ran + (double)account->queued_ns) : NAN;
}

double hd_account_share_of_program(const struct hd_model *model) {
  const struct hd_account account = hd_account_of_program(model);
  return hd_account_share(&account);
}

struct hd_account hd_account_after_start(const struct hd_model *model) {
  struct hd_account account = hd_account_of_program(model);
  const uint64_t start_ns = (uint64_t)model->thread_count * HD_ACCOUNT_START_MS * 1000000;
  account.queued_ns -= account.queued_ns < start_ns ? account.queued_ns : start_ns;
  return account;
}

bool hd_account_is_disturbed(const struct hd_model *model) {
  const struct hd_account account = hd_account_after_start(model);
  return hd_account_share(&account) < HD_ACCOUNT_LEAST_SHARE;
}
