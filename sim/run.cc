#include "sim/run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <utility>

#include "api/manifests/manifest.h"
#include "api/model/shard_mode.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/hooks/plugin_loader.h"
#include "sim/builtin_registry.h"
#include "sim/record.h"
#include "sim/scenario.h"
#include "sim/simulation.h"

namespace bth::sim {
namespace {

namespace fs = std::filesystem;
using types::Json;

constexpr size_t kFilesMax = 100'000;

absl::StatusOr<std::string> ReadStream(std::istream& in, const std::string& name) {
  constexpr size_t kBlock = size_t{1} << 20;
  const size_t bytes_max = manifests::ManifestLimits().bytes_max;
  std::string text;
  std::string block(kBlock, '\0');
  while (in.read(block.data(), kBlock) || in.gcount() > 0) {
    text.append(block, 0, static_cast<size_t>(in.gcount()));
    if (text.size() > bytes_max) {
      return absl::InvalidArgumentError(StrCat(name, ": larger than ", bytes_max, " bytes"));
    }
  }
  if (in.bad()) return absl::InvalidArgumentError(StrCat(name, ": cannot be read"));
  return text;
}

absl::StatusOr<conf::Policy> PolicyOfRun(const RunOptions& options,
                                         const framework::Registry& registry, std::ostream& err) {
  if (options.conf.empty()) return conf::DefaultPolicy();
  BTH_ASSIGN_OR_RETURN(const std::string text, ReadText(options.conf));
  auto policy = ReadPolicy(text, registry, err);
  if (!policy.ok()) return Annotate(policy.status(), options.conf);
  return policy;
}

absl::Status ChooseShard(const RunOptions& options, Cluster* cluster) {
  cache::ShardOptions shard = cluster->shard();
  if (!options.sharding_mode.empty()) {
    const auto mode = model::ParseShardMode(options.sharding_mode);
    if (!mode) {
      return absl::InvalidArgumentError(StrCat("--scheduler-sharding-mode: \"",
                                               options.sharding_mode,
                                               "\" is none of none, hard, soft"));
    }
    shard.mode = *mode;
  }
  if (!options.sharding_name.empty()) shard.name = options.sharding_name;
  cluster->SetShard(std::move(shard));
  return absl::OkStatus();
}

// The simulation, not yet run.
absl::StatusOr<std::unique_ptr<Simulation>> Prepare(const RunOptions& options,
                                                    const framework::Registry& registry,
                                                    std::istream& in, std::ostream& err) {
  if (options.output != "text" && options.output != "json") {
    return absl::InvalidArgumentError(
        StrCat("--output: unknown form \"", options.output, "\"; use text or json"));
  }
  if (options.cycles < 1 || options.cycles > kCyclesMax) {
    return absl::InvalidArgumentError(
        StrCat("--cycles: ", options.cycles, " is not within 1 and ", kCyclesMax));
  }
  if (options.paths.empty()) {
    return absl::InvalidArgumentError(
        "no manifests: name files or folders, or - to read them here");
  }
  BTH_ASSIGN_OR_RETURN(conf::Policy policy, PolicyOfRun(options, registry, err));
  BTH_ASSIGN_OR_RETURN(Cluster cluster, ReadCluster(options.paths, in));
  BTH_RETURN_IF_ERROR(ChooseShard(options, &cluster));
  if (cluster.node_shards() > 0 && cluster.shard().mode == model::ShardMode::kNone) {
    err << "vc-sim: note: " << cluster.node_shards() << " of kind NodeShard have no effect without "
        << "--scheduler-sharding-mode\n";
  }
  for (const auto& [kind, count] : cluster.unused()) {
    err << "vc-sim: note: " << count << " of kind " << kind << " have no effect here\n";
  }
  std::vector<conf::Finding> findings;
  auto simulation = Simulation::Create(std::move(cluster),
                                       std::make_shared<const conf::Policy>(std::move(policy)),
                                       registry, {.apply = options.apply}, &findings);
  for (const conf::Finding& finding : findings) {
    err << "vc-sim: note: " << conf::ToString(finding) << "\n";
  }
  return simulation;
}

absl::Status RunScenarioFile(const std::string& file, bool bless, std::ostream& err,
                             size_t* scenarios, size_t* failed) {
  BTH_ASSIGN_OR_RETURN(const std::string text, ReadText(file));
  const absl::StatusOr<std::vector<ScenarioOutcome>> outcomes = RunScenarios(text);
  if (!outcomes.ok()) return Annotate(outcomes.status(), file);
  bool differs = false;
  for (const ScenarioOutcome& outcome : *outcomes) {
    ++*scenarios;
    if (outcome.failures.empty()) continue;
    ++*failed;
    differs = true;
    for (const std::string& failure : outcome.failures) {
      err << file << ": " << outcome.name << ": " << failure << "\n";
    }
  }
  if (!bless || !differs) return absl::OkStatus();
  const absl::StatusOr<std::string> blessed = Bless(text, *outcomes);
  if (!blessed.ok()) return Annotate(blessed.status(), file);
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << *blessed;
  stream.close();
  if (!stream) return absl::InvalidArgumentError(StrCat(file, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::InvalidArgumentError(StrCat(path, ": cannot be opened"));
  return ReadStream(in, path);
}

absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return absl::InvalidArgumentError(StrCat(path, ": no such file or folder"));
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string extension = it->path().extension();
    if (extension != ".yaml" && extension != ".yml" && extension != ".json") continue;
    files.push_back(it->path().string());
    if (files.size() > kFilesMax) {
      return absl::InvalidArgumentError(StrCat(path, ": more than ", kFilesMax, " files"));
    }
  }
  if (error) return absl::InvalidArgumentError(StrCat(path, ": ", error.message()));
  if (files.empty()) {
    return absl::InvalidArgumentError(StrCat(path, ": no .yaml, .yml or .json file inside"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<Cluster> ReadCluster(const std::vector<std::string>& paths, std::istream& in) {
  Cluster cluster;
  for (const std::string& path : paths) {
    if (path == "-") {
      BTH_ASSIGN_OR_RETURN(const std::string text, ReadStream(in, "standard input"));
      BTH_RETURN_IF_ERROR(AddManifests(text, "standard input", &cluster));
      continue;
    }
    BTH_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(path));
    for (const std::string& file : files) {
      BTH_ASSIGN_OR_RETURN(const std::string text, ReadText(file));
      BTH_RETURN_IF_ERROR(AddManifests(text, file, &cluster));
    }
  }
  return cluster;
}

absl::StatusOr<framework::Registry> MakeRegistry(const std::string& plugins_dir) {
  framework::Registry registry = BuiltinRegistry();
  BTH_RETURN_IF_ERROR(framework::LoadPlugins(plugins_dir, &registry));
  return registry;
}

absl::Status AddManifests(std::string_view text, const std::string& file, Cluster* cluster) {
  const absl::StatusOr<std::vector<manifests::Document>> documents = manifests::ParseManifest(text);
  if (!documents.ok()) return Annotate(documents.status(), file);
  for (const manifests::Document& document : *documents) {
    const std::string origin =
        StrCat(file, ": document ", document.number, " (line ", document.line, ")");
    BTH_RETURN_IF_ERROR(cluster->Add(document.json, origin, Cluster::Existing::kRefuse));
  }
  return absl::OkStatus();
}

absl::StatusOr<conf::Policy> ReadPolicy(std::string_view text, const framework::Registry& registry,
                                        std::ostream& err) {
  BTH_ASSIGN_OR_RETURN(conf::LoadedPolicy loaded, conf::ParsePolicy(text, registry.Names()));
  for (const conf::Finding& finding : loaded.findings) {
    err << "vc-sim: note: " << conf::ToString(finding) << "\n";
  }
  return std::move(loaded.policy);
}

int RunManifests(const RunOptions& options, std::istream& in, std::ostream& out,
                 std::ostream& err) {
  const absl::StatusOr<framework::Registry> registry = MakeRegistry(options.plugins_dir);
  if (!registry.ok()) {
    err << "vc-sim: " << registry.status().message() << "\n";
    return kExitInput;
  }
  auto simulation = Prepare(options, *registry, in, err);
  if (!simulation.ok()) {
    err << "vc-sim: " << simulation.status().message() << "\n";
    return kExitInput;
  }
  for (int64_t cycle = 0; cycle < options.cycles; ++cycle) {
    if (absl::Status status = (*simulation)->RunCycle(); !status.ok()) {
      err << "vc-sim: " << status.message() << "\n";
      // The policy may ask for what a simulation does not have.
      return absl::IsFailedPrecondition(status) ? kExitInput : kExitEngine;
    }
    if (options.output == "text") out << CycleText((*simulation)->cycles().back());
  }
  if (options.output == "json") {
    out << Json::MakeObject({{"cycles", Json((*simulation)->cycles())}}).Pretty() << "\n";
  }
  return kExitRan;
}

int RunScenarioFiles(const std::vector<std::string>& paths, bool bless, std::ostream& out,
                     std::ostream& err) {
  size_t scenarios = 0;
  size_t failed = 0;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::vector<std::string>> files = FilesOf(path);
    if (!files.ok()) {
      err << "vc-sim: " << files.status().message() << "\n";
      return kExitInput;
    }
    for (const std::string& file : *files) {
      const absl::Status status = RunScenarioFile(file, bless, err, &scenarios, &failed);
      if (status.ok()) continue;
      err << "vc-sim: " << status.message() << "\n";
      return absl::IsInternal(status) ? kExitEngine : kExitInput;
    }
  }
  out << scenarios << " scenarios, " << failed << (bless ? " blessed" : " failed") << "\n";
  return failed == 0 || bless ? kExitRan : kExitEngine;
}

}  // namespace bth::sim
