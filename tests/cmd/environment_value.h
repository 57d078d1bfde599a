// A variable of the environment that a test sets.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace bth::cmd {

// Of the process, until the end of the test; null: unset.
class EnvironmentValue {
 public:
  EnvironmentValue(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    Set(value);
  }
  EnvironmentValue(const EnvironmentValue&) = delete;
  EnvironmentValue& operator=(const EnvironmentValue&) = delete;
  ~EnvironmentValue() { Set(before_ ? before_->c_str() : nullptr); }

 private:
  void Set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, /*overwrite=*/1);
    }
  }

  const char* const name_;
  std::optional<std::string> before_;
};

}  // namespace bth::cmd
