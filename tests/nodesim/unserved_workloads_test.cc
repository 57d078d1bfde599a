// Workloads that nobody runs, against the embedded API server on virtual time.
#include "nodesim/unserved_workloads.h"

#include <map>
#include <memory>
#include <string>

#include "base/strings.h"
#include "tests/support/api_bed.h"
#include "tests/support/catch.h"

namespace bth::nodesim {
namespace {

using types::Json;

struct WorkloadsBed : test::ApiBed {
  WorkloadsBed() {
    workloads =
        std::make_unique<UnservedWorkloads>(*api, rng, UnservedWorkloadsOptions{"standalone"});
    workloads->Start();
    REQUIRE(executor.RunUntil([this] { return workloads->HasSynced(); }, absl::Seconds(5)));
  }
  ~WorkloadsBed() { workloads.reset(); }

  // One request, which is to succeed; its answer.
  Json Do(const std::string& method, const std::string& path, const std::string& body = "") {
    const Answer answer =
        Call(method, path, body,
             method == "PATCH" ? "application/merge-patch+json" : "application/json");
    INFO(method << " " << path << ": " << answer.text);
    REQUIRE(answer.code / 100 == 2);
    return answer.json;
  }
  // A Deployment, ReplicaSet ... of one pod, as the server made it.
  Json Make(const std::string& group, const std::string& kind, const std::string& plural,
            const std::string& name, const std::string& owner_uid = "") {
    const bool ends = kind == "Job";
    const std::string owner =
        owner_uid.empty()
            ? ""
            : StrCat(R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",)",
                     R"("name":"run","controller":true,"uid":")", owner_uid, R"("}])");
    const std::string selector = ends ? "" : R"("selector":{"matchLabels":{"a":"b"}},)";
    return Do(
        "POST", StrCat("/apis/", group, "/namespaces/default/", plural),
        StrCat(R"({"apiVersion":")", group, R"(","kind":")", kind, R"(","metadata":{"name":")",
               name, "\"", owner, R"(},"spec":{)", selector,
               R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{)", R"("restartPolicy":")",
               ends ? "Never" : "Always", R"(","containers":[{"name":"c","image":"i"}]}}}})"));
  }
  // The events there are, by "Kind/name".
  std::map<std::string, Json> Events() {
    executor.Advance(absl::Seconds(2));
    std::map<std::string, Json> found;
    const Json all = Do("GET", "/api/v1/namespaces/default/events");
    for (const Json& event : all["items"].items()) {
      const Json& about = event["involvedObject"];
      found[StrCat(std::string(about["kind"].AsString()), "/",
                   std::string(about["name"].AsString()))] = event;
    }
    return found;
  }

  Rng rng{7};
  std::unique_ptr<UnservedWorkloads> workloads;
};

TEST_CASE("workloads: those that nobody runs are told so, once", "[nodesim]") {
  WorkloadsBed bed;
  bed.Make("apps/v1", "Deployment", "deployments", "web");
  bed.Make("apps/v1", "ReplicaSet", "replicasets", "alone");
  bed.Make("apps/v1", "StatefulSet", "statefulsets", "db");
  bed.Make("apps/v1", "DaemonSet", "daemonsets", "agent");
  bed.Make("batch/v1", "Job", "jobs", "once");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.Events().empty());  // Somebody may still come.
  bed.executor.Advance(absl::Seconds(60));
  const auto events = bed.Events();
  CHECK(events.size() == 5);
  CHECK(bed.workloads->told() == 5);
  const Json event = events.at("Deployment/web");
  CHECK(event["type"].AsString() == "Warning");
  CHECK(event["reason"].AsString() == "NoController");
  CHECK(event["source"]["component"].AsString() == "standalone");
  CHECK_THAT(std::string(event["message"].AsString()),
             Catch::Contains("nobody runs a controller of deployments here"));
  const Json web = bed.Do("GET", "/apis/apps/v1/namespaces/default/deployments/web");
  CHECK(event["involvedObject"]["uid"].AsString() == web["metadata"]["uid"].AsString());
  CHECK_THAT(std::string(events.at("Job/once")["message"].AsString()),
             Catch::Contains("batch.volcano.sh"));
}

TEST_CASE("workloads: those that somebody runs, owns or removes are left alone", "[nodesim]") {
  WorkloadsBed bed;
  const Json run = bed.Make("apps/v1", "Deployment", "deployments", "run");
  bed.Do("PATCH", "/apis/apps/v1/namespaces/default/deployments/run/status",
         R"({"status":{"observedGeneration":1}})");
  bed.Make("apps/v1", "ReplicaSet", "replicasets", "owned",
           std::string(run["metadata"]["uid"].AsString()));
  bed.Make("apps/v1", "StatefulSet", "statefulsets", "gone");
  bed.Do("DELETE", "/apis/apps/v1/namespaces/default/statefulsets/gone");
  bed.executor.Advance(absl::Seconds(60));
  CHECK(bed.Events().empty());
  CHECK(bed.workloads->told() == 0);
  bed.Do("GET", "/apis/apps/v1/namespaces/default/replicasets/owned");
}

}  // namespace
}  // namespace bth::nodesim
