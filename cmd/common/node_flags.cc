#include "cmd/common/node_flags.h"

#include "absl/strings/str_cat.h"

namespace bth::cmd {

void NodeFlags::AddTo(FlagSet& flags) {
  flags.Add("nodes", &nodes.count, "How many simulated nodes to create");
  flags.Add("node-cpu", &nodes.cpu, "CPUs of each");
  flags.Add("node-memory", &nodes.memory, "Memory of each");
  flags.Add("node-pods", &nodes.pods, "How many pods each one takes");
  flags.AddRepeated("node-resource", &nodes.extended, "More of it, such as nvidia.com/gpu=8");
  flags.AddRepeated("node-device", &nodes.devices,
                    "Devices of each for claims, such as gpu.example.com=4");
  flags.AddRepeated("node-label", &nodes.labels, "A label of each, such as rack=r1");
  flags.AddRepeated("node-annotation", &nodes.annotations,
                    "An annotation of each, such as a device plugin's; {node} is the node's name");
  flags.Add("pod-start-delay", &timing.start_delay, "From being bound to running");
  flags.Add("pod-stop-delay", &timing.stop_delay,
            "From a deletion to the end of its containers, if the grace period is longer");
  flags.Add("crash-backoff", &timing.crash_backoff, "Pause before the second restart; it doubles");
  flags.Add("crash-backoff-max", &timing.crash_backoff_max, "The longest such pause");
  flags.Add("node-status-report-frequency", &status_report_frequency,
            "How often each node says that its conditions still hold; 0: never");
}

absl::Status NodeFlags::Check() const {
  if (timing.start_delay < absl::ZeroDuration() || timing.stop_delay < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "--pod-start-delay and --pod-stop-delay must not be negative");
  }
  if (timing.crash_backoff < absl::Milliseconds(1) ||
      timing.crash_backoff_max < timing.crash_backoff) {
    return absl::InvalidArgumentError(
        "--crash-backoff must be at least 1ms and at most --crash-backoff-max");
  }
  if (status_report_frequency != absl::ZeroDuration() &&
      status_report_frequency < absl::Seconds(1)) {
    return absl::InvalidArgumentError(
        "--node-status-report-frequency must be 0, for never, or at least 1s");
  }
  return nodesim::CheckTemplate(nodes);
}

nodesim::SimulatorOptions NodeFlags::Options() const {
  nodesim::SimulatorOptions options;
  options.timing = timing;
  options.heartbeat = status_report_frequency;
  return options;
}

}  // namespace bth::cmd
