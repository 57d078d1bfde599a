// The documents around objects: list responses and watch events. Private to this folder's .cc
// files.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/types/codec.h"
#include "api/types/decoder.h"
#include "api/types/status_body.h"
#include "api/types/type_ops.h"

namespace bth::types {

struct ListEnvelope {
  std::string resource_version;
  std::string continue_token;
  ItemsTarget items;
};
const TypeOps& ListEnvelopeOps();

struct EventEnvelope {
  std::string type;
  DynamicTarget object;
};
const TypeOps& EventEnvelopeOps();

bool IsEventType(std::string_view type);
// kInvalidArgument: what stands there is no type of an event.
absl::Status NotAnEvent(std::string_view type);
// Completes an event whose object was read; `error` is what was wrong with it.
void FinishEvent(const codec_internal::Resource& resource, const absl::Status& error,
                 codec_internal::EventTarget* target);

}  // namespace bth::types
