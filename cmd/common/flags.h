// Command lines, with the customs of the programs ours stand in for.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::cmd {

// A program's flags. Long flags only, but for -v: `--name=value` or `--name value`; a boolean
// needs no value, and takes one only after `=`; one that follows it is told of. `_` and `-` mean
// the same; the last of several wins, unless it says otherwise. Arguments without a flag are
// ignored, because manifests in use pass `2>&1`.
//
// A target holds the default until Parse and outlives the set. Thread: one.
class FlagSet final {
 public:
  explicit FlagSet(std::string program, std::string about);
  ~FlagSet();
  FlagSet(const FlagSet&) = delete;

  void Add(std::string_view name, std::string* target, std::string_view help);
  void Add(std::string_view name, bool* target, std::string_view help);
  void Add(std::string_view name, int64_t* target, std::string_view help);
  void Add(std::string_view name, double* target, std::string_view help);
  // Go syntax: 90s, 1m30s, 250ms.
  void Add(std::string_view name, absl::Duration* target, std::string_view help);
  // May be repeated; the first one replaces the default.
  void AddRepeated(std::string_view name, std::vector<std::string>* target, std::string_view help);
  // The same, and each value may hold several, split by commas.
  void AddList(std::string_view name, std::vector<std::string>* target, std::string_view help);

  // Accepts the flag, added before, though it changes nothing here; `why` is said when it asks
  // for something other than its default.
  void WithoutEffect(std::string_view name, std::string_view why);

  // The flag, added before, may be repeated: its value is all of them, joined by commas.
  void Gathered(std::string_view name);

  // The flag, added before, takes only what `check` finds good: another value is malformed.
  void Checked(std::string_view name, std::function<absl::Status(const std::string&)> check);

  // The flag, added before, still works; `instead` is said whenever it is given.
  void Deprecated(std::string_view name, std::string_view instead);

  // Exit code to end with at once: 0 after --help, 2 after a mistake, both with the usage on
  // `err`, which ends with the mistake; nothing when the program shall run.
  struct Outcome {
    bool run = true;
    int exit_code = 0;
  };
  Outcome Parse(int argc, const char* const* argv, std::ostream& err);

  // True when the flag was on the command line.
  bool Given(std::string_view name) const;
  // One line for each flag without effect that asks for something: "--name: why".
  std::vector<std::string> Notes() const;
  // Names and values in order of names, for the log. Flags that may hold secrets do not exist here.
  std::vector<std::pair<std::string, std::string>> Values() const;

 private:
  struct Rep;
  struct Flag;
  using Setter = std::function<absl::Status(const std::vector<std::string>&)>;
  using Getter = std::function<std::string()>;
  void AddFlag(std::string_view name, std::string_view help, std::string_view type, Setter set,
               Getter get);
  Flag* Find(std::string_view name) const;
  void TellIgnoredBool(const std::string& arg, std::string_view next, std::ostream& err) const;
  void Split(const std::string& arg, std::vector<std::string>* out) const;

  std::unique_ptr<Rep> rep_;
};

// true, false, and what else Go reads as one of them.
absl::StatusOr<bool> ParseBool(std::string_view text);
// "1m30s", as Go writes it.
std::string GoDurationText(absl::Duration duration);

}  // namespace bth::cmd
