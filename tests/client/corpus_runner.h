// Runs a fuzzer's function over its corpus and over simple damages of each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bth::client::testing {

using FuzzFunction = int (*)(const uint8_t* data, size_t size);

inline void RunText(FuzzFunction run, const std::string& text) {
  run(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// The number of files.
inline int RunCorpus(const std::string& name, FuzzFunction run) {
  const std::filesystem::path folder =
      std::filesystem::path(__FILE__).parent_path() / "corpus" / name;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    RunText(run, text);
    for (size_t i = 0; i < text.size(); ++i) {
      RunText(run, text.substr(0, i));
      for (char c : {'\n', '"', '[', '&', ' ', '\0'}) {
        std::string changed = text;
        changed[i] = c;
        RunText(run, changed);
      }
    }
    ++files;
  }
  return files;
}

}  // namespace bth::client::testing
