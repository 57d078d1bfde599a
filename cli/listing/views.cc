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

Cell AgeCell(const Json& object, const TimeStyle& times) {
  return {TimeText(CreatedIn(object), times)};
}

std::vector<Cell> JobRow(const Json& job, const TimeStyle& times) {
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
          AgeCell(job, times),
          TextCell(spec["schedulerName"]),
          TextCell(spec["priorityClassName"]),
          CountCell(status["retryCount"])};
}

std::vector<Cell> QueueRow(const Json& queue, const TimeStyle& times) {
  const Json& status = queue["status"];
  return {{std::string(NameIn(queue))},         PhaseCell(status["state"]),
          TextCell(queue["spec"]["parent"]),    CountCell(queue["spec"]["weight"]),
          CountCell(status["inqueue"]),         CountCell(status["pending"]),
          CountCell(status["running"]),         AgeCell(queue, times),
          TextCell(status["allocated"]["cpu"]), TextCell(status["allocated"]["memory"])};
}

std::vector<Cell> PodRow(const Json& pod, const TimeStyle& times) {
  const PodState state = StateOf(pod);
  return {{std::string(NameIn(pod))},
          {StrCat(state.ready, "/", state.containers)},
          {state.status, ToneOf(state.status)},
          {RestartsText(state, times.now)},
          AgeCell(pod, times),
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
  return {{{"NAME"}, {"PHASE"}, {"AGE"}}, [](const Json& flow, const TimeStyle& times) {
            return std::vector<Cell>{{std::string(NameIn(flow))},
                                     PhaseCell(flow.At({"status", "state", "phase"})),
                                     AgeCell(flow, times)};
          }};
}

TableView JobTemplateView() {
  return PlainView();
}

}  // namespace bth::cli
