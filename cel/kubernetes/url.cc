#include "cel/kubernetes/url.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/kubernetes/ip_address.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

// What a text stands for within a URL: each has its own characters that need no escape.
enum class UrlPart { kPath, kHost, kZone, kUser, kQuery, kFragment };

absl::Status BadUrl(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

bool IsUrlAlnum(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}

bool IsUrlCharIn(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

bool IsUrlHex(char c) {
  return absl::ascii_isxdigit(static_cast<unsigned char>(c));
}

unsigned UrlHexValue(char c) {
  if (c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

bool NeedsUrlEscape(char c, UrlPart part) {
  if (IsUrlAlnum(c) || IsUrlCharIn(c, "-_.~")) return false;
  switch (part) {
    case UrlPart::kPath:
      return !IsUrlCharIn(c, "$&+,/:;=@");
    case UrlPart::kHost:
    case UrlPart::kZone:
      return !IsUrlCharIn(c, "!$&'()*+,;=:[]<>\"");
    case UrlPart::kUser:
      return !IsUrlCharIn(c, "$&+,;=");
    case UrlPart::kQuery:
      return true;
    case UrlPart::kFragment:
      return !IsUrlCharIn(c, "$&+,/:;=?@!()*");
  }
  return true;
}

absl::Status BadUrlEscape(std::string_view text) {
  return BadUrl(StrCat("invalid URL escape ", QuotedText(text)));
}

// Whether the escape of `value` may stand in `part`: in hosts only bytes beyond ASCII are escaped.
bool MayBeEscaped(unsigned value, std::string_view escape, UrlPart part) {
  if (escape == "%25") return true;
  if (part == UrlPart::kHost) return value >= 0x80;
  if (part != UrlPart::kZone) return true;
  return value == ' ' || !NeedsUrlEscape(static_cast<char>(value), UrlPart::kHost);
}

absl::StatusOr<std::string> UrlUnescape(std::string_view text, UrlPart part) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_host = part == UrlPart::kHost || part == UrlPart::kZone;
    if (c == '%') {
      const std::string_view escape = text.substr(i, 3);
      if (escape.size() < 3 || !IsUrlHex(escape[1]) || !IsUrlHex(escape[2]))
        return BadUrlEscape(escape);
      const unsigned value = UrlHexValue(escape[1]) * 16 + UrlHexValue(escape[2]);
      if (!MayBeEscaped(value, escape, part)) return BadUrlEscape(escape);
      out.push_back(static_cast<char>(value));
      i += 2;
    } else if (c == '+' && part == UrlPart::kQuery) {
      out.push_back(' ');
    } else if (in_host && static_cast<unsigned char>(c) < 0x80 && NeedsUrlEscape(c, part)) {
      return BadUrl(StrCat("invalid character ", QuotedText(text.substr(i, 1)), " in host name"));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string UrlEscape(std::string_view text, UrlPart part) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (!NeedsUrlEscape(c, part)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  }
  return out;
}

bool IsUrlControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Takes "scheme:" away. Errors: there is a colon with nothing before it.
absl::StatusOr<std::string> TakeScheme(std::string_view* text) {
  for (size_t i = 0; i < text->size(); ++i) {
    const char c = (*text)[i];
    if (absl::ascii_isalpha(static_cast<unsigned char>(c))) continue;
    if (c == ':') {
      if (i == 0) return BadUrl("missing protocol scheme");
      std::string scheme = AsciiStrToLower(text->substr(0, i));
      text->remove_prefix(i + 1);
      return scheme;
    }
    if (i == 0 || !(IsUrlAlnum(c) || IsUrlCharIn(c, "+-."))) break;
  }
  return std::string();
}

bool IsOptionalPort(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos;
}

bool IsUserInfo(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsUrlAlnum(c) || IsUrlCharIn(c, "-._:~!$&'()*+,;=%@"); });
}

// Where the port begins, with its colon, or the end.
size_t PortAt(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == host.npos || !IsOptionalPort(host.substr(colon))) return host.size();
  return colon;
}

absl::Status AtUrl(std::string_view text, const absl::Status& status) {
  return Annotate(status, StrCat("parse ", QuotedText(text)));
}

}  // namespace

absl::Status Url::ReadHost(std::string_view host) {
  if (!host.starts_with('[')) {
    if (host.find('[') != host.npos) return BadUrl("invalid IP-literal");
    const size_t colon = host.find(':');
    if (colon != host.npos && !IsOptionalPort(host.substr(colon))) {
      return BadUrl(StrCat("invalid port ", QuotedText(host.substr(colon)), " after host"));
    }
    BTH_ASSIGN_OR_RETURN(host_, UrlUnescape(host, UrlPart::kHost));
    return absl::OkStatus();
  }
  const size_t bracket = host.rfind(']');
  if (bracket == host.npos) return BadUrl("missing ']' in host");
  const std::string_view port = host.substr(bracket + 1);
  if (!IsOptionalPort(port)) {
    return BadUrl(StrCat("invalid port ", QuotedText(port), " after host"));
  }
  const std::string_view inner = host.substr(1, bracket - 1);
  const size_t zone = std::min(inner.find("%25"), inner.size());
  BTH_ASSIGN_OR_RETURN(const std::string address,
                       UrlUnescape(inner.substr(0, zone), UrlPart::kHost));
  BTH_ASSIGN_OR_RETURN(const std::string rest, UrlUnescape(inner.substr(zone), UrlPart::kZone));
  if (!IpAddress::IsV6(address + rest)) return BadUrl("invalid IP-literal");
  host_ = StrCat("[", address, rest, "]", port);
  return absl::OkStatus();
}

