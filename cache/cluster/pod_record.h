// What is kept of each pod beside the columns of snapshots.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "api/model/node.h"
#include "api/model/task_status.h"
#include "base/packed_texts.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

enum class PodNews : uint8_t {
  kNominatedNode,  // As the object shows it.
  kScheduledReason,
  kScheduledMessage,
};

// Of a pod what neither its row nor its shape says. There are as many as pods, most of which run:
// what only few of them have is packed, and takes nothing where it is empty.
struct PodRecord {
  model::NodeId node;  // spec.nodeName, which it mentions. Invalid: empty.
  // What the object shows; a cycle or a refusal may have made it another in the row.
  model::TaskStatus status = model::TaskStatus::kPending;
  bool preemptable = true;
  bool ours = false;
  bool asks = false;        // Counts among those for whom resources have dimensions.
  int64_t ends_us = 0;      // As in CompiledPod, or later: see PodTable::EndOf.
  PackedTexts selected_by;  // See PackSelected.
  PackedTexts news;         // By PodNews.

  std::string_view News(PodNews which) const { return news[static_cast<size_t>(which)]; }
  void SetNews(const CompiledPod& pod);
};

// Compared by what they say.
struct ClaimsOfPod {
  const model::PodDeviceClaims* claims = nullptr;
  friend bool operator==(const ClaimsOfPod& a, const ClaimsOfPod& b);
};

// What two objects of one name must have in common to be the same pod to us, which keeps its row;
// the node aside, which a pod gets once. Borrows all it shows.
struct PodTraits {
  std::string_view uid;
  int64_t created_us = 0;
  std::string_view role;
  std::string_view job;  // Key.
  std::string_view nominated_node;
  bool ours = false;
  model::TaskTraits task;
  absl::Span<const NamedAmounts::value_type> requests;
  model::NonZeroRequest nonzero;
  std::string_view constraints_key;
  ClaimsOfPod device_claims;
  std::string_view selected_by;  // Labels and owner, packed.

  // `selected_by` is PackSelected(pod).
  static PodTraits Of(const CompiledPod& pod, const PackedTexts& selected_by);
  friend bool operator==(const PodTraits&, const PodTraits&) = default;
};

// Labels and owner, for a record and back.
PackedTexts PackSelected(const PodIdentity& pod);
void UnpackSelected(const PackedTexts& packed, PodIdentity* pod);

}  // namespace bth::cache
