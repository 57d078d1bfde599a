#include "framework/report/fit_report.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace bth::framework {

std::string_view GateName(Gate gate) {
  constexpr std::string_view kNames[] = {
      "None",        "NoPodGroup",    "NoQueue",        "QueueClosed", "NotEnqueued",
      "GangInvalid", "QueueOverused", "QueueTurn",      "Quota",       "Filters",
      "GangMinimum", "Topology",      "SchedulingGate", "Victims",     "Binding"};
  return kNames[static_cast<int>(gate)];
}

std::string TaskFit::Text() const {
  std::string text =
      preset.empty() ? StrCat("0/", nodes_refused, " nodes are unavailable") : preset;
  if (!hyper_node.empty()) text = StrCat("In hyperNode ", hyper_node, ": ", text);
  if (counts.empty()) return text;
  std::vector<std::string> parts;
  for (const ReasonCount& count : counts) {
    if (!count.reason.empty()) parts.push_back(StrCat(count.nodes, " ", count.reason));
  }
  std::sort(parts.begin(), parts.end());
  StrAppend(&text, ": ", absl::StrJoin(parts, ", "), ".");
  return text;
}

namespace {

std::string Counted(int64_t count, absl::string_view noun) {
  return StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// `<title>3<between>a, 1<between>b`, when there is something to count.
void AddCounts(const VictimSearch::Counts& counts, absl::string_view title,
               absl::string_view between, std::vector<std::string>* clauses) {
  if (counts.empty()) return;
  const auto entry = [between](std::string* out, const auto& count) {
    StrAppend(out, count.second, between, count.first);
  };
  clauses->push_back(StrCat(title, absl::StrJoin(counts, ", ", entry)));
}

}  // namespace

bool VictimSearch::SaysSomething() const {
  return candidates > 0 || !preset.empty() || !dropped.empty() || !passed_over.empty() ||
         !nodes_beyond_help.empty() || nodes_too_small > 0;
}

std::string VictimSearch::Text() const {
  std::vector<std::string> clauses;
  if (!preset.empty()) {
    clauses.push_back(preset);
  } else if (candidates > 0) {
    const std::string where =
        candidate_nodes > 0 ? StrCat(" on ", Counted(candidate_nodes, "node")) : "";
    clauses.push_back(StrCat(Counted(candidates, "candidate"), where));
  } else if (dropped.empty()) {
    clauses.emplace_back("no candidates");
  }
  AddCounts(by_plugin, "protected: ", " by ", &clauses);
  AddCounts(lost_again, "the room would be lost again: ", " to ", &clauses);
  AddCounts(passed_over, "passed over: ", " ", &clauses);
  if (nodes_too_small > 0) {
    clauses.push_back(StrCat("too little to gain on ", Counted(nodes_too_small, "node")));
  }
  if (nodes_refusing > 0) {
    clauses.push_back(StrCat("refused all the same by ", Counted(nodes_refusing, "node")));
    AddCounts(refusals, "they say: ", " ", &clauses);
  }
  AddCounts(nodes_beyond_help, "no eviction helps: ", " ", &clauses);
  if (!dropped.empty()) clauses.push_back(StrCat("plan dropped: ", dropped));
  return StrCat(action, ": ", absl::StrJoin(clauses, "; "));
}

}  // namespace bth::framework
