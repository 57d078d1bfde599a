#include "sim/loads.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "scheduler/node_load/answers.h"

namespace bth::sim {

absl::Status PutLoads(const conf::Policy& policy, absl::Time now, cache::Mirror* mirror,
                      std::vector<conf::Finding>* findings) {
  namespace node_load = scheduler::node_load;
  constexpr size_t kFileBytesMax = size_t{4} << 20;
  const std::string type(policy.Metric("type"));
  if (type.empty()) {
    mirror->PutLoads(nullptr);
    return absl::OkStatus();
  }
  if (type != "local") {
    findings->push_back({.path = "metrics.type",
                         .text = StrCat("no ", type,
                                        " is asked in a simulation; with type "
                                        "local, `address` names a file of loads")});
    return absl::OkStatus();
  }
  const std::string path(policy.Metric("address"));
  const absl::StatusOr<std::string> text = client::ReadSmallFile(path, kFileBytesMax);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  const absl::StatusOr<node_load::FileSamples> samples = node_load::ParseLoadFile(*text);
  if (!samples.ok()) return Annotate(samples.status(), path);
  node_load::Reading reading = node_load::Combine(samples->cpu, samples->memory, 1, now);
  if (reading.refused > 0) {
    return absl::InvalidArgumentError(
        StrCat(path, ": ", reading.refused, " nodes have loads outside 0 to 100 percent"));
  }
  mirror->PutLoads(std::make_shared<const model::NodeLoads>(std::move(reading.loads)));
  return absl::OkStatus();
}

}  // namespace bth::sim
