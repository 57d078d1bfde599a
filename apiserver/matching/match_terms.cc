#include "apiserver/matching/match_terms.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/core.h"
#include "apiserver/store/selector.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

bool IsListed(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool IsListedOrAll(const std::vector<std::string>& list, std::string_view what) {
  return IsListed(list, "*") || IsListed(list, what);
}

std::vector<std::string> TextItems(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.emplace_back(item.AsString());
  return texts;
}

bool NamesResource(const std::vector<std::string>& resources, std::string_view plural,
                   std::string_view subresource) {
  return std::any_of(resources.begin(), resources.end(), [&](std::string_view text) {
    const size_t slash = text.find('/');
    const std::string_view resource = text.substr(0, slash);
    const std::string_view sub = slash == text.npos ? "" : text.substr(slash + 1);
    return (resource == "*" || resource == plural) && (sub == "*" || sub == subresource);
  });
}

bool IsInScope(const ResourceRule& rule, const Target& target) {
  const bool in_namespace = !target.write.Is("", "namespaces") && !target.ns.empty();
  if (rule.scope == "Namespaced") return in_namespace;
  return rule.scope != "Cluster" || !in_namespace;
}

types::LabelMap LabelsOf(const Json& object) {
  types::LabelMap labels;
  for (const auto& [key, value] : object["metadata"]["labels"].members()) {
    labels.Set(key, std::string(value.AsString()));
  }
  return labels;
}

// One that cannot be read was refused when it was written; nothing is selected by it.
types::LabelSelector SelectorOrNone(const Json& json) {
  absl::StatusOr<types::LabelSelector> selector = SelectorFromJson(json);
  if (json.is_null()) return {};
  if (selector.ok()) return *std::move(selector);
  types::LabelSelector none;
  none.match_expressions.push_back({"-", types::SelectorOp::kIn, {}});
  return none;
}

std::vector<ResourceRule> ReadRules(const Json& list) {
  std::vector<ResourceRule> rules;
  for (const Json& rule : list.items()) rules.push_back(ReadRule(rule));
  return rules;
}

}  // namespace

ResourceRule ReadRule(const Json& rule) {
  return {TextItems(rule["operations"]),         TextItems(rule["apiGroups"]),
          TextItems(rule["apiVersions"]),        TextItems(rule["resources"]),
          std::string(rule["scope"].AsString()), TextItems(rule["resourceNames"])};
}

bool ResourceRule::Matches(const Target& target, const ResourceType& as) const {
  return IsListedOrAll(operations, target.operation) && IsListedOrAll(groups, as.group) &&
         IsListedOrAll(versions, as.version) &&
         NamesResource(resources, as.plural, target.subresource) && IsInScope(*this, target) &&
         (names.empty() || IsListed(names, target.name));
}

MatchTerms MatchTerms::Read(const Json& terms, std::string_view rules_key, bool rules_may_lack) {
  MatchTerms read;
  read.rules_ = ReadRules(terms[rules_key]);
  read.excluded_ = ReadRules(terms["excludeResourceRules"]);
  read.every_resource_ = rules_may_lack && read.rules_.empty();
  read.equivalent_ = terms["matchPolicy"].AsString() != "Exact";
  read.namespaces_ = SelectorOrNone(terms["namespaceSelector"]);
  read.objects_ = SelectorOrNone(terms["objectSelector"]);
  return read;
}

bool MatchTerms::MayMatch(const WriteContext& write) const {
  if (every_resource_) return true;
  const Target target = TargetOf(write);
  return std::any_of(rules_.begin(), rules_.end(), [&](const ResourceRule& rule) {
    if (!equivalent_) return rule.Matches(target, *write.type);
    // Versions of one resource have the same name, be it in different groups.
    return IsListedOrAll(rule.operations, target.operation) &&
           NamesResource(rule.resources, write.type->plural, target.subresource);
  });
}

ResourceTypePtr MatchTerms::FindRule(const Core& core, const Target& target) const {
  const ResourceTypePtr& type = target.write.type;
  auto any = [&](const std::vector<ResourceRule>& rules, const ResourceType& as) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const ResourceRule& rule) { return rule.Matches(target, as); });
  };
  if (any(excluded_, *type)) return nullptr;
  if (every_resource_ || any(rules_, *type)) return type;
  if (!equivalent_ || !MayMatch(target.write)) return nullptr;
  for (const ResourceTypePtr& other : core.registry.All()) {
    if (other->collection != type->collection || other == type || other->virtual_only) continue;
    if (any(excluded_, *other)) return nullptr;
    if (any(rules_, *other)) return other;
  }
  return nullptr;
}

absl::StatusOr<bool> MatchTerms::SelectsNamespace(const Core& core, const Target& target) const {
  if (namespaces_.empty()) return true;
  const WriteContext& write = target.write;
  const bool is_namespace = write.Is("", "namespaces");
  // What belongs to no namespace is never left out by one.
  if (target.ns.empty() && !is_namespace) return true;
  if (is_namespace && target.subresource.empty() && write.operation != Operation::kDelete) {
    return namespaces_.Matches(LabelsOf(write.object));
  }
  const ObjectPtr ns = core.store->Find("namespaces")->Get({"", std::string(target.ns)});
  if (ns == nullptr) {
    return NotFound({"", "namespaces", "Namespace", std::string(target.ns)});
  }
  return namespaces_.Matches(ns->labels);
}

bool MatchTerms::SelectsObject(const Target& target) const {
  if (objects_.empty()) return true;
  const WriteContext& write = target.write;
  // A Scale has no labels.
  if (target.subresource == "scale") return objects_.Matches({});
  if (write.operation != Operation::kDelete && objects_.Matches(LabelsOf(write.object))) {
    return true;
  }
  return write.old.has_value() && objects_.Matches(LabelsOf(*write.old));
}

absl::StatusOr<ResourceTypePtr> MatchTerms::Match(const Core& core, const Target& target) const {
  ResourceTypePtr as = FindRule(core, target);
  if (as == nullptr || !SelectsObject(target)) return ResourceTypePtr();
  BTH_ASSIGN_OR_RETURN(const bool selected, SelectsNamespace(core, target));
  return selected ? as : ResourceTypePtr();
}

}  // namespace bth::apiserver
