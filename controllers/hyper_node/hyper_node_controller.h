// Keeps HyperNodes equal to what the network says of itself, and counts their nodes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/types/config_map.h"
#include "api/types/hyper_node.h"
#include "api/types/node.h"
#include "conf/topology_discovery.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/core/named_watch.h"
#include "controllers/hyper_node/hyper_node_writer.h"
#include "controllers/hyper_node/web_fetch.h"

namespace bth::controllers {

// Key of the discovery's configuration in its ConfigMap.
inline constexpr std::string_view kDiscoveryConfigKey = "volcano-controller.conf";

// One pass of a source discovers and writes; passes of one source never overlap. A source that is
// no longer enabled leaves its HyperNodes behind.
class HyperNodeController final : public Controller,
                                  private StoreListener<types::HyperNode>,
                                  private StoreListener<types::Node> {
 public:
  // Without `fetch` the source ufm fails, and says so.
  HyperNodeController(const ControllerContext& context, WebFetch fetch);

  std::string_view name() const override { return "hyperNode-controller"; }
  void Start() override;
  bool idle() const override { return counts_.idle() && passes_.idle(); }

 private:
  using Source = conf::TopologySource;

  void OnAdd(const types::HyperNode& hyper_node) override;
  void OnUpdate(const types::HyperNode& before, const types::HyperNode& after) override;
  void OnDelete(const types::HyperNode& hyper_node) override;
  void OnAdd(const types::Node& node) override;
  void OnUpdate(const types::Node& before, const types::Node& after) override;
  void OnDelete(const types::Node& node) override;

  void OnConfig();
  void Adopt(conf::TopologyDiscovery discovery);
  void DiscoverLabels();
  void RecountSoon();

  net::Awaitable<LaneHooks::Outcome> Count(std::string name);
  net::Awaitable<LaneHooks::Outcome> Pass(std::string source);
  net::Awaitable<absl::Status> PassLabels(Source source);
  net::Awaitable<absl::Status> PassUfm(Source source);
  net::Awaitable<absl::StatusOr<std::string>> AskUfm(Source source);
  net::Awaitable<absl::Status> Write(std::string source, std::vector<types::HyperNode> discovered);

  const ControllerContext context_;
  const WebFetch fetch_;
  ObjectStore<types::HyperNode>& hyper_nodes_;
  ObjectStore<types::Node>& nodes_;
  HyperNodeWriter writer_;
  std::map<std::string, Source, std::less<>> sources_;  // The enabled ones.
  std::set<std::string> watched_labels_;                // Of the source `label`.
  Lanes counts_;  // Names of HyperNodes; kAllThatSelect for those that patterns or labels select.
  Lanes passes_;  // Names of sources.
  NamedWatch<types::ConfigMap> config_;
};

}  // namespace bth::controllers
