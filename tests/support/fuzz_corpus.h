// Runs a fuzzer's function over its corpus, and over damaged copies of it, in the ordinary suite.
//
// Fuzzers that meet in one test program get names of their own:
//
//   #define LLVMFuzzerTestOneInput FuzzThing
//   #include "tests/…/thing_fuzz.cc"
//   #undef LLVMFuzzerTestOneInput
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::test {

using FuzzFunction = int (*)(const uint8_t* data, size_t size);

// Replaces, removes, doubles or inserts some bytes, up to four times.
inline std::string Damaged(std::string text, Rng& rng) {
  using std::literals::operator""sv;
  static constexpr std::string_view kBytes =
      "\"'{}[]:,;0129-.eEKiatn\\u \n\t&#\0\xFF\xED=!()<>*/"sv;
  for (uint64_t steps = 1 + rng.Below(4); steps > 0 && !text.empty(); --steps) {
    const size_t at = rng.Below(text.size());
    const size_t count = 1 + rng.Below(std::min<size_t>(text.size() - at, 8));
    switch (rng.Below(4)) {
      case 0:
        text[at] = kBytes[rng.Below(kBytes.size())];
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, text.substr(at, count));
        break;
      default:
        text.insert(at, 1, kBytes[rng.Below(kBytes.size())]);
    }
  }
  return text;
}

// Runs each file of `corpus`/NAME beside the folder of `test_file` (__FILE__) as it is, cut off at
// up to 200 places, and `damages` times damaged; returns the number of files. A crash, or an answer
// other than 0, fails the test.
inline int RunCorpus(const std::string& test_file, const std::string& name, FuzzFunction run,
                     int damages = 300) {
  const auto folder = std::filesystem::path(test_file).parent_path() / "corpus" / name;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const auto call = [run](const std::string& text) {
    REQUIRE(run(reinterpret_cast<const uint8_t*>(text.data()), text.size()) == 0);
  };
  Rng rng(20260102);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.string());
    const std::string text = ReadFile(file);
    call(text);
    for (size_t length = 0; length < text.size(); length += 1 + text.size() / 200) {
      call(text.substr(0, length));
    }
    for (int i = 0; i < damages; ++i) call(Damaged(text, rng));
  }
  return static_cast<int>(files.size());
}

}  // namespace bth::test
