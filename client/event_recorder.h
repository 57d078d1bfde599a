// Writes Kubernetes events (core v1), after everything that matters more.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_correlator.h"
#include "client/parking.h"

namespace bth::client {

// What became of an event, or of an attempt to send it.
enum class EventFate : uint8_t {
  kSent,
  kRetried,
  kFailed,    // Refused by the server, or given up.
  kFiltered,  // Its object had its share.
  kOverflow,  // The queue was full.
};

struct EventRecorderOptions {
  std::string component;  // source.component and reportingComponent
  std::string host;
  EventCorrelator::Limits limits;
  size_t queue_max = 20'000;  // Events waiting; further new ones are dropped.
  size_t known_max = 4096;    // Sent events remembered, so that repeats are counted.
  // And how long after the last repeat. Servers keep them for an hour.
  absl::Duration known_age_max = absl::Hours(2);
  // Requests side by side: N events need N x latency / senders, whatever the server's latency is.
  int senders = 16;
  int attempts_max = 5;
  // Pauses between attempts at one event, doubling up to the second, unless the server says how
  // long.
  std::pair<absl::Duration, absl::Duration> retry = {absl::Seconds(1), absl::Seconds(30)};
  // The longest pause of all, when the server turns everybody away (429).
  absl::Duration busy_pause_max = absl::Seconds(10);
  // May events go out now? Asked before each one; empty: always. While it says no, it is asked
  // again after `gate_period` or at once after Wake.
  std::function<bool()> gate;
  absl::Duration gate_period = absl::Milliseconds(100);
  std::function<void(EventFate)> on_fate;  // For metrics. May be empty.
};

struct EventRecorderCounters {
  uint64_t recorded = 0;
  uint64_t created = 0;   // POSTs that succeeded.
  uint64_t counted = 0;   // PATCHes that raised a count.
  uint64_t merged = 0;    // Repeats that joined an event still waiting.
  uint64_t filtered = 0;  // The object had its share.
  uint64_t overflow = 0;  // The queue was full.
  uint64_t failed = 0;    // Refused by the server, or given up.
};

// Record never waits and never fails: events are advice. Repeats raise the count of the event on
// the server. Events wait for the rate limit behind all other requests. One that fails waits by
// itself for its next attempt. Destruction drops what waits. `api` and `rng` outlive it.
// Thread: the executor's.
class EventRecorder final {
 public:
  EventRecorder(ApiClient& api, Rng& rng, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  ~EventRecorder();

  void Record(const EventObject& object, EventText text);
  // The gate may have opened.
  void Wake();

  size_t waiting() const { return queue_.size() + parked_.size(); }
  // What is kept of the past.
  size_t remembered() const { return known_order_.size() + correlator_.remembered(); }
  bool idle() const { return waiting() == 0 && busy_ == 0; }
  const EventRecorderCounters& counters() const { return counters_; }

 private:
  struct Words {
    EventObject object;
    EventText text;
  };
  // Most are known: there are thousands, kept for hours, and what recording them again tells anew
  // would take most of their memory, in pieces between what lives for moments.
  struct Event {
    std::string key;
    std::unique_ptr<Words> words;  // Null: known.
    int64_t name_ns = 0;           // See NameOf; 0: not yet on the server.
    int64_t count = 0;
    absl::Time first;
    absl::Time last;
    int attempts = 0;  // That failed, in a row.
    bool queued = false;
    bool sending = false;  // Or parked.
    bool changed = false;  // Recorded again while it was being sent.
    std::list<Event*>::iterator known_at;
    bool known = false;  // In `known_order_`: idle, may be forgotten.
  };

  Event* FindOrAdd(const std::string& key);
  void Enqueue(Event* event);
  bool open() const { return pause_ == 0 && (!options_.gate || options_.gate()); }
  void AskGateLater();
  void Settle(Event* event, bool exists);
  void Sent(Event* event, bool existed, const absl::Status& status);
  void Requeue(Event* event);
  absl::Duration PauseOf(const Event& event, const absl::Status& status);
  void NoteBusy(const Event& event, absl::Duration delay);
  void Tell(EventFate fate) const;
  net::Awaitable<void> SendLoop();
  net::Awaitable<void> WaitForWork();
  // An exception counts as a failure.
  net::Awaitable<absl::Status> Send(Event* event);
  // One POST or PATCH of what the event is now.
  net::Awaitable<absl::Status> SendOnce(Event* event);
  int64_t NewName();
  static std::string NameOf(const Event& event);
  ApiRequest CreateRequest(const Event& event, types::Encoding encoding) const;

  ApiClient& api_;
  Rng& rng_;
  const EventRecorderOptions options_;
  EventCorrelator correlator_;
  absl::flat_hash_map<std::string_view, std::unique_ptr<Event>> events_;  // By their own keys.
  std::deque<Event*> queue_;
  Parking<Event*> parked_;
  std::list<Event*> known_order_;  // Longest idle first.
  std::vector<net::Promised<bool>> waiting_;
  net::Executor::TimerId gate_timer_ = 0;  // When the closed gate is asked again.
  net::Executor::TimerId pause_ = 0;       // While the server turns everybody away: its end.
  std::string busy_key_;                   // The last event turned away, until something succeeds.
  int busy_ = 0;
  int64_t last_name_ns_ = 0;
  EventRecorderCounters counters_;
  std::vector<std::unique_ptr<Background>> senders_;
};

}  // namespace bth::client
