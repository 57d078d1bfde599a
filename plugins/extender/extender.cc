#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/queue_tree.h"
#include "api/model/pod_extras.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/extender_port.h"
#include "framework/session/session.h"
#include "plugins/extender/line.h"
#include "plugins/extender/node_questions.h"
#include "plugins/extender/options.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using extender::NodeQuestions;
using framework::ExtenderPort;
using framework::HookRegistrar;
using framework::kFits;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using framework::Verdict;
using framework::Vote;
using model::JobId;
using model::NodeId;
using model::NodeRange;
using model::QueueId;
using model::TaskId;

// An answer that holds while nothing changes in the session.
template <typename Id>
class AnswersOfVersion {
 public:
  template <typename Ask>
  bool Get(const Session& session, Id id, const Ask& ask) {
    if (version_ != session.placements().version()) answers_.clear();
    version_ = session.placements().version();
    const auto known = answers_.find(id);
    if (known != answers_.end()) return known->second;
    const bool answer = ask();
    answers_[id] = answer;
    return answer;
  }
  void Clear() { answers_.clear(); }

 private:
  uint64_t version_ = 0;
  absl::flat_hash_map<Id, bool> answers_;
};

// Thread: scheduling.
class Extender final : public framework::Plugin {
 public:
  explicit Extender(extender::Options options) : options_(std::move(options)), line_(options_) {}
  std::string_view name() const override { return "extender"; }
  // Nobody tells when an extender that was silent answers again.
  bool follows_clock() const override { return !options_.verbs.none(); }
  void AddNeeds(framework::PluginNeeds& needs) const override {
    needs.documents |= !options_.verbs.none();
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    if (options_.verbs.none()) return absl::OkStatus();
    session_ = &session;
    port_ = session.context().extender;
    if (port_ == nullptr) return WithoutPort();
    managed_dims_.clear();
    for (const std::string& name : options_.managed_resources) {
      if (const std::optional<int> dim = session.dims().Find(name)) managed_dims_.push_back(*dim);
    }
    refused_jobs_.clear();
    refused_tasks_.clear();
    unrated_.clear();
    ready_.Clear();
    overused_.Clear();
    line_.BeginSession(*session.context().clock, session.context().metrics);
    questions_.emplace(options_, line_, *port_, session);
    if (const std::string& verb = options_.verbs.session_open; !verb.empty()) {
      static_cast<void>(
          line_.Try([&] { return port_->OpenSession(line_.CallFor(verb), *session_); }));
    }
    AddNodeHooks(hooks);
    AddVictimHooks(hooks);
    AddJobHooks(hooks);
    AddEvents(hooks);
    hooks.OnClose([this] {
      if (const std::string& verb = options_.verbs.session_close; !verb.empty()) {
        static_cast<void>(line_.Try([&] { return port_->CloseSession(line_.CallFor(verb)); }));
      }
      line_.EndSession();
      TellError();
    });
    return absl::OkStatus();
  }

 private:
  // On the root queue, because every job may be concerned.
  void TellError() const {
    if (line_.error().empty()) return;
    for (QueueId queue : *session_->base().queues_by_name) {
      if (*session_->queue(queue).name != algo::QueueTree::kRoot) continue;
      session_->notes().NoteQueue(
          {.queue = queue, .reason = "ExtenderFailed", .message = line_.error()});
    }
  }

  absl::Status WithoutPort() {
    constexpr std::string_view kWhy = "no extender can be asked here";
    if (!options_.ignorable) {
      return absl::FailedPreconditionError(
          StrCat(std::string(kWhy), "; set extender.ignorable: true to decide without it"));
    }
    if (!said_no_port_) {
      Log(LogLevel::kWarning, "extender.left_out", {{"url", options_.url}, {"reason", kWhy}});
    }
    said_no_port_ = true;
    return absl::OkStatus();
  }

