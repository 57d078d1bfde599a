#include "admission/rules/queue_parent.h"

#include <string>
#include <string_view>

#include "base/strings.h"

namespace bth::admission {
namespace {

// Deeper than any limit somebody sets; ends circles among queues that are already there.
constexpr int kAncestorsMax = 100'000;

std::optional<Verdict> CheckAncestors(const types::Queue& queue, int depth_max,
                                      const Known& known) {
  const std::string& name = queue.meta.name;
  int depth = 1;
  for (std::string_view at = queue.spec.parent; !at.empty() && at != kRootQueue;) {
    const types::Queue* ancestor = known.FindQueue(at);
    if (ancestor == nullptr) {
      return Verdict::Refuse(
          "queue_parent_not_found",
          StrCat("failed to get parent queue ", at, " of queue ", name, ": ", QueueNotFound(at)));
    }
    if (at == name) {
      return Verdict::Refuse("queue_circle", StrCat("queue ", name, " cannot use its descendant ",
                                                    queue.spec.parent, " as parent"));
    }
    if (++depth > depth_max || depth > kAncestorsMax) {
      return Verdict::Refuse(
          "queue_too_deep",
          StrCat("queue ", name, " exceeds the maximum allowed depth of ", depth_max));
    }
    at = ancestor->spec.parent;
  }
  return std::nullopt;
}

}  // namespace

int64_t AllocatedPods(const types::Queue& queue) {
  const types::Quantity* pods = queue.status.allocated.Find("pods");
  return pods == nullptr ? 0 : pods->Value();
}

std::optional<Verdict> CheckParent(const types::Queue& queue, int depth_max, const Known& known) {
  const std::string& name = queue.meta.name;
  const std::string& parent = queue.spec.parent;
  if (parent.empty() || parent == kRootQueue) return std::nullopt;
  if (parent == name) {
    return Verdict::Refuse("queue_own_parent",
                           StrCat("queue ", name, " cannot use itself as parent"));
  }
  if (auto refused = CheckAncestors(queue, depth_max, known); refused.has_value()) return refused;
  const types::Queue* found = known.FindQueue(parent);
  const int64_t pods = found == nullptr ? 0 : AllocatedPods(*found);
  if (pods == 0 || !known.ChildrenOf(parent).empty()) return std::nullopt;
  return Verdict::Refuse("queue_parent_has_pods",
                         StrCat("queue ", parent, " cannot be the parent queue of queue ", name,
                                " because it has allocated Pods: ", pods));
}

}  // namespace bth::admission
