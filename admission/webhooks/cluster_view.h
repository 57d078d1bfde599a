// Queues, namespaces and job templates as rules ask for them, whoever tells of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/known.h"
#include "api/types/meta.h"
#include "api/types/queue.h"

namespace bth::admission {

// Of a namespace the annotations are kept whose key's domain is volcano.sh or below it: no rule
// asks for another, and namespaces are many. Of a job template its queue is kept. Thread: one.
class ClusterView final : public Known {
 public:
  void PutQueue(types::Queue queue);
  void RemoveQueue(std::string_view name);
  void PutNamespace(const types::ObjectMeta& meta);
  void RemoveNamespace(std::string_view name);
  void PutJobTemplate(const types::ObjectMeta& meta, std::string queue);
  void RemoveJobTemplate(std::string_view ns, std::string_view name);
  void Clear();

  const types::Queue* FindQueue(std::string_view name) const override;
  std::vector<const types::Queue*> ChildrenOf(std::string_view parent) const override;
  void ForEachQueue(const std::function<bool(const types::Queue&)>& visit) const override;
  std::optional<std::string> NamespaceAnnotation(std::string_view ns,
                                                 std::string_view key) const override;
  std::optional<std::string> JobTemplateQueue(std::string_view ns,
                                              std::string_view name) const override;

  size_t queues() const { return queues_.size(); }
  // Namespaces that have an annotation worth keeping.
  size_t namespaces() const { return namespaces_.size(); }

 private:
  using Names = std::set<std::string, std::less<>>;
  using Annotations = std::map<std::string, std::string, std::less<>>;

  void Unlink(const types::Queue& queue);

  std::map<std::string, types::Queue, std::less<>> queues_;
  std::map<std::string, Names, std::less<>> children_;  // By parent; none is empty.
  std::map<std::string, Annotations, std::less<>> namespaces_;
  std::map<std::string, std::string, std::less<>> template_queues_;  // By namespace/name.
};

}  // namespace bth::admission