  bool IsOfInterest(TaskId task) const {
    if (options_.managed_resources.empty()) return true;
    const auto& extras = session_->base().constraints_of(session_->task(task).shape).extras;
    if (extras != nullptr) {
      const auto managed = [this](const std::string& name) {
        return std::binary_search(options_.managed_resources.begin(),
                                  options_.managed_resources.end(), name);
      };
      return std::any_of(extras->named_resources.begin(), extras->named_resources.end(), managed);
    }
    const model::ResourceVec& request = session_->request(task);
    return std::any_of(managed_dims_.begin(), managed_dims_.end(),
                       [&request](int dim) { return request[dim] > 0; });
  }

  void AddNodeHooks(HookRegistrar& hooks) {
    const auto concerns = [this](TaskId task) { return IsOfInterest(task); };
    if (!options_.verbs.predicate.empty()) {
      hooks.PreFilter([this](TaskId task) {
        if (!IsOfInterest(task)) return kFits;
        questions_->AskAhead(task);
        return questions_->HoldReason();
      });
      const auto ask = [this](TaskId task, NodeRange block, absl::Span<ReasonId> out) {
        if (!IsOfInterest(task)) return;
        for (NodeId node : block) out[block.Offset(node)] = questions_->VerdictOn(task, node);
      };
      hooks.FilterGlobal({ask, concerns});
    }
    if (!options_.verbs.prioritize.empty()) {
      const auto rate = [this](TaskId task, absl::Span<const NodeId> nodes,
                               absl::Span<double> sum) {
        if (!IsOfInterest(task) || nodes.empty()) return;
        if (questions_->AddScores(task, nodes, sum)) {
          unrated_.erase(task);
        } else {
          unrated_.insert(task);
        }
      };
      hooks.ScoreGlobal({rate, concerns});
    }
  }

  Verdict ChooseVictims(const std::string& verb, TaskId evictor,
                        absl::Span<const TaskId> candidates) {
    if (!IsOfInterest(evictor)) return {};
    const auto answer = line_.Try(
        [&] { return port_->ChooseVictims(line_.CallFor(verb), *session_, evictor, candidates); });
    if (!answer.ok()) {
      return {.vote = options_.ignorable ? Vote::kAbstain : Vote::kReject, .victims = {}};
    }
    line_.NoteUnknown(answer->unknown);
    const Vote vote = answer->status > 0   ? Vote::kPermit
                      : answer->status < 0 ? Vote::kReject
                                           : Vote::kAbstain;
    return {.vote = vote, .victims = answer->victims};
  }

  void AddVictimHooks(HookRegistrar& hooks) {
    const auto ask = [this](const std::string& verb) {
      return [this, &verb](TaskId evictor, absl::Span<const TaskId> candidates) {
        return ChooseVictims(verb, evictor, candidates);
      };
    };
    if (!options_.verbs.preemptable.empty()) hooks.Preemptable(ask(options_.verbs.preemptable));
    if (!options_.verbs.reclaimable.empty()) hooks.Reclaimable(ask(options_.verbs.reclaimable));
  }

  Vote Enqueueable(JobId job) {
    const auto answer = line_.Try([&] {
      return port_->JobVote(line_.CallFor(options_.verbs.job_enqueueable), *session_, job);
    });
    if (answer.ok() && *answer >= 0) return *answer > 0 ? Vote::kPermit : Vote::kAbstain;
    if (!answer.ok() && options_.ignorable) return Vote::kPermit;
    const std::string_view why = answer.ok() ? " refuses the job" : " gave no answer";
    session_->notes().HoldAt(
        job, framework::Gate::kNotEnqueued, name(),
        StrCat("pod group is not admitted to its queue yet: the extender at ", options_.url, why));
    return Vote::kReject;
  }

  bool IsReady(JobId job) {
    if (refused_jobs_.contains(job)) return false;
    if (options_.verbs.job_ready.empty()) return true;
    return ready_.Get(*session_, job, [&] {
      return line_
          .Try([&] {
            return port_->JobReady(line_.CallFor(options_.verbs.job_ready), *session_, job);
          })
          .value_or(options_.ignorable);
    });
  }

