// Objects by their keys, "namespace/name".
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "client/event_recorder.h"

namespace bth::cache {

// Namespace and name.
std::pair<std::string, std::string> SplitKey(const std::string& key);

// What an event is about.
client::EventObject PodObject(const std::string& key, std::string_view uid);
client::EventObject PodGroupObject(const std::string& key, std::string_view uid);

}  // namespace bth::cache
