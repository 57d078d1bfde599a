// What GET pods/NAME/log asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// PodLogOptions.
struct LogQuery {
  std::string container;  // Empty: the only one.
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<absl::Time> since;
  std::optional<int64_t> tail_lines;
  std::optional<int64_t> limit_bytes;
};

// `now`: for what is said in seconds. Errors: 400 for what cannot be read, 422 for what must not
// be.
absl::StatusOr<LogQuery> ReadLogQuery(const ApiRequest& request, absl::Time now);

// A run of a container in the status of its pod. Runs are told apart by how often it restarted
// before them.
struct LoggedRunKey {
  std::string container;
  int64_t restarts = 0;
};

// The container that is meant. Errors: 400 where there are several and none is named, and where the
// pod has none of that name.
absl::StatusOr<std::string> ChooseContainer(const Json& pod, const LogQuery& query);

// Its run. Errors: 400 where it has not run.
absl::StatusOr<LoggedRunKey> ChooseRun(const Json& pod, const std::string& container,
                                       bool previous);

// Where the run stands in the status by now.
enum class RunPlace { kCurrent, kEnded, kPrevious, kGone };
RunPlace PlaceOf(const Json& pod, const LoggedRunKey& run);

}  // namespace bth::apiserver
