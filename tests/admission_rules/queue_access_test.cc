#include "admission/rules/queue_access.h"

#include <string>

#include "base/strings.h"
#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

// "queue q", "group g", several with blanks between them, or "nothing".
std::string SubmittedText(const std::string& resource, const std::string& object,
                          const std::string& operation = "CREATE",
                          const std::string& old_object = "null") {
  test::PlainKnown known;
  known.Namespace("ns", "scheduling.volcano.sh/queue-name", "ns-queue");
  known.Namespace("blank", "scheduling.volcano.sh/queue-name", "");
  known.Template("default", "of-a", "a").Template("default", "also-of-a", "a");
  known.Template("default", "of-b", "b").Template("default", "plain", "");
  known.Template("ns", "of-c", "c");
  const auto document = types::Json::Parse(object);
  const auto before = types::Json::Parse(old_object);
  REQUIRE(document.ok());
  REQUIRE(before.ok());
  Request request;
  request.operation = operation;
  request.resource.resource = resource;
  const std::string_view ns = document->At({"metadata", "namespace"}).AsString();
  request.ns = std::string(ns.empty() ? "default" : ns);
  request.object = &*document;
  request.old_object = &*before;
  std::string told;
  for (const QueueSubmission& submission : SubmissionsOf(request, {}, known)) {
    StrAppend(&told, told.empty() ? "" : " ", submission.pod_group.empty() ? "queue " : "group ",
              submission.queue, submission.pod_group);
  }
  return told.empty() ? "nothing" : told;
}

TEST_CASE("queue access: what a request submits to", "[admission_rules][queue_access]") {
  struct Case {
    std::string resource, object, submitted;
  };
  const Case c = GENERATE(values<Case>({
      {"jobs", R"({"spec":{"queue":"a"}})", "queue a"},
      {"jobs", R"({"spec":{}})", "queue default"},
      {"jobs", "null", "nothing"},
      {"podgroups", R"({"spec":{"queue":"a"}})", "queue a"},
      {"podgroups", R"({"metadata":{"namespace":"ns"},"spec":{"queue":"a"}})", "queue a"},
      {"cronjobs", R"({"spec":{"queue":"x","jobTemplate":{"spec":{"queue":"a"}}}})", "queue a"},
      {"jobtemplates", R"({"spec":{"queue":"a"}})", "queue a"},
      {"jobtemplates", R"({"spec":{}})", "queue default"},
      {"queues", R"({"spec":{"queue":"a"}})", "nothing"},
      {"pods", R"({"spec":{"schedulerName":"default-scheduler"}})", "nothing"},
      {"pods", R"({"spec":{}})", "nothing"},
      {"pods", R"({"spec":{"schedulerName":"volcano"}})", "queue default"},
      {"pods", R"({"metadata":{"namespace":"ns"},"spec":{"schedulerName":"volcano"}})",
       "queue ns-queue"},
      {"pods", R"({"metadata":{"namespace":"blank"},"spec":{"schedulerName":"volcano"}})",
       "queue default"},
      {"pods",
       R"({"metadata":{"namespace":"ns","annotations":{"scheduling.volcano.sh/queue-name":"a"}},)"
       R"("spec":{"schedulerName":"volcano"}})",
       "queue a"},
      {"pods",
       R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":"a",)"
       R"("scheduling.k8s.io/group-name":"g"}},"spec":{"schedulerName":"volcano"}})",
       "group g"},
      {"pods",
       R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":"a",)"
       R"("scheduling.k8s.io/group-name":"podgroup-0f0e3f2c-3b1e-4a8e-9d37-5c7f6b1d2a90"}},)"
       R"("spec":{"schedulerName":"volcano"}})",
       "group podgroup-0f0e3f2c-3b1e-4a8e-9d37-5c7f6b1d2a90 queue a"},
      {"pods",
       R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":"a",)"
       R"("scheduling.k8s.io/group-name":"podgroup-team"}},"spec":{"schedulerName":"volcano"}})",
       "group podgroup-team"},
  }));
  CAPTURE(c.resource, c.object);
  CHECK(SubmittedText(c.resource, c.object) == c.submitted);
  CHECK(SubmittedText(c.resource, c.object, "DELETE") == "nothing");
}

