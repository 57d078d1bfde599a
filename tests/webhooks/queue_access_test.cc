#include "admission/webhooks/queue_access.h"

#include <memory>
#include <optional>
#include <set>

#include "tests/webhooks/handler_bed.h"

namespace bth::admission {
namespace {

using testing::HandlerBed;
using testing::QueueText;
using testing::ReviewText;

// An API server that knows who may submit to which queue, and which PodGroup belongs where.
struct Submitters {
  explicit Submitters(QueueAccessOptions options = {}, ReviewLimits limits = {}) {
    server.script = [this](const net::Request& request) { return Serve(request); };
    access = std::make_unique<QueueAccess>(api, metrics, options);
    bed = std::make_unique<HandlerBed>(access.get(), limits, testing::kAllPaths, &executor);
  }
  Json Ask(const std::string& path, const ReviewText& text) {
    const net::Response response = Send(path, text);
    INFO(response.body);
    REQUIRE(response.status == 200);
    return (*Json::Parse(response.body))["response"];
  }
  net::Response Send(const std::string& path, const ReviewText& text) {
    return client::testing::Await(
        executor, bed->handler.Serve(HandlerBed::Request(path, testing::ToText(text))));
  }

  net::VirtualExecutor executor{client::testing::StartTime()};
  client::testing::FakeServer server{executor};
  client::ApiClient api{executor, server.Transport(), client::ApiClientOptions{.qps = 0}};
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  std::unique_ptr<QueueAccess> access;
  std::unique_ptr<HandlerBed> bed;
  std::set<std::string> may = {"ann/default"};
  int fail_with = 0;

 private:
  net::Response Serve(const net::Request& request) {
    if (fail_with != 0) return client::testing::Answer(fail_with, "{}");
    if (request.method == "GET") {
      if (!request.target.ends_with("/namespaces/team/podgroups/known")) {
        return client::testing::Answer(404, R"({"kind":"Status","reason":"NotFound","code":404})");
      }
      return client::testing::Answer(200, R"({"kind":"PodGroup","spec":{"queue":"closed-club"}})");
    }
    const Json body = *Json::Parse(request.body);
    const Json& spec = body["spec"];
    const Json& asked = spec["resourceAttributes"];
    CHECK(asked["subresource"].AsString() == "submit");
    const std::string key = StrCat(spec["user"].AsString(), "/", asked["name"].AsString());
    return client::testing::Answer(
        201, StrCat(R"({"status":{"allowed":)", may.contains(key) ? "true" : "false", "}}"));
  }
};

ReviewText GroupReview(const std::string& queue) {
  ReviewText text;
  text.resource = "podgroups";
  text.ns = "team";
  text.object =
      StrCat(R"({"metadata":{"name":"g"},"spec":{"minMember":1,"queue":")", queue, "\"}}");
  return text;
}

TEST_CASE("queue access: the API server decides who may submit", "[webhooks][access]") {
  Submitters bed;
  CHECK(bed.Ask("/podgroups/validate", GroupReview("default"))["allowed"].AsBool());
  bed.may.clear();
  CHECK(bed.Ask("/podgroups/validate", GroupReview("default"))["allowed"].AsBool());
  CHECK(bed.server.requests.size() == 1);  // Kept.
  bed.executor.Advance(absl::Seconds(11));
  const Json refused = bed.Ask("/podgroups/validate", GroupReview("default"));
  CHECK_FALSE(refused["allowed"].AsBool(true));
  CHECK_THAT(std::string(refused["status"]["message"].AsString()),
             Catch::StartsWith("user \"ann\" may not submit to queue \"default\": "));
  CHECK(bed.server.requests.size() == 2);
}

TEST_CASE("queue access: who moves a pod group must be allowed to submit to where it goes",
          "[webhooks][access]") {
  Submitters bed;
  ReviewText text = GroupReview("closed-club");
  text.operation = "UPDATE";
  text.old_object = GroupReview("default").object;
  CHECK_FALSE(bed.Ask("/podgroups/validate", text)["allowed"].AsBool(true));
  CHECK(bed.server.requests.size() == 1);
  text.object = text.old_object;  // Stays where it is: a status, for one.
  CHECK(bed.Ask("/podgroups/validate", text)["allowed"].AsBool());
  CHECK(bed.server.requests.size() == 1);
  text.object = GroupReview("club").object;
  bed.may = {"ann/club"};
  CHECK(bed.Ask("/podgroups/validate", text)["allowed"].AsBool());
}

TEST_CASE("queue access: a job cannot be moved, whoever asks", "[webhooks][access]") {
  Submitters bed;
  bed.may = {"ann/a", "ann/b"};
  const auto job = [](const std::string& queue) {
    return StrCat(R"({"metadata":{"name":"j"},"spec":{"queue":")", queue, R"("}})");
  };
  ReviewText text;
  text.group = "batch.volcano.sh";
  text.version = "v1alpha1";
  text.resource = "jobs";
  text.operation = "UPDATE";
  text.object = job("a");
  text.old_object = job("b");
  const Json refused = bed.Ask("/jobs/validate", text);
  CHECK_THAT(std::string(refused["status"]["message"].AsString()),
             Catch::StartsWith("job updates may not change fields other than"));
  CHECK(bed.server.requests.empty());
}

TEST_CASE("queue access: what the rule refuses is not asked about", "[webhooks][access]") {
  Submitters bed;
  const Json refused = bed.Ask("/podgroups/validate", GroupReview("nowhere"));
  CHECK_THAT(std::string(refused["status"]["message"].AsString()),
             Catch::Contains("unable to find queue"));
  CHECK(bed.server.requests.empty());
}

TEST_CASE("queue access: a queue itself may be made by whoever may make queues",
          "[webhooks][access]") {
  Submitters bed;
  ReviewText text;
  text.object = QueueText("q1", R"({"weight":1})");
  CHECK(bed.Ask("/queues/validate", text)["allowed"].AsBool());
  CHECK(bed.server.requests.empty());
}

TEST_CASE("queue access: a pod submits to the queue of its pod group", "[webhooks][access]") {
  Submitters bed;
  ReviewText pod;
  pod.group = "";
  pod.version = "v1";
  pod.resource = "pods";
  pod.ns = "team";
  const auto of_group = [&](const std::string& group) {
    pod.object =
        StrCat(R"({"metadata":{"name":"p","annotations":{"scheduling.k8s.io/group-name":")", group,
               R"("}},"spec":{"schedulerName":"volcano"}})");
    return bed.Ask("/pods/validate", pod)["allowed"].AsBool();
  };
  CHECK(of_group("not-there-yet"));
  CHECK_FALSE(of_group("known"));
  bed.executor.Advance(absl::Seconds(11));
  bed.may = {"ann/closed-club"};
  CHECK(of_group("known"));
}

