#include "client/api_client.h"

#include "api/types/api_status.h"
#include "api/types/json.h"
#include "client/finalizers.h"
#include "client/patch.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::client {
namespace {

using test::TempFolder;
using testing::Answer;
using testing::Await;
using testing::FakeServer;
using testing::Feed;
using testing::StartTime;
using types::Json;

ApiPath PodPath() {
  return {"pods", "/api/v1/namespaces/a/pods/b"};
}

struct ClientBed {
  net::VirtualExecutor executor{StartTime()};
  FakeServer server{executor};
  std::vector<int> codes;
  ApiClientOptions Options() {
    ApiClientOptions options;
    options.on_call = [this](const CallRecord& call) { codes.push_back(call.code); };
    return options;
  }
};

TEST_CASE("api client: the prefix, user agent and query reach the server", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClientOptions options = bed.Options();
  options.path_prefix = "/clusters/x";
  options.user_agent = "vc/1";
  ApiClient api(bed.executor, bed.server.Transport(), options);
  ListOptions list;
  list.label_selector = "a in (b,c)";
  list.resource_version = "0";
  REQUIRE(Await(bed.executor, api.List({"pods", "/api/v1/pods"}, list)).ok());
  const net::Request& request = bed.server.requests[0];
  CHECK(request.target == "/clusters/x/api/v1/pods?labelSelector=" +
                              net::PercentEncode("a in (b,c)") + "&limit=500&resourceVersion=0");
  CHECK(request.headers.Get("user-agent") == "vc/1");
  CHECK(bed.codes == std::vector<int>{200});
}

TEST_CASE("api client: a next page names the token and no version", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  ListOptions list;
  list.continue_token = "t/1";
  list.resource_version = "7";
  list.limit = 2;
  REQUIRE(Await(bed.executor, api.List({"pods", "/p"}, list)).ok());
  CHECK(bed.server.requests[0].target == "/p?limit=2&continue=t%2F1");
}

TEST_CASE("api client: refusals become codes that say what to do", "[client]") {
  struct Case {
    int http;
    std::string reason;
    absl::StatusCode code;
  };
  const auto c = GENERATE(values<Case>({
      {400, "BadRequest", absl::StatusCode::kInvalidArgument},
      {401, "Unauthorized", absl::StatusCode::kUnauthenticated},
      {403, "Forbidden", absl::StatusCode::kPermissionDenied},
      {404, "NotFound", absl::StatusCode::kNotFound},
      {409, "AlreadyExists", absl::StatusCode::kAlreadyExists},
      {409, "Conflict", absl::StatusCode::kAborted},
      {410, "Expired", absl::StatusCode::kOutOfRange},
      {422, "Invalid", absl::StatusCode::kInvalidArgument},
      {429, "TooManyRequests", absl::StatusCode::kResourceExhausted},
      {500, "InternalError", absl::StatusCode::kUnavailable},
      {503, "ServiceUnavailable", absl::StatusCode::kUnavailable},
      {504, "Timeout", absl::StatusCode::kDeadlineExceeded},
  }));
  ClientBed bed;
  bed.server.script = [&](const net::Request&) {
    return Answer(c.http, R"({"kind":"Status","code":)" + std::to_string(c.http) +
                              R"(,"reason":")" + c.reason + R"(","message":"why"})");
  };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  const absl::Status status = Await(bed.executor, api.Get(PodPath())).status();
  CHECK(status.code() == c.code);
  CHECK(status.message() == "why");
  CHECK(types::ReasonOf(status) == c.reason);
  CHECK(bed.codes == std::vector<int>{c.http});
}

TEST_CASE("api client: who may not write reads on, and sends nothing", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  bool leads = false;
  ApiClientOptions options = bed.Options();
  options.may_write = [&leads] { return leads; };
  ApiClient api(bed.executor, bed.server.Transport(), options);
  BindRequest bind;
  bind.namespace_name = "a";
  bind.pod = "b";
  bind.node = "n";
  const absl::Status refused = Await(bed.executor, api.Bind(bind));
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(bed.server.requests.empty());
  CHECK(Await(bed.executor, api.Get(PodPath())).ok());
  CHECK(bed.server.requests.size() == 1);
  leads = true;
  CHECK(Await(bed.executor, api.Bind(bind)).ok());
  CHECK(bed.server.requests.size() == 2);
}

// Needs a second for a connection, and sends only what may be sent then.
class SlowLine final : public net::Transport {
 public:
  explicit SlowLine(net::Executor& executor) : executor_(executor) {}
  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    co_await net::Sleep(executor_, absl::Seconds(1));
    if (request.may_send && !request.may_send()) {
      co_return absl::FailedPreconditionError("not sent");
    }
    co_return Answer(200, "{}");
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    return Fetch(std::move(request));
  }

