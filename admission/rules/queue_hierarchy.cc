#include "admission/rules/queue_hierarchy.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/amounts.h"
#include "admission/rules/queue_parent.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::Queue;

// What a queue says of each resource it limits itself, and what was found about that elsewhere.
struct Capability {
  Amount own = 0;
  Amount other = 0;  // 0: nobody says anything.
  int hidden = 0;    // Queues on the way down that speak for those below them.
};
using Capabilities = PerResource<Capability>;

Capabilities CapabilitiesOf(const Queue& queue) {
  Capabilities capabilities;
  for (const auto& [name, amount] : AmountsOf(queue.spec.capability)) {
    if (amount > 0) capabilities[name].own = amount;
  }
  return capabilities;
}

// Calls visit(capability) for each resource that both `queue` and `capabilities` limit.
template <class Visit>
void ForEachShared(const Queue& queue, Capabilities& capabilities, const Visit& visit) {
  for (const auto& [name, quantity] : queue.spec.capability) {
    const auto found = capabilities.find(name);
    if (found == capabilities.end()) continue;
    const std::optional<Amount> amount = AmountOf(name, quantity);
    if (amount.has_value() && *amount > 0) visit(found->second, *amount);
  }
}

std::optional<Verdict> CheckAbove(const Queue& queue, const Known& known) {
  Capabilities capabilities = CapabilitiesOf(queue);
  std::set<std::string_view> seen = {queue.meta.name};
  for (std::string_view at = queue.spec.parent; !at.empty() && at != kRootQueue;) {
    const Queue* ancestor = seen.insert(at).second ? known.FindQueue(at) : nullptr;
    if (ancestor == nullptr) break;
    ForEachShared(*ancestor, capabilities, [](Capability& one, Amount amount) {
      if (one.other == 0) one.other = amount;
    });
    at = ancestor->spec.parent;
  }
  for (const auto& [name, one] : capabilities) {
    if (one.other == 0 || one.own <= one.other) continue;
    return Verdict::Refuse(
        "queue_capability_over_ancestor",
        StrCat("queue ", queue.meta.name, " capability[", name, "]=", AmountText(name, one.own),
               " exceeds its ancestor's capability=", AmountText(name, one.other)));
  }
  return std::nullopt;
}

// One queue on the way from the top of a sub-tree to the queue that is looked at.
struct Step {
  const Queue* queue = nullptr;
  std::vector<const Queue*> children;
  size_t next = 0;
};

// Fills in the largest amount among the descendants of `queue` that speak for themselves.
void LookBelow(const Queue& queue, std::vector<const Queue*> children, const Known& known,
               Capabilities* capabilities) {
  std::set<std::string_view> seen = {queue.meta.name};
  std::vector<Step> way;
  way.push_back({nullptr, std::move(children)});
  while (!way.empty()) {
    Step& last = way.back();
    if (last.next < last.children.size()) {
      const Queue* child = last.children[last.next++];
      if (!seen.insert(child->meta.name).second) continue;
      ForEachShared(*child, *capabilities, [](Capability& one, Amount amount) {
        if (one.hidden++ == 0 && amount > one.other) one.other = amount;
      });
      way.push_back({child, known.ChildrenOf(child->meta.name)});
      continue;
    }
    if (last.queue != nullptr) {
      ForEachShared(*last.queue, *capabilities, [](Capability& one, Amount) { --one.hidden; });
    }
    way.pop_back();
  }
}

std::optional<Verdict> CheckBelow(const Queue& queue, std::vector<const Queue*> children,
                                  const Known& known) {
  Capabilities capabilities = CapabilitiesOf(queue);
  if (capabilities.empty()) return std::nullopt;
  LookBelow(queue, std::move(children), known, &capabilities);
  for (const auto& [name, one] : capabilities) {
    if (one.own >= one.other) continue;
    return Verdict::Refuse(
        "queue_capability_under_descendant",
        StrCat("queue ", queue.meta.name, " capability[", name, "]=", AmountText(name, one.own),
               " is smaller than its descendants' max capability=", AmountText(name, one.other)));
  }
  return std::nullopt;
}

Verdict SumExceeds(std::string_view who, std::string_view what, const SumWithin& sum) {
  return Verdict::Refuse(
      "queue_children_over_parent",
      StrCat(who, " validation failed: sum of children's ", what, " (", AmountsText(sum.sum()),
             ") exceeds parent's ", what, " limit (", AmountsText(sum.limit()), ")"));
}

// The children of `parent`, but `replaced` in place of the one that has its name, and last.
std::optional<Verdict> CheckSums(const Queue& parent, const std::vector<const Queue*>& children,
                                 const Queue* replaced, std::string_view who) {
  SumWithin guarantee(parent.spec.guarantee);
  SumWithin deserved(parent.spec.deserved);
  std::optional<Verdict> refused;
  const auto add = [&](const Queue& child) {
    if (!guarantee.Add(child.spec.guarantee)) {
      refused = SumExceeds(who, "guarantee", guarantee);
    } else if (!deserved.Add(child.spec.deserved)) {
      refused = SumExceeds(who, "deserved", deserved);
    }
    return !refused.has_value();
  };
  for (const Queue* child : children) {
    if (replaced != nullptr && child->meta.name == replaced->meta.name) continue;
    if (!add(*child)) return refused;
  }
  if (replaced != nullptr) add(*replaced);
  return refused;
}

}  // namespace

std::optional<Verdict> CheckHierarchy(const Queue& queue, const Known& known) {
  const std::string& parent_name = queue.spec.parent;
  if (!parent_name.empty() && parent_name != kRootQueue) {
    const Queue* parent = known.FindQueue(parent_name);
    if (parent == nullptr) {
      return Verdict::Refuse(
          "queue_parent_not_found",
          StrCat("parent queue ", parent_name, " not found: ", QueueNotFound(parent_name)));
    }
    if (auto refused = CheckAbove(queue, known); refused.has_value()) return refused;
    const std::string who = StrCat("parent queue ", parent_name);
    auto refused = CheckSums(*parent, known.ChildrenOf(parent_name), &queue, who);
    if (refused.has_value()) return refused;
  }
  const std::vector<const Queue*> children = known.ChildrenOf(queue.meta.name);
  if (children.empty()) return std::nullopt;
  if (auto refused = CheckBelow(queue, children, known); refused.has_value()) return refused;
  return CheckSums(queue, children, nullptr, StrCat("queue ", queue.meta.name));
}

}  // namespace bth::admission
