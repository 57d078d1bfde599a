// What the controller manager publishes moves when that happens which it counts.
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/strings.h"
#include "cmd/common/daemon_client.h"
#include "controllers/job_flow/job_flow_controller.h"
#include "controllers/job_flow/job_template_controller.h"
#include "controllers/queue/queue_controller.h"
#include "tests/controllers/job/job_bed.h"
#include "tests/support/files.h"

namespace bth::controllers {
namespace {

class MetricsBed : public test::JobBed {
 public:
  MetricsBed() {
    client::ApiClientOptions counted;
    counted.qps = 0;
    counted.on_call = cmd::CountCalls(metrics.client(), "server:443");  // As the daemon does.
    api = std::make_unique<client::ApiClient>(executor, line, counted);
    Start({[](const ControllerContext& context) {
             return std::make_unique<JobController>(context, JobPluginTools());
           },
           [](const ControllerContext& context) {
             return std::make_unique<QueueController>(context);
           },
           [](const ControllerContext& context) {
             return std::make_unique<JobFlowController>(context);
           },
           [](const ControllerContext& context) {
             return std::make_unique<JobTemplateController>(context);
           }});
  }
  ~MetricsBed() { Kill(); }

  void GroupInPhase(const std::string& phase) {
    const std::string name = absl::AsciiStrToLower(phase);
    Create(kGroups, StrCat(R"({"metadata":{"name":")", name,
                           R"("},"spec":{"minMember":1,"queue":"default"}})"));
    Patch(StrCat(kGroups, "/", name), StrCat(R"({"status":{"phase":")", phase, R"("}})"));
  }
  // A flow of one job, which then ends in that phase.
  void Flow(const std::string& name, const std::string& end) {
    const std::string flows = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/";
    Create(flows + "jobtemplates",
           StrCat(R"({"metadata":{"name":"t-)", name, R"("},"spec":{"minAvailable":1,)",
                  R"("queue":"default","tasks":[)", TaskText("t", 1), "]}}"));
    Create(flows + "jobflows", StrCat(R"({"metadata":{"name":")", name,
                                      R"("},"spec":{"flows":[{"name":"t-)", name, R"("}]}})"));
    Wait(absl::Seconds(2));
    Patch(StrCat(kJobs, "/", name, "-t-", name, "/status"),
          StrCat(R"({"status":{"state":{"phase":")", end, "\"}}}"));
    Wait(absl::Seconds(2));
  }
  // The server takes it, and no controller can read it.
  void UnreadableJob() {
    Create(kJobs,
           R"({"metadata":{"name":"malformed"},"spec":{"minAvailable":1,"tasks":[{"name":"t",)"
           R"("replicas":1,"policies":[{"event":"PodFailed","action":"RestartJob",)"
           R"("timeout":"a"}],"template":{"spec":{"containers":[]}}}]}})");
  }
  // Some series of the family has a value other than 0.
  bool Moved(const std::string& family) const {
    std::istringstream lines(metric_registry.RenderText());
    for (std::string sample; std::getline(lines, sample);) {
      if (!absl::StartsWith(sample, family) || absl::EndsWith(sample, " 0")) continue;
      const std::string rest = sample.substr(family.size());
      for (const char* next : {" ", "{", "_count ", "_count{"}) {
        if (absl::StartsWith(rest, next)) return true;
      }
    }
    return false;
  }
};

TEST_CASE("controller metrics: every family moves, and is in the manual",
          "[controllers][metrics]") {
  MetricsBed bed;
  bed.RunJob("done", 1, test::JobBed::TaskText("t", 1));
  bed.SetPodPhase("done-t-0", "Succeeded");
  bed.RunJob("lost", 1, test::JobBed::TaskText("t", 1));
  bed.SetPodPhase("lost-t-0", "Failed");
  bed.Flow("good", "Completed");
  bed.Flow("bad", "Failed");
  for (const char* phase : {"Inqueue", "Pending", "Running", "Unknown", "Completed"}) {
    bed.GroupInPhase(phase);
  }
  bed.UnreadableJob();
  int broken = 0;
  bed.line->script = [&broken](const net::Request& request) -> std::optional<test::Fault> {
    if (!absl::StrContains(request.target, "watch=") || ++broken > 40) return std::nullopt;
    return test::Fault{.code = 410, .reason = "Expired"};
  };
  const std::shared_ptr<void> escapes =
      bed.executor.barrier().Listen([&bed](const net::Escape& escape) {  // As the daemon does.
        bed.metrics.client().ExceptionCaught(escape.place);
      });
  bed.executor.Post([] { throw std::out_of_range("halfway"); });
  bed.executor.Advance(absl::Hours(1));
  bed.escapes_expected = 1;
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  for (const std::string& family : bed.metric_registry.FamilyNames()) {
    INFO(family);
    CHECK(bed.Moved(family));
    CHECK(absl::StrContains(manual, StrCat("`", family, "`")));
  }
}

}  // namespace
}  // namespace bth::controllers
