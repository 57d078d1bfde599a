#include "actions/single_pods/side_deciders.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"

namespace bth::actions {
namespace {

using framework::Session;
using framework::Statement;
using model::NodeId;
using model::TaskId;

// Workers decide; what is done follows from the session that settles their proposals.
class NoSink final : public framework::EffectSink {
 public:
  absl::Status Submit(framework::EffectBatch batch) override {
    static_cast<void>(batch);
    return absl::InternalError("a worker wants something done");
  }
  void Report(framework::CycleReport report) override { static_cast<void>(report); }
};

}  // namespace

SideDeciders::SideDeciders(const SinglePodOptions& options,
                           std::shared_ptr<const framework::Registry> plugins)
    : options_(options),
      plugins_(std::move(plugins)),
      workers_(static_cast<size_t>(options.workers)) {}

SideDeciders::~SideDeciders() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begins_.notify_all();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

// The policy of a session outlives it, and so does the action that keeps these.
absl::Status SideDeciders::MakePolicies(const Session& session) {
  const std::shared_ptr<const conf::Policy> policy(std::shared_ptr<void>(),
                                                   session.context().policy);
  for (Worker& worker : workers_) {
    if (worker.policy != nullptr) continue;
    std::vector<conf::Finding> told_before;
    BTH_ASSIGN_OR_RETURN(worker.policy,
                         framework::PolicyInstance::Create(policy, *plugins_, &told_before));
  }
  return absl::OkStatus();
}

void SideDeciders::Start() {
  for (size_t i = 1; i < workers_.size(); ++i) {
    if (workers_[i].thread.joinable()) continue;
    workers_[i].thread = std::thread([this, i] { Serve(i); });
  }
}

void SideDeciders::Serve(size_t index) {
  uint64_t served = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begins_.wait(lock, [&] { return stop_ || rounds_ != served; });
      if (stop_) return;
      served = rounds_;
    }
    Decide(index);
    const std::lock_guard lock(mutex_);
    if (--at_work_ == 0) ended_.notify_one();
  }
}

void SideDeciders::Decide(size_t index) {
  Worker& worker = workers_[index];
  worker.culprit = TaskId();
  try {
    worker.status = TryDecide(index, worker);
  } catch (...) {
    worker.defect = std::current_exception();
    worker.policy.reset();  // What it remembers may be half changed.
  }
}

absl::Status SideDeciders::TryDecide(size_t index, Worker& worker) {
  NoSink sink;
  const framework::SessionContext& outer = round_.session->context();
  const absl::Duration start = outer.clock->Monotonic();
  framework::SessionContext context = outer;
  context.sink = &sink;
  context.metrics = nullptr;   // What counts is what is settled.
  context.extender = nullptr;  // Asked by the scheduling thread alone.
  framework::Cycle cycle(*worker.policy, std::move(context), /*looks_at_all=*/true);
  BTH_RETURN_IF_ERROR(cycle.Open());
  Session& session = cycle.session();
  for (size_t i = index; i < round_.tasks->size(); i += workers_.size()) {
    const TaskId task = (*round_.tasks)[i];
    worker.culprit = task;
    const framework::NodeChoice choice = session.picker().PickNow(task);
    if (!choice.node.valid() || choice.on_future_room) continue;
    (*round_.nodes)[i] = choice.node;
    Statement statement(session, "allocate");
    statement.Allocate(task, choice.node);
    statement.Keep();
  }
  worker.culprit = TaskId();
  if (options_.on_worker_cycle) options_.on_worker_cycle(outer.clock->Monotonic() - start);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<NodeId>> SideDeciders::Propose(Session& session,
                                                          const std::vector<TaskId>& tasks) {
  BTH_RETURN_IF_ERROR(MakePolicies(session));
  Start();
  std::vector<NodeId> nodes(tasks.size());
  {
    const std::lock_guard lock(mutex_);
    round_ = {.session = &session, .tasks = &tasks, .nodes = &nodes};
    at_work_ = workers_.size() - 1;
    ++rounds_;
  }
  begins_.notify_all();
  Decide(0);
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return at_work_ == 0; });
    round_ = {};
  }
  for (Worker& worker : workers_) {
    const std::exception_ptr defect = std::exchange(worker.defect, nullptr);
    if (defect == nullptr) continue;
    if (!worker.culprit.valid()) std::rethrow_exception(defect);
    session.WorkOn(session.task(worker.culprit).job, [&defect] { std::rethrow_exception(defect); });
  }
  for (const Worker& worker : workers_) BTH_RETURN_IF_ERROR(worker.status);
  return nodes;
}

}  // namespace bth::actions
