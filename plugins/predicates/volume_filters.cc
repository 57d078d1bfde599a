#include "plugins/predicates/volume_filters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace bth::plugins::predicates {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using model::ClaimFacts;
using model::ClaimUse;
using model::NodeFacts;
using model::NodeId;
using model::NodeRange;
using model::PodVolumes;
using model::TaskId;
using model::VolumeFacts;

VolumeFilters::VolumeFilters(Session& session, const Switches& switches)
    : session_(session),
      switches_(switches),
      view_(StorageOf(session.base())),
      book_(session, switches.volume_bind_timeout),
      mounted_(session),
      other_claims_(session.reasons().Register(
          FitCode::kUnresolvable, "something is wrong with the pod's PersistentVolumeClaims")) {}

const PodVolumes* VolumeFilters::VolumesOf(TaskId task) const {
  if (task != asked_) {
    asked_ = task;
    answer_ = session_.base().constraints_of(session_.task(task).shape).volumes.get();
  }
  return answer_;
}

ReasonId VolumeFilters::PreFilter(TaskId task) {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr) return framework::kFits;
  std::string text;
  if (switches_.volume_binding) {
    text = book_.WhyNowhere(task);
    if (!text.empty()) text.insert(0, "plugin VolumeBinding pre-predicates failed ");
  }
  if (text.empty() && switches_.volume_zone) {
    text = WhyNoZone(*volumes);
    if (!text.empty()) text.insert(0, "plugin VolumeZone pre-predicates failed ");
  }
  if (text.empty() && switches_.volume_limits) text = WhyNoLimit(*volumes);
  if (text.empty()) return framework::kFits;
  return session_.reasons().Describe(FitCode::kUnresolvable, text, other_claims_);
}

std::string VolumeFilters::WhyNoZone(const PodVolumes& volumes) const {
  for (const ClaimUse& use : volumes.claims) {
    if (use.ephemeral) continue;
    if (use.name.empty()) return "PersistentVolumeClaim had no name";
    const ClaimFacts* claim = view_.claims.Find(StrCat(volumes.ns, "/", use.name));
    if (claim == nullptr) {
      return StrCat("persistentvolumeclaim \"", use.name, "\" not found");
    }
    if (!claim->volume.empty()) {
      if (view_.volumes.Find(claim->volume) != nullptr) continue;
      return StrCat("persistentvolume \"", claim->volume, "\" not found");
    }
    if (claim->storage_class.empty()) {
      return "PersistentVolumeClaim had no pv name and storageClass name";
    }
    const model::ClassFacts* storage_class = view_.classes.Find(claim->storage_class);
    if (storage_class == nullptr) {
      return StrCat("storageclass.storage.k8s.io \"", claim->storage_class, "\" not found");
    }
    if (!storage_class->waits) return "PersistentVolume had no name";
  }
  return "";
}

std::string VolumeFilters::WhyNoLimit(const PodVolumes& volumes) const {
  for (const ClaimUse& use : volumes.claims) {
    if (use.name.empty()) return "PersistentVolumeClaim had no name";
    const std::string key = StrCat(volumes.ns, "/", use.name);
    if (view_.claims.Find(key) != nullptr) continue;
    return StrCat("looking up PVC ", key, ": persistentvolumeclaim \"", use.name, "\" not found");
  }
  return "";
}

bool VolumeFilters::InZone(TaskId task, const NodeFacts& node) const {
  const auto label = [&node](Symbol key) -> const model::NodeLabel* {
    return key.valid() ? node.FindLabel(key) : nullptr;
  };
  for (const VolumeFacts* volume : book_.ClaimsOf(task).zoned) {
    if (std::none_of(volume->zone_keys.begin(), volume->zone_keys.end(), label)) return true;
    for (const model::ZoneLabel& zone : volume->zones) {
      const model::NodeLabel* mine = label(zone.key);
      if (mine == nullptr) mine = label(zone.stable_key);
      if (mine == nullptr ||
          !std::binary_search(zone.values.begin(), zone.values.end(), mine->value)) {
        return false;
      }
    }
  }
  return true;
}

