#include "cli/explain/queues_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "api/types/quantity.h"
#include "base/strings.h"
#include "cli/print/bars.h"
#include "cli/print/tree.h"
#include "cli/text/object.h"
#include "cli/text/padded.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr int kBarColumns = 24;

struct GroupCounts {
  int64_t running = 0;
  int64_t admitted = 0;  // Inqueue: they have pods and wait for places.
  int64_t waiting = 0;   // Pending, or without a phase.
};

std::map<std::string, GroupCounts> CountGroups(const std::vector<Json>& pod_groups) {
  std::map<std::string, GroupCounts> counts;
  for (const Json& group : pod_groups) {
    GroupCounts& of_queue = counts[std::string(group.At({"spec", "queue"}).AsString("default"))];
    const std::string_view phase = group.At({"status", "phase"}).AsString();
    if (phase == "Running" || phase == "Unknown") ++of_queue.running;
    if (phase == "Inqueue") ++of_queue.admitted;
    if (phase == "Pending" || phase.empty()) ++of_queue.waiting;
  }
  return counts;
}

std::string ParentOf(const Json& queue) {
  const std::string_view name = NameIn(queue);
  const std::string_view parent = queue.At({"spec", "parent"}).AsString();
  if (!parent.empty() || name == "root") return std::string(parent);
  return "root";
}

// The queue, those below it and those above it.
std::set<std::string> Family(const std::vector<Json>& queues, const std::string& name) {
  std::map<std::string, std::string> parents;
  for (const Json& queue : queues) parents[std::string(NameIn(queue))] = ParentOf(queue);
  const auto is_below = [&](std::string at, const std::string& above) {
    for (size_t steps = 0; steps <= parents.size() && !at.empty(); ++steps) {
      if (at == above) return true;
      const auto found = parents.find(at);
      at = found == parents.end() ? "" : found->second;
    }
    return false;
  };
  std::set<std::string> family;
  for (const auto& [other, parent] : parents) {
    if (is_below(other, name) || is_below(name, other)) family.insert(other);
  }
  return family;
}

struct Amount {
  std::string text;
  double value = 0;
};

std::optional<Amount> AmountIn(const Json& amounts, const std::string& resource) {
  const Json& amount = amounts[resource];
  std::string text(amount.AsString());
  if (amount.is_int()) text = StrCat(amount.AsInt());
  if (text.empty()) return std::nullopt;
  const auto quantity = types::Quantity::Parse(text);
  if (!quantity.ok()) return std::nullopt;
  return Amount{std::move(text), quantity->ApproximateValue()};
}

// CPU and memory first, then by name; pods are left out.
std::vector<std::string> ResourcesOf(const Json& queue, const Json& page) {
  std::set<std::string> names;
  for (const Json* amounts :
       {&queue.At({"status", "allocated"}), &queue.At({"spec", "deserved"}),
        &queue.At({"spec", "guarantee", "resource"}), &queue.At({"spec", "capability"})}) {
    for (const Json::Member& member : amounts->members()) names.insert(member.first);
  }
  // There each amount is told, also of nothing.
  for (const Json* amounts : {&page["pending"], &page["deserved"]}) {
    for (const Json::Member& member : amounts->members()) {
      const auto amount = AmountIn(*amounts, member.first);
      if (amount && amount->value > 0) names.insert(member.first);
    }
  }
  std::vector<std::string> out;
  for (const char* first : {"cpu", "memory"}) {
    if (names.erase(first) > 0) out.emplace_back(first);
  }
  names.erase("pods");
  out.insert(out.end(), names.begin(), names.end());
  return out;
}

std::optional<double> ValueOf(const std::optional<Amount>& amount) {
  if (!amount) return std::nullopt;
  return amount->value;
}

// A queue as objects have it, and as the last cycle had it; null: nobody said.
struct QueueSides {
  const Json& object;
  const Json& page;
};

// Most queues are given what they deserve by the scheduler alone.
std::optional<Amount> DeservedBy(const QueueSides& queue, const std::string& resource) {
  const auto told = AmountIn(queue.page["deserved"], resource);
  return told && told->value > 0 ? told : AmountIn(queue.object.At({"spec", "deserved"}), resource);
}

