#include "cli/top/command.h"

#include <memory>
#include <string>
#include <utility>

#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/show_flags.h"
#include "cli/top/live.h"
#include "cli/top/view.h"

namespace bth::cli {
namespace {

constexpr absl::Duration kIntervalMin = absl::Milliseconds(100);

struct TopFlags {
  ClusterFlags cluster;
  ShowFlags show;
  absl::Duration interval = absl::Seconds(2);
  bool watch = false;
  bool once = false;
};

// What is looked at. Lives as long as the program.
struct TopSubject {
  const types::ResourceType& kind;   // "nodes"
  const types::ResourceType& users;  // "pods"
  std::unique_ptr<TopView> (*make)(const TopSources& sources, const TopEars& ears);
};

absl::Status CheckTopFlags(const TopFlags& flags) {
  if (flags.watch && flags.once) {
    return absl::InvalidArgumentError("--watch and --once: only one of them can be");
  }
  if (flags.interval < kIntervalMin) {
    return absl::InvalidArgumentError(
        StrCat("--interval: must be ", absl::FormatDuration(kIntervalMin), " at least"));
  }
  return absl::OkStatus();
}

// Why nothing could be read, in the words of other commands: asked for almost nothing, the server
// says it again.
absl::Status WhyUnread(Cluster& cluster, const TopSubject& subject, const absl::Status& failure) {
  const Selectors nothing = {"", "metadata.name=-"};
  for (const types::ResourceType* type : {&subject.kind, &subject.users}) {
    BTH_RETURN_IF_ERROR(cluster.List({*type, "", ""}, nothing));
  }
  return failure;
}

absl::Status ShowTop(Session& session, const TopFlags& flags, const TopSubject& subject) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_RETURN_IF_ERROR(CheckTopFlags(flags));
  session.Apply(flags.show);
  // Only chooses moments at which watches end.
  Rng rng(static_cast<uint64_t>(absl::ToUnixNanos(session.now())));
  absl::Status failure;
  TopEars ears;
  ears.on_synced = [&cluster] { cluster->Interrupt(); };
  ears.on_error = [&cluster, &failure](const absl::Status& status) {
    failure = status;
    cluster->Interrupt();
  };
  const std::unique_ptr<TopView> view = subject.make({cluster->api(), rng}, ears);
  view->Start();
  while (!view->HasSynced()) {
    // Later failures are shown beside what was known before them.
    if (!failure.ok()) return WhyUnread(*cluster, subject, failure);
    cluster->Pause(absl::InfiniteDuration());
  }
  const bool is_live = flags.watch || (session.terminal().can_redraw && !flags.once);
  if (is_live) {
    ShowLive(session, *cluster, *view, flags.interval);
  } else {
    session.out() << view->Text(session.terminal());
  }
  return absl::OkStatus();
}

const TopSubject& NodesSubject() {
  static const TopSubject subject{types::ResourceTraits<types::Node>::type(),
                                  types::ResourceTraits<types::Pod>::type(), MakeNodesView};
  return subject;
}

const TopSubject& QueuesSubject() {
  static const TopSubject subject{types::ResourceTraits<types::Queue>::type(),
                                  types::ResourceTraits<types::PodGroup>::type(), MakeQueuesView};
  return subject;
}

Command TopLeaf(std::string name, std::string short_text, const TopSubject& subject) {
  auto flags = std::make_shared<TopFlags>();
  Command leaf;
  leaf.name = std::move(name);
  leaf.short_text = std::move(short_text);
  AddClusterFlags(&flags->cluster, &leaf.flags);
  AddColourFlag(&flags->show, &leaf.flags);
  leaf.flags.Bool(&flags->watch, {"watch", 'w'}, "go on until interrupted, also in a pipe");
  leaf.flags.Bool(&flags->once, {"once"}, "show it once, also on a terminal");
  leaf.flags.Duration(&flags->interval, {"interval"}, "between two looks");
  leaf.run = [flags, &subject](Session& session) { return ShowTop(session, *flags, subject); };
  return leaf;
}

}  // namespace

Command TopCommand() {
  Command group = TopLeaf("top", "show who uses what of the cluster", NodesSubject());
  group.long_text =
      "Shows what nodes, or queues, hold of what they have: live on a terminal, until q or "
      "Ctrl-C,\nand as a table in a pipe. What counts are the requests of pods that have a node "
      "and have "
      "not ended, not\nwhat they use.";
  group.example = "  vcctl top\n  vcctl top queues --interval 5s\n  vcctl top nodes | sort -k3";
  group.children.push_back(TopLeaf("nodes", "show what pods hold of each node", NodesSubject()));
  group.children.push_back(
      TopLeaf("queues", "show what queues hold of what they may", QueuesSubject()));
  return group;
}

}  // namespace bth::cli
