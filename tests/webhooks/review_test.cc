#include "admission/webhooks/review.h"

#include "base/strings.h"
#include "net/pem.h"
#include "tests/support/catch.h"
#include "tests/webhooks/review_texts.h"

namespace bth::admission {
namespace {

using testing::ReviewText;

TEST_CASE("review: everything that rules are asked about is read", "[webhooks][review]") {
  ReviewText text;
  text.ns = "team-a";
  text.operation = "UPDATE";
  text.object = R"({"spec":{"weight":2}})";
  text.old_object = R"({"spec":{"weight":1}})";
  const auto review = AdmissionReview::Decode(ToText(text));
  REQUIRE(review.ok());
  const Request& request = (*review)->request();
  CHECK(request.uid == "u-1");
  CHECK(request.operation == "UPDATE");
  CHECK(request.resource == ResourceName{"scheduling.volcano.sh", "v1beta1", "queues"});
  CHECK(request.name == "q1");
  CHECK(request.ns == "team-a");
  REQUIRE(request.object != nullptr);
  CHECK(request.object->At({"spec", "weight"}).AsInt() == 2);
  REQUIRE(request.old_object != nullptr);
  CHECK(request.old_object->At({"spec", "weight"}).AsInt() == 1);
  CHECK(request.user.name == "ann");
  CHECK(request.user.groups == std::vector<std::string>{"team"});
  CHECK(request.user.extra.at("k") == std::vector<std::string>{"v", "w"});
  CHECK_FALSE(request.dry_run);
}

TEST_CASE("review: an object that is null is absent", "[webhooks][review]") {
  const auto review = AdmissionReview::Decode(ToText(ReviewText()));
  REQUIRE(review.ok());
  CHECK((*review)->request().object == nullptr);
  CHECK((*review)->request().old_object == nullptr);
}

TEST_CASE("review: what is no review is told, with what is wrong", "[webhooks][review]") {
  struct Case {
    std::string name, body, says;
  };
  const std::string head = R"("kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1")";
  const Case c = GENERATE_COPY(values<Case>({
      {"nothing", "", "the body is not an AdmissionReview: "},
      {"no JSON", "kind: AdmissionReview", "the body is not an AdmissionReview: "},
      {"half of it", "{\"kind\":", "the body is not an AdmissionReview: "},
      {"an array", "[]", "it is no JSON object"},
      {"null", "null", "it is no JSON object"},
      {"another kind", R"({"kind":"Pod","apiVersion":"v1"})", "kind \"Pod\" of \"v1\""},
      {"v1beta1", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})",
       "of \"admission.k8s.io/v1beta1\""},
      {"no version", R"({"kind":"AdmissionReview"})", "kind \"AdmissionReview\" of \"\""},
      {"no request", StrCat("{", head, "}"), "it has no request"},
      {"an answer", StrCat("{", head, R"(,"response":{"uid":"u"}})"), "it has no request"},
      {"a request that is a list", StrCat("{", head, R"(,"request":[]})"), "it has no request"},
      {"no uid", StrCat("{", head, R"(,"request":{"operation":"CREATE"}})"),
       "request.uid is empty"},
      {"a uid that is a number", StrCat("{", head, R"(,"request":{"uid":7}})"),
       "request.uid is no string"},
      {"an operation that is a list",
       StrCat("{", head, R"(,"request":{"uid":"u","operation":[]}})"),
       "request.operation is no string"},
      {"nested too deeply",
       StrCat("{", head, R"(,"request":{"uid":"u","object":)", std::string(300, '['),
              std::string(300, ']'), "}}"),
       "the body is not an AdmissionReview: "},
  }));
  CAPTURE(c.name);
  const auto review = AdmissionReview::Decode(c.body);
  CHECK(review.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(review.status().message()), Catch::Contains(c.says));
}

TEST_CASE("review: an object as deep as an API server takes is read", "[webhooks][review]") {
  ReviewText text;
  text.object = StrCat("{\"a\":", std::string(125, '['), std::string(125, ']'), "}");
  CHECK(AdmissionReview::Decode(ToText(text)).ok());
}

TEST_CASE("review: answers have the shape of the protocol", "[webhooks][review]") {
  const Json allowed = *Json::Parse(EncodeAnswer("u-1", Verdict::Allow()));
  CHECK(allowed["kind"].AsString() == "AdmissionReview");
  CHECK(allowed["apiVersion"].AsString() == "admission.k8s.io/v1");
  CHECK(allowed["request"].is_null());
  CHECK(allowed["response"] == Json::MakeObject({{"uid", "u-1"}, {"allowed", true}}));
  const Json refused =
      *Json::Parse(EncodeAnswer("u-2", Verdict::Refuse("some_reason", "no \"such\" queue")));
  CHECK(refused["response"] ==
        Json::MakeObject({{"uid", "u-2"},
                          {"allowed", false},
                          {"status", Json::MakeObject({{"message", "no \"such\" queue"}})}}));
}

TEST_CASE("review: patches are base64 of JSON; an empty one is null", "[webhooks][review]") {
  Verdict verdict;
  verdict.patch.emplace();
  Json response = (*Json::Parse(EncodeAnswer("u", verdict)))["response"];
  CHECK(response["patchType"].AsString() == "JSONPatch");
  CHECK(*net::Base64Decode(response["patch"].AsString()) == "null");
  verdict.patch->push_back({"add", "/spec/queue", "default"});
  response = (*Json::Parse(EncodeAnswer("u", verdict)))["response"];
  CHECK(*Json::Parse(*net::Base64Decode(response["patch"].AsString())) ==
        *Json::Parse(R"([{"op":"add","path":"/spec/queue","value":"default"}])"));
  verdict.allowed = false;
  CHECK((*Json::Parse(EncodeAnswer("u", verdict)))["response"]["patch"].is_null());
}

TEST_CASE("review: warnings go along", "[webhooks][review]") {
  Verdict verdict;
  verdict.warnings = {"one", "two"};
  CHECK((*Json::Parse(EncodeAnswer("u", verdict)))["response"]["warnings"] ==
        Json::MakeArray({"one", "two"}));
}

}  // namespace
}  // namespace bth::admission
