#include "cli/listing/views.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/pod/status.h"
#include "cli/print/times.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

Cell TextCell(const Json& value) {
  return {std::string(value.AsString())};
}

Cell CountCell(const Json& value) {
  return {StrCat(value.AsInt())};
}

Cell PhaseCell(const Json& value) {
  return {std::string(value.AsString()), ToneOf(value.AsString())};
}

Cell AgeCell(const Json& object, absl::Time now) {
  return {AgeSince(CreatedIn(object), now)};
}

std::vector<Cell> JobRow(const Json& job, absl::Time now) {
  const Json& spec = job["spec"];
  const Json& status = job["status"];
  return {{std::string(NameIn(job))},
          PhaseCell(status.At({"state", "phase"})),
          TextCell(spec["queue"]),
          CountCell(spec["minAvailable"]),
          CountCell(status["pending"]),
          CountCell(status["running"]),
          CountCell(status["succeeded"]),
          CountCell(status["failed"]),
          AgeCell(job, now),
          TextCell(spec["schedulerName"]),
          TextCell(spec["priorityClassName"]),
          CountCell(status["retryCount"])};
}

std::vector<Cell> QueueRow(const Json& queue, absl::Time now) {
  const Json& status = queue["status"];
  return {{std::string(NameIn(queue))},         PhaseCell(status["state"]),
          TextCell(queue["spec"]["parent"]),    CountCell(queue["spec"]["weight"]),
          CountCell(status["inqueue"]),         CountCell(status["pending"]),
          CountCell(status["running"]),         AgeCell(queue, now),
          TextCell(status["allocated"]["cpu"]), TextCell(status["allocated"]["memory"])};
}

std::vector<Cell> PodRow(const Json& pod, absl::Time now) {
  const PodState state = StateOf(pod);
  return {{std::string(NameIn(pod))},
          {StrCat(state.ready, "/", state.containers)},
          {state.status, ToneOf(state.status)},
          {RestartsText(state, now)},
          AgeCell(pod, now),
          TextCell(pod["status"]["podIP"]),
          TextCell(pod["spec"]["nodeName"])};
}

Column Number(const char* title) {
  return {title, Align::kRight};
}

Column Wide(const char* title) {
  return {title, Align::kLeft, true, 1};
}

}  // namespace

TableView JobView() {
  return {{{"NAME"},
           {"PHASE"},
           {"QUEUE"},
           Number("MIN"),
           Number("PENDING"),
           Number("RUNNING"),
           Number("SUCCEEDED"),
           Number("FAILED"),
           {"AGE"},
           Wide("SCHEDULER"),
           Wide("PRIORITY-CLASS"),
           Wide("RETRIES")},
          JobRow};
}

TableView QueueView() {
  return {{{"NAME"},
           {"STATE"},
           {"PARENT"},
           Number("WEIGHT"),
           Number("INQUEUE"),
           Number("PENDING"),
           Number("RUNNING"),
           {"AGE"},
           Wide("CPU"),
           Wide("MEMORY")},
          QueueRow};
}

TableView PodView() {
  return {{{"NAME"}, {"READY"}, {"STATUS"}, {"RESTARTS"}, {"AGE"}, Wide("IP"), Wide("NODE")},
          PodRow};
}

TableView JobFlowView() {
  return {{{"NAME"}, {"PHASE"}, {"AGE"}}, [](const Json& flow, absl::Time now) {
            return std::vector<Cell>{{std::string(NameIn(flow))},
                                     PhaseCell(flow.At({"status", "state", "phase"})),
                                     AgeCell(flow, now)};
          }};
}

TableView JobTemplateView() {
  return PlainView();
}

}  // namespace bth::cli
