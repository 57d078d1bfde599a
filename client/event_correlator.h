// Which Kubernetes events are worth sending, and which are repeats of earlier ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "client/lru.h"

namespace bth::client {

// The object an event is about.
struct EventObject {
  std::string api_version = "v1";
  std::string kind;
  std::string namespace_name;  // Empty: cluster-scoped; the event goes to "default".
  std::string name;
  std::string uid;
};

struct EventText {
  std::string type;  // "Normal" or "Warning".
  std::string reason;
  std::string message;
};

// The rules of client-go's correlator: more than ten different messages with the same object, type
// and reason within ten minutes are combined into one event, and each object gets 25 events at once
// and one more every five minutes. Memory is bounded by the number of objects remembered, and an
// object is remembered no longer than it makes a difference.
// Thread: one owner.
class EventCorrelator final {
 public:
  struct Limits {
    size_t objects_max = 4096;
    size_t similar_max = 10;
    absl::Duration similar_interval = absl::Minutes(10);
    double object_burst = 25;
    absl::Duration object_refill = absl::Minutes(5);  // One more event each.
  };

  explicit EventCorrelator(Limits limits)
      : limits_(limits), similar_(limits.objects_max), spam_(limits.objects_max) {}

  // Prefixes `text->message` when it is combined. The result is the identity of the event: equal
  // keys are one event that is counted.
  std::string Correlate(const EventObject& object, EventText* text, absl::Duration now);
  // False: this object has had its share. Called once for each event that would be sent.
  bool Admit(const EventObject& object, absl::Duration now);
  size_t remembered() const { return similar_.size() + spam_.size(); }

 private:
  struct Similar {
    absl::Duration last = -absl::InfiniteDuration();
    absl::InlinedVector<uint64_t, 2> messages;  // Digests; at most similar_max + 1.
  };
  struct Spam {
    bool known = false;
    double tokens = 0;
    absl::Duration filled_at;
  };

  const Limits limits_;
  Lru<Similar> similar_;
  Lru<Spam> spam_;
};

}  // namespace bth::client
