#include "sim/scenario.h"

#include <algorithm>
#include <memory>
#include <span>
#include <sstream>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "api/manifests/manifest.h"
#include "api/model/shard_mode.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/features.h"
#include "conf/load.h"
#include "conf/value.h"
#include "sim/builtin_registry.h"
#include "sim/expectation.h"
#include "sim/run.h"
#include "sim/short_form.h"
#include "sim/simulation.h"

namespace bth::sim {
namespace {

using types::Json;

absl::Status CheckKeys(const Json& map, std::span<const std::string_view> known,
                       const std::string& path) {
  for (const auto& [key, value] : map.members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return absl::InvalidArgumentError(StrCat(path, ": unknown member ", key));
  }
  return absl::OkStatus();
}

// A JSON value as the YAML tree that the policy reader knows how to print.
conf::Value ToValue(const Json& json) {
  if (json.is_bool()) return conf::Value::MakeBool(json.AsBool(), json.Dump());
  if (json.is_int()) return conf::Value::MakeInt(json.AsInt(), json.Dump());
  if (json.is_double()) return conf::Value::MakeDouble(json.AsDouble(), json.Dump());
  if (json.is_string()) return conf::Value::MakeString(std::string(json.AsString()));
  if (json.is_array()) {
    conf::Value::List items;
    for (const Json& item : json.items()) items.push_back(ToValue(item));
    return conf::Value::MakeList(std::move(items));
  }
  if (!json.is_object()) return conf::Value::MakeNull();
  conf::Value::Map members;
  for (const auto& [key, value] : json.members()) members.push_back({key, ToValue(value), 0, true});
  return conf::Value::MakeMap(std::move(members));
}

// `drf !enableJobOrder +enableHierarchy` with its arguments.
Json PluginJson(absl::string_view text, const Json& arguments) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipWhitespace());
  Json plugin = Json::MakeObject();
  for (const std::string& word : words) {
    if (word[0] == '!' || word[0] == '+') {
      plugin.Set(word.substr(1), Json(word[0] == '+'));
    } else {
      plugin.Set("name", Json(word));
      if (const Json* own = arguments.Find(word)) plugin.Set("arguments", *own);
    }
  }
  return plugin;
}

// scheduler.conf from its short form, or the text as it is.
absl::StatusOr<std::string> ConfText(const Json& conf, const std::string& path) {
  if (conf.is_string()) return std::string(conf.AsString());
  BTH_RETURN_IF_ERROR(CheckKeys(conf, kConfMembers, path));
  Json out = Json::MakeObject({{"actions", conf["actions"]}});
  Json tiers = Json::MakeArray();
  for (const Json& tier : conf["tiers"].items()) {
    Json plugins = Json::MakeArray();
    for (absl::string_view plugin : SplitText(tier.AsString(), ',')) {
      plugins.MutableItems().push_back(PluginJson(plugin, conf["arguments"]));
    }
    tiers.MutableItems().push_back(Json::MakeObject({{"plugins", std::move(plugins)}}));
  }
  out.Set("tiers", std::move(tiers));
  if (!conf["configurations"].is_null()) out.Set("configurations", conf["configurations"]);
  return conf::ToYaml(ToValue(out));
}

absl::StatusOr<std::shared_ptr<const conf::Policy>> ScenarioPolicy(const Json& conf,
                                                                   const std::string& path) {
  if (conf.is_null()) return std::make_shared<const conf::Policy>(conf::DefaultPolicy());
  BTH_ASSIGN_OR_RETURN(const std::string text, ConfText(conf, path));
  std::ostringstream findings;
  auto policy = ReadPolicy(text, BuiltinRegistry(), findings);
  if (!policy.ok()) return Annotate(policy.status(), path);
  return std::make_shared<const conf::Policy>(*std::move(policy));
}

// Runs one document. Lives for its run.
class ScenarioRun final {
 public:
  ScenarioRun(const Json& scenario, const ScenarioOptions& options)
      : scenario_(scenario), options_(options) {}

  absl::StatusOr<ScenarioOutcome> Run() {
    BTH_RETURN_IF_ERROR(CheckKeys(scenario_, kScenarioMembers, "scenario"));
    outcome_.name = std::string(scenario_["name"].AsString());
    if (outcome_.name.empty()) return absl::InvalidArgumentError("name: missing");
    BTH_RETURN_IF_ERROR(Start());
    if (!scenario_["expect"].is_null() || !scenario_["cycles"].is_null()) {
      BTH_RETURN_IF_ERROR(RunCycles(scenario_, "expect"));
    }
    const Json& steps = scenario_["steps"];
    for (size_t i = 0; i < steps.size(); ++i) {
      BTH_RETURN_IF_ERROR(RunStep(steps[i], StrCat("steps[", i, "]")));
    }
    return std::move(outcome_);
  }

