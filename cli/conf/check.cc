#include "cli/conf/check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "cli/conf/differences.h"
#include "cli/print/plain_text.h"

namespace bth::cli {
namespace {

// The policy inside of a ConfigMap.
struct Enclosed {
  std::string text;
  std::string entry;      // `data.volcano-scheduler.conf`.
  int lines_before = -1;  // -1: its lines are not those of the file, because it is quoted.
};

std::string_view Stripped(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// The line with this number, from 1; empty behind the last one.
std::string_view LineOf(std::string_view text, int number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

const conf::Value::Member* FindEntry(const conf::Value& data) {
  std::vector<std::string_view> keys;
  for (const conf::Value::Member& member : data.members()) {
    keys.push_back(member.value.is_string() ? member.key : std::string_view());
  }
  const int found = PolicyEntryOf(keys);
  return found < 0 ? nullptr : &data.members()[static_cast<size_t>(found)];
}

std::optional<Enclosed> OpenConfigMap(std::string_view text) {
  const auto document = conf::ParseYaml(text);
  if (!document.ok()) return std::nullopt;
  const conf::Value* const kind = document->root.Find("kind");
  const conf::Value* const data = document->root.Find("data");
  if (kind == nullptr || kind->text() != "ConfigMap" || data == nullptr) return std::nullopt;
  const conf::Value::Member* const entry = FindEntry(*data);
  if (entry == nullptr) return std::nullopt;
  Enclosed enclosed = {entry->value.text(), StrCat("data.", entry->key), -1};
  // A block begins in the line below its key.
  const std::string_view first = Stripped(LineOf(enclosed.text, 1));
  if (Stripped(LineOf(text, entry->line + 1)) == first) enclosed.lines_before = entry->line;
  return enclosed;
}

// `line 7: …` at the beginning of a refusal, which may have words of Volcano's before it.
int LineIn(std::string_view refusal) {
  static constexpr std::string_view kMark = "line ";
  const size_t at = refusal.find(kMark);
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = refusal.substr(at + kMark.size());
  int line = 0;
  return SimpleAtoi(digits.substr(0, digits.find_first_not_of("0123456789")), &line) ? line : 0;
}

ConfFinding FromConf(const conf::Finding& finding) {
  ConfFinding out;
  out.kind = finding.severity == conf::Severity::kWarning ? ConfFindingKind::kWarning
                                                          : ConfFindingKind::kNote;
  out.line = finding.line;
  out.path = finding.path;
  out.text = finding.text;
  if (!finding.nearest.empty()) out.remedy = StrCat("write ", finding.nearest);
  return out;
}

ConfReport CheckPolicyText(std::string_view text, const ConfCheckOptions& options) {
  conf::PolicyReview review = conf::ReviewPolicy(text, options.known);
  ConfReport report;
  for (const std::string& refusal : review.refusals) {
    report.findings.push_back({ConfFindingKind::kError, LineIn(refusal), "", refusal, ""});
  }
  if (review.refusals.empty()) {
    ArgumentReview said;
    if (options.review_arguments) said = options.review_arguments(review.policy);
    for (const std::string& refusal : said.refusals) {
      report.findings.push_back({ConfFindingKind::kError, LineIn(refusal), "", refusal, ""});
    }
    for (conf::Finding& finding : said.findings) review.findings.push_back(std::move(finding));
    for (ConfFinding& finding : DifferencesOf(review.policy)) {
      report.findings.push_back(std::move(finding));
    }
  }
  for (const conf::Finding& finding : review.findings) report.findings.push_back(FromConf(finding));
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const ConfFinding& a, const ConfFinding& b) {
                     const bool a_error = a.kind == ConfFindingKind::kError;
                     const bool b_error = b.kind == ConfFindingKind::kError;
                     return a_error != b_error ? a_error : a.line < b.line;
                   });
  return report;
}

std::string_view KindText(ConfFindingKind kind) {
  static constexpr std::string_view kTexts[] = {"error", "warning", "note", "differs"};
  return kTexts[static_cast<size_t>(kind)];
}

// `2 warnings`; empty for none.
std::string Counted(const ConfReport& report, ConfFindingKind kind, std::string_view one,
                    std::string_view many) {
  const auto count = std::count_if(report.findings.begin(), report.findings.end(),
                                   [kind](const ConfFinding& f) { return f.kind == kind; });
  if (count == 0) return "";
  return StrCat(", ", count, " ", count == 1 ? one : many);
}

}  // namespace

bool ConfReport::is_accepted() const {
  return std::none_of(findings.begin(), findings.end(), [](const ConfFinding& finding) {
    return finding.kind == ConfFindingKind::kError;
  });
}

int PolicyEntryOf(const std::vector<std::string_view>& keys) {
  int found = -1;
  int count = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == "volcano-scheduler.conf") return static_cast<int>(i);
    if (keys[i].size() <= 5 || !keys[i].ends_with(".conf")) continue;
    found = static_cast<int>(i);
    ++count;
  }
  return count == 1 ? found : -1;
}

