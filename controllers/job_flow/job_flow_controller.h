// Starts the jobs of job flows in the order of their dependencies, and tells how far each flow is.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "api/types/batch_job.h"
#include "api/types/job_flow.h"
#include "controllers/core/controller.h"
#include "controllers/core/events.h"
#include "controllers/core/lanes.h"
#include "controllers/core/remake_pauses.h"
#include "controllers/job_flow/flow_plan.h"

namespace bth::controllers {

class JobFlowController final : public Controller,
                                private StoreListener<types::JobFlow>,
                                private StoreListener<types::JobTemplate>,
                                private StoreListener<types::BatchJob> {
 public:
  explicit JobFlowController(const ControllerContext& context);

  std::string_view name() const override { return "jobflow-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  using FlowPtr = ObjectStore<types::JobFlow>::Pointer;

  void OnAdd(const types::JobFlow& flow) override;
  void OnUpdate(const types::JobFlow& before, const types::JobFlow& after) override;
  void OnDelete(const types::JobFlow& flow) override;
  void OnUnreadable(const Unreadable<types::JobFlow>& object) override {
    WarnUnreadable(context_.events, object);
  }
  void OnAdd(const types::JobTemplate& job_template) override;
  void OnUpdate(const types::JobTemplate& before, const types::JobTemplate& after) override;
  void OnAdd(const types::BatchJob& job) override;
  void OnUpdate(const types::BatchJob& before, const types::BatchJob& after) override;
  void OnDelete(const types::BatchJob& job) override;

  void Look(const types::JobFlow& flow);
  void TellOfFault(const types::JobFlow& flow);
  // The flow that controls the job; null when there is none, or only another one of its name.
  FlowPtr OwnerOf(const types::BatchJob& job) const;
  JobList JobsOf(const types::JobFlow& flow) const;
  // With those that ended and were gone before the flow's status told so.
  JobList JobsAndGoneOf(const types::JobFlow& flow) const;
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  net::Awaitable<LaneHooks::Outcome> Sync(FlowPtr flow);
  // Starts what may start: one that is refused keeps up no other. The outcome has the first
  // failure, and how soon there is more to start.
  net::Awaitable<LaneHooks::Outcome> StartJobs(FlowPtr flow);
  // The watch has not told of that template: OK when the server does not have it, which is told
  // once.
  net::Awaitable<absl::Status> MissTemplate(FlowPtr flow, std::string template_name);
  // How long the job is not to be made yet; zero: it is there, or waits for its template, or for
  // another job of its name to go.
  net::Awaitable<absl::StatusOr<absl::Duration>> StartJob(FlowPtr flow, std::string template_name);
  // A job of that name is there, and the watch has not told of it.
  net::Awaitable<absl::Status> LearnOfJob(FlowPtr flow, std::string name);
  // Once for each job of which the flow wants the name; not when it goes by itself.
  void TellIfForeign(const types::JobFlow& flow, const types::BatchJob& job);
  net::Awaitable<absl::Status> WriteFlowStatus(FlowPtr flow);
  net::Awaitable<absl::Status> RemoveJobs(FlowPtr flow);
  net::Awaitable<void> GiveUp(std::string key, absl::Status status);

  const ControllerContext context_;
  ObjectStore<types::JobFlow>& flows_;
  ObjectStore<types::JobTemplate>& templates_;
  ObjectStore<types::BatchJob>& jobs_;
  RemakePauses remakes_;
  // By uid of the flow: templates that it was told to lack.
  absl::flat_hash_map<std::string, std::set<std::string>> missing_;
  // By uid of the flow, by name: uids of jobs that it was told to be in its way.
  absl::flat_hash_map<std::string, std::map<std::string, std::string>> foreign_;
  // By uid of the flow: its jobs that ended and are gone, until its status tells of them.
  absl::flat_hash_map<std::string, JobList> gone_;
  Lanes lanes_;
};

}  // namespace bth::controllers
