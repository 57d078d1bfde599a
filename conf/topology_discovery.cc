#include "conf/topology_discovery.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/map_reader.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

const MapReader::Keys kSources = {kLabelSource, kUfmSource};
const MapReader::Keys kLabelConfigKeys = {"networkTopologyTypes"};
const MapReader::Keys kUfmConfigKeys = {"endpoint", "insecureSkipVerify"};
constexpr std::string_view kHostname = "kubernetes.io/hostname";

// The labels of one type in the order written: from the highest tier down to the node.
absl::StatusOr<std::vector<std::string>> ReadLabels(const MapReader& types, std::string_view name,
                                                    std::vector<Finding>& findings) {
  BTH_ASSIGN_OR_RETURN(const Value::List* entries, types.List(name, kTopologyTiersMax + 1));
  std::vector<std::string> labels;
  for (size_t i = 0; i < entries->size(); ++i) {
    BTH_ASSIGN_OR_RETURN(const MapReader entry,
                         MapReader::Open(&(*entries)[i], ElementPath(types.PathOf(name), i),
                                         {"nodeLabel"}, findings));
    BTH_ASSIGN_OR_RETURN(std::string label, entry.Text("nodeLabel"));
    if (label.empty()) return entry.Refuse("nodeLabel", "must not be empty: name a node label");
    labels.push_back(std::move(label));
  }
  return labels;
}

bool HasTwice(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end());
  return std::adjacent_find(labels.begin(), labels.end()) != labels.end();
}

absl::Status ReadTypes(const MapReader& config, std::vector<Finding>& findings,
                       std::vector<TopologyType>* out) {
  BTH_ASSIGN_OR_RETURN(const Value* map, config.AnyMap("networkTopologyTypes"));
  if (map->members().size() > kTopologyTypesMax) {
    return config.Refuse("networkTopologyTypes",
                         StrCat("has ", map->members().size(), " types; at most ",
                                kTopologyTypesMax, " are allowed"));
  }
  MapReader::Keys names;
  for (const Value::Member& member : map->members()) names.push_back(member.key);
  BTH_ASSIGN_OR_RETURN(const MapReader types, config.Map("networkTopologyTypes", names));
  for (const std::string_view name : names) {
    BTH_ASSIGN_OR_RETURN(std::vector<std::string> labels, ReadLabels(types, name, findings));
    if (name.empty() || name.size() > kTopologyTypeNameMax) {
      types.Warn(name, StrCat("a type's name has 1 to ", kTopologyTypeNameMax,
                              " bytes; the type is left out"));
    } else if (HasTwice(labels)) {
      types.Warn(name, "a label stands there twice; the type is left out");
    } else if (labels.size() < 2) {
      types.Warn(name, "needs at least one tier above the node; the type is left out");
    } else {
      if (labels.back() != kHostname) {
        types.Warn(name, StrCat("the last entry stands for the node itself and makes no "
                                "tier; end the list with ",
                                kHostname));
      }
      labels.pop_back();
      std::reverse(labels.begin(), labels.end());
      out->push_back({std::string(name), std::move(labels)});
    }
  }
  return absl::OkStatus();
}

absl::Status ReadUfm(const MapReader& entry, TopologySource* source) {
  BTH_ASSIGN_OR_RETURN(const MapReader config, entry.Map("config", kUfmConfigKeys));
  BTH_ASSIGN_OR_RETURN(source->endpoint, config.Text("endpoint"));
  BTH_ASSIGN_OR_RETURN(const std::optional<bool> insecure, config.Bool("insecureSkipVerify"));
  source->insecure_skip_verify = insecure.value_or(false);
  BTH_ASSIGN_OR_RETURN(const MapReader credentials, entry.Map("credentials", {"secretRef"}));
  BTH_ASSIGN_OR_RETURN(const MapReader reference,
                       credentials.Map("secretRef", {"name", "namespace"}));
  BTH_ASSIGN_OR_RETURN(source->secret_name, reference.Text("name"));
  BTH_ASSIGN_OR_RETURN(source->secret_namespace, reference.Text("namespace"));
  return absl::OkStatus();
}

// Nothing when the entry is not enabled or of a kind that nobody knows.
absl::StatusOr<std::optional<TopologySource>> ReadSource(const Value& value, std::string path,
                                                         std::vector<Finding>& findings) {
  std::optional<TopologySource> none;
  BTH_ASSIGN_OR_RETURN(
      const MapReader entry,
      MapReader::Open(&value, std::move(path),
                      {"source", "enabled", "interval", "credentials", "config"}, findings));
  TopologySource source;
  BTH_ASSIGN_OR_RETURN(source.source, entry.Text("source"));
  BTH_ASSIGN_OR_RETURN(const std::optional<bool> enabled, entry.Bool("enabled"));
  if (!enabled.value_or(false)) return none;
  if (std::find(kSources.begin(), kSources.end(), source.source) == kSources.end()) {
    entry.Warn("source", "no such source, nothing is discovered from it; there are label and ufm",
               NearestName(source.source, kSources));
    return none;
  }
  BTH_ASSIGN_OR_RETURN(const std::optional<absl::Duration> interval, entry.Duration("interval"));
  if (interval.value_or(absl::ZeroDuration()) > absl::ZeroDuration()) source.interval = *interval;
  if (source.source == kUfmSource) {
    BTH_RETURN_IF_ERROR(ReadUfm(entry, &source));
  } else {
    BTH_ASSIGN_OR_RETURN(const MapReader config, entry.Map("config", kLabelConfigKeys));
    BTH_RETURN_IF_ERROR(ReadTypes(config, findings, &source.types));
  }
  return std::optional<TopologySource>(std::move(source));
}

}  // namespace

absl::StatusOr<TopologyDiscovery> ParseTopologyDiscovery(std::string_view yaml) {
  constexpr std::string_view kRoot = "networkTopologyDiscovery";
  BTH_ASSIGN_OR_RETURN(const YamlDocument document, ParseYaml(yaml));
  TopologyDiscovery out;
  for (const DuplicateKey& twice : document.duplicates) {
    if (out.findings.size() >= MapReader::kFindingsMax) break;
    out.findings.push_back(
        {Severity::kWarning, twice.line, twice.path,
         StrCat("given twice, first in line ", twice.first_line, "; the last one counts"), ""});
  }
  BTH_ASSIGN_OR_RETURN(const MapReader root,
                       MapReader::Open(&document.root, "", {kRoot}, out.findings));
  BTH_ASSIGN_OR_RETURN(const Value::List* entries, root.List(kRoot, kTopologySourcesMax));
  for (size_t i = 0; i < entries->size(); ++i) {
    BTH_ASSIGN_OR_RETURN(std::optional<TopologySource> source,
                         ReadSource((*entries)[i], ElementPath(kRoot, i), out.findings));
    if (!source.has_value()) continue;
    const auto same = [&source](const TopologySource& other) {
      return other.source == source->source;
    };
    const auto found = std::find_if(out.sources.begin(), out.sources.end(), same);
    if (found == out.sources.end()) {
      out.sources.push_back(*std::move(source));
      continue;
    }
    if (out.findings.size() < MapReader::kFindingsMax) {
      out.findings.push_back({Severity::kWarning, (*entries)[i].line(), ElementPath(kRoot, i),
                              StrCat("a second source ", source->source, "; this one counts"), ""});
    }
    *found = *std::move(source);
  }
  return out;
}

}  // namespace bth::conf
