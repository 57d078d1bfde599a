#include "api/rules/names.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "base/strings.h"

namespace bth::rules {
namespace {

using Messages = std::vector<std::string>;

constexpr size_t kLabelMax = 63;
constexpr size_t kSubdomainMax = 253;
constexpr size_t kPortNameMax = 15;

bool IsLowerAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool IsAlnum(char c) {
  return IsLowerAlnum(c) || (c >= 'A' && c <= 'Z');
}

template <typename Predicate>
bool All(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool IsLabelForm(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         All(text, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

// _?[a-z0-9]([-_a-z0-9]*[a-z0-9])?
bool IsUnderscoredLabelForm(std::string_view text) {
  if (text.starts_with('_')) text.remove_prefix(1);
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         All(text, [](char c) { return IsLowerAlnum(c) || c == '-' || c == '_'; });
}

// Labels between dots.
bool IsDotted(std::string_view text, bool (*is_label)(std::string_view)) {
  for (size_t begin = 0;;) {
    const size_t dot = text.find('.', begin);
    if (!is_label(text.substr(begin, dot - begin))) return false;
    if (dot == text.npos) return true;
    begin = dot + 1;
  }
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool IsNamePartForm(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         All(text, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string Characters(size_t length_max) {
  return StrCat("must be no more than ", length_max, " characters");
}

std::string Bytes(size_t length_max) {
  return StrCat("must be no more than ", length_max, " bytes");
}

// What a name must be like, with examples and the expression that says it exactly.
std::string Form(std::string_view words, std::initializer_list<std::string_view> examples,
                 std::string_view expression) {
  std::string text(words);
  std::string_view before = " (e.g. ";
  for (const std::string_view example : examples) {
    StrAppend(&text, before, "'", example, "', ");
    before = " or ";
  }
  StrAppend(&text, "regex used for validation is '", expression, "')");
  return text;
}

constexpr std::string_view kLabelExpression = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainExpression =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kUnderscoredExpression =
    "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kNamePartExpression = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

std::string SubdomainForm() {
  return Form(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
      "'.', and must start and end with an alphanumeric character",
      {"example.com"}, kSubdomainExpression);
}

std::string NamePartForm() {
  return Form(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      {"MyName", "my.name", "123-abc"}, kNamePartExpression);
}

// Names that would lead out of a folder.
void CheckDots(std::string_view name, Messages* messages) {
  if (name == ".") {
    messages->push_back("must not be '.'");
  } else if (name == "..") {
    messages->push_back("must not be '..'");
  } else if (name.starts_with("..")) {
    messages->push_back("must not start with '..'");
  }
}

void CheckPrefix(std::string_view prefix, Messages* messages) {
  if (prefix.empty()) {
    messages->push_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kSubdomainMax) {
    messages->push_back(StrCat("prefix part ", Bytes(kSubdomainMax)));
  }
  if (!IsDotted(prefix, IsLabelForm)) messages->push_back(StrCat("prefix part ", SubdomainForm()));
}

}  // namespace

Messages CheckDnsLabel(std::string_view name) {
  Messages messages;
  if (name.size() > kLabelMax) messages.push_back(Characters(kLabelMax));
  if (IsLabelForm(name)) return messages;
  if (IsDotted(name, IsLabelForm)) {
    messages.push_back("must not contain dots");
  } else {
    messages.push_back(
        Form("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
             "'-', and must start and end with an alphanumeric character",
             {"my-name", "123-abc"}, kLabelExpression));
  }
  return messages;
}

Messages CheckDnsSubdomain(std::string_view name) {
  Messages messages;
  if (name.size() > kSubdomainMax) messages.push_back(Characters(kSubdomainMax));
  if (!IsDotted(name, IsLabelForm)) messages.push_back(SubdomainForm());
  return messages;
}

Messages CheckDnsSubdomainWithUnderscore(std::string_view name) {
  Messages messages;
  if (name.size() > kSubdomainMax) messages.push_back(Characters(kSubdomainMax));
  if (!IsDotted(name, IsUnderscoredLabelForm)) {
    messages.push_back(
        Form("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
             "'_', '-' or '.', and must start and end with an alphanumeric character",
             {"example.com"}, kUnderscoredExpression));
  }
  return messages;
}

Messages CheckDns1035Label(std::string_view name) {
  Messages messages;
  if (name.size() > kLabelMax) messages.push_back(Characters(kLabelMax));
  if (!IsLabelForm(name) || (name.front() >= '0' && name.front() <= '9')) {
    messages.push_back(
        Form("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
             "with an alphabetic character, and end with an alphanumeric character",
             {"my-name", "abc-123"}, "[a-z]([-a-z0-9]*[a-z0-9])?"));
  }
  return messages;
}

Messages CheckQualifiedName(std::string_view name) {
  Messages messages;
  if (const size_t slash = name.find('/'); slash != name.npos) {
    if (name.find('/', slash + 1) != name.npos) {
      return {StrCat("a valid label key ", NamePartForm(),
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
    }
    CheckPrefix(name.substr(0, slash), &messages);
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) {
    messages.push_back("name part must be non-empty");
  } else if (name.size() > kLabelMax) {
    messages.push_back(StrCat("name part ", Bytes(kLabelMax)));
  }
  if (!IsNamePartForm(name)) messages.push_back(StrCat("name part ", NamePartForm()));
  return messages;
}

Messages CheckLabelValue(std::string_view value) {
  Messages messages;
  if (value.size() > kLabelMax) messages.push_back(Bytes(kLabelMax));
  if (!value.empty() && !IsNamePartForm(value)) {
    messages.push_back(
        Form("a valid label must be an empty string or consist of alphanumeric characters, '-', "
             "'_' or '.', and must start and end with an alphanumeric character",
             {"MyValue", "my_value", "12345"}, StrCat("(", kNamePartExpression, ")?")));
  }
  return messages;
}

Messages CheckPathSegment(std::string_view name) {
  if (name == "." || name == "..") return {StrCat("may not be '", name, "'")};
  Messages messages;
  for (const std::string_view part : {"/", "%"}) {
    if (StrContains(name, part)) messages.push_back(StrCat("may not contain '", part, "'"));
  }
  return messages;
}

Messages CheckPortName(std::string_view name) {
  Messages messages;
  if (name.size() > kPortNameMax) messages.push_back(Characters(kPortNameMax));
  if (name.empty() || !All(name, [](char c) { return IsLowerAlnum(c) || c == '-'; })) {
    messages.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    messages.push_back("must contain at least one letter (a-z)");
  }
  if (StrContains(name, "--")) messages.push_back("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) {
    messages.push_back("must not begin or end with a hyphen");
  }
  return messages;
}

Messages CheckEnvVarName(std::string_view name) {
  Messages messages;
  const auto fits = [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; };
  if (name.empty() || !All(name, fits) || (name.front() >= '0' && name.front() <= '9')) {
    messages.push_back(
        Form("a valid environment variable name must consist of alphabetic characters, digits, "
             "'_', '-', or '.', and must not start with a digit",
             {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}, "[-._a-zA-Z][-._a-zA-Z0-9]*"));
  }
  CheckDots(name, &messages);
  return messages;
}

Messages CheckRelaxedEnvVarName(std::string_view name) {
  if (name.empty()) return {"environment variable name must be non-empty"};
  if (All(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

Messages CheckConfigMapKey(std::string_view key) {
  Messages messages;
  if (key.size() > kSubdomainMax) messages.push_back(Characters(kSubdomainMax));
  const auto fits = [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; };
  if (key.empty() || !All(key, fits)) {
    messages.push_back(
        Form("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
             {"key.name", "KEY_NAME", "key-name"}, "[-._a-zA-Z0-9]+"));
  }
  CheckDots(key, &messages);
  return messages;
}

Messages CheckHttpHeaderName(std::string_view name) {
  if (!name.empty() && All(name, [](char c) { return IsAlnum(c) || c == '-'; })) return {};
  return {Form("a valid HTTP header must consist of alphanumeric characters or '-'",
               {"X-Header-Name"}, "[-A-Za-z0-9]+")};
}

}  // namespace bth::rules
