#include "plugins/usage/shadow_load.h"

#include "base/row_at.h"

namespace bth::plugins::usage {

using model::NodeId;
using model::TaskId;

void ShadowLoad::Add(TaskId task, NodeId node, const Guess& guess) {
  guesses_[task] = guess;
  RowAt(sums_, node).cpu_milli += guess.cpu_milli;
  RowAt(sums_, node).memory_bytes += guess.memory_bytes;
}

void ShadowLoad::Remove(TaskId task, NodeId node) {
  if (!node.valid()) return;
  Departure departure{.node = node, .was_noted = false, .guess = {}, .left = {}};
  if (const auto guessed = guesses_.find(task); guessed != guesses_.end()) {
    departure.was_noted = true;
    departure.guess = guessed->second;
    Guess& sum = RowAt(sums_, node);
    sum.cpu_milli -= departure.guess.cpu_milli;
    sum.memory_bytes -= departure.guess.memory_bytes;
    guesses_.erase(guessed);
  }
  departure.left = on(node);
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
