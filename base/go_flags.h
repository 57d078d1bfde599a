// Flags in the style of Go's programs, as the arguments of job plugins are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bth {

// "-name=value", "--name=value", "-name value"; a boolean may stand alone. Reading ends at "--", at
// an empty argument, or at a mistake, as is one that is no flag: what was read until then counts,
// and the rest keeps its defaults. Thread: one.
class GoFlags final {
 public:
  // A target holds the default and outlives the set.
  // NOLINTBEGIN(readability-non-const-parameter): Parse writes to it.
  void Add(std::string_view name, std::string* target) { flags_.push_back({name, target}); }
  void Add(std::string_view name, int32_t* target) { flags_.push_back({name, target}); }
  void Add(std::string_view name, bool* target) { flags_.push_back({name, target}); }
  // NOLINTEND(readability-non-const-parameter)

  // Empty, or what is wrong and where.
  std::string Parse(const std::vector<std::string>& args) const;

 private:
  struct Flag {
    std::string_view name;
    std::variant<std::string*, int32_t*, bool*> target;
  };
  const Flag* Find(std::string_view name) const;
  static std::string Set(const Flag& flag, std::string_view value);
  std::string Unknown(std::string_view name) const;

  std::vector<Flag> flags_;
};

}  // namespace bth
