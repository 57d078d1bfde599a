// Bodies that are sent in great numbers, in the encoding that the server takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/types/codec.h"
#include "client/api_client.h"
#include "client/event_correlator.h"

namespace bth::client {

// core/v1 Binding.
std::string BindingBody(const BindRequest& request, types::Encoding encoding);

// core/v1 Event. Times are told in whole seconds.
struct EventFields {
  std::string_view name;
  const EventObject& object;
  const EventText& text;
  std::string_view component;
  std::string_view host;
  absl::Time first;
  absl::Time last;
  int64_t count = 1;
};
std::string EventBody(const EventFields& event, types::Encoding encoding);
// As metadata.namespace of its events.
std::string_view EventNamespace(const EventObject& object);

}  // namespace bth::client
