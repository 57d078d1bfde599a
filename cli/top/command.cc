#include "cli/top/command.h"

#include <memory>
#include <string>
#include <utility>

#include "api/types/node.h"
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

using MakeView = std::unique_ptr<TopView> (*)(const TopSources& sources, const TopEars& ears);

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

absl::Status ShowTop(Session& session, const TopFlags& flags, const types::ResourceType& type,
                     MakeView make) {
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
  const std::unique_ptr<TopView> view = make({cluster->api(), rng}, ears);
  view->Start();
  while (!view->HasSynced()) {
    // Later failures are shown beside what was known before them.
    if (!failure.ok()) return cluster->Told(failure, "GET", {type, "", ""});
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

Command TopLeaf(std::string name, std::string short_text, const types::ResourceType& type,
                MakeView make) {
  auto flags = std::make_shared<TopFlags>();
  Command leaf;
  leaf.name = std::move(name);
  leaf.short_text = std::move(short_text);
  AddClusterFlags(&flags->cluster, &leaf.flags);
  AddColourFlag(&flags->show, &leaf.flags);
  leaf.flags.Bool(&flags->watch, {"watch", 'w'}, "go on until interrupted, also in a pipe");
  leaf.flags.Bool(&flags->once, {"once"}, "show it once, also on a terminal");
  leaf.flags.Duration(&flags->interval, {"interval"}, "between two looks");
  leaf.run = [flags, &type, make](Session& session) {
    return ShowTop(session, *flags, type, make);
  };
  return leaf;
}

}  // namespace

Command TopCommand() {
  const types::ResourceType& nodes = types::ResourceTraits<types::Node>::type();
  const types::ResourceType& queues = types::ResourceTraits<types::Queue>::type();
  Command group = TopLeaf("top", "show who uses what of the cluster", nodes, MakeNodesView);
  group.long_text =
      "Shows what nodes, or queues, hold of what they have: live on a terminal, until interrupted, "
      "and as\na table in a pipe. What counts are the requests of pods that have a node and have "
      "not ended, not\nwhat they use.";
  group.example = "  vcctl top\n  vcctl top queues --interval 5s\n  vcctl top nodes | sort -k3";
  group.children.push_back(
      TopLeaf("nodes", "show what pods hold of each node", nodes, MakeNodesView));
  group.children.push_back(
      TopLeaf("queues", "show what queues hold of what they may", queues, MakeQueuesView));
  return group;
}

}  // namespace bth::cli
