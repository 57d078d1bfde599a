#include "cli/job/remove.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "cli/session/confirm.h"
#include "cli/session/delete_many.h"
#include "cli/session/progress.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

bool WantsSeveral(const DeleteJobsFlags& flags) {
  return flags.all || !flags.selectors.labels.empty() || !flags.selectors.fields.empty();
}

absl::Status CheckDeleteFlags(const DeleteJobsFlags& flags) {
  if (WantsSeveral(flags) && !flags.job.name.empty()) {
    return absl::InvalidArgumentError(
        "--name names one job: leave out --all, --label-selector and --field-selector");
  }
  if (flags.all_namespaces && !WantsSeveral(flags)) {
    return absl::InvalidArgumentError(
        "--all-namespaces needs --all, --label-selector or --field-selector");
  }
  // An empty one, as of a variable that is not set, would be all of them.
  if (WantsSeveral(flags) && !flags.all_namespaces && flags.job.ns.empty()) {
    return absl::InvalidArgumentError("--namespace is empty: name one, or use --all-namespaces");
  }
  return absl::OkStatus();
}

std::string ShownName(const Doomed& job, bool with_namespace) {
  return with_namespace ? StrCat(job.ns, "/", job.name) : job.name;
}

absl::StatusOr<std::vector<Doomed>> DoomedJobs(Cluster& cluster, const DeleteJobsFlags& flags) {
  const Target target{JobType(), flags.all_namespaces ? "" : flags.job.ns, ""};
  BTH_ASSIGN_OR_RETURN(const ObjectList list, cluster.List(target, flags.selectors));
  std::vector<Doomed> jobs;
  jobs.reserve(list.items.size());
  for (const Json& job : list.items) {
    jobs.push_back({std::string(NamespaceIn(job)), std::string(NameIn(job)),
                    std::string(job.At({"metadata", "uid"}).AsString())});
  }
  return jobs;
}

// Tells what became of each, in their order.
absl::Status TellResults(Session& session, const std::vector<Doomed>& jobs,
                         const std::vector<absl::Status>& results, bool with_namespace) {
  size_t failed = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::string name = ShownName(jobs[i], with_namespace);
    if (results[i].ok()) {
      session.out() << "delete job " << name << " successfully\n";
      continue;
    }
    ++failed;
    session.err() << name << ": " << ToStd(results[i].message()) << "\n";
  }
  if (failed == 0) return absl::OkStatus();
  return absl::AbortedError(StrCat(failed, " of ", jobs.size(), " jobs could not be deleted"));
}

}  // namespace

absl::Status DeleteJob(Session& session, const JobFlags& flags, std::string_view doing) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) {
    return absl::InvalidArgumentError(
        StrCat("job name is mandatory to ", doing, " a particular job"));
  }
  BTH_RETURN_IF_ERROR(cluster->Delete(TargetOf(flags)));
  session.out() << doing << " job " << flags.name << " successfully\n";
  return absl::OkStatus();
}

absl::Status DeleteJobs(Session& session, const DeleteJobsFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.job.cluster));
  BTH_RETURN_IF_ERROR(CheckDeleteFlags(flags));
  BTH_ASSIGN_OR_RETURN(const std::vector<Doomed> jobs, DoomedJobs(*cluster, flags));
  if (jobs.empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  if (jobs.size() > 1 && !flags.yes) {
    std::vector<std::string> names;
    names.reserve(jobs.size());
    for (const Doomed& job : jobs) names.push_back(ShownName(job, flags.all_namespaces));
    const std::string where =
        flags.all_namespaces ? "all namespaces" : StrCat("namespace ", flags.job.ns);
    BTH_RETURN_IF_ERROR(
        Confirm(session, StrCat("Delete these ", jobs.size(), " jobs in ", where, "?"), names));
  }
  std::vector<absl::Status> results;
  {
    ProgressLine progress(session.err(), session.err_terminal());
    const auto show = [&progress, &jobs](size_t done) {
      progress.Show(StrCat("deleting jobs: ", done, " of ", jobs.size()));
    };
    results = DeleteMany(*cluster, JobType(), jobs, show);
  }
  return TellResults(session, jobs, results, flags.all_namespaces);
}

Command DeleteJobCommand() {
  auto flags = std::make_shared<DeleteJobsFlags>();
  Command leaf;
  leaf.name = "delete";
  leaf.short_text = "delete a job";
  FlagSet& set = leaf.flags;
  AddJobFlags(&flags->job, kVcctlLetters, &set);
  set.Bool(&flags->all, {"all"}, "delete all jobs of the namespace");
  set.Text(&flags->selectors.labels, {"label-selector", 'l'},
           "delete the jobs that have these labels: a=b,c!=d");
  set.Text(&flags->selectors.fields, {"field-selector"},
           "delete the jobs that have these fields: metadata.name!=a");
  set.Bool(&flags->all_namespaces, {"all-namespaces", 'A'}, "in all namespaces");
  set.Bool(&flags->yes, {"yes", 'y'}, "do not ask before more than one is deleted");
  leaf.run = [flags](Session& session) {
    const bool is_plain = !WantsSeveral(*flags) && !flags->all_namespaces;
    return is_plain ? DeleteJob(session, flags->job, "delete") : DeleteJobs(session, *flags);
  };
  return leaf;
}

}  // namespace bth::cli
