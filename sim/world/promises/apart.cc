// Pods that will not have others near them are bound apart from these.
#include <map>
#include <string>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

using types::Pod;

bool InSameDomain(const std::string& key, const types::Node& a, const types::Node& b) {
  const std::string* const of_a = a.meta.labels.Find(key);
  const std::string* const of_b = b.meta.labels.Find(key);
  return of_a != nullptr && of_b != nullptr && *of_a == *of_b;
}

// A scheduler answers for what it has bound itself, and for what it could know of.
class KeptApart final : public Promise {
 public:
  explicit KeptApart(const Sight& sight) : Promise("kept-apart", sight) {}

  void On(const Change<types::Node>& change) override {
    const bool same = change.before != nullptr && change.after != nullptr &&
                      change.before->meta.labels == change.after->meta.labels;
    if (!same) changed_[change.any().meta.name] = now();
  }
  void On(const Change<Pod>& change) override {
    if (!IsNewlyBound(change) || !IsOurs(*change.after)) return;
    const Pod& pod = *change.after;
    const types::Node* const node = Ledger::Find(ledger().nodes(), pod.spec.node_name);
    if (node == nullptr || Recent(node->meta.name) || sight().IsLate(pod)) return;
    if (pod.spec.affinity.has_value() && pod.spec.affinity->pod_anti.has_value()) Look();
    const bool all_count = IsFairFor(absl::Minutes(1));
    const std::string binder = sight().BinderOf(pod);
    for (const auto& [key, other] : ledger().pods()) {
      if (other->meta.uid == pod.meta.uid || !HoldsRoom(*other)) continue;
      if (!all_count && (sight().BinderOf(*other) != binder || sight().IsLate(*other))) continue;
      const types::Node* const there = Ledger::Find(ledger().nodes(), other->spec.node_name);
      if (there == nullptr || Recent(there->meta.name)) continue;
      Judge(pod, *node, *other, *there);
      Judge(*other, *there, pod, *node);
    }
  }

 private:
  // `whose`: the one that may keep the other off.
  void Judge(const Pod& whose, const types::Node& here, const Pod& other,
             const types::Node& there) {
    for (const types::PodAffinityTerm* term : TermsAgainst(whose, other)) {
      if (!InSameDomain(term->topology_key, here, there)) continue;
      Break(StrCat("pod ", whose.meta.Key(), " on ", here.meta.name, ", bound by ",
                   sight().BinderOf(whose), ", will not have pod ", other.meta.Key(), " on ",
                   there.meta.name, ", bound by ", sight().BinderOf(other), ", in its ",
                   term->topology_key));
    }
  }
  bool Recent(const std::string& node) const {
    const auto it = changed_.find(node);
    return it != changed_.end() &&
           (!IsFairFor(absl::Minutes(1)) || now() - it->second < kNewsWithin);
  }

  std::map<std::string, absl::Duration> changed_;  // Labels, of nodes by name.
};

}  // namespace

PromisePtr MakeKeptApart(const Sight& sight) {
  return std::make_unique<KeptApart>(sight);
}

}  // namespace bth::sim
