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
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// So many bytes of text are one step of work, as a member is.
constexpr uint64_t kTextBlock = 8;

absl::StatusOr<std::string> MembersTextWithin(Work& work, const Value& value);

absl::StatusOr<std::string> ListMembers(Work& work, const ListView& list) {
  std::vector<std::string> items;
  for (size_t i = 0; i < list.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(std::string item, MembersTextWithin(work, list.at(i)));
    items.push_back(std::move(item));
  }
  return StrCat("[", absl::StrJoin(items, ", "), "]");
}

bool MayBeKey(const Value& key) {
  return key.is(ValueKind::kString) || key.is(ValueKind::kBool) || key.is(ValueKind::kInt) ||
         key.is(ValueKind::kUint);
}

absl::StatusOr<std::string> MapMembers(Work& work, const MapView& map) {
  std::vector<std::string> entries;
  for (size_t i = 0; i < map.size(); ++i) {
    const Value key = map.KeyAt(i);
    if (!MayBeKey(key)) {
      return absl::InvalidArgumentError(
          StrCat("no formatting function for map key of type ", key.type()->RuntimeName()));
    }
    BTH_ASSIGN_OR_RETURN(const std::string name, MembersTextWithin(work, key));
    BTH_ASSIGN_OR_RETURN(const std::string value, MembersTextWithin(work, map.ValueAt(i)));
    entries.push_back(StrCat(name, ":", value));
  }
  std::sort(entries.begin(), entries.end());
  return StrCat("{", absl::StrJoin(entries, ", "), "}");
}

absl::StatusOr<std::string> TextOfKind(Work& work, const Value& value) {
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
      return ListMembers(work, value.AsList());
    case ValueKind::kMap:
      return MapMembers(work, value.AsMap());
    default:
      return absl::InvalidArgumentError(
          StrCat("no formatting function for ", value.type()->RuntimeName()));
  }
}

absl::StatusOr<std::string> MembersTextWithin(Work& work, const Value& value) {
  const auto too_much = [] {
    return absl::InvalidArgumentError("values too large to be formatted");
  };
  if (!work.Spend(1)) return too_much();
  absl::StatusOr<std::string> text = TextOfKind(work, value);
  if (text.ok() && !work.Spend(text->size() / kTextBlock)) return too_much();
  return text;
}

}  // namespace

absl::StatusOr<std::string> MembersText(const Value& value) {
  Work own;
  return MembersTextWithin(Work::OfRun(own), value);
}

}  // namespace bth::cel
