#include "cel/kubernetes/name_formats.h"

#include <algorithm>

#include "absl/time/civil_time.h"
#include "api/rules/names.h"
#include "base/strings.h"
#include "cel/kubernetes/url.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

using Faults = std::vector<std::string>;

bool FitsPattern(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

// A prefix may end in a hyphen, since more follows: that one is taken for a letter.
template <Faults (*kCheck)(std::string_view)>
Faults CheckPrefix(std::string_view text) {
  std::string whole(text);
  if (whole.size() > 1 && whole.back() == '-') whole[whole.size() - 1] = 'a';
  return kCheck(whole);
}

Faults CheckUri(std::string_view text) {
  const absl::Status status = Url::CheckRequest(text);
  if (status.ok()) return {};
  return {std::string(ToStd(status.message()))};
}

Faults CheckUuid(std::string_view text) {
  static const re2::RE2 kUuid(
      "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  if (FitsPattern(text, kUuid)) return {};
  return {"does not match the UUID format"};
}

Faults CheckBase64(std::string_view text) {
  static const re2::RE2 kBase64("[A-Za-z0-9+/]+={0,2}");
  if (text.size() % 4 == 0 && FitsPattern(text, kBase64)) return {};
  return {"invalid base64"};
}

bool IsCalendarDay(std::string_view text) {
  static const re2::RE2 kDate("(\\d{4})-(\\d{2})-(\\d{2})");
  int year = 0, month = 0, day = 0;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kDate, &year, &month,
                           &day)) {
    return false;
  }
  // A day that does not exist is moved to one that does.
  const absl::CivilDay date(year, month, day);
  return date.year() == year && date.month() == month && date.day() == day;
}

Faults CheckDate(std::string_view text) {
  if (IsCalendarDay(text)) return {};
  return {"invalid date"};
}

Faults CheckDateTime(std::string_view text) {
  static const re2::RE2 kTime(
      "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([zZ]|[+-]\\d{2}:\\d{2})");
  const size_t t = text.find_first_of("tT");
  if (t != text.npos && IsCalendarDay(text.substr(0, t)) &&
      FitsPattern(text.substr(t + 1), kTime)) {
    return {};
  }
  return {"invalid datetime"};
}

// The sizes are Kubernetes' and part of what a check costs.
constexpr NamedFormat kNamedFormats[] = {
    {"byte", "byte", 84, CheckBase64},
    {"date", "date", 72, CheckDate},
    {"datetime", "datetime", 72, CheckDateTime},
    {"dns1035Label", "DNS1035Label", 30, rules::CheckDns1035Label},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, CheckPrefix<rules::CheckDns1035Label>},
    {"dns1123Label", "DNS1123Label", 30, rules::CheckDnsLabel},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, CheckPrefix<rules::CheckDnsLabel>},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, rules::CheckDnsSubdomain},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, CheckPrefix<rules::CheckDnsSubdomain>},
    {"labelValue", "LabelValue", 40, rules::CheckLabelValue},
    {"qualifiedName", "QualifiedName", 60, rules::CheckQualifiedName},
    {"uri", "URI", 1104, CheckUri},
    {"uuid", "uuid", 72, CheckUuid},
};

}  // namespace

const NamedFormat* FindNamedFormat(std::string_view name) {
  const auto* it = std::find_if(std::begin(kNamedFormats), std::end(kNamedFormats),
                                [&](const NamedFormat& row) { return row.name == name; });
  return it == std::end(kNamedFormats) ? nullptr : it;
}

std::vector<std::string_view> NamedFormats() {
  std::vector<std::string_view> names;
  for (const NamedFormat& row : kNamedFormats) names.push_back(row.name);
  return names;
}

}  // namespace bth::cel
