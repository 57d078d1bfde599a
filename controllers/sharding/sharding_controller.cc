#include "controllers/sharding/sharding_controller.h"

#include <cmath>
#include <utility>
#include <vector>

#include "api/types/time.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

using types::Json;
using types::Node;
using types::NodeShard;
using types::Pod;

constexpr const char* kPass = "";  // No shard has this name.
// From an event to the pass that it asks for.
constexpr absl::Duration kSoon = absl::Milliseconds(200);
// A change of a node's utilisation that does not wait for the period.
constexpr double kMuch = 0.5;
constexpr int kRetriesMax = 3;  // Then the next pass tries again.

bool IsMuch(const std::optional<double>& before, const std::optional<double>& now) {
  if (before.has_value() != now.has_value()) return true;
  return before.has_value() && std::abs(*before - *now) > kMuch;
}

Json TextArray(const std::vector<std::string>& names) {
  Json list = Json::MakeArray();
  for (const std::string& name : names) list.MutableItems().emplace_back(name);
  return list;
}

}  // namespace

ShardingController::ShardingController(const ControllerContext& context)
    : context_(context),
      nodes_(context.watches.Of<Node>()),
      pods_(context.watches.Of<Pod>()),
      shards_(context.watches.Of<NodeShard>()),
      remakes_(context.executor()),
      lanes_(context.executor(), DefaultLanes(1, kRetriesMax),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}),
      config_map_(context, context.options.sharding_configmap_namespace,
                  context.options.sharding_configmap, [this] { OnConfig(); }) {
  absl::StatusOr<ShardingConfig> flags = ShardingConfigOfFlags(context.options);
  if (flags.ok()) {
    flags_ = *std::move(flags);
  } else {  // The process refuses such flags before it comes here.
    Log(LogLevel::kError, "sharding.flags_refused", {{"status", flags.status()}});
  }
  config_ = flags_;
  nodes_.Subscribe(*this);
  pods_.Subscribe(*this);
  shards_.Subscribe(*this);
}

void ShardingController::Start() {
  lanes_.Start();
  config_map_.Start();
}

// --- What happens -------------------------------------------------------------------------------

void ShardingController::OnAdd(const Node& /*node*/) {
  PassSoon();
}

void ShardingController::OnUpdate(const Node& before, const Node& after) {
  if (before.status.capacity != after.status.capacity) LookAt(after.meta.name);
}

void ShardingController::OnDelete(const Node& /*node*/) {
  PassSoon();
}

void ShardingController::OnAdd(const Pod& pod) {
  loads_.Add(pod);
  LookAt(pod.spec.node_name);
}

void ShardingController::OnUpdate(const Pod& before, const Pod& after) {
  loads_.Remove(before);
  loads_.Add(after);
  LookAt(after.spec.node_name);
}

void ShardingController::OnDelete(const Pod& pod) {
  loads_.Remove(pod);
  LookAt(pod.spec.node_name);
}

void ShardingController::OnAdd(const NodeShard& shard) {
  if (lists_.has_value()) lanes_.Add(shard.meta.name);
}

void ShardingController::OnUpdate(const NodeShard& /*before*/, const NodeShard& after) {
  OnAdd(after);
}

void ShardingController::OnDelete(const NodeShard& shard) {
  OnAdd(shard);
}

void ShardingController::PassSoon() {
  if (lists_.has_value() && config_.node_event_trigger) lanes_.queue().AddAfter(kPass, kSoon);
}

void ShardingController::LookAt(const std::string& node) {
  if (!lists_.has_value() || !config_.node_event_trigger) return;
  // Most news of pods is about those that have no node yet: `seen_` does not know it.
  const auto seen = seen_.find(node);
  if (seen == seen_.end()) return;
  const auto object = nodes_.Find("", node);
  if (object == nullptr) return;
  const ShardNode now = loads_.View(object);
  if (IsMuch(seen->second.cpu, now.cpu) || IsMuch(seen->second.memory, now.memory)) PassSoon();
}

// What cannot be read changes nothing, and a ConfigMap that is deleted stays in force.
void ShardingController::OnConfig() {
  const types::ConfigMap* map = config_map_.object();
  const std::string* text = map == nullptr ? nullptr : map->data.Find(kShardingConfigKey);
  if (map != nullptr) {
    absl::StatusOr<LoadedSharding> loaded =
        text != nullptr ? ParseShardingConfig(*text, flags_)
                        : absl::StatusOr<LoadedSharding>(absl::NotFoundError(
                              StrCat("the ConfigMap has no key ", kShardingConfigKey)));
    if (!loaded.ok()) {
      Log(LogLevel::kError, "sharding.config_refused",
          {{"configmap", map->meta.Key()}, {"status", loaded.status()}});
      if (lists_.has_value()) return;
    } else {
      for (const conf::Finding& finding : loaded->findings) {
        Log(LogLevel::kWarning, "sharding.config_finding",
            {{"configmap", map->meta.Key()}, {"finding", conf::ToString(finding)}});
      }
      if (lists_.has_value() && config_ == loaded->config) return;
      config_ = std::move(loaded->config);
    }
  }
  lanes_.Add(kPass);
}

// --- What is done -------------------------------------------------------------------------------

