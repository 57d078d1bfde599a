#include "cli/slurm/programs.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "cli/job/commands.h"
#include "cli/job/remove.h"
#include "cli/job/run.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"
#include "cli/slurm/vjobs.h"
#include "cli/slurm/vqueues.h"

namespace bth::cli {
namespace {

// What the environment says, unless that is nothing.
std::string DefaultFrom(const Session& session, std::string_view variable,
                        const std::string& fallback) {
  const std::string value = session.Variable(variable);
  return value.empty() ? fallback : value;
}

Command Vsub(const Session& session) {
  auto flags = std::make_shared<RunFlags>();
  const RunFlags defaults;
  // Help shows the defaults in its sentences, and not behind them.
  flags->job.ns.clear();
  flags->image.clear();
  flags->scheduler.clear();
  Command program;
  program.name = "vsub";
  program.short_text = "submit a job";
  program.long_text =
      "submit a job with specified name and arguments. yaml/json file is not accepted, you may "
      "refer to kubectl.";
  FlagSet& set = program.flags;
  AddClusterFlags(&flags->job.cluster, &set);
  set.Text(&flags->image, {"image", 'i'},
           "the container image of job, overwrite the value of 'VOLCANO_DEFAULT_IMAGE' (default "
           "\"busybox\")");
  set.Text(&flags->job.ns, {"namespace", 'N'},
           "the namespace of job, overwrite the value of 'VOLCANO_DEFAULT_JOB_NAMESPACE' (default "
           "\"default\")");
  set.OfferFor("namespace", OfferNamespaces(&flags->job.cluster));
  set.Text(&flags->job.name, {"name", 'n'}, "the name of job");
  set.Text(&flags->scheduler, {"scheduler", 'S'},
           "the scheduler for this job, overwrite the value of 'VOLCANO_SCHEDULER_NAME' (default "
           "\"volcano\")");
  set.Text(&flags->command, {"command", 'c'}, "the command of job");
  AddShapeFlags(flags.get(), &set);
  flags->image = DefaultFrom(session, "VOLCANO_DEFAULT_IMAGE", defaults.image);
  flags->scheduler = DefaultFrom(session, "VOLCANO_SCHEDULER_NAME", defaults.scheduler);
  flags->job.ns = DefaultFrom(session, "VOLCANO_DEFAULT_JOB_NAMESPACE", defaults.job.ns);
  program.run = [flags](Session& s) { return RunJob(s, *flags); };
  return program;
}

struct JobProgramText {
  std::string name;
  std::string short_text;
  std::string long_text;
};

// A program that does `act` to the job of its flags.
template <typename Act>
Command JobProgram(JobProgramText text, Act act) {
  auto flags = std::make_shared<JobFlags>();
  Command program;
  program.name = std::move(text.name);
  program.short_text = std::move(text.short_text);
  program.long_text = std::move(text.long_text);
  AddJobFlags(flags.get(), kSlurmLetters, &program.flags);
  program.run = [flags, act](Session& session) { return act(session, *flags); };
  return program;
}

Command Vcancel() {
  return JobProgram({"vcancel", "cancel a job",
                     "cancel a running, pending, or aborted job with specified name in default or "
                     "specified namespace"},
                    [](Session& s, const JobFlags& f) { return DeleteJob(s, f, "cancel"); });
}

Command Vresume() {
  return JobProgram(
      {"vresume", "resume a job",
       "resume an aborted job with specified name in default or specified namespace"},
      [](Session& s, const JobFlags& f) { return CommandJob(s, f, "ResumeJob", "resume"); });
}

Command Vsuspend() {
  return JobProgram(
      {"vsuspend", "suspend a job",
       "suspend a running or pending job with specified name in default or specified namespace"},
      [](Session& s, const JobFlags& f) { return CommandJob(s, f, "AbortJob", "suspend"); });
}

}  // namespace

std::optional<Command> SlurmProgram(std::string_view name, const Session& session) {
  if (name == "vsub") return Vsub(session);
  if (name == "vjobs") return VjobsProgram();
  if (name == "vqueues") return VqueuesProgram();
  if (name == "vcancel") return Vcancel();
  if (name == "vresume") return Vresume();
  if (name == "vsuspend") return Vsuspend();
  return std::nullopt;
}

}  // namespace bth::cli
