#include "cli/explain/command.h"

#include <memory>
#include <string>
#include <utility>

#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/explain/held_by.h"
#include "cli/explain/job_facts.h"
#include "cli/explain/job_text.h"
#include "cli/explain/queues_text.h"
#include "cli/explain/scheduler_page.h"
#include "cli/print/plain_text.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"

namespace bth::cli {
namespace {

struct ExplainJobFlags {
  JobFlags job;
  SchedulerFlags scheduler;
};

// One line for people: what is shown instead of the scheduler's own words, and why.
void TellNoAnswer(Session& session, const SchedulerAnswer& answer, std::string_view instead) {
  if (answer.page.has_value() || answer.why.empty()) return;
  session.err() << "note: this is " << instead
                << "; the scheduler was not heard: " << OnOneLine(answer.why) << "\n";
}

absl::Status ExplainJob(Session& session, const ExplainJobFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.job.cluster));
  if (flags.job.name.empty()) {
    return absl::InvalidArgumentError(
        "job name (specified by --name or -N) is mandatory to explain a particular job");
  }
  BTH_ASSIGN_OR_RETURN(JobFacts facts, ReadJobFacts(*cluster, flags.job));
  // Of one that runs, was suspended or has ended its objects say all there is.
  if (const HeldBy held = WhatHolds(facts); held.waits && held.is_for_scheduler) {
    const std::string key = StrCat(flags.job.ns, "/", flags.job.name);
    SchedulerAnswer answer = AskScheduler(*cluster, flags.scheduler, "explain", {"job", key});
    TellNoAnswer(session, answer, "what conditions say");
    facts.page = std::move(answer.page);
  }
  session.out() << ExplainJobText(facts, session.now());
  return absl::OkStatus();
}

struct ExplainQueuesFlags {
  ClusterFlags cluster;
  ShowFlags show;
  SchedulerFlags scheduler;
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
  SchedulerAnswer answer = AskScheduler(*cluster, flags.scheduler, "queues", {});
  TellNoAnswer(session, answer, "what queues say of themselves");
  if (answer.page.has_value()) facts.pages = PagesByQueue(*answer.page);
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       ExplainQueuesText(facts, flags.name, session.terminal()));
  session.out() << text;
  return absl::OkStatus();
}

}  // namespace

Command ExplainJobCommand() {
  auto flags = std::make_shared<ExplainJobFlags>();
  Command leaf;
  leaf.name = "explain";
  leaf.short_text = "tell why a job waits";
  leaf.long_text =
      "Tells what a job, or a pod group, waits for: the gate that holds it, its gang, what nodes "
      "say to its pods,\nwhat its queue holds and may hold, and who else runs there.";
  leaf.example = "  vcctl job explain -n research -N train";
  AddJobFlags(&flags->job, kVcctlLetters, &leaf.flags);
  AddSchedulerFlags(&flags->scheduler, &leaf.flags);
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
  AddSchedulerFlags(&flags->scheduler, &leaf.flags);
  leaf.flags.Text(&flags->name, {"name", 'n'},
                  "only this queue, those above it and those below it");
  leaf.flags.OfferFor("name", OfferNames(&flags->cluster, QueueType(), nullptr));
  leaf.run = [flags](Session& session) { return ExplainQueues(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