void VolumeFilters::Add(HookRegistrar& hooks, NodeTest test) const {
  const auto judge = [this, test = std::move(test)](TaskId task, NodeRange block,
                                                    absl::Span<ReasonId> out) {
    if (VolumesOf(task) == nullptr) return;
    for (NodeId node : block) {
      const ReasonId reason = test(task, node);
      if (reason != framework::kFits) out[block.Offset(node)] = reason;
    }
  };
  hooks.FilterGlobal({judge, [this](TaskId task) { return VolumesOf(task) != nullptr; }});
}

void VolumeFilters::AddBeforeSpread(HookRegistrar& hooks) {
  framework::ReasonTable& reasons = session_.reasons();
  if (switches_.volume_restrictions) {
    const ReasonId disk =
        reasons.Register(FitCode::kUnschedulable, "node(s) had no available disk");
    const ReasonId exclusive =
        reasons.Register(FitCode::kUnschedulable,
                         "node has pod using PersistentVolumeClaim with the same name and "
                         "ReadWriteOncePod access mode");
    Add(hooks, [this, disk, exclusive](TaskId task, NodeId node) {
      if (mounted_.DisksClash(task, node)) return disk;
      return mounted_.AnyInUse(book_.ClaimsOf(task).exclusive) ? exclusive : framework::kFits;
    });
  }
  if (switches_.volume_limits) {
    const ReasonId full =
        reasons.Register(FitCode::kUnschedulable, "node(s) exceed max volume count");
    Add(hooks, [this, full](TaskId task, NodeId node) {
      return mounted_.WithinLimits(task, node) ? framework::kFits : full;
    });
  }
  if (switches_.volume_zone) {
    const ReasonId zone =
        reasons.Register(FitCode::kUnresolvable, "node(s) had no available volume zone");
    Add(hooks, [this, zone](TaskId task, NodeId node) {
      return InZone(task, session_.node(node)) ? framework::kFits : zone;
    });
  }
  hooks.OnPlace([this](const TaskMove& move) { mounted_.Place(move.task, move.after.node); });
  hooks.OnRemove([this](const TaskMove& move) { mounted_.Remove(move.task, move.before.node); });
}

void VolumeFilters::AddAfterSpread(HookRegistrar& hooks) {
  if (!switches_.volume_binding) return;
  framework::ReasonTable& reasons = session_.reasons();
  const auto reason = [&reasons](const char* text) {
    return reasons.Register(FitCode::kUnresolvable, text);
  };
  // By ClaimFit.
  const std::array<ReasonId, 5> by_fit = {
      framework::kFits,
      reason("node(s) didn't match PersistentVolume's node affinity"),
      reason("node(s) didn't find available persistent volumes to bind"),
      reason("node(s) did not have enough free storage"),
      reason("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
  };
  Add(hooks, [this, by_fit](TaskId task, NodeId node) {
    return by_fit[static_cast<size_t>(book_.Fit(task, node))];
  });
  hooks.OnPlace([this](const TaskMove& move) { book_.Place(move.task, move.after.node); });
  hooks.OnRemove([this](const TaskMove& move) { book_.Remove(move.task); });
  if (session_.context().scores_volumes && switches_.volume_weight != 0) {
    const auto score = [this](TaskId task, absl::Span<const NodeId> nodes, absl::Span<double> sum) {
      for (size_t i = 0; i < nodes.size(); ++i) {
        const int64_t own = book_.ScoreOf(task, nodes[i], switches_.volume_shape);
        sum[i] += static_cast<double>(own * switches_.volume_weight);
      }
    };
    hooks.ScoreGlobal({score, [this](TaskId task) { return book_.ChoosesVolumes(task); }});
  }
  hooks.PlanVolumes([this](TaskId task) { return book_.PlanOf(task); });
}

}  // namespace bth::plugins::predicates
