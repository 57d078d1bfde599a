#include "actions/gang_eviction/options.h"

#include <cstdint>

#include "base/status.h"

namespace bth::actions::gang_eviction {

absl::StatusOr<Options> ParseOptions(const conf::Arguments& args) {
  Options options;
  BTH_ASSIGN_OR_RETURN(options.allow_whole, args.Bool("allowWholeBundle", options.allow_whole));
  BTH_ASSIGN_OR_RETURN(const int64_t domains,
                       args.Int("maxDomains", static_cast<int64_t>(options.domains_max)));
  if (domains > 0) {
    options.domains_max = static_cast<size_t>(domains);
    if (options.domains_max != Options().domains_max) {
      args.Report("maxDomains",
                  "has no effect unless a plugin of yours divides the cluster into domains: none "
                  "that is built in does");
    }
  } else {
    args.Report("maxDomains", "must be at least 1; the default is used");
  }
  return options;
}

}  // namespace bth::actions::gang_eviction
