#include "controllers/job/request.h"

#include "base/strings.h"
#include "controllers/core/object_store.h"

namespace bth::controllers {

std::string JobKey(const JobRequest& request) {
  return StoreKey(request.ns, request.job);
}

std::string IdentityOf(const JobRequest& request) {
  // Names of Kubernetes hold no line break; the texts of unknown actions come last.
  return StrCat(request.ns, "\n", request.job, "\n", request.job_uid, "\n", request.task, "\n",
                request.pod, "\n", request.pod_uid, "\n", request.partition, "\n",
                static_cast<int>(request.event), "\n", request.exit_code, "\n", request.job_version,
                "\n", request.is_due ? 1 : 0, "\n", request.command, "\n", request.action.text());
}

}  // namespace bth::controllers
