// In which encoding the API server answers.
#pragma once

#include <string_view>

#include "api/types/codec.h"
#include "api/types/protobuf/wire.h"
#include "net/http.h"

namespace bth::client {

inline constexpr char kAcceptJson[] = "application/json";
// What the server encodes at a third of the cost, and what it falls back to.
inline constexpr char kAcceptProtobuf[] = "application/vnd.kubernetes.protobuf,application/json";

// By the media type of the answer; what is not protobuf is taken for JSON.
inline types::Encoding EncodingOf(const net::Headers& headers) {
  std::string_view type = headers.Get("Content-Type");
  type = type.substr(0, type.find(';'));  // ";stream=watch"
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return type == types::kProtobufMediaType ? types::Encoding::kProtobuf : types::Encoding::kJson;
}

}  // namespace bth::client
