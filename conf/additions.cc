#include "conf/additions.h"

#include <string>

#include "base/strings.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

void ReadSession(const Arguments& arguments, Policy* policy) {
  const std::string veto = arguments.String("victimVeto", "tier").value_or("tier");
  if (veto == "strict") {
    policy->victim_veto = VictimVeto::kStrict;
  } else if (veto != "tier") {
    arguments.Report("victimVeto",
                     StrCat("needs tier or strict, got ", QuoteYaml(Clip(veto)), "; tier is used"));
  }
}

void ReadMindCluster(const Arguments& arguments, Policy* policy) {
  policy->cluster_reports = arguments.Bool("useClusterInfoManager", true).value_or(true);
  const auto idle = [&arguments](std::string_view key, std::string_view why) {
    if (arguments.Has(key)) arguments.Report(key, StrCat("has no effect: ", why));
  };
  idle("presetVirtualDevice", "chips are cut when pods come, as in Volcano");
  idle("self-maintain-available-card", "which chips are free is always what ConfigMaps say");
  idle("grace-over-time", "plugin deviceshare evicts nobody");
}

}  // namespace

bool IsAddition(std::string_view name) {
  return name == kSessionConfiguration || name == kMindClusterConfiguration;
}

bool ReadAdditions(const ActionArguments& entry, Policy* policy) {
  if (entry.name == kSessionConfiguration) {
    ReadSession(entry.arguments, policy);
  } else if (entry.name == kMindClusterConfiguration) {
    ReadMindCluster(entry.arguments, policy);
  } else {
    return false;
  }
  return true;
}

}  // namespace bth::conf
