#include "cache/writes/status_patches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "api/types/json.h"
#include "api/types/time.h"
#include "cache/intake/compile.h"
#include "client/patch.h"
#include "framework/report/figures.h"

namespace bth::cache {
namespace {

using types::Json;

Json Text(std::string_view text) {
  return Json(text);
}

Json PodConditionBody(std::string_view uid, Json condition) {
  Json conditions = Json::MakeArray();
  conditions.MutableItems().push_back(std::move(condition));
  Json body = Json::MakeObject();
  body.MutableAt({"metadata", "uid"}) = Text(uid);
  body.MutableAt({"status", "conditions"}) = std::move(conditions);
  return body;
}

client::Patch StrategicPatch(const Json& body) {
  client::Patch patch;
  patch.kind = client::PatchKind::kStrategic;
  patch.body = body.Dump();
  return patch;
}

// Its time stays as long as status and reason do.
void Replace(ShownCondition condition, ShownCondition* known) {
  const bool lasts = known->status == condition.status && known->reason == condition.reason;
  condition.since = lasts ? known->since : std::nullopt;
  condition.session = lasts ? std::move(known->session) : "";
  *known = std::move(condition);
}

// As `Merge`, but for figures alone nothing is written.
void MergeBeyondFigures(const framework::ConditionReport& report,
                        std::vector<ShownCondition>* conditions) {
  ShownCondition next{report.type, report.status, report.reason, report.message};
  for (const ShownCondition& known : *conditions) {
    if (known.type == next.type && known.status == next.status && known.reason == next.reason &&
        framework::SameButFigures(known.message, next.message)) {
      return;
    }
  }
  Merge(std::move(next), conditions);
}

// The group that waited for its admission has it; conditions that speak of more stay.
void EndNotEnqueued(model::PodGroupPhase phase, std::vector<ShownCondition>* conditions) {
  if (phase == model::PodGroupPhase::kNone || phase == model::PodGroupPhase::kPending) return;
  for (ShownCondition& condition : *conditions) {
    if (condition.status != "True" || condition.reason != framework::kNotEnqueuedReason) continue;
    condition = {.type = condition.type,
                 .status = "False",
                 .reason = std::string(framework::kEnqueuedReason),
                 .message = "pod group is admitted to its queue"};
  }
}

// The gang stands, so that it is unschedulable no more. Else both would be true, and their times,
// which stay as they are, would not tell which of them holds now.
void EndUnschedulable(std::vector<ShownCondition>* conditions) {
  for (ShownCondition& condition : *conditions) {
    if (condition.type != "Unschedulable" || condition.status != "True") continue;
    condition = {.type = condition.type,
                 .status = "False",
                 .reason = "Scheduled",
                 .message = "the gang has its minimum"};
  }
}

// The cycle calls a gang scheduled when its bindings are asked for, the phase once they are there.
// Told before, a scheduler that comes back would take what another left in part for a gang that
// stood.
bool CameAbout(model::PodGroupPhase phase) {
  return phase == model::PodGroupPhase::kRunning || phase == model::PodGroupPhase::kCompleted;
}

}  // namespace

void Merge(ShownCondition condition, std::vector<ShownCondition>* conditions) {
  const auto known =
      std::find_if(conditions->begin(), conditions->end(),
                   [&condition](const auto& other) { return other.type == condition.type; });
  if (known == conditions->end()) {
    conditions->push_back(std::move(condition));
  } else {
    Replace(std::move(condition), &*known);
  }
}

void MergeAll(std::vector<ShownCondition> news, std::vector<ShownCondition>* conditions) {
  absl::flat_hash_map<std::string, size_t> places;  // The first of each type.
  for (size_t i = 0; i < conditions->size(); ++i) places.try_emplace((*conditions)[i].type, i);
  for (ShownCondition& condition : news) {
    const auto [place, fresh] = places.try_emplace(condition.type, conditions->size());
    if (fresh) {
      conditions->push_back(std::move(condition));
    } else {
      Replace(std::move(condition), &(*conditions)[place->second]);
    }
  }
}

bool MergeReported(const framework::PodGroupReport& group,
                   absl::FunctionRef<std::string()> standing,
                   std::vector<ShownCondition>* conditions) {
  bool withheld = false;
  for (const framework::ConditionReport& condition : group.conditions) {
    const bool stands = condition.type == "Scheduled";
    if (stands && !CameAbout(group.phase)) {
      withheld = true;
      continue;
    }
    if (stands) {
      Merge({condition.type, condition.status, condition.reason, standing()}, conditions);
      EndUnschedulable(conditions);
    } else {
      MergeBeyondFigures(condition, conditions);
    }
  }
  EndNotEnqueued(group.phase, conditions);
  return withheld;
}

void Stamp(absl::Time now, std::string_view session, std::vector<ShownCondition>* conditions) {
  for (ShownCondition& condition : *conditions) {
    if (condition.since.has_value()) continue;
    condition.since = absl::FromUnixSeconds(absl::ToUnixSeconds(now));
    condition.session = session;
  }
}

client::Patch PodGroupStatusPatch(const ShownPodGroup& status, std::string_view shown_hyper_node) {
  Json conditions = Json::MakeArray();
  for (const ShownCondition& condition : status.conditions) {
    Json entry = Json::MakeObject();
    entry.Set("type", Text(condition.type));
    entry.Set("status", Text(condition.status));
    entry.Set("reason", Text(condition.reason));
    entry.Set("message", Text(condition.message));
    entry.Set("transitionID", Text(condition.session));
    if (condition.since.has_value()) {
      entry.Set("lastTransitionTime", Json(types::FormatTimestamp(*condition.since)));
    }
    conditions.MutableItems().push_back(std::move(entry));
  }
  client::MergePatch patch;
  patch.RequireResourceVersion(status.resource_version);
  patch.Set({"status", "phase"}, Text(model::PhaseName(status.phase)));
  patch.Set({"status", "running"}, Json(int64_t{status.running}));
  patch.Set({"status", "succeeded"}, Json(int64_t{status.succeeded}));
  patch.Set({"status", "failed"}, Json(int64_t{status.failed}));
  patch.Set({"status", "conditions"}, std::move(conditions));
  const std::string annotation(kAllocatedHyperNode);
  if (status.allocated_hyper_node.empty()) {
    if (!shown_hyper_node.empty()) patch.Remove({"metadata", "annotations", annotation});
  } else if (status.allocated_hyper_node != shown_hyper_node) {
    patch.Set({"metadata", "annotations", annotation}, Text(status.allocated_hyper_node));
  }
  return patch.Build();
}

client::Patch PodScheduledPatch(std::string_view uid, std::string_view reason,
                                std::string_view message, std::string_view nominated_node,
                                absl::Time now) {
  Json condition = Json::MakeObject();
  condition.Set("type", Text("PodScheduled"));
  condition.Set("status", Text("False"));
  condition.Set("reason", Text(reason));
  condition.Set("message", Text(message));
  condition.Set("lastProbeTime", Json());
  condition.Set("lastTransitionTime", Json(types::FormatTimestamp(now)));
  Json body = PodConditionBody(uid, std::move(condition));
  if (!nominated_node.empty()) {
    body.MutableAt({"status", "nominatedNodeName"}) = Text(nominated_node);
  }
  return StrategicPatch(body);
}

client::Patch DisruptionTargetPatch(const PodMark& mark, absl::Time now) {
  Json condition = Json::MakeObject();
  condition.Set("type", Text("DisruptionTarget"));
  condition.Set("status", Text(mark.goes ? "True" : "False"));
  condition.Set("reason", Text(mark.goes ? "PreemptionByScheduler" : "EvictionRefused"));
  condition.Set("message", Text(mark.message));
  condition.Set("lastTransitionTime", Json(types::FormatTimestamp(now)));
  return StrategicPatch(PodConditionBody(mark.uid, std::move(condition)));
}

NamedAmounts AllocatedAmounts(const framework::QueueReport& queue,
                              const model::DimensionTable& dims) {
  NamedAmounts out;
  for (int d = 0; d < dims.size(); ++d) {
    if (queue.allocated[d] != 0 || d < model::kPods) {
      out.emplace_back(dims.name(d), queue.allocated[d]);
    }
  }
  for (const auto& [device, amount] : queue.devices) {
    std::erase_if(out, [&n = device](const auto& entry) { return entry.first == n; });
    if (amount != 0) out.emplace_back(device, amount);
  }
  return out;
}

client::Patch QueueAllocatedPatch(const NamedAmounts& wanted, const ShownQueue& known) {
  client::MergePatch patch;
  patch.RequireResourceVersion(known.resource_version);
  for (const auto& [name, quantity] : ToResourceList(wanted)) {
    patch.Set({"status", "allocated", name}, Json(quantity.ToString()));
  }
  for (const auto& [name, amount] : known.allocated) {
    const bool kept = std::any_of(wanted.begin(), wanted.end(),
                                  [&n = name](const auto& entry) { return entry.first == n; });
    if (!kept) patch.Remove({"status", "allocated", name});
  }
  return patch.Build();
}

}  // namespace bth::cache
