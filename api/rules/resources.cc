#include "api/rules/resources.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/rules/names.h"
#include "api/rules/quantities.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using types::Quantity;

// Of whom amounts are: which names are possible follows from it.
enum class Owner { kContainer, kPod };

// Names without a domain that a quota or a node may count, beside those of containers.
constexpr std::string_view kPlainNames[] = {"pods",
                                            "storage",
                                            "resourcequotas",
                                            "services",
                                            "secrets",
                                            "configmaps",
                                            "replicationcontrollers",
                                            "persistentvolumeclaims",
                                            "limits.cpu",
                                            "limits.memory",
                                            "limits.ephemeral-storage",
                                            "requests.cpu",
                                            "requests.memory",
                                            "requests.ephemeral-storage",
                                            "requests.storage",
                                            "services.nodeports",
                                            "services.loadbalancers"};

bool IsPlainName(std::string_view name) {
  return IsStandardResource(name) ||
         std::find(std::begin(kPlainNames), std::end(kPlainNames), name) != std::end(kPlainNames);
}

// What is given twice is taken twice: requests and limits must be one amount.
bool MayBeOvercommitted(std::string_view name) {
  return IsNativeResource(name) && !IsHugePages(name);
}

// One amount of `limits` or `requests`, and its place.
struct AmountPart {
  const Part& resources;
  const Place& place;
  std::string_view name;

  void Invalid(Json value, std::string_view detail) const {
    resources.Add(rules::Invalid(place.Text(), std::move(value), std::string(detail)));
  }
};

