#include "controllers/job/job_commands.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "controllers/core/events.h"
#include "controllers/job/job_kill.h"
#include "controllers/job/phases.h"

namespace bth::controllers {

using types::BatchJob;

JobCommands::JobCommands(const ControllerContext& context, JobDesk& desk, AskFn ask)
    : desk_(desk), ask_(std::move(ask)) {
  const auto& gates = context.options.gates;
  if (!gates.volcano_job_support || !gates.queue_command_sync) return;
  taker_ = std::make_unique<CommandTaker>(
      context, types::ResourceTraits<BatchJob>::type(),
      DefaultLanes(std::max(context.options.worker_threads, 1)),
      [this](const types::Command& command) { return Begin(command); });
  strays_ = std::make_unique<StrayCommands>(context);
}

void JobCommands::Start() {
  if (taker_ != nullptr) taker_->Start();
}

void JobCommands::Drop(const std::string& job) {
  if (taker_ != nullptr) taker_->Drop(job);
}

std::string JobCommands::Among(const std::vector<JobRequest>& requests) {
  for (const JobRequest& request : requests) {
    if (!request.command.empty()) return request.command;
  }
  return "";
}

void JobCommands::Finish(const std::string& job, std::string_view uid,
                         const std::vector<JobRequest>& left) {
  if (taker_ == nullptr || uid.empty() || uid == Among(left)) return;
  taker_->Done(job, uid);
}

CommandTurn JobCommands::Begin(const types::Command& command) {
  JobRequest request;
  request.ns = command.meta.ns;
  request.job = command.target->name;
  request.event = types::BusEvent::kCommandIssued;
  request.action = command.action;
  request.command = command.meta.uid;
  const JobPointer job = desk_.book.FindJob(JobKey(request));
  if (job == nullptr || !IsFor(command, job->meta.uid)) return CommandTurn::kUnknown;
  if (job->meta.deletion_time.has_value()) return CommandTurn::kOver;
  if (WasCarriedOut(*job, request.command)) return CommandTurn::kOver;
  Tell(desk_.context.events, *job, "CommandIssued",
       StrCat("Start to execute command ", command.action.text(),
              ", and clean it up to make sure executed not more than once."));
  ask_(request);
  return CommandTurn::kBegun;
}

std::string WhyNoEffect(const BatchJob& job, const types::Word<types::BusAction>& action) {
  const types::Word<types::JobPhase>& phase = job.status.state.phase;
  const JobStep step = StepFor(phase.value(), action.value());
  if (step.operation != JobStep::Operation::kKillJob || step.decision != Decision::kNone) return "";
  return StrCat("the job is ", phase.text(), ": ", action.text(), " has no effect; ",
                types::IsFinished(phase.value())
                    ? "delete the job and create it anew to run it once more"
                    : "ResumeJob starts it again");
}

}  // namespace bth::controllers
