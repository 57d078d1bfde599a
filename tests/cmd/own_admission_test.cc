#include "cmd/common/own_admission.h"

#include "tests/support/api_bed.h"

namespace bth::cmd {
namespace {

using types::Json;

constexpr char kQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues";
constexpr char kJobs[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/team/jobs";

std::string QueueBody(const std::string& name, const std::string& parent) {
  return StrCat(
      R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":")", name,
      R"("},"spec":{"parent":")", parent, "\"}}");
}

std::string JobBody(const std::string& name, const std::string& more) {
  return StrCat(
      R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":")", name,
      R"("},"spec":{)", more,
      R"("tasks":[{"replicas":2,"template":{"spec":{"restartPolicy":"Never","containers":)",
      R"([{"name":"c","image":"busybox"}]}}}]}})");
}

struct AdmittingBed : test::ApiBed {
  AdmittingBed() {
    Create(kQueues, QueueBody("before", "root"));
    AddOwnAdmission(*server, {});
    Create("/api/v1/namespaces", R"({"metadata":{"name":"team"}})");
  }
};

TEST_CASE("own admission: a job gets what it does not say", "[cmd][admission]") {
  AdmittingBed bed;
  bed.Create(kQueues, QueueBody("default", "root"));
  bed.Create(kJobs, JobBody("j", ""));
  const Json spec = bed.Get(StrCat(kJobs, "/j"))["spec"];
  CHECK(spec["minAvailable"].AsInt() == 2);
  CHECK(spec["schedulerName"].AsString() == "volcano");
  CHECK(spec["queue"].AsString() == "default");
  CHECK(spec["tasks"][0]["name"].AsString() == "default0");
}

TEST_CASE("own admission: a refusal reads as a webhook's", "[cmd][admission]") {
  AdmittingBed bed;
  const auto answer = bed.Call("POST", kJobs, JobBody("j", R"("queue":"nowhere",)"));
  CHECK(answer.code == 400);
  CHECK(answer.json["status"].AsString() == "Failure");
  CHECK(answer.json["message"].AsString() ==
        "admission webhook \"validatejob.volcano.sh\" denied the request: unable to find job "
        "queue: queue.scheduling.volcano.sh \"nowhere\" not found;");
  CHECK(bed.Call("GET", StrCat(kJobs, "/j")).code == 404);
}

TEST_CASE("own admission: a queue is known as soon as it is written", "[cmd][admission]") {
  AdmittingBed bed;
  CHECK(bed.Call("POST", kJobs, JobBody("a", R"("queue":"before",)")).code == 201);
  CHECK(bed.Call("POST", kQueues, QueueBody("child", "before")).code == 201);
  const auto parent = bed.Call("POST", kJobs, JobBody("b", R"("queue":"before",)"));
  CHECK_THAT(std::string(parent.json["message"].AsString()),
             Catch::Contains("can only submit job to leaf queue, queue `before` has 1 child"));
  CHECK(bed.Call("DELETE", StrCat(kQueues, "/before")).code == 400);
  CHECK(bed.Call("DELETE", StrCat(kQueues, "/child")).code == 200);
  CHECK(bed.Call("DELETE", StrCat(kQueues, "/before")).code == 200);
}

TEST_CASE("own admission: an update is looked at, a status is not", "[cmd][admission]") {
  AdmittingBed bed;
  bed.Create(kQueues, QueueBody("default", "root"));
  bed.Create(kJobs, JobBody("j", ""));
  const auto patch = [&](const std::string& target, const std::string& body) {
    return bed.Call("PATCH", StrCat(kJobs, target), body, "application/merge-patch+json");
  };
  CHECK(patch("/j", R"({"spec":{"minAvailable":1}})").code == 200);
  const auto refused = patch("/j", R"({"spec":{"queue":"other"}})");
  CHECK(refused.code == 400);
  CHECK_THAT(std::string(refused.json["message"].AsString()),
             Catch::Contains("job updates may not change fields other than"));
  CHECK(patch("/j/status", R"({"status":{"running":7}})").code == 200);
}

TEST_CASE("own admission: the cluster's own namespaces are left out", "[cmd][admission]") {
  AdmittingBed bed;
  const std::string ns = GENERATE(as<std::string>(), "kube-system", "volcano-system");
  (void)bed.Call("POST", "/api/v1/namespaces", R"({"metadata":{"name":")" + ns + "\"}}");
  const auto answer =
      bed.Call("POST", StrCat("/apis/batch.volcano.sh/v1alpha1/namespaces/", ns, "/jobs"),
               JobBody("j", R"("queue":"nowhere",)"));
  CHECK(answer.code == 201);
}

TEST_CASE("own admission: a dry run is refused as the write would be", "[cmd][admission]") {
  AdmittingBed bed;
  const auto answer =
      bed.Call("POST", StrCat(kJobs, "?dryRun=All"), JobBody("j", R"("queue":"nowhere",)"));
  CHECK(answer.code == 400);
}

}  // namespace
}  // namespace bth::cmd
