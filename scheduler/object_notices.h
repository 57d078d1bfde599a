// Tells on objects why they are not taken as they stand, once.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "client/event_recorder.h"
#include "metrics/scheduler_metrics.h"

namespace bth::scheduler {

// A Warning event and a log line per fault: when it comes up, when its text changes, and when it
// comes up again after it was mended. What nobody may tell yet waits: a standby writes nothing.
// Faults beyond kNoticesMax are counted and not told. Thread: I/O.
class ObjectNotices {
 public:
  static constexpr size_t kNoticesMax = 10'000;

  // `metrics` may be null, and outlives it.
  explicit ObjectNotices(metrics::SchedulerMetrics* metrics) : metrics_(metrics) {}

  // `reason` is that of the event, and the fault's name among those of the object.
  void Put(const client::EventObject& object, std::string_view reason, std::string message);
  void Mended(const client::EventObject& object, std::string_view reason);
  // The object is no more, and its faults with it.
  void Gone(const client::EventObject& object);

  bool empty() const { return notices_.empty(); }
  bool waiting() const { return !waiting_.empty(); }
  // Tells what waits and `may_tell` allows.
  void Tell(client::EventRecorder& events,
            const std::function<bool(const client::EventObject&)>& may_tell);

 private:
  // Kind, namespace, name, reason.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  struct Notice {
    client::EventObject object;
    std::string message;
  };
  static Key KeyOf(const client::EventObject& object, std::string_view reason);

  metrics::SchedulerMetrics* const metrics_;
  std::map<Key, Notice> notices_;
  std::set<Key> waiting_;
};

}  // namespace bth::scheduler
