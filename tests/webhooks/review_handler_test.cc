#include "admission/webhooks/review_handler.h"

#include <memory>
#include <vector>

#include "net/pem.h"
#include "tests/webhooks/handler_bed.h"

namespace bth::admission {
namespace {

using testing::HandlerBed;
using testing::QueueText;
using testing::ReviewText;

std::vector<std::string> PathNames(const std::vector<const Webhook*>& webhooks) {
  std::vector<std::string> names;
  for (const Webhook* webhook : webhooks) names.emplace_back(webhook->path);
  return names;
}

TEST_CASE("enabled paths: blanks, empty items and repetitions are passed over", "[webhooks]") {
  CHECK(PathNames(*ReadEnabledPaths(" /jobs/validate, ")) ==
        std::vector<std::string>{"/jobs/validate"});
  CHECK(PathNames(*ReadEnabledPaths("/queues/mutate,/jobs/mutate,/queues/mutate")) ==
        std::vector<std::string>{"/queues/mutate", "/jobs/mutate"});
  CHECK(ReadEnabledPaths("  ")->empty());
  CHECK(ReadEnabledPaths(testing::kAllPaths)->size() == 11);
  CHECK(ReadEnabledPaths("/jobs/validate,/job").status().message() ==
        "enabled admission /job not found on the admission registered map");
}

TEST_CASE("review handler: a good queue is allowed, a bad one refused with the rule's words",
          "[webhooks][handler]") {
  HandlerBed bed;
  ReviewText text;
  text.object = QueueText("q1", R"({"weight":1,"parent":"root"})");
  Json verdict = bed.Verdict("/queues/validate?timeout=10s", text);
  CHECK(verdict["allowed"].AsBool());
  CHECK(verdict["uid"].AsString() == "u-1");
  CHECK(verdict["patchType"].is_null());
  text.object = QueueText("q1", R"({"weight":1,"parent":"nowhere"})");
  verdict = bed.Verdict("/queues/validate", text);
  CHECK_FALSE(verdict["allowed"].AsBool(true));
  CHECK(verdict["status"]["message"].AsString() ==
        "failed to get parent queue nowhere of queue q1: queue.scheduling.volcano.sh \"nowhere\" "
        "not found");
  CHECK(verdict["status"].size() == 1);
  CHECK(bed.Counts(
      R"(batholith_admission_reviews_total{path="/queues/validate",verdict="allowed"} 1)"));
  CHECK(bed.Counts(
      R"(batholith_admission_reviews_total{path="/queues/validate",verdict="refused"} 1)"));
  CHECK(bed.Counts(R"(batholith_admission_requests_total{code="200",path="/queues/validate"} 2)"));
  CHECK(bed.Counts("batholith_admission_reviews_in_flight 0"));
}

TEST_CASE("review handler: a patch fills in what is missing, or is null", "[webhooks][handler]") {
  HandlerBed bed;
  ReviewText text;
  text.object = QueueText("q1", R"({"weight":1})");
  Json verdict = bed.Verdict("/queues/mutate", text);
  CHECK(verdict["patchType"].AsString() == "JSONPatch");
  CHECK(*net::Base64Decode(verdict["patch"].AsString()) ==
        R"([{"op":"add","path":"/spec/reclaimable","value":true}])");
  text.object = QueueText("q1", R"({"weight":1,"reclaimable":false})");
  verdict = bed.Verdict("/queues/mutate", text);
  CHECK(*net::Base64Decode(verdict["patch"].AsString()) == "null");
}

TEST_CASE("review handler: an object of another resource is refused", "[webhooks][handler]") {
  HandlerBed bed;
  ReviewText text;
  text.resource = "podgroups";
  const Json verdict = bed.Verdict("/queues/validate", text);
  CHECK(verdict["status"]["message"].AsString() ==
        "expect resource to be {scheduling.volcano.sh v1beta1 queues}");
}

TEST_CASE("review handler: what is no review gets the code it deserves", "[webhooks][handler]") {
  struct Case {
    std::string name, target, body, type, method;
    int code;
    std::string answer;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"too large", "/queues/validate", std::string(kReviewBytesMax + 1, ' '), "application/json",
       "POST", 413, "request body too large\n"},
      {"as large as may be", "/queues/validate", std::string(kReviewBytesMax, ' '),
       "application/json", "POST", 400, ""},
      {"another type", "/queues/validate", "{}", "text/plain", "POST", 200, ""},
      {"a type with parameters", "/queues/validate", "{}", "application/json; charset=utf-8",
       "POST", 200, ""},
      {"no type", "/queues/validate", "{}", "", "POST", 200, ""},
      {"no JSON", "/queues/validate", "nothing", "application/json", "POST", 400, ""},
      {"a GET", "/queues/validate", "", "", "GET", 405, "reviews are sent by POST\n"},
      {"an unknown path", "/queues", "{}", "application/json", "POST", 404, "404 page not found\n"},
      {"no path", "/", "{}", "application/json", "POST", 404, "404 page not found\n"},
  }));
  CAPTURE(c.name);
  HandlerBed bed;
  net::Request request = HandlerBed::Request(c.target, c.body);
  request.method = c.method;
  request.headers = {};
  if (!c.type.empty()) request.headers.Set("Content-Type", c.type);
  const net::Response response = bed.Send(std::move(request));
  CHECK(response.status == c.code);
  if (c.code != 400) {
    CHECK(response.body == c.answer);
  } else {
    CHECK_THAT(response.body, Catch::StartsWith("the body is not an AdmissionReview: "));
  }
  CHECK(bed.Counts(R"(batholith_limit_reached_total{limit="review_bytes"} )" +
                   std::string(c.code == 413 ? "1" : "0")));
}

TEST_CASE("review handler: a path that is not enabled is not served", "[webhooks][handler]") {
  HandlerBed bed(nullptr, {}, "/jobs/validate");
  CHECK(bed.Send("/queues/validate", ReviewText()).status == 404);
  CHECK(bed.Counts(R"(batholith_admission_requests_total{code="404",path="other"} 1)"));
}

TEST_CASE("review handler: settings that are replaced hold for the next review",
          "[webhooks][handler]") {
  HandlerBed bed;
  types::Queue parent;
  parent.meta.name = "p";
  parent.spec.parent = "root";
  bed.view.PutQueue(parent);
  ReviewText text;
  text.object = QueueText("q1", R"({"weight":1,"parent":"p"})");
  CHECK(bed.Verdict("/queues/validate", text)["allowed"].AsBool());
  Settings flat;
  flat.max_queue_depth = 1;
  bed.handler.SetSettings(flat);
  CHECK(bed.Verdict("/queues/validate", text)["status"]["message"].AsString() ==
        "queue q1 exceeds the maximum allowed depth of 1");
}

}  // namespace
}  // namespace bth::admission
