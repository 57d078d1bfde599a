// Removes batch jobs some time after they finished (spec.ttlSecondsAfterFinished).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/cron_job.h"
#include "api/types/job_flow.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"

namespace bth::controllers {

// How long until the job may go, zero or less when it may go now; nothing when it never goes by
// itself. kFailedPrecondition when it does not say when it finished. Pure.
absl::StatusOr<std::optional<absl::Duration>> TimeLeft(const types::BatchJob& job, absl::Time now);

// Deletes in the foreground, so that a job is there until its pods are gone, and only the very job
// that it has read afresh.
class TtlController final : public Controller, private StoreListener<types::BatchJob> {
 public:
  explicit TtlController(const ControllerContext& context);

  std::string_view name() const override { return "gc-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  void OnAdd(const types::BatchJob& job) override;
  void OnUpdate(const types::BatchJob& before, const types::BatchJob& after) override;
  void OnDelete(const types::BatchJob& job) override;
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  // Its flow has yet to tell in its status how it ended. Gone before, it would be made again by a
  // flow controller that begins anew.
  bool IsAwaitedByFlow(const types::BatchJob& job) const;
  // Its CronJob has yet to tell that it ran: it would run once more. A suspended one tells nothing.
  bool IsAwaitedByCronJob(const types::BatchJob& job) const;
  net::Awaitable<LaneHooks::Outcome> Remove(std::string ns, std::string name);

  const ControllerContext context_;
  ObjectStore<types::BatchJob>& jobs_;
  // Null: no flow controller runs beside us, whom to wait for.
  ObjectStore<types::JobFlow>* flows_ = nullptr;
  // Null as well when there is no such controller.
  ObjectStore<types::CronJob>* cron_jobs_ = nullptr;
  Lanes lanes_;
};

}  // namespace bth::controllers
