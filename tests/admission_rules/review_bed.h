// Queues, namespaces and settings to ask webhooks against, from short texts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/paths.h"
#include "api/types/fragment.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::test {

// The obvious Known: every look goes over all queues by name.
class PlainKnown final : public admission::Known {
 public:
  // `spec` and `status` are the members of those, without their brackets: `"parent":"a"`.
  PlainKnown& Queue(std::string_view name, std::string_view spec = {}, std::string_view status = {},
                    std::string_view annotations = {}) {
    return Add(StrCat(R"({"metadata":{"name":")", name, R"(","annotations":{)", annotations,
                      R"(}},"spec":{)", spec, R"(},"status":{)", status, "}}"));
  }
  PlainKnown& Add(std::string_view document) {
    const auto json = types::Json::Parse(document);
    BTH_CHECK(json.ok());
    auto queue = types::FragmentFromJson<types::Queue>(*json);
    BTH_CHECK(queue.ok());
    std::string name = queue->meta.name;
    queues_.insert_or_assign(std::move(name), *std::move(queue));
    by_parent_.clear();
    return *this;
  }
  PlainKnown& Namespace(std::string name, std::string key, std::string value) {
    namespaces_[std::move(name)][std::move(key)] = std::move(value);
    return *this;
  }
  // A job template of that namespace; "" as it is written.
  PlainKnown& Template(std::string_view ns, std::string_view name, std::string queue) {
    templates_[StrCat(ns, "/", name)] = std::move(queue);
    return *this;
  }

  const types::Queue* FindQueue(std::string_view name) const override {
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : &found->second;
  }
  std::vector<const types::Queue*> ChildrenOf(std::string_view parent) const override {
    // Worlds with thousands of queues would take too long otherwise.
    if (by_parent_.empty()) {
      for (const auto& [name, queue] : queues_) by_parent_[queue.spec.parent].push_back(&queue);
    }
    const auto found = parent.empty() ? by_parent_.end() : by_parent_.find(parent);
    return found == by_parent_.end() ? std::vector<const types::Queue*>() : found->second;
  }
  void ForEachQueue(const std::function<bool(const types::Queue&)>& visit) const override {
    for (const auto& [name, queue] : queues_) {
      if (!visit(queue)) return;
    }
  }
  std::optional<std::string> NamespaceAnnotation(std::string_view ns,
                                                 std::string_view key) const override {
    const auto found = namespaces_.find(ns);
    if (found == namespaces_.end()) return std::nullopt;
    const auto value = found->second.find(key);
    if (value == found->second.end()) return std::nullopt;
    return value->second;
  }
  std::optional<std::string> JobTemplateQueue(std::string_view ns,
                                              std::string_view name) const override {
    const auto found = templates_.find(StrCat(ns, "/", name));
    if (found == templates_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, types::Queue, std::less<>> queues_;
  mutable std::map<std::string, std::vector<const types::Queue*>, std::less<>> by_parent_;
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> namespaces_;
  std::map<std::string, std::string, std::less<>> templates_;  // Queues by namespace/name.
};

// One question, and the documents it holds.
struct Asked {
  std::string path;
  std::string operation = "CREATE";
  std::string object = "null";
  std::string old_object = "null";
  std::string name = "";
  std::string ns = "default";
};

inline admission::Verdict Ask(const Asked& asked, const admission::Known& known,
                              const admission::Settings& settings = {}) {
  const admission::Webhook* webhook = admission::FindWebhook(asked.path);
  BTH_CHECK(webhook != nullptr);
  const auto object = types::Json::Parse(asked.object);
  const auto old_object = types::Json::Parse(asked.old_object);
  BTH_CHECK(object.ok() && old_object.ok());
  admission::Request request;
  request.uid = "u";
  request.operation = asked.operation;
  request.resource = {std::string(webhook->group), std::string(webhook->version),
                      std::string(webhook->resource)};
  request.name = asked.name;
  request.ns = asked.ns;
  request.object = &*object;
  request.old_object = &*old_object;
  admission::Verdict verdict = admission::Review(*webhook, request, settings, known);
  // The same of a document that the rule may take apart.
  types::Json spare = *object;
  request.object = &spare;
  request.spare = &spare;
  const admission::Verdict again = admission::Review(*webhook, request, settings, known);
  BTH_CHECK(again.allowed == verdict.allowed && again.message == verdict.message);
  BTH_CHECK(again.reason == verdict.reason && again.patch.has_value() == verdict.patch.has_value());
  BTH_CHECK(!verdict.patch.has_value() ||
            admission::ToJson(*again.patch).Dump() == admission::ToJson(*verdict.patch).Dump());
  BTH_CHECK(!verdict.patch.has_value() ||
            admission::ToText(*verdict.patch) == admission::ToJson(*verdict.patch).Dump());
  return verdict;
}

// "allowed", or the message.
inline std::string Told(const admission::Verdict& verdict) {
  return verdict.allowed ? "allowed" : verdict.message;
}

// "none": neither patch nor patchType.
inline std::string PatchText(const admission::Verdict& verdict) {
  return verdict.patch.has_value() ? admission::ToJson(*verdict.patch).Dump() : "none";
}

}  // namespace bth::test
