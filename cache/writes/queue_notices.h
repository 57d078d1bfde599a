// Tells on queue objects what is wrong with them, once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "client/event_recorder.h"
#include "framework/session/effects.h"

namespace bth::cache {

// A Warning event and a log line per notice, when it comes up or its text changes; one that was
// gone for a cycle is news again. Remembers the notices of the last report only. Thread: I/O.
class QueueNotices {
 public:
  explicit QueueNotices(client::EventRecorder& events) : events_(events) {}

  void Take(const framework::CycleReport& report);

 private:
  client::EventRecorder& events_;
  std::map<std::pair<std::string, std::string>, std::string> told_;  // By queue and reason.
};

}  // namespace bth::cache
