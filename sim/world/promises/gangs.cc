// Gangs start whole, or say that they did not.
#include <set>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

// In which a gang is completed, or its PodGroup tells of it, once nothing goes wrong any more.
constexpr absl::Duration kTellWithin = absl::Minutes(3);

class WholeGangs final : public Promise {
 public:
  explicit WholeGangs(const Sight& sight) : Promise("whole-gangs", sight) {}

  void On(const Change<types::Pod>& change) override { Watch(change.any()); }
  void On(const Change<types::PodGroup>& change) override {
    if (change.after == nullptr) {
      part_since_.erase(change.before->meta.uid);
      whole_.erase(change.before->meta.uid);
    } else {
      Count(*change.after);
    }
  }
  void OnTick() override {
    for (const auto& [uid, part] : part_since_) {
      if (now() - part.since < kTellWithin || !IsFairFor(kTellWithin)) continue;
      const types::PodGroup* const group = Ledger::Find(ledger().groups(), part.group);
      if (group != nullptr && !Tells(*group)) Tell(*group, part.since);
    }
  }
  void AtRest() override {
    for (const auto& [uid, part] : part_since_) {
      const types::PodGroup* const group = Ledger::Find(ledger().groups(), part.group);
      if (group != nullptr) Tell(*group, part.since);
    }
  }

 private:
  struct Part {
    std::string group;
    absl::Duration since;
  };

  void Watch(const types::Pod& pod) {
    if (!IsOurs(pod)) return;
    if (const types::PodGroup* const group = ledger().GroupOf(pod)) Count(*group);
  }
  // What holds room counts, and what has done so and ended well.
  int64_t Held(const types::PodGroup& group) const {
    int64_t held = 0;
    const std::string prefix = group.meta.ns + "/";
    for (auto it = ledger().pods().lower_bound(prefix);
         it != ledger().pods().end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) {
      const types::Pod& pod = *it->second;
      if (GroupNameOf(pod) != group.meta.name || pod.spec.node_name.empty()) continue;
      held += pod.status.phase == "Failed" ? 0 : 1;
    }
    return held;
  }
  void Count(const types::PodGroup& group) {
    const std::string& uid = group.meta.uid;
    if (whole_.contains(uid)) return;
    const int64_t held = Held(group);
    if (held >= group.spec.min_member) {
      if (held > 0) whole_.insert(uid);
      part_since_.erase(uid);
    } else if (held == 0) {
      part_since_.erase(uid);
    } else if (part_since_.try_emplace(uid, Part{group.meta.Key(), now()}).second) {
      Look();
    }
  }
  static bool Tells(const types::PodGroup& group) {
    const types::Condition* const told =
        types::FindCondition(group.status.conditions, "PartiallyBound");
    return told != nullptr && told->status == "True";
  }
  void Tell(const types::PodGroup& group, absl::Duration since) {
    Break(StrCat("gang ", group.meta.Key(), " holds ", Held(group), " of ", group.spec.min_member,
                 " places since ", absl::FormatDuration(now() - since), ", and ",
                 Tells(group) ? "its PodGroup tells of it" : "nothing tells of it"));
  }

  std::map<std::string, Part> part_since_;  // By uid of the group.
  std::set<std::string> whole_;             // They were, at some time.
};

}  // namespace

PromisePtr MakeWholeGangs(const Sight& sight) {
  return std::make_unique<WholeGangs>(sight);
}

}  // namespace bth::sim
