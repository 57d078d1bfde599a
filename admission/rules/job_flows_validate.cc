#include <optional>
#include <string>

#include "admission/rules/flow_graph.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/types/job_flow.h"
#include "base/strings.h"

namespace bth::admission {

Verdict ValidateJobFlow(const Request& request, const Settings&, const Known&) {
  const absl::StatusOr<types::JobFlow> job_flow = ReadObject<types::JobFlow>(request);
  if (!job_flow.ok()) return RefuseUnreadable(job_flow.status());
  if (request.operation != "CREATE" && request.operation != "UPDATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE' or 'UPDATE'");
  }
  const std::optional<FlowFault> fault = FindFlowFault(job_flow->spec.flows, SameName::kLast);
  if (!fault.has_value()) return Verdict::Allow();
  if (fault->is_circle) return Verdict::Refuse("flow_circle", "jobflow Flow is not DAG");
  return Verdict::Refuse(
      "flow_target_not_found",
      StrCat("jobflow Flow is not DAG: vertex is not defined: ", fault->missing));
}

}  // namespace bth::admission
