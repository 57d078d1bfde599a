#include "cli/explain/job_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cli/explain/held_by.h"
#include "cli/print/plain_text.h"
#include "cli/print/times.h"
#include "cli/text/object.h"
#include "cli/text/padded.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kMessagesMax = 5;    // Different ones of pods that wait.
constexpr size_t kNeighboursMax = 5;  // Those with most pods.
constexpr size_t kGap = 3;            // Blanks between columns.

using Row = std::vector<std::string>;

// Columns as wide as their longest cell, two blanks in front, no blanks at the end.
std::string TableText(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + kGap);
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = PaddedLine(row, widths);
    line.erase(line.find_last_not_of(" \n") + 1);
    StrAppend(&out, "  ", line, "\n");
  }
  return out;
}

std::string Title(const JobFacts& facts, absl::Time now) {
  const Json& shown = facts.job ? *facts.job : *facts.group;
  const std::string_view phase = facts.job ? facts.job->At({"status", "state", "phase"}).AsString()
                                           : facts.group->At({"status", "phase"}).AsString();
  return StrCat(facts.job ? "Job " : "PodGroup ", facts.ns, "/", facts.name, ": ",
                phase.empty() ? "no phase yet" : OnOneLine(phase), ", queue ", facts.queue_name,
                ", created ", AgeSince(CreatedIn(shown), now), " ago\n");
}

bool IsBound(const Json& pod) {
  return !pod.At({"spec", "nodeName"}).AsString().empty();
}
bool IsOver(const Json& pod) {
  const std::string_view phase = pod.At({"status", "phase"}).AsString();
  return phase == "Succeeded" || phase == "Failed";
}

struct TaskCounts {
  int64_t wanted = 0;
  int64_t min_available = -1;  // -1: none of its own.
  int64_t waiting = 0;
  int64_t placed = 0;
  int64_t over = 0;
};

Row TaskRow(const std::string& name, const TaskCounts& counts, bool has_wanted) {
  return {name,
          has_wanted ? StrCat(counts.wanted) : "-",
          counts.min_available < 0 ? "-" : StrCat(counts.min_available),
          StrCat(counts.waiting),
          StrCat(counts.placed),
          StrCat(counts.over)};
}

// Pods by task, in the order of the job.
std::string GangText(const JobFacts& facts) {
  const Json& holder = facts.job ? *facts.job : *facts.group;
  const int64_t min = holder.At({"spec", facts.job ? "minAvailable" : "minMember"}).AsInt();
  std::map<std::string_view, TaskCounts> tasks;
  std::vector<std::string_view> order;
  for (const Json& task : holder.At({"spec", "tasks"}).items()) {
    const std::string_view name = task["name"].AsString();
    TaskCounts& counts = tasks[name];
    counts.wanted = task["replicas"].AsInt(1);
    counts.min_available = task["minAvailable"].AsInt(-1);
    order.push_back(name);
  }
  for (const Json& pod : facts.pods) {
    const std::string_view name = AnnotationIn(pod, "volcano.sh/task-spec");
    if (!tasks.contains(name)) order.push_back(name);
    TaskCounts& counts = tasks[name];
    ++(IsOver(pod) ? counts.over : IsBound(pod) ? counts.placed : counts.waiting);
  }
  std::string out =
      StrCat("\nGang: ", min, min == 1 ? " pod" : " pods", " must have a place at once\n");
  if (order.empty()) return out + "  it has no pods\n";
  std::vector<Row> rows = {{"TASK", "REPLICAS", "MIN", "WAITING", "PLACED", "OVER"}};
  for (const std::string_view name : order) {
    const TaskCounts& counts = tasks[name];
    rows.push_back(TaskRow(name.empty() ? "-" : std::string(name), counts, counts.wanted > 0));
  }
  return out + TableText(rows);
}

