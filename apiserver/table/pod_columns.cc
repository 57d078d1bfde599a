#include <algorithm>
#include <string>
#include <string_view>

#include "apiserver/table/columns.h"
#include "apiserver/table/table.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

const Json* ConditionOf(const Json& pod, std::string_view type) {
  for (const Json& condition : pod["status"]["conditions"].items()) {
    if (condition["type"].AsString() == type) return &condition;
  }
  return nullptr;
}

bool IsSidecar(const Json& container) {
  return container["restartPolicy"].AsString() == "Always";
}

// What ended a container, in the words of the status column.
std::string TerminatedText(const Json& terminated) {
  if (const std::string_view reason = terminated["reason"].AsString(); !reason.empty()) {
    return std::string(reason);
  }
  if (const int64_t signal = terminated["signal"].AsInt(); signal != 0) {
    return StrCat("Signal:", signal);
  }
  return StrCat("ExitCode:", terminated["exitCode"].AsInt());
}

const Json& SpecOf(const Json& pod, std::string_view list, std::string_view name) {
  static const Json kNone;
  for (const Json& container : pod["spec"][list].items()) {
    if (container["name"].AsString() == name) return container;
  }
  return kNone;
}

// The state of the init containers while they are what the pod is waiting for; else empty.
std::string InitText(const Json& pod) {
  const Json& statuses = pod["status"]["initContainerStatuses"];
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Json& status = statuses[i];
    const Json& state = status["state"];
    if (state["terminated"].is_object()) {
      if (state["terminated"]["exitCode"].AsInt() == 0) continue;
      return StrCat("Init:", TerminatedText(state["terminated"]));
    }
    const bool sidecar = IsSidecar(SpecOf(pod, "initContainers", status["name"].AsString()));
    if (sidecar && status["started"].AsBool()) continue;
    const std::string_view waiting = state["waiting"]["reason"].AsString();
    if (!waiting.empty() && waiting != "PodInitializing") {
      return StrCat("Init:", waiting);
    }
    return StrCat("Init:", i, "/", pod["spec"]["initContainers"].size());
  }
  return {};
}

// The states of the containers, the first one winning; `running` says that one runs and is ready.
std::string ContainersText(const Json& pod, std::string reason, bool* running) {
  const Json& statuses = pod["status"]["containerStatuses"];
  for (size_t i = statuses.size(); i-- > 0;) {
    const Json& state = statuses[i]["state"];
    if (const std::string_view waiting = state["waiting"]["reason"].AsString(); !waiting.empty()) {
      reason = waiting;
    } else if (state["terminated"].is_object()) {
      reason = TerminatedText(state["terminated"]);
    } else if (statuses[i]["ready"].AsBool() && state["running"].is_object()) {
      *running = true;
    }
  }
  return reason;
}

std::string StatusText(const Json& pod) {
  const Json& status = pod["status"];
  std::string reason(status["phase"].AsString());
  if (const std::string_view given = status["reason"].AsString(); !given.empty()) reason = given;
  if (const Json* scheduled = ConditionOf(pod, "PodScheduled");
      scheduled != nullptr && (*scheduled)["reason"].AsString() == "SchedulingGated") {
    reason = "SchedulingGated";
  }
  const Json* initialized = ConditionOf(pod, "Initialized");
  const bool past_init = initialized != nullptr && (*initialized)["status"].AsString() == "True";
  const std::string init = InitText(pod);
  if (!init.empty() && !past_init) {
    reason = init;
  } else {
    bool running = false;
    reason = ContainersText(pod, std::move(reason), &running);
    // One container is done, another still works.
    if (reason == "Completed" && running) {
      const Json* ready = ConditionOf(pod, "Ready");
      reason = ready != nullptr && (*ready)["status"].AsString() == "True" ? "Running" : "NotReady";
    }
  }
  if (pod["metadata"]["deletionTimestamp"].is_string()) {
    const std::string_view phase = status["phase"].AsString();
    if (status["reason"].AsString() == "NodeLost") return "Unknown";
    if (phase != "Succeeded" && phase != "Failed") return "Terminating";
  }
  return reason;
}

Json Ready(const Json& pod, absl::Time) {
  size_t ready = 0;
  size_t total = pod["spec"]["containers"].size();
  for (const Json& status : pod["status"]["containerStatuses"].items()) {
    const bool runs = status["state"]["running"].is_object();
    ready += status["ready"].AsBool() && runs ? 1 : 0;
  }
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    total += IsSidecar(container) ? 1 : 0;
  }
  for (const Json& status : pod["status"]["initContainerStatuses"].items()) {
    const bool sidecar = IsSidecar(SpecOf(pod, "initContainers", status["name"].AsString()));
    ready += sidecar && status["ready"].AsBool() ? 1 : 0;
  }
  return StrCat(ready, "/", total);
}

Json Status(const Json& pod, absl::Time) {
  return StatusText(pod);
}

Json Restarts(const Json& pod, absl::Time now) {
  int64_t restarts = 0;
  std::string_view last;
  for (const Json& status : pod["status"]["containerStatuses"].items()) {
    restarts += status["restartCount"].AsInt();
    last = std::max(last, status["lastState"]["terminated"]["finishedAt"].AsString());
  }
  if (restarts == 0 || last.empty()) return StrCat(restarts);
  return StrCat(restarts, " (", AgeText(last, now), " ago)");
}

Json Ip(const Json& pod, absl::Time) {
  const Json& ips = pod["status"]["podIPs"];
  const std::string_view ip =
      ips.empty() ? pod["status"]["podIP"].AsString() : ips[size_t{0}]["ip"].AsString();
  return TextOr(ip, "<none>");
}

Json Node(const Json& pod, absl::Time) {
  return TextOr(pod["spec"]["nodeName"].AsString(), "<none>");
}

Json Nominated(const Json& pod, absl::Time) {
  return TextOr(pod["status"]["nominatedNodeName"].AsString(), "<none>");
}

Json Gates(const Json& pod, absl::Time) {
  const Json& gates = pod["spec"]["readinessGates"];
  if (gates.empty()) return "<none>";
  size_t open = 0;
  for (const Json& gate : gates.items()) {
    const Json* condition = ConditionOf(pod, gate["conditionType"].AsString());
    open += condition != nullptr && (*condition)["status"].AsString() == "True" ? 1 : 0;
  }
  return StrCat(open, "/", gates.size());
}

constexpr Column kColumns[] = {
    {"Name", "string", 0, NameCell},
    {"Ready", "string", 0, Ready},
    {"Status", "string", 0, Status},
    {"Restarts", "string", 0, Restarts},
    {"Age", "string", 0, AgeCell},
    {"IP", "string", 1, Ip},
    {"Node", "string", 1, Node},
    {"Nominated Node", "string", 1, Nominated},
    {"Readiness Gates", "string", 1, Gates},
};

}  // namespace

std::span<const Column> PodColumns() {
  return kColumns;
}

}  // namespace bth::apiserver
