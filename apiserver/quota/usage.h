// What objects take from a ResourceQuota, and which objects one speaks of. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/quantity.h"

namespace bth::apiserver {

using types::Json;

// By the names that quotas use: "pods", "requests.cpu", "count/jobs.batch.volcano.sh".
using Amounts = std::map<std::string, types::Quantity>;

// What one object of the collection takes, under every name that a quota may have for it. Pods that
// have ended take nothing but "count/pods". Errors: a pod whose requests cannot be added up.
absl::StatusOr<Amounts> UsageOf(std::string_view collection, const Json& object);

// The collection whose objects take from that name: "pods" for "requests.cpu".
std::string_view CollectionBehind(std::string_view name);

// One requirement of spec.scopeSelector, or an entry of spec.scopes.
struct QuotaScope {
  std::string name;
  std::string op;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;
  bool operator==(const QuotaScope&) const = default;
};
std::vector<QuotaScope> ScopesOf(const Json& quota);
// Scopes speak of pods only: with any of them a quota leaves other objects alone.
bool InScopes(const std::vector<QuotaScope>& scopes, std::string_view collection,
              const Json& object);

// Names of `hard` that each container of the pod must say something of, and those that do not:
// "cpu for: main; limits.memory for: init,main". Empty: all do.
std::string MissingFor(const Amounts& hard, const Json& pod);

}  // namespace bth::apiserver
