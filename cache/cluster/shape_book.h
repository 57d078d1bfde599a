// Pods that are alike: equal requests and equal constraints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// A shape lives while a pod has it, its constraints while a shape does. Thread: I/O.
class ShapeBook {
 public:
  // A pod counts in its shape until it is released. When it is ours to place and asks for a
  // resource that has no dimension, the constraints of the shape say so.
  model::ShapeId Acquire(const PodShape& pod, bool ours, const Vocabulary& vocabulary,
                         model::Snapshot* now);
  // As the first pod of the shape had it, which no later one differs from.
  const std::shared_ptr<const PodShape>& Known(model::ShapeId shape) const {
    return shape_records_[shape].pod;
  }
  void Release(model::ShapeId shape, model::Snapshot* now);
  // After a snapshot was published.
  void Recycle();
  // By shape: not 0 when pods that have it ask for one of these resources, which are sorted.
  IdVector<model::ShapeId, uint8_t> Asking(const std::vector<std::string>& resources) const;

  size_t shapes() const { return shapes_.size(); }
  size_t constraints() const { return constraints_.size(); }

 private:
  struct Shape {
    std::string key;
    std::shared_ptr<const PodShape> pod;
    int64_t pods = 0;
  };
  struct Constraints {
    std::string key;
    int64_t shapes = 0;
  };

  model::ConstraintsId AcquireConstraints(const PodShape& pod, const std::string& uncounted,
                                          model::Snapshot* now);

  absl::flat_hash_map<std::string, model::ShapeId> shapes_;
  IdVector<model::ShapeId, Shape> shape_records_;
  Slots<model::ShapeId> shape_slots_;
  absl::flat_hash_map<std::string, model::ConstraintsId> constraints_;
  IdVector<model::ConstraintsId, Constraints> constraints_records_;
  Slots<model::ConstraintsId> constraints_slots_;
};

}  // namespace bth::cache
