#include "cli/explain/held_by.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

// The condition of that type that is true; null: there is none.
const Json& TrueCondition(const Json& object, std::string_view type) {
  static const Json kNone;
  for (const Json& condition : object.At({"status", "conditions"}).items()) {
    if (condition["type"].AsString() == type && condition["status"].AsString() == "True") {
      return condition;
    }
  }
  return kNone;
}

std::string_view JobPhase(const JobFacts& facts) {
  return facts.job ? facts.job->At({"status", "state", "phase"}).AsString() : std::string_view();
}

// " (reason: message)" of the job's state, as far as there is one.
std::string StateWords(const Json& job) {
  const std::string_view reason = job.At({"status", "state", "reason"}).AsString();
  const std::string_view message = job.At({"status", "state", "message"}).AsString();
  if (reason.empty() && message.empty()) return "";
  return StrCat(" (", reason, reason.empty() || message.empty() ? "" : ": ", message, ")");
}

// Jobs that have ended, or are on their way to it.
bool EndHolds(const JobFacts& facts, HeldBy* held) {
  const std::string_view phase = JobPhase(facts);
  if (phase == "Completed" || phase == "Failed" || phase == "Terminated") {
    *held = {.waits = false, .words = StrCat("It has ended: ", phase, StateWords(*facts.job), ".")};
    return true;
  }
  if (phase == "Aborted" || phase == "Aborting") {
    *held = {.words = StrCat("it was suspended", StateWords(*facts.job), "."),
             .remedy = StrCat("vcctl job resume -n ", facts.ns, " -N ", facts.name),
             .is_for_scheduler = false};
    return true;
  }
  if (phase == "Terminating" || phase == "Completing" || phase == "Restarting") {
    *held = {.words = StrCat("it is ", phase, StateWords(*facts.job),
                             " until its former pods are gone."),
             .is_for_scheduler = false};
    return true;
  }
  return false;
}

bool QueueHolds(const JobFacts& facts, HeldBy* held) {
  if (facts.queue_missing) {
    *held = {.words = StrCat("queue ", facts.queue_name, " does not exist."),
             .remedy = StrCat("vcctl queue create -n ", facts.queue_name,
                              ", or name another queue (vcctl queue list)")};
    return true;
  }
  if (!facts.queue) return false;
  const std::string_view state = facts.queue->At({"status", "state"}).AsString();
  if (state == "Closed" || state == "Closing") {
    *held = {.words = StrCat("queue ", facts.queue_name, " is ", state,
                             ": nothing new of it is placed."),
             .remedy = StrCat("vcctl queue operate -n ", facts.queue_name, " -a open")};
    return true;
  }
  return false;
}

// What holds the job as the scheduler's page has it; empty: nothing does, or there is no page.
std::string_view PageWords(const JobFacts& facts) {
  if (!facts.page || (*facts.page)["gate"].AsString("None") == "None") return "";
  return (*facts.page)["message"].AsString();
}

bool GroupHolds(const JobFacts& facts, HeldBy* held) {
  if (facts.group_missing) {
    *held = {.words = "it has no PodGroup.",
             .remedy =
                 "vc-controller-manager makes one: look whether it runs, and at the events of "
                 "the job (vcctl job view)"};
    return true;
  }
  if (!facts.group) return false;
  const std::string_view phase = facts.group->At({"status", "phase"}).AsString();
  const Json& refusal = TrueCondition(*facts.group, "Unschedulable");
  std::string_view message = refusal["message"].AsString();
  const bool is_new = phase.empty() || phase == "Pending";
  // Conditions say the same, a moment later.
  if (is_new && message.empty()) message = PageWords(facts);
  if (phase.empty() && message.empty()) {
    *held = {.words = "no scheduler has looked at its PodGroup yet.",
             .remedy = "look whether vc-scheduler runs and leads"};
    return true;
  }
  if (is_new) {
    *held = {.words = StrCat("it is not admitted to queue ", facts.queue_name,
                             message.empty() ? std::string(".") : StrCat(": ", message))};
    return true;
  }
  if (!message.empty() && phase != "Completed") {
    *held = {.words = StrCat("it is admitted, and its gang has no place: ", message)};
    return true;
  }
  return false;
}

// What is said of the pod that waits, and of how many.
HeldBy PodsHold(const JobFacts& facts) {
  const auto waiting = std::count_if(facts.pods.begin(), facts.pods.end(),
                                     [](const Json& pod) { return !PodWords(pod).empty(); });
  if (facts.pods.empty()) {
    return {.words = "it has no pods yet.",
            .remedy = "the events of the job tell what kept them from being made (vcctl job view)"};
  }
  if (waiting == 0) return {.waits = false, .words = "Nothing holds it: all its pods have places."};
  const auto first = std::find_if(facts.pods.begin(), facts.pods.end(),
                                  [](const Json& pod) { return !PodWords(pod).empty(); });
  return {.words = StrCat(int64_t{waiting}, " of its ", facts.pods.size(),
                          " pods do not run: ", PodWords(*first))};
}

// Of containers that cannot start: "ImagePullBackOff: ...".
std::string ContainerWords(const Json& pod) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Json& status : pod.At({"status", list}).items()) {
      const Json& waiting = status.At({"state", "waiting"});
      const std::string_view reason = waiting["reason"].AsString();
      if (reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating") continue;
      const std::string_view message = waiting["message"].AsString();
      return StrCat("container ", status["name"].AsString(), ": ", reason,
                    message.empty() ? "" : ": ", message);
    }
  }
  return "";
}

}  // namespace

std::string PodWords(const Json& pod) {
  const std::string_view phase = pod.At({"status", "phase"}).AsString();
  if (phase == "Succeeded" || phase == "Failed") return "";
  if (!pod.At({"spec", "nodeName"}).AsString().empty()) return ContainerWords(pod);
  for (const Json& condition : pod.At({"status", "conditions"}).items()) {
    if (condition["type"].AsString() != "PodScheduled") continue;
    const std::string_view message = condition["message"].AsString();
    if (!message.empty()) return std::string(message);
    if (const std::string_view reason = condition["reason"].AsString(); !reason.empty()) {
      return std::string(reason);
    }
  }
  return StrCat("no scheduler has spoken of it: is one named ",
                pod.At({"spec", "schedulerName"}).AsString("default-scheduler"), "?");
}

HeldBy WhatHolds(const JobFacts& facts) {
  HeldBy held;
  if (EndHolds(facts, &held)) return held;
  if (!QueueHolds(facts, &held) && !GroupHolds(facts, &held)) held = PodsHold(facts);
  if (held.waits && held.remedy.empty() && facts.page) {
    held.remedy = std::string((*facts.page)["advice"].AsString());
  }
  return held;
}

}  // namespace bth::cli
