#include "plugins/capacity/queue_order.h"

namespace bth::plugins::capacity {
namespace {

using framework::Session;
using model::QueueId;

template <typename T>
int Compare(const T& a, const T& b) {
  return static_cast<int>(b < a) - static_cast<int>(a < b);
}

int CompareShares(const QueueLedger& ledger, QueueId left, QueueId right) {
  if (const int order = Compare(ledger[left].share, ledger[right].share); order != 0) return order;
  return Compare(ledger.quota(left).best_effort, ledger.quota(right).best_effort);
}

// Branches with equal shares must not fall back on the age of the leaves in them: what is between
// two leaves of one branch in age could be in another branch, and the order would be a circle.
int CompareBranches(const Session& session, const QueueLedger& ledger, QueueId left,
                    QueueId right) {
  if (const int order = CompareShares(ledger, left, right); order != 0) return order;
  const model::QueueRow& a = session.queue(left);
  const model::QueueRow& b = session.queue(right);
  if (const int order = Compare(a.created_us, b.created_us); order != 0) return order;
  if (const int order = a.uid.compare(b.uid); order != 0) return order;
  return a.name->compare(*b.name);
}

}  // namespace

int CompareQueues(const Session& session, const QueueLedger& ledger, QueueId left, QueueId right) {
  const int order = Compare(session.queue(right).priority, session.queue(left).priority);
  if (order != 0 || left == right) return order;
  if (!ledger.hierarchy()) return CompareShares(ledger, left, right);
  const algo::QueueTree& tree = ledger.tree();
  // Queues outside of the tree take no part; they come last.
  const bool left_leaf = tree[left].takes_jobs();
  const bool right_leaf = tree[right].takes_jobs();
  if (left_leaf != right_leaf) return left_leaf ? -1 : 1;
  if (!left_leaf) return CompareShares(ledger, left, right);
  const int32_t depth = tree.CommonLevel(left, right) + 1;
  const QueueId left_branch = tree.AncestorAt(left, depth);
  const QueueId right_branch = tree.AncestorAt(right, depth);
  return CompareBranches(session, ledger, left_branch, right_branch);
}

int CompareVictimQueues(const QueueLedger& ledger, QueueId left, QueueId right, QueueId preemptor) {
  const algo::QueueTree& tree = ledger.tree();
  for (QueueId queue : {left, right, preemptor}) {
    if (!queue.valid() || !tree[queue].attached()) return 0;
  }
  return Compare(tree.CommonLevel(right, preemptor), tree.CommonLevel(left, preemptor));
}

}  // namespace bth::plugins::capacity
