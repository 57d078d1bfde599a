#include "net/http.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/http_parser.h"

namespace bth::net {

namespace {

constexpr size_t kQueryParametersMax = 1000;

// The value of a hexadecimal digit, or -1.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::StatusOr<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) {
      c = ' ';
    } else if (c == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError(StrCat("request target: \"%\" at byte ", i, " of \"",
                                                 text.substr(0, 200),
                                                 "\" must be followed by two hexadecimal digits"));
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return absl::InvalidArgumentError("request target: a zero byte is not allowed");
    out.push_back(c);
  }
  return out;
}

}  // namespace

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (detail::SameWord(key, name)) return value;
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [name](const auto& field) { return detail::SameWord(field.first, name); });
}

void Headers::Set(std::string_view name, std::string value) {
  const auto same = [name](const auto& field) { return detail::SameWord(field.first, name); };
  const auto first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) {
    fields_.emplace_back(std::string(name), std::move(value));
    return;
  }
  first->second = std::move(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
}

std::string_view Target::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return {};
}

bool Target::HasQuery(std::string_view name) const {
  return std::any_of(query.begin(), query.end(),
                     [name](const auto& parameter) { return parameter.first == name; });
}

absl::StatusOr<Target> ParseTarget(std::string_view target) {
  if (target.empty() || target.front() != '/') {
    return absl::InvalidArgumentError(
        StrCat("request target: \"", target.substr(0, 200), "\" must begin with \"/\""));
  }
  Target out;
  const size_t mark = target.find('?');
  BTH_ASSIGN_OR_RETURN(out.path, PercentDecode(target.substr(0, mark), false));
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (pair.empty()) continue;
    if (out.query.size() == kQueryParametersMax) {
      return absl::InvalidArgumentError(
          StrCat("request target: more than ", kQueryParametersMax, " query parameters"));
    }
    const size_t equals = pair.find('=');
    BTH_ASSIGN_OR_RETURN(std::string name, PercentDecode(pair.substr(0, equals), true));
    const std::string_view raw = equals == std::string_view::npos ? "" : pair.substr(equals + 1);
    BTH_ASSIGN_OR_RETURN(std::string value, PercentDecode(raw, true));
    out.query.emplace_back(std::move(name), std::move(value));
  }
  return out;
}

std::string PercentEncode(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

}  // namespace bth::net
