// Figures of one replay or of two, as JSON, as text and as a picture.
#pragma once

#include <string>
#include <vector>

#include "api/types/json.h"
#include "sim/trace/cluster_parts.h"
#include "sim/trace/figures.h"
#include "sim/trace/job_trace.h"
#include "sim/trace/replay.h"

namespace bth::trace {

// One replay with its figures.
struct Told {
  const Replay& replay;
  Figures figures;
};

struct Report {
  const Trace& trace;
  const ClusterParts& parts;
  std::vector<Told> runs;  // One, or two that are compared.
};

// The form is in docs/vc-sim.md. Numbers have at most three decimals.
types::Json ReportJson(const Report& report);
std::string ReportText(const Report& report);
// Use of resources and waiting jobs over time, a column for each replay. The same report, the same
// bytes.
std::string ReportSvg(const Report& report);

// "3d 4h", "12m 5s", "0.4s".
std::string DurationText(double seconds);
// An amount over time in whole units: core-seconds, byte-seconds.
double UnitSeconds(const model::DimensionTable& dims, int dim, __int128 amount_ms);

}  // namespace bth::trace