ReviewText FlowReview(const std::string& resource, const std::string& spec) {
  ReviewText text;
  text.group = "flow.volcano.sh";
  text.version = "v1alpha1";
  text.resource = resource;
  text.ns = "team";
  text.object = StrCat(R"({"metadata":{"name":"f"},"spec":)", spec, "}");
  return text;
}

TEST_CASE("queue access: a job flow submits to the queues of the templates it names",
          "[webhooks][access]") {
  Submitters bed;
  types::ObjectMeta meta;
  meta.ns = "team";
  for (const char* queue : {"default", "closed-club"}) {
    meta.name = StrCat("of-", queue);
    bed.bed->view.PutJobTemplate(meta, queue);
  }
  const auto ask = [&](const std::string& flows) {
    const ReviewText text = FlowReview("jobflows", StrCat(R"({"flows":[)", flows, "]}"));
    return std::string(bed.Ask("/jobflows/validate", text)["status"]["message"].AsString());
  };
  const std::string open = R"({"name":"of-default"})";
  const std::string closed = R"({"name":"of-closed-club"})";
  CHECK(ask(open).empty());
  CHECK_THAT(ask(open + "," + closed),
             Catch::StartsWith("user \"ann\" may not submit to queue \"closed-club\": "));
  bed.executor.Advance(absl::Seconds(11));
  bed.may = {"ann/default", "ann/closed-club"};
  CHECK(ask(open + "," + closed).empty());
}

TEST_CASE("queue access: who writes a job template must be allowed to submit to its queue",
          "[webhooks][access]") {
  Submitters bed;
  const ReviewText open = FlowReview("jobtemplates", R"({"queue":"default"})");
  ReviewText closed = FlowReview("jobtemplates", R"({"queue":"closed-club"})");
  CHECK(bed.Ask("/jobflows/validate", open)["allowed"].AsBool());
  CHECK_FALSE(bed.Ask("/jobflows/validate", closed)["allowed"].AsBool(true));
  closed.operation = "UPDATE";
  closed.old_object = open.object;
  CHECK_FALSE(bed.Ask("/jobflows/validate", closed)["allowed"].AsBool(true));
  // Where queues are not checked nobody is to ask about templates.
  HandlerBed plain;
  CHECK(plain.Verdict("/jobflows/validate", open)["status"]["message"].AsString() ==
        "expect resource to be {flow.volcano.sh v1alpha1 jobflows}");
}

