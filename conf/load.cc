#include "conf/load.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/additions.h"
#include "conf/refusals.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

using Names = std::vector<std::string_view>;

const Names kRootKeys = {"actions", "tiers", "configurations", "metrics"};
const Names kTierKeys = {"plugins"};
const Names kConfigurationKeys = {"name", "arguments"};
const Names kMetricKeys = {"type",
                           "address",
                           "interval",
                           "tls.insecureSkipVerify",
                           "elasticsearch.index",
                           "elasticsearch.hostnameFieldName",
                           "elasticsearch.username",
                           "elasticsearch.password"};
const Names kMetricTypes = {"prometheus", "prometheus_adaptor", "elasticsearch", "local"};

// The key without its `enable` or `enabled`, in lower case; empty when it has none.
std::string SwitchStem(std::string_view key) {
  const std::string lower = AsciiStrToLower(key);
  absl::string_view stem = lower;
  if (!absl::ConsumePrefix(&stem, "enabled") && !absl::ConsumePrefix(&stem, "enable")) return "";
  return std::string(stem);
}

// What is wrong with a name that is not `known`, and what to do.
std::string Unknown(std::string_view kind, std::string_view name, const Names& known,
                    const Names& of_volcano) {
  if (std::find(of_volcano.begin(), of_volcano.end(), name) != of_volcano.end()) {
    return StrCat("this version does not have this ", kind, " yet; remove it");
  }
  return StrCat("unknown ", kind, DidYouMean(name, known));
}

// Guides name plugins as the folders of their sources, `numaaware` for `numa-aware`.
std::string WithoutMarks(std::string_view name) {
  std::string out = AsciiStrToLower(name);
  std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
  return out;
}

// The name among `known` that is written like `name` but for hyphens, underscores and case. Empty:
// there is none.
std::string_view Respelled(std::string_view name, const Names& known) {
  const std::string stem = WithoutMarks(name);
  const auto found = std::find_if(known.begin(), known.end(), [&stem](std::string_view candidate) {
    return WithoutMarks(candidate) == stem;
  });
  return found == known.end() ? std::string_view() : *found;
}

// Reads one document into a policy, past what is wrong with it. Lives for one call.
class PolicyReader {
 public:
  explicit PolicyReader(const KnownNames& known) : known_(known) {}

