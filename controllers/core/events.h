// What controllers tell about objects.
#pragma once

#include <string>
#include <utility>

#include "base/strings.h"
#include "client/event_object.h"
#include "client/event_recorder.h"
#include "controllers/core/object_store.h"

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

// What is said of an object that cannot be read: where, and that this is to be mended.
template <typename T>
std::string UnreadableText(const Unreadable<T>& object) {
  return StrCat("the ", types::ResourceTraits<T>::type().kind, " cannot be read, ",
                object.why.message(), ": mend that field");
}

template <typename T>
void WarnUnreadable(client::EventRecorder& events, const Unreadable<T>& object) {
  if (object.key.name.empty()) return;
  events.Record(client::EventObjectOf(types::ResourceTraits<T>::type(), object.key),
                {"Warning", "Unreadable", UnreadableText(object)});
}

}  // namespace bth::controllers