TEST_CASE("queue access: many queues of one object share the review's time", "[webhooks][access]") {
  Submitters bed;
  bed.server.delay = absl::Seconds(2);
  bed.may = {"ann/q0", "ann/q1", "ann/q2"};
  types::ObjectMeta meta;
  meta.ns = "team";
  std::string flows;
  for (int i = 0; i < 3; ++i) {
    meta.name = StrCat("t", i);
    bed.bed->view.PutJobTemplate(meta, StrCat("q", i));
    StrAppend(&flows, i == 0 ? "" : ",", R"({"name":")", meta.name, "\"}");
  }
  const ReviewText text = FlowReview("jobflows", StrCat(R"({"flows":[)", flows, "]}"));
  const absl::Duration begun = bed.executor.Monotonic();
  CHECK(bed.Send("/jobflows/validate?timeout=5s", text).status == 504);
  CHECK(bed.executor.Monotonic() - begun == absl::Seconds(5));
  CHECK(bed.Send("/jobflows/validate?timeout=5s", text).status == 200);  // Two answers were kept.
}

TEST_CASE("queue access: without an answer the webhook has failed", "[webhooks][access]") {
  Submitters bed;
  bed.fail_with = 500;
  CHECK(bed.Send("/podgroups/validate", GroupReview("default")).status == 500);
  bed.fail_with = 403;
  CHECK(bed.Send("/podgroups/validate", GroupReview("default")).status == 500);
  bed.fail_with = 0;
  CHECK(bed.Ask("/podgroups/validate", GroupReview("default"))["allowed"].AsBool());
}

TEST_CASE("queue access: an API server that is slow costs no more than the review's time",
          "[webhooks][access]") {
  Submitters bed;
  bed.server.delay = absl::Seconds(60);
  const absl::Duration begun = bed.executor.Monotonic();
  CHECK(bed.Send("/podgroups/validate?timeout=3s", GroupReview("default")).status == 504);
  CHECK(bed.executor.Monotonic() - begun == absl::Seconds(3));
  CHECK(bed.Send("/podgroups/validate?timeout=30h", GroupReview("default")).status == 504);
  CHECK(bed.executor.Monotonic() - begun == absl::Seconds(13));
  CHECK(bed.bed->Counts(R"(batholith_limit_reached_total{limit="review_time"} 2)"));
}

TEST_CASE("queue access: no more reviews wait than may", "[webhooks][access]") {
  QueueAccessOptions options;
  options.asking_max = 2;
  Submitters bed(options);
  bed.server.delay = absl::Seconds(1);
  std::vector<int> codes;
  const auto send = [&](std::string user) -> net::Awaitable<void> {
    ReviewText text = GroupReview("default");
    text.user = StrCat(R"({"username":")", user, "\"}");
    net::Request request = HandlerBed::Request("/podgroups/validate", testing::ToText(text));
    const net::Response response = co_await bed.bed->handler.Serve(std::move(request));
    codes.push_back(response.status);
  };
  for (const char* user : {"a", "b", "c"}) net::Spawn(bed.executor, send(user));
  bed.executor.Advance(absl::Seconds(5));
  CHECK(codes == std::vector<int>{429, 200, 200});
}

TEST_CASE("review handler: no more reviews are under way than may be", "[webhooks][access]") {
  ReviewLimits limits;
  limits.reviews_max = 1;
  Submitters bed({}, limits);
  bed.server.delay = absl::Seconds(1);
  std::vector<int> codes;
  const auto send = [&]() -> net::Awaitable<void> {
    net::Request request =
        HandlerBed::Request("/podgroups/validate", testing::ToText(GroupReview("default")));
    const net::Response response = co_await bed.bed->handler.Serve(std::move(request));
    codes.push_back(response.status);
  };
  net::Spawn(bed.executor, send());
  net::Spawn(bed.executor, send());
  bed.executor.Advance(absl::Milliseconds(10));
  CHECK(bed.bed->handler.in_flight() == 1);
  CHECK(codes == std::vector<int>{429});
  bed.executor.Advance(absl::Seconds(2));
  CHECK(codes == std::vector<int>{429, 200});
  CHECK(bed.bed->handler.in_flight() == 0);
  CHECK(bed.bed->Counts(R"(batholith_limit_reached_total{limit="reviews_in_flight"} 1)"));
}

}  // namespace
}  // namespace bth::admission
