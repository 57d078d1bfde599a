#include "framework/fit_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace bth::framework {

std::string_view GateName(Gate gate) {
  constexpr std::string_view kNames[] = {
      "None",        "NoPodGroup",    "NoQueue",        "QueueClosed", "NotEnqueued",
      "GangInvalid", "QueueOverused", "QueueTurn",      "Quota",       "Filters",
      "GangMinimum", "Topology",      "SchedulingGate", "Victims",     "Binding"};
  return kNames[static_cast<int>(gate)];
}

std::string TaskFit::Text(const ReasonTable& reasons) const {
  std::string text =
      preset.empty() ? absl::StrCat("0/", nodes_refused, " nodes are unavailable") : preset;
  if (counts.empty()) return text;
  std::vector<std::string> parts;
  for (const ReasonCount& count : counts) {
    if (reasons.text(count.reason).empty()) continue;
    parts.push_back(absl::StrCat(count.nodes, " ", reasons.text(count.reason)));
  }
  std::sort(parts.begin(), parts.end());
  absl::StrAppend(&text, ": ", absl::StrJoin(parts, ", "), ".");
  return text;
}

std::string VictimSearch::Text() const {
  const auto counted = [](int64_t count, absl::string_view noun) {
    return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
  };
  std::string text = absl::StrCat(action, ": ", preset);
  if (preset.empty()) {
    absl::StrAppend(&text, counted(candidates, "candidate"), " on ",
                    counted(candidate_nodes, "node"));
  }
  absl::string_view separator = "; protected: ";
  for (const auto& [plugin, count] : by_plugin) {
    absl::StrAppend(&text, separator, count, " by ", plugin);
    separator = ", ";
  }
  if (nodes_too_small > 0) {
    absl::StrAppend(&text, "; too little to gain on ", counted(nodes_too_small, "node"));
  }
  if (nodes_refusing > 0) {
    absl::StrAppend(&text, "; refused all the same by ", counted(nodes_refusing, "node"));
  }
  return text;
}

}  // namespace bth::framework
