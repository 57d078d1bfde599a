// Reads bodies that typed Go clients send as protobuf by default. Answers are always JSON, which
// those clients accept.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/protobuf/wire.h"

namespace bth::apiserver {

inline constexpr std::string_view kProtobufType = types::kProtobufMediaType;

// The object in its envelope ("k8s\0" and a runtime.Unknown), with kind and apiVersion.
// Errors: kInvalidArgument: not such a message, a kind without a known schema, or too deep.
absl::StatusOr<types::Json> DecodeProtobuf(std::string_view body);

}  // namespace bth::apiserver
