#include "admission/rules/job_volumes.h"

#include <set>
#include <string_view>

#include "absl/strings/str_join.h"
#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::admission {

std::string CheckJobVolumes(const std::vector<types::BatchVolume>& volumes) {
  std::set<std::string_view> paths;
  for (const types::BatchVolume& volume : volumes) {
    if (volume.mount_path.empty()) return " mountPath is required;";
    if (!paths.insert(volume.mount_path).second) {
      return StrCat(" duplicated mountPath: ", volume.mount_path, ";");
    }
    const bool named = !volume.claim_name.empty();
    if (!named && !volume.claim.present()) {
      return " either VolumeClaim or VolumeClaimName must be specified;";
    }
    if (!named) continue;
    if (volume.claim.present()) {
      return "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you "
             "want to create a new PVC, you do not need to specify VolumeClaimName";
    }
    const std::vector<std::string> faults = rules::CheckDnsSubdomain(volume.claim_name);
    if (!faults.empty()) {
      return StrCat("invalid VolumeClaimName ", volume.claim_name, " : [",
                    absl::StrJoin(faults, " "), "]");
    }
  }
  return "";
}

}  // namespace bth::admission
