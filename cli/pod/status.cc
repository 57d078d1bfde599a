#include "cli/pod/status.h"

#include <set>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/time.h"
#include "base/strings.h"
#include "cli/print/times.h"

namespace bth::cli {
namespace {

using types::Json;

// Restarts of some containers.
struct Restarts {
  int64_t count = 0;
  std::optional<absl::Time> last;

  void Add(const Json& container) {
    count += container["restartCount"].AsInt();
    const absl::StatusOr<absl::Time> ended =
        types::ParseTimestamp(container.At({"lastState", "terminated", "finishedAt"}).AsString());
    if (ended.ok() && (!last.has_value() || *last < *ended)) last = *ended;
  }
};

bool IsTrue(const Json& pod, std::string_view type) {
  for (const Json& condition : pod.At({"status", "conditions"}).items()) {
    if (condition["type"].AsString() == type) return condition["status"].AsString() == "True";
  }
  return false;
}

// How a container ended: its reason, else the signal or the exit code.
std::string EndText(const Json& terminated) {
  const std::string_view reason = terminated["reason"].AsString();
  if (!reason.empty()) return std::string(reason);
  const int64_t signal = terminated["signal"].AsInt();
  if (signal != 0) return StrCat("Signal:", signal);
  return StrCat("ExitCode:", terminated["exitCode"].AsInt());
}

std::string PhaseOf(const Json& pod) {
  const Json& status = pod["status"];
  std::string text(status["phase"].AsString());
  if (const std::string_view reason = status["reason"].AsString(); !reason.empty()) text = reason;
  for (const Json& condition : status["conditions"].items()) {
    const bool gated = condition["reason"].AsString() == "SchedulingGated";
    if (gated && condition["type"].AsString() == "PodScheduled") text = "SchedulingGated";
  }
  return text;
}

// Why the init container keeps the pod from starting; empty: it does not.
std::string InitText(const Json& container, bool is_sidecar) {
  const Json* terminated = container["state"].Find("terminated");
  if (terminated != nullptr && (*terminated)["exitCode"].AsInt() == 0) return "";
  if (is_sidecar && container["started"].AsBool()) return "";
  if (terminated != nullptr) return EndText(*terminated);
  const std::string_view reason = container.At({"state", "waiting", "reason"}).AsString();
  return reason.empty() || reason == "PodInitializing" ? "-" : std::string(reason);
}

class StateReader final {
 public:
  explicit StateReader(const Json& pod) : pod_(pod) {}

  PodState Read() {
    const Json& spec = pod_["spec"];
    for (const Json& container : spec["initContainers"].items()) {
      if (container["restartPolicy"].AsString() != "Always") continue;
      sidecars_.insert(container["name"].AsString());
    }
    state_.containers = static_cast<int64_t>(spec["containers"].size() + sidecars_.size());
    state_.status = PhaseOf(pod_);
    const bool waits = ReadInitContainers();
    if (!waits || IsTrue(pod_, "Initialized")) {
      restarts_ = of_sidecars_;
      ReadContainers();
    }
    ReadDeletion();
    state_.restarts = restarts_.count;
    state_.restarted_at = restarts_.last;
    return std::move(state_);
  }

 private:
  // True while one of them is not done.
  bool ReadInitContainers() {
    int64_t index = 0;
    for (const Json& container : pod_.At({"status", "initContainerStatuses"}).items()) {
      const bool is_sidecar = sidecars_.count(container["name"].AsString()) > 0;
      restarts_.Add(container);
      if (is_sidecar) of_sidecars_.Add(container);
      const std::string why = InitText(container, is_sidecar);
      const bool has_ended = container["state"].Find("terminated") != nullptr;
      if (why.empty()) {
        if (is_sidecar && !has_ended && container["ready"].AsBool()) ++state_.ready;
        ++index;
        continue;
      }
      state_.status = why != "-"
                          ? StrCat("Init:", why)
                          : StrCat("Init:", index, "/", pod_.At({"spec", "initContainers"}).size());
      return true;
    }
    return false;
  }

  void ReadContainers() {
    const Json::Array& containers = pod_.At({"status", "containerStatuses"}).items();
    bool one_runs = false;
    for (size_t i = containers.size(); i-- > 0;) {
      const Json& container = containers[i];
      restarts_.Add(container);
      const Json& now = container["state"];
      const std::string_view waits_for = now.At({"waiting", "reason"}).AsString();
      if (!waits_for.empty()) {
        state_.status = waits_for;
      } else if (const Json* terminated = now.Find("terminated")) {
        state_.status = EndText(*terminated);
      } else if (container["ready"].AsBool() && now.Find("running") != nullptr) {
        one_runs = true;
        ++state_.ready;
      }
    }
    if (state_.status == "Completed" && one_runs) {
      state_.status = IsTrue(pod_, "Ready") ? "Running" : "NotReady";
    }
  }

  void ReadDeletion() {
    if (pod_.At({"metadata", "deletionTimestamp"}).is_null()) return;
    const Json& status = pod_["status"];
    const std::string_view phase = status["phase"].AsString();
    if (status["reason"].AsString() == "NodeLost") {
      state_.status = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      state_.status = "Terminating";
    }
  }

  const Json& pod_;
  std::set<std::string_view> sidecars_;
  PodState state_;
  Restarts restarts_;
  Restarts of_sidecars_;
};

}  // namespace

PodState StateOf(const Json& pod) {
  return StateReader(pod).Read();
}

std::string RestartsText(const PodState& state, absl::Time now) {
  if (state.restarts == 0 || !state.restarted_at.has_value()) return StrCat(state.restarts);
  return StrCat(state.restarts, " (", AgeText(now - *state.restarted_at), " ago)");
}

}  // namespace bth::cli
