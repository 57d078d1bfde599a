// Clusters with shared devices, virtual GPUs mostly, fed with objects as the API has them, and
// cycles on them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actions/builtin.h"
#include "base/clock.h"
#include "cache/routing/router.h"
#include "conf/load.h"
#include "devices/config.h"
#include "framework/session/cycle.h"
#include "framework/session/invariants.h"
#include "plugins/builtin.h"
#include "tests/devices/objects.h"
#include "tests/support/recording_sink.h"

namespace bth::devices::testing {

// What devices are used for, from annotations alone: a recount that knows nothing of ours.
struct PlainUse {
  int64_t slots = 0;
  int64_t memory = 0;
  int64_t cores = 0;
};
using PlainUses = std::map<std::string, PlainUse>;  // By id.

inline void CountPlainly(std::string text, int sign, PlainUses* out) {
  std::string part;
  std::vector<std::string> fields;
  for (const char c : text + ":") {
    if (c == ',' || c == ':' || c == ';') {
      fields.push_back(part);
      part.clear();
      if (c == ',') continue;
      if (fields.size() == 4) {
        PlainUse& use = (*out)[fields[0]];
        use.slots += sign;
        use.memory += sign * std::stoll(fields[2]);
        use.cores += sign * std::stoll(fields[3]);
      }
      fields.clear();
    } else {
      part += c;
    }
  }
}

inline constexpr char kIdsKey[] = "volcano.sh/vgpu-ids-new";

struct ClusterSetup {
  std::string arguments = "";  // Further ones of deviceshare, each a line.
  std::string actions = "enqueue, allocate";
  std::string family = "VGPUEnable";  // Without "deviceshare." before it.
  std::string plugins = "";           // Further ones, each a line.
  std::string config = "";            // device-config.yaml; empty: what is built in.
};

class DeviceCluster {
 public:
  explicit DeviceCluster(const std::string& arguments,
                         const std::string& actions = "enqueue, allocate")
      : DeviceCluster(ClusterSetup{.arguments = arguments, .actions = actions}) {}
  explicit DeviceCluster(const ClusterSetup& setup) {
    plugins::RegisterBuiltinPlugins(registry_);
    actions::RegisterBuiltinActions(registry_);
    const std::string text =
        StrCat("actions: \"", setup.actions, "\"\ntiers:\n- plugins:\n  - name: priority\n",
               "  - name: gang\n  - name: predicates\n", setup.plugins,
               "  - name: deviceshare\n    arguments:\n      deviceshare.", setup.family,
               ": true\n", setup.arguments);
    auto loaded = conf::ParsePolicy(text, registry_.Names());
    REQUIRE(loaded.status().ToString() == "OK");
    std::vector<conf::Finding> findings;
    auto policy = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(loaded->policy), registry_, &findings);
    REQUIRE(policy.status().ToString() == "OK");
    CHECK(findings.empty());
    policy_ = *std::move(policy);
    REQUIRE(policy_->needs().devices != nullptr);
    auto settings = std::make_shared<model::DeviceSettings>(*policy_->needs().devices);
    if (!setup.config.empty()) {
      REQUIRE(UseConfig(setup.config, settings.get()).ToString() == "OK");
    }
    responsibility_.devices = std::move(settings);
    mirror.CountDevices(responsibility_.devices);
    Put(Read<types::Queue>(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"default"},"spec":{}})"));
  }

  template <typename T>
  void Put(const T& object) {
    REQUIRE(cache::Router(mirror, responsibility_).Put(object).ToString() == "OK");
  }
  void Node(const std::string& name, const std::string& cards, const std::string& more = "") {
    types::Node node = MakeNode(StrCat("\"volcano.sh/node-vgpu-register\":\"", cards, "\"", more),
                                StrCat(VgpuNode(), R"(,"cpu":"64","memory":"64Gi","pods":"110")"));
    node.meta.name = name;
    Put(node);
    cards_[name] = cards;
  }
  void Group(const std::string& name, int min = 1, const std::string& priority_class = "") {
    Put(Read<types::PodGroup>(StrCat(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"namespace":"ns","name":")",
        name, R"(","uid":"u-)", name, R"("},"spec":{"minMember":)", min,
        R"(,"priorityClassName":")", priority_class, R"("},"status":{"phase":"Inqueue"}})")));
  }
  void Pod(const std::string& name, const std::string& group,
           const std::vector<std::string>& limits, const std::string& annotations = "") {
    AddPod(name, MakePod(limits,
                         StrCat(R"("scheduling.k8s.io/group-name":")", group, "\"", annotations)));
  }
  void AddPod(const std::string& name, types::Pod pod) {
    pod.meta.name = name;
    pod.meta.uid = "u-" + name;
    pod.meta.creation_time =
        absl::FromUnixSeconds(1'767'225'600 + static_cast<int64_t>(pods.size()));
    pod.spec.scheduler_name = "volcano";
    pod.status.phase = "Pending";
    for (types::Container& container : pod.spec.containers) {
      container.resources.requests = container.resources.limits;
    }
    pods[name] = pod;
    Put(pod);
  }
  // The object as it is once its binding is through.
  types::Pod Bound(const std::string& name, const std::string& node, const std::string& ids,
                   const std::string& phase = "Running") {
    types::Pod& pod = pods.at(name);
    pod.spec.node_name = node;
    pod.status.phase = phase;
    if (!ids.empty()) pod.meta.annotations.Set(ids_key, ids);
    return pod;
  }

  framework::Session& Open() {
    cycle_.reset();
    framework::SessionContext context;
    context.snapshot = mirror.Publish();
    context.sink = &sink;
    context.clock = &clock;
    context.uid = "session";
    cycle_ = std::make_unique<framework::Cycle>(*policy_, std::move(context));
    REQUIRE(cycle_->Open().ToString() == "OK");
    return cycle_->session();
  }
  // Runs a cycle; what was bound is assumed, and returned as "node ids" by pod.
  std::map<std::string, std::string> Run() {
    cycle_.reset();
    sink.batches.clear();
    framework::SessionContext context;
    context.snapshot = mirror.Publish();
    context.sink = &sink;
    context.clock = &clock;
    context.metrics = metrics;
    context.uid = "session";
    cycle_ = std::make_unique<framework::Cycle>(*policy_, std::move(context));
    REQUIRE(cycle_->Run().ToString() == "OK");
    for (const auto& violation :
         framework::CheckCycle(cycle_->session(), sink.batches, &sink.report)) {
      FAIL(violation.invariant << ": " << violation.detail);
    }
    std::map<std::string, std::string> out;
    for (const framework::EffectBatch& batch : sink.batches) {
      for (const framework::BindEffect& bind : batch.binds) {
        const model::TaskNames& names = *batch.snapshot->tasks[bind.task].names;
        const std::string& node = batch.snapshot->node_facts(bind.node).name;
        REQUIRE(bind.devices != nullptr);
        const auto status = mirror.AssumeBinding(names.Key(), names.uid, node, bind.devices.get());
        REQUIRE(status.ToString() == "OK");
        out[names.name] = node;
        for (const auto& [key, value] : bind.devices->annotations) {
          if (key == ids_key) StrAppend(&out[names.name], " ", value);
        }
      }
    }
    REQUIRE(mirror.Check().ToString() == "OK");
    return out;
  }
  const framework::Cycle& cycle() const { return *cycle_; }
  std::string MessageOf(const std::string& pod) const {
    for (const framework::PodReport& report : sink.report.pods) {
      if (sink.report.snapshot->tasks[report.task].names->name == pod) return *report.message;
    }
    return "";
  }
  const std::map<std::string, std::string>& cards() const { return cards_; }

  ManualClock clock{absl::FromUnixSeconds(1'767'225'700)};
  cache::Mirror mirror{clock, {}};
  test::RecordingSink sink;
  metrics::SchedulerMetrics* metrics = nullptr;
  std::map<std::string, types::Pod> pods;
  std::string ids_key = kIdsKey;  // The annotation that names what a pod has.

 private:
  framework::Registry registry_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  cache::Responsibility responsibility_;
  std::map<std::string, std::string> cards_;
  std::unique_ptr<framework::Cycle> cycle_;
};

}  // namespace bth::devices::testing