TEST_CASE("queue access: a job flow submits to the queues of its templates and of its patches",
          "[admission_rules][queue_access]") {
  const auto flow = [](const std::string& name, const std::string& patched = "default") {
    return StrCat(R"({"name":")", name, R"(","patch":{"jobSpec":{"queue":")", patched, R"("}}})");
  };
  const auto flows = [](const std::string& entries, const std::string& ns = "default") {
    return StrCat(R"({"metadata":{"namespace":")", ns, R"("},"spec":{"flows":[)", entries, "]}}");
  };
  struct Case {
    std::string object, submitted;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {flows(flow("of-b") + "," + flow("of-a") + "," + flow("also-of-a")), "queue a queue b"},
      {flows(flow("plain")), "queue default"},
      {flows(flow("not-there")), "nothing"},
      {flows(flow("of-c")), "nothing"},  // Of another namespace.
      {flows(flow("of-c"), "ns"), "queue c"},
      {flows(flow("of-a", "x")), "queue a queue x"},
      {flows(R"({"name":"of-a"},{"name":7},"x")"), "queue a"},
      {flows(""), "nothing"},
      {"null", "nothing"},
  }));
  CAPTURE(c.object);
  CHECK(SubmittedText("jobflows", c.object) == c.submitted);
  CHECK(SubmittedText("jobflows", c.object, "UPDATE", c.object) == "nothing");
  const std::string both = flows(flow("of-a") + "," + flow("of-b"));
  CHECK(SubmittedText("jobflows", both, "UPDATE", flows(flow("also-of-a"))) == "queue b");
}

TEST_CASE("queue access: an update submits when the queue changes",
          "[admission_rules][queue_access]") {
  const std::string resource = GENERATE("jobs", "podgroups", "jobtemplates");
  const std::string a = R"({"spec":{"queue":"a"}})";
  CHECK(SubmittedText(resource, a, "UPDATE", a) == "nothing");
  CHECK(SubmittedText(resource, a, "UPDATE", R"({"spec":{"queue":"b"}})") == "queue a");
  CHECK(SubmittedText(resource, R"({"spec":{}})", "UPDATE", R"({"spec":{"queue":"default"}})") ==
        "nothing");
}

TEST_CASE("queue access: the question and the refusal", "[admission_rules][queue_access]") {
  UserInfo user;
  user.name = "alice";
  CHECK(SubmitReview(user, "gpu").Dump() ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
        R"({"user":"alice","resourceAttributes":{"group":"scheduling.volcano.sh",)"
        R"("version":"v1beta1","resource":"queues","subresource":"submit","name":"gpu",)"
        R"("verb":"create"}}})");
  user.uid = "7";
  user.groups = {"dev", "system:authenticated"};
  user.extra = {{"scopes", {"x", "y"}}};
  const Json review = SubmitReview(user, "gpu");
  CHECK(review["spec"]["uid"].AsString() == "7");
  CHECK(review["spec"]["groups"].Dump() == R"(["dev","system:authenticated"])");
  CHECK(review["spec"]["extra"].Dump() == R"({"scopes":["x","y"]})");
  const Verdict refused = RefuseSubmission(user, "gpu");
  CHECK_FALSE(refused.allowed);
  CHECK(refused.reason == "queue_access");
  CHECK(refused.message ==
        "user \"alice\" may not submit to queue \"gpu\": a ClusterRole would allow it that has the "
        "rule {apiGroups: [\"scheduling.volcano.sh\"], resources: [\"queues/submit\"], "
        "resourceNames: [\"gpu\"], verbs: [\"create\"]}");
}

}  // namespace
}  // namespace bth::admission