void ShardingController::Pass() {
  if (config_.schedulers.empty()) return;  // Nothing is known of them: their shards stay.
  std::vector<ShardNode> nodes;
  seen_.clear();
  for (const auto& node : nodes_.All()) {
    nodes.push_back(loads_.View(node));
    seen_.emplace(node->meta.name, nodes.back());
  }
  const std::vector<std::vector<std::string>> assignment =
      AssignNodes(config_.schedulers, std::move(nodes));
  ShardLists wanted;
  for (size_t i = 0; i < assignment.size(); ++i) {
    wanted.emplace(config_.schedulers[i].name, assignment[i]);
  }
  ShardLists now;
  for (const ShardPtr& shard : shards_.All()) {
    now.emplace(shard->meta.name, shard->nodes_desired);
    lanes_.Add(shard->meta.name);  // Those of nobody go.
  }
  const auto node_exists = [this](const std::string& node) {
    return nodes_.Find("", node) != nullptr;
  };
  lists_ = SettleShards(wanted, now, node_exists);
  for (const auto& [name, list] : *lists_) lanes_.Add(name);
}

net::Awaitable<LaneHooks::Outcome> ShardingController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  if (key == kPass) {
    Pass();
    outcome.again = config_.period;
  } else if (const absl::Duration pause = PauseOf(key); pause > absl::ZeroDuration()) {
    outcome.again = pause;
  } else {
    outcome.status = co_await Reconcile(key);
    if (!outcome.status.ok()) {
      Log(LogLevel::kWarning, "sharding.write_failed",
          {{"shard", key}, {"status", outcome.status}});
    }
  }
  co_return std::move(outcome);
}

absl::Duration ShardingController::PauseOf(const std::string& name) {
  if (shards_.Find("", name) != nullptr) return absl::ZeroDuration();
  return remakes_.Left(ChildKey<NodeShard>("", name));
}

net::Awaitable<absl::Status> ShardingController::Reconcile(std::string name) {
  const ShardPtr shard = shards_.Find("", name);
  const auto list = lists_->find(name);
  if (list == lists_->end()) {
    if (shard == nullptr) co_return absl::OkStatus();
    co_return co_await Remove(shard);
  }
  if (shard != nullptr && shard->nodes_desired == list->second) {
    co_return co_await WriteStatus(shard, false);
  }
  const absl::StatusOr<ShardPtr> written = co_await WriteNodes(name, shard);
  BTH_CO_RETURN_IF_ERROR(written);
  co_return co_await WriteStatus(*written, true);
}

net::Awaitable<absl::StatusOr<ShardingController::ShardPtr>> ShardingController::WriteNodes(
    std::string name, ShardPtr shard) {
  const std::vector<std::string> nodes = lists_->at(name);
  Log(LogLevel::kInfo, "sharding.shard_changed", {{"shard", name}, {"nodes", nodes.size()}});
  absl::StatusOr<ShardPtr> now;
  if (shard == nullptr) {
    NodeShard made;
    made.meta.name = name;
    made.nodes_desired = nodes;
    std::string body = types::Encode(made);
    now = co_await CreateAndLearn(context_.api, shards_, "", std::move(body));
    if (now.ok()) remakes_.NoteMade(ChildKey<NodeShard>("", name));
  } else {
    client::MergePatch patch;
    patch.Set({"spec", "nodesDesired"}, TextArray(nodes));
    patch.RequireResourceVersion(shard->meta.resource_version);
    client::Patch built = patch.Build();
    now = co_await PatchAndLearn(context_.api, shards_, *shard, std::move(built));
  }
  co_return std::move(now);
}

// Which nodes the scheduler uses is for the scheduler to say; what it is to take up and to give
// back follows.
net::Awaitable<absl::Status> ShardingController::WriteStatus(ShardPtr shard, bool nodes_changed) {
  const std::vector<std::string> add = Without(shard->nodes_desired, shard->nodes_in_use);
  const std::vector<std::string> remove = Without(shard->nodes_in_use, shard->nodes_desired);
  // Whoever made the shard may have died before it came to that.
  const bool is_written = shard->last_update_time.has_value();
  if (!nodes_changed && is_written && add == shard->nodes_to_add &&
      remove == shard->nodes_to_remove) {
    co_return absl::OkStatus();
  }
  client::MergePatch patch;
  patch.Set({"status", "lastUpdateTime"}, Json(types::FormatTimestamp(context_.now())));
  patch.Set({"status", "nodesToAdd"}, TextArray(add));
  patch.Set({"status", "nodesToRemove"}, TextArray(remove));
  patch.RequireResourceVersion(shard->meta.resource_version);
  client::Patch built = patch.Build();
  const absl::StatusOr<ShardPtr> now =
      co_await PatchAndLearn(context_.api, shards_, *shard, std::move(built), "status");
  co_return now.status();
}

net::Awaitable<absl::Status> ShardingController::Remove(ShardPtr shard) {
  Log(LogLevel::kInfo, "sharding.shard_removed", {{"shard", shard->meta.name}});
  absl::Status deleted = co_await DeleteObject(context_.api, *shard);
  remakes_.Forget(ChildKey<NodeShard>("", shard->meta.name));
  co_return std::move(deleted);
}

}  // namespace bth::controllers
