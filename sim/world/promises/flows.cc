// Jobs that controllers make of their own accord: in the order of a flow, and by the clock, each of
// them once.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "admission/rules/flow_graph.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

using types::BatchJob;
using types::CronJob;
using types::Flow;
using types::JobFlow;
using types::JobPhase;

std::string JobNameOf(const JobFlow& flow, const std::string& entry) {
  return StrCat(flow.meta.name, "-", entry);
}

bool EndedBadly(const BatchJob& job) {
  const JobPhase phase = job.status.state.phase.value();
  return phase == JobPhase::kFailed || phase == JobPhase::kTerminated;
}

// Something that was told, when and by whom.
struct Told {
  absl::Duration at;
  std::string by;
};

// Who asked for a job, and when.
struct Maker {
  std::string name;
  absl::Duration sent_at;
};

// Jobs come with those who made them.
class AboutMade : public Promise {
 public:
  using Promise::Promise;
  void OnWrite(const Write& write) override {
    if (!absl::StartsWith(write.from.name(), "controllers")) return;
    begun_.try_emplace(write.from.name(), now());
    if (write.path.plural != "jobs" || write.request.method != "POST") return;
    const types::Json body = types::Json::Parse(write.request.body).value_or(types::Json());
    const Maker maker{write.from.name(), write.sent_at};
    Maker& first =
        asked_.try_emplace(StrCat(write.path.ns, "/", body["metadata"]["name"].AsString()), maker)
            .first->second;
    if (maker.sent_at < first.sent_at) first = maker;
  }
  void On(const Change<BatchJob>& change) final {
    const std::string key = change.any().meta.Key();
    std::optional<Maker> maker;
    if (const auto asked = asked_.find(key); asked != asked_.end()) {
      if (change.before == nullptr) maker = asked->second;
      if (change.before == nullptr || change.after == nullptr) asked_.erase(asked);
    }
    const types::OwnerReference* const owner = change.any().meta.Controller();
    if (owner != nullptr) OnJob(change, *owner, maker.has_value() ? &*maker : nullptr);
  }

 protected:
  // `maker`: of a new one; null: nobody knows who asked for it.
  virtual void OnJob(const Change<BatchJob>& change, const types::OwnerReference& owner,
                     const Maker* maker) = 0;

  // When it asked for a job, a program knew what was told then: in fair weather, if it told so
  // itself, or if that was before it began and nobody tells what was.
  bool Knew(const Maker& maker, const Told& told) const {
    if (IsFairFor(absl::Minutes(1))) return maker.sent_at - told.at >= kNewsWithin;
    if (told.by == maker.name) return maker.sent_at >= told.at;
    const auto begun = begun_.find(maker.name);
    return !sight().old_lists && begun != begun_.end() && told.at < begun->second;
  }

 private:
  std::map<std::string, Maker> asked_;           // By job: who first asked for it, of those it can
                                                 // be from.
  std::map<std::string, absl::Duration> begun_;  // By program: its first write.
};

// What there is of a flow, by its uid.
struct FlowBook {
  struct Version {
    types::JobFlowSpec spec;
    absl::Duration until = absl::InfiniteDuration();
  };
  std::vector<Version> versions;
  std::set<std::string> completed;   // Jobs of it that ever were.
  std::set<std::string> lost;        // Likewise that failed or were terminated.
  std::map<std::string, Told> told;  // Completed jobs of which its status has told.
};

class AboutFlows : public AboutMade {
 public:
  using AboutMade::AboutMade;
  void OnWrite(const Write& write) override {
    AboutMade::OnWrite(write);
    if (write.path.plural == "jobflows") writer_[KeyOf(write.path)] = write.from.name();
  }
  void On(const Change<JobFlow>& change) final {
    if (change.after == nullptr) {
      books_.erase(change.before->meta.uid);
      return;
    }
    const JobFlow& flow = *change.after;
    FlowBook& book = books_[flow.meta.uid];
    if (book.versions.empty() || !(book.versions.back().spec == flow.spec)) {
      if (!book.versions.empty()) book.versions.back().until = now();
      book.versions.push_back({flow.spec});
    }
    for (const std::string& job : flow.status.completed_jobs) {
      book.told.try_emplace(job, Told{now(), writer_[flow.meta.Key()]});
    }
    const bool turns = change.before == nullptr || change.before->meta.uid != flow.meta.uid ||
                       change.before->status.phase != flow.status.phase;
    if (turns) OnPhase(flow, book);
  }

