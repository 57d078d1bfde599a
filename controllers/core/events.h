// What controllers tell about objects.
#pragma once

#include <string>
#include <utility>

#include "client/event_object.h"
#include "client/event_recorder.h"

namespace bth::controllers {

template <typename T>
void RecordEvent(client::EventRecorder& events, const T& object, client::EventText text) {
  events.Record(client::EventObjectOf(object), std::move(text));
}

template <typename T>
void Tell(client::EventRecorder& events, const T& object, std::string reason, std::string message) {
  RecordEvent(events, object, {"Normal", std::move(reason), std::move(message)});
}

template <typename T>
void Warn(client::EventRecorder& events, const T& object, std::string reason, std::string message) {
  RecordEvent(events, object, {"Warning", std::move(reason), std::move(message)});
}

}  // namespace bth::controllers
