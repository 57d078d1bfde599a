// The documents around objects: list responses and watch events. Private to this folder's .cc
// files.
#pragma once

#include <string>

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

}  // namespace bth::types
