// What is kept of each pod beside the columns of snapshots.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/model/ids.h"
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
  int64_t ends_us = 0;      // As in CompiledPod.
  PackedTexts selected_by;  // See PackSelected.
  PackedTexts news;         // By PodNews.

  std::string_view News(PodNews which) const { return news[static_cast<size_t>(which)]; }
  void SetNews(const CompiledPod& pod);
};

// Labels and owner, for a record and back.
PackedTexts PackSelected(const PodIdentity& pod);
void UnpackSelected(const PackedTexts& packed, PodIdentity* pod);

}  // namespace bth::cache
