#include "cli/session/follow.h"

#include <map>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

// Between two questions to a server that ends watches at once, or went away.
constexpr absl::Duration kPause = absl::Seconds(1);

std::string_view VersionIn(const Json& object) {
  return object.At({"metadata", "resourceVersion"}).AsString();
}

class FollowRun final {
 public:
  FollowRun(Cluster& cluster, const Target& target, const Follower& follower)
      : cluster_(cluster), target_(target), follower_(follower) {}

  absl::Status Run(const Selectors& selectors, absl::Duration timeout) {
    const absl::Duration deadline = cluster_.monotonic() + timeout;
    WatchRequest watch{selectors, "", timeout};
    for (;;) {
      BTH_ASSIGN_OR_RETURN(ObjectList list, cluster_.List(target_, selectors));
      watch.version = list.meta["resourceVersion"].AsString();
      TakeList(std::move(list.items));
      while (!is_done_) {
        const absl::Duration begun = cluster_.monotonic();
        watch.timeout = deadline - begun;
        absl::Status ended = cluster_.Watch(
            target_, &watch, [this](Change change) { return TakeChange(std::move(change)); });
        const bool may_list = absl::IsOutOfRange(ended) || absl::IsUnavailable(ended);
        if (!ended.ok() && !may_list) return ended;
        if (!is_done_ && cluster_.monotonic() - begun < kPause) cluster_.Pause(kPause);
        if (may_list) break;
      }
      if (is_done_) return absl::OkStatus();
    }
  }

 private:
  void TakeList(std::vector<Json> items) {
    if (!has_listed_) {
      has_listed_ = true;
      for (const Json& item : items) known_.insert_or_assign(KeyOf(item), item);
      is_done_ = !follower_.on_list(std::move(items));
      return;
    }
    std::map<std::string, Json> before = std::exchange(known_, {});
    for (Json& item : items) {
      const auto known = before.find(KeyOf(item));
      const bool is_new = known == before.end();
      const bool differs = is_new || VersionIn(known->second) != VersionIn(item);
      if (!is_new) before.erase(known);
      known_.insert_or_assign(KeyOf(item), item);
      if (differs) Tell({is_new ? "ADDED" : "MODIFIED", std::move(item)});
    }
    for (auto& [key, gone] : before) Tell({"DELETED", std::move(gone)});
  }

  bool TakeChange(Change change) {
    if (change.type == "DELETED") {
      known_.erase(KeyOf(change.object));
    } else {
      known_.insert_or_assign(KeyOf(change.object), change.object);
    }
    Tell(std::move(change));
    return !is_done_;
  }

  void Tell(Change change) {
    if (!is_done_) is_done_ = !follower_.on_change(std::move(change));
  }

  static std::string KeyOf(const Json& object) {
    return StrCat(NamespaceIn(object), "/", NameIn(object));
  }

  Cluster& cluster_;
  const Target& target_;
  const Follower& follower_;
  std::map<std::string, Json> known_;
  bool has_listed_ = false;
  bool is_done_ = false;
};

}  // namespace

absl::Status Follow(Cluster& cluster, const Target& target, const Selectors& selectors,
                    absl::Duration timeout, const Follower& follower) {
  return FollowRun(cluster, target, follower).Run(selectors, timeout);
}

}  // namespace bth::cli
