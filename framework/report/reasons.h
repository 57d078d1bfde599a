// Why a node is turned down: short ids in the loops, texts at the edge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace bth::framework {

// Codes of kube-scheduler statuses; the numbers are seen by extenders.
enum class FitCode : uint8_t {
  kSuccess = 0,
  kError = 1,
  kUnschedulable = 2,  // May fit after evictions; further filters are still asked.
  kUnresolvable = 3,   // No eviction helps (UnschedulableAndUnresolvable).
  kWait = 4,
  kSkip = 5,
};

// 0 means "fits". Valid in one session.
using ReasonId = uint16_t;
inline constexpr ReasonId kFits = 0;

// Reasons of a session, registered at its opening and constant afterwards.
// Thread: scheduling while the session opens, then any.
class ReasonTable {
 public:
  ReasonTable() : entries_(1) {}

  // The same (code, text) gives the same id.
  ReasonId Register(FitCode code, std::string_view text);
  // Of nodes that lack the resource in this dimension, beginning with 0. When another session has
  // another resource there, the id has its text from then on: names of outside objects must not add
  // up. Registered in order, nobody else's.
  ReasonId RegisterLack(size_t dimension, std::string_view text);
  // A reason that names an object, as found by a filter of the present session; forgotten when the
  // next one begins, so that it must not be kept. When there are too many of them, `general` is
  // returned instead. Thread: scheduling.
  ReasonId Describe(FitCode code, std::string_view text, ReasonId general);
  // Before a session registers its reasons.
  void BeginSession();
  FitCode code(ReasonId id) const { return entries_[id].code; }
  const std::string& text(ReasonId id) const { return entries_[id].text; }
  // Unresolvable, error, wait and skip end the evaluation of a node.
  bool Aborts(ReasonId id) const {
    return id != kFits && entries_[id].code != FitCode::kUnschedulable;
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    FitCode code = FitCode::kSuccess;
    std::string text;
  };
  std::vector<Entry> entries_;
  size_t lasting_ = 1;           // Of the entries, those that were registered.
  std::vector<ReasonId> lacks_;  // By dimension.
  absl::flat_hash_map<std::string, ReasonId> described_;  // By code and text.
};

}  // namespace bth::framework
