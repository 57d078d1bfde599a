#include "admission/rules/paths.h"

#include <set>
#include <string>

#include "admission/rules/request.h"
#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

TEST_CASE("paths: each webhook is found by its path, mutating ones by their name",
          "[admission_rules]") {
  std::set<std::string_view> paths;
  for (const Webhook& webhook : Webhooks()) {
    CAPTURE(webhook.path);
    CHECK(paths.insert(webhook.path).second);
    CHECK(FindWebhook(webhook.path) == &webhook);
    CHECK(webhook.mutating == webhook.path.ends_with("/mutate"));
    CHECK(webhook.path.substr(1, webhook.resource.size()) == webhook.resource);
    CHECK(webhook.name.starts_with(webhook.mutating ? "mutate" : "validate"));
    CHECK_FALSE(webhook.operations.empty());
  }
  CHECK(paths.size() == 11);
  CHECK(FindWebhook("/queues") == nullptr);
  CHECK(FindWebhook("") == nullptr);
}

TEST_CASE("paths: another resource than the webhook's is refused", "[admission_rules]") {
  const test::PlainKnown known;
  Request request;
  request.operation = "CREATE";
  request.resource = {"scheduling.volcano.sh", "v1beta1", "podgroups"};
  const Verdict verdict = Review(*FindWebhook("/queues/validate"), request, {}, known);
  CHECK_FALSE(verdict.allowed);
  CHECK(verdict.message == "expect resource to be {scheduling.volcano.sh v1beta1 queues}");
  CHECK(verdict.reason == "wrong_resource");
  request.resource = {"scheduling.volcano.sh", "v1alpha1", "queues"};
  CHECK_FALSE(Review(*FindWebhook("/queues/validate"), request, {}, known).allowed);
}

TEST_CASE("paths: the core group is empty where it is told", "[admission_rules]") {
  Request request;
  request.operation = "CREATE";
  request.resource = {"apps", "v1", "pods"};
  CHECK(Review(*FindWebhook("/pods/validate"), request, {}, test::PlainKnown()).message ==
        "expect resource to be { v1 pods}");
}

TEST_CASE("paths: documents of a wrong shape are refused with the place", "[admission_rules]") {
  const test::PlainKnown known;
  for (const Webhook& webhook : Webhooks()) {
    CAPTURE(webhook.path);
    const Verdict verdict =
        test::Ask({.path = std::string(webhook.path), .object = R"({"spec":[1]})"}, known);
    CHECK_FALSE(verdict.allowed);
    CHECK(verdict.message.find("object: spec") == 0);
    CHECK_FALSE(test::Ask({.path = std::string(webhook.path), .object = "17"}, known).allowed);
  }
}

TEST_CASE("paths: messages have a length", "[admission_rules]") {
  const test::PlainKnown known;
  const std::string name(100'000, 'x');
  const Verdict verdict =
      test::Ask({.path = "/jobflows/validate",
                 .object = StrCat(R"({"spec":{"flows":[{"name":"a","dependsOn":{"targets":["é)",
                                  name, R"("]}}]}})")},
                known);
  CHECK(verdict.message.size() < 70'000);
  CHECK(verdict.message.ends_with("xxx ..."));
}

TEST_CASE("request: patches as JSON", "[admission_rules]") {
  CHECK(ToJson({}).Dump() == "null");
  CHECK(ToJson({{"add", "/spec/queue", "a"}, {"replace", "/spec/x", Json::MakeArray({1, 2})}})
            .Dump() == R"([{"op":"add","path":"/spec/queue","value":"a"},)"
                       R"({"op":"replace","path":"/spec/x","value":[1,2]}])");
  CHECK(ToJson({{"remove", "/spec/queue", nullptr}}).Dump() ==
        R"([{"op":"remove","path":"/spec/queue"}])");
  CHECK(ToJson({{"add", "/spec/queue", ""}}).Dump() ==
        R"([{"op":"add","path":"/spec/queue","value":""}])");
}

TEST_CASE("settings: which schedulers are ours", "[admission_rules]") {
  Settings settings;
  CHECK(settings.IsOurs("volcano"));
  CHECK_FALSE(settings.IsOurs("default-scheduler"));
  settings.scheduler_names = {"a", "b"};
  CHECK(settings.IsOurs("b"));
  CHECK_FALSE(settings.IsOurs("volcano"));
}

}  // namespace
}  // namespace bth::admission