  void Read(const YamlDocument& document) {
    for (const DuplicateKey& duplicate : document.duplicates) {
      Warn(duplicate.line, duplicate.path,
           StrCat("given twice, first in line ", duplicate.first_line, "; the last one counts"));
    }
    const Value& root = document.root;
    if (!root.is_map() && !root.is_null()) {
      return refusals_.Note(WrongType(root, "", "a map with `actions`"));
    }
    const Value nothing = Value::MakeNull();
    const auto part = [&root, &nothing](std::string_view key) -> const Value& {
      const Value* value = root.Find(key);
      return value == nullptr ? nothing : *value;
    };
    RefuseMistypedKeys(root);
    WarnOfUnknownKeys(root, "", kRootKeys);
    ReadTiers(part("tiers"));
    ReadActions(part("actions"));
    refusals_.Note(CheckTiersGiven(root));
    ReadConfigurations(part("configurations"));
    ReadMetrics(part("metrics"));
    std::stable_sort(loaded_.findings.begin(), loaded_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
  }

  const Refusals& refusals() const { return refusals_; }
  LoadedPolicy Take() { return std::move(loaded_); }

 private:
  void Add(Finding finding) {
    if (loaded_.findings.size() < kLoadFindingsMax) loaded_.findings.push_back(std::move(finding));
  }
  void Warn(int line, std::string path, std::string text, std::string_view nearest = {}) {
    Add({Severity::kWarning, line, std::move(path), std::move(text), std::string(nearest)});
  }
  void Note(int line, std::string path, std::string text) {
    Add({Severity::kNote, line, std::move(path), std::move(text), ""});
  }

  void WarnOfUnknownKeys(const Value& map, std::string_view path, const Names& known) {
    for (const Value::Member& member : map.members()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      Warn(member.line, Sub(path, member.key), "unknown key, ignored",
           NearestName(member.key, known));
    }
  }

  // Without its tiers a policy knows neither gangs nor quotas: a slip of the pen must not be taken
  // for that.
  void RefuseMistypedKeys(const Value& root) {
    for (const Value::Member& member : root.members()) {
      if (std::find(kRootKeys.begin(), kRootKeys.end(), member.key) != kRootKeys.end()) continue;
      const std::string hint = DidYouMean(member.key, kRootKeys);
      if (hint.empty()) continue;
      refusals_.Note(absl::InvalidArgumentError(
          Place(member.line, Clip(member.key), StrCat("unknown key", hint))));
      mistyped_.insert(NearestName(member.key, kRootKeys));
    }
  }

  absl::Status CheckTiersGiven(const Value& root) const {
    if (mistyped_.count("tiers") > 0) return absl::OkStatus();  // That was told.
    int line = 0;
    for (const Value::Member& member : root.members()) {
      if (member.key != "tiers") continue;
      if (!member.value.is_null()) return absl::OkStatus();
      line = member.line;
    }
    return absl::InvalidArgumentError(Place(
        line, "tiers",
        "no tiers: without plugins there are no gangs, priorities or quotas; name the plugins "
        "of at least one tier, or write `tiers: []` if none is meant to take part"));
  }

  // A scalar where the schema wants a string: taken as it was written, so that 5 is "5".
  std::string ReadText(const Value* value, std::string_view path) {
    if (value == nullptr || value->is_null()) return "";
    if (value->is_scalar()) return value->text();
    refusals_.Note(WrongType(*value, path, "a string"));
    return "";
  }

  void ReadTiers(const Value& tiers) {
    if (tiers.is_null()) return;  // CheckTiersGiven speaks of that.
    if (!tiers.is_list()) return refusals_.Note(WrongType(tiers, "tiers", "a list"));
    if (tiers.items().size() > kTiersMax) {
      return refusals_.Note(TooMany(tiers, "tiers", kTiersMax));
    }
    for (size_t i = 0; i < tiers.items().size(); ++i) {
      ReadTier(tiers.items()[i], ElementPath("tiers", i));
    }
    if (tiers.items().empty()) {
      Warn(tiers.line(), "tiers", "no tiers: no plugin takes part in any decision");
    }
    const PluginOption* capacity = loaded_.policy.FirstPlugin("capacity");
    const PluginOption* proportion = loaded_.policy.FirstPlugin("proportion");
    if (capacity != nullptr && proportion != nullptr) {
      Warn(std::max(capacity->line, proportion->line), "tiers",
           "capacity and proportion both limit queues, each by its own rules, and what either "
           "refuses is refused: remove one of them");
    }
  }

  void ReadTier(const Value& tier, const std::string& path) {
    if (!tier.is_map() && !tier.is_null()) {
      return refusals_.Note(WrongType(tier, path, "a map with `plugins`"));
    }
    WarnOfUnknownKeys(tier, path, kTierKeys);
    Tier out;
    const Value* plugins = tier.Find("plugins");
    const std::string plugins_path = Sub(path, "plugins");
    if (plugins == nullptr || plugins->is_null()) {
      Note(tier.line(), path, "a tier without plugins");
    } else if (!plugins->is_list()) {
      return refusals_.Note(WrongType(*plugins, plugins_path, "a list"));
    } else if (plugins->items().size() > kPluginsPerTierMax) {
      return refusals_.Note(TooMany(*plugins, plugins_path, kPluginsPerTierMax));
    } else {
      for (size_t i = 0; i < plugins->items().size(); ++i) {
        out.plugins.push_back(ReadPlugin(plugins->items()[i], ElementPath(plugins_path, i)));
      }
    }
    refusals_.Note(CheckHierarchy(out, tier.line(), path));
    loaded_.policy.tiers.push_back(std::move(out));
  }

  static absl::Status CheckHierarchy(const Tier& tier, int line, std::string_view path) {
    bool hierarchical_drf = false;
    bool proportion = false;
    for (const PluginOption& plugin : tier.plugins) {
      hierarchical_drf |= plugin.name == "drf" && plugin.flags[HookFlag::kHierarchy];
      proportion |= plugin.name == "proportion";
    }
    if (!hierarchical_drf || !proportion) return absl::OkStatus();
    return absl::InvalidArgumentError(
        StrCat("proportion and drf with hierarchy enabled conflicts: ",
               Place(line, path, "remove proportion or drf's enableHierarchy from this tier")));
  }

  PluginOption ReadPlugin(const Value& entry, const std::string& path) {
    PluginOption plugin;
    if (!entry.is_map()) {
      refusals_.Note(WrongType(entry, path, "a map with `name`"));
      return plugin;
    }
    plugin.line = entry.line();
    const Value* name = entry.Find("name");
    plugin.name = ReadText(name, Sub(path, "name"));
    Respell(&plugin.name, entry, path);
    if (name == nullptr || name->is_null() || name->is_scalar()) {
      refusals_.Note(CheckPluginName(plugin.name, entry, path));
    }
    for (const Value::Member& member : entry.members()) {
      const std::string member_path = Sub(path, member.key);
      if (member.key == "name") continue;
      if (member.key == "arguments") {
        plugin.arguments = ReadArguments(member.value, member_path);
      } else if (const std::optional<HookFlag> flag = HookFlagByKey(member.key)) {
        if (member.value.is_null()) continue;  // Unset.
        if (!member.value.is_bool()) {
          refusals_.Note(WrongType(member.value, member_path, "true or false, without quotes"));
          continue;
        }
        plugin.flags.Set(*flag, member.value.AsBool());
      } else {
        WarnOfUnknownSwitch(member, member_path);
      }
    }
    return plugin;
  }

  void Respell(std::string* name, const Value& entry, const std::string& path) {
    const Names& known = known_.plugins;
    if (std::find(known.begin(), known.end(), *name) != known.end()) return;
    std::string_view proper = Respelled(*name, known);
    if (proper.empty()) proper = Respelled(*name, BuiltinNames().plugins);
    if (proper.empty() || proper == *name) return;
    const Value* written = entry.Find("name");
    Note(written == nullptr ? entry.line() : written->line(), Sub(path, "name"),
         StrCat("plugin ", Clip(*name), " is taken for ", proper));
    *name = std::string(proper);
  }

  absl::Status CheckPluginName(const std::string& name, const Value& entry,
                               const std::string& path) {
    const Value* written = entry.Find("name");
    const int line = written == nullptr ? entry.line() : written->line();
    if (std::find(known_.plugins.begin(), known_.plugins.end(), name) == known_.plugins.end()) {
      const std::string text =
          name.empty() ? StrCat("a plugin needs a name", MeantAsName(entry))
                       : Unknown("plugin", name, known_.plugins, BuiltinNames().plugins);
      return absl::InvalidArgumentError(
          StrCat("Failed to get plugin ", Clip(name), ": ", Place(line, Sub(path, "name"), text)));
    }
    if (!plugins_seen_.insert(name).second) {
      Note(line, Sub(path, "name"),
           StrCat("plugin ", name,
                  " is listed more than once; its last instance answers at each place"));
    }
    return absl::OkStatus();
  }

  // `; the key "nam" is unknown (did you mean "name"?)` when one was written, else nothing.
  static std::string MeantAsName(const Value& entry) {
    for (const Value::Member& member : entry.members()) {
      if (member.key == "name" || !member.value.is_scalar()) continue;
      const std::string hint = DidYouMean(member.key, {"name"});
      if (hint.empty()) continue;
      return StrCat("; the key \"", Clip(member.key), "\" is unknown", hint);
    }
    return "";
  }

  void WarnOfUnknownSwitch(const Value::Member& member, std::string path) {
    Names keys = {"name", "arguments"};
    const std::string stem = SwitchStem(member.key);
    for (size_t i = 0; i < kHookFlags; ++i) {
      const std::string_view key = YamlKey(static_cast<HookFlag>(i));
      if (!stem.empty() && SwitchStem(key) == stem) {
        return Warn(member.line, std::move(path),
                    StrCat("unknown key, ignored: the switch is spelled ", key), key);
      }
      keys.push_back(key);
    }
    Warn(member.line, std::move(path), "unknown key, ignored", NearestName(member.key, keys));
  }

  Arguments ReadArguments(const Value& value, const std::string& path) {
    if (value.is_map()) return Arguments(value, path);
    if (!value.is_null()) refusals_.Note(WrongType(value, path, "a map"));
    return Arguments(Value::MakeMap({}), path);
  }

  void ReadActions(const Value& actions) {
    if (mistyped_.count("actions") > 0) return;  // That was told.
    if (!actions.is_scalar()) {
      return refusals_.Note(
          WrongType(actions, "actions", "one string with the names separated by commas"));
    }
    const std::string text = actions.is_null() ? "" : actions.text();
    const std::vector<std::string> parts = absl::StrSplit(text, ',');
    if (parts.size() > kActionsMax) {
      return refusals_.Note(absl::InvalidArgumentError(
          Place(actions.line(), "actions", StrCat("more than ", kActionsMax, " actions"))));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      std::string name(absl::StripAsciiWhitespace(parts[i]));
      if (std::find(known_.actions.begin(), known_.actions.end(), name) == known_.actions.end()) {
        refusals_.Note(UnknownAction(actions, parts[i], i, text.empty()));
      }
      loaded_.policy.actions.push_back(std::move(name));
    }
  }

  absl::Status UnknownAction(const Value& actions, const std::string& written, size_t index,
                             bool none) {
    const std::string name(absl::StripAsciiWhitespace(written));
    std::string text = Unknown("action", name, known_.actions, BuiltinNames().actions);
    if (name.empty()) text = "an empty name; remove the comma beside it";
    if (none) text = "no actions; write `actions: \"enqueue, allocate, backfill\"`";
    const std::string path = none ? "actions" : ElementPath("actions", index);
    // Whoever wrote the first one learns what there is; the others need no list.
    const auto append = [](std::string* out, std::string_view a) { out->append(a); };
    const std::string list =
        std::exchange(actions_listed_, true)
            ? ""
            : StrCat("; known actions: ", absl::StrJoin(known_.actions, ", ", append));
    return absl::InvalidArgumentError(StrCat("failed to find Action ", Clip(written), ": ",
                                             Place(actions.line(), path, text), list));
  }

  void ReadConfigurations(const Value& entries) {
    if (entries.is_null()) return;
    if (!entries.is_list()) return refusals_.Note(WrongType(entries, "configurations", "a list"));
    if (entries.items().size() > kConfigurationsMax) {
      return refusals_.Note(TooMany(entries, "configurations", kConfigurationsMax));
    }
    for (size_t i = 0; i < entries.items().size(); ++i) {
      ReadConfiguration(entries.items()[i], ElementPath("configurations", i));
    }
  }

  void ReadConfiguration(const Value& entry, const std::string& path) {
    if (!entry.is_map() && !entry.is_null()) {
      return refusals_.Note(WrongType(entry, path, "a map with `name`"));
    }
    WarnOfUnknownKeys(entry, path, kConfigurationKeys);
    ActionArguments out;
    out.line = entry.line();
    const std::string name_path = Sub(path, "name");
    out.name = ReadText(entry.Find("name"), name_path);
    if (const Value* arguments = entry.Find("arguments")) {
      out.arguments = ReadArguments(*arguments, Sub(path, "arguments"));
    }
    CheckConfigurationName(out, name_path);
    if (!configurations_seen_.count(out.name) && ReadAdditions(out, &loaded_.policy)) {
      for (Finding& finding : out.arguments.Findings()) Add(std::move(finding));
    }
    configurations_seen_.insert(out.name);
    loaded_.policy.configurations.push_back(std::move(out));
  }

  void CheckConfigurationName(const ActionArguments& entry, const std::string& path) {
    if (configurations_seen_.count(entry.name)) {
      Warn(entry.line, path,
           StrCat("a second entry for ", Clip(entry.name), ", ignored: only the first one counts"));
      return;
    }
    if (IsAddition(entry.name)) return;
    Names names = known_.actions;
    names.push_back(kSessionConfiguration);
    if (std::find(names.begin(), names.end(), entry.name) == names.end()) {
      Warn(entry.line, path, "no action of this name, ignored", NearestName(entry.name, names));
    } else if (entry.name != "allocate" && !loaded_.policy.HasAction(entry.name)) {
      // The gang actions read the arguments of allocate, whether it runs or not.
      Note(entry.line, path, "this action is not among `actions`, so its arguments have no effect");
    }
  }

  // `tls: {insecureSkipVerify: x}` as `tls.insecureSkipVerify: x`: both ways are in use.
  static Value WithDottedKeys(const Value& metrics) {
    Value::Map flat;
    for (const Value::Member& member : metrics.members()) {
      if (!member.value.is_map()) {
        flat.push_back(member);
        continue;
      }
      for (Value::Member inner : member.value.members()) {
        inner.key = StrCat(member.key, ".", inner.key);
        flat.push_back(std::move(inner));
      }
    }
    Value out = Value::MakeMap(std::move(flat));
    out.set_line(metrics.line());
    return out;
  }

  void ReadMetrics(const Value& given) {
    if (given.is_null()) return;
    if (!given.is_map()) return refusals_.Note(WrongType(given, "metrics", "a map of strings"));
    const Value metrics = WithDottedKeys(given);
    WarnOfUnknownKeys(metrics, "metrics", kMetricKeys);
    for (const Value::Member& member : metrics.members()) {
      const std::string path = Sub("metrics", member.key);
      std::string text = ReadText(&member.value, path);
      CheckMetric(member, path, text);
      loaded_.policy.metrics[member.key] = std::move(text);
    }
    const std::string_view type = loaded_.policy.Metric("type");
    if ((type == "prometheus" || type == "elasticsearch" || type == "local") &&
        loaded_.policy.Metric("address").empty()) {
      Warn(metrics.line(), "metrics.address",
           "metrics address is empty: no node load can be collected");
    }
    const auto reads_load = [](std::string_view plugin) {
      return plugin == "usage" || plugin == "rescheduling";
    };
    if (std::none_of(known_.plugins.begin(), known_.plugins.end(), reads_load)) {
      Note(metrics.line(), "metrics", "none of the known plugins reads the load of nodes");
    }
  }

  void CheckMetric(const Value::Member& member, const std::string& path, std::string_view text) {
    if (member.key == "type" && !text.empty() &&
        std::find(kMetricTypes.begin(), kMetricTypes.end(), text) == kMetricTypes.end()) {
      Warn(member.line, path,
           StrCat("data cannot be collected from the ", Clip(text),
                  " monitoring system. The supported monitoring systems are elasticsearch, "
                  "prometheus, and prometheus_adaptor"),
           NearestName(text, kMetricTypes));
    }
    if (member.key == "interval") {
      const absl::StatusOr<absl::Duration> interval = ParseGoDuration(text);
      if (!interval.ok() || *interval <= absl::ZeroDuration()) {
        Warn(member.line, path,
             StrCat("needs a positive duration such as 30s, got ", QuoteYaml(Clip(text)),
                    "; 30s is used"));
      }
    }
  }

  const KnownNames& known_;
  LoadedPolicy loaded_;
  Refusals refusals_;
  bool actions_listed_ = false;
  std::set<std::string_view> mistyped_;  // Keys of the root that were meant.
  std::set<std::string, std::less<>> plugins_seen_;
  std::set<std::string, std::less<>> configurations_seen_;
};

}  // namespace

absl::StatusOr<LoadedPolicy> ParsePolicy(std::string_view yaml, const KnownNames& known,
                                         const YamlLimits& limits) {
  BTH_ASSIGN_OR_RETURN(const YamlDocument document, ParseYaml(yaml, limits));
  PolicyReader reader(known);
  reader.Read(document);
  BTH_RETURN_IF_ERROR(reader.refusals().status());
  return reader.Take();
}

PolicyReview ReviewPolicy(std::string_view yaml, const KnownNames& known,
                          const YamlLimits& limits) {
  const absl::StatusOr<YamlDocument> document = ParseYaml(yaml, limits);
  if (!document.ok()) return {{std::string(document.status().message())}, {}, {}};
  PolicyReader reader(known);
  reader.Read(*document);
  LoadedPolicy loaded = reader.Take();
  return {reader.refusals().told(), std::move(loaded.findings), std::move(loaded.policy)};
}

}  // namespace bth::conf
