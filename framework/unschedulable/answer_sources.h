// What the refusals of a plugin depend on, so that a job that was refused is left alone until its
// answer could be another one.
#pragma once

#include <cstdint>
#include <functional>

#include "api/model/ids.h"
#include "api/model/resource_vec.h"

namespace bth::framework {

// What may turn a refusal of the plugin into consent, beside a change of the job's own objects, of
// a queue object, of the set of nodes or of its resources, which always count. Bits.
enum class AnswerSource : uint8_t {
  kNodeRoom = 1,   // A node's facts or who holds its devices changed, or room on it grew.
  kNodeUse = 2,    // Anything was placed on a node or left it.
  kQueueRoom = 4,  // What the plugin's QueueRoom hook tells grew.
  kQuotas = 8,     // ResourceQuotas, and what was admitted in the same session.
  kAnything = 16,  // Also the clock, the outside, or what another plugin does.
  kDevices = 32,   // The pod's device claims, and what there is for them.
};
using AnswerSources = uint8_t;
constexpr AnswerSources Bit(AnswerSource source) {
  return static_cast<AnswerSources>(source);
}
constexpr bool Has(AnswerSources sources, AnswerSource source) {
  return (sources & Bit(source)) != 0;
}

// Nodes are judged one by one, by these: themselves, and the task's device claims.
inline constexpr AnswerSources kNodeByNode =
    Bit(AnswerSource::kNodeRoom) | Bit(AnswerSource::kDevices);

// How much more a queue may hold, and how much more it may admit, as things stand; below zero when
// it is beyond. Who is refused for want of it is refused again while it has not grown. What tasks
// and minimums must fit into counts while the plugin adds the hook that asks for it.
struct QueueRoom {
  model::ResourceVec share;  // For Overused and Allocatable: least of the queue and those above.
  model::ResourceVec admission;  // For JobEnqueueable: what minimums must fit into.
  uint64_t other = 0;  // Of limits of another kind, as by device class; another one: they changed.
};
using QueueRoomFn = std::function<QueueRoom(model::QueueId)>;

// No limit, with room for sums.
inline constexpr int64_t kEndlessRoom = int64_t{1} << 62;
inline model::ResourceVec EndlessRoom() {
  model::ResourceVec room;
  room.q.fill(kEndlessRoom);
  return room;
}

}  // namespace bth::framework
