#include "framework/report/queue_account.h"

#include "algo/queue_tree.h"

namespace bth::framework {

using conf::HookFlag;
using model::QueueId;
using model::ResourceVec;

QueueAccounts::QueueAccounts(const Session& session) : session_(session) {
  const conf::Policy& policy = *session.context().policy;
  const conf::PluginOption* capacity = policy.FirstPlugin("capacity");
  if (capacity != nullptr) {
    plugin_ = Plugin::kCapacity;
    if (capacity->flags[HookFlag::kHierarchy]) {
      algo::QueueTree tree;
      tree.Follow(session.base());
      quotas_ = algo::TreeQuotas(session.base(), tree);
    } else {
      quotas_ = algo::FlatQuotas(session.base());
    }
  } else if (policy.FirstPlugin("proportion") != nullptr) {
    plugin_ = Plugin::kProportion;
  } else {
    return;
  }
  sums_.Follow(session.base());
}

QueueAccount QueueAccounts::Of(QueueId queue, const ResourceVec& held) const {
  const algo::QueueSums& sums = sums_[queue];
  QueueAccount account{.inqueue = sums.inqueue, .elastic = sums.elastic};
  if (plugin_ == Plugin::kCapacity) {
    account.deserved = quotas_[queue].deserved.v;
    return account;
  }
  // A queue without jobs has no claim, and proportion divides among claims alone.
  if (sums.jobs == 0) return account;
  for (const auto& entry : session_.hooks().queue_room) {
    if (entry.origin.plugin == "proportion") account.deserved = entry.fn(queue).share + held;
  }
  return account;
}

}  // namespace bth::framework
