// Lines of a file of any size, one at a time.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bth::trace {

// Ends of lines may be \n or \r\n. Memory: one line. Thread: one owner.
class LineReader {
 public:
  static constexpr size_t kLineBytesMax = size_t{64} << 10;

  LineReader(std::istream& in, std::string file)
      : in_(in), file_(std::move(file)), buffer_(kLineBytesMax + 1, 0) {}

  // False at the end. The text lives until the next call. Errors: a line that is too long, or the
  // file cannot be read on.
  absl::StatusOr<bool> Next(std::string_view* line);
  int64_t number() const { return number_; }  // Of the last one, from 1.
  const std::string& file() const { return file_; }
  // `status` with "FILE:LINE: " before it.
  absl::Status Here(const absl::Status& status) const;
  absl::Status Refuse(std::string_view what) const;

 private:
  std::istream& in_;
  const std::string file_;
  std::string buffer_;  // A line and a 0.
  int64_t number_ = 0;
};

// A decimal number as seconds, rounded; the remedy is part of the error, `what` its beginning.
absl::StatusOr<int64_t> ParseSeconds(std::string_view what, std::string_view text);
absl::StatusOr<int64_t> ParseCount(std::string_view what, std::string_view text);

}  // namespace bth::trace
