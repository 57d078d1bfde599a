// Divides the nodes among schedulers: one NodeShard for each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/config_map.h"
#include "api/types/node.h"
#include "api/types/node_shard.h"
#include "api/types/pod.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/core/named_watch.h"
#include "controllers/core/remake_pauses.h"
#include "controllers/sharding/node_loads.h"
#include "controllers/sharding/shard_plan.h"
#include "controllers/sharding/sharding_config.h"

namespace bth::controllers {

// A pass computes all shards at once, in every period and soon after nodes came, went or changed
// much; each shard is then brought to what the pass said, and kept there. Nothing is written before
// it is known whether there is a ConfigMap.
class ShardingController final : public Controller,
                                 private StoreListener<types::Node>,
                                 private StoreListener<types::Pod>,
                                 private StoreListener<types::NodeShard> {
 public:
  explicit ShardingController(const ControllerContext& context);

  std::string_view name() const override { return "sharding-controller"; }
  void Start() override;
  bool idle() const override { return lanes_.idle(); }

 private:
  using ShardPtr = ObjectStore<types::NodeShard>::Pointer;

  void OnAdd(const types::Node& node) override;
  void OnUpdate(const types::Node& before, const types::Node& after) override;
  void OnDelete(const types::Node& node) override;
  void OnAdd(const types::Pod& pod) override;
  void OnUpdate(const types::Pod& before, const types::Pod& after) override;
  void OnDelete(const types::Pod& pod) override;
  void OnAdd(const types::NodeShard& shard) override;
  void OnUpdate(const types::NodeShard& before, const types::NodeShard& after) override;
  void OnDelete(const types::NodeShard& shard) override;

  void OnConfig();
  void PassSoon();
  // Asks for a pass when the node is used much more, or much less, than at the last one.
  void LookAt(const std::string& node);

  void Pass();
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  net::Awaitable<absl::Status> Reconcile(std::string name);
  // How long the shard, which is gone, is not to be made yet.
  absl::Duration PauseOf(const std::string& name);
  net::Awaitable<absl::StatusOr<ShardPtr>> WriteNodes(std::string name, ShardPtr shard);
  net::Awaitable<absl::Status> WriteStatus(ShardPtr shard, bool nodes_changed);
  net::Awaitable<absl::Status> Remove(ShardPtr shard);

  const ControllerContext context_;
  ObjectStore<types::Node>& nodes_;
  ObjectStore<types::Pod>& pods_;
  ObjectStore<types::NodeShard>& shards_;
  ShardingConfig flags_;
  ShardingConfig config_;
  NodeLoads loads_;
  // Of the last pass; nothing before the first one.
  std::optional<ShardLists> lists_;
  std::map<std::string, ShardNode> seen_;
  RemakePauses remakes_;
  Lanes lanes_;  // Names of shards, and kPass.
  NamedWatch<types::ConfigMap> config_map_;
};

}  // namespace bth::controllers
