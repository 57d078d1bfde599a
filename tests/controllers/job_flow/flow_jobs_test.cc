// Which jobs are a flow's own, and what becomes of it when jobs go.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "controllers/ttl/ttl_controller.h"
#include "tests/controllers/job_flow/flow_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::Json;

using Names = std::vector<std::string>;

constexpr const char* kOneEntry = R"({"flows":[{"name":"a"}]})";
constexpr const char* kTwoEntries = R"({"flows":[{"name":"a"},{"name":"b"}]})";

class OwnJobsBed : public test::FlowBed {
 public:
  OwnJobsBed() {
    for (const char* name : {"a", "b"}) MakeTemplate(name);
  }
  std::string Uid(const std::string& job) {
    return std::string(Get(JobPath(job)).At({"metadata", "uid"}).AsString());
  }
  Json Status() { return Get(FlowPath("jobflows", "f"))["status"]; }
  void DeleteJob(const std::string& name) {
    Call("DELETE", JobPath(name));
    Wait(absl::Seconds(1));
  }
  // `meta`: more of its metadata.
  void MakeJob(const std::string& name, const std::string& meta = "") {
    Create(JobPath(""), StrCat(R"({"metadata":{"name":")", name, "\"", meta, R"(},"spec":{)",
                               R"("minAvailable":1,"tasks":[{"name":"t","replicas":1,"template":)",
                               R"({"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})"));
    Wait(absl::Seconds(1));
  }
  size_t Told(const std::string& reason) {
    const std::vector<std::string> events = Events("f");
    return static_cast<size_t>(
        std::count_if(events.begin(), events.end(), [&reason](const std::string& event) {
          return absl::StrContains(event, StrCat(" ", reason, " "));
        }));
  }
  // Jobs of the flow stay for a while after their owner has gone.
  void HoldJob(const std::string& name, bool hold) {
    Patch(JobPath(name),
          StrCat(R"({"metadata":{"finalizers":)", hold ? R"(["tests/hold"])" : "null", "}}"));
    Wait(absl::Seconds(1));
  }
};

TEST_CASE("job flows: one that replaces another waits for the jobs of that one to go",
          "[controllers][job_flow]") {
  const std::string phase = GENERATE("Running", "Completed");
  OwnJobsBed bed;
  bed.StartFlows();
  bed.MakeFlow(kOneEntry);
  bed.SetJob("f-a", "Running");
  if (phase == "Completed") bed.SetJob("f-a", "Completed");
  const std::string former = bed.Uid("f-a");
  bed.HoldJob("f-a", true);
  bed.Call("DELETE", test::FlowBed::FlowPath("jobflows", "f"));
  bed.MakeFlow(kOneEntry);
  CHECK(bed.Phase() == "Pending");
  CHECK(bed.Status()["runningJobs"].empty());
  CHECK(bed.Status()["completedJobs"].empty());
  bed.HoldJob("f-a", false);
  bed.Wait(absl::Seconds(5));
  REQUIRE(bed.Jobs() == Names{"f-a"});
  CHECK(bed.Uid("f-a") != former);
  CHECK(bed.Told("ForeignJob") == 0);
  bed.SetJob("f-a", "Running");
  bed.SetJob("f-a", "Completed");
  CHECK(bed.Phase() == "Succeed");
}

TEST_CASE("job flows: only its own jobs go with a flow that deletes them",
          "[controllers][job_flow]") {
  OwnJobsBed bed;
  bed.StartFlows();
  bed.MakeJob("other", R"(,"labels":{"volcano.sh/createdByJobFlow":"default.f"})");
  bed.MakeFlow(R"({"jobRetainPolicy":"delete","flows":[{"name":"a"}]})");
  bed.SetJob("f-a", "Running");
  bed.SetJob("f-a", "Completed");
  CHECK(bed.Phase() == "Succeed");
  CHECK(bed.Jobs() == Names{"other"});
}

