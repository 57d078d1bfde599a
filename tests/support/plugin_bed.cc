#include "tests/support/plugin_bed.h"

#include <stdexcept>

#include "base/strings.h"
#include "conf/value.h"
#include "tests/support/cluster_text.h"

namespace bth::test {
namespace {

void Require(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

// "gang!enablePreemptable+enableHierarchy".
conf::PluginOption ReadOption(const std::string& text,
                              const std::map<std::string, std::string>& arguments) {
  conf::PluginOption option;
  size_t at = text.find_first_of("+!");
  option.name = text.substr(0, at);
  while (at != std::string::npos) {
    const size_t next = text.find_first_of("+!", at + 1);
    const std::string key = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const std::optional<conf::HookFlag> flag = conf::HookFlagByKey(key);
    if (!flag) throw std::invalid_argument("unknown flag: " + key);
    option.flags.Set(*flag, text[at] == '+');
    at = next;
  }
  if (const auto it = arguments.find(option.name); it != arguments.end()) {
    option.arguments = MakeArguments(it->second);
  }
  return option;
}

template <typename Map>
std::map<uint32_t, std::string> NamesById(const Map& ids) {
  std::map<uint32_t, std::string> names;
  for (const auto& [name, id] : ids) names[id.value()] = name;
  return names;
}

}  // namespace

conf::Arguments MakeArguments(std::string_view yaml) {
  absl::StatusOr<conf::YamlDocument> document = conf::ParseYaml(yaml);
  if (!document.ok()) throw std::invalid_argument(document.status().ToString());
  return conf::Arguments(document->root, "arguments");
}

conf::Policy MakePolicy(std::string_view actions, std::string_view tiers,
                        const std::map<std::string, std::string>& arguments) {
  conf::Policy policy;
  if (!actions.empty()) policy.actions = SplitText(actions, ',');
  for (const std::string& plugins : SplitText(tiers, ';')) {
    conf::Tier& tier = policy.tiers.emplace_back();
    for (const std::string& plugin : SplitText(plugins, ',')) {
      tier.plugins.push_back(ReadOption(plugin, arguments));
    }
  }
  return policy;
}

PluginBed::PluginBed(const framework::Registry& registry, conf::Policy policy, const World& world)
    : policy_(std::move(policy)), world_(world) {
  for (size_t t = 0; t < policy_.tiers.size(); ++t) {
    for (const conf::PluginOption& option : policy_.tiers[t].plugins) {
      const auto factory = registry.plugins.find(option.name);
      if (factory == registry.plugins.end()) throw std::runtime_error("no plugin " + option.name);
      auto plugin = factory->second(option.arguments);
      Require(plugin.status());
      places_.emplace_back(static_cast<int>(t), &option);
      plugins_.push_back(*std::move(plugin));
    }
  }
  Open();
}

PluginBed::~PluginBed() = default;

void PluginBed::Open() {
  session_ =
      std::make_unique<framework::Session>(framework::SessionContext{.snapshot = world_.snapshot,
                                                                     .policy = &policy_,
                                                                     .sink = &sink_,
                                                                     .clock = &clock_,
                                                                     .static_fits = &static_fits_,
                                                                     .reasons = &reasons_,
                                                                     .metrics = nullptr,
                                                                     .uid = "session"});
  for (size_t i = 0; i < plugins_.size(); ++i) {
    const auto& [tier, option] = places_[i];
    framework::HookRegistrar hooks(session_->hooks(), {.tier = tier, .plugin = option->name},
                                   *option);
    Require(plugins_[i]->OnSessionOpen(*session_, hooks));
  }
  session_->Freeze();
}

void PluginBed::Close() {
  for (const auto& entry : session_->hooks().on_close) entry.fn();
}

void PluginBed::Reopen(const World& world) {
  session_.reset();
  world_ = world;
  Open();
}

double PluginBed::UsageScore(std::string_view task, std::string_view node) {
  const model::NodeId id = world_.node(node);
  double score = 0;
  for (const auto& entry : session_->hooks().usage_score) {
    entry.fn(session_->task(world_.task(task)).shape, model::NodeRange(id.index(), id.index() + 1),
             absl::Span<double>(&score, 1));
  }
  return score;
}

std::vector<std::string> PluginBed::NamesOf(const std::vector<model::TaskId>& tasks) const {
  std::vector<std::string> names;
  for (model::TaskId task : tasks) names.push_back(world_.snapshot->tasks[task].names->name);
  return names;
}

std::vector<model::TaskId> PluginBed::TasksNamed(const std::vector<std::string>& names) const {
  std::vector<model::TaskId> tasks;
  for (const std::string& name : names) tasks.push_back(world_.task(name));
  return tasks;
}

CycleOutcome RunCycle(const framework::Registry& registry, conf::Policy policy,
                      const World& world) {
  std::vector<conf::Finding> findings;
  auto instance = framework::PolicyInstance::Create(
      std::make_shared<const conf::Policy>(std::move(policy)), registry, &findings);
  Require(instance.status());
  ManualClock clock(absl::UnixEpoch());
  RecordingSink sink;
  framework::Cycle cycle(**instance, {.snapshot = world.snapshot,
                                      .sink = &sink,
                                      .clock = &clock,
                                      .metrics = nullptr,
                                      .uid = "session"});
  Require(cycle.Run());
  CycleOutcome outcome;
  const auto jobs = NamesById(world.jobs);
  const auto nodes = NamesById(world.nodes);
  for (const framework::EffectBatch& batch : sink.batches) {
    for (const framework::EvictEffect& eviction : batch.evictions) {
      outcome.evictions.insert(world.snapshot->tasks[eviction.victim].names->name);
    }
  }
  for (const auto& [name, id] : world.tasks) {
    const model::TaskState& now = cycle.session().state(id);
    if (now == world.snapshot->usage.tasks[id]) continue;
    const std::string node = now.node.valid() ? nodes.at(now.node.value()) : "";
    if (now.status == model::TaskStatus::kBinding) outcome.binds[name] = node;
    if (now.status == model::TaskStatus::kPipelined) outcome.pipelined[name] = node;
  }
  for (const framework::PodGroupReport& group : sink.report.pod_groups) {
    const std::string& job = jobs.at(group.job.value());
    outcome.phases[job] = group.phase;
    for (const framework::ConditionReport& condition : group.conditions) {
      outcome.conditions[job][condition.type] = StrCat(condition.reason, ": ", condition.message);
    }
    for (const framework::EventReport& event : group.events) {
      outcome.events[job].push_back(event.message);
    }
  }
  return outcome;
}

}  // namespace bth::test
