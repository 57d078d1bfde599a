// What bindings may not go beyond: the shard of their scheduler, and how far a gang may be apart.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/programs.h"
#include "sim/world/promises/domains.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

// A gang with a hard bound comes together within it, and those that come later stay within it.
class NearGangs final : public Promise {
 public:
  explicit NearGangs(const Sight& sight) : Promise("near-gangs", sight) {}

  void On(const Change<types::HyperNode>& change) override {
    const bool same = change.before != nullptr && change.after != nullptr &&
                      change.before->tier == change.after->tier &&
                      change.before->members == change.after->members;
    if (same) return;
    Forget();
    former_.push_back({std::move(current_), now()});
    current_ = Domains(ledger().hyper_nodes());
  }
  void On(const Change<types::Pod>& change) override {
    Forget();
    if (!IsNewlyBound(change) || !IsOurs(*change.after) || !sight().keeps_near) return;
    const types::PodGroup* const group = ledger().GroupOf(*change.after);
    if (group == nullptr || sight().IsLate(*change.after)) return;
    if (const auto bound = BoundOf(*group)) Judge(*change.after, *group, *bound);
  }

 private:
  struct Former {
    Domains domains;
    absl::Duration until;
  };

  // Those that everybody knows to be outdated.
  void Forget() {
    std::erase_if(former_, [this](const Former& former) {
      const absl::Duration fair = sight().fair_since();
      return fair <= former.until ? now() - former.until >= kNewsWithin
                                  : IsFairFor(absl::Minutes(1));
    });
  }
  // What the scheduler takes the HyperNodes for is one of these.
  template <typename Test>
  bool AnyOf(Test test) const {
    return test(current_) || std::any_of(former_.begin(), former_.end(), [&](const Former& former) {
             return test(former.domains);
           });
  }

  void Judge(const types::Pod& pod, const types::PodGroup& group, int32_t bound) {
    Domains::Nodes nodes;
    std::string others;
    const bool fair = IsFairFor(absl::Minutes(1));
    for (const types::Pod* other : ledger().PodsOf(group)) {
      if (other->meta.uid == pod.meta.uid || !HoldsRoom(*other) || IsLeaving(*other)) continue;
      if (!ledger().nodes().contains(other->spec.node_name)) continue;
      // As far as its scheduler could know.
      if (!fair && (sight().BinderOf(*other) != sight().BinderOf(pod) || sight().IsLate(*other))) {
        continue;
      }
      nodes.insert(other->spec.node_name);
      StrAppend(&others, " ", other->meta.name, " on ", other->spec.node_name);
    }
    // They were apart before, as when a HyperNode was deleted beneath them.
    const auto apart = [&](const Domains& domains) {
      return !nodes.empty() && !domains.Hold(nodes, bound);
    };
    if (AnyOf(apart)) return;
    Look();
    nodes.insert(pod.spec.node_name);
    if (AnyOf([&](const Domains& domains) { return domains.Hold(nodes, bound); })) return;
    Break(StrCat("pod ", pod.meta.Key(), " was bound by ", sight().BinderOf(pod), " to ",
                 pod.spec.node_name, ", but group ", group.meta.name, " must stay within tier ",
                 bound, "; others of it:", others));
  }
  // It is told to go, or was asked to.
  bool IsLeaving(const types::Pod& pod) const {
    if (pod.meta.deletion_time.has_value()) return true;
    const auto evicted = sight().evicted_at.find(pod.meta.uid);
    return evicted != sight().evicted_at.end() && now() - evicted->second < absl::Minutes(1);
  }

  Domains current_;
  std::vector<Former> former_;
};

// With hard shards a scheduler binds to nodes of its own shard.
class OwnShard final : public Promise {
 public:
  explicit OwnShard(const Sight& sight) : Promise("own-shard", sight) {}

  void On(const Change<types::NodeShard>& change) override {
    if (change.before == nullptr) return;
    for (const auto* nodes : {&change.before->nodes_desired, &change.before->nodes_in_use}) {
      for (const std::string& node : *nodes) {
        had_until_[StrCat(change.before->meta.name, "/", node)] = now();
      }
    }
  }
  void On(const Change<types::Pod>& change) override {
    if (!IsNewlyBound(change)) return;
    const types::Pod& pod = *change.after;
    const bool is_single = pod.spec.scheduler_name == kAgentName;
    if ((!IsOurs(pod) && !is_single) || sight().IsLate(pod)) return;
    Look();
    const std::string shard = is_single ? std::string(kAgentName) : "volcano";
    if (Has(shard, pod.spec.node_name)) return;
    Break(StrCat("pod ", pod.meta.Key(), " was bound by ", sight().BinderOf(pod), " to ",
                 pod.spec.node_name, ", which is not of shard ", shard));
  }
  // A node changes hands only when the other one has let go of it.
  void OnTick() override {
    std::map<std::string, std::string> users;
    std::set<std::string> shared;
    for (const auto& [name, shard] : ledger().shards()) {
      for (const std::string& node : shard->nodes_in_use) {
        const auto [user, is_first] = users.try_emplace(node, name);
        if (!is_first) shared.insert(StrCat("node ", node, " by ", user->second, " and ", name));
      }
    }
    for (const std::string& both : shared) {
      Look();
      if (shared_.contains(both) && IsFairFor(absl::Minutes(2))) {
        Break(StrCat(both, " is in use for a minute"));
      }
    }
    shared_ = std::move(shared);
  }

 private:
  bool Has(const std::string& name, const std::string& node) const {
    const auto lists = [&node](const std::vector<std::string>& nodes) {
      return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    };
    const types::NodeShard* const shard = Ledger::Find(ledger().shards(), name);
    if (shard != nullptr && (lists(shard->nodes_desired) || lists(shard->nodes_in_use)))
      return true;
    const auto had = had_until_.find(StrCat(name, "/", node));
    if (had == had_until_.end()) return false;
    return !IsFairFor(absl::Minutes(1)) || now() - had->second < kNewsWithin;
  }

  std::map<std::string, absl::Duration> had_until_;  // By shard and node.
  std::set<std::string> shared_;                     // In use by two, as of the last look.
};

}  // namespace

PromisePtr MakeNearGangs(const Sight& sight) {
  return std::make_unique<NearGangs>(sight);
}
PromisePtr MakeOwnShard(const Sight& sight) {
  return std::make_unique<OwnShard>(sight);
}

}  // namespace bth::sim