TEST_CASE("job flows: a job that is deleted before its end is made again",
          "[controllers][job_flow]") {
  const std::string phase = GENERATE("", "Pending", "Running");
  CAPTURE(phase);
  OwnJobsBed bed;
  bed.StartFlows();
  bed.MakeFlow(kOneEntry);
  if (!phase.empty()) bed.SetJob("f-a", phase);
  const std::string former = bed.Uid("f-a");
  bed.DeleteJob("f-a");
  REQUIRE(bed.Jobs() == Names{"f-a"});
  CHECK(bed.Uid("f-a") != former);
}

TEST_CASE("job flows: a job that has the name of one of theirs is told once, and waited for",
          "[controllers][job_flow]") {
  const bool known = GENERATE(true, false);
  OwnJobsBed bed;
  bed.options.max_requeue_num = -1;
  if (known) bed.MakeJob("f-a");
  if (!known) bed.TellLate("jobs", absl::Seconds(10));
  bed.StartFlows();
  if (!known) bed.MakeJob("f-a");
  bed.MakeFlow(kTwoEntries);
  CHECK(bed.Jobs() == Names{"f-a", "f-b"});
  bed.SetJob("f-b", "Running");
  bed.Wait(absl::Seconds(30));
  CHECK(bed.Phase() == "Running");
  CHECK(bed.Events("f") == Names{"Warning ForeignJob Job f-a exists but is not owned by this "
                                 "JobFlow (current owner: none); the flow goes on when it is gone",
                                 "Normal Created create a job named f-b!"});
  // Nor is anything asked for in vain.
  int asked = 0;
  bed.line->on_request = [&asked](const net::Request& request) {
    asked += request.method == "POST";
  };
  bed.SetJob("f-b", "Completed");
  bed.line->on_request = nullptr;
  CHECK(asked == 0);
  bed.DeleteJob("f-a");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Told("Created") == 2);
  CHECK(bed.Told("ForeignJob") == 1);
}

TEST_CASE("job flows: a job that is no longer theirs is in their way", "[controllers][job_flow]") {
  OwnJobsBed bed;
  bed.StartFlows();
  bed.MakeFlow(kOneEntry);
  bed.Patch(test::FlowBed::JobPath("f-a"), R"({"metadata":{"ownerReferences":null}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Told("ForeignJob") == 1);
  bed.DeleteJob("f-a");
  CHECK(bed.Jobs() == Names{"f-a"});
}

TEST_CASE("job flows: a start that is refused keeps up neither others nor the status",
          "[controllers][job_flow]") {
  OwnJobsBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "POST" || !absl::StrContains(request.body, R"("name":"f-a")") ||
        !absl::EndsWith(request.target, "/jobs")) {
      return std::nullopt;
    }
    test::Fault refused;
    refused.code = 403;
    refused.reason = "Forbidden";
    return refused;
  };
  bed.StartFlows();
  bed.MakeFlow(kTwoEntries);
  CHECK(bed.Jobs() == Names{"f-b"});
  bed.SetJob("f-b", "Running");
  CHECK(bed.Phase() == "Running");
  bed.SetJob("f-b", "Failed");
  CHECK(bed.Phase() == "Failed");
  CHECK(bed.Status()["failedJobs"].Dump() == R"(["f-b"])");
  bed.line->script = nullptr;
}

TEST_CASE("job flows: a job that is lost and cleaned up at once is not run again",
          "[controllers][job_flow]") {
  const std::string phase = GENERATE("Failed", "Terminated");
  CAPTURE(phase);
  OwnJobsBed bed;
  bed.StartFlows();
  bed.MakeFlow(kOneEntry);
  // Its end and its going become known in one turn.
  bed.TellLate("jobs", absl::Seconds(3));
  bed.Kill();
  bed.StartFlows();
  bed.Patch(test::FlowBed::JobPath("f-a") + "/status",
            StrCat(R"({"status":{"state":{"phase":")", phase, "\"}}}"));
  bed.DeleteJob("f-a");
  bed.Wait(absl::Seconds(10));
  CHECK(bed.Phase() == "Failed");
  CHECK(bed.Jobs().empty());
  const char* list = phase == "Failed" ? "failedJobs" : "terminatedJobs";
  CHECK(bed.Status()[list].Dump() == R"(["f-a"])");
}

}  // namespace
}  // namespace bth::controllers
