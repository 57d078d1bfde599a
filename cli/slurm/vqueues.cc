#include "cli/slurm/vqueues.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"
#include "cli/text/object.h"
#include "cli/text/padded_table.h"

namespace bth::cli {
namespace {

using types::Json;

absl::StatusOr<std::vector<Json>> ReadQueues(Cluster& cluster, const std::string& name) {
  if (name.empty()) {
    BTH_ASSIGN_OR_RETURN(ObjectList list, cluster.List({QueueType(), "", ""}));
    return std::move(list.items);
  }
  BTH_ASSIGN_OR_RETURN(Json queue, cluster.Get({QueueType(), "", name}));
  return std::vector<Json>{std::move(queue)};
}

absl::Status ShowQueues(Session& session, const QueueFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_ASSIGN_OR_RETURN(const std::vector<Json> queues, ReadQueues(*cluster, flags.name));
  session.out() << (queues.empty() ? "No resources found\n"
                                   : QueueStatusTable(queues, session.terminal()));
  return absl::OkStatus();
}

}  // namespace

std::string QueueStatusTable(const std::vector<Json>& queues, const Terminal& terminal) {
  PaddedTable table;
  table.widths = {25, 8, 8, 8, 8, 8, 8};
  table.phase = 2;
  table.lines = {{"Name", "Weight", "State", "Inqueue", "Pending", "Running", "Unknown"}};
  for (const Json& queue : queues) {
    const Json& status = queue["status"];
    std::vector<std::string> row = {std::string(NameIn(queue)),
                                    StrCat(queue.At({"spec", "weight"}).AsInt()),
                                    std::string(status["state"].AsString())};
    for (const char* counter : {"inqueue", "pending", "running", "unknown"}) {
      row.push_back(StrCat(status[counter].AsInt()));
    }
    table.lines.push_back(std::move(row));
  }
  return PaddedTableText(table, terminal);
}

Command VqueuesProgram() {
  auto flags = std::make_shared<QueueFlags>();
  Command program;
  program.name = "vqueues";
  program.short_text = "view queue information";
  program.long_text =
      "view information of a queue with specified name or queues from the same namespace";
  AddClusterFlags(&flags->cluster, &program.flags);
  program.flags.Text(&flags->name, {"name", 'n'}, "the name of queue");
  program.flags.OfferFor("name", OfferNames(&flags->cluster, QueueType(), nullptr));
  program.run = [flags](Session& session) { return ShowQueues(session, *flags); };
  return program;
}

}  // namespace bth::cli
