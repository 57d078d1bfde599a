// Which cards the containers of a pod get.
#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "devices/hami_ascend/hami_ascend.h"

namespace bth::devices::hami_ascend {
namespace {

using model::ContainerDeviceRequest;
using model::Device;

constexpr double kTopScore = 100;
constexpr double kNetworkScore = 10;

using Numbers = absl::InlinedVector<int32_t, 16>;

const model::AscendChip& ChipOf(const Question& question) {
  return question.settings.chips[question.request.kind.number];
}

// Cards of this kind reach each other by networks, if every one says by which.
bool GoesByNetwork(const Question& question) {
  if (!ChipOf(question).word.starts_with("Ascend910")) return false;
  const std::vector<Device>& cards = question.use.pool().devices;
  return !cards.empty() && std::all_of(cards.begin(), cards.end(),
                                       [](const Device& card) { return !card.network.empty(); });
}

// Those of the largest network first, each network in the order that they have.
void OrderByNetwork(const std::vector<Device>& cards, Numbers* fitting) {
  std::map<std::string_view, int32_t> sizes;
  const auto network = [&cards](int32_t card) -> std::string_view {
    return cards[static_cast<size_t>(card)].network;
  };
  for (const int32_t card : *fitting) ++sizes[network(card)];
  std::stable_sort(fitting->begin(), fitting->end(), [&](int32_t a, int32_t b) {
    const int32_t left = sizes.at(network(a));
    const int32_t right = sizes.at(network(b));
    return left != right ? left > right : network(a) < network(b);
  });
}

// How many of the cards are in the network that most of them are in.
int32_t LargestNetwork(const std::vector<Device>& cards, absl::Span<const int32_t> chosen) {
  std::map<std::string_view, int32_t> sizes;
  int32_t most = 0;
  for (const int32_t card : chosen) {
    most = std::max(most, ++sizes[cards[static_cast<size_t>(card)].network]);
  }
  return most;
}

}  // namespace

bool IsSoft(const model::PodDeviceRequest& request) {
  return request.mode && *request.mode == kHamiCore;
}

double ScoreOfCard(Policy policy, const Device& card, const DeviceUse& used) {
  switch (policy) {
    case Policy::kNone:
      return 0;
    case Policy::kBinpack:
      if (card.memory == 0) return 0;
      return kTopScore * static_cast<double>(used.memory) / static_cast<double>(card.memory);
    case Policy::kSpread:
      return card.memory > 0 && used.slots == 0 ? kTopScore : 0;
  }
  return 0;
}

bool FitsCard(const model::DevicePool& pool, const Device& card, const DeviceUse& used,
              const ContainerDeviceRequest& ask, bool soft) {
  if (soft && !pool.soft) return false;
  constexpr int32_t kPercent = 100;
  const int32_t total = soft ? kPercent : card.cores;
  const int64_t memory = ask.percent ? card.memory : ask.memory;
  if (used.slots >= card.slots || card.memory - used.memory < memory) return false;
  if (total - used.cores < ask.cores) return false;
  if (total == kPercent && ask.cores == kPercent && used.slots > 0) return false;
  return !(total != 0 && used.cores == total && ask.cores == 0);
}

bool ChooseCards(const Question& question, Choice* out) {
  out->devices.clear();
  out->score = 0;
  out->refusal.reset();
  const model::DevicePool& pool = question.use.pool();
  const model::AscendChip& chip = ChipOf(question);
  const bool soft = IsSoft(question.request);
  const bool by_network = GoesByNetwork(question);
  const UseColumns used = question.use.Columns(question.future);
  Numbers order(pool.devices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](int32_t card) {
    const auto index = static_cast<size_t>(card);
    return ScoreOfCard(question.policy, pool.devices[index], used[index]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return score(a) > score(b); });
  const std::vector<ContainerDeviceRequest>& containers = question.request.containers;
  for (size_t container = 0; container < containers.size(); ++container) {
    const ContainerDeviceRequest& ask = containers[container];
    const bool parted = !ask.percent && ask.memory != chip.memory_allocatable;
    if (!soft && ask.count > 1 && parted) {
      out->refusal = kNever;
      return false;
    }
    Numbers fitting;
    for (const int32_t card : order) {
      const auto index = static_cast<size_t>(card);
      const auto is_it = [card](const Chosen& chosen) { return chosen.device == card; };
      if (std::any_of(out->devices.begin(), out->devices.end(), is_it)) continue;
      if (FitsCard(pool, pool.devices[index], used[index], ask, soft)) fitting.push_back(card);
    }
    if (fitting.size() < static_cast<size_t>(ask.count)) {
      out->refusal = kNoRoom;
      return false;
    }
    if (by_network) OrderByNetwork(pool.devices, &fitting);
    fitting.resize(static_cast<size_t>(ask.count));
    for (const int32_t card : fitting) {
      const int64_t memory =
          ask.percent ? pool.devices[static_cast<size_t>(card)].memory : ask.memory;
      out->devices.push_back({.container = static_cast<int32_t>(container),
                              .device = card,
                              .memory = memory,
                              .cores = ask.cores});
    }
    out->score += score(fitting.front());
    if (by_network) {
      out->score += kNetworkScore * LargestNetwork(pool.devices, fitting) /
                    static_cast<double>(fitting.size());
    }
  }
  return true;
}

}  // namespace bth::devices::hami_ascend
