#include "framework/report/gate_counts.h"

#include "framework/report/report.h"

namespace bth::framework {

JobAtGate AtGate(const Session& session, model::JobId job) {
  using model::TaskStatus;
  const model::JobCounts& counts = session.counts(job);
  return {GateOf(session, job),
          int64_t{counts.count(TaskStatus::kPending)} + counts.count(TaskStatus::kPipelined)};
}

}  // namespace bth::framework
