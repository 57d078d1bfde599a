// The arguments of one plugin or action.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/finding.h"
#include "conf/value.h"

namespace bth::conf {

// Typed access to a string-keyed map of YAML values. A plugin declares the keys it knows by asking
// for them. A key that is absent or null gives the fallback; one of the wrong type gives the
// fallback too and leaves a finding, as Volcano does with a log line. Keys nobody asked for become
// findings once the plugin is made: see Findings().
//
// The scalar getters never fail today; they return StatusOr so that every getter reads alike. The
// getters of composed values fail with kInvalidArgument on a wrong type, which makes the policy
// invalid: a half-read table would change decisions silently.
//
// Copies share values and findings. Values are immutable; findings are collected while the
// plugins are made. Thread: one at a time.
class Arguments {
 public:
  // No arguments.
  Arguments();
  // `values` must be a map or null. `path` is where they stand, such as
  // `tiers[1].plugins[0].arguments`.
  Arguments(Value values, std::string path);

  // Only YAML integers: neither 1.0 nor "1".
  absl::StatusOr<int64_t> Int(std::string_view key, int64_t fallback) const;
  // A decimal number or an integer.
  absl::StatusOr<double> Double(std::string_view key, double fallback) const;
  // A boolean, or one of the strings 1 t T TRUE true True 0 f F FALSE false False.
  absl::StatusOr<bool> Bool(std::string_view key, bool fallback) const;
  // Only strings: neither 5 nor true.
  absl::StatusOr<std::string> String(std::string_view key, std::string_view fallback) const;
  // A string in Go syntax: "1h30m", "250ms", "0"; see ParseGoDuration.
  absl::StatusOr<absl::Duration> Duration(std::string_view key, absl::Duration fallback) const;
  // A comma-separated string: names trimmed, empty ones dropped. Wrong types give an empty list.
  absl::StatusOr<std::vector<std::string>> CommaList(std::string_view key) const;
  // A list of scalars, each as it was written. Fails on other types.
  absl::StatusOr<std::vector<std::string>> Strings(std::string_view key) const;
  // A nested map with the same getters; absent keys give empty arguments. Fails on other types.
  absl::StatusOr<Arguments> Section(std::string_view key) const;
  // A nested list of maps, each with the same getters. Fails on other types.
  absl::StatusOr<std::vector<Arguments>> Sections(std::string_view key) const;

  // The raw value, or null when the key is absent. All below it counts as read.
  const Value* Find(std::string_view key) const;
  bool Has(std::string_view key) const;  // Present and not null.
  // All keys in the order written, for keys made of a prefix and a name. Asking for the value of
  // one of them marks it as read.
  std::vector<std::string_view> Keys() const;
  bool empty() const { return values().members().empty(); }

  // Adds a finding about `key` (or about the whole, when empty): a value out of its range, say.
  // The text tells what is used instead. At most kFindingsMax are kept.
  void Report(std::string_view key, std::string text) const;

  // What the getters and Report() found, then one finding for each key nobody asked for, with the
  // nearest name among those asked for. In order of lines.
  std::vector<Finding> Findings() const;
  // Paths of the keys nobody asked for.
  std::vector<std::string> UnreadKeys() const;
  // Paths of the keys asked for that are not there.
  std::vector<std::string> AbsentKeys() const;

  const Value& values() const { return *values_; }
  const std::string& path() const { return path_; }
  // Compares values only.
  friend bool operator==(const Arguments& a, const Arguments& b) {
    return a.values() == b.values();
  }

  static constexpr size_t kFindingsMax = 64;

 private:
  // One map that was opened, with the keys asked for; shared by a root and its sections.
  struct Journal;
  Arguments(std::shared_ptr<const Value> root, const Value* values, std::string path,
            std::shared_ptr<Journal> journal);
  const Value* Ask(std::string_view key) const;
  void WrongType(std::string_view key, const Value& value, std::string_view wanted,
                 std::string_view fallback) const;
  absl::Status WrongShape(std::string_view key, const Value& value, std::string_view wanted) const;
  std::string PathOf(std::string_view key) const;

  std::shared_ptr<const Value> root_;  // Keeps `values_` alive.
  const Value* values_;
  std::string path_;
  std::shared_ptr<Journal> journal_;
};

// Go's duration syntax: an optional sign, then decimal numbers each with a unit out of ns, us, µs,
// ms, s, m, h; a bare "0" is allowed, other bare numbers and days are not. Results beyond int64
// nanoseconds are refused.
absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text);
// The strings Go takes for a boolean.
absl::StatusOr<bool> ParseGoBool(std::string_view text);

}  // namespace bth::conf
