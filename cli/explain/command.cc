#include "cli/explain/command.h"

#include <memory>
#include <string>
#include <utility>

#include "api/types/pod_group.h"
#include "base/status.h"
#include "cli/explain/job_facts.h"
#include "cli/explain/job_text.h"
#include "cli/explain/queues_text.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"

namespace bth::cli {
namespace {

absl::Status ExplainJob(Session& session, const JobFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) {
    return absl::InvalidArgumentError(
        "job name (specified by --name or -N) is mandatory to explain a particular job");
  }
  BTH_ASSIGN_OR_RETURN(const JobFacts facts, ReadJobFacts(*cluster, flags));
  session.out() << ExplainJobText(facts, session.now());
  return absl::OkStatus();
}

struct ExplainQueuesFlags {
  ClusterFlags cluster;
  ShowFlags show;
  std::string name;
};

absl::Status ExplainQueues(Session& session, const ExplainQueuesFlags& flags) {
  session.Apply(flags.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  QueueFacts facts;
  BTH_ASSIGN_OR_RETURN(ObjectList queues, cluster->List({QueueType(), "", ""}));
  facts.queues = std::move(queues.items);
  if (facts.queues.empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  const types::ResourceType& group_type = types::ResourceTraits<types::PodGroup>::type();
  BTH_ASSIGN_OR_RETURN(ObjectList groups, cluster->List({group_type, "", ""}));
  facts.pod_groups = std::move(groups.items);
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       ExplainQueuesText(facts, flags.name, session.terminal()));
  session.out() << text;
  return absl::OkStatus();
}

}  // namespace

Command ExplainJobCommand() {
  auto flags = std::make_shared<JobFlags>();
  Command leaf;
  leaf.name = "explain";
  leaf.short_text = "tell why a job waits";
  leaf.long_text =
      "Tells what a job, or a pod group, waits for: the gate that holds it, its gang, what nodes "
      "say to its pods,\nwhat its queue holds and may hold, and who else runs there.";
  leaf.example = "  vcctl job explain -n research -N train";
  AddJobFlags(flags.get(), kVcctlLetters, &leaf.flags);
  leaf.run = [flags](Session& session) { return ExplainJob(session, *flags); };
  return leaf;
}

Command ExplainQueuesCommand() {
  auto flags = std::make_shared<ExplainQueuesFlags>();
  Command leaf;
  leaf.name = "explain";
  leaf.short_text = "show what queues hold, deserve and may hold";
  leaf.long_text =
      "Shows the tree of queues: of each its state, its pod groups, and of each resource what it "
      "holds,\ndeserves, is guaranteed and may hold.";
  leaf.example = "  vcctl queue explain -n research";
  AddClusterFlags(&flags->cluster, &leaf.flags);
  AddColourFlag(&flags->show, &leaf.flags);
  leaf.flags.Text(&flags->name, {"name", 'n'},
                  "only this queue, those above it and those below it");
  leaf.flags.OfferFor("name", OfferNames(&flags->cluster, QueueType(), nullptr));
  leaf.run = [flags](Session& session) { return ExplainQueues(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
