// Creates batch jobs by the clock; does nothing with the gate CronVolcanoJobSupport off.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/types/batch_job.h"
#include "api/types/cron_job.h"
#include "controllers/core/controller.h"
#include "controllers/core/events.h"
#include "controllers/core/lanes.h"
#include "controllers/core/remake_pauses.h"

namespace bth::controllers {

class CronJobController final : public Controller,
                                private StoreListener<types::CronJob>,
                                private StoreListener<types::BatchJob> {
 public:
  explicit CronJobController(const ControllerContext& context);

  std::string_view name() const override { return "cronjob-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  void OnAdd(const types::CronJob& cron) override;
  void OnDelete(const types::CronJob& cron) override;
  void OnUnreadable(const Unreadable<types::CronJob>& object) override {
    WarnUnreadable(context_.events, object);
  }
  void OnUpdate(const types::CronJob& before, const types::CronJob& after) override;
  void OnAdd(const types::BatchJob& job) override;
  void OnUpdate(const types::BatchJob& before, const types::BatchJob& after) override;
  void OnDelete(const types::BatchJob& job) override;
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);

  const ControllerContext context_;
  ObjectStore<types::CronJob>& crons_;
  ObjectStore<types::BatchJob>& jobs_;
  RemakePauses remakes_;
  Lanes lanes_;
};

}  // namespace bth::controllers
