#include "plugins/network_topology_aware/options.h"

#include <cmath>
#include <vector>

#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::network_topology {
namespace {

absl::StatusOr<double> ReadWeight(const conf::Arguments& args, const std::string& key) {
  BTH_ASSIGN_OR_RETURN(const int64_t weight, args.Int(key, 1));
  if (weight >= 0) return static_cast<double>(weight);
  args.Report(key, "is negative; 1 is used instead");
  return 1;
}

}  // namespace

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args) {
  const Options defaults;
  Options options;
  BTH_ASSIGN_OR_RETURN(options.weight, ReadWeight(args, "weight"));
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                       args.CommaList("hypernode.binpack.resources"));
  for (const std::string& name : names) {
    BTH_ASSIGN_OR_RETURN(options.resources[name],
                         ReadWeight(args, StrCat("hypernode.binpack.resources.", name)));
  }
  // The list does not change these two.
  for (const std::string name : {"cpu", "memory"}) {
    BTH_ASSIGN_OR_RETURN(options.resources[name],
                         ReadWeight(args, StrCat("hypernode.binpack.", name)));
  }
  BTH_ASSIGN_OR_RETURN(options.prefers_tightest, args.Bool("hypernode.tightest-fit.enable", false));
  BTH_ASSIGN_OR_RETURN(options.scores_normal_pods,
                       args.Bool("hypernode.binpack.normal-pod.enable", true));
  constexpr const char* kFading = "hypernode.binpack.normal-pod.fading";
  BTH_ASSIGN_OR_RETURN(options.fading, args.Double(kFading, defaults.fading));
  if (!(options.fading >= 0) || !std::isfinite(options.fading)) {
    args.Report(kFading, "is not a number from 0 on; 0.8 is used instead");
    options.fading = defaults.fading;
  }
  constexpr const char* kEvictMax = "hypernode.gradient.evict.max-hypernodes";
  BTH_ASSIGN_OR_RETURN(int64_t most, args.Int(kEvictMax, 8));
  if (most <= 0) {
    args.Report(kEvictMax, "is not above 0; 8 is used instead");
    most = static_cast<int64_t>(defaults.evict_hyper_nodes_max);
  }
  options.evict_hyper_nodes_max = static_cast<size_t>(most);
  return options;
}

}  // namespace bth::plugins::network_topology
