// What the mirror tells about single objects. The views live until the mirror changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/model/device_claims.h"
#include "api/model/task_status.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// How far a PodGroup is from its minimum.
struct GangView {
  std::string_view uid;
  int32_t ready = 0;
  int32_t pending = 0;
  int32_t min_available = 0;
  bool whole = false;  // By role and sub-job too.
  bool half_bound() const { return ready > 0 && !whole; }
};

// A pod that is bound or running.
struct PlacedPod {
  std::string ns;
  std::string name;
  std::string uid;
};

// When the eldest and the youngest of some pods were made.
struct PlacedTimes {
  absl::Time first;
  absl::Time last;
};

struct PodView {
  std::string_view uid;
  model::TaskStatus status = model::TaskStatus::kPending;
  bool assumed = false;
  std::string_view node;
  std::string_view reason;  // Of PodScheduled when False.
  std::string_view message;
  std::string_view nominated_node;      // As the object shows it,
  std::string_view assumed_nomination;  // and where cycles nominated it since then.
  std::string_view assumed_node;        // Where a binding under way puts it.
};

// Entries of tables that grow with what outside objects name.
struct TableSizes {
  size_t symbols = 0;     // Texts of labels, taints, selectors, images … that something shows.
  size_t label_keys = 0;  // That selectors of pods ask about.
  size_t label_sets = 0;  // Different labels of pods, as far as they are asked about.
  size_t pod_groups = 0;
  size_t queues = 0;
  size_t shapes = 0;
  size_t constraints = 0;
  size_t resources = 0;          // Names that somebody asks for or that nodes offer.
  int dimensions = 0;            // Of resources that somebody asks for, built-in ones included.
  size_t without_dimension = 0;  // Resources that somebody asks for and that found no room.
  size_t hyper_nodes = 0;
  size_t hyper_nodes_cut_off = 0;  // That lack members because all together have too many.
};

// A pod that no PodGroup claims; `group` is the missing one's name, empty when it names none.
struct GrouplessPod {
  std::string key;
  std::string uid;
  std::string group;
};

// What an attempt to bind a pod left in its device claims.
struct LeftWithPod {
  std::shared_ptr<const model::TaskNames> pod;
  std::shared_ptr<const model::ClaimPlan> claims;
};

// What our NodeShard does not show, and as of which version.
struct ShardNews {
  std::string name;
  std::string resource_version;
  ShardUse use;
};

}  // namespace bth::cache