 private:
  static absl::StatusOr<std::vector<Json>> ObjectsOf(const Json& list, const std::string& path) {
    std::vector<Json> out;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_string()) {
        out.push_back(list[i]);
        continue;
      }
      auto objects = ExpandShortForm(list[i].AsString());
      if (!objects.ok()) return Annotate(objects.status(), StrCat(path, "[", i, "]"));
      for (Json& object : *objects) out.push_back(std::move(object));
    }
    return out;
  }

  absl::Status Start() {
    BTH_ASSIGN_OR_RETURN(std::vector<Json> objects, ObjectsOf(scenario_["given"], "given"));
    if (options_.reversed) std::reverse(objects.begin(), objects.end());
    Cluster cluster;
    for (const Json& object : objects) {
      BTH_RETURN_IF_ERROR(cluster.Add(object, "given", Cluster::Existing::kRefuse));
    }
    if (!scenario_["sharding"].is_null()) {
      const auto mode = model::ParseShardMode(scenario_["sharding"].AsString());
      if (!mode) return absl::InvalidArgumentError("sharding: none of none, hard, soft");
      cluster.SetShard({.mode = *mode});
    }
    SimulationOptions options{.apply = scenario_["apply"].AsBool()};
    BTH_RETURN_IF_ERROR(ReadFeatures(scenario_["features"], &options));
    BTH_ASSIGN_OR_RETURN(auto policy, ScenarioPolicy(scenario_["conf"], "conf"));
    std::vector<conf::Finding> findings;
    BTH_ASSIGN_OR_RETURN(simulation_, Simulation::Create(std::move(cluster), std::move(policy),
                                                         BuiltinRegistry(), options, &findings));
    return absl::OkStatus();
  }

  static absl::Status ReadFeatures(const Json& text, SimulationOptions* options) {
    if (text.is_null()) return absl::OkStatus();
    auto gates = conf::FeatureGates::Parse(text.AsString());
    if (!gates.ok()) return Annotate(gates.status(), "features");
    const conf::Gate known = conf::Gate::kStorageCapacityScoring;
    for (const std::string& idle : gates->WithoutEffect(absl::MakeConstSpan(&known, 1))) {
      return absl::InvalidArgumentError(StrCat("features: ", idle));
    }
    options->scores_volumes = gates->Enabled(known);
    return absl::OkStatus();
  }

  absl::Status RunStep(const Json& step, const std::string& path) {
    BTH_RETURN_IF_ERROR(CheckKeys(step, kStepMembers, path));
    BTH_ASSIGN_OR_RETURN(const std::vector<Json> objects,
                         ObjectsOf(step["put"], StrCat(path, ".put")));
    for (const Json& object : objects) {
      BTH_RETURN_IF_ERROR(simulation_->Add(object, StrCat(path, ".put")));
    }
    for (const Json& doomed : step["delete"].items()) {
      const std::vector<std::string> parts = SplitText(doomed.AsString(), ' ');
      if (parts.size() != 2)
        return absl::InvalidArgumentError(StrCat(path, ".delete: expected `kind name`"));
      const absl::Status status = simulation_->Delete(parts[0], parts[1]);
      if (!status.ok()) return Annotate(status, StrCat(path, ".delete"));
    }
    if (!step["advance"].is_null()) {
      absl::Duration by;
      if (!absl::ParseDuration(ToAbsl(step["advance"].AsString()), &by)) {
        return absl::InvalidArgumentError(StrCat(path, ".advance: not a duration such as 10s"));
      }
      simulation_->Advance(by);
    }
    if (!step["conf"].is_null()) {
      BTH_ASSIGN_OR_RETURN(auto policy, ScenarioPolicy(step["conf"], StrCat(path, ".conf")));
      std::vector<conf::Finding> findings;
      BTH_RETURN_IF_ERROR(simulation_->SetPolicy(std::move(policy), &findings));
    }
    return RunCycles(step, StrCat(path, ".expect"));
  }

  absl::Status RunCycles(const Json& step, const std::string& path) {
    const Json& expect = step["expect"];
    const bool each = expect.is_array();
    const auto by_default = static_cast<int64_t>(each ? expect.size() : 1);
    const int64_t cycles = step["cycles"].AsInt(by_default);
    if (cycles < 0 || cycles > kCyclesMax || (each && cycles != by_default)) {
      return absl::InvalidArgumentError(StrCat(path, ": ", cycles, " cycles do not go with it"));
    }
    const size_t before = simulation_->cycles().size();
    for (int64_t i = 0; i < cycles; ++i) BTH_RETURN_IF_ERROR(simulation_->RunCycle());
    if (expect.is_null()) return absl::OkStatus();
    if (cycles == 0) return absl::InvalidArgumentError(StrCat(path, ": no cycle to compare with"));
    if (!each) {
      const Json& last = simulation_->cycles().back();
      CompareCycle(expect, last, path, &outcome_.failures);
      outcome_.expectations.push_back(Reworded(expect, last));
      return absl::OkStatus();
    }
    Json reworded = Json::MakeArray();
    for (size_t i = 0; i < expect.size(); ++i) {
      const Json& cycle = simulation_->cycles()[before + i];
      CompareCycle(expect[i], cycle, StrCat(path, "[", i, "]"), &outcome_.failures);
      reworded.MutableItems().push_back(expect[i].is_null() ? Json() : Reworded(expect[i], cycle));
    }
    outcome_.expectations.push_back(std::move(reworded));
    return absl::OkStatus();
  }

  const Json& scenario_;
  const ScenarioOptions options_;
  ScenarioOutcome outcome_;
  std::unique_ptr<Simulation> simulation_;
};

