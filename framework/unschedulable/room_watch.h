// Where room has grown between the end of one session and the start of the next.
#pragma once

#include <optional>
#include <vector>

#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "framework/unschedulable/answer_sources.h"

namespace bth::framework {

// Remembers the nodes as a session left them, by sharing their rows. Thread: scheduling.
class NodeRoomWatch {
 public:
  struct Changes {
    // Facts, shard or who holds its devices changed, a host port came free, or room grew; by id.
    std::vector<model::NodeId> grown;
    std::vector<model::NodeId> other;  // Of them, those whose facts or shard changed.
    bool any = false;                  // Anything at all about some node.
  };

  void Remember(const Session& session);
  // Every node whose use changed in any way counts as grown with `any_use`. Cost: linear in the
  // nodes in blocks that changed.
  Changes Compare(const model::Snapshot& base, bool any_use) const;
  // What was idle, releasing and pipelined when it was remembered; nothing else of the usage.
  const model::Usage& usage() const { return usage_; }

 private:
  void CompareBlock(const model::Snapshot& base, size_t begin, bool any_use, Changes* out) const;

  decltype(model::Snapshot::nodes) nodes_;
  model::Usage usage_;
};

// The room of every queue by every plugin that limits queues.
class QueueRoomWatch {
 public:
  struct Change {
    bool share_grew = false;
    bool share_changed = false;
    bool admission_grew = false;
  };

  void Remember(const Session& session) { rooms_ = RoomsOf(session); }
  // Takes up what `session` opens with, to be compared with what was remembered.
  void Open(const Session& session) { now_ = RoomsOf(session); }
  // Some queue may hold more, or less, than then.
  bool AnyShareChanged() const;
  // Between the two. Queues that are new changed in every way.
  Change ChangeOf(model::QueueId queue) const;
  // Whether the queue may admit so much more now, as the vote goes; or hold so much more.
  bool Admits(model::QueueId queue, const model::ResourceVec& minimum) const;
  bool Serves(model::QueueId queue, const model::ResourceVec& request) const;
  // So often, but not more than `enough`, the queue could hold it beside what it held when it was
  // remembered.
  int64_t SlotsUpTo(model::QueueId queue, const model::ResourceVec& request, int64_t enough) const;

 private:
  // By one plugin.
  struct Room {
    QueueRoom room;
    bool votes_on_tasks = false;  // Whether they are allocatable.
    bool votes_on_jobs = false;   // Whether they are enqueueable, and its vote decides.
  };
  using Rooms = IdVector<model::QueueId, std::vector<Room>>;
  static Rooms RoomsOf(const Session& session);

  Rooms rooms_;
  Rooms now_;
};

}  // namespace bth::framework
