#include "controllers/core/quota_usage.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "api/types/pod_requests.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::controllers {
namespace {

using types::Quantity;
using types::ResourceList;

constexpr std::string_view kNative[] = {"cpu", "memory", "ephemeral-storage"};

bool IsNative(std::string_view name) {
  for (const std::string_view native : kNative) {
    if (name == native) return true;
  }
  return false;
}

bool IsHugePages(std::string_view name) {
  return name.starts_with("hugepages-");
}

// A resource of somebody's own domain, which is not Kubernetes' (docs of extended resources).
bool IsExtended(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = name.substr(0, slash);
  return domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io") &&
         !name.starts_with("requests.");
}

absl::StatusOr<ResourceList> SumOf(types::PodSpec spec) {
  types::Pod pod;
  pod.spec = std::move(spec);
  types::PodRequestOptions options;
  options.use_status = false;
  options.count_pod = false;
  return types::PodRequests(pod, options);
}

void LimitsAsRequests(std::vector<types::Container>& containers) {
  for (types::Container& container : containers) {
    container.resources.requests = container.resources.limits;
  }
}

// Limits are summed as requests are, but overhead only raises a limit that there is.
absl::StatusOr<ResourceList> SumOfLimits(const types::PodSpec& pod) {
  types::PodSpec spec = pod;
  LimitsAsRequests(spec.containers);
  LimitsAsRequests(spec.init_containers);
  if (spec.resources.has_value()) spec.resources->requests = spec.resources->limits;
  spec.overhead.clear();
  BTH_ASSIGN_OR_RETURN(ResourceList sum, SumOf(std::move(spec)));
  for (const auto& [name, quantity] : pod.overhead) {
    Quantity* limit = sum.Find(name);
    if (limit == nullptr || limit->is_zero()) continue;
    BTH_ASSIGN_OR_RETURN(*limit, limit->Plus(quantity));
  }
  return sum;
}

}  // namespace

absl::StatusOr<ResourceList> QuotaUsage(const types::PodSpec& pod) {
  BTH_ASSIGN_OR_RETURN(const ResourceList requests, SumOf(pod));
  BTH_ASSIGN_OR_RETURN(const ResourceList limits, SumOfLimits(pod));
  ResourceList usage;
  usage.Set("pods", Quantity::FromValue(1));
  usage.Set("count/pods", Quantity::FromValue(1));
  for (const auto& [name, quantity] : requests) {
    if (!IsNative(name) && !IsHugePages(name) && !IsExtended(name)) continue;
    usage.Set(name, quantity);
    usage.Set(StrCat("requests.", name), quantity);
  }
  for (const auto& [name, quantity] : limits) {
    if (IsNative(name)) usage.Set(StrCat("limits.", name), quantity);
  }
  return usage;
}

absl::Status AddUsage(const ResourceList& usage, int64_t times, ResourceList* total) {
  ResourceList doubled = usage;
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) BTH_RETURN_IF_ERROR(types::AddResources(doubled, total));
    if (times > 1) {
      const ResourceList once = doubled;
      BTH_RETURN_IF_ERROR(types::AddResources(once, &doubled));
    }
  }
  return absl::OkStatus();
}

}  // namespace bth::controllers
