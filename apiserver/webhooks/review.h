// AdmissionReviews: what is sent to a webhook, and what its answer says. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

// The texts of one request; the objects are shared by all webhooks that see the same version.
struct ReviewTexts {
  std::string request;  // RequestJson without uid and objects, as compact JSON.
  std::string object;   // "null" where there is none.
  std::string old_object;
};
// `beta` asks in v1beta1.
std::string ReviewBody(const ReviewTexts& texts, std::string_view uid, bool beta);

struct ReviewAnswer {
  bool allowed = false;
  Json status;  // Of a refusal, as the webhook gave it; null: it gave none.
  std::optional<Json> patch;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;
};
struct ReviewExpectation {
  std::string_view uid;
  bool beta = false;
  bool mutating = false;
  std::string_view content_type = {};  // Of the answer: texts are shown when it is no success.
};
// What went wrong with an answer, as messages call it.
struct AnswerFault {
  std::string stage;  // "failed to call webhook", "received invalid webhook response" ...
  std::string why;
  std::string Text() const;
};

// Reads the answer of a webhook; exactly one of the two is set.
struct ReadAnswer {
  std::optional<ReviewAnswer> answer;
  AnswerFault fault;
};
ReadAnswer ReadReview(int http_code, std::string_view body, const ReviewExpectation& expected);

// The refusal that a webhook of that name asked for.
absl::Status RefusalOf(std::string_view webhook, const ReviewAnswer& answer);

constexpr size_t kAnswerBytesMax = size_t{8} << 20;
// Of one answer; more are left out.
constexpr size_t kAnswerNotesMax = 100;

}  // namespace bth::apiserver
