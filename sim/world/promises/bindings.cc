// Where pods are bound to: once, and where there is room.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

class BoundOnce final : public Promise {
 public:
  explicit BoundOnce(const Sight& sight) : Promise("bound-once", sight) {}
  void On(const Change<types::Pod>& change) override {
    if (IsNewlyBound(change)) Look();
    if (change.before == nullptr || change.after == nullptr) return;
    if (change.before->meta.uid != change.after->meta.uid) return;
    const std::string& before = change.before->spec.node_name;
    if (before.empty() || before == change.after->spec.node_name) return;
    Break(StrCat("pod ", change.after->meta.Key(), " was bound to ", before, ", then to ",
                 change.after->spec.node_name));
  }
};

// A scheduler answers for what it has bound itself, and for what it could know of.
class Room final : public Promise {
 public:
  explicit Room(const Sight& sight) : Promise("room", sight) {}

  // Of a name that is new, and of more room, nobody has outdated news.
  void On(const Change<types::Node>& change) override {
    const std::string& name = change.any().meta.name;
    if (change.before == nullptr && seen_.insert(name).second) return;
    const bool grew = change.before != nullptr && change.after != nullptr &&
                      change.before->meta.uid == change.after->meta.uid &&
                      MilliCpuOf(change.after->status.allocatable) >=
                          MilliCpuOf(change.before->status.allocatable);
    if (!grew) changed_[name] = now();
  }
  void On(const Change<types::Pod>& change) override {
    const types::Pod& pod = change.any();
    if (pod.spec.node_name.empty()) return;
    if (!IsNewlyBound(change)) return;
    if (!IsOurs(pod)) {
      changed_[pod.spec.node_name] = now();
      return;
    }
    Judge(pod);
  }

 private:
  void Judge(const types::Pod& pod) {
    const types::Node* const node = Ledger::Find(ledger().nodes(), pod.spec.node_name);
    // It was deleted, shrunk, or somebody else took of it, and news travel.
    if (node == nullptr || Recent(node->meta.name) || sight().IsLate(pod)) return;
    Look();
    const bool all_count = IsFairFor(absl::Minutes(1));
    const std::string binder = sight().BinderOf(pod);
    int64_t used = MilliCpuOf(pod);
    std::string others;
    for (const auto& [key, other] : ledger().pods()) {
      if (other->spec.node_name != node->meta.name || !HoldsRoom(*other)) continue;
      if (other->meta.uid == pod.meta.uid) continue;
      if (!all_count && (sight().BinderOf(*other) != binder || sight().IsLate(*other))) continue;
      used += MilliCpuOf(*other);
      StrAppend(&others, " ", key, "(", MilliCpuOf(*other), "m by ", sight().BinderOf(*other), ")");
    }
    const int64_t has = MilliCpuOf(node->status.allocatable);
    if (used <= has) return;
    Break(StrCat("pod ", pod.meta.Key(), " was bound by ", binder, " to ", node->meta.name,
                 ", which has ", has, "m CPU, and now ", used, "m are taken, beside it by",
                 others));
  }
  bool Recent(const std::string& node) const {
    const auto it = changed_.find(node);
    if (it == changed_.end()) return false;
    return !IsFairFor(absl::Minutes(1)) || now() - it->second < kNewsWithin;
  }

  std::map<std::string, absl::Duration> changed_;
  std::set<std::string> seen_;  // Names of nodes.
};

// The limit of a queue that its pods' CPUs must not exceed, as far as one scheduler could know.
class QueueCapability final : public Promise {
 public:
  explicit QueueCapability(const Sight& sight) : Promise("queue-capability", sight) {}

