#include "cli/conf/commands.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/command/offer.h"
#include "cli/conf/check.h"
#include "cli/conf/diff_text.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/user_file.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kConfBytesMax = size_t{1} << 20;  // As much as the scheduler reads.
constexpr int64_t kDiffCyclesMax = 1000;
constexpr size_t kDiffRowsMax = 20;

struct ConfFlags {
  ClusterFlags cluster;
  std::string plugins_dir;
  std::string output = "text";
  std::string config_map;  // "ns/name"
  std::string world;
  int64_t cycles = 3;
  bool single_pods = false;
  std::vector<std::string> files;
};

absl::Status CheckOutput(const std::string& output) {
  if (output == "text" || output == "json") return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("--output: there is no form \"", output, "\"; use text or json"));
}

absl::StatusOr<NamedText> ReadConf(Session& session, const std::string& path) {
  if (path != "-") {
    BTH_ASSIGN_OR_RETURN(std::string text, ReadUserFile(path));
    return NamedText{path, std::move(text)};
  }
  std::string text(kConfBytesMax + 1, '\0');
  session.in().read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(session.in().gcount()));
  return NamedText{"standard input", std::move(text)};
}

// The policy of a ConfigMap in the cluster.
absl::StatusOr<NamedText> FetchConf(Session& session, const ConfFlags& flags) {
  const size_t slash = flags.config_map.find('/');
  if (slash == std::string::npos) {
    return absl::InvalidArgumentError(
        StrCat("--configmap: \"", flags.config_map, "\" is not NAMESPACE/NAME"));
  }
  static const types::ResourceType kConfigMaps = {"", "v1", "configmaps", "ConfigMap"};
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_ASSIGN_OR_RETURN(const Json object,
                       cluster->Get({kConfigMaps, flags.config_map.substr(0, slash),
                                     flags.config_map.substr(slash + 1)}));
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : object["data"].members()) keys.push_back(key);
  const int entry = PolicyEntryOf(keys);
  if (entry < 0) {
    return absl::InvalidArgumentError(
        StrCat("configmap ", flags.config_map,
               " has neither volcano-scheduler.conf nor a single other entry that ends in .conf"));
  }
  const std::string key(keys[static_cast<size_t>(entry)]);
  return NamedText{StrCat("configmap ", flags.config_map, " ", key),
                   std::string(object.At({"data", key}).AsString())};
}

absl::Status CheckConfCommand(Session& session, const ConfFlags& flags) {
  BTH_RETURN_IF_ERROR(CheckOutput(flags.output));
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine, session.Engine(flags.plugins_dir));
  if (flags.single_pods) engine = engine->ForSinglePods();
  NamedText conf;
  if (flags.config_map.empty()) {
    BTH_ASSIGN_OR_RETURN(conf, ReadConf(session, flags.files[0]));
  } else {
    BTH_ASSIGN_OR_RETURN(conf, FetchConf(session, flags));
  }
  ConfCheckOptions options;
  options.known = engine->names();
  options.review_arguments = [&engine](const conf::Policy& policy) {
    return engine->ReviewArguments(policy);
  };
  const ConfReport report = CheckConf(conf.text, options);
  if (flags.output == "json") {
    session.out() << ConfReportJson(report, conf.name).Pretty() << "\n";
  } else {
    session.out() << ConfReportText(report, conf.name);
  }
  // What is wrong has been told.
  return report.is_accepted() ? absl::OkStatus() : absl::InvalidArgumentError("");
}

