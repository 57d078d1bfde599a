#include "cmd/common/daemon_gauges.h"

namespace bth::cmd {

DaemonGauges::DaemonGauges(metrics::Registry& registry, const std::string& program)
    : leading_(
          registry.AddGauge("batholith_leading", "1 while this replica acts, 0 while it stands by.")
              .With()) {
  registry.AddGauge("batholith_build_info", "1, with the program and its version.")
      .With({{"program", program}, {"version", BTH_VERSION}})
      .Set(1);
}

}  // namespace bth::cmd
