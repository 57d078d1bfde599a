#include "cmd/common/container_logs.h"

#include <optional>
#include <utility>

#include "api/types/codec.h"
#include "base/status.h"
#include "nodesim/container_log.h"

namespace bth::cmd {
namespace {

template <typename T>
const T* FindNamed(const std::vector<T>& all, const std::string& name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

absl::StatusOr<apiserver::LoggedLines> LinesOf(const types::Json& json,
                                               const apiserver::LogOptions& options) {
  BTH_ASSIGN_OR_RETURN(const types::Pod pod, types::Decode<types::Pod>(json));
  const bool is_main = FindNamed(pod.spec.containers, options.container) != nullptr;
  const types::Container* container =
      FindNamed(is_main ? pod.spec.containers : pod.spec.init_containers, options.container);
  const types::ContainerStatus* status =
      FindNamed(is_main ? pod.status.container_statuses : pod.status.init_container_statuses,
                options.container);
  apiserver::LoggedLines out;
  if (container == nullptr || status == nullptr) return out;
  const std::optional<nodesim::LoggedRun> run = nodesim::RunIn(*status, options.previous);
  if (!run) return out;
  nodesim::ContainerLog log = nodesim::LogOf(*container, *run, options.now);
  for (nodesim::LogLine& line : log.lines) {
    out.lines.push_back({line.time, std::move(line.text)});
  }
  out.next = log.next;
  return out;
}

}  // namespace

apiserver::LogSource LogsOfSimulatedContainers() {
  return LinesOf;
}

}  // namespace bth::cmd
