#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "algo/job_changes.h"
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

// How many pods a job lacks of its minimum. Those that it has are in what is used: the API server
// counts before it creates.
struct MissingPods {
  int64_t missing = 0, wanted = 1;

  MissingPods(const model::JobRow& row, const model::JobCounts& counts)
      : wanted(std::max<int64_t>(row.min_available, 1)) {
    missing = std::max<int64_t>(0, wanted - counts.total());
  }
  bool all() const { return missing == wanted; }
  // What they will use of the minimum, rounded up.
  absl::int128 Use(const QuotaAmount& minimum) const {
    const absl::int128 whole = std::max<int64_t>(0, minimum.amount);
    return (whole * missing + wanted - 1) / wanted;
  }
};

// Names in which what `pods` will use of the minimum, on top of what is used and tentative (null:
// nothing), goes beyond the quota. Only names that the quota limits count.
std::vector<std::string> Exceeded(const std::vector<QuotaAmount>& minimum, const MissingPods& pods,
                                  const QuotaRow& quota, const Sums* tentative) {
  std::vector<std::string> names;
  for (const QuotaAmount& amount : minimum) {
    const QuotaAmount* hard = Find(quota.hard, amount.name);
    if (hard == nullptr) continue;
    absl::int128 sum = pods.Use(amount);
    if (const QuotaAmount* used = Find(quota.used, amount.name)) sum += used->amount;
    if (tentative != nullptr) {
      if (auto more = tentative->find(amount.name); more != tentative->end()) sum += more->second;
    }
    if (sum > hard->amount) names.push_back(amount.name);
  }
  return names;
}

// How a refusal ends.
std::string_view Outlook(const std::vector<QuotaAmount>& minimum, const MissingPods& pods,
                         const QuotaRow& quota) {
  if (!Exceeded(minimum, pods, {.hard = quota.hard}, nullptr).empty()) {
    return "), so it can never be admitted unless that is raised";
  }
  if (Exceeded(minimum, pods, quota, nullptr).empty())
    return ", beside what admitted jobs will use)";
  return ")";
}

// Keeps what admitted jobs will use, by namespace, from session to session: their pods come later.
// Thread: scheduling.
class ResourceQuota final : public framework::Plugin {
 public:
  std::string_view name() const override { return "resourcequota"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kQuotas) |
           framework::Bit(framework::AnswerSource::kQueueRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    quotas_ = session.base().quotas;
    FollowExpected(session.base());
    // Who is refused because of somebody's pods to come is looked at again when those come, or
    // never will. They may be of any queue.
    hooks.QueueRoom([this](model::QueueId) {
      return framework::QueueRoom{.share = framework::EndlessRoom(),
                                  .admission = framework::EndlessRoom(),
                                  .other = differences_};
    });
    hooks.JobEnqueueable([this, &session](JobId job) { return VoteOn(session, job); });
    hooks.JobEnqueued([this, &session](JobId job) {
      if (QuotasOf(session.job(job).facts->ns) == nullptr) return;
      Expect(session.job(job), session.counts(job), 1, &tentative_);
    });
    return absl::OkStatus();
  }

 private:
  using SumsByNamespace = std::map<std::string, Sums, std::less<>>;

  // Starts with what jobs admitted before will use where there are quotas.
  void FollowExpected(const model::Snapshot& base) {
    using Job = algo::JobChanges::Job;
    changes_.Advance(
        base, [this] { expected_.clear(); },
        [this](JobId, const Job* before, const Job* now) {
          if (before != nullptr) ExpectAdmitted(*before, -1);
          if (now != nullptr) ExpectAdmitted(*now, 1);
        });
    SumsByNamespace expected;
    for (const auto& [ns, sums] : expected_) {
      if (QuotasOf(ns) != nullptr) expected.emplace(ns, sums);
    }
    if (expected == tentative_) return;
    tentative_ = std::move(expected);
    ++differences_;
  }

  void ExpectAdmitted(const algo::JobChanges::Job& job, int sign) {
    if (job.counts.phase != model::PodGroupPhase::kInqueue) return;
    Expect(job.row, job.counts, sign, &expected_);
  }

  // Adds (1) or takes away (-1) what a job will use when it has the pods that it lacks.
  static void Expect(const model::JobRow& row, const model::JobCounts& counts, int sign,
                     SumsByNamespace* sums) {
    const MissingPods pods(row, counts);
    if (pods.missing == 0 || row.facts->quota_request.empty()) return;
    Sums& expected = (*sums)[row.facts->ns];
    for (const QuotaAmount& amount : row.facts->quota_request) {
      absl::int128& sum = expected[amount.name];
      sum += sign * pods.Use(amount);
      if (sum == 0) expected.erase(amount.name);
    }
    if (expected.empty()) sums->erase(row.facts->ns);
  }

  // Null: the namespace has none.
  const std::vector<QuotaRow>* QuotasOf(const std::string& ns) const {
    if (quotas_ == nullptr) return nullptr;
    const auto known = quotas_->find(ns);
    return known == quotas_->end() ? nullptr : &known->second;
  }

  Vote VoteOn(Session& session, JobId job) const {
    const model::JobFacts& facts = *session.job(job).facts;
    const std::vector<QuotaRow>* quotas = QuotasOf(facts.ns);
    if (quotas == nullptr) return Vote::kPermit;
    const auto known = tentative_.find(facts.ns);
    const Sums* tentative = known == tentative_.end() ? nullptr : &known->second;
    const MissingPods pods(session.job(job), session.counts(job));
    for (const QuotaRow& quota : *quotas) {
      const std::vector<std::string> names = Exceeded(facts.quota_request, pods, quota, tentative);
      if (names.empty()) continue;
      std::string text = StrCat(
          "resource quota insufficient, requested: ", MapText(facts.quota_request, names),
          pods.all()
              ? ""
              : StrCat(" for ", pods.wanted, " pods, of which ", pods.missing, " are to come"),
          ", used: ", MapText(quota.used, names), ", limited: ", MapText(quota.hard, names),
          " (ResourceQuota ", quota.name, " of namespace ", facts.ns,
          Outlook(facts.quota_request, pods, quota));
      session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
      session.notes().HoldAt(job, framework::Gate::kNotEnqueued, name(), std::move(text));
      return Vote::kReject;
    }
    return Vote::kPermit;
  }

  std::shared_ptr<const model::QuotaTable> quotas_;  // Of the session.
  algo::JobChanges changes_;
  SumsByNamespace expected_;   // By jobs that were admitted when the session opened. No zeros.
  SumsByNamespace tentative_;  // Now, where there are quotas.
  uint64_t differences_ = 0;   // So often a session opened with others than the last one left.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceQuota(const conf::Arguments&) {
  return std::make_unique<ResourceQuota>();
}

}  // namespace bth::plugins
