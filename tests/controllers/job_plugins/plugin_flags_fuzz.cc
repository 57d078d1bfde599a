// Reads arguments, one per line: what is read twice is read the same, and a complaint is short.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "controllers/job_plugins/flags.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> args(1);
  for (const char c : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (c == '\n') {
      args.emplace_back();
    } else {
      args.back().push_back(c);
    }
  }
  std::string text[2] = {"x", "x"};
  int32_t number[2] = {1, 1};
  bool yes[2] = {};
  std::string complaint[2];
  for (int i = 0; i < 2; ++i) {
    bth::controllers::PluginFlags flags;
    flags.Add("text", &text[i]);
    flags.Add("number", &number[i]);
    flags.Add("yes", &yes[i]);
    complaint[i] = flags.Parse(args);
  }
  BTH_CHECK(text[0] == text[1] && number[0] == number[1] && yes[0] == yes[1]);
  BTH_CHECK(complaint[0] == complaint[1]);
  BTH_CHECK(complaint[0].size() < size + 200);
  return 0;
}
