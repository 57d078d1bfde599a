#include "conf/arguments.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/text.h"

namespace bth::conf {

// Maps are told apart by their address, which stays: the tree is immutable and shared. Order comes
// from `opened`, never from addresses.
struct Arguments::Journal {
  struct Opened {
    const Value* map = nullptr;
    std::string path;
    std::set<std::string, std::less<>> asked;
  };
  std::vector<Opened> opened;
  absl::flat_hash_map<const Value*, size_t> index;  // Into `opened`; never walked.
  std::vector<Finding> findings;

  Opened& Of(const Value* map, const std::string& path) {
    const auto [found, inserted] = index.emplace(map, opened.size());
    if (inserted) opened.push_back({map, path, {}});
    return opened[found->second];
  }

  void Add(Finding finding) {
    const bool known = std::find(findings.begin(), findings.end(), finding) != findings.end();
    if (!known && findings.size() < kFindingsMax) findings.push_back(std::move(finding));
  }
};

Arguments::Arguments() : Arguments(Value::MakeMap({}), "") {}

Arguments::Arguments(Value values, std::string path)
    : root_(std::make_shared<const Value>(std::move(values))),
      values_(root_.get()),
      path_(std::move(path)),
      journal_(std::make_shared<Journal>()) {
  journal_->Of(values_, path_);
}

Arguments::Arguments(std::shared_ptr<const Value> root, const Value* values, std::string path,
                     std::shared_ptr<Journal> journal)
    : root_(std::move(root)),
      values_(values),
      path_(std::move(path)),
      journal_(std::move(journal)) {
  journal_->Of(values_, path_);
}

const Value* Arguments::Ask(std::string_view key) const {
  auto& asked = journal_->Of(values_, path_).asked;
  if (asked.find(key) == asked.end()) asked.emplace(key);
  return values_->Find(key);
}

const Value* Arguments::Find(std::string_view key) const {
  return Ask(key);
}

bool Arguments::Has(std::string_view key) const {
  const Value* value = Ask(key);
  return value != nullptr && !value->is_null();
}

absl::StatusOr<int64_t> Arguments::Int(std::string_view key, int64_t fallback) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return fallback;
  if (value->is_int()) return value->AsInt();
  WrongType(key, *value, "an integer", std::to_string(fallback));
  return fallback;
}

absl::StatusOr<double> Arguments::Double(std::string_view key, double fallback) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return fallback;
  if (value->is_int() || value->is_double()) return value->AsDouble();
  WrongType(key, *value, "a number", StrCat(fallback));
  return fallback;
}

absl::StatusOr<bool> Arguments::Bool(std::string_view key, bool fallback) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return fallback;
  if (value->is_bool()) return value->AsBool();
  if (value->is_string()) {
    const absl::StatusOr<bool> parsed = ParseGoBool(value->text());
    if (parsed.ok()) return *parsed;
  }
  WrongType(key, *value, "true or false", fallback ? "true" : "false");
  return fallback;
}

absl::StatusOr<std::string> Arguments::String(std::string_view key,
                                              std::string_view fallback) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return std::string(fallback);
  if (value->is_string()) return value->text();
  WrongType(key, *value, "a string (in quotes)", QuoteYaml(fallback));
  return std::string(fallback);
}

absl::StatusOr<absl::Duration> Arguments::Duration(std::string_view key,
                                                   absl::Duration fallback) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return fallback;
  if (value->is_string()) {
    const absl::StatusOr<absl::Duration> parsed = ParseGoDuration(value->text());
    if (parsed.ok()) return *parsed;
  }
  WrongType(key, *value, "a duration such as 90s or 1m30s", absl::FormatDuration(fallback));
  return fallback;
}

