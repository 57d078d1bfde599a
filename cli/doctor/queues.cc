#include "cli/doctor/queues.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kNamesTold = 5;

// The first ones in order, and how many more there are.
std::string SomeOf(const std::set<std::string>& names) {
  std::vector<std::string> told(names.begin(), names.end());
  const size_t more = told.size() - std::min(told.size(), kNamesTold);
  told.resize(told.size() - more);
  return StrCat(absl::StrJoin(told, ", "), more > 0 ? StrCat(" and ", more, " more") : "");
}

class QueueDoctor final {
 public:
  QueueDoctor(const ObjectsRead& queues, const ObjectsRead& pod_groups, std::vector<Point>* points)
      : area_("queues", points), pod_groups_(pod_groups) {
    for (const Json& queue : queues.items) queues_.emplace(NameIn(queue), &queue);
  }

  void Check(const Amounts& allocatable) {
    CheckStanding();
    CheckParents();
    for (const auto& [name, queue] : queues_) {
      CheckAmounts(name, *queue);
      CheckState(name, *queue);
    }
    CheckGuarantees(allocatable);
    if (count_told_ == 0) area_.Ok("all", StrCat(queues_.size(), " queues, a tree without faults"));
  }

 private:
  void Warn(const std::string& name, const std::string& found, const std::string& remedy) {
    ++count_told_;
    area_.Warning(name, found, remedy);
  }
  void Fail(const std::string& name, const std::string& found, const std::string& remedy) {
    ++count_told_;
    area_.Fault(name, found, remedy);
  }

  std::string ParentOf(const std::string& name) const {
    return std::string(queues_.at(name)->At({"spec", "parent"}).AsString());
  }

  void CheckStanding() {
    for (const char* name : {"root", "default"}) {
      if (queues_.contains(name)) continue;
      Warn(name, "does not exist", "start the scheduler: it makes this queue when it starts");
    }
  }

  void CheckParents() {
    std::set<std::string> without;
    for (const auto& [name, queue] : queues_) {
      if (name == "root") continue;
      const std::string parent = ParentOf(name);
      if (parent.empty()) {
        without.insert(name);
      } else if (!queues_.contains(parent)) {
        Fail(name,
             StrCat("its parent ", parent, " does not exist: with a hierarchy it takes no jobs"),
             StrCat("create ", parent, ", or give ", name, " another parent"));
      } else if (const std::vector<std::string> circle = CircleOf(name); !circle.empty()) {
        Fail(name, StrCat("its parents go round in a circle: ", absl::StrJoin(circle, " > ")),
             "give one of them another parent");
      }
    }
    // The queue controller writes root there.
    without.erase("default");
    if (without.empty()) return;
    Warn(without.size() == 1 ? *without.begin() : StrCat(without.size(), " queues"),
         StrCat("without a parent, so below root: ", SomeOf(without)),
         "nothing, once the queue controller has looked at them");
  }

  // The way from a queue back to itself; empty: there is none.
  std::vector<std::string> CircleOf(const std::string& name) const {
    std::vector<std::string> way = {name};
    for (std::string at = ParentOf(name); queues_.contains(at); at = ParentOf(at)) {
      way.push_back(at);
      if (at == name) return way;
      if (way.size() > queues_.size()) break;  // A circle that begins higher up, told there.
    }
    return {};
  }

  void CheckAmounts(const std::string& name, const Json& queue) {
    const Amounts capability = AmountsIn(queue.At({"spec", "capability"}));
    for (const char* resource : {"cpu", "memory"}) {
      const auto limit = capability.find(resource);
      if (limit == capability.end() || !limit->second.is_zero()) continue;
      Warn(name, StrCat("its capability of ", resource, " is 0, which counts as no limit"),
           "leave it out, close the queue instead, or write what is meant");
    }
    for (const auto& [resource, amount] : AmountsIn(queue.At({"spec", "guarantee", "resource"}))) {
      const auto limit = capability.find(resource);
      if (limit == capability.end() || limit->second.is_zero()) continue;
      if (amount.Compare(limit->second) <= 0) continue;
      Warn(name,
           StrCat("it is guaranteed ", amount.ToString(), " of ", resource, " and may hold ",
                  limit->second.ToString()),
           "lower the guarantee, or raise the capability");
    }
  }