absl::Status DiffConfs(Session& session, const ConfFlags& flags) {
  BTH_RETURN_IF_ERROR(CheckOutput(flags.output));
  if (flags.world.empty()) {
    return absl::InvalidArgumentError(
        "--world is mandatory: a dump of the scheduler, or objects as kubectl get -o json shows "
        "them");
  }
  if (flags.cycles < 1 || flags.cycles > kDiffCyclesMax) {
    return absl::InvalidArgumentError(
        StrCat("--cycles: ", flags.cycles, " is not within 1 and ", kDiffCyclesMax));
  }
  const std::string inputs[] = {flags.files[0], flags.files[1], flags.world};
  if (std::count(std::begin(inputs), std::end(inputs), "-") > 1) {
    return absl::InvalidArgumentError("only one of the three can be standard input");
  }
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<PolicyEngine> engine,
                       session.Engine(flags.plugins_dir));
  PolicyComparison comparison;
  BTH_ASSIGN_OR_RETURN(comparison.before, ReadConf(session, flags.files[0]));
  BTH_ASSIGN_OR_RETURN(comparison.after, ReadConf(session, flags.files[1]));
  comparison.before.text = PolicyTextIn(comparison.before.text);
  comparison.after.text = PolicyTextIn(comparison.after.text);
  comparison.world = flags.world;
  comparison.in = &session.in();
  comparison.cycles = static_cast<int>(flags.cycles);
  BTH_ASSIGN_OR_RETURN(const Json answer, engine->Compare(comparison));
  if (flags.output == "json") {
    session.out() << answer.Pretty() << "\n";
  } else {
    session.out() << ConfDiffText(answer, flags.world, kDiffRowsMax);
  }
  return absl::OkStatus();
}

void AddConfFlags(ConfFlags* flags, FlagSet* set) {
  set->Text(&flags->output, {"output", 'o'}, "text or json");
  set->OfferFor("output", OfferWords({{"json", ""}, {"text", ""}}));
  set->Text(&flags->plugins_dir, {"plugins-dir"},
            "folder of shared objects with further plugins, as the scheduler has it");
}

Command CheckLeaf() {
  auto flags = std::make_shared<ConfFlags>();
  Command leaf;
  leaf.name = "check";
  leaf.short_text = "tell what a scheduler.conf means here";
  leaf.long_text =
      "Tells what of a scheduler.conf would be refused, what has no effect, and what works "
      "otherwise than with Volcano.\nFILE may be a ConfigMap, or - for standard input. Ends with "
      "255 "
      "when the scheduler would refuse it.";
  leaf.operands = "FILE";
  leaf.example = "  vcctl conf check --configmap volcano-system/volcano-scheduler-configmap";
  AddConfFlags(flags.get(), &leaf.flags);
  AddClusterFlags(&flags->cluster, &leaf.flags);
  leaf.flags.Text(&flags->config_map, {"configmap"},
                  "instead of FILE: a ConfigMap, as NAMESPACE/NAME");
  leaf.flags.Bool(&flags->single_pods, {"agent-scheduler"}, "judge it as vc-agent-scheduler would");
  leaf.take_words = [flags](const std::vector<std::string>& words) -> absl::Status {
    const bool is_one = words.size() == 1 && flags->config_map.empty();
    const bool is_none = words.empty() && !flags->config_map.empty();
    if (!is_one && !is_none) {
      return absl::InvalidArgumentError("give one FILE, - for standard input, or --configmap");
    }
    flags->files = words;
    return absl::OkStatus();
  };
  leaf.run = [flags](Session& session) { return CheckConfCommand(session, *flags); };
  return leaf;
}

Command DiffLeaf() {
  auto flags = std::make_shared<ConfFlags>();
  Command leaf;
  leaf.name = "diff";
  leaf.short_text = "tell which pods fare differently under another scheduler.conf";
  leaf.long_text =
      "Runs the scheduler's engine on a dump of a cluster under both files, and tells which pods "
      "are placed, evicted\nor held differently. Nothing is asked of the cluster, and nothing "
      "changes in it.";
  leaf.operands = "OLD NEW";
  leaf.example = "  vcctl conf diff old.conf new.conf --world snapshot.json";
  AddConfFlags(flags.get(), &leaf.flags);
  leaf.flags.Text(&flags->world, {"world", 'w'},
                  "a dump of the scheduler, manifests, a folder of them, or -");
  leaf.flags.Int(&flags->cycles, {"cycles"}, "how many cycles to run");
  leaf.take_words = [flags](const std::vector<std::string>& words) -> absl::Status {
    if (words.size() != 2) return absl::InvalidArgumentError("give two files: OLD and NEW");
    flags->files = words;
    return absl::OkStatus();
  };
  leaf.run = [flags](Session& session) { return DiffConfs(session, *flags); };
  return leaf;
}

}  // namespace

Command ConfCommand() {
  Command group;
  group.name = "conf";
  group.short_text = "look into the scheduler's policy";
  group.children.push_back(CheckLeaf());
  group.children.push_back(DiffLeaf());
  return group;
}

}  // namespace bth::cli
