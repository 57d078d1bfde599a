// What is to become of a job flow: pure functions, any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/job_flow.h"

namespace bth::controllers {

// Labels and annotations of jobs that a flow made: "namespace.name".
inline constexpr std::string_view kCreatedByFlow = "volcano.sh/createdByJobFlow";
inline constexpr std::string_view kCreatedByTemplate = "volcano.sh/createdByJobTemplate";

using JobList = std::vector<std::shared_ptr<const types::BatchJob>>;

// "flow-template": the job of that entry.
std::string FlowJobName(const types::JobFlow& flow, std::string_view template_name);
// "namespace.name".
std::string CreatorText(std::string_view ns, std::string_view name);

// It may still start jobs, and come to its end.
bool IsUnderWay(const types::JobFlow& flow);
// The status names the job among those of its phase.
bool TellsOf(const types::JobFlow& flow, const types::BatchJob& job);

// Names of the templates whose jobs may start now, in the order of the flow: they do not exist and
// have not completed, and what they depend on is there. A target is there when its job is Completed
// (by the flow's status, if the job is gone) or, with a probe that looks at tasks, when that holds:
// each named task has all its pods in that phase. `jobs` are those of the flow.
std::vector<std::string> ReadyToStart(const types::JobFlow& flow, const JobList& jobs);

// kInvalidArgument says why a flow can never come to its end: an entry depends on one that is not
// in the flow, or some wait for each other.
absl::Status CheckFlow(const types::JobFlow& flow);

// Complaints about parts of the flow that are accepted and not acted on, in the flow's order.
std::vector<std::string> IgnoredParts(const types::JobFlow& flow);

// The status that tells of these jobs, and of those that completed and are gone; its phase decided.
types::JobFlowStatus NextFlowStatus(const types::JobFlow& flow, const JobList& jobs,
                                    absl::Time now);

}  // namespace bth::controllers
