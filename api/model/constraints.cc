#include "api/model/constraints.h"

namespace bth::model {

bool PortsConflict(const HostPort& a, const HostPort& b) {
  return a.protocol == b.protocol && a.port == b.port &&
         (a.ip.empty() || b.ip.empty() || a.ip == b.ip);
}

}  // namespace bth::model
