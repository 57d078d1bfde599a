#include "apiserver/quota/usage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/rules/quantities.h"
#include "api/types/codec.h"
#include "api/types/pod_requests.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/rest/metadata.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Quantity;
using types::ResourceList;

constexpr std::string_view kStorageClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kClaims = "persistentvolumeclaims";
// Kinds that may be named without "count/".
constexpr std::string_view kPlainCounts[] = {"configmaps",     "persistentvolumeclaims",
                                             "pods",           "replicationcontrollers",
                                             "resourcequotas", "secrets",
                                             "services"};
// Whoever limits one of these wants each container to say what it takes of it.
constexpr std::string_view kToBeSaid[] = {"cpu",    "limits.cpu",   "limits.memory",
                                          "memory", "requests.cpu", "requests.memory"};

Quantity One() {
  return Quantity::FromValue(1);
}

// The pod as if its limits were its requests.
types::Pod WithLimitsAsRequests(types::Pod pod) {
  const auto swap = [](std::vector<types::Container>& containers) {
    for (types::Container& one : containers) one.resources.requests = one.resources.limits;
  };
  swap(pod.spec.containers);
  swap(pod.spec.init_containers);
  if (pod.spec.resources.has_value()) pod.spec.resources->requests = pod.spec.resources->limits;
  return pod;
}

absl::Status AddPod(const Json& object, Amounts& usage) {
  usage["pods"] = One();
  BTH_ASSIGN_OR_RETURN(types::Pod pod, types::Decode<types::Pod>(object));
  const types::PodRequestOptions options{.count_pod = false};
  BTH_ASSIGN_OR_RETURN(const ResourceList requests, types::PodRequests(pod, options));
  for (const auto& [name, amount] : requests) {
    usage[StrCat("requests.", name)] = amount;
    if (rules::IsStandardResource(name)) usage[name] = amount;
  }
  const ResourceList overhead = std::exchange(pod.spec.overhead, {});
  BTH_ASSIGN_OR_RETURN(const ResourceList limits,
                       types::PodRequests(WithLimitsAsRequests(std::move(pod)), options));
  for (const auto& [name, amount] : limits) {
    Quantity& total = usage[StrCat("limits.", name)];
    total = amount;
    const Quantity* more = overhead.Find(name);
    if (more != nullptr && !amount.is_zero()) {
      BTH_ASSIGN_OR_RETURN(total, amount.Plus(*more));
    }
  }
  return absl::OkStatus();
}

void AddClaim(const Json& claim, Amounts& usage) {
  const std::string of_class = StrCat(claim["spec"]["storageClassName"].AsString(), kStorageClass);
  const bool classed = of_class.size() > kStorageClass.size();
  if (classed) usage[of_class + std::string(kClaims)] = One();
  const absl::StatusOr<Quantity> storage =
      Quantity::Parse(claim["spec"]["resources"]["requests"]["storage"].AsString("0"));
  if (!storage.ok()) return;  // Claims are not checked for that; such a one is never bound.
  usage["requests.storage"] = *storage;
  if (classed) usage[of_class + "requests.storage"] = *storage;
}

void AddService(const Json& service, Amounts& usage) {
  const std::string_view type = service["spec"]["type"].AsString();
  const auto ports = Quantity::FromValue(static_cast<int64_t>(service["spec"]["ports"].size()));
  if (type == "NodePort" || type == "LoadBalancer") usage["services.nodeports"] = ports;
  if (type == "LoadBalancer") usage["services.loadbalancers"] = One();
}

bool LooksIntoOtherNamespaces(const Json& pod) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    const Json& affinity = pod["spec"]["affinity"][kind];
    const auto looks = [](const Json& term) {
      return !term["namespaces"].empty() || !term["namespaceSelector"].is_null();
    };
    for (const Json& term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
      if (looks(term)) return true;
    }
    for (const Json& one : affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
      if (looks(one["podAffinityTerm"])) return true;
    }
  }
  return false;
}