std::string PolicyTextIn(std::string_view text) {
  std::optional<Enclosed> enclosed = OpenConfigMap(text);
  return enclosed ? std::move(enclosed->text) : std::string(text);
}

ConfReport CheckConf(std::string_view text, const ConfCheckOptions& options) {
  const std::optional<Enclosed> enclosed = OpenConfigMap(text);
  if (!enclosed) return CheckPolicyText(text, options);
  ConfReport report = CheckPolicyText(enclosed->text, options);
  for (ConfFinding& finding : report.findings) {
    // Refusals name lines in their text, which are those of the entry.
    if (finding.kind == ConfFindingKind::kError || enclosed->lines_before < 0) {
      finding.path =
          finding.path.empty() ? enclosed->entry : StrCat(enclosed->entry, ": ", finding.path);
    }
    if (enclosed->lines_before < 0) {
      finding.line = 0;
    } else if (finding.line > 0) {
      finding.line += enclosed->lines_before;
    }
  }
  return report;
}

types::Json ConfReportJson(const ConfReport& report, std::string_view file) {
  types::Json findings = types::Json::MakeArray();
  for (const ConfFinding& finding : report.findings) {
    types::Json entry = types::Json::MakeObject({{"kind", std::string(KindText(finding.kind))}});
    if (finding.line > 0) entry.Set("line", int64_t{finding.line});
    if (!finding.path.empty()) entry.Set("path", finding.path);
    entry.Set("text", finding.text);
    if (!finding.remedy.empty()) entry.Set("remedy", finding.remedy);
    findings.MutableItems().push_back(std::move(entry));
  }
  return types::Json::MakeObject({{"accepted", report.is_accepted()},
                                  {"file", std::string(file)},
                                  {"findings", std::move(findings)}});
}

std::string ConfReportText(const ConfReport& report, std::string_view file) {
  std::string text =
      StrCat(file, ": ", report.is_accepted() ? "accepted" : "refused",
             Counted(report, ConfFindingKind::kError, "error", "errors"),
             Counted(report, ConfFindingKind::kWarning, "warning", "warnings"),
             Counted(report, ConfFindingKind::kNote, "note", "notes"),
             Counted(report, ConfFindingKind::kDifference, "difference", "differences"), "\n");
  for (const ConfFinding& finding : report.findings) {
    StrAppend(&text, file, ":");
    if (finding.line > 0) StrAppend(&text, finding.line, ":");
    StrAppend(&text, " ", KindText(finding.kind), ": ");
    if (!finding.path.empty()) StrAppend(&text, OnOneLine(finding.path), ": ");
    StrAppend(&text, OnOneLine(finding.text), "\n");
    if (!finding.remedy.empty()) StrAppend(&text, "    ", OnOneLine(finding.remedy), "\n");
  }
  return text;
}

}  // namespace bth::cli
