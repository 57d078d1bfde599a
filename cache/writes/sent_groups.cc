#include "cache/writes/sent_groups.h"

#include <algorithm>
#include <utility>

#include "cache/cluster/mirror.h"

namespace bth::cache {
namespace {

// Of a group whose watch stands still. An older one that is forgotten costs a refused write.
constexpr size_t kVersionsMax = 16;

}  // namespace

bool SentGroups::IsNews(const std::string& key, const Sent& sent) const {
  const ShownPodGroup* shown = mirror_.ShownOf(key);
  if (shown == nullptr || std::find(sent.before.begin(), sent.before.end(),
                                    shown->resource_version) == sent.before.end()) {
    return false;
  }
  return mirror_.UidOfGroup(key) == sent.uid;
}

const ShownPodGroup* SentGroups::Known(const std::string& key) const {
  const auto sent = sent_.find(key);
  if (sent != sent_.end() && IsNews(key, sent->second)) return &sent->second.status;
  return mirror_.ShownOf(key);
}

void SentGroups::Note(const std::string& key, const std::string& uid, std::string base,
                      ShownPodGroup status) {
  Sent& sent = sent_[key];
  const bool is_same = base == status.resource_version;  // The server had nothing to change.
  if (sent.uid != uid || !IsNews(key, sent)) sent.before.clear();
  if (!is_same) {
    if (sent.before.size() == kVersionsMax) sent.before.erase(sent.before.begin());
    sent.before.push_back(std::move(base));
  }
  sent.uid = uid;
  sent.status = std::move(status);
}

void SentGroups::ForgetShown() {
  absl::erase_if(sent_, [this](const auto& entry) { return !IsNews(entry.first, entry.second); });
}

}  // namespace bth::cache
