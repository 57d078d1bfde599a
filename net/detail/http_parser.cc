#include "net/detail/http_parser.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::net::detail {

namespace {

constexpr size_t kFieldsMax = 200;
constexpr size_t kFieldsUsual = 10;
constexpr size_t kMethodBytesMax = 32;

// Characters of methods and field names (RFC 9110, token).
constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = true;
  for (const char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kToken = MakeTokenTable();

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return kToken[static_cast<unsigned char>(c)]; });
}

bool IsValueByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool IsTargetByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f;
}

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("malformed HTTP message: ", ToAbsl(what)));
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Cuts the next line off `rest`; the caller knows that `rest` ends with CRLF.
std::string_view TakeLine(std::string_view& rest) {
  const size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + 2));
  return line;
}

// What the fields say about connection and body, for both kinds of message.
struct Control {
  std::optional<uint64_t> content_length;
  bool chunked = false;
  bool unknown_coding = false;
  bool close = false;
  bool keep_alive = false;
  bool expects_continue = false;
  int hosts = 0;
};

// Calls `each` for every element of a comma-separated list.
template <typename Each>
void ForEachElement(std::string_view list, Each each) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view element = Trim(list.substr(0, comma));
    if (!element.empty()) each(element);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

absl::Status NoteLength(std::string_view value, Control& control) {
  uint64_t length = 0;
  const bool digits =
      !value.empty() && value.size() <= 18 &&
      std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || !absl::SimpleAtoi(ToAbsl(value), &length)) {
    return Malformed("Content-Length is not a number");
  }
  if (control.content_length.has_value() && *control.content_length != length) {
    return Malformed("two different Content-Length fields");
  }
  control.content_length = length;
  return absl::OkStatus();
}