  void AddJobHooks(HookRegistrar& hooks) {
    const extender::Verbs& verbs = options_.verbs;
    if (!verbs.job_enqueueable.empty()) {
      hooks.JobEnqueueable([this](JobId job) { return Enqueueable(job); });
    }
    if (!verbs.job_enqueued.empty()) {
      hooks.JobEnqueued([this](JobId job) {
        static_cast<void>(line_.Try([&] {
          return port_->TellJob(line_.CallFor(options_.verbs.job_enqueued), *session_, job);
        }));
      });
    }
    if (!verbs.queue_overused.empty()) {
      hooks.Overused([this](QueueId queue) {
        return overused_.Get(*session_, queue, [&] {
          return line_
              .Try([&] {
                return port_->QueueOverused(line_.CallFor(options_.verbs.queue_overused), *session_,
                                            queue);
              })
              .value_or(!options_.ignorable);
        });
      });
    }
    const bool may_refuse = !verbs.allocate.empty() || !verbs.prioritize.empty();
    if (!verbs.job_ready.empty() || may_refuse) {
      hooks.JobReady([this](JobId job) { return IsReady(job); });
    }
    if (may_refuse) {
      hooks.JobPipelined([this](JobId job) {
        return refused_jobs_.contains(job) ? Vote::kReject : Vote::kAbstain;
      });
    }
  }

  // A placement that the extender refuses cannot be undone from here; its job counts as not ready,
  // so that the action takes the job's placements back.
  void Refuse(TaskId task) {
    const JobId job = session_->task(task).job;
    if (job.valid() && refused_tasks_.insert(task).second) ++refused_jobs_[job];
  }
  void TakeBackRefusal(TaskId task) {
    if (refused_tasks_.erase(task) == 0) return;
    const auto job = refused_jobs_.find(session_->task(task).job);
    if (--job->second == 0) refused_jobs_.erase(job);
  }

  void AddEvents(HookRegistrar& hooks) {
    const extender::Verbs& verbs = options_.verbs;
    if (!verbs.allocate.empty() || !verbs.prioritize.empty()) {
      hooks.OnPlace([this](const TaskMove& move) {
        const TaskId task = move.task;
        if (!IsOfInterest(task)) return;
        if (unrated_.contains(task)) Refuse(task);
        if (options_.verbs.allocate.empty()) return;
        const absl::Status status = line_.Try([&] {
          return port_->TaskEvent(line_.CallFor(options_.verbs.allocate), *session_, task);
        });
        if (absl::IsAborted(status) || (!status.ok() && !options_.ignorable)) Refuse(task);
      });
    }
    if (!verbs.deallocate.empty() || !verbs.allocate.empty() || !verbs.prioritize.empty()) {
      hooks.OnRemove([this](const TaskMove& move) {
        const TaskId task = move.task;
        TakeBackRefusal(task);
        if (options_.verbs.deallocate.empty() || !IsOfInterest(task)) return;
        static_cast<void>(line_.Try([&] {
          return port_->TaskEvent(line_.CallFor(options_.verbs.deallocate), *session_, task);
        }));
      });
    }
  }

  const extender::Options options_;
  extender::Line line_;
  bool said_no_port_ = false;
  // Of the session.
  Session* session_ = nullptr;
  ExtenderPort* port_ = nullptr;
  std::vector<int> managed_dims_;
  std::optional<NodeQuestions> questions_;
  absl::flat_hash_set<TaskId> unrated_;  // Placed, if at all, without scores that must be.
  absl::flat_hash_set<TaskId> refused_tasks_;
  absl::flat_hash_map<JobId, int> refused_jobs_;  // Tasks refused of each.
  AnswersOfVersion<JobId> ready_;
  AnswersOfVersion<QueueId> overused_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateExtender(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(extender::Options options, extender::ReadOptions(args));
  return std::make_unique<Extender>(std::move(options));
}

}  // namespace bth::plugins
