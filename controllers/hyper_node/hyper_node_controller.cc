#include "controllers/hyper_node/hyper_node_controller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/typed_client.h"
#include "controllers/hyper_node/label_discovery.h"
#include "controllers/hyper_node/node_count.h"
#include "controllers/hyper_node/ufm_discovery.h"

namespace bth::controllers {
namespace {

using types::HyperNode;
using types::Node;

// Nodes come and go in crowds: so long is waited for the rest of one.
constexpr absl::Duration kCrowd = absl::Milliseconds(100);
// After a failed question to a UFM, unless the interval is shorter.
constexpr absl::Duration kUfmRetry = absl::Minutes(1);
constexpr absl::Duration kUfmTimeout = absl::Seconds(30);
constexpr const char* kAllThatSelect = "";  // No HyperNode has this name.

}  // namespace

HyperNodeController::HyperNodeController(const ControllerContext& context, WebFetch fetch)
    : context_(context),
      fetch_(std::move(fetch)),
      hyper_nodes_(context.watches.Of<HyperNode>()),
      nodes_(context.watches.Of<Node>()),
      writer_(context, hyper_nodes_),
      counts_(context.executor(), DefaultLanes(1),
              {.work = [this](std::string key) { return Count(std::move(key)); }, .give_up = {}}),
      // One for each source: a fabric manager that hangs holds up nobody.
      passes_(context.executor(), DefaultLanes(2),
              {.work = [this](std::string key) { return Pass(std::move(key)); }, .give_up = {}}),
      config_(context, context.options.discovery_configmap_namespace,
              context.options.discovery_configmap, [this] { OnConfig(); }) {
  hyper_nodes_.Subscribe(*this);
  nodes_.Subscribe(*this);
}

void HyperNodeController::Start() {
  counts_.Start();
  passes_.Start();
  config_.Start();
}

// --- What happens -------------------------------------------------------------------------------

void HyperNodeController::OnAdd(const HyperNode& hyper_node) {
  counts_.Add(hyper_node.meta.name);
}

void HyperNodeController::OnUpdate(const HyperNode& before, const HyperNode& after) {
  if (before.members != after.members || before.node_count != after.node_count) OnAdd(after);
}

void HyperNodeController::OnDelete(const HyperNode& /*hyper_node*/) {
  DiscoverLabels();
}

void HyperNodeController::OnAdd(const Node& node) {
  RecountSoon();
  if (HasAnyLabel(node, watched_labels_)) DiscoverLabels();
}

void HyperNodeController::OnUpdate(const Node& before, const Node& after) {
  if (before.meta.labels == after.meta.labels) return;
  RecountSoon();
  if (LabelsDiffer(before, after, watched_labels_)) DiscoverLabels();
}

void HyperNodeController::OnDelete(const Node& node) {
  OnAdd(node);
}

void HyperNodeController::RecountSoon() {
  counts_.queue().AddAfter(kAllThatSelect, kCrowd);
}

void HyperNodeController::DiscoverLabels() {
  const std::string source(conf::kLabelSource);
  if (sources_.contains(source)) passes_.queue().AddAfter(source, kCrowd);
}

// A configuration that cannot be read changes nothing: what was enabled goes on.
void HyperNodeController::OnConfig() {
  const types::ConfigMap* map = config_.object();
  if (map == nullptr) return Adopt({});
  const std::string* text = map->data.Find(kDiscoveryConfigKey);
  if (text == nullptr) {
    Log(LogLevel::kError, "topology_discovery.refused",
        {{"configmap", map->meta.Key()},
         {"status", absl::NotFoundError(
                        StrCat("config key not found in ConfigMap: ", kDiscoveryConfigKey))}});
    return;
  }
  absl::StatusOr<conf::TopologyDiscovery> discovery = conf::ParseTopologyDiscovery(*text);
  if (!discovery.ok()) {
    Log(LogLevel::kError, "topology_discovery.refused",
        {{"configmap", map->meta.Key()},
         {"status", Annotate(discovery.status(), "failed to parse config")}});
    return;
  }
  for (const conf::Finding& finding : discovery->findings) {
    Log(LogLevel::kWarning, "topology_discovery.finding",
        {{"configmap", map->meta.Key()}, {"finding", conf::ToString(finding)}});
  }
  Adopt(*std::move(discovery));
}

void HyperNodeController::Adopt(conf::TopologyDiscovery discovery) {
  std::map<std::string, Source, std::less<>> now;
  for (Source& source : discovery.sources) {
    const std::string name = source.source;
    now.emplace(name, std::move(source));
  }
  const std::map<std::string, Source, std::less<>> former = std::exchange(sources_, std::move(now));
  watched_labels_.clear();
  for (const auto& [name, source] : sources_) {
    const auto before = former.find(name);
    if (before == former.end() || before->second != source) {
      Log(LogLevel::kInfo, "topology_discovery.enabled", {{"source", name}});
      passes_.Add(name);
    }
    if (name == conf::kLabelSource) watched_labels_ = LabelsOf(source.types);
  }
  for (const auto& [name, source] : former) {
    if (sources_.contains(name)) continue;
    Log(LogLevel::kInfo, "topology_discovery.disabled", {{"source", name}});
  }
}

// --- What is done -------------------------------------------------------------------------------

net::Awaitable<LaneHooks::Outcome> HyperNodeController::Count(std::string name) {
  LaneHooks::Outcome outcome;
  if (name == kAllThatSelect) {
    for (const HyperNodePtr& object : hyper_nodes_.All()) {
      if (DependsOnNodes(*object)) counts_.Add(object->meta.name);
    }
    co_return std::move(outcome);
  }
  const HyperNodePtr object = hyper_nodes_.Find("", name);
  if (object == nullptr) co_return std::move(outcome);
  const NodeList nodes = DependsOnNodes(*object) ? nodes_.All() : NodeList();
  const int64_t count = CountNodes(*object, nodes);
  if (count != object->node_count) outcome.status = co_await writer_.SetNodeCount(object, count);
  co_return std::move(outcome);
}

net::Awaitable<LaneHooks::Outcome> HyperNodeController::Pass(std::string name) {
  LaneHooks::Outcome outcome;
  const auto found = sources_.find(name);
  if (found == sources_.end()) co_return std::move(outcome);
  const Source source = found->second;
  if (name == conf::kLabelSource) {
    outcome.status = co_await PassLabels(source);
    co_return std::move(outcome);
  }
  const absl::Status unusable = CheckUfmSource(source);
  if (!unusable.ok()) {  // Until the configuration changes.
    Log(LogLevel::kError, "ufm.not_usable", {{"status", unusable}});
    co_return std::move(outcome);
  }
  const absl::Status status = co_await PassUfm(source);
  if (!status.ok()) Log(LogLevel::kWarning, "ufm.failed", {{"status", status}});
  outcome.again = status.ok() ? source.interval : std::min(source.interval, kUfmRetry);
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> HyperNodeController::PassLabels(Source source) {
  absl::StatusOr<std::vector<HyperNode>> discovered =
      DiscoverByLabels(source.types, nodes_.All(), hyper_nodes_.All());
  if (!discovered.ok()) {
    Log(LogLevel::kError, "label_discovery.failed", {{"status", discovered.status()}});
    co_return discovered.status();
  }
  co_return co_await Write(source.source, *std::move(discovered));
}

net::Awaitable<absl::Status> HyperNodeController::PassUfm(Source source) {
  const absl::StatusOr<std::string> answer = co_await AskUfm(source);
  BTH_CO_RETURN_IF_ERROR(answer);
  // Somebody may have changed the configuration meanwhile: then another pass follows.
  const auto now = sources_.find(source.source);
  if (now == sources_.end() || now->second != source) co_return absl::OkStatus();
  const absl::StatusOr<UfmLinks> ports = ParseUfmPorts(*answer);
  if (!ports.ok()) co_return Annotate(ports.status(), "answer of the UFM");
  if (ports->skipped > 0) {
    Log(LogLevel::kWarning, "ufm.ports_skipped",
        {{"ports", ports->skipped}, {"reason", "no leaf, or not the name of a node"}});
  }
  std::vector<HyperNode> discovered = HyperNodesOfLinks(ports->links);
  co_return co_await Write(source.source, std::move(discovered));
}

// The Secret is read for each question, so that a new password counts at once and none is kept.
net::Awaitable<absl::StatusOr<std::string>> HyperNodeController::AskUfm(Source source) {
  if (fetch_ == nullptr) {
    co_return absl::UnimplementedError("this process cannot ask servers outside of the cluster");
  }
  const std::string ns = source.secret_namespace.empty()
                             ? context_.options.discovery_configmap_namespace
                             : source.secret_namespace;
  const absl::StatusOr<types::Secret> secret =
      co_await client::GetObject<types::Secret>(context_.api, ns, source.secret_name);
  if (!secret.ok()) {
    co_return client::WithContext(secret.status(), StrCat("secret ", ns, "/", source.secret_name));
  }
  absl::StatusOr<UfmLogin> login = UfmLoginOf(*secret);
  BTH_CO_RETURN_IF_ERROR(login);
  WebRequest request;
  request.url = UfmUrl(source.endpoint);
  request.username = std::move(login->username);
  request.password = std::move(login->password);
  request.insecure_skip_verify = source.insecure_skip_verify;
  request.timeout = kUfmTimeout;
  request.response_bytes_max = kUfmAnswerBytesMax;
  absl::StatusOr<std::string> answer = co_await fetch_(std::move(request));
  if (!answer.ok()) co_return Annotate(answer.status(), "question to the UFM");
  co_return std::move(answer);
}

net::Awaitable<absl::Status> HyperNodeController::Write(std::string source,
                                                        std::vector<HyperNode> discovered) {
  DiscoveryPlan plan = PlanDiscovery(source, std::move(discovered), hyper_nodes_.All());
  for (const std::string& name : plan.foreign) {
    Log(LogLevel::kWarning, "topology_discovery.name_taken",
        {{"source", source},
         {"hyper_node", name},
         {"remedy",
          StrCat("rename it, or give it the label ", kTopologySourceLabel, "=", source)}});
  }
  if (plan.empty()) co_return absl::OkStatus();
  Log(LogLevel::kInfo, "topology_discovery.changed",
      {{"source", source},
       {"created", plan.create.size()},
       {"updated", plan.update.size()},
       {"deleted", plan.remove.size()}});
  co_return co_await writer_.Apply(std::move(plan));
}

}  // namespace bth::controllers
