#include "conf/map_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/arguments.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

std::string Join(std::string_view path, std::string_view key) {
  return StrCat(path, path.empty() ? "" : ".", Clip(key));
}

absl::Status ErrorAt(int line, std::string_view path, std::string_view text) {
  return absl::InvalidArgumentError(
      StrCat(line > 0 ? StrCat("line ", line, ": ") : "", path, path.empty() ? "" : ": ", text));
}

}  // namespace

absl::StatusOr<MapReader> MapReader::Open(const Value* value, std::string path, const Keys& known,
                                          std::vector<Finding>& findings) {
  if (value != nullptr && value->is_null()) value = nullptr;
  if (value != nullptr && !value->is_map()) {
    return ErrorAt(value->line(), path, StrCat("needs a map, got ", Describe(*value)));
  }
  MapReader reader(value, std::move(path), findings);
  if (value == nullptr) return reader;
  for (const Value::Member& member : value->members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    reader.Warn(member.key, "unknown key, ignored", NearestName(member.key, known));
  }
  return reader;
}

const Value* MapReader::Find(std::string_view key) const {
  const Value* value = map_ == nullptr ? nullptr : map_->Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

int MapReader::LineOf(std::string_view key) const {
  const Value* value = map_ == nullptr ? nullptr : map_->Find(key);
  if (value != nullptr) return value->line();
  return map_ == nullptr ? 0 : map_->line();
}

std::string MapReader::PathOf(std::string_view key) const {
  return Join(path_, key);
}

absl::Status MapReader::Refuse(std::string_view key, std::string_view text) const {
  return ErrorAt(LineOf(key), Join(path_, key), text);
}

void MapReader::Warn(std::string_view key, std::string_view text, std::string_view nearest) const {
  if (findings_->size() >= kFindingsMax) return;
  findings_->push_back(
      {Severity::kWarning, LineOf(key), Join(path_, key), std::string(text), std::string(nearest)});
}

absl::Status MapReader::WrongType(std::string_view key, std::string_view wanted) const {
  return Refuse(key, StrCat("needs ", wanted, ", got ", Describe(*Find(key))));
}

absl::StatusOr<std::string> MapReader::Text(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::string();
  if (!value->is_scalar()) return WrongType(key, "a string");
  return value->text();
}

absl::StatusOr<std::optional<bool>> MapReader::Bool(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::optional<bool>();
  if (!value->is_bool()) return WrongType(key, "true or false");
  return std::optional<bool>(value->AsBool());
}

absl::StatusOr<std::optional<int64_t>> MapReader::Int(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::optional<int64_t>();
  if (!value->is_int()) return WrongType(key, "an integer");
  return std::optional<int64_t>(value->AsInt());
}

absl::StatusOr<std::optional<double>> MapReader::Number(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::optional<double>();
  if ((!value->is_int() && !value->is_double()) || !std::isfinite(value->AsDouble())) {
    return WrongType(key, "a number");
  }
  return std::optional<double>(value->AsDouble());
}

absl::StatusOr<std::optional<absl::Duration>> MapReader::Duration(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::optional<absl::Duration>();
  constexpr std::string_view kWanted = "a duration such as 10m or 1h30m";
  if (!value->is_scalar()) return WrongType(key, kWanted);
  const absl::StatusOr<absl::Duration> duration = ParseGoDuration(value->text());
  if (!duration.ok()) return WrongType(key, kWanted);
  return std::optional<absl::Duration>(*duration);
}

absl::StatusOr<const Value::List*> MapReader::List(std::string_view key, size_t entries_max) const {
  static const Value::List kNone;
  const Value* value = Find(key);
  if (value == nullptr) return &kNone;
  if (!value->is_list()) return WrongType(key, "a list");
  if (value->items().size() > entries_max) {
    return Refuse(key, StrCat("has ", value->items().size(), " entries; at most ", entries_max,
                              " are allowed"));
  }
  return &value->items();
}

absl::StatusOr<MapReader> MapReader::Map(std::string_view key, const Keys& known) const {
  return Open(Find(key), Join(path_, key), known, *findings_);
}

absl::StatusOr<const Value*> MapReader::AnyMap(std::string_view key) const {
  static const Value kNone = Value::MakeMap({});
  const Value* value = Find(key);
  if (value == nullptr) return &kNone;
  if (!value->is_map()) return WrongType(key, "a map");
  return value;
}

}  // namespace bth::conf
