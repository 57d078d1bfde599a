// What events are about: objects by their keys, "namespace/name".
#pragma once

#include <string>
#include <string_view>

#include "client/event_recorder.h"

namespace bth::cache {

client::EventObject PodObject(const std::string& key, std::string_view uid);
client::EventObject PodGroupObject(const std::string& key, std::string_view uid);
client::EventObject QueueObject(const std::string& name, std::string_view uid);

}  // namespace bth::cache
