// What the claims of a pod need, and what a node has for them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "api/model/storage_view.h"
#include "plugins/predicates/term_index.h"

namespace bth::plugins::predicates {

// Volumes that claims with the same requirements may be given, smallest first, then by name.
struct Candidates {
  std::vector<const model::VolumeFacts*> volumes;
  TermIndex index;
};

// What is left to be made of a class.
struct Capacities {
  std::vector<const model::CapacityFacts*> rows;
  TermIndex index;
};

// A claim whose volume is chosen together with the node.
struct PendingClaim {
  const model::ClaimFacts* claim = nullptr;
  std::string_view selected_node;                   // Where a volume is to be made; empty: free.
  std::vector<const model::VolumeFacts*> reserved;  // For this claim, large enough; by name.
  bool settled = false;  // One of these it will be: no other is to be made.
  const Candidates* candidates = nullptr;
  size_t candidates_skip = 0;  // The first that match everywhere and are taken.
  const model::ClassFacts* storage_class = nullptr;
  const Capacities* capacities = nullptr;  // Null: not limited.
};

struct ChosenVolume {
  const model::ClaimFacts* claim = nullptr;
  const model::VolumeFacts* volume = nullptr;  // Null: one is to be made.
};
using ChosenVolumes = absl::InlinedVector<ChosenVolume, 4>;

// In the order in which reasons are given.
enum class ClaimFit : uint8_t {
  kFits,
  kUnreachable,  // A bound volume cannot be used from the node.
  kNoVolume,     // Nothing to bind, and nothing that could be made.
  kNoSpace,      // It could be made, but there is not enough room.
  kMissing,      // A bound volume does not exist.
};

// Claims of a pod, as they stand. Views into the storage picture.
struct PodClaims {
  std::vector<const model::VolumeFacts*> bound;
  std::vector<PendingClaim> pending;                // Smallest first, then in the order of the pod.
  bool missing = false;                             // Some bound volume does not exist.
  std::vector<const model::VolumeFacts*> zoned;     // Of claims that the pod names, with zones.
  std::vector<const model::ClaimFacts*> exclusive;  // For one pod at a time.
};

// What other pods of the session hold already.
using TakenVolumes = absl::flat_hash_map<const model::VolumeFacts*, int32_t>;

// How the claims fit on the node; `chosen` is what they would be given, in order of the claims'
// sizes, and means nothing when they do not fit.
ClaimFit FitClaims(const PodClaims& claims, const model::NodeFacts& node, const TakenVolumes& taken,
                   ChosenVolumes* chosen);

// What would limit the volume made for the claim: the first that has enough, reached from the node.
// Null: nothing does, or there is not enough.
const model::CapacityFacts* CapacityFor(const PendingClaim& pending, const model::NodeFacts& node);

// Lists for claims of a session, each made once. Views into the storage picture, which outlives it.
class VolumeLists {
 public:
  explicit VolumeLists(const model::StorageView& view) : view_(view) {}

  const Candidates* CandidatesFor(const model::ClaimFacts& claim);
  const Capacities* CapacitiesOf(const std::string& storage_class);

 private:
  const model::StorageView& view_;
  absl::flat_hash_map<std::string, std::unique_ptr<Candidates>> candidates_;  // By requirements.
  absl::flat_hash_map<std::string, std::unique_ptr<Capacities>> capacities_;
};

// The volume is large enough for the claim, of the mode it wants and of its class of attributes:
// the others are never bound to it.
bool Serves(const model::VolumeFacts& volume, const model::ClaimFacts& claim);

}  // namespace bth::plugins::predicates
