// Heads and chunks that a lenient reader would take, and where the limits are.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "net/detail/http_format.h"
#include "net/detail/http_parser.h"
#include "tests/support/catch.h"

namespace bth::net::detail {
namespace {

using Code = absl::StatusCode;

std::string RequestWith(std::string_view fields) {
  return StrCat("POST / HTTP/1.1\r\nHost: a\r\n", absl::string_view(fields.data(), fields.size()),
                "\r\n");
}

TEST_CASE("http heads: what two readers could understand differently is refused", "[net]") {
  struct Case {
    std::string fields;
    Code code;
    std::string says;
  };
  const Case c = GENERATE(values<Case>({
      {"A: b\r\n c\r\n", Code::kInvalidArgument, "folded"},
      {"A:\r\n c\r\n", Code::kInvalidArgument, "folded"},
      {"A:\r\n \r\n", Code::kInvalidArgument, "folded"},
      {"A: b\r\n\t\r\n", Code::kInvalidArgument, "folded"},
      {"Content-Length: 1\r\n 2\r\n", Code::kInvalidArgument, "Content-Length"},
      {"Content-Length: 5, 5\r\n", Code::kInvalidArgument, "Content-Length"},
      {"Content-Length: +5\r\n", Code::kInvalidArgument, "Content-Length"},
      {"Content-Length:\r\n", Code::kInvalidArgument, "Content-Length"},
      {"Content-Length: 0000000000000000005\r\n", Code::kInvalidArgument, "Content-Length"},
      {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Code::kInvalidArgument,
       "Transfer-Encoding"},
      {"Transfer-Encoding: gzip, chunked\r\n", Code::kUnimplemented, "chunked"},
      {"Transfer-Encoding: chunked, gzip\r\n", Code::kUnimplemented, "chunked"},
      {"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", Code::kInvalidArgument,
       "Transfer-Encoding"},
      {"Transfer-Encoding: gzip\r\nContent-Length: 5\r\n", Code::kUnimplemented, "chunked"},
      {"A: b\nC: d\r\n", Code::kInvalidArgument, "control character"},
      {"A: b\rC: d\r\n", Code::kInvalidArgument, "CR LF"},
      {"A: \x7f\r\n", Code::kInvalidArgument, "control character"},
      {": b\r\n", Code::kInvalidArgument, "name"},
      {"Connection: a b\r\n", Code::kInvalidArgument, "list"},
  }));
  CAPTURE(c.fields);
  const absl::Status status = ParseRequestHead(RequestWith(c.fields)).status();
  CAPTURE(status.message());
  CHECK(status.code() == c.code);
  CHECK(absl::StrContains(status.message(), c.says));
  const std::string answer = StrCat("HTTP/1.1 200 OK\r\n", c.fields, "\r\n");
  CHECK(ParseResponseHead(answer, false).status().code() == Code::kInvalidArgument);
}

TEST_CASE("http heads: fields are counted", "[net]") {
  std::string fields;
  for (int i = 0; i < 199; ++i) StrAppend(&fields, "A: b\r\n");
  CHECK(ParseRequestHead(RequestWith(fields)).ok());
  CHECK(ParseRequestHead(RequestWith(fields + "A: b\r\n")).status().code() ==
        Code::kResourceExhausted);
}

TEST_CASE("http heads: only Connection says whether a connection stays", "[net]") {
  struct Case {
    std::string version, fields;
    bool stays;
  };
  const Case c = GENERATE(values<Case>({
      {"1.1", "", true},
      {"1.1", "Connection: upgrade, CLOSE\r\n", false},
      {"1.1", "Proxy-Connection: close\r\n", true},
      {"1.0", "", false},
      {"1.0", "Connection: keep-alive\r\n", true},
      {"1.0", "Connection: keep-alive, close\r\n", false},
      {"1.0", "Proxy-Connection: keep-alive\r\n", false},
  }));
  CAPTURE(c.version, c.fields);
  const auto request =
      ParseRequestHead(StrCat("GET / HTTP/", c.version, "\r\nHost: a\r\n", c.fields, "\r\n"));
  REQUIRE(request.ok());
  CHECK(request->keep_alive == c.stays);
  const auto answer = ParseResponseHead(
      StrCat("HTTP/", c.version, " 200 OK\r\nContent-Length: 0\r\n", c.fields, "\r\n"), false);
  REQUIRE(answer.ok());
  CHECK(answer->keep_alive == c.stays);
}

TEST_CASE("http heads: an answer may have no reason, and no space before it", "[net]") {
  for (const std::string line : {"HTTP/1.1 204", "HTTP/1.1 204 ", "HTTP/1.1 204 No Content"}) {
    CAPTURE(line);
    const auto bare = ParseResponseHead(line + "\r\n\r\n", false);
    REQUIRE(bare.ok());
    CHECK(bare->status == 204);
    CHECK(bare->headers.fields().empty());
    const auto more = ParseResponseHead(line + "\r\nA: b\r\n\r\n", false);
    REQUIRE(more.ok());
    CHECK(more->headers.Get("A") == "b");
  }
  for (const std::string line : {"HTTP/1.1 2040", "HTTP/1.1 20", "HTTP/1.1 099", "HTTP/1.1"}) {
    CAPTURE(line);
    CHECK_FALSE(ParseResponseHead(line + "\r\n\r\n", false).ok());
  }
}

// Decodes `bytes` in reads of `step` bytes; `body` and whether the end was reached, or nothing.
struct Body {
  std::string bytes;
  bool done = false;
};
std::optional<Body> DecodeBy(size_t step, std::string_view bytes) {
  ChunkDecoder decoder;
  Body out;
  while (!bytes.empty() && !decoder.done()) {
    const auto used = decoder.Decode(bytes.substr(0, step), SIZE_MAX, out.bytes);
    if (!used.ok()) return std::nullopt;
    bytes.remove_prefix(*used);
  }
  out.done = decoder.done();
  return out;
}

TEST_CASE("http chunks: what cannot become right is refused before it is complete", "[net]") {
  const std::string wire = GENERATE(values<std::string>({
      "x",
      "\r",
      "\n",
      ";",
      "2\n",
      "2\r\r",
      "2\rx",
      "2,",
      "2\r\nab\n",
      "2\r\nabc",
      "2\r\nab\rc",
      "2\r\nab\r\n\r",
      "2;a=\"\n",
      "0\r\nA: b\n",
      "0\r\nA: b\rc",
      "0\r\n\rb",
      "0\r\nA\r\n\r\n",
      "0\r\nContent-Length: 1\r\n\r\n",
      "1000000000000000",
      "0000000000000002",
  }));
  CAPTURE(wire);
  CHECK_FALSE(DecodeBy(1, wire).has_value());
  CHECK_FALSE(DecodeBy(SIZE_MAX, wire).has_value());
}

TEST_CASE("http chunks: extensions and trailers are bounded, and dropped", "[net]") {
  const size_t step = GENERATE(size_t{1}, size_t{7}, SIZE_MAX);
  CAPTURE(step);
  const auto extended = [](size_t bytes) {
    return StrCat("2;", std::string(bytes, 'x'), "\r\nab\r\n0\r\n\r\n");
  };
  const auto trailed = [](size_t bytes) {
    return StrCat("2\r\nab\r\n0\r\nA: ", std::string(bytes, 'x'), "\r\n\r\n");
  };
  for (const std::string& wire : {extended(1000), trailed(8000)}) {
    const std::optional<Body> body = DecodeBy(step, wire);
    REQUIRE(body.has_value());
    CHECK(body->done);
    CHECK(body->bytes == "ab");
  }
  CHECK_FALSE(DecodeBy(step, extended(1100)).has_value());
  CHECK_FALSE(DecodeBy(step, trailed(8200)).has_value());
  CHECK_FALSE(DecodeBy(step, "2;" + std::string(1100, 'x')).has_value());
  CHECK_FALSE(DecodeBy(step, "0\r\nA: " + std::string(8200, 'x')).has_value());
}

TEST_CASE("http heads: long fields are written, up to what one can hold", "[net]") {
  Request request;
  request.headers.Add("A", std::string(60'000, 'x'));
  request.headers.Add("B", "1");
  request.headers.Add("A", "y");
  const auto head = FormatRequestHead(request, "host:1");
  REQUIRE(head.ok());
  const auto read = ParseRequestHead(*head);
  REQUIRE(read.ok());
  CHECK(read->headers.Get("Host") == "host:1");
  CHECK(read->headers.Get("A") == std::string(60'000, 'x'));
  CHECK(read->headers.fields().size() == 4);
  request.headers.Add("Too-Long", std::string(70'000, 'x'));
  const absl::Status refused = FormatRequestHead(request, "host:1").status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(absl::StrContains(refused.message(), "\"Too-Long\" is longer than 65533 bytes"));
}

TEST_CASE("http heads: a request's lines", "[net]") {
  Request request;
  request.method = GENERATE("POST", "PURGE");
  request.target = "/a?b=c";
  request.headers.Add("Accept", "text/plain");
  request.headers.Add("Connection", "close");  // The sender's own.
  request.headers.Add("accept", "*/*");
  request.body = "four";
  const auto head = FormatRequestHead(request, "host:1");
  REQUIRE(head.ok());
  CHECK(*head == StrCat(request.method,
                        " /a?b=c HTTP/1.1\r\nHost: host:1\r\nAccept: text/plain\r\n"
                        "accept: */*\r\nContent-Length: 4\r\n\r\n"));
}

TEST_CASE("http heads: an answer's lines", "[net]") {
  Response response;
  response.status = GENERATE(200, 299);
  response.headers.Add("Content-Length", "7");  // The sender's own.
  response.body = "four";
  ResponseFraming framing;
  framing.date = "today";
  framing.keep_alive = false;
  const auto head = FormatResponseHead(response, framing);
  REQUIRE(head.ok());
  CHECK(*head == StrCat("HTTP/1.1 ", response.status, response.status == 200 ? " OK" : " Status",
                        "\r\nDate: today\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"));
  framing.chunked = true;
  framing.keep_alive = true;
  framing.http_1_0 = true;
  const auto chunked = FormatResponseHead(response, framing);
  REQUIRE(chunked.ok());
  CHECK(absl::EndsWith(*chunked, "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace bth::net::detail
