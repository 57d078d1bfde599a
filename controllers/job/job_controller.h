// Expands batch jobs into pod groups and pods, and leads them through their phases.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/job/delayed_actions.h"
#include "controllers/job/eviction_news.h"
#include "controllers/job/job_commands.h"
#include "controllers/job/job_desk.h"
#include "controllers/job/job_inbox.h"
#include "controllers/job/job_notes.h"
#include "controllers/job/phases.h"
#include "controllers/job/policy.h"
#include "controllers/job/unreadable_jobs.h"

namespace bth::controllers {

// What happened to a job waits in its own box and is done in order, by one lane at a time;
// everything that asks for no more than a look at the job is done at once by one sync.
class JobController final : public Controller,
                            private StoreListener<types::BatchJob>,
                            private StoreListener<types::Pod>,
                            private StoreListener<types::PodGroup>,
                            private StoreListener<types::PersistentVolumeClaim>,
                            private StoreListener<types::Queue> {
 public:
  JobController(const ControllerContext& context, JobPluginTools tools,
                MakePlugins make_plugins = &MakeJobPlugins);
  ~JobController() override;

  std::string_view name() const override { return "job-controller"; }
  void Start() override;
  bool idle() const override;

 private:
  void OnAdd(const types::BatchJob& job) override;
  void OnUpdate(const types::BatchJob& before, const types::BatchJob& after) override;
  void OnDelete(const types::BatchJob& job) override;
  void OnAdd(const types::Pod& pod) override;
  void OnUpdate(const types::Pod& before, const types::Pod& after) override;
  void OnDelete(const types::Pod& pod) override;
  void OnAdd(const types::PodGroup& group) override;
  void OnUpdate(const types::PodGroup& before, const types::PodGroup& after) override;
  void OnDelete(const types::PodGroup& group) override;
  void OnAdd(const types::PersistentVolumeClaim& claim) override;
  void OnAdd(const types::Queue& queue) override;
  void OnDelete(const types::Queue& queue) override;
  void OnUnreadable(const Unreadable<types::BatchJob>& job) override;
  // What of an edit of the job has no effect.
  void TellOfEdit(const types::BatchJob& before, const types::BatchJob& after);
  void NoteEviction(const types::Pod& before, const types::Pod& after,
                    const types::OwnerReference& job);
  void TellOfEvictions(const std::string& key, const std::string& uid, std::string text);

  void Ask(const JobRequest& request);
  // What happened to a pod calls for no action, so that it is enough to count the pods some time.
  bool CanWait(const JobRequest& request) const;
  void Wake(const std::string& awaited);

  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  // Carries out what `requests` ask of the job `known`, while it is there; after a failure what is
  // left of them. Both live until this ends.
  net::Awaitable<absl::Status> WorkOff(const types::BatchJob& known,
                                       std::vector<JobRequest>& requests);
  net::Awaitable<absl::Status> Do(std::string key, const JobRequest& request,
                                  types::BusAction action);
  // Whether the failure of `requests` was the last one that the job was allowed.
  bool IsLastFailure(const JobInbox::Pace& pace, absl::Duration started, const absl::Status& status,
                     const std::vector<JobRequest>& requests) const;
  // Tells that the job is given up; what is asked of it instead, until it is done.
  JobRequest GiveUp(const types::BatchJob& job, const JobRequest& request,
                    const absl::Status& failure);
  PolicyAnswer AnswerTo(const types::BatchJob& job, const JobRequest& request) const;
  bool IsPointless(const JobRequest& request) const;
  bool IsOfTheLastIncarnation(const JobRequest& request) const;
  // False: the answer is to be carried out now.
  bool Delay(const types::BatchJob& job, JobRequest& request, const PolicyAnswer& answer);
  // By event, and in the request.
  void TellOfAction(const types::BatchJob& job, const PolicyAnswer& answer, JobRequest* request);
  void NoteSuccess(const std::string& key);
  // When the job is to be looked at again even if nothing happens.
  std::optional<absl::Duration> TakeLook(const std::string& key);
  // How long to wait now.
  absl::Duration NoteFailure(const std::string& key, absl::Duration started,
                             const absl::Status& status);

  JobDesk desk_;
  JobInbox inbox_;
  DelayedActions delayed_;
  EvictionNews evictions_;
  UnreadableJobs unreadable_;
  Lanes lanes_;
  JobCommands commands_;
};

}  // namespace bth::controllers
