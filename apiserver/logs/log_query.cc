#include "apiserver/logs/log_query.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "api/types/time.h"
#include "apiserver/rest/errors.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

std::string ContainerNames(const Json& containers) {
  std::vector<std::string> names;
  for (const Json& container : containers.items()) names.emplace_back(container["name"].AsString());
  return absl::StrJoin(names, " ");
}

bool HasContainer(const Json& spec, std::string_view name) {
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const Json& container : spec[list].items()) {
      if (container["name"].AsString() == name) return true;
    }
  }
  return false;
}

const Json& StatusOfContainer(const Json& pod, std::string_view name) {
  static const Json none;
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& status : pod["status"][list].items()) {
      if (status["name"].AsString() == name) return status;
    }
  }
  return none;
}

// The runs that a status tells of, each by the restarts before it.
struct Runs {
  std::optional<int64_t> current;  // It runs, or has ended for good.
  std::optional<int64_t> last;     // The one before it, or before the pause.
};

Runs RunsIn(const Json& status) {
  const int64_t restarts = status["restartCount"].AsInt();
  const Json& state = status["state"];
  Runs runs;
  if (state["running"].is_object() || state["terminated"].is_object()) runs.current = restarts;
  // A restart is counted when it happens, not when the container waits for it.
  if (status.At({"lastState", "terminated"}).is_object()) {
    runs.last = runs.current ? restarts - 1 : restarts;
  }
  return runs;
}

std::vector<Cause> ProblemsOf(const LogQuery& query, std::optional<int64_t> since_seconds,
                              bool has_since_time) {
  std::vector<Cause> causes;
  if (query.tail_lines && *query.tail_lines < 0) {
    causes.push_back(
        FieldInvalid("tailLines", Json(*query.tail_lines), "must be greater than or equal to 0"));
  }
  if (query.limit_bytes && *query.limit_bytes < 1) {
    causes.push_back(
        FieldInvalid("limitBytes", Json(*query.limit_bytes), "must be greater than 0"));
  }
  if (since_seconds && has_since_time) {
    causes.push_back(
        FieldForbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (since_seconds && *since_seconds < 1) {
    causes.push_back(FieldInvalid("sinceSeconds", Json(*since_seconds), "must be greater than 0"));
  }
  return causes;
}

}  // namespace

absl::StatusOr<LogQuery> ReadLogQuery(const ApiRequest& request, absl::Time now) {
  LogQuery query;
  query.container = request.target.Query("container");
  BTH_ASSIGN_OR_RETURN(query.follow, QueryBool(request.target, "follow"));
  BTH_ASSIGN_OR_RETURN(query.previous, QueryBool(request.target, "previous"));
  BTH_ASSIGN_OR_RETURN(query.timestamps, QueryBool(request.target, "timestamps"));
  BTH_ASSIGN_OR_RETURN(query.tail_lines, QueryInt(request.target, "tailLines"));
  BTH_ASSIGN_OR_RETURN(query.limit_bytes, QueryInt(request.target, "limitBytes"));
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> seconds,
                       QueryInt(request.target, "sinceSeconds"));
  const std::string_view since = request.target.Query("sinceTime");
  const std::vector<Cause> causes = ProblemsOf(query, seconds, !since.empty());
  if (!causes.empty()) return Invalid({"", "", "PodLogOptions", request.name}, causes);
  if (seconds) query.since = now - absl::Seconds(*seconds);
  if (!since.empty()) {
    const absl::StatusOr<absl::Time> time = types::ParseTimestamp(since);
    if (!time.ok()) return BadRequest(StrCat("sinceTime: ", ToStd(time.status().message())));
    query.since = *time;
  }
  return query;
}

absl::StatusOr<std::string> ChooseContainer(const Json& pod, const LogQuery& query) {
  const Json& spec = pod["spec"];
  const std::string_view name = pod.At({"metadata", "name"}).AsString();
  if (!query.container.empty()) {
    if (HasContainer(spec, query.container)) return query.container;
    return BadRequest(StrCat("container ", query.container, " is not valid for pod ", name));
  }
  const auto& containers = spec["containers"].items();
  if (containers.size() == 1) return std::string(containers[0]["name"].AsString());
  std::string why = StrCat("a container name must be specified for pod ", name,
                           ", choose one of: [", ContainerNames(spec["containers"]), "]");
  if (!spec["initContainers"].empty()) {
    StrAppend(&why, " or one of the init containers: [", ContainerNames(spec["initContainers"]),
              "]");
  }
  return BadRequest(why);
}

absl::StatusOr<LoggedRunKey> ChooseRun(const Json& pod, const std::string& container,
                                       bool previous) {
  const std::string what = StrCat("container \"", container, "\" in pod \"",
                                  pod.At({"metadata", "name"}).AsString(), "\"");
  const Json& status = StatusOfContainer(pod, container);
  const Runs runs = RunsIn(status);
  if (previous) {
    if (runs.last) return LoggedRunKey{container, *runs.last};
    return BadRequest(StrCat("previous terminated ", what, " not found"));
  }
  // Between two runs the former one is what there is to be seen.
  const std::optional<int64_t> shown = runs.current ? runs.current : runs.last;
  if (shown) return LoggedRunKey{container, *shown};
  if (status.is_null()) return BadRequest(StrCat(what, " is not available"));
  return BadRequest(
      StrCat(what, " is waiting to start: ", status.At({"state", "waiting", "reason"}).AsString()));
}

RunPlace PlaceOf(const Json& pod, const LoggedRunKey& run) {
  const Json& status = StatusOfContainer(pod, run.container);
  const Runs runs = RunsIn(status);
  if (runs.current == run.restarts) {
    return status.At({"state", "running"}).is_object() ? RunPlace::kCurrent : RunPlace::kEnded;
  }
  return runs.last == run.restarts ? RunPlace::kPrevious : RunPlace::kGone;
}

}  // namespace bth::apiserver