 private:
  net::Executor& executor_;
};

TEST_CASE("api client: whoever stops leading while it waits to send sends nothing", "[client]") {
  struct Case {
    std::string method;
    absl::Duration leads_for;
    std::string message;
    std::vector<int> codes;
  };
  const auto c = GENERATE(values<Case>({
      {"POST", absl::Milliseconds(500), "POST /p: not sent: another one may lead", {}},
      {"POST", absl::Milliseconds(1500), "", {200}},
      {"GET", absl::Milliseconds(500), "", {200}},
  }));
  CAPTURE(c.method, c.leads_for);
  ClientBed bed;
  bool leads = true;
  bed.executor.RunAfter(c.leads_for, [&leads] { leads = false; });
  ApiClientOptions options = bed.Options();
  options.may_write = [&leads] { return leads; };
  ApiClient api(bed.executor, std::make_shared<SlowLine>(bed.executor), options);
  ApiRequest request;
  request.verb = "create";
  request.method = c.method;
  request.path = {"pods", "/p"};
  const absl::Status status = Await(bed.executor, api.Call(request)).status();
  CHECK(absl::IsFailedPrecondition(status) == !c.message.empty());
  CHECK(status.message() == c.message);
  CHECK(bed.codes == c.codes);
}

TEST_CASE("api client: 429 carries the server's delay and is not retried", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) {
    net::Response out = Answer(429, "too many");
    out.headers.Add("Retry-After", "7");
    return out;
  };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  const absl::Status status = Await(bed.executor, api.Get(PodPath())).status();
  CHECK(RetryAfter(status) == absl::Seconds(7));
  CHECK(RetryAfter(WithContext(status, "doing")) == absl::Seconds(7));
  CHECK(bed.server.requests.size() == 1);
  CHECK_FALSE(OutcomeUnknown(status));
}

TEST_CASE("api client: an absurd delay is cut to ten minutes", "[client]") {
  const absl::Status header =
      ErrorFromResponse(429, net::Headers({{"Retry-After", "999999999"}}), "");
  CHECK(RetryAfter(header) == absl::Minutes(10));
  const absl::Status body = ErrorFromResponse(
      429, {}, R"({"kind":"Status","message":"m","details":{"retryAfterSeconds":2000000000}})");
  CHECK(RetryAfter(body) == absl::Minutes(10));
  CHECK_FALSE(
      RetryAfter(ErrorFromResponse(429, net::Headers({{"Retry-After", "soon"}}), "")).has_value());
}

TEST_CASE("api client: a deadline leaves the outcome unknown", "[client]") {
  ClientBed bed;
  bed.server.delay = absl::Seconds(40);
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  const absl::Status status = Await(bed.executor, api.Create(PodPath(), "{}")).status();
  CHECK(absl::IsDeadlineExceeded(status));
  CHECK(OutcomeUnknown(status));
  CHECK(bed.codes == std::vector<int>{0});
}

TEST_CASE("api client: bind posts uid, node and annotations", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(201, "{}"); };
  ApiClientOptions options = bed.Options();
  options.protobuf = false;
  ApiClient api(bed.executor, bed.server.Transport(), options);
  REQUIRE(Await(bed.executor, api.Bind({"ns", "p", "u-1", "node-1", {{"k/x", "v"}}})).ok());
  const net::Request& request = bed.server.requests[0];
  CHECK(request.method == "POST");
  CHECK(request.target == "/api/v1/namespaces/ns/pods/p/binding");
  CHECK(*Json::Parse(request.body) ==
        *Json::Parse(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"ns",
          "uid":"u-1","annotations":{"k/x":"v"}},
          "target":{"apiVersion":"v1","kind":"Node","name":"node-1"}})"));
}

TEST_CASE("api client: delete and evict carry preconditions", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  const DeleteOptions options{"u", "12", 0, "Background"};
  REQUIRE(Await(bed.executor, api.Delete(PodPath(), options)).ok());
  REQUIRE(Await(bed.executor, api.Evict("ns", "p", options)).ok());
  const Json expected = *Json::Parse(
      R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u","resourceVersion":"12"},
        "gracePeriodSeconds":0,"propagationPolicy":"Background"})");
  CHECK(bed.server.requests[0].method == "DELETE");
  CHECK(*Json::Parse(bed.server.requests[0].body) == expected);
  CHECK(bed.server.requests[1].target == "/api/v1/namespaces/ns/pods/p/eviction");
  CHECK((*Json::Parse(bed.server.requests[1].body))["deleteOptions"] == expected);
}

