#include "cache/writes/gate_remover.h"

#include <utility>

#include "api/types/json.h"
#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "cache/intake/compile.h"
#include "client/api_error.h"

namespace bth::cache {

client::Patch GateRemovalPatch(std::string_view uid) {
  types::Json gate = types::Json::MakeObject();
  gate.Set("$patch", types::Json(std::string_view("delete")));
  gate.Set("name", types::Json(kQueueGate));
  types::Json gates = types::Json::MakeArray();
  gates.MutableItems().push_back(std::move(gate));
  types::Json body = types::Json::MakeObject();
  body.MutableAt({"metadata", "uid"}) = types::Json(uid);
  body.MutableAt({"spec", "schedulingGates"}) = std::move(gates);
  client::Patch patch;
  patch.kind = client::PatchKind::kStrategic;
  patch.body = body.Dump();
  return patch;
}

GateRemover::GateRemover(client::ApiClient& api, Mirror& mirror, metrics::SchedulerMetrics* metrics,
                         int workers)
    : api_(api),
      mirror_(mirror),
      metrics_(metrics),
      workers_(workers),
      parked_(api.executor(), [this](Removal removal) {
        waiting_.push_back(std::move(removal));
        Wake();
      }) {}

void GateRemover::Take(const framework::CycleReport& report) {
  bool dropped = false;
  for (model::TaskId task : report.lifted_gates) {
    const model::TaskNames& names = *report.snapshot->tasks[task].names;
    if (wanted_.contains(names.uid)) {
      // Its object may have changed meanwhile, still with the gate.
      mirror_.AssumeGateLifted(names.Key(), names.uid);
      continue;
    }
    if (static_cast<int64_t>(waiting()) >= kWaitingPerWorker * workers_) {
      dropped = true;
      break;
    }
    if (!mirror_.AssumeGateLifted(names.Key(), names.uid)) continue;
    wanted_.insert(names.uid);
    waiting_.push_back({.ns = names.ns, .name = names.name, .uid = names.uid});
    Wake();
  }
  if (!dropped) return;
  if (metrics_ != nullptr) metrics_->LimitReached("gate_removals");
  Log(LogLevel::kWarning, "gates.queue_full",
      {{"waiting", static_cast<int64_t>(waiting())},
       {"remedy", "raise --gate-removal-worker-num; a later cycle tries again"}});
}

void GateRemover::Wake() {
  if (static_cast<int>(running_.size()) < workers_ && sleeping_.empty()) {
    running_.push_back(std::make_unique<client::Background>());
    running_.back()->Keep(api_.executor(), "gates.worker", [this] { return Work(); });
    return;
  }
  if (sleeping_.empty()) return;
  const net::Promised<bool> worker = std::move(sleeping_.back());
  sleeping_.pop_back();
  worker.Set(true);
}

net::Awaitable<void> GateRemover::Work() {
  for (;;) {
    while (waiting_.empty()) {
      net::Promised<bool> work(api_.executor());
      sleeping_.push_back(work);
      co_await work.Wait();
    }
    Removal removal = std::move(waiting_.front());
    waiting_.pop_front();
    ++in_flight_;
    co_await Remove(std::move(removal));
    --in_flight_;
  }
}

net::Awaitable<absl::Status> GateRemover::Send(const Removal& removal) {
  try {
    const client::ApiPath path{
        "pods", types::ResourceTraits<types::Pod>::type().Path(removal.ns, removal.name)};
    client::Patch patch = GateRemovalPatch(removal.uid);
    const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
    co_return answer.status();
  } catch (...) {
    api_.executor().barrier().Caught("gates.removal", net::Consequence::kFailed);
  }
  co_return absl::InternalError("the removal ended with an exception");
}

net::Awaitable<void> GateRemover::Remove(Removal removal) {
  const absl::Status status = co_await Send(removal);
  if (status.ok()) {
    wanted_.erase(removal.uid);  // The watch shows the pod without its gate.
    co_return;
  }
  const bool other_pod = absl::IsNotFound(status) || absl::IsAborted(status);
  if (!other_pod && ++removal.attempts < kAttemptsMax) {
    const absl::Duration pause = kPause * (int64_t{1} << removal.attempts);
    parked_.Park(std::move(removal), client::RetryAfter(status).value_or(pause));
    co_return;
  }
  if (!other_pod) {
    Log(LogLevel::kWarning, "pod.gate_not_removed", {{"pod", removal.key()}, {"status", status}});
  }
  wanted_.erase(removal.uid);
  mirror_.ForgetGateLifted(removal.key(), removal.uid);
  if (on_failure_) on_failure_();
}

}  // namespace bth::cache
