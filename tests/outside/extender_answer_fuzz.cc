// Any bytes as an extender's answer: no crash, and what is accepted is within its limits.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/extender/answers.h"

namespace {

void CheckReason(const absl::Status& status) {
  BTH_CHECK(status.ok() || !status.message().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::scheduler::extender;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto filter = ParseFilter(text);
  if (filter.ok()) BTH_CHECK(filter->status.size() <= 1024);
  CheckReason(filter.status());
  if (const auto scores = ParseScores(text); scores.ok()) {
    for (const auto& [node, score] : scores->scores) BTH_CHECK(std::abs(score) <= 1e9);
  }
  CheckReason(ParseVictims(text).status());
  if (const auto vote = ParseVote(text); vote.ok()) BTH_CHECK(*vote >= -1 && *vote <= 1);
  CheckReason(ParseReady(text).status());
  CheckReason(ParseOverused(text).status());
  CheckReason(ParseEvent(text));
  // Every other reader understands at least an object.
  if (filter.ok()) BTH_CHECK(ParseAcknowledgement(text).ok());
  return 0;
}
