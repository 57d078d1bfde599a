// Our own decisions, until the watch confirms or a failure takes them back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/ids.h"
#include "cache/cluster/device_book.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/node_table.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/cluster/pod_table.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Owns what is assumed of which task: where it is bound to or that it is evicted, where it is
// nominated, that its gate goes (`gate_lifted` of its row), that nobody may evict it for a while.
// Each decision names the pod by key and UID: one made anew under the same name is another pod.
// Thread: I/O.
class Assumptions {
 public:
  // Which of a task's assumptions an object does not show yet: they hold on.
  struct Open {
    bool placement = false;   // A binding or an eviction.
    bool nomination = false;  // `nominated_node` is ours.
  };
  // The same, to outlive the row of the task.
  struct Saved {
    Open open;
    model::TaskState state;
    std::string node;
    std::string assumed_nomination;
    std::shared_ptr<const model::PodDevices> devices;
  };
  // All of them outlive it.
  struct Tables {
    PodTable& pods;
    NodeTable& nodes;
    PodLabelBook& pod_labels;
    DeviceBook& devices;
  };
  Assumptions(const Clock& clock, Draft& draft, const Vocabulary& vocabulary, Tables tables)
      : clock_(clock), draft_(draft), vocabulary_(vocabulary), tables_(tables) {}

  // kNotFound when the pod is not there, kFailedPrecondition when it moved on, or when the node has
  // no room any more for a binding.
  // `devices` are those that come with the binding; null: none.
  absl::Status Bind(std::string_view key, std::string_view uid, std::string_view node,
                    const model::DevicePlan* devices = nullptr);
  absl::Status Evict(std::string_view key, std::string_view uid);
  // Takes back either, when it still holds.
  void Forget(std::string_view key, std::string_view uid);
  absl::Status Nominate(std::string_view key, std::string_view uid, std::string_view node);
  void ForgetNomination(std::string_view key, std::string_view uid);
  // False: it is not that pod any more, or has no such gate.
  bool LiftGate(std::string_view key, std::string_view uid);
  void ForgetGate(std::string_view key, std::string_view uid);
  // Nobody may evict the pod for a while, which is returned: twice as long as the last time.
  absl::Duration Spare(const std::string& key, std::string_view uid);
  // Whose pause is over may be evicted again; how long it was is remembered for as long again.
  void EndSpares();
  absl::Duration UntilSpareEnds() const;  // InfiniteDuration: none is spared.

  // The object came: what it does not show yet holds on, and the rest ends.
  Open OpenAfter(model::TaskId id, const CompiledPod& pod) const;
  void Keep(model::TaskId id, Open open);
  // The task's row goes, and comes anew.
  Saved Save(model::TaskId id, Open open) const;
  void Drop(model::TaskId id);
  void Enter(model::TaskId id, const Saved& saved);

  // Where bindings under way put pods; names live until the tables change. Cost: a byte per task.
  absl::flat_hash_set<absl::string_view> NodesBeingBoundTo() const;

  bool HasPlacement(model::TaskId id) const { return (Of(id) & kPlacement) != 0; }
  // Its `nominated_node` is our nomination, which the object does not show.
  bool HasNomination(model::TaskId id) const { return (Of(id) & kNomination) != 0; }

  // For tests: what does not hold. Cost: all tasks.
  absl::Status Check() const;

 private:
  static constexpr uint8_t kPlacement = 1;
  static constexpr uint8_t kNomination = 2;

  // A pod that a budget kept from being evicted.
  struct SparedPod {
    std::string uid;
    absl::Duration until;  // Monotonic.
    absl::Duration pause;  // The last one; the next refusal doubles it.
    bool over = false;     // And snapshots say so.
  };
  struct Offer {
    model::TaskId task;
    model::NodeId node;
  };

  uint8_t Of(model::TaskId id) const { return held_.Contains(id) ? held_[id] : uint8_t{0}; }
  void Set(model::TaskId id, uint8_t bit, bool holds);
  absl::StatusOr<Offer> PendingFor(std::string_view key, std::string_view uid,
                                   std::string_view node) const;

  const Clock& clock_;
  Draft& draft_;
  const Vocabulary& vocabulary_;
  const Tables tables_;
  IdVector<model::TaskId, uint8_t> held_;               // The bits above.
  absl::flat_hash_map<std::string, SparedPod> spared_;  // By pod.
};

}  // namespace bth::cache
