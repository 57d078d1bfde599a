#include "cmd/common/scheduler_common_flags.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "api/model/shard_mode.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

std::optional<std::pair<std::string, std::string>> ParseNodeLabel(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  std::pair<std::string, std::string> label(text.substr(0, colon), text.substr(colon + 1));
  absl::StripAsciiWhitespace(&label.first);
  absl::StripAsciiWhitespace(&label.second);
  if (label.first.empty() || label.second.empty()) return std::nullopt;
  return label;
}

}  // namespace

SchedulerCommonFlags::SchedulerCommonFlags(std::string name)
    : sharding_name(name), own_shard_(name) {
  api.qps = 2000;
  api.burst = 2000;
  leader.options.lease_name = std::move(name);
}

void SchedulerCommonFlags::AddCommon(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  flags.Add("scheduler-conf", &scheduler_conf, "File with the scheduling policy");
  flags.Add("disable-default-scheduler-config", &disable_default_conf,
            "Require --scheduler-conf, instead of using the built-in policy without it");
  flags.Add("resource-sync-timeout", &sync_timeout,
            "How long the first lists may take before a warning; 0: none");
  flags.AddList("node-selector", &node_selector,
                "Use only nodes that have one of these labels, as key:value");
  flags.Add("csi-storage", &csi_storage,
            "Read what CSI drivers tell of free capacity; false: there is always enough");
  AddFeatureGates(flags, &feature_gates);
  flags.Add("scheduler-sharding-mode", &sharding_mode,
            "Use only (hard) or first (soft) the nodes of the NodeShard; none: all alike");
  flags.Add("scheduler-sharding-name", &sharding_name, "Name of the NodeShard");
  flags.Add("cache-dumper", &dump_on_signal,
            "Write the cluster to a file on SIGUSR1, the last cycle on SIGUSR2");
  flags.Add("cache-dump-dir", &dump_folder, "Where to write them");
  pages.AddTo(flags);
  debug.AddTo(flags);
  leader.AddTo(flags);
  const std::string_view all_nodes = "all nodes are considered, whatever their number";
  AddIdle(flags, "resync-period", &resync_period_,
          "a watch that breaks resumes or lists anew by itself");
  AddIdle(flags, "minimum-feasible-nodes", &nodes_min_, all_nodes);
  AddIdle(flags, "minimum-percentage-nodes-to-find", &percentage_min_, all_nodes);
  AddIdle(flags, "percentage-nodes-to-find", &percentage_, all_nodes);
  AddIdle(flags, "node-worker-threads", &node_workers_,
          "changes of nodes are applied as they are read");
  log.AddTo(flags);
}

absl::Status SchedulerCommonFlags::CheckCommon() const {
  BTH_RETURN_IF_ERROR(api.Check());
  BTH_RETURN_IF_ERROR(log.Check());
  if (!model::ParseShardMode(sharding_mode)) {
    return RefusedFlag("scheduler-sharding-mode",
                       StrCat("\"", sharding_mode, "\" is none of none, hard, soft"));
  }
  if (sharding_name.empty()) return RefusedFlag("scheduler-sharding-name", "must not be empty");
  BTH_RETURN_IF_ERROR(conf::FeatureGates::Parse(feature_gates));
  if (!node_selector.empty() && NodeLabels().empty()) {
    return RefusedFlag("node-selector",
                       "no entry has the form key:value, so no node would be used");
  }
  BTH_RETURN_IF_ERROR(debug.Check());
  BTH_RETURN_IF_ERROR(pages.Check());
  return leader.Check();
}

std::vector<std::string> SchedulerCommonFlags::CommonNotes(
    absl::Span<const conf::Gate> acted_on) const {
  std::vector<std::string> notes = log.Notes();
  for (std::string& note : pages.Notes()) notes.push_back(std::move(note));
  if (sharding_mode == "none" && sharding_name != own_shard_) {
    notes.push_back(
        "--scheduler-sharding-name: there are no shards: add --scheduler-sharding-mode=hard or "
        "soft");
  }
  for (const std::string& entry : node_selector) {
    if (ParseNodeLabel(entry).has_value()) continue;
    notes.push_back(StrCat("--node-selector: \"", entry, "\" is not of the form key:value"));
  }
  for (std::string& note : gates().WithoutEffect(acted_on)) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::pair<std::string, std::string>> SchedulerCommonFlags::NodeLabels() const {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& entry : node_selector) {
    if (auto label = ParseNodeLabel(entry)) labels.push_back(*std::move(label));
  }
  return labels;
}

conf::FeatureGates SchedulerCommonFlags::gates() const {
  return conf::FeatureGates::Parse(feature_gates).value_or(conf::FeatureGates());
}

void SchedulerCommonFlags::ApplyCommon(scheduler::SchedulerOptions* options) const {
  options->policy.path = scheduler_conf;
  options->policy.disable_default = disable_default_conf;
  // Nothing is decided on half a cluster, whatever the flag says: it is the pause between warnings,
  // and zero asks for none.
  const bool silent = sync_timeout <= absl::ZeroDuration();
  options->sync_timeout = silent ? absl::Hours(24 * 365) : sync_timeout;
  options->node_labels = NodeLabels();
  options->storage_capacity = csi_storage;
  options->shard = {.mode = model::ParseShardMode(sharding_mode).value_or(model::ShardMode::kNone),
                    .name = sharding_name};
  const conf::FeatureGates on = gates();
  options->workloads = on.Enabled(conf::Gate::kWorkLoadSupport);
  options->pod_level_resources = on.Enabled(conf::Gate::kPodLevelResources);
  options->spread_by_own_labels = on.Enabled(conf::Gate::kMatchLabelKeysInPodTopologySpread);
  options->device_taint_rules = on.Enabled(conf::Gate::kDraDeviceTaintRules);
  options->extended_devices = on.Enabled(conf::Gate::kDraExtendedResource);
  options->scores_volumes = on.Enabled(conf::Gate::kStorageCapacityScoring);
}

}  // namespace bth::cmd