 protected:
  void OnJob(const Change<BatchJob>& change, const types::OwnerReference& owner,
             const Maker* maker) final {
    if (owner.kind != "JobFlow") return;
    const auto book = books_.find(owner.uid);
    if (book == books_.end()) return;
    const BatchJob& job = change.any();
    if (change.before == nullptr) OnMade(job, owner, book->second, maker);
    if (job.status.state.phase == JobPhase::kCompleted)
      book->second.completed.insert(job.meta.name);
    if (EndedBadly(job)) book->second.lost.insert(job.meta.name);
  }
  virtual void OnMade(const BatchJob&, const types::OwnerReference&, const FlowBook&,
                      const Maker*) {}
  virtual void OnPhase(const JobFlow&, const FlowBook&) {}

  std::map<std::string, FlowBook> books_;  // By uid, of those that are there.

 private:
  std::map<std::string, std::string> writer_;  // By flow: who wrote it last.
};

class FlowsInOrder final : public AboutFlows {
 public:
  explicit FlowsInOrder(const Sight& sight) : AboutFlows("flows-in-order", sight) {}

 private:
  void OnMade(const BatchJob& job, const types::OwnerReference& owner, const FlowBook& book,
              const Maker* maker) override {
    Look();
    if (const auto told = book.told.find(job.meta.name);
        told != book.told.end() && maker != nullptr && Knew(*maker, told->second)) {
      Break(StrCat("job ", job.meta.Key(), " was made by ", maker->name, ", and flow ", owner.name,
                   " tells since ", absl::FormatDuration(now() - told->second.at),
                   " that it is Completed"));
    }
    const bool may = std::any_of(
        book.versions.begin(), book.versions.end(), [&](const FlowBook::Version& version) {
          return IsHeardOf(version) && MayStart(job, owner.name, version.spec, book);
        });
    if (!may) {
      Break(StrCat("job ", job.meta.Key(), " was made for flow ", owner.name,
                   ", which does not have it yet; Completed are: ", ListOf(book)));
    }
  }
  // News of another one may not have come.
  bool IsHeardOf(const FlowBook::Version& version) const {
    return now() - version.until < kNewsWithin || !IsFairFor(absl::Minutes(1));
  }
  // By some entry of its name.
  static bool MayStart(const BatchJob& job, const std::string& flow, const types::JobFlowSpec& spec,
                       const FlowBook& book) {
    return std::any_of(spec.flows.begin(), spec.flows.end(), [&](const Flow& entry) {
      if (StrCat(flow, "-", entry.name) != job.meta.name) return false;
      const bool probes = entry.depends_on.has_value() && entry.depends_on->probe.has_value() &&
                          !entry.depends_on->probe->task_statuses.empty();
      const auto& targets = admission::TargetsOf(entry);
      return probes || std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
               return book.completed.contains(StrCat(flow, "-", target));
             });
    });
  }
  static std::string ListOf(const FlowBook& book) {
    std::string out;
    for (const std::string& job : book.completed) StrAppend(&out, job, " ");
    return out.empty() ? "none" : out;
  }
};

class FlowsEnd final : public AboutFlows {
 public:
  explicit FlowsEnd(const Sight& sight) : AboutFlows("flows-end", sight) {}
  void OnWrite(const Write& write) override {
    AboutFlows::OnWrite(write);
    // May be protobuf. One that lacks a template goes on.
    const std::string& body = write.request.body;
    if (write.path.plural != "events" || !absl::StrContains(body, "SyncJobFlow JobFlow failed") ||
        absl::StrContains(body, "the flow goes on")) {
      return;
    }
    for (const auto& [key, flow] : ledger().flows()) {
      if (absl::StrContains(body, flow->meta.uid)) given_up_.insert(flow->meta.uid);
    }
  }
  void AtRest() override {
    for (const auto& [key, flow] : ledger().flows()) {
      const bool fit = !admission::FindFlowFault(flow->spec.flows, admission::SameName::kEach);
      if (!fit || IsOver(*flow) || flow->meta.deletion_time.has_value()) continue;
      Look();
      const std::string wrong = Wrong(*flow, books_[flow->meta.uid]);
      if (wrong.empty()) continue;
      Break(StrCat("flow ", key, " is \"", flow->status.phase.text(),
                   "\", and nothing changes: ", wrong));
    }
  }

