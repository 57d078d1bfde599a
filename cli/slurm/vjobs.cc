#include "cli/slurm/vjobs.h"

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/job/list.h"
#include "cli/job/view.h"
#include "cli/session/offers.h"

namespace bth::cli {
namespace {

struct VjobsFlags {
  ListJobsFlags list;
  std::string name;
};

// Unlike in `vcctl job list` jobs that do not pass the filters count for the widths, and for
// whether there are any.
absl::Status ShowJobs(Session& session, const VjobsFlags& flags) {
  const ListJobsFlags& list = flags.list;
  if (!flags.name.empty()) {
    return ViewJob(session, {list.cluster, list.ns, flags.name}, ViewParts::kWithoutConditions);
  }
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(list.cluster));
  BTH_ASSIGN_OR_RETURN(const std::vector<types::Json> jobs, ReadJobs(*cluster, list));
  if (jobs.empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  session.out() << TextOf(JobTable{jobs, list.filter, list.all_namespaces, session.zone(),
                                   session.terminal(), session.times()});
  return absl::OkStatus();
}

}  // namespace

Command VjobsProgram() {
  auto flags = std::make_shared<VjobsFlags>();
  Command program;
  program.name = "vjobs";
  program.short_text = "view job information";
  program.long_text =
      "view information of a job with specified name or jobs from the same namespace";
  AddListFlags(&flags->list, &program.flags);
  program.flags.Text(&flags->list.ns, {"namespace", kSlurmLetters.ns}, "the namespace of job");
  program.flags.Text(&flags->name, {"name", kSlurmLetters.name}, "the name of job");
  program.flags.OfferFor("namespace", OfferNamespaces(&flags->list.cluster));
  program.flags.OfferFor("name", OfferNames(&flags->list.cluster, JobType(), &flags->list.ns));
  program.run = [flags](Session& session) { return ShowJobs(session, *flags); };
  return program;
}

}  // namespace bth::cli
