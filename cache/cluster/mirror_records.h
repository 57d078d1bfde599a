// What the mirror keeps of each object beside the columns of its snapshots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "api/model/ids.h"
#include "api/model/task_status.h"
#include "base/packed_texts.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

enum class PodNews : uint8_t {
  kNominatedNode,  // As the object shows it.
  // A node that a cycle promised the pod, until the object shows another nomination; empty: none.
  kPromisedNode,
  kScheduledReason,
  kScheduledMessage,
};

// Of a pod what neither its row nor its shape says. There are as many as pods, most of which run:
// what only few of them have is packed, and takes nothing where it is empty.
struct PodRecord {
  model::JobId job;  // Invalid: none, and it names none.
  model::ShapeId shape;
  model::NodeId node;  // spec.nodeName, which it mentions. Invalid: empty.
  // What the object shows; a cycle or a refusal may have made it another in the row.
  model::TaskStatus status = model::TaskStatus::kPending;
  bool preemptable = true;
  bool ours = false;
  bool asks = false;  // Counts among those for whom resources have dimensions.
  bool assumed = false;
  int64_t ends_us = 0;      // As in CompiledPod.
  int64_t given_up_us = 0;  // While it is leaving: when nobody waits for its room any more.
  PackedTexts selected_by;  // See PackSelected.
  PackedTexts news;         // By PodNews.

  std::string_view News(PodNews which) const { return news[static_cast<size_t>(which)]; }
  void SetNews(const CompiledPod& pod, std::string_view promised_node);
  void Promise(std::string_view to);  // Empty: none.
};

// Labels and owner, for a record and back.
PackedTexts PackSelected(const PodIdentity& pod);
void UnpackSelected(const PackedTexts& packed, PodIdentity* pod);

// A pod that a budget kept from being evicted.
struct SparedPod {
  std::string uid;
  absl::Time until;
  absl::Duration pause;  // The last one; the next refusal doubles it.
  bool over = false;     // And snapshots say so.
};

struct NodeRecord {
  std::string name;
  SharedSymbols symbol;                           // Of the name, from the first object on.
  std::optional<CompiledNode> object;             // Absent: only pods name it.
  absl::flat_hash_set<model::TaskId> with_ports;  // On it, terminated ones excepted.
  absl::flat_hash_set<model::TaskId> with_volumes;
  int32_t mentions = 0;  // By objects, states and nominations of tasks.
};

struct JobRecord {
  std::string key;
  std::optional<CompiledPodGroup> group;
  std::vector<model::TaskId> tasks;  // By (creation, UID).
  int32_t ours = 0;                  // Of them, with our scheduler name.
  absl::flat_hash_map<std::string, model::SubJobId> sub_jobs;
  absl::flat_hash_map<std::string, model::RoleId> roles;
  absl::Time held_until = absl::InfinitePast();
  bool lists_dirty = true;
};

struct PriorityClass {
  int32_t value = 0;
  bool global_default = false;
};

}  // namespace bth::cache
