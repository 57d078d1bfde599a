// Documents in protobuf: an envelope around a message. Private to the .cc files of api/types.
#pragma once

#include <string_view>

#include "api/types/status_body.h"

namespace bth::types {

// Takes the envelope ("k8s\0" and a runtime.Unknown) off a document. False: it is none.
bool OpenProtobuf(std::string_view document, std::string_view* message);

// Reads a document of the kind Status. False: it is none.
bool ReadProtobufStatus(std::string_view document, StatusBody* body);

}  // namespace bth::types