  // Of a name that is new nobody has outdated news.
  void On(const Change<types::Queue>& change) override {
    const std::string& name = change.any().meta.name;
    if (change.before == nullptr && seen_.insert(name).second) return;
    if (change.before == nullptr || change.after == nullptr ||
        !(change.before->spec == change.after->spec)) {
      changed_[name] = now();
    }
  }
  // A group may come after its pods, or move.
  void On(const Change<types::PodGroup>& change) override {
    const bool stays = change.before != nullptr && change.after != nullptr &&
                       QueueOf(*change.before) == QueueOf(*change.after);
    if (stays) return;
    const auto pods = ledger().PodsOf(change.any());
    if (std::any_of(pods.begin(), pods.end(), [](const auto* pod) { return HoldsRoom(*pod); })) {
      changed_[QueueOf(change.any())] = now();
    }
  }
  void On(const Change<types::Pod>& change) override {
    if (!IsNewlyBound(change) || !IsOurs(*change.after)) return;
    const types::PodGroup* const group = ledger().GroupOf(*change.after);
    if (group == nullptr) return;
    const std::string name = QueueOf(*group);
    const types::Queue* const queue = Ledger::Find(ledger().queues(), name);
    const int64_t most = queue == nullptr ? 0 : MilliCpuOf(queue->spec.capability);
    const bool fair = IsFairFor(absl::Minutes(1));
    const auto changed = changed_.find(name);
    const bool is_recent =
        changed != changed_.end() && (!fair || now() - changed->second < kNewsWithin);
    if (most == 0 || is_recent || sight().IsLate(*change.after)) return;
    Look();
    Judge(*change.after, name, most, fair);
  }
  void OnTick() override {
    std::erase_if(excesses_, [this](const Excess& excess) {
      if (now() - excess.at < excess.patience) return false;
      Decide(excess);
      return true;
    });
  }

 private:
  // A binding went beyond the limit, unless some of those who held room were about to leave: the
  // scheduler counts on that from its decision on, and asks for their eviction in the same moment,
  // which comes to the server when it does.
  struct Excess {
    absl::Duration at;
    absl::Duration patience;  // How far its binding and such evictions can be apart.
    int64_t most = 0;
    std::string what;  // "with pod … bound by … queue …".
    std::vector<std::shared_ptr<const types::Pod>> holders;
  };

  void Judge(const types::Pod& pod, const std::string& queue, int64_t most, bool fair) {
    Excess excess{.at = now(),
                  .patience = fair ? kNewsWithin : absl::Minutes(1),
                  .most = most,
                  .what = StrCat("with pod ", pod.meta.Key(), " bound by ", sight().BinderOf(pod),
                                 " queue ", queue, " holds "),
                  .holders = {}};
    int64_t used = 0;
    for (const auto& [key, other] : ledger().pods()) {
      // Who is leaving makes room in its queue, though not yet on its node.
      if (!HoldsRoom(*other) || !IsOurs(*other) || other->meta.deletion_time.has_value()) continue;
      const types::PodGroup* const group = ledger().GroupOf(*other);
      if (group == nullptr || QueueOf(*group) != queue) continue;
      if (!fair && (sight().BinderOf(*other) != sight().BinderOf(pod) || sight().IsLate(*other))) {
        continue;
      }
      used += MilliCpuOf(*other);
      excess.holders.push_back(other);
    }
    if (used > most) excesses_.push_back(std::move(excess));
  }
  void Decide(const Excess& excess) {
    int64_t used = 0;
    std::string by;
    for (const auto& pod : excess.holders) {
      const auto evicted = sight().evicted_at.find(pod->meta.uid);
      if (evicted != sight().evicted_at.end() &&
          absl::AbsDuration(evicted->second - excess.at) <= excess.patience) {
        continue;
      }
      used += MilliCpuOf(*pod);
      StrAppend(&by, " ", pod->meta.Key(), "(", MilliCpuOf(*pod), "m by ", sight().BinderOf(*pod),
                ")");
    }
    if (used <= excess.most) return;
    Break(StrCat(excess.what, used, "m CPU at ", absl::FormatDuration(excess.at),
                 "; its capability is ", excess.most, "m, held by", by));
  }

  std::map<std::string, absl::Duration> changed_;
  std::set<std::string> seen_;  // Names of queues.
  std::vector<Excess> excesses_;
};

}  // namespace

PromisePtr MakeBoundOnce(const Sight& sight) {
  return std::make_unique<BoundOnce>(sight);
}
PromisePtr MakeRoom(const Sight& sight) {
  return std::make_unique<Room>(sight);
}
PromisePtr MakeQueueCapability(const Sight& sight) {
  return std::make_unique<QueueCapability>(sight);
}

}  // namespace bth::sim