TEST_CASE("finalizers: one comes or goes, others stay, upon the version that was read",
          "[client]") {
  types::ObjectMeta meta;
  meta.resource_version = "7";
  meta.finalizers = {"x/a", "x/b"};
  const auto list = [](const Patch& patch) {
    const Json body = *Json::Parse(patch.body);
    CHECK(body.At({"metadata", "resourceVersion"}).AsString() == "7");
    return body.At({"metadata", "finalizers"}).Dump();
  };
  CHECK(list(WithFinalizer(meta, "x/c")) == R"(["x/a","x/b","x/c"])");
  CHECK(list(WithoutFinalizer(meta, "x/a")) == R"(["x/b"])");
  CHECK(list(WithoutFinalizer(meta, "x/c")) == R"(["x/a","x/b"])");
}

TEST_CASE("api client: each kind of patch has its content type", "[client]") {
  struct Case {
    PatchKind kind;
    std::string type;
  };
  const auto c =
      GENERATE(values<Case>({{PatchKind::kMerge, "application/merge-patch+json"},
                             {PatchKind::kJson, "application/json-patch+json"},
                             {PatchKind::kStrategic, "application/strategic-merge-patch+json"},
                             {PatchKind::kApply, "application/apply-patch+yaml"}}));
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  Patch patch{c.kind, "{}", "me", true};
  REQUIRE(Await(bed.executor, api.PatchStatus(PodPath(), patch)).ok());
  const net::Request& request = bed.server.requests[0];
  CHECK(request.method == "PATCH");
  CHECK(request.headers.Get("content-type") == c.type);
  CHECK(request.target == "/api/v1/namespaces/a/pods/b/status?fieldManager=me&force=true");
}

TEST_CASE("api client: more than burst requests wait for their turn", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClientOptions options = bed.Options();
  options.qps = 10;
  options.burst = 5;
  ApiClient api(bed.executor, bed.server.Transport(), options);
  auto ask = [](ApiClient& a) -> net::Awaitable<void> { (void)co_await a.Get(PodPath()); };
  for (int i = 0; i < 20; ++i) net::Spawn(bed.executor, ask(api));
  bed.executor.RunUntilIdle();
  CHECK(bed.server.requests.size() == 5);
  bed.executor.Advance(absl::Milliseconds(1001));
  CHECK(bed.server.requests.size() == 15);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.server.requests.size() == 20);
}

TEST_CASE("api client: a refused token file is read again, once", "[client]") {
  ClientBed bed;
  const TempFolder folder;
  Credentials credentials;
  credentials.token.file = folder.Write("token", "old\n");
  bed.server.script = [&](const net::Request& request) {
    if (request.headers.Get("authorization") == "Bearer new") return Answer(200, "{}");
    return Answer(401, "{}");
  };
  ApiClient api(bed.executor, std::make_unique<Connection>(bed.executor, bed.server.Transport()),
                std::make_unique<CredentialSource>(bed.executor, credentials, nullptr),
                bed.Options());
  CHECK(absl::IsUnauthenticated(Await(bed.executor, api.Get(PodPath())).status()));
  CHECK(bed.server.requests.size() == 2);
  folder.Write("token", "new\n");
  CHECK(Await(bed.executor, api.Get(PodPath())).ok());
}

TEST_CASE("watch stream: lines are cut out of whatever pieces arrive", "[client]") {
  ClientBed bed;
  auto feed = std::make_shared<Feed>(bed.executor);
  bed.server.script = [&](const net::Request&) { return testing::Stream(feed); };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  WatchOptions options;
  options.resource_version = "5";
  options.timeout = absl::Seconds(300);
  auto stream = Await(bed.executor, api.Watch({"pods", "/p"}, options));
  REQUIRE(stream.ok());
  CHECK(bed.server.requests[0].target ==
        "/p?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300");
  feed->Push("{1}\n\n{2");
  feed->Push("}\r\n{3}\n");
  const auto first = Await(bed.executor, stream->NextBatch());
  CHECK(*first == std::vector<std::string>{"{1}"});
  const auto second = Await(bed.executor, stream->NextBatch());
  CHECK(*second == std::vector<std::string>{"{2}", "{3}"});
  feed->Push("{4");
  feed->End();
  CHECK(absl::IsUnavailable(Await(bed.executor, stream->NextBatch()).status()));
}

TEST_CASE("watch stream: an endless line ends the watch", "[client]") {
  ClientBed bed;
  auto feed = std::make_shared<Feed>(bed.executor);
  bed.server.script = [&](const net::Request&) { return testing::Stream(feed); };
  ApiClientOptions options = bed.Options();
  options.watch_line_bytes_max = 10;
  ApiClient api(bed.executor, bed.server.Transport(), options);
  auto stream = Await(bed.executor, api.Watch({"pods", "/p"}, {}));
  feed->Push("123456");
  feed->Push("789012");
  CHECK(absl::IsResourceExhausted(Await(bed.executor, stream->NextBatch()).status()));
}

