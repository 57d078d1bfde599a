// Values for objects: mostly sane ones, and now and then what nobody expects.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "api/types/json.h"
#include "base/rng.h"

namespace bth::hostile {

using types::Json;

// Names come from small pools, so that objects meet: what one names exists, or did, or never will.
// Thread: one.
class Dice {
 public:
  // `hostility`: the part of values that are hostile, of 1.
  Dice(uint64_t seed, double hostility) : rng_(seed), hostility_(hostility) {}

  Rng& rng() { return rng_; }
  bool Chance(double probability) { return rng_.Chance(probability); }
  bool Evil() { return rng_.Chance(hostility_); }
  size_t Below(size_t bound) { return rng_.Below(bound); }
  std::string_view OneOf(std::initializer_list<std::string_view> words);
  // "<stem>0" … "<stem>(count - 1)"; the last one is never made.
  std::string NameOf(std::string_view stem, size_t count);

  // Within [low, high], or a number that hardly anybody reckons with.
  Json Count(int64_t low, int64_t high);
  // One of `words`, or a word that is none of them.
  Json Word(std::initializer_list<std::string_view> words);
  Json Text();
  // Amounts of a resource as text, or as a number.
  Json Amount(std::initializer_list<std::string_view> sane);
  // CPU, memory, and sometimes devices, disk space or names that nobody knows.
  Json Resources();
  Json Time();
  Json Labels();
  std::string LabelKey();
  Json LabelValue();
  // metav1.LabelSelector.
  Json LabelSelector();
  // A value of any type, up to `depth` levels deep.
  Json Anything(int depth);
  // Some values anywhere in `object` become something else, vanish, or are there twice.
  void Spoil(Json* object);

 private:
  void SpoilOne(Json* value, int depth);

  Rng rng_;
  const double hostility_;
};

}  // namespace bth::hostile