 private:
  // A status is written on top of the spec that it is about.
  void OnPhase(const JobFlow& flow, const FlowBook& book) override {
    if (!IsOver(flow)) return;
    Look();
    const bool succeeds = flow.status.phase == types::FlowPhase::kSucceed;
    const std::set<std::string>& ended = succeeds ? book.completed : book.lost;
    const auto has_ended = [&](const Flow& entry) {
      return ended.contains(JobNameOf(flow, entry.name));
    };
    const auto& entries = flow.spec.flows;
    const bool true_word = succeeds ? std::all_of(entries.begin(), entries.end(), has_ended)
                                    : std::any_of(entries.begin(), entries.end(), has_ended);
    if (true_word) return;
    Break(StrCat("flow ", flow.meta.Key(), " is called ", flow.status.phase.text(), ", and ",
                 succeeds ? "not each job of it was Completed" : "no job of it has failed"));
  }

  // Empty: it waits for what somebody else must do.
  std::string Wrong(const JobFlow& flow, const FlowBook& book) const {
    size_t left = flow.spec.flows.size();
    for (const Flow& entry : flow.spec.flows) {
      const std::string name = JobNameOf(flow, entry.name);
      const BatchJob* const job = Ledger::Find(ledger().jobs(), StrCat(flow.meta.ns, "/", name));
      const types::OwnerReference* const owner = job == nullptr ? nullptr : job->meta.Controller();
      const bool ours = owner != nullptr && owner->uid == flow.meta.uid;
      if (ours && EndedBadly(*job)) return StrCat("its job ", name, " has failed");
      if (ours && job->status.state.phase == JobPhase::kCompleted) --left;
      if (job != nullptr) continue;
      if (book.told.contains(name)) {
        --left;
      } else if (IsReady(flow, entry, book)) {
        return StrCat("its job ", name, " could be made");
      }
    }
    return left == 0 ? "its jobs are Completed" : "";
  }
  bool IsReady(const JobFlow& flow, const Flow& entry, const FlowBook& book) const {
    if (given_up_.contains(flow.meta.uid) ||
        !ledger().templates().contains(StrCat(flow.meta.ns, "/", entry.name))) {
      return false;
    }
    const auto& targets = admission::TargetsOf(entry);
    return std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
      const std::string name = JobNameOf(flow, target);
      const BatchJob* const job = Ledger::Find(ledger().jobs(), StrCat(flow.meta.ns, "/", name));
      return book.told.contains(name) ||
             (job != nullptr && job->status.state.phase == JobPhase::kCompleted &&
              job->meta.Controller() != nullptr && job->meta.Controller()->uid == flow.meta.uid);
    });
  }

  std::set<std::string> given_up_;  // By uid.
};

class CronOnce final : public AboutMade {
 public:
  explicit CronOnce(const Sight& sight) : AboutMade("cron-once", sight) {}
  void OnWrite(const Write& write) override {
    AboutMade::OnWrite(write);
    if (write.path.plural == "cronjobs") writer_[KeyOf(write.path)] = write.from.name();
    if (write.path.plural == "jobs" && write.request.method == "DELETE") {
      const BatchJob* const job = Ledger::Find(ledger().jobs(), KeyOf(write.path));
      if (job != nullptr) taken_.insert(job->meta.uid);
    }
  }
  void On(const Change<CronJob>& change) override {
    if (change.after == nullptr) {
      books_.erase(change.before->meta.uid);
      return;
    }
    const CronJob& cron = *change.after;
    Book& book = books_[cron.meta.uid];
    if (change.before != nullptr && change.before->meta.uid == cron.meta.uid &&
        change.before->spec.concurrency_policy != cron.spec.concurrency_policy) {
      book.policy_changed = Told{now(), ""};
    }
    book.forbids = cron.spec.concurrency_policy == types::ConcurrencyPolicy::kForbid;
    if (!cron.status.last_schedule_time.has_value()) return;
    const int64_t minute = absl::ToUnixSeconds(*cron.status.last_schedule_time) / 60;
    book.told.try_emplace(minute, Told{now(), writer_[cron.meta.Key()]});
  }

 private:
  struct Book {
    bool forbids = false;
    std::optional<Told> policy_changed;
    std::map<int64_t, Told> told;         // Minutes, as its status told of them.
    std::map<int64_t, std::string> made;  // By minute: the uid of the job.
  };