void CheckName(const AmountPart& part, Owner owner) {
  const std::string_view name = part.name;
  const std::vector<std::string> faults = CheckQualifiedName(name);
  for (const std::string& fault : faults) part.Invalid(Json(name), fault);
  const bool plain = name.find('/') == name.npos;
  const bool known = !plain || IsPlainName(name);
  if (faults.empty() && !known) {
    part.Invalid(Json(name), "must be a standard resource type or fully qualified");
  }
  if (owner == Owner::kPod) {
    if (!faults.empty() || !known) return;
    if (name != "cpu" && name != "memory" && !IsHugePages(name)) {
      part.resources.Add(
          NotSupported(part.place.Text(), Json(name), {"cpu", "hugepages-", "memory"}));
    }
  } else if (plain) {
    if (!IsStandardResource(name)) {
      part.Invalid(Json(name), "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    part.Invalid(Json(name), "doesn't follow extended resource name standard");
  }
}

void CheckHugePages(const AmountPart& part, const Quantity& amount) {
  const std::optional<Quantity> page = HugePageSize(part.name);
  const bool divisible = page && page->Value() > 0 && IsWhole(*page) &&
                         amount.Value() % page->Value() == 0 && !amount.is_negative();
  if (divisible) return;
  part.Invalid(Json(amount.ToString()),
               StrCat(amount.ToString(), " is not positive integer multiple of ", part.name));
}

// Nothing: there is no amount that could be compared with others.
std::optional<Quantity> CheckAmount(const AmountPart& part, const Json& value) {
  const std::optional<Quantity> amount = QuantityOf(value);
  if (!value.is_number() && !(value.is_string() && amount)) {
    part.Invalid(value,
                 "quantities must match the regular expression "
                 "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    return std::nullopt;
  }
  if (!amount) {
    // A number beyond all that can be counted: servers take the largest amount for it.
    if (value.AsDouble() < 0) part.Invalid(value, "must be greater than or equal to 0");
    return std::nullopt;
  }
  if (amount->is_negative()) {
    part.Invalid(Json(amount->ToString()), "must be greater than or equal to 0");
  }
  if (IsExtendedResource(part.name) && !IsWhole(*amount)) {
    part.Invalid(Json(amount->ToString()), "must be an integer");
  }
  if (IsHugePages(part.name)) CheckHugePages(part, *amount);
  return amount;
}

// Limits by name; nothing: no amount that could be compared with others.
using Limits = std::vector<std::pair<std::string_view, std::optional<Quantity>>>;

void CheckAgainstLimit(const Part& resources, const Limits& limits, std::string_view name,
                       const Quantity& request) {
  const auto given = std::lower_bound(
      limits.begin(), limits.end(), name,
      [](const auto& limit, std::string_view wanted) { return limit.first < wanted; });
  if (given == limits.end() || given->first != name) {
    if (MayBeOvercommitted(name)) return;
    resources.Required("limits", "Limit must be set for non overcommitable resources");
    return;
  }
  const std::optional<Quantity>& limit = given->second;
  if (!limit) return;  // Told of already.
  const auto must_be = [&](std::string_view what) {
    resources.Invalid("requests", Json(request.ToString()),
                      StrCat("must be ", what, " ", name, " limit of ", limit->ToString()));
  };
  if (!(request == *limit) && !MayBeOvercommitted(name)) {
    must_be("equal to");
  } else if (request.Compare(*limit) > 0) {
    must_be("less than or equal to");
  }
}

// Names beyond this length are not listed one by one.
constexpr size_t kKnownBytesMax = 4096;

std::string KnownClaims(const ClaimNames& known) {
  std::string text = "must be one of the names in pod.spec.resourceClaims";
  if (known.empty()) return text + " which is empty";
  std::string_view before = ": ";
  for (const std::string_view one : known) {
    if (text.size() + one.size() > kKnownBytesMax) return text + ", ...";
    StrAppend(&text, before, one);
    before = ", ";
  }
  return text;
}

void CheckClaims(const Part& resources, const ClaimNames& known) {
  std::set<std::string> seen;
  resources.ForEach("claims", [&](const Part& claim, size_t) {
    const std::string name(claim.Text("name"));
    if (name.empty()) return claim.Required("");
    const std::string request(claim.Text("request"));
    const std::string key = request.empty() ? name : StrCat(name, "/", request);
    if (!request.empty()) claim.Invalid("request", request, CheckDnsLabel(request));
    const std::string of_name = StrCat(name, "/");
    const auto near = seen.lower_bound(of_name);
    const bool some_request_of_it = near != seen.end() && near->starts_with(of_name);
    if (seen.contains(name)) {
      claim.Duplicate("", Json(name));
    } else if (seen.contains(key)) {
      claim.Duplicate("", Json(key));
    } else if (request.empty() && some_request_of_it) {
      claim.Duplicate("", Json(name));
    }
    seen.insert(key);
    if (known.contains(name)) return;
    FieldError error = NotFound(claim.at().Text(), Json(name));
    error.detail = KnownClaims(known);
    claim.Add(std::move(error));
  });
}

void CheckAmounts(const Part& resources, Owner owner, const ClaimNames& claims) {
  bool plain = false;
  bool huge = false;
  Limits limits;
  for (const std::string_view list : {"limits", "requests"}) {
    const Place all = resources.at().Field(list);
    for (const auto& [name, value] : resources.Members(list)) {
      const Place place = all.Key(name);
      const AmountPart part{resources, place, name};
      CheckName(part, owner);
      const std::optional<Quantity> amount = CheckAmount(part, *value);
      plain |= name == "cpu" || name == "memory";
      huge |= IsHugePages(name);
      if (list == "limits") limits.emplace_back(name, amount);
      if (amount && list == "requests") CheckAgainstLimit(resources, limits, name, *amount);
    }
  }
  if (huge && !plain) resources.Forbidden("", "HugePages require cpu or memory");
  CheckClaims(resources, claims);
}

using AmountsByName = std::map<std::string, Quantity, std::less<>>;

void Raise(AmountsByName* most, const AmountsByName& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, added] = most->try_emplace(name, amount);
    if (!added && at->second.Compare(amount) < 0) at->second = amount;
  }
}

void AddUp(AmountsByName* sum, const std::string& name, const Quantity& amount) {
  const auto [at, added] = sum->try_emplace(name, amount);
  if (added) return;
  // Beyond all that can be counted it is more than any pod may have.
  at->second = at->second.Plus(amount).value_or(Quantity::FromValue(INT64_MAX));
}

AmountsByName AmountsIn(const Json& container, std::string_view list) {
  AmountsByName amounts;
  for (const auto& [name, value] : container["resources"][list].members()) {
    if (const std::optional<Quantity> amount = QuantityOf(value)) amounts.emplace(name, *amount);
  }
  return amounts;
}

// What all containers ask for at the moment when that is most: init containers run one after the
// other, beside those of them that stay. Cost: one look at each amount.
AmountsByName RequestsOfAll(const Json& spec) {
  AmountsByName all;
  AmountsByName staying;
  AmountsByName starting;
  for (const Json& container : spec["initContainers"].items()) {
    const bool stays = container["restartPolicy"].AsString() == "Always";
    for (const auto& [name, amount] : AmountsIn(container, "requests")) {
      if (stays) {
        AddUp(&all, name, amount);
        AddUp(&staying, name, amount);
        continue;
      }
      AmountsByName moment{{name, amount}};
      if (const auto at = staying.find(name); at != staying.end()) {
        AddUp(&moment, name, at->second);
      }
      Raise(&starting, moment);
    }
  }
  for (const Json& container : spec["containers"].items()) {
    for (const auto& [name, amount] : AmountsIn(container, "requests")) AddUp(&all, name, amount);
  }
  Raise(&all, starting);
  return all;
}

void CheckSums(const Part& spec, const Part& resources) {
  const AmountsByName of_pod = AmountsIn(spec.value(), "requests");
  const Place requests = resources.at().Field("requests");
  for (const auto& [name, sum] : RequestsOfAll(spec.value())) {
    const auto own = of_pod.find(name);
    const Quantity given = own == of_pod.end() ? Quantity() : own->second;
    if (sum.Compare(given) <= 0) continue;
    resources.Add(
        rules::Invalid(requests.Key(name).Text(), Json(given.ToString()),
                       StrCat("must be greater than or equal to aggregate container requests of ",
                              sum.ToString())));
  }
  const AmountsByName limits = AmountsIn(spec.value(), "limits");
  const Place containers = resources.at().Field("containers");
  const Json& list = spec["containers"];
  for (size_t i = 0; i < list.size(); ++i) {
    const Place container = containers.Item(i);
    for (const auto& [name, limit] : AmountsIn(list[i], "limits")) {
      const auto own = limits.find(name);
      if (own == limits.end() || limit.Compare(own->second) <= 0) continue;
      resources.Add(rules::Invalid(
          container.Key(name).Field("limits").Text(), Json(limit.ToString()),
          StrCat("must be less than or equal to pod limits of ", own->second.ToString())));
    }
  }
}

}  // namespace