bool InScope(const QuotaScope& scope, const Json& pod) {
  const bool ends = pod["spec"]["activeDeadlineSeconds"].is_int();
  const bool best_effort = QosClass(pod["spec"]) == "BestEffort";
  if (scope.name == "Terminating") return ends;
  if (scope.name == "NotTerminating") return !ends;
  if (scope.name == "BestEffort") return best_effort;
  if (scope.name == "NotBestEffort") return !best_effort;
  if (scope.name == "CrossNamespacePodAffinity") return LooksIntoOtherNamespaces(pod);
  if (scope.name != "PriorityClass") return false;
  const std::string_view its = pod["spec"]["priorityClassName"].AsString();
  const bool listed =
      std::find(scope.values.begin(), scope.values.end(), its) != scope.values.end();
  if (scope.op == "In") return listed;
  if (scope.op == "NotIn") return !listed;
  return (scope.op == "Exists") == !its.empty();
}

// The names that a container says something of.
std::set<std::string> SaidBy(const Json& container) {
  std::set<std::string> names;
  for (const auto& [name, amount] : container["resources"]["requests"].members()) {
    names.insert(std::string(name));
    names.insert("requests." + std::string(name));
  }
  for (const auto& [name, amount] : container["resources"]["limits"].members()) {
    names.insert("limits." + std::string(name));
  }
  return names;
}

}  // namespace

absl::StatusOr<Amounts> UsageOf(std::string_view collection, const Json& object) {
  Amounts usage;
  usage[StrCat("count/", collection)] = One();
  if (collection == "pods") {
    if (!HasEnded(object)) BTH_RETURN_IF_ERROR(AddPod(object, usage));
    return usage;
  }
  const auto plain = std::find(std::begin(kPlainCounts), std::end(kPlainCounts), collection);
  if (plain != std::end(kPlainCounts)) usage[std::string(collection)] = One();
  if (collection == kClaims) AddClaim(object, usage);
  if (collection == "services") AddService(object, usage);
  return usage;
}

std::string_view CollectionBehind(std::string_view name) {
  constexpr std::string_view kCount = "count/";
  if (name.starts_with(kCount)) return name.substr(kCount.size());
  if (name == "requests.storage" || name.find(kStorageClass) != name.npos) return kClaims;
  if (name.starts_with("services.")) return "services";
  const auto plain = std::find(std::begin(kPlainCounts), std::end(kPlainCounts), name);
  return plain == std::end(kPlainCounts) ? std::string_view("pods") : *plain;
}

std::vector<QuotaScope> ScopesOf(const Json& quota) {
  std::vector<QuotaScope> scopes;
  for (const Json& scope : quota["spec"]["scopes"].items()) {
    scopes.push_back({std::string(scope.AsString()), "Exists", {}});
  }
  for (const Json& term : quota["spec"]["scopeSelector"]["matchExpressions"].items()) {
    QuotaScope scope{
        std::string(term["scopeName"].AsString()), std::string(term["operator"].AsString()), {}};
    for (const Json& value : term["values"].items()) scope.values.emplace_back(value.AsString());
    scopes.push_back(std::move(scope));
  }
  return scopes;
}

bool InScopes(const std::vector<QuotaScope>& scopes, std::string_view collection,
              const Json& object) {
  if (scopes.empty()) return true;
  return collection == "pods" &&
         std::all_of(scopes.begin(), scopes.end(),
                     [&](const QuotaScope& scope) { return InScope(scope, object); });
}

std::string MissingFor(const Amounts& hard, const Json& pod) {
  std::map<std::string, std::set<std::string>> missing;  // Containers by name of the quota.
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& container : pod["spec"][list].items()) {
      const std::set<std::string> said = SaidBy(container);
      for (const std::string_view name : kToBeSaid) {
        const std::string text(name);
        if (!hard.contains(text) || said.contains(text)) continue;
        missing[text].insert(std::string(container["name"].AsString()));
      }
    }
  }
  return absl::StrJoin(missing, "; ", [](std::string* out, const auto& one) {
    StrAppend(out, one.first, " for: ", absl::StrJoin(one.second, ","));
  });
}

}  // namespace bth::apiserver
