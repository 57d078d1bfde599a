#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/queue_fields.h"
#include "admission/rules/queue_hierarchy.h"
#include "admission/rules/queue_parent.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/rules/field_error.h"
#include "api/types/queue.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::Queue;

bool SameAmounts(const types::QueueSpec& a, const types::QueueSpec& b) {
  return a.capability == b.capability && a.deserved == b.deserved && a.guarantee == b.guarantee;
}

// `before` is null when the queue is made.
Verdict ReviewQueue(const Queue& queue, const Queue* before, const Settings& settings,
                    const Known& known) {
  if (const auto errors = CheckQueueFields(queue, before, known); !errors.empty()) {
    return Verdict::Refuse("queue_fields", rules::Aggregate(errors));
  }
  const bool moved = before == nullptr || before->spec.parent != queue.spec.parent;
  if (moved) {
    auto refused = CheckParent(queue, settings.max_queue_depth, known);
    if (refused.has_value()) return *std::move(refused);
  }
  const bool resized = before == nullptr || !SameAmounts(before->spec, queue.spec);
  const bool is_root = queue.meta.name == kRootQueue;
  if (is_root && before != nullptr && resized && settings.protect_root_queue) {
    return Verdict::Refuse("root_queue",
                           "root queue's resource attributes (capability, deserved, guarantee) "
                           "cannot be modified");
  }
  if (!is_root && (moved || resized)) {
    auto refused = CheckHierarchy(queue, known);
    if (refused.has_value()) return *std::move(refused);
  }
  return Verdict::Allow();
}

constexpr size_t kChildrenShown = 100;

Verdict ReviewDeletion(const std::string& name, const Settings& settings, const Known& known) {
  if (name == "default" || name == kRootQueue) {
    return Verdict::Refuse("queue_kept", StrCat("`", name, "` queue can not be deleted"));
  }
  const Queue* queue = known.FindQueue(name);
  if (queue == nullptr) return Verdict::Refuse("queue_not_found", QueueNotFound(name));
  const int64_t pods = AllocatedPods(*queue);
  if (settings.check_allocated_pods && pods != 0) {
    return Verdict::Refuse(
        "queue_has_pods",
        StrCat("queue ", name, " cannot be deleted because it has allocated Pods: ", pods));
  }
  const std::vector<const Queue*> children = known.ChildrenOf(name);
  if (children.empty()) return Verdict::Allow();
  std::string names;
  for (size_t i = 0; i < children.size() && i < kChildrenShown; ++i) {
    StrAppend(&names, i == 0 ? "" : ", ", children[i]->meta.name);
  }
  if (children.size() > kChildrenShown) names.append(", ...");
  return Verdict::Refuse("queue_has_children",
                         StrCat("queue ", name, " can not be deleted because it has ",
                                children.size(), " child queues: ", names));
}

}  // namespace

Verdict ValidateQueue(const Request& request, const Settings& settings, const Known& known) {
  const absl::StatusOr<Queue> queue = ReadObject<Queue>(request);
  if (!queue.ok()) return RefuseUnreadable(queue.status());
  if (request.operation == "CREATE") return ReviewQueue(*queue, nullptr, settings, known);
  if (request.operation == "UPDATE") {
    const absl::StatusOr<Queue> before = ReadOldObject<Queue>(request);
    if (!before.ok()) return RefuseUnreadable(before.status());
    return ReviewQueue(*queue, &*before, settings, known);
  }
  if (request.operation == "DELETE") {
    const absl::StatusOr<Queue> gone = ReadOldObject<Queue>(request);
    // A collection is deleted without a name; the object tells it.
    const bool named = !request.name.empty() || !gone.ok();
    return ReviewDeletion(named ? request.name : gone->meta.name, settings, known);
  }
  return Verdict::Refuse("operation",
                         StrCat("invalid operation `", request.operation,
                                "`, expect operation to be `CREATE`, `UPDATE` or `DELETE`"));
}

}  // namespace bth::admission
