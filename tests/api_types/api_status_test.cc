#include "api/types/api_status.h"

#include <string>

#include "tests/support/catch.h"

using namespace bth::types;

TEST_CASE("api status: codes and reasons become status codes", "[types][unit]") {
  using Code = absl::StatusCode;
  struct Case {
    int http;
    std::string reason;
    Code code;
  };
  const Case c = GENERATE(values<Case>({{400, "BadRequest", Code::kInvalidArgument},
                                        {401, "Unauthorized", Code::kUnauthenticated},
                                        {403, "Forbidden", Code::kPermissionDenied},
                                        {404, "NotFound", Code::kNotFound},
                                        {409, "AlreadyExists", Code::kAlreadyExists},
                                        {409, "Conflict", Code::kAborted},
                                        {410, "Expired", Code::kOutOfRange},
                                        {415, "UnsupportedMediaType", Code::kInvalidArgument},
                                        {422, "Invalid", Code::kInvalidArgument},
                                        {429, "TooManyRequests", Code::kResourceExhausted},
                                        {500, "InternalError", Code::kUnavailable},
                                        {503, "ServiceUnavailable", Code::kUnavailable},
                                        {504, "Timeout", Code::kDeadlineExceeded},
                                        {418, "Teapot", Code::kUnknown}}));
  CAPTURE(c.http, c.reason);
  const absl::Status status = StatusFromResponse(
      c.http, R"({"kind":"Status","status":"Failure","message":"because","reason":")" + c.reason +
                  R"(","details":{"name":"x","retryAfterSeconds":3},"code":1})");
  CHECK(status.code() == c.code);
  CHECK(status.message() == "because");
  CHECK(ReasonOf(status) == c.reason);
  CHECK(HttpCodeOf(status) == c.http);
  CHECK(RetryAfterOf(status) == absl::Seconds(3));
}

TEST_CASE("api status: bodies of other servers are quoted", "[types][unit]") {
  CHECK(StatusFromResponse(502, "<html>bad gateway").message() == "HTTP 502: <html>bad gateway");
  CHECK(StatusFromResponse(404, "").message() == "HTTP 404");
  CHECK(StatusFromResponse(404, "{}").message() == "HTTP 404: {}");
  CHECK(StatusFromResponse(500, std::string(100000, 'x')).message().size() < 300);
  CHECK(ReasonOf(absl::OkStatus()).empty());
  CHECK(HttpCodeOf(absl::InternalError("x")) == 0);
  CHECK_FALSE(RetryAfterOf(absl::UnavailableError("x")).has_value());
  absl::Status status = absl::UnavailableError("x");
  SetRetryAfter(absl::Milliseconds(1500), &status);
  CHECK(RetryAfterOf(status) == absl::Milliseconds(1500));
}
