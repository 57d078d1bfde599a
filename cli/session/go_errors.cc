#include "cli/session/go_errors.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_replace.h"
#include "api/rules/go_quote.h"
#include "api/types/api_status.h"
#include "base/strings.h"
#include "net/http.h"

namespace bth::cli {
namespace {

// "Get" of "GET".
std::string Capitalised(std::string_view method) {
  std::string out = AsciiStrToLower(method);
  if (!out.empty()) out[0] = absl::ascii_toupper(static_cast<unsigned char>(out[0]));
  return out;
}

absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status out(status.code(), message);
  status.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

// What Go's client says of an answer that is no Status object. Empty: of other codes.
std::string_view TextOfCode(int code) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      return "";
  }
}

// Of an answer without a Status object: `message` is "HTTP <code>" or "HTTP <code>: <body>".
std::string TextOfBareAnswer(int code, std::string_view message, const CallText& call) {
  std::string text(TextOfCode(code));
  const size_t colon = message.find(": ");
  const std::string_view body =
      colon == std::string_view::npos ? "unknown" : message.substr(colon + 2);
  if (text.empty() && code >= 500) {
    text = StrCat("an error on the server (", rules::GoQuote(body),
                  ") has prevented the request from succeeding");
  }
  if (text.empty()) text = body;
  StrAppend(&text, " (", AsciiStrToLower(call.method), " ", call.resource,
            call.name.empty() ? "" : " ", call.name, ")");
  return text;
}

// "127.0.0.1:80" of "localhost:80": Go names what it dialled. The text itself where the system
// knows no address.
std::string Dialled(const std::string& host_and_port) {
  const size_t colon = host_and_port.rfind(':');
  const std::string host = host_and_port.substr(0, colon);
  const std::string port = host_and_port.substr(colon + 1);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return host_and_port;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  char text[INET6_ADDRSTRLEN] = {};
  if (found->ai_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text,
              sizeof(text));
    return StrCat(text, ":", port);
  }
  inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(found->ai_addr)->sin6_addr, text,
            sizeof(text));
  return StrCat("[", text, "]:", port);
}

// What is left of `text` after `prefix`, where it begins with it.
std::optional<std::string_view> After(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::string TextOfCertificate(std::string_view why) {
  constexpr std::string_view kUnknown[] = {"self-signed", "self signed", "unable to get",
                                           "unable to verify"};
  const bool unknown = std::any_of(std::begin(kUnknown), std::end(kUnknown),
                                   [why](std::string_view part) { return StrContains(why, part); });
  return StrCat("tls: failed to verify certificate: ",
                unknown ? "x509: certificate signed by unknown authority" : why);
}

// `why`: what net/ says of a connection that did not come about.
std::string TextOfDial(std::string_view why) {
  if (why.ends_with("; not sent")) why.remove_suffix(std::string_view("; not sent").size());
  const size_t space = why.find(": ");
  const std::string place(why.substr(0, space));
  std::string_view reason = space == std::string_view::npos ? why : why.substr(space + 2);
  if (const auto system = After(reason, "connect: ")) {
    return StrCat("dial tcp ", Dialled(place), ": connect: ", AsciiStrToLower(*system));
  }
  if (reason.starts_with("cannot resolve host")) {
    return StrCat("dial tcp: lookup ", place.substr(0, place.rfind(':')), ": no such host");
  }
  if (reason.starts_with("no connection within") || reason.starts_with("deadline")) {
    return StrCat("dial tcp ", Dialled(place), ": i/o timeout");
  }
  if (const auto certificate = After(reason, "TLS handshake: certificate refused: ")) {
    return TextOfCertificate(*certificate);
  }
  return std::string(reason);
}

// Of a request without an answer. `message`: "GET /path: why".
std::string TextOfSilence(std::string_view message, const CallText& call) {
  if (const auto why = After(message, StrCat(call.method, " ", call.path, ": "))) message = *why;
  std::string text(message);
  if (const auto dial = After(message, "connect to ")) {
    text = TextOfDial(*dial);
    const bool answered = StrContains(*dial, "TLS handshake");
    if (!call.hint.empty() && !answered) StrAppend(&text, " (", call.hint, ")");
  } else if (message == "connection closed") {
    text = "EOF";
  } else if (message.starts_with("no answer within")) {
    text = "context deadline exceeded";
  }
  return StrCat(Capitalised(call.method), " ",
                rules::GoQuote(StrCat(call.server, call.path, call.query)), ": ", text);
}

// Why a text cannot be one part of a path; empty: it can.
std::string_view PathProblem(std::string_view text) {
  if (text == ".") return "may not be '.'";
  if (text == "..") return "may not be '..'";
  if (StrContains(text, "/")) return "may not contain '/'";
  if (StrContains(text, "%")) return "may not contain '%'";
  return "";
}

}  // namespace

std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    if (name == "limit" || name == "continue") continue;
    StrAppend(&out, out.empty() ? "?" : "&", name, "=",
              absl::StrReplaceAll(net::PercentEncode(value), {{"%20", "+"}}));
  }
  return out;
}

absl::Status AsGoTells(const absl::Status& status, const CallText& call) {
  const int code = types::HttpCodeOf(status);
  const std::string_view message = ToStd(status.message());
  if (code == 0) return WithMessage(status, TextOfSilence(message, call));
  if (!types::ReasonOf(status).empty() || !message.starts_with(StrCat("HTTP ", code))) {
    return status;
  }
  return WithMessage(status, TextOfBareAnswer(code, message, call));
}

absl::Status CheckTarget(std::string_view ns, std::string_view name) {
  for (const auto& [what, text] : {std::pair("namespace", ns), std::pair("resource name", name)}) {
    const std::string_view problem = PathProblem(text);
    if (problem.empty()) continue;
    return absl::InvalidArgumentError(
        StrCat("invalid ", what, " ", rules::GoQuote(text), ": [", problem, "]"));
  }
  return absl::OkStatus();
}

}  // namespace bth::cli
