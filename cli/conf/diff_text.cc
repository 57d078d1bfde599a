#include "cli/conf/diff_text.h"

#include <cstdint>
#include <map>
#include <vector>

#include "base/strings.h"
#include "cli/print/plain_text.h"
#include "cli/print/table.h"

namespace bth::cli {
namespace {

using types::Json;

std::string FateText(const Json& fate) {
  const std::string_view word = fate["fate"].AsString();
  if (word == "waits") return StrCat("waits: ", fate["reason"].AsString());
  const std::string_view node = fate["node"].AsString();
  if (word == "evicted") return StrCat("evicted from ", node);
  if (word == "promised") return StrCat("waits for room on ", node);
  return StrCat(word, " on ", node);
}

std::string DiffTable(std::vector<Column> columns, const std::vector<std::vector<Cell>>& rows) {
  std::string out;
  PrintTable({std::move(columns), rows}, {}, out);
  return out;
}

std::string CountedPods(int64_t count) {
  return StrCat(count, count == 1 ? " pod" : " pods");
}

// What those of a job are told that wait, and how many of them: too long for a table.
std::string WaitingWords(const Json& job, std::string_view side) {
  std::map<std::string_view, int64_t> pods;
  for (const Json& pod : job["differences"].items()) {
    const std::string_view message = pod[side]["message"].AsString();
    if (!message.empty()) ++pods[message];
  }
  std::string out;
  for (const auto& [message, count] : pods) {
    StrAppend(&out, "  ", side, ", ", CountedPods(count), ": ", OnOneLine(message), "\n");
  }
  return out;
}

std::string JobTitle(const Json& job) {
  const std::string_view kind = job["kind"].AsString();
  const int64_t differ = static_cast<int64_t>(job["differences"].size());
  if (kind.empty()) return StrCat("Pods without a group: ", differ, " of ", job["pods"].AsInt());
  const std::string_view queue = job["queue"].AsString();
  return StrCat(kind, " ", OnOneLine(job["job"].AsString()), queue.empty() ? "" : ", queue ",
                OnOneLine(queue), ": ", differ, " of ", CountedPods(job["pods"].AsInt()));
}

}  // namespace

std::string ConfDiffText(const Json& comparison, std::string_view world, size_t rows_max) {
  const int64_t cycles = comparison["cycles"].AsInt();
  const std::string before(comparison["before"].AsString());
  const std::string after(comparison["after"].AsString());
  std::string out =
      StrCat(before, " and ", after, " on ", world, ", ", cycles,
             cycles == 1 ? " cycle: " : " cycles: ", comparison["differ"].AsInt(), " of ",
             CountedPods(comparison["pods"].AsInt()), " fare differently\n\n");
  std::vector<std::vector<Cell>> fates;
  for (const Json& fate : comparison["fates"].items()) {
    fates.push_back({{std::string(fate["fate"].AsString())},
                     {StrCat(fate["before"].AsInt())},
                     {StrCat(fate["after"].AsInt())}});
  }
  StrAppend(&out,
            DiffTable({{"PODS"}, {"BEFORE", Align::kRight}, {"AFTER", Align::kRight}}, fates));
  for (const Json& job : comparison["jobs"].items()) {
    StrAppend(&out, "\n", JobTitle(job), "\n");
    std::vector<std::vector<Cell>> rows;
    for (const Json& pod : job["differences"].items()) {
      if (rows.size() == rows_max) break;
      rows.push_back({{std::string(pod["pod"].AsString())},
                      {FateText(pod["before"])},
                      {FateText(pod["after"])}});
    }
    StrAppend(&out, DiffTable({{"POD"}, {"BEFORE"}, {"AFTER"}}, rows));
    const size_t left = job["differences"].size() - rows.size();
    if (left > 0) StrAppend(&out, "… and ", left, " more; -o json has them all\n");
    StrAppend(&out, WaitingWords(job, "before"), WaitingWords(job, "after"));
  }
  for (const Json& note : comparison["notes"].items()) {
    StrAppend(&out, "\nNote: ", OnOneLine(note.AsString()), "\n");
  }
  return out;
}

}  // namespace bth::cli
