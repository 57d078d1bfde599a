// Keeps values derived from the use of nodes in step with a session.
#pragma once

#include <cstddef>
#include <limits>

#include "framework/session/session.h"

namespace bth::framework {

// Whoever owns such values reads them again through CatchUp and trusts them only while
// `up_to_date`, so that values never lie, however late they catch up. Lives for one session.
// Thread: scheduling.
class NodeFollower {
 public:
  explicit NodeFollower(const Session& session) : session_(session) {}

  bool up_to_date() const { return seen_ == session_.placements().node_changes().size(); }
  // Every ready node will be read again.
  void Forget() { seen_ = kNever; }

  // Calls read(node) for every ready node the first time, later for the changed ones. Cost: at
  // most one read per ready node.
  template <typename Read>
  void CatchUp(const Read& read) {
    const auto& changes = session_.placements().node_changes();
    const auto& ready = *session_.base().nodes_by_name;
    if (seen_ == kNever || changes.size() - seen_ > ready.size()) {
      for (model::NodeId node : ready) read(node);
    } else {
      model::NodeId last;  // What is tried and given up changes one node again and again.
      for (; seen_ < changes.size(); ++seen_) {
        const model::NodeId node = changes[seen_];
        if (node == last) continue;
        last = node;
        if (session_.base().nodes[node].has_object()) read(node);
      }
    }
    seen_ = changes.size();
  }

 private:
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  const Session& session_;
  size_t seen_ = kNever;
};

}  // namespace bth::framework
