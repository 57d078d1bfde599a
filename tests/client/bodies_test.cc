// Bodies that are written in two encodings say the same in both.
#include "client/bodies.h"

#include "apiserver/protobuf/decode.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::Await;
using testing::FakeServer;
using types::Encoding;
using types::Json;

constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";

BindRequest Binding() {
  return {.namespace_name = "ns",
          .pod = "p",
          .uid = "u",
          .node = "n1",
          .annotations = {{"a", "1"}, {"b", std::string(300, 'x')}}};
}

TEST_CASE("bodies: a binding says the same in JSON and in protobuf", "[client][protobuf]") {
  BindRequest request = Binding();
  SECTION("all fields") {}
  SECTION("without annotations") {
    request.annotations.clear();
  }
  SECTION("without a uid") {
    request.uid.clear();
  }
  SECTION("a value longer than short lengths can tell") {
    request.annotations.emplace_back("c", std::string(70'000, 'y'));
  }
  const auto read = apiserver::DecodeProtobuf(BindingBody(request, Encoding::kProtobuf));
  REQUIRE(read.ok());
  CHECK(*read == Json::Parse(BindingBody(request, Encoding::kJson)).value());
}

TEST_CASE("bodies: an event says the same in JSON and in protobuf", "[client][protobuf]") {
  EventObject object{"v1", "Pod", "ns", "p", "u"};
  const EventText text{"Normal", "Scheduled", "Successfully assigned ns/p to \"n1\""};
  const absl::Time first = testing::StartTime();
  SECTION("of an object with a namespace") {}
  SECTION("of one without") {
    object = {"scheduling.volcano.sh/v1beta1", "Queue", "", "q", ""};
  }
  for (const int64_t count : {1, 3'000'000}) {
    const EventFields event{.name = "p.1",
                            .object = object,
                            .text = text,
                            .component = "volcano",
                            .host = "h",
                            .first = first,
                            .last = first + absl::Seconds(count - 1),
                            .count = count};
    const auto read = apiserver::DecodeProtobuf(EventBody(event, Encoding::kProtobuf));
    REQUIRE(read.ok());
    CHECK(*read == Json::Parse(EventBody(event, Encoding::kJson)).value());
  }
}

struct BodiesBed {
  net::VirtualExecutor executor{testing::StartTime()};
  FakeServer server{executor};
  ApiClientOptions options{.qps = 0};

  absl::Status Bind(ApiClient* api) { return Await(executor, api->Bind(Binding())); }
  std::string Sent(size_t i) const {
    return std::string(server.requests.at(i).headers.Get("Content-Type"));
  }
};

TEST_CASE("bodies: bindings are sent as protobuf", "[client][protobuf]") {
  BodiesBed bed;
  bed.server.script = [](const net::Request&) { return Answer(201, ""); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.options);
  CHECK(bed.Bind(&api).ok());
  CHECK(bed.Sent(0) == kProtobuf);
  CHECK(bed.server.requests[0].headers.Get("Accept").starts_with(kProtobuf));
}

TEST_CASE("bodies: a server that refuses protobuf gets JSON from then on", "[client][protobuf]") {
  BodiesBed bed;
  bed.server.script = [](const net::Request& request) {
    return Answer(request.headers.Get("Content-Type") == kProtobuf ? 415 : 201, "");
  };
  ApiClient api(bed.executor, bed.server.Transport(), bed.options);
  CHECK(bed.Bind(&api).ok());
  CHECK(bed.Bind(&api).ok());
  REQUIRE(bed.server.requests.size() == 3);
  CHECK(bed.Sent(1) == "application/json");
  CHECK(bed.Sent(2) == "application/json");
  CHECK(bed.server.requests[2].body == BindingBody(Binding(), Encoding::kJson));
}

TEST_CASE("bodies: another refusal is not tried again in JSON", "[client][protobuf]") {
  BodiesBed bed;
  bed.server.script = [](const net::Request&) { return Answer(409, ""); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.options);
  CHECK(absl::IsAborted(bed.Bind(&api)));
  CHECK(bed.server.requests.size() == 1);
}

TEST_CASE("bodies: a client that is told so sends JSON alone", "[client][protobuf]") {
  BodiesBed bed;
  bed.server.script = [](const net::Request&) { return Answer(201, ""); };
  bed.options.protobuf = false;
  ApiClient api(bed.executor, bed.server.Transport(), bed.options);
  CHECK(bed.Bind(&api).ok());
  CHECK(bed.Sent(0) == "application/json");
}

}  // namespace
}  // namespace bth::client
