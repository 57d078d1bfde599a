#include "cli/queue/commands.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/explain/command.h"
#include "cli/queue/show.h"
#include "cli/session/bus_command.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"

namespace bth::cli {
namespace {

using types::Json;

// Where Commands to queues live, which have no namespace themselves.
constexpr char kQueueCommandsNamespace[] = "default";

absl::Status NoQueueName() {
  return absl::InvalidArgumentError("queue name must be specified");
}

absl::Status CreateQueue(Session& session, const QueueFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  Json queue = Json::MakeObject();
  queue.MutableAt({"metadata", "name"}) = flags.name;
  queue.MutableAt({"spec", "weight"}) = int64_t{flags.weight};
  queue.MutableAt({"status", "state"}) = flags.state;
  return cluster->Create({QueueType(), "", ""}, std::move(queue)).status();
}

absl::Status DeleteQueue(Session& session, const QueueFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) return NoQueueName();
  return cluster->Delete({QueueType(), "", flags.name});
}

absl::Status UpdateQueue(Cluster& cluster, const QueueFlags& flags) {
  if (flags.weight == 0) {
    return absl::InvalidArgumentError(
        StrCat("when update queue ", flags.name,
               ", weight must be specified, the value must be greater than 0"));
  }
  Json patch = Json::MakeObject();
  patch.MutableAt({"spec", "weight"}) = int64_t{flags.weight};
  return cluster.MergePatch({QueueType(), "", flags.name}, patch).status();
}

absl::Status OperateQueue(Session& session, const QueueFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) return NoQueueName();
  if (flags.action == "update") return UpdateQueue(*cluster, flags);
  const Target target{QueueType(), "", flags.name};
  if (flags.action == "open") {
    return SendBusCommand(*cluster, target, kQueueCommandsNamespace, "OpenQueue");
  }
  if (flags.action == "close") {
    return SendBusCommand(*cluster, target, kQueueCommandsNamespace, "CloseQueue");
  }
  if (flags.action.empty()) return absl::InvalidArgumentError("action can not be null");
  return absl::InvalidArgumentError(
      StrCat("action ", flags.action, " invalid, valid actions are open, close and update"));
}

struct QueueLeaf {
  Command command;
  std::shared_ptr<QueueFlags> flags;
};

// With the flags that all leaves have, and what `flags` holds as defaults.
QueueLeaf MakeQueueLeaf(std::string name, std::string short_text, QueueFlags defaults,
                        absl::Status (*act)(Session&, const QueueFlags&)) {
  auto flags = std::make_shared<QueueFlags>(std::move(defaults));
  QueueLeaf leaf;
  leaf.command.name = std::move(name);
  leaf.command.short_text = std::move(short_text);
  AddClusterFlags(&flags->cluster, &leaf.command.flags);
  leaf.command.run = [flags, act](Session& session) { return act(session, *flags); };
  leaf.flags = std::move(flags);
  return leaf;
}

QueueLeaf MakeNamedQueueLeaf(std::string name, std::string short_text, QueueFlags defaults,
                             absl::Status (*act)(Session&, const QueueFlags&)) {
  QueueLeaf leaf = MakeQueueLeaf(std::move(name), std::move(short_text), std::move(defaults), act);
  leaf.command.flags.Text(&leaf.flags->name, {"name", 'n'}, "the name of queue");
  leaf.command.flags.OfferFor("name", OfferNames(&leaf.flags->cluster, QueueType(), nullptr));
  return leaf;
}

Command CreateLeaf() {
  QueueFlags defaults;
  defaults.name = "test";
  defaults.weight = 1;
  defaults.state = "Open";
  QueueLeaf leaf = MakeNamedQueueLeaf("create", "creates queue", defaults, CreateQueue);
  leaf.command.flags.Int32(&leaf.flags->weight, {"weight", 'w'}, "the weight of the queue");
  leaf.command.flags.Text(&leaf.flags->state, {"state", 'S'}, "the state of queue");
  leaf.command.flags.OfferFor("state", OfferWords({{"Open", ""}, {"Closed", ""}}));
  leaf.command.flags.OfferFor("name", nullptr);  // The queue is a new one.
  return std::move(leaf.command);
}

Command DeleteLeaf() {
  QueueLeaf leaf = MakeNamedQueueLeaf("delete", "delete queue", {}, DeleteQueue);
  leaf.command.operands = "queue";
  return std::move(leaf.command);
}

Command OperateLeaf() {
  QueueLeaf leaf = MakeNamedQueueLeaf("operate", "operate queue", {}, OperateQueue);
  leaf.command.operands = "queue";
  leaf.command.flags.Int32(&leaf.flags->weight, {"weight", 'w'}, "the weight of the queue");
  leaf.command.flags.Text(&leaf.flags->action, {"action", 'a'},
                          "operate action to queue, valid actions are open, close, update");
  leaf.command.flags.OfferFor("action", OfferWords({{"open", "it takes jobs again"},
                                                    {"close", "it takes no more jobs"},
                                                    {"update", "its weight becomes that of -w"}}));
  return std::move(leaf.command);
}

Command ListLeaf() {
  QueueLeaf leaf = MakeQueueLeaf("list", "lists all the queue", {}, ListQueues);
  AddListingFlags(&leaf.flags->listing, &leaf.command.flags);
  return std::move(leaf.command);
}

Command GetLeaf() {
  QueueLeaf leaf = MakeNamedQueueLeaf("get", "get a queue", {}, GetQueue);
  AddFormatFlags(&leaf.flags->listing, &leaf.command.flags);
  return std::move(leaf.command);
}

}  // namespace

Command QueueCommand() {
  Command group;
  group.name = "queue";
  group.short_text = "Queue Operations";
  group.children.push_back(CreateLeaf());
  group.children.push_back(DeleteLeaf());
  group.children.push_back(OperateLeaf());
  group.children.push_back(ListLeaf());
  group.children.push_back(GetLeaf());
  group.children.push_back(ExplainQueuesCommand());
  return group;
}

}  // namespace bth::cli
