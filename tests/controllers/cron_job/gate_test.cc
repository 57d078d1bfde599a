// The feature gates VolcanoJobSupport and CronVolcanoJobSupport.
#include <memory>
#include <string>

#include "base/strings.h"
#include "controllers/cron_job/cron_job_controller.h"
#include "tests/controllers/controller_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

TEST_CASE("cron jobs: nothing is done without the gates of jobs and of CronJobs",
          "[controllers][cron_job]") {
  const std::string batch = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/";
  const bool has_jobs = GENERATE(true, false);
  const bool has_crons = GENERATE(true, false);
  const bool is_on = has_jobs && has_crons;
  const bool is_readable = GENERATE(true, false);
  CAPTURE(has_jobs, has_crons, is_readable);
  test::ControllerBed bed;
  bed.options.gates.volcano_job_support = has_jobs;
  bed.options.gates.cron_volcano_job_support = has_crons;
  bed.Start({[](const ControllerContext& context) {
    return std::make_unique<CronJobController>(context);
  }});
  bed.Create(batch + "cronjobs",
             StrCat(R"({"metadata":{"name":"c"},"spec":{"schedule":")", is_readable ? "*/5" : "61",
                    R"( * * * *","jobTemplate":{"spec":{"minAvailable":1,"tasks":[{"name":"t",)",
                    R"("replicas":1,"template":{"spec":{"containers":[{"name":"c",)",
                    R"("image":"i"}]}}}]}}}})"));
  bed.Settle();
  bed.Wait(absl::Minutes(6));
  CHECK(bed.Names(batch + "jobs").empty() == !(is_on && is_readable));
  CHECK(bed.Events("c").empty() == !is_on);
  CHECK(bed.Get(batch + "cronjobs/c")["status"]["lastScheduleTime"].is_null() ==
        !(is_on && is_readable));
}

}  // namespace
}  // namespace bth::controllers
