#include "client/text_stream.h"

#include "client/api_client.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::Await;
using testing::FakeServer;
using testing::Feed;
using testing::StartTime;
using testing::Stream;

struct TextBed {
  net::VirtualExecutor executor{StartTime()};
  FakeServer server{executor};
  ApiClient api{executor, server.Transport(), ApiClientOptions()};

  static ApiRequest LogRequest() {
    ApiRequest request;
    request.verb = "get";
    request.path = {"pods/log", "/api/v1/namespaces/a/pods/b/log"};
    request.query = {{"follow", "true"}};
    return request;
  }
};

TEST_CASE("text: pieces come as they arrive, and then the end", "[client]") {
  TextBed bed;
  const auto feed = std::make_shared<Feed>(bed.executor);
  bed.server.script = [feed](const net::Request&) { return Stream(feed); };
  auto text = Await(bed.executor, bed.api.OpenText(TextBed::LogRequest()));
  REQUIRE(text.ok());
  CHECK(bed.server.requests[0].target == "/api/v1/namespaces/a/pods/b/log?follow=true");
  feed->Push("a\nb");
  auto piece = Await(bed.executor, text->Next());
  REQUIRE(piece.ok());
  CHECK(*piece == "a\nb");
  feed->End();
  piece = Await(bed.executor, text->Next());
  REQUIRE(piece.ok());
  CHECK_FALSE(piece->has_value());
}

TEST_CASE("text: an answer may come whole, and may be empty", "[client]") {
  TextBed bed;
  for (const std::string& body : {std::string("one\n"), std::string()}) {
    bed.server.script = [&body](const net::Request&) { return Answer(200, body); };
    auto text = Await(bed.executor, bed.api.OpenText(TextBed::LogRequest()));
    REQUIRE(text.ok());
    auto piece = Await(bed.executor, text->Next());
    REQUIRE(piece.ok());
    CHECK(piece->value_or("") == body);
    if (body.empty()) continue;
    piece = Await(bed.executor, text->Next());
    REQUIRE(piece.ok());
    CHECK_FALSE(piece->has_value());
  }
}

TEST_CASE("text: a refusal is an error, and so is an end in the middle", "[client]") {
  TextBed bed;
  bed.server.script = [](const net::Request&) {
    return Answer(400, R"({"kind":"Status","status":"Failure","message":"it waits",)"
                       R"("reason":"BadRequest","code":400})");
  };
  const auto refused = Await(bed.executor, bed.api.OpenText(TextBed::LogRequest()));
  CHECK(refused.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(refused.status().message() == "it waits");
  const auto feed = std::make_shared<Feed>(bed.executor);
  bed.server.script = [feed](const net::Request&) { return Stream(feed); };
  auto text = Await(bed.executor, bed.api.OpenText(TextBed::LogRequest()));
  REQUIRE(text.ok());
  feed->End(absl::UnavailableError("broken off"));
  CHECK(absl::IsUnavailable(Await(bed.executor, text->Next()).status()));
}

}  // namespace
}  // namespace bth::client
