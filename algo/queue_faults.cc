// What is surely not meant in the queues' quotas and parents.
#include "algo/queue_faults.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_join.h"
#include "algo/queue_quotas.h"
#include "algo/resource_algebra.h"
#include "base/strings.h"

namespace bth::algo {
namespace {

using model::QueueId;
using model::QueueRow;

class Inspection {
 public:
  explicit Inspection(const model::Snapshot& base) : base_(base) {}

  void LookAtAmounts(QueueId id) {
    const QueueRow& row = base_.queues[id];
    if (row.has_negative_quota) {
      Add(id, "NegativeQuota",
          StrCat("queue ", NameOf(id),
                 " has amounts below zero, which count as zero: correct its capability, "
                 "deserved or guarantee"));
    }
    const DimMask cut = AtMost(row.capability.v) | AtMost(row.deserved.v) | AtMost(row.guarantee.v);
    if (cut != 0) {
      Add(id, "QuotaTooLarge",
          StrCat("queue ", NameOf(id), " has amounts of ", Dims(cut),
                 " that are too large to count with, and are cut to the largest that is not: "
                 "correct its capability, deserved or guarantee, or leave the limit out"));
    }
    const DimMask limited = row.capability.v.Positive();
    const DimMask beyond = DimsOver(row.guarantee.v, row.capability.v, limited);
    if (beyond != 0) {
      Add(id, "GuaranteeExceedsCapability",
          StrCat("queue ", NameOf(id), " is guaranteed more ", Dims(beyond),
                 " than its capability: proportion lets it hold its guarantee, capacity its "
                 "capability, and the rest is kept from others: lower its guarantee or raise "
                 "its capability"));
    }
    LookAtZeros(id);
    if (row.has_idle_device_quota) {
      Add(id, "DeviceQuotaIgnored",
          StrCat("queue ", NameOf(id),
                 " has amounts per device class in deserved or guarantee, where they mean nothing: "
                 "use its capability"));
    }
  }

  // For those who look at the tree.
  void LookAtPlace(const QueueTree& tree, QueueId id) {
    const QueueRow& row = base_.queues[id];
    const std::string parent = row.parent.empty() ? std::string(QueueTree::kRoot) : row.parent;
    constexpr absl::string_view kThen = "neither it nor the queues below it take jobs";
    LookAtParent(tree, id, parent, kThen, kThen);
    if (tree[id].attached()) LookAtChildren(tree, id);
  }

  // For policies without hierarchy. The root is made anew when it is missing.
  void LookAtNamedParent(const QueueTree& tree, QueueId id) {
    const std::string& parent = base_.queues[id].parent;
    const bool is_root = parent.empty() || parent == QueueTree::kRoot;
    if (is_root && tree[id].fault == QueueFault::kParentMissing) return;
    LookAtParent(tree, id, parent, "the queue stands alone", "it stands alone");
  }

  std::vector<QueueFinding> Take() { return std::move(findings_); }

 private:
  // `if_missing`, `if_cycle`: what follows from it.
  void LookAtParent(const QueueTree& tree, QueueId id, const std::string& parent,
                    absl::string_view if_missing, absl::string_view if_cycle) {
    if (tree[id].fault == QueueFault::kParentMissing) {
      Add(id, "ParentNotFound",
          StrCat("the parent ", parent, " of queue ", NameOf(id), " does not exist, so ",
                 if_missing, ": create ", parent, " or name another parent"));
    } else if (tree[id].fault == QueueFault::kCycle) {
      Add(id, "QueueCycle",
          StrCat("queue ", NameOf(id), " is its own ancestor, by its parent ", parent, ", so ",
                 if_cycle, ": give one queue of the cycle another parent"));
    }
  }

