// What every daemon publishes of itself.
#pragma once

#include <string>

#include "metrics/registry.h"

namespace bth::cmd {

// `batholith_build_info`, always 1, and `batholith_leading`. Lifetime: shorter than the registry.
// Thread: any.
class DaemonGauges final {
 public:
  DaemonGauges(metrics::Registry& registry, const std::string& program);

  // It acts: it holds the lease, or nobody asks for one.
  void SetLeading(bool leading) { leading_.Set(leading ? 1 : 0); }

 private:
  metrics::Gauge leading_;
};

}  // namespace bth::cmd
