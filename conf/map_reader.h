// Reads small fixed schemas: one map of a configuration, key by key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/finding.h"
#include "conf/value.h"

namespace bth::conf {

// Errors (kInvalidArgument) name line and path: `line 4: sources[0].interval: needs ...`. Keys that
// the schema does not have leave a finding with the nearest one that it has. An absent key and a
// null read alike. Lifetime: shorter than the values and the findings. Thread: one owner.
class MapReader final {
 public:
  using Keys = std::vector<std::string_view>;

  // At most this many findings are kept.
  static constexpr size_t kFindingsMax = 64;

  // Null, or a null value, is an empty map; anything else but a map is an error.
  static absl::StatusOr<MapReader> Open(const Value* value, std::string path, const Keys& known,
                                        std::vector<Finding>& findings);

  // Scalars are taken as they were written, so that 5 is "5"; empty when absent.
  absl::StatusOr<std::string> Text(std::string_view key) const;
  absl::StatusOr<std::optional<bool>> Bool(std::string_view key) const;
  absl::StatusOr<std::optional<int64_t>> Int(std::string_view key) const;
  // Integers too. Finite.
  absl::StatusOr<std::optional<double>> Number(std::string_view key) const;
  // In Go's syntax, "1h30m"; a bare 0 too.
  absl::StatusOr<std::optional<absl::Duration>> Duration(std::string_view key) const;
  // Empty when absent; the pointer is never null.
  absl::StatusOr<const Value::List*> List(std::string_view key, size_t entries_max) const;
  absl::StatusOr<MapReader> Map(std::string_view key, const Keys& known) const;
  // A map whose keys the schema leaves open.
  absl::StatusOr<const Value*> AnyMap(std::string_view key) const;

  // "path.key".
  std::string PathOf(std::string_view key) const;
  // An error at that key, or at the map when the key is absent.
  absl::Status Refuse(std::string_view key, std::string_view text) const;
  void Warn(std::string_view key, std::string_view text, std::string_view nearest = {}) const;

 private:
  MapReader(const Value* map, std::string path, std::vector<Finding>& findings)
      : map_(map), path_(std::move(path)), findings_(&findings) {}
  const Value* Find(std::string_view key) const;  // Null for null values, too.
  absl::Status WrongType(std::string_view key, std::string_view wanted) const;
  int LineOf(std::string_view key) const;

  const Value* map_;  // Null: empty.
  std::string path_;
  std::vector<Finding>* findings_;
};

}  // namespace bth::conf