// What is said of pods, and of how many; most often said first.
std::vector<std::pair<int64_t, std::string>> CountedWords(const JobFacts& facts) {
  std::map<std::string, int64_t> counts;
  for (const Json& pod : facts.pods) {
    if (std::string words = OnOneLine(PodWords(pod)); !words.empty()) ++counts[std::move(words)];
  }
  std::vector<std::pair<int64_t, std::string>> out;
  for (auto& [words, count] : counts) out.emplace_back(count, words);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

std::string PodsText(const JobFacts& facts) {
  const auto words = CountedWords(facts);
  if (words.empty()) return "";
  std::string out = "\nPods that wait:\n";
  for (size_t i = 0; i < std::min(words.size(), kMessagesMax); ++i) {
    StrAppend(&out, "  ", words[i].first, " × ", words[i].second, "\n");
  }
  if (words.size() > kMessagesMax) {
    StrAppend(&out, "  and ", words.size() - kMessagesMax, " other reasons\n");
  }
  return out;
}

// "  lab/train-0: 3 Insufficient cpu, 1 node(s) were unschedulable"
std::string RefusedText(const Json& refused) {
  std::string out = StrCat("  ", OnOneLine(refused["pod"].AsString()), ": ");
  std::string_view comma;
  for (const Json::Member& reason : refused["nodes"].members()) {
    StrAppend(&out, std::exchange(comma, ", "), reason.second.AsInt(), " ",
              OnOneLine(reason.first));
  }
  return out + "\n";
}

// What the last cycle found, beyond what was said already.
std::string SchedulerText(const JobFacts& facts, const HeldBy& held) {
  if (!facts.page) return "";
  const Json& page = *facts.page;
  const std::string_view gate = page["gate"].AsString("None");
  const std::string_view plugin = page["plugin"].AsString();
  std::string out = "\nThe scheduler's last cycle: ";
  StrAppend(&out, gate == "None" ? std::string("nothing holds it") : StrCat("held at ", gate),
            plugin.empty() ? "" : ", by plugin ", plugin, "\n");
  const auto add = [&out, &held](std::string_view words) {
    const bool is_said = StrContains(held.words, words) || StrContains(out, words);
    if (!words.empty() && !is_said) StrAppend(&out, "  ", OnOneLine(words), "\n");
  };
  add(page["message"].AsString());
  size_t shown = 0;
  for (const Json& refused : page["refused"].items()) {
    if (shown++ < kMessagesMax) out += RefusedText(refused);
  }
  if (shown > kMessagesMax)
    StrAppend(&out, "  and ", shown - kMessagesMax, " more shapes of pods\n");
  for (const Json::Member& search : page["victimSearches"].members()) {
    add(search.second["message"].AsString());
  }
  return out;
}

std::string AmountOf(const Json& amounts, std::string_view resource) {
  const Json& amount = amounts[resource];
  if (amount.is_string()) return std::string(amount.AsString());
  return amount.is_int() ? StrCat(amount.AsInt()) : "-";
}

// Minimum resources also say what a ResourceQuota counts; no queue holds amounts of those names.
bool IsHeldByQueues(std::string_view resource) {
  return resource != "pods" && !resource.starts_with("count/") &&
         !resource.starts_with("requests.") && !resource.starts_with("limits.");
}

std::string QueueText(const JobFacts& facts) {
  if (!facts.queue) return "";
  const Json& queue = *facts.queue;
  const std::string_view state = queue.At({"status", "state"}).AsString();
  const std::string_view parent = queue.At({"spec", "parent"}).AsString();
  std::string out =
      StrCat("\nQueue ", facts.queue_name, ": ", state.empty() ? "no state yet" : state,
             ", weight ", queue.At({"spec", "weight"}).AsInt(1));
  if (!parent.empty()) StrAppend(&out, ", below ", parent);
  out += "\n";
  static const Json kNone;
  const std::vector<std::pair<std::string, const Json*>> columns = {
      {"ASKED", facts.group ? &facts.group->At({"spec", "minResources"}) : &kNone},
      {"ALLOCATED", &queue.At({"status", "allocated"})},
      {"DESERVED", &queue.At({"spec", "deserved"})},
      {"GUARANTEE", &queue.At({"spec", "guarantee", "resource"})},
      {"CAPABILITY", &queue.At({"spec", "capability"})}};
  std::set<std::string> resources;
  for (const auto& column : columns) {
    for (const Json::Member& member : column.second->members()) {
      if (IsHeldByQueues(member.first)) resources.insert(member.first);
    }
  }
  if (resources.empty()) return out;
  std::vector<Row> rows = {{"RESOURCE"}};
  for (const auto& column : columns) rows.front().push_back(column.first);
  for (const std::string& resource : resources) {
    Row row = {resource};
    for (const auto& column : columns) row.push_back(AmountOf(*column.second, resource));
    rows.push_back(std::move(row));
  }
  return out + TableText(rows);
}

std::string NeighboursText(const JobFacts& facts) {
  std::vector<const Json*> running;
  const auto pods_of = [](const Json* group) { return group->At({"status", "running"}).AsInt(); };
  for (const Json& group : facts.neighbours) {
    if (pods_of(&group) > 0) running.push_back(&group);
  }
  if (running.empty()) return "";
  std::stable_sort(running.begin(), running.end(),
                   [&](const Json* a, const Json* b) { return pods_of(a) > pods_of(b); });
  std::string out = StrCat("\nRunning in queue ", facts.queue_name, " beside it:\n");
  std::vector<Row> rows = {{"PODGROUP", "PODS", "PRIORITY CLASS"}};
  for (size_t i = 0; i < std::min(running.size(), kNeighboursMax); ++i) {
    const std::string_view priority = running[i]->At({"spec", "priorityClassName"}).AsString("-");
    rows.push_back({StrCat(NamespaceIn(*running[i]), "/", NameIn(*running[i])),
                    StrCat(pods_of(running[i])), std::string(priority)});
  }
  out += TableText(rows);
  if (running.size() > kNeighboursMax) {
    StrAppend(&out, "  and ", running.size() - kNeighboursMax, " more\n");
  }
  return out;
}

}  // namespace

std::string ExplainJobText(const JobFacts& facts, absl::Time now) {
  const HeldBy held = WhatHolds(facts);
  std::string out =
      StrCat(Title(facts, now), "\n", held.waits ? "It waits: " : "", OnOneLine(held.words), "\n");
  if (!held.remedy.empty()) StrAppend(&out, "What helps: ", held.remedy, "\n");
  StrAppend(&out, GangText(facts), PodsText(facts), SchedulerText(facts, held), QueueText(facts),
            NeighboursText(facts));
  if (!facts.unread.empty()) {
    out += "\nNot read:\n";
    for (const std::string& words : facts.unread) StrAppend(&out, "  ", OnOneLine(words), "\n");
  }
  return out;
}

}  // namespace bth::cli
