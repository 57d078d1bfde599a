// What follows from a violated invariant: stopped writes, a record, a mirror built anew.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/json.h"
#include "cache/writes/write_stops.h"
#include "framework/session/invariants.h"

namespace bth::scheduler {

// One violation, by names.
struct InvariantRecord {
  absl::Time at;
  std::string session;
  uint64_t generation = 0;  // Of the snapshot.
  std::string invariant;
  std::string detail;
  std::string node;          // Empty: none is concerned.
  std::string queue;         // Empty: none is concerned.
  int64_t held_back = 0;     // Bindings and evictions of that cycle that were not written.
  int64_t times = 1;         // Seen in so many checks before the mirror was built anew.
  absl::Duration read_anew;  // So long afterwards the cluster is read anew.

  types::Json ToJson() const;
};

// The names of what `violation`, found in `session`, concerns.
InvariantRecord MakeRecord(const framework::Session& session, const framework::Violation& violation,
                           absl::Time now);
// Adds the record's stop.
void AddStop(const InvariantRecord& record, cache::WriteStops* stops);

struct InvariantGuardOptions {
  // The first violation reads the cluster anew at once; further ones after `backoff_initial`,
  // doubling up to `backoff_max`. Without a violation for `calm` it starts over.
  absl::Duration backoff_initial = absl::Seconds(1);
  absl::Duration backoff_max = absl::Minutes(5);
  absl::Duration calm = absl::Minutes(10);
  size_t records_max = 64;
};

// Violations of several checks before the mirror is built anew count as one. The stops of a
// violation stay until then; afterwards every cycle is checked before anything of it is written,
// so that a violation that comes again writes nothing either.
// Thread: I/O. Times are monotonic.
class InvariantGuard {
 public:
  explicit InvariantGuard(InvariantGuardOptions options) : options_(options) {}

  void Note(std::vector<InvariantRecord> found, absl::Duration now);
  // Something was cut off halfway: the cluster is to be read anew, and the cycles after it are
  // checked. Nothing is stopped meanwhile.
  void Doubt(absl::Duration now);
  // The next cycle is to be checked before anything of it is written.
  bool suspicious(absl::Duration now) const;
  const cache::WriteStops& stops() const { return stops_; }
  // When the cluster is to be read anew; InfiniteDuration: not at all.
  absl::Duration rebuild_at() const { return rebuild_at_; }
  // The mirror is being built anew: writes may go on, on probation.
  void Rebuilt();
  int64_t rebuilds() const { return rebuilds_; }
  const std::deque<InvariantRecord>& records() const { return records_; }
  // The last records, newest first, and what is stopped.
  types::Json Page() const;

 private:
  absl::Duration NextDelay(absl::Duration now);

  const InvariantGuardOptions options_;
  cache::WriteStops stops_;
  absl::Duration rebuild_at_ = absl::InfiniteDuration();
  absl::Duration last_found_ = -absl::InfiniteDuration();
  int level_ = 0;  // Rebuilds that did not help, in a row.
  int64_t rebuilds_ = 0;
  std::deque<InvariantRecord> records_;  // Oldest first.
};

}  // namespace bth::scheduler
