// Schemas of what is written as Kubernetes' own kinds are: from the messages of api/types/protobuf,
// which know the names and types of all their fields. Private to this folder's .cc files.
#pragma once

#include <span>
#include <string_view>

#include "api/types/json.h"

namespace bth::types::crd {

// What one field of a message is for: "PodSpec.containers". Fields that are inlined belong to the
// message that has them. Most fields have no text: Kubernetes describes them.
struct MessageDoc {
  std::string_view field;
  std::string_view text;
};
std::span<const MessageDoc> PodDocs();

// The object of a message such as "core.PodSpec", in types alone: nothing is required or limited,
// null says nothing, fields that nobody here knows are kept at every depth.
Json MessageSchema(std::string_view message);

// A whole number or a text, as Kubernetes marks it.
void AllowNumberAndText(Json* schema);
// An amount such as 500m or 4Gi.
void AllowQuantity(Json* schema);

}  // namespace bth::types::crd
