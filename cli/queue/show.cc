#include "cli/queue/show.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/listing/views.h"
#include "cli/text/object.h"
#include "cli/text/padded_table.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::array<std::string_view, 5> kCountedPhases = {"Inqueue", "Pending", "Running",
                                                            "Unknown", "Completed"};
using PhaseCounts = std::array<int64_t, kCountedPhases.size()>;

std::map<std::string_view, PhaseCounts> CountByQueue(const std::vector<Json>& pod_groups) {
  std::map<std::string_view, PhaseCounts> counts;
  for (const Json& group : pod_groups) {
    PhaseCounts& of_queue = counts[group.At({"spec", "queue"}).AsString()];
    const std::string_view phase = group.At({"status", "phase"}).AsString();
    for (size_t i = 0; i < kCountedPhases.size(); ++i) of_queue[i] += kCountedPhases[i] == phase;
  }
  return counts;
}

absl::StatusOr<std::vector<Json>> ReadPodGroups(Cluster& cluster, const std::string& doing) {
  const types::ResourceType& type = types::ResourceTraits<types::PodGroup>::type();
  absl::StatusOr<ObjectList> list = cluster.List({type, "", ""});
  if (list.ok()) return std::move(list->items);
  return absl::Status(list.status().code(),
                      StrCat("failed to ", doing, " with err: ", list.status().message()));
}

}  // namespace

std::string QueueTable(const std::vector<Json>& queues, const std::vector<Json>& pod_groups,
                       const Terminal& terminal) {
  const std::map<std::string_view, PhaseCounts> counts = CountByQueue(pod_groups);
  PaddedTable table;
  table.widths = {25, 8, 8, 8, 8, 8, 8, 8, 8};
  table.phase = 2;
  std::vector<std::string> titles = {"Name", "Weight", "State", "Parent"};
  titles.insert(titles.end(), kCountedPhases.begin(), kCountedPhases.end());
  table.lines.push_back(std::move(titles));
  for (const Json& queue : queues) {
    std::vector<std::string> row = {std::string(NameIn(queue)),
                                    StrCat(queue.At({"spec", "weight"}).AsInt()),
                                    std::string(queue.At({"status", "state"}).AsString()),
                                    std::string(queue.At({"spec", "parent"}).AsString())};
    const auto found = counts.find(NameIn(queue));
    const PhaseCounts of_queue = found == counts.end() ? PhaseCounts{} : found->second;
    for (const int64_t count : of_queue) row.push_back(StrCat(count));
    table.lines.push_back(std::move(row));
  }
  return PaddedTableText(table, terminal);
}

absl::Status GetQueue(Session& session, const QueueFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) {
    return absl::InvalidArgumentError("name is mandatory to get the particular queue details");
  }
  BTH_ASSIGN_OR_RETURN(Json queue, cluster->Get({QueueType(), "", flags.name}));
  if (WantsOtherFormat(flags.listing)) {
    return ShowOne(session, QueueType(), std::move(queue), QueueView(), flags.listing);
  }
  BTH_ASSIGN_OR_RETURN(const std::vector<Json> pod_groups,
                       ReadPodGroups(*cluster, StrCat("list podgroup for queue ", flags.name)));
  session.out() << QueueTable({queue}, pod_groups, session.terminal());
  return absl::OkStatus();
}

absl::Status ListQueues(Session& session, const QueueFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  const Target all{QueueType(), "", ""};
  if (WantsOtherFormat(flags.listing)) {
    const auto passes = [](const Json&) { return true; };
    return ShowListing(session, *cluster, {all, SelectorsOf(flags.listing), passes, QueueView()},
                       flags.listing);
  }
  BTH_ASSIGN_OR_RETURN(const ObjectList queues, cluster->List(all, SelectorsOf(flags.listing)));
  if (queues.items.empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  BTH_ASSIGN_OR_RETURN(const std::vector<Json> pod_groups,
                       ReadPodGroups(*cluster, "list podgroups"));
  session.out() << QueueTable(queues.items, pod_groups, session.terminal());
  return absl::OkStatus();
}

}  // namespace bth::cli
