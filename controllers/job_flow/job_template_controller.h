// Tells on each job template which jobs were made from it.
#pragma once

#include <string>
#include <string_view>

#include "api/types/batch_job.h"
#include "api/types/job_flow.h"
#include "controllers/core/controller.h"
#include "controllers/core/events.h"
#include "controllers/core/lanes.h"

namespace bth::controllers {

class JobTemplateController final : public Controller,
                                    private StoreListener<types::JobTemplate>,
                                    private StoreListener<types::BatchJob> {
 public:
  explicit JobTemplateController(const ControllerContext& context);

  std::string_view name() const override { return "jobtemplate-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  void OnAdd(const types::JobTemplate& job_template) override;
  void OnUnreadable(const Unreadable<types::JobTemplate>& object) override {
    WarnUnreadable(context_.events, object);
  }
  void OnAdd(const types::BatchJob& job) override;
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  net::Awaitable<void> GiveUp(std::string key, absl::Status status);

  const ControllerContext context_;
  ObjectStore<types::JobTemplate>& templates_;
  ObjectStore<types::BatchJob>& jobs_;
  Lanes lanes_;
};

}  // namespace bth::controllers
