#include "apiserver/table/table.h"

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "apiserver/table/columns.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

Json Definition(std::string_view name, std::string_view type, std::string_view format,
                std::string_view description, int priority) {
  return Json::MakeObject({{"name", name},
                           {"type", type},
                           {"format", format},
                           {"description", description},
                           {"priority", priority}});
}

Json CustomCell(const PrinterColumn& column, const Json& object, absl::Time now) {
  Json value = EvaluateJsonPath(object, column.json_path);
  if (value.is_null()) return nullptr;
  // What is not of the column's type is no value of it.
  if (column.type == "string") return value.is_string() ? value : Json(value.Dump());
  if (column.type == "boolean") return value.is_bool() ? value : Json();
  if (column.type == "number") return value.is_number() ? value : Json();
  if (column.type == "integer") {
    if (!value.is_double()) return value.is_int() ? value : Json();
    const double number = value.AsDouble();
    return std::abs(number) < 9e18 ? Json(static_cast<int64_t>(number)) : Json();
  }
  if (!value.is_string()) return nullptr;
  const std::string age = AgeText(value.AsString(), now);
  return age == "<unknown>" && !value.AsString().empty() ? Json("<invalid>") : Json(age);
}

constexpr Column kPlain[] = {
    {"Name", "string", 0, NameCell},
    {"Age", "string", 0, AgeCell},
};

std::span<const Column> BuiltinColumns(const ResourceType& type) {
  const std::span<const Column> columns = ColumnsOf(type.group, type.kind);
  return columns.empty() ? std::span<const Column>(kPlain) : columns;
}

}  // namespace

std::string DurationText(absl::Duration span) {
  const int64_t seconds = absl::ToInt64Seconds(span);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return StrCat(seconds, "s");
  const int64_t minutes = seconds / 60;
  // A large unit is followed by the next smaller one while that still says something.
  auto both = [](int64_t large, const char* unit, int64_t small, const char* small_unit) {
    return small == 0 ? StrCat(large, unit) : StrCat(large, unit, small, small_unit);
  };
  if (minutes < 10) return both(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return StrCat(minutes, "m");
  const int64_t hours = minutes / 60;
  if (hours < 8) return both(hours, "h", minutes % 60, "m");
  if (hours < 48) return StrCat(hours, "h");
  const int64_t days = hours / 24;
  if (hours < 24 * 8) return both(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return StrCat(days, "d");
  if (hours < 24 * 365 * 8) return both(days / 365, "y", days % 365, "d");
  return StrCat(days / 365, "y");
}

std::string AgeText(std::string_view stamp, absl::Time now) {
  absl::Time then;
  std::string error;
  if (stamp.empty() || !absl::ParseTime(absl::RFC3339_full, ToAbsl(stamp), &then, &error)) {
    return "<unknown>";
  }
  return DurationText(now - then);
}

Json TableColumns(const ResourceType& type) {
  Json::Array columns;
  if (type.custom) {
    columns.push_back(Definition("Name", "string", "name", "The name of the object.", 0));
    for (const PrinterColumn& column : type.columns) {
      columns.push_back(
          Definition(column.name, column.type, column.format, column.description, column.priority));
    }
    if (type.columns.empty()) {
      columns.push_back(Definition("Age", "date", "", "Time since the object was made.", 0));
    }
    return Json(std::move(columns));
  }
  for (const Column& column : BuiltinColumns(type)) {
    columns.push_back(Definition(column.name, column.type, column.name == "Name" ? "name" : "",
                                 column.name, column.priority));
  }
  return Json(std::move(columns));
}

Json::Array TableCells(const ResourceType& type, const Json& object, absl::Time now) {
  Json::Array cells;
  if (type.custom) {
    cells.push_back(NameCell(object, now));
    for (const PrinterColumn& column : type.columns) {
      cells.push_back(CustomCell(column, object, now));
    }
    if (type.columns.empty()) cells.push_back(AgeCell(object, now));
    return cells;
  }
  for (const Column& column : BuiltinColumns(type)) cells.push_back(column.cell(object, now));
  return cells;
}

Json NameCell(const Json& object, absl::Time) {
  return object["metadata"]["name"];
}

Json AgeCell(const Json& object, absl::Time now) {
  return AgeText(object["metadata"]["creationTimestamp"].AsString(), now);
}

Json TextOr(std::string_view text, std::string_view absent) {
  return text.empty() ? Json(absent) : Json(text);
}

std::string LabelText(const Json& labels) {
  std::string text;
  for (const auto& [key, value] : labels.members()) {
    StrAppend(&text, text.empty() ? "" : ",", key, "=", value.AsString());
  }
  return text.empty() ? "<none>" : text;
}

}  // namespace bth::apiserver
