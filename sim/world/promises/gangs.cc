// Gangs start whole, or say that they did not.
#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

// In which a gang is completed, or its PodGroup tells of it, once nothing goes wrong any more.
constexpr absl::Duration kTellWithin = absl::Minutes(3);
// In which it is completed, or gives back what it holds: ten minutes after it was last tried, and
// its pods take their time to go. Where all that it had has succeeded there was nothing to give
// back.
constexpr absl::Duration kReleaseWithin = absl::Minutes(15);

class WholeGangs final : public Promise {
 public:
  explicit WholeGangs(const Sight& sight) : Promise("whole-gangs", sight) {}

  void On(const Change<types::Pod>& change) override {
    NoteLoss(change);
    Watch(change.any());
  }
  void On(const Change<types::PodGroup>& change) override {
    if (change.after == nullptr) {
      const std::string& uid = change.before->meta.uid;
      part_since_.erase(uid);
      waited_.erase(uid);
      lowered_.erase(uid);
      if (whole_.erase(uid) > 0) left_by_[change.before->meta.Key()] = PlacesOf(*change.before);
    } else {
      if (change.before == nullptr) {
        TakeOver(*change.after);
      } else if (change.before->spec.min_member < change.after->spec.min_member) {
        lowered_[change.after->meta.uid] = {change.before->spec.min_member, now()};
      }
      Count(*change.after);
    }
  }
  void OnTick() override {
    for (const auto& [uid, part] : part_since_) {
      if (now() - part.since < kTellWithin || !IsFairFor(kTellWithin)) continue;
      const types::PodGroup* const group = Ledger::Find(ledger().groups(), part.group);
      if (group == nullptr) continue;
      // Who is leaving is released already; what has ended well is not taken back.
      const bool takes_room = part.room_since.has_value();
      const bool stays =
          takes_room && now() - *part.room_since >= kReleaseWithin && IsFairFor(kReleaseWithin);
      const bool is_wrong = Tells(*group) ? stays : takes_room || HasSucceeded(*group);
      if (is_wrong) Tell(*group, part.since);
    }
  }
  void AtRest() override {
    for (const auto& [uid, part] : part_since_) {
      const types::PodGroup* const group = Ledger::Find(ledger().groups(), part.group);
      if (group == nullptr) continue;
      const bool holds_room = part.room_since.has_value();
      if (holds_room || (HasSucceeded(*group) && !Tells(*group))) Tell(*group, part.since);
    }
  }

 private:
  struct Lowered {
    int64_t least;
    absl::Duration until;
  };
  struct Part {
    std::string group;
    absl::Duration since;
    std::optional<absl::Duration> room_since;  // A pod that stays has a node.
    // Pods that lost their place since then, which whoever binds the rest need not have heard yet;
    // and those that were made after that: who binds one of them has heard.
    std::set<std::string> lost;
    std::set<std::string> made;
  };

