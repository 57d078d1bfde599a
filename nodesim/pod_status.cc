#include "nodesim/pod_status.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "api/types/time.h"
#include "base/strings.h"

namespace bth::nodesim {
namespace {

using types::Json;
using State = ContainerLife::State;

const char* PhaseText(PodLife::Phase phase) {
  switch (phase) {
    case PodLife::Phase::kPending:
      return "Pending";
    case PodLife::Phase::kRunning:
      return "Running";
    case PodLife::Phase::kSucceeded:
      return "Succeeded";
    case PodLife::Phase::kFailed:
      return "Failed";
  }
  return "Unknown";
}

Json Terminated(const ContainerLife::Run& run) {
  Json out = Json::MakeObject();
  out.Set("exitCode", run.exit_code);
  out.Set("reason", run.exit_code == 0 ? "Completed" : "Error");
  out.Set("startedAt", types::FormatTimestamp(run.started));
  out.Set("finishedAt", types::FormatTimestamp(run.ended));
  return Json::MakeObject({{"terminated", std::move(out)}});
}

Json Waiting(const ContainerPlan& plan, const ContainerLife& life, bool initialized) {
  Json out = Json::MakeObject();
  if (life.last) {
    out.Set("reason", "CrashLoopBackOff");
    out.Set("message", StrCat("back-off ", absl::FormatDuration(life.since - life.last->ended),
                              " restarting container ", plan.name));
  } else {
    out.Set("reason", initialized ? "ContainerCreating" : "PodInitializing");
  }
  return Json::MakeObject({{"waiting", std::move(out)}});
}

Json ContainerStatus(const ContainerPlan& plan, const ContainerLife& life, bool initialized) {
  const bool running = life.state == State::kRunning;
  Json state;
  if (running) {
    Json since = Json::MakeObject({{"startedAt", types::FormatTimestamp(life.since)}});
    state = Json::MakeObject({{"running", std::move(since)}});
  } else if (life.state == State::kEnded && life.last) {
    state = Terminated(*life.last);
  } else {
    state = Waiting(plan, life, initialized);
  }
  Json out = Json::MakeObject();
  out.Set("name", plan.name);
  out.Set("image", plan.image);
  out.Set("imageID", "");
  out.Set("ready", running);
  out.Set("started", running);
  out.Set("restartCount", life.restarts);
  out.Set("state", std::move(state));
  const bool shows_last = life.last && life.state != State::kEnded;
  out.Set("lastState", shows_last ? Terminated(*life.last) : Json::MakeObject());
  return out;
}

Json InitStatuses(const PodLife& life) {
  Json out = Json::MakeArray();
  for (size_t i = 0; i < life.init().size(); ++i) {
    const ContainerLife& one = life.init()[i];
    Json status = ContainerStatus(life.plan().init[i], one, false);
    // One that did its work counts as ready.
    const bool done = one.state == State::kEnded && one.last && one.last->exit_code == 0;
    if (done) status.Set("ready", true);
    out.MutableItems().push_back(std::move(status));
  }
  return out;
}

Json MainStatuses(const PodLife& life) {
  Json out = Json::MakeArray();
  for (size_t i = 0; i < life.main().size(); ++i) {
    out.MutableItems().push_back(
        ContainerStatus(life.plan().main[i], life.main()[i], life.initialized().holds));
  }
  return out;
}

std::string NotRunning(const PodLife& life) {
  std::vector<std::string> names;
  for (size_t i = 0; i < life.main().size(); ++i) {
    if (life.main()[i].state != State::kRunning) names.push_back(life.plan().main[i].name);
  }
  return StrCat("containers with unready status: [", absl::StrJoin(names, " "), "]");
}

Json PodCondition(const char* type, const Claim& claim, const std::string& reason,
                  const std::string& message) {
  Json out = Json::MakeObject();
  out.Set("type", type);
  out.Set("status", claim.holds ? "True" : "False");
  out.Set("lastProbeTime", nullptr);
  out.Set("lastTransitionTime", types::FormatTimestamp(claim.since));
  // Null takes away what was said when it was different.
  out.Set("reason", claim.holds || reason.empty() ? Json() : Json(reason));
  out.Set("message", claim.holds || message.empty() ? Json() : Json(message));
  return out;
}

Json Conditions(const PodLife& life) {
  std::string reason = "ContainersNotReady";
  std::string message = NotRunning(life);
  if (life.over()) {
    reason = life.phase() == PodLife::Phase::kSucceeded ? "PodCompleted" : "PodFailed";
    message.clear();
  }
  Json out = Json::MakeArray();
  const Claim started{life.started(), life.start_time().value_or(life.ready().since)};
  out.MutableItems().push_back(PodCondition("PodReadyToStartContainers", started, "", ""));
  out.MutableItems().push_back(PodCondition("Initialized", life.initialized(),
                                            "ContainersNotInitialized",
                                            "init containers are not through"));
  out.MutableItems().push_back(PodCondition("Ready", life.ready(), reason, message));
  out.MutableItems().push_back(PodCondition("ContainersReady", life.ready(), reason, message));
  return out;
}

Json AddressList(const std::string& address) {
  return Json::MakeArray({Json::MakeObject({{"ip", address}})});
}

}  // namespace

Json StatusOf(const PodLife& life, const PodAddresses& addresses) {
  Json out = Json::MakeObject();
  out.Set("phase", PhaseText(life.phase()));
  if (!life.reason().empty()) {
    out.Set("reason", life.reason());
    out.Set("message", life.message());
  }
  out.Set("conditions", Conditions(life));
  if (!life.start_time()) return out;
  out.Set("startTime", types::FormatTimestamp(*life.start_time()));
  out.Set("podIP", addresses.pod_ip);
  out.Set("podIPs", AddressList(addresses.pod_ip));
  if (!addresses.host_ip.empty()) {
    out.Set("hostIP", addresses.host_ip);
    out.Set("hostIPs", AddressList(addresses.host_ip));
  }
  if (!life.init().empty()) out.Set("initContainerStatuses", InitStatuses(life));
  out.Set("containerStatuses", MainStatuses(life));
  return out;
}

}  // namespace bth::nodesim
