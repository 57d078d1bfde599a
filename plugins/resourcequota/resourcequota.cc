#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::Vote;
using model::JobId;
using model::QuotaAmount;
using model::QuotaRow;

// Wide enough for sums of any number of amounts.
using Sums = std::map<std::string, absl::int128, std::less<>>;

const QuotaAmount* Find(const std::vector<QuotaAmount>& amounts, std::string_view name) {
  const auto at = std::lower_bound(
      amounts.begin(), amounts.end(), name,
      [](const QuotaAmount& amount, std::string_view wanted) { return amount.name < wanted; });
  return at != amounts.end() && at->name == name ? &*at : nullptr;
}

// "map[cpu:2 memory:2G]": the amounts of `names`; what is not listed is 0.
std::string MapText(const std::vector<QuotaAmount>& amounts,
                    const std::vector<std::string>& names) {
  std::string text = "map[";
  for (const std::string& name : names) {
    const QuotaAmount* amount = Find(amounts, name);
    StrAppend(&text, name == names.front() ? "" : " ", name, ":",
              amount == nullptr ? "0" : amount->text);
  }
  return text + "]";
}

// Names in which `asked`, on top of what is used and tentative, goes beyond the quota. Only names
// that the quota limits count.
std::vector<std::string> Exceeded(const std::vector<QuotaAmount>& asked, const QuotaRow& quota,
                                  const Sums& tentative) {
  std::vector<std::string> names;
  for (const QuotaAmount& amount : asked) {
    const QuotaAmount* hard = Find(quota.hard, amount.name);
    if (hard == nullptr) continue;
    absl::int128 sum = amount.amount;
    if (const QuotaAmount* used = Find(quota.used, amount.name)) sum += used->amount;
    if (auto more = tentative.find(amount.name); more != tentative.end()) sum += more->second;
    if (sum > hard->amount) names.push_back(amount.name);
  }
  return names;
}

// With nothing used it would do.
bool FitsEmpty(const std::vector<QuotaAmount>& asked, const QuotaRow& quota) {
  return Exceeded(asked, {.hard = quota.hard}, {}).empty();
}

// Keeps what this session admitted, by namespace: the pods of those jobs come later.
// Thread: scheduling.
class ResourceQuota final : public framework::Plugin {
 public:
  std::string_view name() const override { return "resourcequota"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kQuotas);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    tentative_.clear();
    quotas_ = session.base().quotas;
    hooks.JobEnqueueable([this, &session](JobId job) { return VoteOn(session, job); });
    hooks.JobEnqueued([this, &session](JobId job) {
      const model::JobFacts& facts = *session.job(job).facts;
      if (QuotasOf(facts.ns) == nullptr) return;
      Sums& tentative = tentative_[facts.ns];
      for (const QuotaAmount& amount : facts.quota_request) {
        tentative[amount.name] += amount.amount;
      }
    });
    return absl::OkStatus();
  }

 private:
  // Null: the namespace has none.
  const std::vector<QuotaRow>* QuotasOf(const std::string& ns) const {
    if (quotas_ == nullptr) return nullptr;
    const auto known = quotas_->find(ns);
    return known == quotas_->end() ? nullptr : &known->second;
  }

  Vote VoteOn(Session& session, JobId job) {
    const model::JobFacts& facts = *session.job(job).facts;
    const std::vector<QuotaRow>* quotas = QuotasOf(facts.ns);
    if (quotas == nullptr) return Vote::kPermit;
    for (const QuotaRow& quota : *quotas) {
      const std::vector<std::string> names =
          Exceeded(facts.quota_request, quota, tentative_[facts.ns]);
      if (names.empty()) continue;
      std::string text =
          StrCat("resource quota insufficient, requested: ", MapText(facts.quota_request, names),
                 ", used: ", MapText(quota.used, names), ", limited: ", MapText(quota.hard, names),
                 " (ResourceQuota ", quota.name, " of namespace ", facts.ns,
                 FitsEmpty(facts.quota_request, quota)
                     ? ")"
                     : "), so it can never be admitted unless that is raised");
      session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
      session.notes().HoldAt(job, framework::Gate::kNotEnqueued, name(), std::move(text));
      return Vote::kReject;
    }
    return Vote::kPermit;
  }

  std::shared_ptr<const model::QuotaTable> quotas_;  // Of the session.
  std::map<std::string, Sums, std::less<>> tentative_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceQuota(const conf::Arguments&) {
  return std::make_unique<ResourceQuota>();
}

}  // namespace bth::plugins
