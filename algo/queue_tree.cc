#include "algo/queue_tree.h"

#include <algorithm>

namespace bth::algo {

using model::QueueId;

namespace {

QueueId QueueNamed(const model::Snapshot& base, std::string_view name) {
  const std::vector<QueueId>& queues = *base.queues_by_name;
  const auto it = std::lower_bound(
      queues.begin(), queues.end(), name,
      [&base](QueueId queue, std::string_view n) { return *base.queues[queue].name < n; });
  return it != queues.end() && *base.queues[*it].name == name ? *it : QueueId();
}

}  // namespace

bool QueueTree::Follow(const model::Snapshot& base) {
  const size_t chunks = std::max(base.queues.chunk_count(), followed_.chunk_count());
  if (followed_names_ == base.queues_by_name &&
      base.queues.NextDifferentChunk(followed_, 0) >= chunks) {
    return false;
  }
  followed_ = base.queues;
  followed_names_ = base.queues_by_name;
  LinkParents(base);
  FindFaults(*base.queues_by_name);
  return true;
}

void QueueTree::LinkParents(const model::Snapshot& base) {
  places_.assign(base.queues.size(), QueuePlace());
  top_down_.clear();
  root_ = QueueNamed(base, kRoot);
  for (QueueId queue : *base.queues_by_name) {
    QueuePlace& place = places_[queue];
    place.fault = QueueFault::kCycle;  // Until it is reached from above.
    if (queue == root_) {
      place.fault = QueueFault::kNone;
      top_down_.push_back(queue);
      continue;
    }
    const std::string& parent = base.queues[queue].parent;
    place.parent = parent.empty() ? root_ : QueueNamed(base, parent);
    if (place.parent.valid()) {
      places_[place.parent].children.push_back(queue);
    } else {
      place.fault = QueueFault::kParentMissing;
      top_down_.push_back(queue);
    }
  }
  for (size_t i = 0; i < top_down_.size(); ++i) {
    const QueueId above = top_down_[i];
    for (QueueId child : places_[above].children) {
      QueuePlace& place = places_[child];
      place.depth = places_[above].depth + 1;
      place.fault = places_[above].attached() ? QueueFault::kNone : QueueFault::kBelowFault;
      if (!place.attached()) {
        place.culprit = places_[above].culprit.valid() ? places_[above].culprit : above;
      }
      top_down_.push_back(child);
    }
  }
}

// Who was not reached from above is part of a cycle, or below one or below somebody who is.
void QueueTree::FindFaults(const std::vector<QueueId>& queues) {
  IdVector<QueueId, uint8_t> seen;
  seen.resize(places_.size(), 0);
  for (QueueId start : queues) {
    QueueId at = start;
    while (places_[at].fault == QueueFault::kCycle && seen[at] == 0) {
      seen[at] = 1;
      at = places_[at].parent;
    }
    const QueueId culprit = places_[at].culprit.valid() ? places_[at].culprit : at;
    // The walk ended in a cycle, just found or known before, or below one. What lies between is
    // below it.
    for (QueueId below = start; below != at; below = places_[below].parent) {
      places_[below].fault = QueueFault::kBelowFault;
      places_[below].culprit = culprit;
    }
  }
}

int32_t QueueTree::CommonLevel(QueueId left, QueueId right) const {
  left = places_[left].parent;
  right = places_[right].parent;
  if (!left.valid() || !right.valid()) return 0;
  while (left != right) {
    const bool left_deeper = places_[left].depth >= places_[right].depth;
    QueueId& deeper = left_deeper ? left : right;
    deeper = places_[deeper].parent;
    if (!deeper.valid()) return 0;
  }
  return places_[left].depth;
}

QueueId QueueTree::AncestorAt(QueueId queue, int32_t depth) const {
  while (places_[queue].depth > depth && places_[queue].parent.valid()) {
    queue = places_[queue].parent;
  }
  return queue;
}

QueueId QueueTree::Above(QueueId queue, int32_t level) const {
  for (; level > 0 && queue.valid(); --level) queue = places_[queue].parent;
  return queue;
}

}  // namespace bth::algo
