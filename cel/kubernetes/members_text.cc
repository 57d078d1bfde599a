#include "cel/kubernetes/members_text.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

absl::StatusOr<std::string> ListMembers(const ListView& list) {
  std::vector<std::string> items;
  for (size_t i = 0; i < list.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(std::string item, MembersText(list.at(i)));
    items.push_back(std::move(item));
  }
  return StrCat("[", absl::StrJoin(items, ", "), "]");
}

bool MayBeKey(const Value& key) {
  return key.is(ValueKind::kString) || key.is(ValueKind::kBool) || key.is(ValueKind::kInt) ||
         key.is(ValueKind::kUint);
}

absl::StatusOr<std::string> MapMembers(const MapView& map) {
  std::vector<std::string> entries;
  for (size_t i = 0; i < map.size(); ++i) {
    const Value key = map.KeyAt(i);
    if (!MayBeKey(key)) {
      return absl::InvalidArgumentError(
          StrCat("no formatting function for map key of type ", key.type()->RuntimeName()));
    }
    BTH_ASSIGN_OR_RETURN(const std::string name, MembersText(key));
    BTH_ASSIGN_OR_RETURN(const std::string value, MembersText(map.ValueAt(i)));
    entries.push_back(StrCat(name, ":", value));
  }
  std::sort(entries.begin(), entries.end());
  return StrCat("{", absl::StrJoin(entries, ", "), "}");
}

}  // namespace

absl::StatusOr<std::string> MembersText(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kError:
      return absl::InvalidArgumentError(ToAbsl(value.AsString()));
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return value.AsBool() ? "true" : "false";
    case ValueKind::kInt:
      return StrCat(value.AsInt());
    case ValueKind::kUint:
      return StrCat(value.AsUint());
    case ValueKind::kDouble:
      // What is no number is printed by its name, as a text.
      if (!std::isfinite(value.AsDouble())) return QuotedText(DoubleText(value.AsDouble()));
      return absl::StrFormat("%.6f", value.AsDouble());
    case ValueKind::kString:
      return QuotedText(value.AsString());
    case ValueKind::kBytes:
      if (IsValidUtf8(value.AsBytes())) return StrCat("b", QuotedText(value.AsBytes()));
      return absl::InvalidArgumentError(
          "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to "
          "string");
    case ValueKind::kDuration:
      return StrCat("duration(", QuotedText(DurationText(value.AsDuration())), ")");
    case ValueKind::kTimestamp:
      return StrCat("timestamp(", QuotedText(TimestampText(value.AsTimestamp())), ")");
    case ValueKind::kType:
      return value.AsType()->RuntimeName();
    case ValueKind::kList:
      return ListMembers(value.AsList());
    case ValueKind::kMap:
      return MapMembers(value.AsMap());
    default:
      return absl::InvalidArgumentError(
          StrCat("no formatting function for ", value.type()->RuntimeName()));
  }
}

}  // namespace bth::cel
