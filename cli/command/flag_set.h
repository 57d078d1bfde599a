// Flags of one command, in the manner of pflag, which Volcano's programs use: CLI11 knows other
// spellings (no -nvalue beside -n=value, no "_" for "-") and has other words for mistakes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/command/offer.h"

namespace bth::cli {

struct FlagName {
  std::string_view name;
  char letter = 0;  // 0: none.
};

struct Flag {
  std::string name;
  char letter = 0;
  std::string type;  // As help shows it; empty for booleans.
  std::string help;
  std::string default_shown;  // Empty: help shows none.
  bool takes_value = true;    // Booleans may stand alone.
  std::function<absl::Status(std::string_view)> set;
  Offer offer = nullptr;  // Values, for shells; null: any may be given.
};

// Flags are declared with targets that hold their defaults and outlive the set. Plain value but for
// that. Thread: one.
class FlagSet final {
 public:
  // NOLINTBEGIN(readability-non-const-parameter): parsing writes to the targets.
  void Text(std::string* target, FlagName name, std::string_view help);
  void Int(int64_t* target, FlagName name, std::string_view help);
  void Int32(int32_t* target, FlagName name, std::string_view help);
  void Bool(bool* target, FlagName name, std::string_view help);
  void Duration(absl::Duration* target, FlagName name, std::string_view help);
  // NOLINTEND(readability-non-const-parameter)
  void Add(Flag flag) { flags_.push_back(std::move(flag)); }
  void AddAll(const FlagSet& other);
  // Says what values a flag of this set may have; null takes back what was said.
  void OfferFor(std::string_view name, Offer offer);

  // Null when there is none. `name`: "_" counts as "-".
  const Flag* Find(std::string_view name) const;
  const Flag* Find(char letter) const;
  bool empty() const { return flags_.empty(); }
  const std::vector<Flag>& flags() const { return flags_; }

  // Reads `args` in order, values into the targets; returns the words that are no flags. Errors
  // (kInvalidArgument) have pflag's words; what stood before the mistake counts.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& args) const;

  // One line per flag, sorted by name, texts in one column.
  std::string Usage() const;

 private:
  std::vector<Flag> flags_;
};

// --log-flush-frequency, -v and --vmodule, which every program of Volcano has. They are read and
// checked and change nothing: these programs write no log.
FlagSet LogFlags();

}  // namespace bth::cli