absl::StatusOr<std::vector<std::string>> Arguments::CommaList(std::string_view key) const {
  std::vector<std::string> names;
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return names;
  if (!value->is_string()) {
    WrongType(key, *value, "names separated by commas", "empty list");
    return names;
  }
  for (absl::string_view part : absl::StrSplit(value->text(), ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(part);
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> Arguments::Strings(std::string_view key) const {
  std::vector<std::string> texts;
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return texts;
  if (!value->is_list()) return WrongShape(key, *value, "a list of strings");
  for (size_t i = 0; i < value->items().size(); ++i) {
    const Value& item = value->items()[i];
    if (!item.is_scalar() || item.is_null()) {
      return WrongShape(StrCat(key, "[", i, "]"), item, "a string");
    }
    texts.push_back(item.text());
  }
  return texts;
}

absl::StatusOr<Arguments> Arguments::Section(std::string_view key) const {
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return Arguments(Value::MakeMap({}), PathOf(key));
  if (!value->is_map()) return WrongShape(key, *value, "a map");
  return Arguments(root_, value, PathOf(key), journal_);
}

absl::StatusOr<std::vector<Arguments>> Arguments::Sections(std::string_view key) const {
  std::vector<Arguments> sections;
  const Value* value = Ask(key);
  if (value == nullptr || value->is_null()) return sections;
  if (!value->is_list()) return WrongShape(key, *value, "a list of maps");
  for (size_t i = 0; i < value->items().size(); ++i) {
    const Value& item = value->items()[i];
    const std::string item_key = StrCat(key, "[", i, "]");
    if (!item.is_map()) return WrongShape(item_key, item, "a map");
    sections.push_back(Arguments(root_, &item, PathOf(item_key), journal_));
  }
  return sections;
}

std::vector<std::string_view> Arguments::Keys() const {
  std::vector<std::string_view> keys;
  for (const Value::Member& member : values_->members()) keys.push_back(member.key);
  return keys;
}

void Arguments::Report(std::string_view key, std::string text) const {
  int line = values_->line();
  for (const Value::Member& member : values_->members()) {
    if (member.key == key) line = member.line;
  }
  journal_->Add({Severity::kWarning, line, key.empty() ? path_ : PathOf(key), std::move(text), ""});
}

std::vector<Finding> Arguments::Findings() const {
  std::vector<Finding> findings = journal_->findings;
  for (const Journal::Opened& opened : journal_->opened) {
    std::vector<std::string_view> known(opened.asked.begin(), opened.asked.end());
    for (const Value::Member& member : opened.map->members()) {
      if (opened.asked.count(member.key) > 0 || findings.size() >= kFindingsMax) continue;
      findings.push_back({Severity::kWarning, member.line,
                          StrCat(opened.path, opened.path.empty() ? "" : ".", Clip(member.key)),
                          "unknown argument, ignored",
                          std::string(NearestName(member.key, known))});
    }
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  return findings;
}

std::vector<std::string> Arguments::UnreadKeys() const {
  std::vector<std::string> keys;
  for (const Journal::Opened& opened : journal_->opened) {
    for (const Value::Member& member : opened.map->members()) {
      if (opened.asked.count(member.key) > 0) continue;
      keys.push_back(StrCat(opened.path, opened.path.empty() ? "" : ".", member.key));
    }
  }
  return keys;
}

std::vector<std::string> Arguments::AbsentKeys() const {
  std::vector<std::string> keys;
  for (const Journal::Opened& opened : journal_->opened) {
    for (const std::string& key : opened.asked) {
      if (opened.map->Find(key) != nullptr) continue;
      keys.push_back(StrCat(opened.path, opened.path.empty() ? "" : ".", key));
    }
  }
  return keys;
}

void Arguments::WrongType(std::string_view key, const Value& value, std::string_view wanted,
                          std::string_view fallback) const {
  Report(key, StrCat("needs ", wanted, ", got ", Describe(value), "; the default ", fallback,
                     " is kept"));
}

absl::Status Arguments::WrongShape(std::string_view key, const Value& value,
                                   std::string_view wanted) const {
  const std::string line = value.line() > 0 ? StrCat("line ", value.line(), ": ") : "";
  return absl::InvalidArgumentError(
      StrCat(line, PathOf(key), ": needs ", wanted, ", got ", Describe(value)));
}

std::string Arguments::PathOf(std::string_view key) const {
  return StrCat(path_, path_.empty() ? "" : ".", Clip(key));
}

}  // namespace bth::conf