  void OnJob(const Change<BatchJob>& change, const types::OwnerReference& owner,
             const Maker* maker) override {
    const auto found = books_.find(owner.uid);
    const BatchJob& job = change.any();
    if (owner.kind != "CronJob" || found == books_.end() || change.before != nullptr) return;
    int64_t minute = 0;
    const std::string& name = job.meta.name;
    if (!SimpleAtoi(std::string_view(name).substr(name.rfind('-') + 1), &minute)) return;
    Look();
    Book& book = found->second;
    if (maker != nullptr) {
      MustBeFirst(job, minute, book, *maker);
      const bool knew = !book.policy_changed.has_value() || Knew(*maker, *book.policy_changed);
      if (book.forbids && knew) MustBeAlone(job, owner.uid, *maker);
      made_[job.meta.uid] = {now(), maker->name};
    }
    book.made[minute] = job.meta.uid;
  }
  // Its status tells of the run before its job is taken away again, unless users do that.
  void MustBeFirst(const BatchJob& job, int64_t minute, const Book& book, const Maker& maker) {
    const auto made = book.made.find(minute);
    if (made == book.made.end()) return;
    const auto told = book.told.lower_bound(minute);
    const bool knew = told != book.told.end() && Knew(maker, told->second);
    const bool forgot = told == book.told.end() && taken_.contains(made->second);
    if (!knew && !forgot) return;
    Break(StrCat("job ", job.meta.Key(), " was made once more by ", maker.name,
                 knew ? ", and its CronJob has told of that run"
                      : ", since it was taken away before its CronJob told of that run"));
  }
  void MustBeAlone(const BatchJob& job, const std::string& uid, const Maker& maker) {
    for (const auto& [key, other] : ledger().jobs()) {
      const types::OwnerReference* const owner = other->meta.Controller();
      if (other->meta.uid == job.meta.uid || owner == nullptr || owner->uid != uid) continue;
      if (types::IsFinished(other->status.state.phase.value())) continue;
      if (other->meta.deletion_time.has_value()) continue;
      const auto made = made_.find(other->meta.uid);
      if (made == made_.end() || !Knew(maker, made->second)) continue;
      Break(StrCat("job ", job.meta.Key(), " was made by ", maker.name, " while ", key, " is ",
                   other->status.state.phase.text(), ", and its CronJob forbids that"));
    }
  }

  std::map<std::string, Book> books_;          // By uid of the CronJob.
  std::map<std::string, Told> made_;           // By uid of a job.
  std::map<std::string, std::string> writer_;  // By CronJob: who wrote it last.
  std::set<std::string> taken_;                // Jobs, by uid, that programs deleted.
};

}  // namespace

std::vector<std::string> RefusedOf(const Sight& sight) {
  const Ledger& ledger = sight.ledger;
  const auto is_refused = [&ledger](const types::Json& spec) {
    const std::string queue(spec["queue"].AsString());
    const types::Queue* const known = Ledger::Find(ledger.queues(), queue);
    return known == nullptr || (!known->status.state.empty() && known->status.state != "Open");
  };
  std::vector<std::string> out;
  for (const auto& [key, flow] : ledger.flows()) {
    if (IsOver(*flow)) continue;
    const auto& entries = flow->spec.flows;
    const bool refused = std::any_of(entries.begin(), entries.end(), [&](const Flow& entry) {
      const types::JobTemplate* const job =
          Ledger::Find(ledger.templates(), StrCat(flow->meta.ns, "/", entry.name));
      return job != nullptr && is_refused(job->spec.raw);
    });
    if (refused) out.push_back(StrCat("jobflows ", key));
  }
  for (const auto& [key, cron] : ledger.cron_jobs()) {
    if (is_refused(cron->spec.job_template.spec.raw)) out.push_back(StrCat("cronjobs ", key));
  }
  return out;
}

PromisePtr MakeFlowsInOrder(const Sight& sight) {
  return std::make_unique<FlowsInOrder>(sight);
}
PromisePtr MakeFlowsEnd(const Sight& sight) {
  return std::make_unique<FlowsEnd>(sight);
}
PromisePtr MakeCronOnce(const Sight& sight) {
  return std::make_unique<CronOnce>(sight);
}

}  // namespace bth::sim
