#include "cli/job/commands.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/explain/command.h"
#include "cli/job/list.h"
#include "cli/job/remove.h"
#include "cli/job/run.h"
#include "cli/job/view.h"
#include "cli/job/wait.h"
#include "cli/logs/command.h"
#include "cli/session/bus_command.h"

namespace bth::cli {
namespace {

absl::Status CheckJobName(const JobFlags& flags, std::string_view doing) {
  if (!flags.name.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("job name is mandatory to ", doing, " a particular job"));
}

// A leaf that does `act` to the job of its flags.
template <typename Act>
Command NamedJobLeaf(std::string name, std::string short_text, Act act) {
  auto flags = std::make_shared<JobFlags>();
  Command leaf;
  leaf.name = std::move(name);
  leaf.short_text = std::move(short_text);
  AddJobFlags(flags.get(), kVcctlLetters, &leaf.flags);
  leaf.run = [flags, act](Session& session) { return act(session, *flags); };
  return leaf;
}

Command ViewJobCommand() {
  auto flags = std::make_shared<JobFlags>();
  Command leaf;
  leaf.name = "view";
  leaf.short_text = "show job information";
  AddJobFlags(flags.get(), kVcctlLetters, &leaf.flags);
  AddColourFlag(&flags->show, &leaf.flags);
  AddTimeFlag(&flags->show, &leaf.flags);
  leaf.run = [flags](Session& session) { return ViewJob(session, *flags, ViewParts::kAll); };
  return leaf;
}

}  // namespace

absl::Status CommandJob(Session& session, const JobFlags& flags, std::string_view action,
                        std::string_view doing) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_RETURN_IF_ERROR(CheckJobName(flags, doing));
  return SendBusCommand(*cluster, TargetOf(flags), flags.ns, action);
}

Command JobCommand() {
  Command group;
  group.name = "job";
  group.short_text = "vcctl command line operation job";
  group.children.push_back(RunJobCommand());
  group.children.push_back(ListJobsCommand());
  group.children.push_back(ExplainJobCommand());
  group.children.push_back(ViewJobCommand());
  group.children.push_back(NamedJobLeaf(
      "suspend", "abort a job",
      [](Session& s, const JobFlags& f) { return CommandJob(s, f, "AbortJob", "suspend"); }));
  group.children.push_back(NamedJobLeaf(
      "resume", "resume a job",
      [](Session& s, const JobFlags& f) { return CommandJob(s, f, "ResumeJob", "resume"); }));
  group.children.push_back(DeleteJobCommand());
  group.children.push_back(WaitCommand());
  group.children.push_back(LogsCommand());
  return group;
}

}  // namespace bth::cli
