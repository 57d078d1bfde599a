#include "cel/kubernetes/name_formats.h"

#include <algorithm>

#include "absl/time/civil_time.h"
#include "base/strings.h"
#include "cel/kubernetes/url.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

using Faults = std::vector<std::string>;

constexpr size_t kLabelBytesMax = 63;
constexpr size_t kSubdomainBytesMax = 253;

#define BTH_DNS_LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define BTH_QUALIFIED "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
constexpr char kLabelPattern[] = BTH_DNS_LABEL;
constexpr char kSubdomainPattern[] = BTH_DNS_LABEL "(\\." BTH_DNS_LABEL ")*";
constexpr char kOldLabelPattern[] = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr char kQualifiedPattern[] = BTH_QUALIFIED;
constexpr char kLabelValuePattern[] = "(" BTH_QUALIFIED ")?";
#undef BTH_DNS_LABEL
#undef BTH_QUALIFIED

bool FitsPattern(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

std::string TooLongName(size_t max, std::string_view unit = "bytes") {
  return StrCat("must be no more than ", max, " ", unit);
}

std::string NameFault(std::string_view rule, std::string_view pattern,
                      std::initializer_list<std::string_view> examples) {
  std::string out = StrCat(rule, " (e.g. ");
  for (const std::string_view example : examples) {
    StrAppend(&out, out.ends_with("(e.g. ") ? "" : " or ", "'", example, "', ");
  }
  StrAppend(&out, "regex used for validation is '", pattern, "')");
  return out;
}

Faults CheckDnsLabel(std::string_view text) {
  static const re2::RE2 kLabel(kLabelPattern), kSubdomain(kSubdomainPattern);
  Faults faults;
  if (text.size() > kLabelBytesMax) faults.push_back(TooLongName(kLabelBytesMax, "characters"));
  if (FitsPattern(text, kLabel)) return faults;
  if (FitsPattern(text, kSubdomain)) {
    faults.emplace_back("must not contain dots");
  } else {
    faults.push_back(NameFault(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        kLabelPattern, {"my-name", "123-abc"}));
  }
  return faults;
}

Faults CheckDnsSubdomain(std::string_view text) {
  static const re2::RE2 kSubdomain(kSubdomainPattern);
  Faults faults;
  if (text.size() > kSubdomainBytesMax)
    faults.push_back(TooLongName(kSubdomainBytesMax, "characters"));
  if (!FitsPattern(text, kSubdomain)) {
    faults.push_back(NameFault(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        kSubdomainPattern, {"example.com"}));
  }
  return faults;
}

Faults CheckOldDnsLabel(std::string_view text) {
  static const re2::RE2 kLabel(kOldLabelPattern);
  Faults faults;
  if (text.size() > kLabelBytesMax) {
    faults.push_back(TooLongName(kLabelBytesMax, "characters"));
  }
  if (!FitsPattern(text, kLabel)) {
    faults.push_back(NameFault(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        kOldLabelPattern, {"my-name", "abc-123"}));
  }
  return faults;
}

Faults CheckQualifiedName(std::string_view text) {
  static const re2::RE2 kName(kQualifiedPattern);
  const auto shape = [](std::string_view what) {
    return NameFault(
        StrCat(what,
               "must consist of alphanumeric characters, '-', '_' or '.', and must start and "
               "end with an alphanumeric character"),
        kQualifiedPattern, {"MyName", "my.name", "123-abc"});
  };
  Faults faults;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != text.npos) {
    name = text.substr(slash + 1);
    if (name.find('/') != name.npos) {
      return {StrCat(shape("a valid label key "),
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
    }
    const std::string_view prefix = text.substr(0, slash);
    if (prefix.empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : CheckDnsSubdomain(prefix)) {
        faults.push_back(StrCat("prefix part ", fault));
      }
    }
  }
  if (name.empty()) {
    faults.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelBytesMax) {
    faults.push_back(StrCat("name part ", TooLongName(kLabelBytesMax)));
  }
  if (!FitsPattern(name, kName)) faults.push_back(shape("name part "));
  return faults;
}

Faults CheckLabelValue(std::string_view text) {
  static const re2::RE2 kValue(kLabelValuePattern);
  Faults faults;
  if (text.size() > kLabelBytesMax) faults.push_back(TooLongName(kLabelBytesMax));
  if (!FitsPattern(text, kValue)) {
    faults.push_back(NameFault(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        kLabelValuePattern, {"MyValue", "my_value", "12345"}));
  }
  return faults;
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
    {"dns1035Label", "DNS1035Label", 30, CheckOldDnsLabel},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, CheckPrefix<CheckOldDnsLabel>},
    {"dns1123Label", "DNS1123Label", 30, CheckDnsLabel},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, CheckPrefix<CheckDnsLabel>},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, CheckDnsSubdomain},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, CheckPrefix<CheckDnsSubdomain>},
    {"labelValue", "LabelValue", 40, CheckLabelValue},
    {"qualifiedName", "QualifiedName", 60, CheckQualifiedName},
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