TEST_CASE("watch: a refusal comes as an error with its code", "[client]") {
  ClientBed bed;
  bed.server.script = [](const net::Request&) {
    return Answer(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})");
  };
  ApiClient api(bed.executor, bed.server.Transport(), bed.Options());
  CHECK(absl::IsOutOfRange(Await(bed.executor, api.Watch({"pods", "/p"}, {})).status()));
}

TEST_CASE("api client: a refusal whose body does not end is told in time", "[client]") {
  struct Case {
    std::string name;
    bool ends;
    absl::Duration head_after;  // Of 15 s that the request has.
    absl::Duration took;
  };
  const auto c = GENERATE(values<Case>({
      {"ends", true, absl::ZeroDuration(), absl::ZeroDuration()},
      {"stalls", false, absl::ZeroDuration(), absl::Seconds(10)},
      {"stalls late", false, absl::Seconds(9), absl::Seconds(15)},
  }));
  CAPTURE(c.name);
  ClientBed bed;
  auto feed = std::make_shared<Feed>(bed.executor);
  feed->Push(R"({"kind":"Status","code":503,"reason":"ServiceUnavailable",)");
  feed->Push(R"("message":"why"})");
  if (c.ends) feed->End();
  bed.server.delay = c.head_after;
  bed.server.script = [&feed](const net::Request&) {
    net::Response out = testing::Stream(feed);
    out.status = 503;
    return out;
  };
  ApiClientOptions options = bed.Options();
  options.timeout = absl::Seconds(15);
  ApiClient api(bed.executor, bed.server.Transport(), options);
  const ListOptions list;
  const WatchOptions watch;
  const std::string call = GENERATE(std::string("list"), std::string("watch"), std::string("text"));
  CAPTURE(call);
  absl::Status status;
  if (call == "list") {
    status = Await(bed.executor, api.ListInParts({"pods", "/p"}, list)).status();
  } else if (call == "watch") {
    status = Await(bed.executor, api.Watch({"pods", "/p"}, watch)).status();
  } else {
    ApiRequest request;
    request.path = {"pods/log", "/p"};
    status = Await(bed.executor, api.OpenText(request)).status();
  }
  CHECK(absl::IsUnavailable(status));
  CHECK(status.message() == "why");
  CHECK(bed.executor.Monotonic() == c.took);
  CHECK(bed.executor.NextTimer() == absl::InfiniteDuration());
  bed.executor.RunUntilIdle();
  CHECK(feed.use_count() == 1);  // Nobody reads on.
}

TEST_CASE("connection: changed certificate files make a new transport", "[client]") {
  net::VirtualExecutor executor(StartTime());
  const TempFolder folder;
  ClientConfig config;
  config.server.tls = true;
  config.ca.file = folder.Write("ca", "CA1");
  std::vector<std::string> made;
  auto factory =
      [&](net::ClientOptions options) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
    if (options.tls.ca_pem == "broken") return absl::InvalidArgumentError("PEM");
    made.push_back(options.tls.ca_pem);
    return net::MakeInProcessTransport(executor, nullptr);
  };
  Connection connection(executor, config, {}, factory);
  const auto first = connection.Get({});
  REQUIRE(first.ok());
  folder.Write("ca", "CA2");
  CHECK(*connection.Get({}) == *first);  // Not looked at yet.
  executor.Advance(absl::Seconds(10));
  CHECK(*connection.Get({}) != *first);
  folder.Write("ca", "broken");
  executor.Advance(absl::Seconds(10));
  CHECK(connection.Get({}).ok());  // The former one stays in use.
  executor.Advance(absl::Seconds(10));
  CHECK(made == std::vector<std::string>{"CA1", "CA2"});
}

TEST_CASE("patch: builders write changes and preconditions", "[client]") {
  MergePatch merge;
  merge.RequireUid("u").RequireResourceVersion("3");
  CHECK(merge.empty());
  merge.Set({"status", "phase"}, "Running").Remove({"metadata", "annotations", "x"});
  CHECK_FALSE(merge.empty());
  CHECK(
      merge.Build().body ==
      R"({"metadata":{"uid":"u","resourceVersion":"3","annotations":{"x":null}},"status":{"phase":"Running"}})");
  JsonPatch json;
  json.RequireUid("u").Add({"metadata", "labels", "a/b~c"}, "v").Remove({"spec", "0"});
  CHECK(
      json.Build().body ==
      R"([{"op":"test","path":"/metadata/uid","value":"u"},{"op":"add","path":"/metadata/labels/a~1b~0c","value":"v"},{"op":"remove","path":"/spec/0"}])");
}

}  // namespace
}  // namespace bth::client
