#include <array>

#include "base/defect.h"
#include "devices/family.h"
#include "devices/gpushare/gpushare.h"
#include "devices/hami_ascend/hami_ascend.h"
#include "devices/mindcluster/mindcluster.h"
#include "devices/vgpu/vgpu.h"

namespace bth::devices {

// In the order in which a pod's devices are announced.
absl::Span<const Family* const> Families() {
  static const std::array<const Family*, 4> kFamilies = {&gpushare::TheFamily(), &vgpu::TheFamily(),
                                                         &mindcluster::TheFamily(),
                                                         &hami_ascend::TheFamily()};
  return kFamilies;
}

const Family& FamilyOf(model::DeviceFamily family) {
  switch (family) {
    case model::DeviceFamily::kGpuShare:
      return gpushare::TheFamily();
    case model::DeviceFamily::kVgpu:
      return vgpu::TheFamily();
    case model::DeviceFamily::kMindCluster:
      return mindcluster::TheFamily();
    case model::DeviceFamily::kHamiAscend:
      return hami_ascend::TheFamily();
  }
  ThrowDefect("a family of devices that is there");
}

}  // namespace bth::devices
