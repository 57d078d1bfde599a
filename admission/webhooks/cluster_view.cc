#include "admission/webhooks/cluster_view.h"

#include <utility>

#include "base/strings.h"

namespace bth::admission {
namespace {

bool IsOfVolcano(std::string_view key) {
  const std::string_view domain = key.substr(0, key.find('/'));
  return domain.size() < key.size() && (domain == "volcano.sh" || domain.ends_with(".volcano.sh"));
}

}  // namespace

void ClusterView::Unlink(const types::Queue& queue) {
  const auto siblings = children_.find(queue.spec.parent);
  if (siblings == children_.end()) return;
  siblings->second.erase(queue.meta.name);
  if (siblings->second.empty()) children_.erase(siblings);
}

void ClusterView::PutQueue(types::Queue queue) {
  types::Queue& row = queues_[queue.meta.name];
  Unlink(row);
  row = std::move(queue);
  if (!row.spec.parent.empty()) children_[row.spec.parent].insert(row.meta.name);
}

void ClusterView::RemoveQueue(std::string_view name) {
  const auto found = queues_.find(name);
  if (found == queues_.end()) return;
  Unlink(found->second);
  queues_.erase(found);
}

void ClusterView::PutNamespace(const types::ObjectMeta& meta) {
  Annotations kept;
  for (const auto& [key, value] : meta.annotations) {
    if (IsOfVolcano(key)) kept.emplace(key, value);
  }
  if (kept.empty()) return RemoveNamespace(meta.name);
  namespaces_[meta.name] = std::move(kept);
}

void ClusterView::RemoveNamespace(std::string_view name) {
  const auto found = namespaces_.find(name);
  if (found != namespaces_.end()) namespaces_.erase(found);
}

void ClusterView::PutJobTemplate(const types::ObjectMeta& meta, std::string queue) {
  template_queues_[StrCat(meta.ns, "/", meta.name)] = std::move(queue);
}

void ClusterView::RemoveJobTemplate(std::string_view ns, std::string_view name) {
  template_queues_.erase(StrCat(ns, "/", name));
}

void ClusterView::Clear() {
  queues_.clear();
  children_.clear();
  namespaces_.clear();
  template_queues_.clear();
}

const types::Queue* ClusterView::FindQueue(std::string_view name) const {
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : &found->second;
}

std::vector<const types::Queue*> ClusterView::ChildrenOf(std::string_view parent) const {
  std::vector<const types::Queue*> out;
  const auto found = children_.find(parent);
  if (found == children_.end()) return out;
  for (const std::string& name : found->second) out.push_back(FindQueue(name));
  return out;
}

void ClusterView::ForEachQueue(const std::function<bool(const types::Queue&)>& visit) const {
  for (const auto& [name, queue] : queues_) {
    if (!visit(queue)) return;
  }
}

std::optional<std::string> ClusterView::NamespaceAnnotation(std::string_view ns,
                                                            std::string_view key) const {
  const auto row = namespaces_.find(ns);
  if (row == namespaces_.end()) return std::nullopt;
  const auto found = row->second.find(key);
  if (found == row->second.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> ClusterView::JobTemplateQueue(std::string_view ns,
                                                         std::string_view name) const {
  const auto found = template_queues_.find(StrCat(ns, "/", name));
  if (found == template_queues_.end()) return std::nullopt;
  return found->second;
}

}  // namespace bth::admission