absl::Status Url::ReadAuthority(std::string_view authority) {
  has_authority_ = true;
  const size_t at = authority.rfind('@');
  BTH_RETURN_IF_ERROR(ReadHost(at == authority.npos ? authority : authority.substr(at + 1)));
  if (at == authority.npos) return absl::OkStatus();
  const std::string_view user = authority.substr(0, at);
  if (!IsUserInfo(user)) return BadUrl("net/url: invalid userinfo");
  BTH_RETURN_IF_ERROR(UrlUnescape(user, UrlPart::kUser));
  user_ = authority.substr(0, at + 1);
  return absl::OkStatus();
}

absl::StatusOr<Url> Url::ParseParts(std::string_view text, bool as_request) {
  if (std::any_of(text.begin(), text.end(), IsUrlControl)) {
    return BadUrl("net/url: invalid control character in URL");
  }
  if (text.empty() && as_request) return BadUrl("empty url");
  Url url;
  if (text == "*") {
    url.path_ = url.written_path_ = "*";
    return url;
  }
  BTH_ASSIGN_OR_RETURN(url.scheme_, TakeScheme(&text));
  if (const size_t mark = text.find('?'); mark != text.npos) {
    url.has_query_ = true;
    url.query_ = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!url.scheme_.empty()) {
      url.opaque_ = text;
      return url;
    }
    if (as_request) return BadUrl("invalid URI for request");
    if (StrContains(text.substr(0, text.find('/')), ":")) {
      return BadUrl("first path segment in URL cannot contain colon");
    }
  }
  const bool may_have_host = !url.scheme_.empty() || (!as_request && !text.starts_with("///"));
  if (may_have_host && text.starts_with("//")) {
    text.remove_prefix(2);
    const size_t slash = std::min(text.find('/'), text.size());
    BTH_RETURN_IF_ERROR(url.ReadAuthority(text.substr(0, slash)));
    text.remove_prefix(slash);
  }
  BTH_ASSIGN_OR_RETURN(url.path_, UrlUnescape(text, UrlPart::kPath));
  url.written_path_ = text;
  return url;
}

absl::Status Url::CheckRequest(std::string_view text) {
  return AtUrl(text, ParseParts(text, true).status());
}

absl::StatusOr<Url> Url::Parse(std::string_view text) {
  static constexpr char kDoing[] = "URL parse error during conversion from string";
  // As a request first: that tells whether it is absolute.
  BTH_RETURN_IF_ERROR(Annotate(CheckRequest(text), kDoing));
  const size_t hash = std::min(text.find('#'), text.size());
  absl::StatusOr<Url> url = ParseParts(text.substr(0, hash), false);
  if (!url.ok()) return Annotate(AtUrl(text.substr(0, hash), url.status()), kDoing);
  if (hash == text.size()) return url;
  const absl::Status fragment = UrlUnescape(text.substr(hash + 1), UrlPart::kFragment).status();
  if (!fragment.ok()) return Annotate(AtUrl(text, fragment), kDoing);
  url->fragment_ = text.substr(hash + 1);
  return url;
}

std::string Url::Hostname() const {
  std::string name = host_.substr(0, PortAt(host_));
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') {
    return name.substr(1, name.size() - 2);
  }
  return name;
}

std::string Url::Port() const {
  const size_t colon = PortAt(host_);
  return colon == host_.size() ? "" : host_.substr(colon + 1);
}

std::string Url::EscapedPath() const {
  // What is written stays where it is a right way of writing the path.
  const bool right = std::all_of(written_path_.begin(), written_path_.end(), [](char c) {
    return IsUrlCharIn(c, "!$&'()*+,;=:@[]%") || !NeedsUrlEscape(c, UrlPart::kPath);
  });
  if (right || path_ == "*") return written_path_;
  return UrlEscape(path_, UrlPart::kPath);
}

std::map<std::string, std::vector<std::string>> Url::Query() const {
  std::map<std::string, std::vector<std::string>> values;
  for (absl::string_view pair : SplitText(query_, '&')) {
    const std::string_view text = ToStd(pair);
    if (text.empty() || text.find(';') != text.npos) continue;
    const size_t equals = std::min(text.find('='), text.size());
    const auto name = UrlUnescape(text.substr(0, equals), UrlPart::kQuery);
    const auto value = UrlUnescape(text.substr(std::min(equals + 1, text.size())), UrlPart::kQuery);
    if (name.ok() && value.ok()) values[*name].push_back(*value);
  }
  return values;
}

std::string Url::ToString() const {
  std::string out;
  if (!scheme_.empty()) StrAppend(&out, scheme_, ":");
  if (!opaque_.empty()) {
    out += opaque_;
  } else {
    if (has_authority_) {
      StrAppend(&out, "//", user_, UrlEscape(host_, UrlPart::kHost));
    }
    out += EscapedPath();
  }
  if (has_query_) StrAppend(&out, "?", query_);
  if (!fragment_.empty()) StrAppend(&out, "#", fragment_);
  return out;
}

}  // namespace bth::cel
