// Runs a fuzzer's function over its corpus and over simple damages of each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bth::test {

// The number of files.
inline int RunAnswers(const std::string& name, int (*run)(const uint8_t*, size_t)) {
  const auto call = [run](const std::string& text) {
    run(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  int files = 0;
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "corpus" / name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    call(text);
    for (size_t i = 0; i < text.size(); ++i) {
      call(text.substr(0, i));
      for (char c : {'"', '[', '{', '9', '-', '\0'}) {
        std::string changed = text;
        changed[i] = c;
        call(changed);
      }
    }
    ++files;
  }
  return files;
}

}  // namespace bth::test