void CheckContainerResources(const Part& resources, const ClaimNames& claims) {
  CheckAmounts(resources, Owner::kContainer, claims);
}

void CheckPodResources(const Part& spec, const ClaimNames& claims) {
  spec.Within("resources", [&](const Part& resources) {
    if (resources.Has("claims")) {
      resources.Forbidden("claims", "claims cannot be set for Resources at pod-level");
    }
    CheckAmounts(resources, Owner::kPod, claims);
    CheckSums(spec, resources);
  });
}

void CheckOverhead(const Part& spec) {
  for (const auto& [name, value] : spec.Members("overhead")) {
    const Place overhead = spec.at().Field("overhead");
    // Kubernetes' path: overhead is checked as if it were a container's limits.
    const Place limits = overhead.Field("limits");
    const Place place = limits.Key(name);
    const AmountPart part{spec, place, name};
    CheckName(part, Owner::kContainer);
    CheckAmount(part, *value);
  }
}

void CheckResourceClaims(const Part& spec) {
  std::set<std::string_view> seen;
  spec.ForEach("resourceClaims", [&](const Part& claim, size_t) {
    const std::string_view name = claim.Text("name");
    if (name.empty()) {
      claim.Required("name");
    } else if (!seen.insert(name).second) {
      claim.Duplicate("name", Json(name));
    } else {
      claim.Invalid("name", name, CheckDnsLabel(name));
    }
    const bool by_name = claim.Has("resourceClaimName");
    const bool by_template = claim.Has("resourceClaimTemplateName");
    if (by_name && by_template) {
      claim.Invalid("", claim.value(),
                    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                    "specified");
    }
    if (!by_name && !by_template) {
      claim.Invalid("", claim.value(),
                    "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const std::string_view key : {"resourceClaimName", "resourceClaimTemplateName"}) {
      if (!claim.Has(key)) continue;
      const std::string_view of = claim.Text(key);
      claim.Invalid(key, of, CheckDnsSubdomain(of));
    }
  });
}

ClaimNames NamesOfClaims(const Part& spec) {
  ClaimNames names;
  for (const Json& claim : spec["resourceClaims"].items()) {
    if (!claim["name"].AsString().empty()) names.insert(claim["name"].AsString());
  }
  return names;
}

}  // namespace bth::rules
