#include "plugins/predicates/extended_claims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace bth::plugins::predicates {

using model::ContainerRequests;
using model::DeviceRequestFacts;
using model::ExtendedClaimFacts;
using Mapping = model::ExtendedClaimFacts::Mapping;

namespace {

// What is asked for of one resource, container by container.
class OneResource {
 public:
  OneResource(absl::Span<const ContainerRequests> containers, const std::string& resource,
              const std::string& device_class)
      : containers_(containers), resource_(resource), class_(device_class) {}

  void AddTo(ExtendedClaimFacts* out) {
    lasting_.resize(containers_.size());
    for (size_t c = 0; c < containers_.size(); ++c) {
      if (!containers_[c].ends_first) lasting_[c] = Ask(c, 0, &lasting_mappings_);
    }
    for (size_t c = 0; c < containers_.size(); ++c) {
      if (containers_[c].ends_first) AskBefore(c);
    }
    // One of them after the other has what the largest needs.
    if (before_) {
      for (Mapping& mapping : before_mappings_) {
        const auto& own = own_names_;
        if (std::find(own.begin(), own.end(), mapping.request) != own.end()) {
          mapping.request = before_->name;
        }
      }
      out->requests.push_back(*before_);
    }
    for (const std::optional<DeviceRequestFacts>& request : lasting_) {
      if (request) out->requests.push_back(*request);
    }
    Move(&lasting_mappings_, &out->mappings);
    Move(&before_mappings_, &out->mappings);
  }

 private:
  static void Move(std::vector<Mapping>* from, std::vector<Mapping>* to) {
    to->insert(to->end(), std::make_move_iterator(from->begin()),
               std::make_move_iterator(from->end()));
  }

  int64_t AmountOf(size_t container) const {
    for (const auto& [name, amount] : containers_[container].extended) {
      if (name == resource_) return amount;
    }
    return 0;
  }

  // Of what the container asks for, all but `there`; nothing: it asks for none.
  std::optional<DeviceRequestFacts> Ask(size_t container, int64_t there,
                                        std::vector<Mapping>* mappings) const {
    const int64_t amount = AmountOf(container);
    if (amount == 0) return std::nullopt;
    const std::vector<std::string>& names = containers_[container].names;
    const auto position = std::find(names.begin(), names.end(), resource_) - names.begin();
    DeviceRequestFacts out;
    out.name = StrCat("container-", container, "-request-", position);
    model::DeviceDemandFacts& demand = out.demands.emplace_back();
    demand.device_class = class_;
    demand.count = amount - there;
    mappings->push_back(
        {.container = containers_[container].name, .resource = resource_, .request = out.name});
    return out;
  }

  // A container that ends first: it may use what later ones get.
  void AskBefore(size_t container) {
    const int64_t amount = AmountOf(container);
    if (amount == 0) return;
    int64_t there = 0;
    for (size_t c = container; c < containers_.size(); ++c) {
      if (!lasting_[c]) continue;
      there += lasting_[c]->demands.front().count;
      before_mappings_.push_back({.container = containers_[container].name,
                                  .resource = resource_,
                                  .request = lasting_[c]->name});
      if (there >= amount) return;
    }
    std::optional<DeviceRequestFacts> request = Ask(container, there, &before_mappings_);
    own_names_.push_back(request->name);
    const int64_t count = request->demands.front().count;
    if (!before_ || before_->demands.front().count < count) before_ = std::move(request);
  }

  const absl::Span<const ContainerRequests> containers_;
  const std::string& resource_;
  const std::string& class_;
  std::vector<std::optional<DeviceRequestFacts>> lasting_;  // By container.
  std::optional<DeviceRequestFacts> before_;
  std::vector<std::string> own_names_;  // Of requests of those that end first.
  std::vector<Mapping> lasting_mappings_;
  std::vector<Mapping> before_mappings_;
};

}  // namespace

ExtendedClaimFacts ExtendedClaimOf(absl::Span<const ContainerRequests> containers,
                                   const ServedResources& served) {
  ExtendedClaimFacts out;
  for (const auto& [resource, device_class] : served) {
    OneResource(containers, resource, device_class).AddTo(&out);
  }
  std::sort(out.requests.begin(), out.requests.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

bool SameRequests(const std::vector<DeviceRequestFacts>& a,
                  const std::vector<DeviceRequestFacts>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    if (x.name != y.name || x.demands.size() != 1 || y.demands.size() != 1) return false;
    const model::DeviceDemandFacts& left = x.demands.front();
    const model::DeviceDemandFacts& right = y.demands.front();
    return left.device_class == right.device_class && left.count == right.count && !left.all &&
           !right.all;
  });
}

}  // namespace bth::plugins::predicates
