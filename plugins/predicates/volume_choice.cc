#include "plugins/predicates/volume_choice.h"

#include <algorithm>

#include "api/model/node_affinity.h"
#include "base/strings.h"

namespace bth::plugins::predicates {

using model::ClaimFacts;
using model::NodeFacts;
using model::StorageView;
using model::VolumeFacts;

namespace {

// Claims with equal requirements have equal lists.
std::string RequirementsOf(const ClaimFacts& claim) {
  std::string out = StrCat(claim.storage_class, "|", claim.attributes_class, "|", claim.bytes, "|",
                           claim.block, "|", int{claim.modes});
  for (const model::NodeRequirement& r : claim.selector) {
    StrAppend(&out, "|", r.key.value(), ",", static_cast<int>(r.op));
    for (Symbol value : r.values) StrAppend(&out, ",", value.value());
  }
  return out;
}

bool IsChosen(const ChosenVolumes& chosen, const VolumeFacts* volume) {
  return std::any_of(chosen.begin(), chosen.end(),
                     [volume](const ChosenVolume& c) { return c.volume == volume; });
}

// The volume that the claim would be given on the node; null: none.
const VolumeFacts* Match(const PendingClaim& pending, const NodeFacts& node,
                         const TakenVolumes& taken, const ChosenVolumes& chosen) {
  for (const VolumeFacts* volume : pending.reserved) {
    if (IsChosen(chosen, volume)) continue;
    return volume->Reaches(node) ? volume : nullptr;
  }
  if (pending.candidates == nullptr) return nullptr;
  const auto& volumes = pending.candidates->volumes;
  const size_t first =
      pending.candidates->index.First(node, pending.candidates_skip, [&](size_t number) {
        return !taken.contains(volumes[number]) && !IsChosen(chosen, volumes[number]);
      });
  return first == TermIndex::kNone ? nullptr : volumes[first];
}

// Whether a volume for the claim can be made for the node.
ClaimFit Provision(const PendingClaim& pending, const NodeFacts& node) {
  const model::ClassFacts* storage_class = pending.storage_class;
  if (storage_class == nullptr || !storage_class->provisions()) return ClaimFit::kNoVolume;
  const auto& topologies = storage_class->topologies;
  const bool allowed = topologies.empty() || std::any_of(topologies.begin(), topologies.end(),
                                                         [&node](const model::NodeTerm& term) {
                                                           return model::Matches(term, node);
                                                         });
  if (!allowed) return ClaimFit::kNoVolume;
  if (pending.capacities == nullptr) return ClaimFit::kFits;
  return CapacityFor(pending, node) == nullptr ? ClaimFit::kNoSpace : ClaimFit::kFits;
}

ClaimFit FitPending(const PodClaims& claims, const NodeFacts& node, const TakenVolumes& taken,
                    ChosenVolumes* chosen) {
  const auto elsewhere = [&node](const PendingClaim& pending) {
    return !pending.selected_node.empty() && pending.selected_node != node.name;
  };
  if (std::any_of(claims.pending.begin(), claims.pending.end(), elsewhere)) {
    return ClaimFit::kNoVolume;
  }
  for (const PendingClaim& pending : claims.pending) {
    const VolumeFacts* volume =
        pending.selected_node.empty() ? Match(pending, node, taken, *chosen) : nullptr;
    if (volume == nullptr && pending.settled) return ClaimFit::kNoVolume;
    chosen->push_back({pending.claim, volume});
  }
  for (size_t i = 0; i < claims.pending.size(); ++i) {
    if ((*chosen)[i].volume != nullptr) continue;
    const ClaimFit fit = Provision(claims.pending[i], node);
    if (fit != ClaimFit::kFits) return fit;
  }
  return ClaimFit::kFits;
}

}  // namespace

const model::CapacityFacts* CapacityFor(const PendingClaim& pending, const NodeFacts& node) {
  if (pending.capacities == nullptr) return nullptr;
  const auto& rows = pending.capacities->rows;
  const size_t enough = pending.capacities->index.First(node, 0, [&](size_t number) {
    return rows[number]->bytes && *rows[number]->bytes >= pending.claim->bytes;
  });
  return enough == TermIndex::kNone ? nullptr : rows[enough];
}

bool Serves(const VolumeFacts& volume, const ClaimFacts& claim) {
  return volume.bytes >= claim.bytes && volume.block == claim.block &&
         volume.attributes_class == claim.attributes_class && !volume.deleting;
}

ClaimFit FitClaims(const PodClaims& claims, const NodeFacts& node, const TakenVolumes& taken,
                   ChosenVolumes* chosen) {
  chosen->clear();
  for (const VolumeFacts* volume : claims.bound) {
    if (!volume->Reaches(node)) return ClaimFit::kUnreachable;
  }
  const ClaimFit fit = FitPending(claims, node, taken, chosen);
  if (fit == ClaimFit::kFits && claims.missing) return ClaimFit::kMissing;
  return fit;
}

const Candidates* VolumeLists::CandidatesFor(const ClaimFacts& claim) {
  std::unique_ptr<Candidates>& list = candidates_[RequirementsOf(claim)];
  if (list != nullptr) return list.get();
  list = std::make_unique<Candidates>();
  if (claim.unreadable) return list.get();
  view_.free_volumes.VisitPrefix(
      StorageView::FreePrefix(claim.storage_class), [&](const VolumeFacts& volume) {
        const bool modes = (claim.modes & volume.modes) == claim.modes;
        if (!Serves(volume, claim) || !modes || !model::Matches(claim.selector, volume.labels)) {
          return true;
        }
        list->volumes.push_back(&volume);
        if (volume.anywhere) {
          list->index.AddAnywhere();
        } else {
          list->index.Add(volume.node_terms);
        }
        return true;
      });
  return list.get();
}

const Capacities* VolumeLists::CapacitiesOf(const std::string& storage_class) {
  std::unique_ptr<Capacities>& list = capacities_[storage_class];
  if (list != nullptr) return list.get();
  list = std::make_unique<Capacities>();
  view_.capacities.VisitPrefix(
      StorageView::CapacityPrefix(storage_class), [&list](const model::CapacityFacts& row) {
        if (!row.topology || !row.bytes) return true;
        list->rows.push_back(&row);
        if (row.topology->labels.empty()) {
          list->index.AddAnywhere();
        } else {
          list->index.Add(absl::Span<const model::NodeTerm>(&*row.topology, 1));
        }
        return true;
      });
  return list.get();
}

}  // namespace bth::plugins::predicates
