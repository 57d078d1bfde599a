// Commands for batch jobs: what they ask for, and when they are done with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/command.h"
#include "controllers/core/command_taker.h"
#include "controllers/core/controller.h"
#include "controllers/core/stray_commands.h"
#include "controllers/job/job_desk.h"
#include "controllers/job/request.h"

namespace bth::controllers {

// Of one job no two Commands are under way. Thread: the executor's. The desk outlives it.
class JobCommands {
 public:
  using AskFn = std::function<void(const JobRequest&)>;

  // Takes no Commands with the gates VolcanoJobSupport or QueueCommandSync off.
  JobCommands(const ControllerContext& context, JobDesk& desk, AskFn ask);

  void Start();
  bool idle() const { return taker_ == nullptr || taker_->idle(); }
  // The job is gone.
  void Drop(const std::string& job);

  // The uid of the Command that one of them comes from. Empty: none.
  static std::string Among(const std::vector<JobRequest>& requests);
  // That Command was carried out or given up, unless it is among `left`.
  void Finish(const std::string& job, std::string_view uid, const std::vector<JobRequest>& left);

 private:
  CommandTurn Begin(const types::Command& command);

  JobDesk& desk_;
  const AskFn ask_;
  std::unique_ptr<CommandTaker> taker_;  // Null: none are taken.
  std::unique_ptr<StrayCommands> strays_;
};

// Empty, or why a Command with this action changes nothing. It may be met before its job has ended.
std::string WhyNoEffect(const types::BatchJob& job, const types::Word<types::BusAction>& action);

}  // namespace bth::controllers
