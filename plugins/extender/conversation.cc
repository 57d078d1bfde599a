#include "plugins/extender/conversation.h"

#include <algorithm>
#include <optional>

#include "algo/queue_tree.h"
#include "api/model/pod_extras.h"
#include "base/strings.h"

namespace bth::plugins::extender {

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

Conversation::Conversation(const Options& options, Line& line, framework::ExtenderPort& port,
                           Session& session)
    : options_(options),
      line_(line),
      port_(port),
      session_(session),
      questions_(options, line, port, session) {
  for (const std::string& name : options_.managed_resources) {
    if (const std::optional<int> dim = session_.dims().Find(name)) managed_dims_.push_back(*dim);
  }
  line_.BeginSession(*session_.context().clock, session_.context().metrics);
  if (const std::string& verb = options_.verbs.session_open; !verb.empty()) {
    const absl::Status told =
        line_.Try([&] { return port_.OpenSession(line_.CallFor(verb), session_); });
    // Who does not know the session cannot answer for it.
    if (!Line::IsNotSent(told)) line_.CloseForSession(told);
  }
}

void Conversation::AddHooks(HookRegistrar& hooks) {
  AddNodeHooks(hooks);
  AddVictimHooks(hooks);
  AddJobHooks(hooks);
  AddEvents(hooks);
  hooks.OnClose([this] { Close(); });
}

void Conversation::Close() {
  if (const std::string& verb = options_.verbs.session_close; !verb.empty()) {
    static_cast<void>(line_.Try([&] { return port_.CloseSession(line_.CallFor(verb)); }));
  }
  line_.EndSession();
  TellError();
}

// On the root queue, because every job may be concerned.
void Conversation::TellError() const {
  if (line_.error().empty()) return;
  for (QueueId queue : *session_.base().queues_by_name) {
    if (*session_.queue(queue).name != algo::QueueTree::kRoot) continue;
    session_.notes().NoteQueue(
        {.queue = queue, .reason = "ExtenderFailed", .message = line_.error()});
  }
}

bool Conversation::IsOfInterest(TaskId task) const {
  if (options_.managed_resources.empty()) return true;
  const auto& extras = session_.base().constraints_of(session_.task(task).shape).extras;
  if (extras != nullptr) {
    const auto managed = [this](const std::string& name) {
      return std::binary_search(options_.managed_resources.begin(),
                                options_.managed_resources.end(), name);
    };
    return std::any_of(extras->named_resources.begin(), extras->named_resources.end(), managed);
  }
  const model::ResourceVec& request = session_.request(task);
  return std::any_of(managed_dims_.begin(), managed_dims_.end(),
                     [&request](int dim) { return request[dim] > 0; });
}

void Conversation::AddNodeHooks(HookRegistrar& hooks) {
  const auto concerns = [this](TaskId task) { return IsOfInterest(task); };
  if (!options_.verbs.predicate.empty()) {
    hooks.PreFilter([this](TaskId task) {
      if (!IsOfInterest(task)) return kFits;
      questions_.AskAhead(task);
      return questions_.HoldReason();
    });
    const auto ask = [this](TaskId task, NodeRange block, absl::Span<ReasonId> out) {
      if (!IsOfInterest(task)) return;
      for (NodeId node : block) out[block.Offset(node)] = questions_.VerdictOn(task, node);
    };
    hooks.FilterGlobal({ask, concerns});
  }
  if (!options_.verbs.prioritize.empty()) {
    const auto rate = [this](TaskId task, absl::Span<const NodeId> nodes, absl::Span<double> sum) {
      if (!IsOfInterest(task) || nodes.empty()) return;
      const absl::Status status = questions_.AddScores(task, nodes, sum);
      if (status.ok()) {
        unrated_.erase(task);
      } else {
        unrated_[task] = status;
      }
    };
    hooks.ScoreGlobal({rate, concerns});
  }
}

Verdict Conversation::ChooseVictims(const std::string& verb, TaskId evictor,
                                    absl::Span<const TaskId> candidates) {
  if (!IsOfInterest(evictor)) return {};
  const auto answer = line_.Try(
      [&] { return port_.ChooseVictims(line_.CallFor(verb), session_, evictor, candidates); });
  if (!answer.ok()) {
    return {.vote = options_.ignorable ? Vote::kAbstain : Vote::kReject, .victims = {}};
  }
  line_.NoteUnknown(answer->unknown);
  const Vote vote = answer->status > 0   ? Vote::kPermit
                    : answer->status < 0 ? Vote::kReject
                                         : Vote::kAbstain;
  return {.vote = vote, .victims = answer->victims};
}

void Conversation::AddVictimHooks(HookRegistrar& hooks) {
  const auto ask = [this](const std::string& verb) {
    return [this, &verb](TaskId evictor, absl::Span<const TaskId> candidates) {
      return ChooseVictims(verb, evictor, candidates);
    };
  };
  if (!options_.verbs.preemptable.empty()) hooks.Preemptable(ask(options_.verbs.preemptable));
  if (!options_.verbs.reclaimable.empty()) hooks.Reclaimable(ask(options_.verbs.reclaimable));
}

Vote Conversation::Enqueueable(JobId job) {
  const auto answer = line_.Try(
      [&] { return port_.JobVote(line_.CallFor(options_.verbs.job_enqueueable), session_, job); });
  if (answer.ok() && *answer >= 0) return *answer > 0 ? Vote::kPermit : Vote::kAbstain;
  if (!answer.ok() && options_.ignorable) return Vote::kPermit;
  std::string why = answer.ok() ? " refuses the job" : " gave no answer";
  if (Line::IsNotSent(answer.status())) {
    why = StrCat(" was not asked: ", answer.status().message());
  }
  session_.notes().HoldAt(
      job, framework::Gate::kNotEnqueued, kName,
      StrCat("pod group is not admitted to its queue yet: the extender at ", options_.url, why));
  return Vote::kReject;
}

void Conversation::HoldIfNotSent(JobId job, const absl::Status& status) {
  if (options_.ignorable || !job.valid() || !Line::IsNotSent(status)) return;
  constexpr uint32_t kUnplacedGroup = model::StatusBit(model::TaskStatus::kPending) |
                                      model::StatusBit(model::TaskStatus::kAllocated) |
                                      model::StatusBit(model::TaskStatus::kPipelined);
  if (session_.counts(job).Count(kUnplacedGroup) == 0) return;  // Nothing of it waits.
  session_.notes().HoldAt(job, framework::Gate::kGangMinimum, kName,
                          StrCat("pod group is not ready: the extender at ", options_.url,
                                 " was not asked: ", status.message()));
}

bool Conversation::IsReady(JobId job) {
  if (not_sent_.contains(job)) return options_.ignorable;
  return ready_.Get(session_, job, [&] {
    const absl::StatusOr<bool> answer = line_.Try(
        [&] { return port_.JobReady(line_.CallFor(options_.verbs.job_ready), session_, job); });
    if (Line::IsNotSent(answer.status())) not_sent_.insert(job);
    HoldIfNotSent(job, answer.status());
    return answer.value_or(options_.ignorable);
  });
}

void Conversation::AddJobHooks(HookRegistrar& hooks) {
  const Verbs& verbs = options_.verbs;
  if (!verbs.job_enqueueable.empty()) {
    hooks.JobEnqueueable([this](JobId job) { return Enqueueable(job); });
  }
  if (!verbs.job_enqueued.empty()) {
    hooks.JobEnqueued([this](JobId job) {
      static_cast<void>(line_.Try([&] {
        return port_.TellJob(line_.CallFor(options_.verbs.job_enqueued), session_, job);
      }));
    });
  }
  if (!verbs.queue_overused.empty()) {
    hooks.Overused([this](QueueId queue) {
      return overused_.Get(session_, queue, [&] {
        return line_
            .Try([&] {
              return port_.QueueOverused(line_.CallFor(options_.verbs.queue_overused), session_,
                                         queue);
            })
            .value_or(!options_.ignorable);
      });
    });
  }
  if (!verbs.job_ready.empty()) hooks.JobReady([this](JobId job) { return IsReady(job); });
  if (!verbs.allocate.empty() || !verbs.prioritize.empty()) {
    hooks.JobWithheld([this](JobId job) { return refused_jobs_.contains(job); });
    hooks.JobPipelined(
        [this](JobId job) { return refused_jobs_.contains(job) ? Vote::kReject : Vote::kAbstain; });
  }
}

// A placement that the extender refuses cannot be undone from here; its job counts as not ready,
// whatever switches say, so that nothing of it is bound.
void Conversation::Refuse(TaskId task, const absl::Status& why) {
  const JobId job = session_.task(task).job;
  HoldIfNotSent(job, why);
  if (job.valid() && refused_tasks_.insert(task).second) ++refused_jobs_[job];
}
void Conversation::TakeBackRefusal(TaskId task) {
  if (refused_tasks_.erase(task) == 0) return;
  const auto job = refused_jobs_.find(session_.task(task).job);
  if (--job->second == 0) refused_jobs_.erase(job);
}

void Conversation::AddEvents(HookRegistrar& hooks) {
  const Verbs& verbs = options_.verbs;
  if (!verbs.allocate.empty() || !verbs.prioritize.empty()) {
    hooks.OnPlace([this](const TaskMove& move) {
      const TaskId task = move.task;
      if (!IsOfInterest(task)) return;
      const auto unrated = unrated_.find(task);
      if (unrated != unrated_.end()) Refuse(task, unrated->second);
      if (options_.verbs.allocate.empty()) return;
      const absl::Status status = line_.Try(
          [&] { return port_.TaskEvent(line_.CallFor(options_.verbs.allocate), session_, task); });
      if (absl::IsAborted(status) || (!status.ok() && !options_.ignorable)) {
        Refuse(task, status);
      }
    });
  }
  if (!verbs.deallocate.empty() || !verbs.allocate.empty() || !verbs.prioritize.empty()) {
    hooks.OnRemove([this](const TaskMove& move) {
      const TaskId task = move.task;
      TakeBackRefusal(task);
      if (options_.verbs.deallocate.empty() || !IsOfInterest(task)) return;
      static_cast<void>(line_.Try([&] {
        return port_.TaskEvent(line_.CallFor(options_.verbs.deallocate), session_, task);
      }));
    });
  }
}

}  // namespace bth::plugins::extender