  void Watch(const types::Pod& pod) {
    if (!IsOurs(pod)) return;
    if (const types::PodGroup* const group = ledger().GroupOf(pod)) Count(*group);
  }
  static bool HasPlace(const types::Pod& pod) {
    return !pod.spec.node_name.empty() && pod.status.phase != "Failed";
  }
  // What bad weather may keep from whoever binds the rest of a gang.
  void NoteLoss(const Change<types::Pod>& change) {
    const types::Pod& pod = change.any();
    const types::PodGroup* const group = ledger().GroupOf(pod);
    const auto found = group == nullptr ? part_since_.end() : part_since_.find(group->meta.uid);
    if (found == part_since_.end()) return;
    Part& part = found->second;
    const bool had_place = change.before != nullptr && HasPlace(*change.before);
    const bool has_place = change.after != nullptr && HasPlace(*change.after);
    if (had_place && !has_place && !IsFairFor(kTellWithin)) part.lost.insert(pod.meta.uid);
    if (change.before == nullptr && !part.lost.empty()) part.made.insert(pod.meta.uid);
    if (has_place && part.made.contains(pod.meta.uid)) part.lost.clear();
  }
  // The pods that hold room, and those that have done so and ended well, by uid.
  std::set<std::string> PlacesOf(const types::PodGroup& group) const {
    std::set<std::string> places;
    for (const types::Pod* pod : ledger().PodsOf(group)) {
      if (HasPlace(*pod)) places.insert(pod->meta.uid);
    }
    return places;
  }
  bool TakesRoom(const types::PodGroup& group) const {
    const auto pods = ledger().PodsOf(group);
    return std::any_of(pods.begin(), pods.end(), [](const types::Pod* pod) {
      return HoldsRoom(*pod) && !pod->meta.deletion_time.has_value();
    });
  }
  bool HasSucceeded(const types::PodGroup& group) const {
    const auto pods = ledger().PodsOf(group);
    return std::any_of(pods.begin(), pods.end(),
                       [](const types::Pod* pod) { return pod->status.phase == "Succeeded"; });
  }
  int64_t Held(const types::PodGroup& group) const {
    return static_cast<int64_t>(PlacesOf(group).size());
  }
  int64_t LostOf(const std::string& group) const {
    const auto part = part_since_.find(group);
    return part == part_since_.end() ? 0 : static_cast<int64_t>(part->second.lost.size());
  }
  // What it may be held to: whoever binds it decided by the minimum that it had a while ago.
  int64_t LeastOf(const types::PodGroup& group) const {
    const auto lowered = lowered_.find(group.meta.uid);
    if (lowered == lowered_.end() || now() - lowered->second.until >= kTellWithin) {
      return group.spec.min_member;
    }
    return std::min<int64_t>(lowered->second.least, group.spec.min_member);
  }
  // A group that was deleted and made anew around the same pods is the same gang: it was whole, and
  // what is left of it may be at work.
  void TakeOver(const types::PodGroup& group) {
    const auto left = left_by_.find(group.meta.Key());
    if (left == left_by_.end()) return;
    const std::set<std::string> places = PlacesOf(group);
    const bool same = std::any_of(places.begin(), places.end(), [&](const std::string& pod) {
      return left->second.contains(pod);
    });
    if (same) whole_.insert(group.meta.uid);
    left_by_.erase(left);
  }
  void Count(const types::PodGroup& group) {
    const std::string& uid = group.meta.uid;
    const int64_t held = Held(group);
    if (whole_.contains(uid) && !StartsAgain(group, held)) return;
    whole_.erase(uid);
    waited_.erase(uid);
    if (held > 0 && held + LostOf(uid) >= LeastOf(group)) {
      whole_.insert(uid);
      part_since_.erase(uid);
    } else if (held == 0) {
      part_since_.erase(uid);
    } else {
      const auto [part, fresh] =
          part_since_.try_emplace(uid, Part{group.meta.Key(), now(), {}, {}, {}});
      if (fresh) Look();
      if (!TakesRoom(group)) {
        part->second.room_since.reset();
      } else if (!part->second.room_since.has_value()) {
        part->second.room_since = now();
      }
    }
  }
  // Whether a gang that was whole does so: with pods that were made once it had no place any more.
  // One beyond its minimum that waited meanwhile belongs to what was.
  bool StartsAgain(const types::PodGroup& group, int64_t held) {
    const auto waited = waited_.find(group.meta.uid);
    if (held == 0 && waited == waited_.end()) {
      for (const types::Pod* pod : ledger().PodsOf(group)) {
        if (pod->spec.node_name.empty()) waited_[group.meta.uid].insert(pod->meta.uid);
      }
      return !waited_.contains(group.meta.uid);
    }
    if (held == 0 || waited == waited_.end()) return false;
    const std::set<std::string> places = PlacesOf(group);
    const bool same = std::any_of(places.begin(), places.end(), [&](const std::string& pod) {
      return waited->second.contains(pod);
    });
    if (same) waited_.erase(waited);
    return !same;
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
  // Groups that were whole at some time since they had no place at all.
  std::set<std::string> whole_;
  // Of such groups without a place: the pods that waited for one then.
  std::map<std::string, std::set<std::string>> waited_;
  // By uid of a group whose minimum was raised: what it was before.
  std::map<std::string, Lowered> lowered_;
  // By key of such a group that is gone: the pods that had places then.
  std::map<std::string, std::set<std::string>> left_by_;
};

}  // namespace

PromisePtr MakeWholeGangs(const Sight& sight) {
  return std::make_unique<WholeGangs>(sight);
}

}  // namespace bth::sim
