// What extenders answer, read strictly. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "framework/session/extender_port.h"

namespace bth::scheduler::extender {

// Answers larger than this are refused: with the words that clients of Go programs know.
inline constexpr size_t kAnswerBytesMax = size_t{10} << 20;

// Names of fields compare without case, unknown ones are skipped, null stands for zero or empty. A
// value of a wrong type is kInvalidArgument that names the field.
struct ScoreReply {
  std::vector<std::pair<std::string, double>> scores;  // By node name, each once.
};
struct VictimReply {
  int64_t status = 0;
  std::vector<std::string> uids;
};
absl::StatusOr<framework::ExtenderPort::FilterAnswer> ParseFilter(std::string_view text);
absl::StatusOr<ScoreReply> ParseScores(std::string_view text);
absl::StatusOr<VictimReply> ParseVictims(std::string_view text);
// {"status": int}; -1, 0 or 1 by its sign.
absl::StatusOr<int64_t> ParseVote(std::string_view text);
absl::StatusOr<bool> ParseReady(std::string_view text);     // {"status": bool}
absl::StatusOr<bool> ParseOverused(std::string_view text);  // {"overused": bool}
// {"errorMessage": ""}; a message becomes kAborted.
absl::Status ParseEvent(std::string_view text);
// Any JSON object.
absl::Status ParseAcknowledgement(std::string_view text);

}  // namespace bth::scheduler::extender