std::string ResourceLine(const QueueSides& sides, const std::string& resource, size_t name_width,
                         const Terminal& terminal) {
  const Json& queue = sides.object;
  const auto used = AmountIn(queue.At({"status", "allocated"}), resource);
  const auto deserved = DeservedBy(sides, resource);
  const auto asked = AmountIn(sides.page["pending"], resource);
  const auto guarantee = AmountIn(queue.At({"spec", "guarantee", "resource"}), resource);
  const auto capability = AmountIn(queue.At({"spec", "capability"}), resource);
  const BarAmounts amounts = {.used = used ? used->value : 0,
                              .deserved = ValueOf(deserved),
                              .capability = ValueOf(capability)};
  const BarStyle style = {.width = kBarColumns, .utf8 = terminal.utf8, .colour = terminal.colour};
  std::string line =
      StrCat(Padded(resource, name_width), BarText(amounts, style), " ", used ? used->text : "0");
  if (deserved) StrAppend(&line, ", deserves ", deserved->text);
  if (guarantee) StrAppend(&line, ", guaranteed ", guarantee->text);
  if (capability) StrAppend(&line, ", at most ", capability->text);
  if (asked && asked->value > 0) StrAppend(&line, ", asks for ", asked->text);
  return line;
}

std::string QueueLine(const Json& queue, const GroupCounts& counts) {
  const std::string_view state = queue.At({"status", "state"}).AsString();
  return StrCat(NameIn(queue), ": ", state.empty() ? "no state yet" : state, ", weight ",
                queue.At({"spec", "weight"}).AsInt(1), "; pod groups: ", counts.running,
                " running, ", counts.admitted, " admitted, ", counts.waiting, " waiting");
}

// What stands before the lines of resources: the branch goes on to siblings below.
std::string Continued(std::string_view prefix, bool utf8) {
  constexpr size_t kSignColumns = 3;
  if (prefix.empty()) return "";
  const std::string_view inner = utf8 ? "├─ " : "+- ";
  const std::string_view last = utf8 ? "└─ " : "`- ";
  const bool goes_on = prefix.ends_with(inner);
  prefix.remove_suffix(goes_on ? inner.size() : last.size());
  return StrCat(prefix, goes_on ? (utf8 ? "│" : "|") : " ", std::string(kSignColumns - 1, ' '));
}

}  // namespace

std::map<std::string, Json> PagesByQueue(const Json& page) {
  std::map<std::string, Json> pages;
  for (const Json& queue : page.items()) {
    pages.emplace(std::string(queue["name"].AsString()), queue);
  }
  return pages;
}

absl::StatusOr<std::string> ExplainQueuesText(const QueueFacts& facts, const std::string& name,
                                              const Terminal& terminal) {
  std::set<std::string> family;
  if (!name.empty()) {
    family = Family(facts.queues, name);
    if (!family.contains(name)) {
      return absl::NotFoundError(StrCat("queues.scheduling.volcano.sh \"", name, "\" not found"));
    }
  }
  std::vector<const Json*> shown;
  std::vector<TreeNode> nodes;
  for (const Json& queue : facts.queues) {
    if (!name.empty() && !family.contains(std::string(NameIn(queue)))) continue;
    shown.push_back(&queue);
    nodes.push_back({std::string(NameIn(queue)), ParentOf(queue)});
  }
  const std::map<std::string, GroupCounts> counts = CountGroups(facts.pod_groups);
  static const Json kNotTold;
  std::string out;
  for (const TreeLine& line : TreeLines(nodes, terminal.utf8)) {
    const Json& queue = *shown[line.node];
    const auto found = counts.find(nodes[line.node].name);
    StrAppend(&out, line.prefix,
              QueueLine(queue, found == counts.end() ? GroupCounts{} : found->second), "\n");
    const auto told = facts.pages.find(nodes[line.node].name);
    const QueueSides sides{queue, told == facts.pages.end() ? kNotTold : told->second};
    const std::vector<std::string> resources = ResourcesOf(queue, sides.page);
    size_t name_width = 0;
    for (const std::string& resource : resources) {
      name_width = std::max(name_width, resource.size() + 1);
    }
    for (const std::string& resource : resources) {
      StrAppend(&out, Continued(line.prefix, terminal.utf8), "  ",
                ResourceLine(sides, resource, name_width, terminal), "\n");
    }
  }
  if (!out.empty()) StrAppend(&out, "\n", BarLegend(terminal.utf8), "\n");
  return out;
}

}  // namespace bth::cli