  void LookAtZeros(QueueId id) {
    const QueueRow& row = base_.queues[id];
    constexpr DimMask kUnlimitedByZero = DimMask{1} << model::kCpu | DimMask{1} << model::kMemory;
    const DimMask zeros = row.capability.present & kUnlimitedByZero & ~row.capability.v.Positive();
    if (zeros == 0) return;
    Add(id, "ZeroCapability",
        StrCat("queue ", NameOf(id), " has a capability of 0 ", Dims(zeros),
               ", which counts as no limit: to shut the queue, close it; to limit it, name "
               "an amount above 0"));
  }

  // Dimensions in which the largest amount stands.
  static DimMask AtMost(const ResourceVec& amounts) {
    ResourceVec below;
    below.q.fill(kQueueAmountMax - 1);
    return DimsOver(amounts, below);
  }

  void LookAtChildren(const QueueTree& tree, QueueId id) {
    const QueueRow& row = base_.queues[id];
    ResourceVec guaranteed;
    ResourceVec deserved;
    for (QueueId child : tree[id].children) {
      const QueueRow& below = base_.queues[child];
      guaranteed = SaturatingSum(guaranteed, below.guarantee.v);
      deserved = SaturatingSum(deserved, Max(below.deserved.v, below.guarantee.v));
      const DimMask beyond =
          DimsOver(below.capability.v, row.capability.v, row.capability.v.Positive());
      if (beyond == 0) continue;
      Add(child, "CapabilityExceedsParent",
          StrCat("the capability of queue ", NameOf(child), " is beyond that of its parent ",
                 NameOf(id), " in ", Dims(beyond),
                 ", and the parent's counts: lower it, or raise the parent's"));
    }
    if (id == tree.root()) return;  // It deserves what its children do.
    TellSum(id, "deserved", "DeservedExceedsParent",
            DimsOver(deserved, Max(row.deserved.v, row.guarantee.v)));
    TellSum(id, "guarantee", "GuaranteeExceedsParent", DimsOver(guaranteed, row.guarantee.v));
  }

  void TellSum(QueueId id, std::string_view field, std::string_view reason, DimMask beyond) {
    if (beyond == 0) return;
    Add(id, reason,
        StrCat("the children of queue ", NameOf(id), " have together a larger ", field, " of ",
               Dims(beyond), " than itself: raise its ", field, " or lower theirs"));
  }

  void Add(QueueId queue, std::string_view reason, std::string message) {
    findings_.push_back(
        {.queue = queue, .reason = std::string(reason), .message = std::move(message)});
  }

  const std::string& NameOf(QueueId queue) const { return *base_.queues[queue].name; }

  std::string Dims(DimMask mask) const {
    std::vector<std::string> names;
    for (int d = 0; d < base_.dims->size(); ++d) {
      if ((mask >> d & 1u) != 0) names.emplace_back(base_.dims->name(d));
    }
    std::sort(names.begin(), names.end());
    return absl::StrJoin(names, ", ");
  }

  const model::Snapshot& base_;
  std::vector<QueueFinding> findings_;
};

}  // namespace

std::vector<QueueFinding> FindAmountFaults(const model::Snapshot& base) {
  Inspection inspection(base);
  for (QueueId id : *base.queues_by_name) inspection.LookAtAmounts(id);
  return inspection.Take();
}

std::vector<QueueFinding> FindParentFaults(const model::Snapshot& base, const QueueTree& tree) {
  Inspection inspection(base);
  for (QueueId id : *base.queues_by_name) inspection.LookAtNamedParent(tree, id);
  return inspection.Take();
}

std::vector<QueueFinding> FindTreeFaults(const model::Snapshot& base, const QueueTree& tree) {
  Inspection inspection(base);
  for (QueueId id : *base.queues_by_name) inspection.LookAtPlace(tree, id);
  std::vector<QueueFinding> findings = inspection.Take();
  std::stable_sort(findings.begin(), findings.end(), [&base](const auto& a, const auto& b) {
    return *base.queues[a.queue].name < *base.queues[b.queue].name;
  });
  return findings;
}

}  // namespace bth::algo