absl::Status NoteField(std::string_view name, std::string_view value, Control& control) {
  // The length of the name tells most fields apart without comparing letters.
  switch (name.size()) {
    case 4:
      if (SameWord(name, "Host")) ++control.hosts;
      break;
    case 6:
      if (SameWord(name, "Expect")) control.expects_continue |= SameWord(value, "100-continue");
      break;
    case 10:
      if (SameWord(name, "Connection")) {
        ForEachElement(value, [&control](std::string_view option) {
          control.close |= SameWord(option, "close");
          control.keep_alive |= SameWord(option, "keep-alive");
        });
      }
      break;
    case 14:
      if (SameWord(name, "Content-Length")) return NoteLength(value, control);
      break;
    case 17:
      if (SameWord(name, "Transfer-Encoding")) {
        if (control.chunked || control.unknown_coding) {
          return Malformed("more than one Transfer-Encoding");
        }
        control.chunked = SameWord(value, "chunked");
        control.unknown_coding = !control.chunked;
      }
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

absl::Status ParseFields(std::string_view rest, Headers& headers, Control& control) {
  size_t count = 0;
  headers.Reserve(kFieldsUsual);
  for (;;) {
    const std::string_view line = TakeLine(rest);
    if (line.empty()) return absl::OkStatus();
    if (++count > kFieldsMax) {
      return absl::ResourceExhaustedError(
          absl::StrCat("HTTP message has more than ", kFieldsMax, " header fields"));
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Malformed("a header line has no colon");
    const std::string_view name = line.substr(0, colon);
    if (!IsToken(name)) return Malformed("a header name holds a forbidden character");
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!std::all_of(value.begin(), value.end(), IsValueByte)) {
      return Malformed("a header value holds a control character");
    }
    BTH_RETURN_IF_ERROR(NoteField(name, value, control));
    headers.Add(std::string(name), std::string(value));
  }
}

// "HTTP/1.0" or "HTTP/1.1": the minor version, or -1.
int MinorVersion(std::string_view version) {
  if (version == "HTTP/1.1") return 1;
  return version == "HTTP/1.0" ? 0 : -1;
}

// "http://host/path" -> "/path": servers must understand what clients send to proxies.
absl::StatusOr<std::string> OriginForm(std::string_view target) {
  if (!std::all_of(target.begin(), target.end(), IsTargetByte)) {
    return Malformed("the request target holds a forbidden character");
  }
  if (target == "*" || (!target.empty() && target.front() == '/')) return std::string(target);
  const size_t scheme = target.find("://");
  if (scheme != std::string_view::npos && IsToken(target.substr(0, scheme))) {
    const size_t path = target.find_first_of("/?", scheme + 3);
    if (path == std::string_view::npos) return std::string("/");
    if (target[path] == '?') return absl::StrCat("/", ToAbsl(target.substr(path)));
    return std::string(target.substr(path));
  }
  return Malformed("the request target is neither a path nor an absolute URL");
}

}  // namespace

bool SameWord(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

std::optional<size_t> FindHeadEnd(std::string_view bytes, size_t searched) {
  const size_t from = searched > 3 ? searched - 3 : 0;
  const size_t at = bytes.find("\r\n\r\n", from);
  if (at == std::string_view::npos) return std::nullopt;
  return at + 4;
}

absl::StatusOr<RequestHead> ParseRequestHead(std::string_view head) {
  if (!absl::EndsWith(ToAbsl(head), "\r\n\r\n")) return Malformed("the head is not complete");
  std::string_view rest = head;
  const std::string_view line = TakeLine(rest);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return Malformed("bad request line");
  const std::string_view method = line.substr(0, first);
  if (!IsToken(method) || method.size() > kMethodBytesMax) return Malformed("bad method");
  const int minor = MinorVersion(line.substr(last + 1));
  if (minor < 0) return Malformed("the version is not HTTP/1.0 or HTTP/1.1");

  RequestHead out;
  out.method = method;
  out.http_1_0 = minor == 0;
  BTH_ASSIGN_OR_RETURN(out.target, OriginForm(line.substr(first + 1, last - first - 1)));
  Control control;
  BTH_RETURN_IF_ERROR(ParseFields(rest, out.headers, control));
  if (control.hosts > 1 || (control.hosts == 0 && minor == 1)) {
    return Malformed("exactly one Host field is needed");
  }
  if (control.unknown_coding) {
    return absl::UnimplementedError("only the transfer coding \"chunked\" is understood");
  }
  if (control.chunked && (control.content_length.has_value() || minor == 0)) {
    return Malformed("Transfer-Encoding goes neither with Content-Length nor with HTTP/1.0");
  }
  out.keep_alive = !control.close && (minor == 1 || control.keep_alive);
  out.expects_continue = control.expects_continue && minor == 1;
  if (control.chunked) {
    out.framing = Framing::kChunked;
  } else if (control.content_length.value_or(0) > 0) {
    out.framing = Framing::kLength;
    out.content_length = *control.content_length;
  }
  return out;
}

absl::StatusOr<ResponseHead> ParseResponseHead(std::string_view head, bool to_head) {
  if (!absl::EndsWith(ToAbsl(head), "\r\n\r\n")) return Malformed("the head is not complete");
  std::string_view rest = head;
  const std::string_view line = TakeLine(rest);
  // "HTTP/1.1 200 OK"; the reason may be empty or missing.
  const int minor = MinorVersion(line.substr(0, 8));
  const auto digit = [line](size_t at) { return line[at] >= '0' && line[at] <= '9'; };
  if (minor < 0 || line.size() < 12 || line[8] != ' ' || !digit(9) || !digit(10) || !digit(11) ||
      line[9] == '0' || (line.size() > 12 && line[12] != ' ') ||
      !std::all_of(line.begin(), line.end(), IsValueByte)) {
    return Malformed("bad status line");
  }
  ResponseHead out;
  out.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  Control control;
  BTH_RETURN_IF_ERROR(ParseFields(rest, out.headers, control));
  if (control.unknown_coding) {
    return Malformed("the answer's transfer coding is not \"chunked\"");
  }
  if (control.chunked && control.content_length.has_value()) {
    return Malformed("both Transfer-Encoding and Content-Length");
  }
  out.keep_alive = !control.close && (minor == 1 || control.keep_alive);
  if (to_head || out.status < 200 || out.status == 204 || out.status == 304) return out;
  if (control.chunked) {
    out.framing = Framing::kChunked;
  } else if (control.content_length.has_value()) {
    out.framing = *control.content_length > 0 ? Framing::kLength : Framing::kNone;
    out.content_length = *control.content_length;
  } else {
    out.framing = Framing::kUntilClose;
    out.keep_alive = false;
  }
  return out;
}

}  // namespace bth::net::detail