size_t IndentOf(const std::string& line) {
  size_t at = line.find_first_not_of(' ');
  // A key behind the dash of a list stands where its siblings stand.
  while (at != std::string::npos && line[at] == '-' && at + 1 < line.size() &&
         line[at + 1] == ' ') {
    at = line.find_first_not_of(' ', at + 1);
  }
  return at == std::string::npos ? line.size() : at;
}

bool EndsBlock(const std::string& line, size_t indent) {
  const size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos) return false;
  const bool is_item = line.compare(at, 2, "- ") == 0 || line.substr(at) == "-";
  return at < indent || (at == indent && !is_item);
}

}  // namespace

absl::StatusOr<std::vector<ScenarioOutcome>> RunScenarios(std::string_view text,
                                                          const ScenarioOptions& options) {
  BTH_ASSIGN_OR_RETURN(const std::vector<manifests::Document> documents,
                       manifests::ParseManifest(text));
  std::vector<ScenarioOutcome> out;
  for (const manifests::Document& document : documents) {
    auto outcome = ScenarioRun(document.json, options).Run();
    if (!outcome.ok()) {
      const std::string_view name = document.json["name"].AsString();
      return Annotate(outcome.status(), StrCat("document ", document.number, " (line ",
                                               document.line, ", ", name, ")"));
    }
    out.push_back(*std::move(outcome));
  }
  return out;
}

absl::StatusOr<std::string> Bless(std::string_view text,
                                  const std::vector<ScenarioOutcome>& outcomes) {
  std::vector<const Json*> wanted;
  for (const ScenarioOutcome& outcome : outcomes) {
    for (const Json& expectation : outcome.expectations) wanted.push_back(&expectation);
  }
  const std::vector<std::string> lines = SplitText(text, '\n');
  std::vector<std::string> out;
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t indent = IndentOf(lines[i]);
    if (lines[i].compare(indent, 7, "expect:") != 0) {
      out.push_back(lines[i]);
      continue;
    }
    if (next == wanted.size())
      return absl::InvalidArgumentError(StrCat("line ", i + 1, ": expect without a cycle"));
    out.push_back(StrCat(lines[i].substr(0, indent), "expect:"));
    const std::string yaml = conf::ToYaml(ToValue(*wanted[next++]));
    for (absl::string_view line : absl::StrSplit(yaml, '\n', absl::SkipEmpty())) {
      out.push_back(StrCat(std::string(indent + 2, ' '), line));
    }
    while (i + 1 < lines.size() && !EndsBlock(lines[i + 1], indent)) ++i;
  }
  if (next != wanted.size())
    return absl::InvalidArgumentError("some expectation does not begin a line with `expect:`");
  std::string joined;
  for (const std::string& line : out) StrAppend(&joined, line, "\n");
  while (joined.size() > 1 && joined.ends_with("\n\n")) joined.pop_back();
  return joined;
}

}  // namespace bth::sim
