#include "cache/cluster/chip_book.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace bth::cache {

ChipBook::Holds ChipBook::Of(const std::string& node) const {
  Holds out;
  const auto known = told_.find(node);
  if (known == told_.end()) return out;
  const Told* chips = nullptr;
  const Told* status = nullptr;
  const auto later = [](const Told& told, const Told* than) {
    return than == nullptr ||
           std::tie(than->news.told_at, than->source) < std::tie(told.news.told_at, told.source);
  };
  for (const Told& told : known->second) {
    if (told.news.chips && later(told, chips)) chips = &told;
    if (told.news.set_apart && later(told, status)) status = &told;
  }
  if (chips != nullptr) out.chips = chips->news.chips;
  if (status != nullptr) out.set_apart = *status->news.set_apart;
  return out;
}

std::vector<std::string> ChipBook::Put(const std::string& source,
                                       std::vector<model::ChipNews> news) {
  std::map<std::string, Holds> before;
  std::vector<std::string>& nodes = by_source_[source];
  for (const std::string& node : nodes) before.try_emplace(node, Of(node));
  for (const model::ChipNews& one : news) before.try_emplace(one.node, Of(one.node));
  for (const std::string& node : nodes) {
    std::vector<Told>& told = told_.at(node);
    std::erase_if(told, [&source](const Told& one) { return one.source == source; });
    if (told.empty()) told_.erase(node);
  }
  nodes.clear();
  for (model::ChipNews& one : news) {
    nodes.push_back(one.node);
    std::vector<Told>& told = told_[one.node];
    told.push_back({.source = source, .news = std::move(one)});
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty()) by_source_.erase(source);
  std::vector<std::string> changed;
  for (const auto& [node, held] : before) {
    if (Of(node) != held) changed.push_back(node);
  }
  return changed;
}

std::shared_ptr<const model::NodeDevices> ChipBook::Complete(
    const std::string& node, std::shared_ptr<const model::NodeDevices> devices) const {
  if (devices == nullptr || devices->layout.chips == 0) return devices;
  const Holds holds = Of(node);
  return model::WithChips(std::move(devices), holds.chips ? &*holds.chips : nullptr,
                          holds.set_apart);
}

}  // namespace bth::cache
