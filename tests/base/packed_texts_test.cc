#include "base/packed_texts.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace bth {
namespace {

std::vector<std::string> TextsOf(const PackedTexts& packed) {
  std::vector<std::string> out;
  packed.ForEach([&out](std::string_view text) { out.emplace_back(text); });
  return out;
}

TEST_CASE("packed texts: what goes in comes out, whatever its length", "[base][packed_texts]") {
  std::vector<std::string> texts;
  for (const size_t length : {0, 1, 127, 128, 129, 16'383, 16'384, 40'000}) {
    texts.push_back(std::string(length, 'x'));
    texts.push_back(std::string(length, '\0'));
  }
  const PackedTexts packed(std::vector<std::string_view>(texts.begin(), texts.end()));
  CHECK(TextsOf(packed) == texts);
  CHECK(packed.size() == texts.size());
  for (size_t i = 0; i < texts.size(); ++i) CHECK(packed[i] == texts[i]);
  CHECK(packed[texts.size()].empty());
}

TEST_CASE("packed texts: more than 127 of them keep their places", "[base][packed_texts]") {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i));
  const PackedTexts packed(std::vector<std::string_view>(texts.begin(), texts.end()));
  CHECK(TextsOf(packed) == texts);
}

TEST_CASE("packed texts: empty ones at the end take no memory", "[base][packed_texts]") {
  CHECK(sizeof(PackedTexts) == 8);
  CHECK(PackedTexts({"", "", ""}).empty());
  CHECK(PackedTexts({"", "a", ""}).size() == 2);
  CHECK(PackedTexts({"", "a", ""}) == PackedTexts({"", "a"}));
}

TEST_CASE("packed texts: equal means the same texts at the same places", "[base][packed_texts]") {
  CHECK(PackedTexts({"ab", "c"}) == PackedTexts({"ab", "c"}));
  CHECK_FALSE(PackedTexts({"ab", "c"}) == PackedTexts({"a", "bc"}));
  CHECK_FALSE(PackedTexts({"a"}) == PackedTexts({"", "a"}));
  CHECK_FALSE(PackedTexts({"a"}) == PackedTexts());
  CHECK(PackedTexts() == PackedTexts());
}

TEST_CASE("packed texts: a copy is apart from what it was copied from", "[base][packed_texts]") {
  PackedTexts first({"a", "b"});
  PackedTexts second = first;
  first = PackedTexts({"c"});
  CHECK(TextsOf(second) == std::vector<std::string>{"a", "b"});
  const PackedTexts third = std::move(second);
  CHECK(TextsOf(third) == std::vector<std::string>{"a", "b"});
  const PackedTexts none;
  const PackedTexts copy_of_none = none;
  CHECK(copy_of_none.empty());
}

}  // namespace
}  // namespace bth
