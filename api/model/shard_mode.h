// Names of shard modes, as flags and files spell them.
#pragma once

#include <optional>
#include <string_view>

#include "api/model/node.h"

namespace bth::model {

inline std::string_view ShardModeName(ShardMode mode) {
  if (mode == ShardMode::kHard) return "hard";
  return mode == ShardMode::kSoft ? "soft" : "none";
}

// Nothing: it is none of them.
inline std::optional<ShardMode> ParseShardMode(std::string_view name) {
  for (const ShardMode mode : {ShardMode::kNone, ShardMode::kHard, ShardMode::kSoft}) {
    if (name == ShardModeName(mode)) return mode;
  }
  return std::nullopt;
}

}  // namespace bth::model