  void CheckState(const std::string& name, const Json& queue) {
    const std::string_view state = queue.At({"status", "state"}).AsString();
    if (state != "Closed" && state != "Closing") return;
    int64_t waiting = 0;
    for (const Json& group : pod_groups_.items) {
      const std::string_view phase = group.At({"status", "phase"}).AsString();
      const bool waits = phase.empty() || phase == "Pending" || phase == "Inqueue";
      if (waits && group.At({"spec", "queue"}).AsString("default") == name) ++waiting;
    }
    if (waiting == 0) return;
    Warn(name,
         StrCat(state, ", and ", waiting, waiting == 1 ? " PodGroup waits" : " PodGroups wait",
                " in it"),
         StrCat("vcctl queue operate -n ", name, " -a open, or move the jobs"));
  }

  // What is guaranteed: of a queue with children at least what they are guaranteed together.
  Amounts Guaranteed(const std::string& name, size_t depth) const {
    Amounts own = AmountsIn(queues_.at(name)->At({"spec", "guarantee", "resource"}));
    if (depth > queues_.size()) return own;  // A circle.
    Amounts below;
    for (const auto& [child, queue] : queues_) {
      const bool is_child = child != name && child != "root" && ParentOr(child, "root") == name;
      if (is_child) AddAmounts(Guaranteed(child, depth + 1), &below);
    }
    for (const auto& [resource, amount] : below) {
      types::Quantity& mine = own[resource];
      if (mine.Compare(amount) < 0) mine = amount;
    }
    return own;
  }
  std::string ParentOr(const std::string& name, const std::string& fallback) const {
    const std::string parent = ParentOf(name);
    return parent.empty() ? fallback : parent;
  }

  void CheckGuarantees(const Amounts& allocatable) {
    if (allocatable.empty() || !queues_.contains("root")) return;
    for (const auto& [resource, guaranteed] : Guaranteed("root", 0)) {
      const auto all = allocatable.find(resource);
      const types::Quantity there = all == allocatable.end() ? types::Quantity() : all->second;
      if (guaranteed.Compare(there) <= 0) continue;
      Warn(StrCat("all, ", resource),
           StrCat("queues are guaranteed ", guaranteed.ToString(), ", and the nodes have ",
                  there.ToString()),
           "lower the guarantees, or add nodes: nobody can keep them");
    }
  }

  const PointsOf area_;
  const ObjectsRead& pod_groups_;
  std::map<std::string, const Json*> queues_;
  int64_t count_told_ = 0;
};

}  // namespace

Amounts AmountsIn(const Json& list) {
  Amounts out;
  for (const auto& [resource, value] : list.members()) {
    const std::string text = value.is_string() ? std::string(value.AsString()) : value.Dump();
    const auto amount = types::Quantity::Parse(text);
    if (amount.ok()) out[resource] = *amount;
  }
  return out;
}

void AddAmounts(const Amounts& more, Amounts* sum) {
  for (const auto& [resource, amount] : more) {
    types::Quantity& total = (*sum)[resource];
    if (const auto added = total.Plus(amount); added.ok()) total = *added;
  }
}

void CheckQueues(const ObjectsRead& queues, const ObjectsRead& pod_groups,
                 const Amounts& allocatable, std::vector<Point>* points) {
  const PointsOf area("queues", points);
  if (!queues.is_read()) return area.NotChecked("all", queues.unread);
  if (!pod_groups.is_read()) area.NotChecked("closed ones with jobs", pod_groups.unread);
  QueueDoctor(queues, pod_groups, points).Check(allocatable);
}

void CheckPriorityClasses(const ObjectsRead& classes, const ObjectsRead& pod_groups,
                          std::vector<Point>* points) {
  const PointsOf area("priority classes", points);
  if (!classes.is_read()) return area.NotChecked("all", classes.unread);
  if (!pod_groups.is_read()) return area.NotChecked("those of PodGroups", pod_groups.unread);
  std::set<std::string> known;
  for (const Json& one : classes.items) known.emplace(NameIn(one));
  std::map<std::string, std::set<std::string>> missing;
  for (const Json& group : pod_groups.items) {
    const std::string name(group.At({"spec", "priorityClassName"}).AsString());
    if (name.empty() || known.contains(name)) continue;
    missing[name].insert(StrCat(NamespaceIn(group), "/", NameIn(group)));
  }
  for (const auto& [name, groups] : missing) {
    area.Warning(name, StrCat("does not exist, and is named by ", SomeOf(groups)),
                 "create it: until then they have the default priority");
  }
  if (missing.empty()) area.Ok("all", "those that PodGroups name exist");
}

}  // namespace bth::cli
