#include "scheduler/extender/answers.h"

#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::scheduler::extender {
namespace {

using types::Json;

// Far beyond every weighted score, far below what sums of doubles lose.
constexpr double kScoreMax = 1e9;
// Of a text that people will read.
constexpr size_t kMessageBytesMax = 1024;

absl::StatusOr<Json> ParseObject(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(Json json, Json::Parse(text, {.bytes_max = kAnswerBytesMax}));
  if (!json.is_object()) return absl::InvalidArgumentError("the answer is not a JSON object");
  return json;
}

// The exact name first. Null when absent.
const Json& Field(const Json& object, std::string_view name) {
  if (const Json* exact = object.Find(name)) return *exact;
  for (const auto& [key, value] : object.members()) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return object[name];
}

absl::Status WrongType(std::string_view field, std::string_view wanted, const Json& value) {
  return absl::InvalidArgumentError(
      StrCat(field, ": expected ", wanted, ", got ", value.TypeName()));
}

absl::StatusOr<int64_t> IntField(const Json& object, std::string_view name) {
  const Json& value = Field(object, name);
  if (!value.is_null() && !value.is_int()) return WrongType(name, "integer", value);
  return value.AsInt();
}

absl::StatusOr<bool> BoolField(const Json& object, std::string_view name) {
  const Json& value = Field(object, name);
  if (!value.is_null() && !value.is_bool()) return WrongType(name, "boolean", value);
  return value.AsBool();
}

absl::StatusOr<std::string> TextField(const Json& object, std::string_view name) {
  const Json& value = Field(object, name);
  if (!value.is_null() && !value.is_string()) return WrongType(name, "string", value);
  return std::string(value.AsString().substr(0, kMessageBytesMax));
}

}  // namespace

absl::StatusOr<framework::ExtenderPort::FilterAnswer> ParseFilter(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  framework::ExtenderPort::FilterAnswer out;
  BTH_ASSIGN_OR_RETURN(out.status, TextField(json, "status"));
  BTH_ASSIGN_OR_RETURN(out.code, IntField(json, "code"));
  return out;
}

absl::StatusOr<ScoreReply> ParseScores(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  BTH_ASSIGN_OR_RETURN(const std::string error, TextField(json, "errorMessage"));
  if (!error.empty()) return absl::AbortedError(error);
  const Json& scores = Field(json, "nodeScore");
  if (!scores.is_object()) return WrongType("nodeScore", "object", scores);
  std::map<std::string, double> by_node;
  for (const auto& [node, score] : scores.members()) {
    if (!score.is_number()) return WrongType("nodeScore", "numbers", score);
    const double value = score.AsDouble();
    if (!std::isfinite(value) || std::abs(value) > kScoreMax) {
      return absl::InvalidArgumentError("nodeScore: a score is beyond 1e9");
    }
    by_node[node] = value;
  }
  return ScoreReply{.scores = {by_node.begin(), by_node.end()}};
}

absl::StatusOr<VictimReply> ParseVictims(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  VictimReply out;
  BTH_ASSIGN_OR_RETURN(out.status, IntField(json, "status"));
  const Json& victims = Field(json, "victims");
  if (!victims.is_null() && !victims.is_array()) return WrongType("victims", "list", victims);
  for (const Json& victim : victims.items()) {
    if (!victim.is_object()) return WrongType("victims", "tasks", victim);
    const Json& uid = Field(victim, "UID");
    if (!uid.is_string()) return WrongType("victims.UID", "string", uid);
    out.uids.emplace_back(uid.AsString());
  }
  return out;
}

absl::StatusOr<int64_t> ParseVote(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  BTH_ASSIGN_OR_RETURN(const int64_t status, IntField(json, "status"));
  return status > 0 ? 1 : (status < 0 ? -1 : 0);
}

absl::StatusOr<bool> ParseReady(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  return BoolField(json, "status");
}

absl::StatusOr<bool> ParseOverused(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  return BoolField(json, "overused");
}

absl::Status ParseEvent(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  BTH_ASSIGN_OR_RETURN(const std::string error, TextField(json, "errorMessage"));
  return error.empty() ? absl::OkStatus() : absl::AbortedError(error);
}

absl::Status ParseAcknowledgement(std::string_view text) {
  return ParseObject(text).status();
}

}  // namespace bth::scheduler::extender
