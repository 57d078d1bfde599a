// Requests of tests, and a cluster of queues that rules may look at.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/known.h"
#include "admission/rules/request.h"
#include "api/types/json.h"
#include "tests/support/catch.h"

namespace bth::admission::testing {

inline Json ReadJson(const std::string& text) {
  const absl::StatusOr<Json> json = Json::Parse(text);
  INFO(text << ": " << json.status().ToString());
  REQUIRE(json.ok());
  return *json;
}

class FakeCluster final : public Known {
 public:
  // `state` as it is written; "" for a queue that no controller has seen.
  void AddQueue(std::string name, std::string parent = "", std::string state = "Open") {
    types::Queue queue;
    queue.meta.name = name;
    queue.spec.parent = std::move(parent);
    queue.status.state = std::move(state);
    queues_[name] = std::move(queue);
  }

  const types::Queue* FindQueue(std::string_view name) const override {
    const auto at = queues_.find(name);
    return at == queues_.end() ? nullptr : &at->second;
  }
  std::vector<const types::Queue*> ChildrenOf(std::string_view parent) const override {
    std::vector<const types::Queue*> children;
    for (const auto& [name, queue] : queues_) {
      if (!parent.empty() && queue.spec.parent == parent) children.push_back(&queue);
    }
    return children;
  }
  void ForEachQueue(const std::function<bool(const types::Queue&)>& visit) const override {
    for (const auto& [name, queue] : queues_) {
      if (!visit(queue)) return;
    }
  }
  std::optional<std::string> NamespaceAnnotation(std::string_view,
                                                 std::string_view) const override {
    return std::nullopt;
  }

 private:
  std::map<std::string, types::Queue, std::less<>> queues_;
};

// Holds the documents of a request.
class Asked final {
 public:
  explicit Asked(std::string operation, const std::string& object, const std::string& old = "")
      : object_(ReadJson(object)) {
    request_.operation = std::move(operation);
    request_.ns = "ns";
    request_.object = &object_;
    if (old.empty()) return;
    old_ = ReadJson(old);
    request_.old_object = &old_;
  }
  Asked(const Asked&) = delete;

  const Request& request() const { return request_; }

 private:
  Json object_;
  Json old_;
  Request request_;
};

// "add /spec/queue \"default\"" for each operation.
inline std::vector<std::string> PatchTexts(const Verdict& verdict) {
  std::vector<std::string> texts;
  if (!verdict.patch.has_value()) return texts;
  for (const PatchOperation& operation : *verdict.patch) {
    texts.push_back(operation.op + " " + operation.path + " " + operation.value.Dump());
  }
  return texts;
}

}  // namespace bth::admission::testing
