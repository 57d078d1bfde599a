// Chance that repeats itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace bth::controllers {

// Of an Rng whose names are to follow from a text, so that whoever makes them again after a crash
// makes the same. FNV-1a, 64 bits: it spreads seeds, and protects from nothing.
inline uint64_t SeedOf(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace bth::controllers
