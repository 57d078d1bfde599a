#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "actions/ignored_arguments.h"
#include "actions/single_pods/side_deciders.h"
#include "actions/single_pods/single_pods.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"

namespace bth::actions {
namespace {

using framework::Gate;
using framework::NodeChoice;
using framework::Session;
using framework::Statement;
using model::NodeId;
using model::TaskId;

constexpr std::string_view kAllocate = "allocate";
// Plugins with something to say about one pod and one node.
constexpr const char* kPluginsForSinglePods[] = {"binpack",    "deviceshare",           "nodeorder",
                                                 "predicates", "resource-strategy-fit", "usage"};

// The pods that wait, in the order in which they are served: the urgent first, then by priority;
// of the rest the jobs are in order of creation and UID already.
std::vector<TaskId> InOrderOfUrgency(const Session& session) {
  struct Waiting {
    int32_t urgency = 0;
    int32_t priority = 0;
    TaskId task;
  };
  std::vector<Waiting> waiting;
  waiting.reserve(session.active_jobs().size());
  for (model::JobId job : session.active_jobs()) {
    for (TaskId task : *session.job(job).tasks) {
      const model::TaskRow& row = session.task(task);
      if (session.state(task).status != model::TaskStatus::kPending || row.gated) continue;
      waiting.push_back({session.job(job).priority, row.pod_priority.value_or(0), task});
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
    return a.urgency != b.urgency ? a.urgency > b.urgency : a.priority > b.priority;
  });
  std::vector<TaskId> tasks;
  tasks.reserve(waiting.size());
  for (const Waiting& one : waiting) tasks.push_back(one.task);
  return tasks;
}

// As things stand now, whatever others have placed meanwhile.
bool StillTakes(Session& session, TaskId task, NodeId node) {
  const framework::NodeJudge& judge = session.picker().judge();
  if (judge.HoldsOff(task) != framework::kFits) return false;
  std::vector<framework::ReasonId> reasons;
  judge.CollectReasons(task, node, true, &reasons);
  return reasons.empty() && judge.HasRoomNow(task, node);
}

// Room that is being left is not waited for: it goes to whoever comes first once it is there.
std::string LaterText(const Session& session, TaskId task, NodeId node) {
  const model::TaskNames& names = *session.task(task).names;
  return StrCat("Pod ", names.Key(), " can possibly be assigned to ", session.node(node).name,
                ", once resource is released");
}

void CommitChoice(Session& session, TaskId task, NodeId node) {
  Statement statement(session, kAllocate);
  statement.Allocate(task, node);
  if (const absl::Status status = statement.Commit(); !status.ok()) {
    session.notes().HoldAt(session.task(task).job, Gate::kBinding, "",
                           std::string(status.message()));
  }
}

// Thread: scheduling.
class AllocateSingles final : public framework::Action {
 public:
  AllocateSingles(SinglePodOptions options, std::shared_ptr<const framework::Registry> plugins)
      : options_(std::move(options)), plugins_(std::move(plugins)) {}

  std::string_view name() const override { return kAllocate; }
  absl::Status Execute(Session& session) override {
    const std::vector<TaskId> tasks = InOrderOfUrgency(session);
    const auto workers = static_cast<size_t>(options_.workers);
    if (workers > 1 && tasks.size() >= workers * options_.share_min) {
      return DecideTogether(session, tasks);
    }
    const Clock& clock = *session.context().clock;
    const absl::Duration start = clock.Monotonic();
    for (TaskId task : tasks) {
      session.WorkOn(session.task(task).job, [&] { Place(session, task); });
    }
    if (options_.on_worker_cycle && !tasks.empty())
      options_.on_worker_cycle(clock.Monotonic() - start);
    return absl::OkStatus();
  }

 private:
  // Whoever comes first in the order keeps what its worker chose. One that was overtaken is decided
  // anew at once, with all that was settled before it.
  absl::Status DecideTogether(Session& session, const std::vector<TaskId>& tasks) {
    if (deciders_ == nullptr) deciders_ = std::make_unique<SideDeciders>(options_, plugins_);
    BTH_ASSIGN_OR_RETURN(const std::vector<NodeId> nodes, deciders_->Propose(session, tasks));
    int64_t conflicts = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
      session.WorkOn(session.task(tasks[i]).job, [&] {
        const bool chosen = nodes[i].valid();
        if (chosen && StillTakes(session, tasks[i], nodes[i])) {
          CommitChoice(session, tasks[i], nodes[i]);
          return;
        }
        conflicts += chosen ? 1 : 0;
        Place(session, tasks[i]);
      });
    }
    if (options_.on_conflicts && conflicts > 0) options_.on_conflicts(conflicts);
    return absl::OkStatus();
  }

  static void Place(Session& session, TaskId task) {
    const NodeChoice choice = session.picker().PickNow(task);
    if (!choice.node.valid()) return;  // Why is recorded.
    if (choice.on_future_room) {
      session.notes().HoldAt(session.task(task).job, Gate::kVictims, "",
                             LaterText(session, task, choice.node));
    } else {
      CommitChoice(session, task, choice.node);
    }
  }

  const SinglePodOptions options_;
  const std::shared_ptr<const framework::Registry> plugins_;
  std::unique_ptr<SideDeciders> deciders_;  // Null until there was something to share.
};

}  // namespace

void KeepForSinglePods(framework::Registry& registry, const SinglePodOptions& options) {
  const std::string kept = absl::StrJoin(kPluginsForSinglePods, ", ");
  for (auto& [name, factory] : registry.plugins) {
    if (std::count(std::begin(kPluginsForSinglePods), std::end(kPluginsForSinglePods), name) > 0) {
      continue;
    }
    factory = [kept](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
      return absl::InvalidArgumentError(
          StrCat("has nothing to say about single pods: leave it out; there are ", kept));
    };
  }
  const auto plugins = std::make_shared<framework::Registry>(registry);
  const auto make = [](const SinglePodOptions& of,
                       std::shared_ptr<const framework::Registry> with) {
    return [of, with = std::move(with)](
               const conf::Arguments& args) -> absl::StatusOr<std::unique_ptr<framework::Action>> {
      BTH_RETURN_IF_ERROR(NoteErrorCache(args));
      return std::make_unique<AllocateSingles>(of, with);
    };
  };
  for (auto& [name, factory] : registry.actions) {
    factory = [](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Action>> {
      return absl::InvalidArgumentError(
          "is about gangs, queues or evictions: single pods have no other action than allocate");
    };
  }
  // The policies of workers have the action too, and never run it.
  plugins->actions = registry.actions;
  const std::string allocate(kAllocate);
  plugins->actions[allocate] = make(SinglePodOptions(), nullptr);
  registry.actions[allocate] = make(options, plugins);
}

}  // namespace bth::actions
