#include "plugins/usage/shadow_load.h"

#include "base/row_at.h"

namespace bth::plugins::usage {

using model::NodeId;
using model::TaskId;

void ShadowLoad::Clear(size_t nodes) {
  sums_.assign(nodes, Guess());
  notes_.clear();
  departures_.clear();
}

void ShadowLoad::Add(TaskId task, NodeId node, const Guess& guess) {
  if (notes_.contains(task)) Remove(task, NodeId());
  notes_[task] = {.node = node, .guess = guess};
  RowAt(sums_, node).cpu_milli += guess.cpu_milli;
  RowAt(sums_, node).memory_bytes += guess.memory_bytes;
}

void ShadowLoad::Remove(TaskId task, NodeId node) {
  Departure departure{.node = node, .was_noted = false, .guess = {}, .left = {}};
  if (const auto noted = notes_.find(task); noted != notes_.end()) {
    departure.node = noted->second.node;
    departure.was_noted = true;
    departure.guess = noted->second.guess;
    Guess& sum = RowAt(sums_, departure.node);
    sum.cpu_milli -= departure.guess.cpu_milli;
    sum.memory_bytes -= departure.guess.memory_bytes;
    notes_.erase(noted);
  }
  if (!departure.node.valid()) return;
  departure.left = on(departure.node);
  departures_[task] = departure;
}

bool ShadowLoad::ComeBack(TaskId task, NodeId node) {
  const auto left = departures_.find(task);
  if (left == departures_.end() || left->second.node != node) return false;
  const Departure departure = left->second;
  if (departure.left != on(node)) return false;
  departures_.erase(left);
  if (departure.was_noted) Add(task, node, departure.guess);
  return true;
}

}  // namespace bth::plugins::usage
