#include "cli/programs.h"

#include <optional>
#include <utility>

#include "cli/command/dispatch.h"
#include "cli/completion/completion.h"
#include "cli/conf/commands.h"
#include "cli/doctor/command.h"
#include "cli/job/commands.h"
#include "cli/jobflow/commands.h"
#include "cli/pod/list.h"
#include "cli/queue/commands.h"
#include "cli/slurm/programs.h"
#include "cli/top/command.h"
#include "cli/version/version.h"

namespace bth::cli {
namespace {

Command VcctlProgram() {
  Command program;
  program.name = "vcctl";
  program.screen_example =
      "  vcctl job run -N train -i example.com/train:1 -r 4   run a job of four tasks\n"
      "  vcctl job explain -N train                           tell why it waits\n"
      "  vcctl job list -A -o wide                            list jobs everywhere";
  program.children.push_back(CompletionCommand());
  program.children.push_back(JobCommand());
  program.children.push_back(QueueCommand());
  program.children.push_back(JobFlowCommand());
  program.children.push_back(JobTemplateCommand());
  program.children.push_back(PodCommand());
  program.children.push_back(TopCommand());
  program.children.push_back(ConfCommand());
  program.children.push_back(DoctorCommand());
  program.children.push_back(VersionCommand());
  return program;
}

}  // namespace

int RunProgram(std::string_view called, const std::vector<std::string>& args, Session& session) {
  const size_t slash = called.rfind('/');
  if (slash != std::string_view::npos) called.remove_prefix(slash + 1);
  std::optional<Command> program = SlurmProgram(called, session);
  if (!program.has_value()) program = VcctlProgram();
  return Dispatch(*std::move(program), LogFlags(), args, session);
}

}  // namespace bth::cli
