// Kubernetes resource quantities ("500m", "1536Mi", "1e3"), kept exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bth::types {

// A number of at most 2^63-1 whole units, exact to one billionth: what Kubernetes can hold. Finer
// digits are rounded away from zero when parsed. Plain value, any thread.
class Quantity {
 public:
  // How a quantity is printed; parsing keeps the notation of the text.
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;  // 0
  static Quantity FromValue(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSI);
  // kInvalidArgument names the text when it is malformed or larger than Kubernetes' maximum.
  // (Kubernetes silently replaces larger numbers by its maximum.) As in Kubernetes, a sign or
  // suffix without digits is zero.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  // Whole units, rounded away from zero. Always representable.
  int64_t Value() const;
  // Thousandths, rounded away from zero; kOutOfRange names the quantity when they exceed int64.
  absl::StatusOr<int64_t> MilliValue() const;

  // The nearest number of floating point.
  double ApproximateValue() const;

  Format format() const { return format_; }
  bool is_zero() const { return nano_ == 0; }
  bool is_negative() const { return nano_ < 0; }
  // -1, 0 or 1.
  int Compare(const Quantity& other) const {
    return nano_ < other.nano_ ? -1 : (nano_ > other.nano_ ? 1 : 0);
  }
  // The sum in this quantity's notation (the other's if this is zero); kOutOfRange when too large.
  absl::StatusOr<Quantity> Plus(const Quantity& other) const;
  absl::StatusOr<Quantity> Minus(const Quantity& other) const;

  // The canonical text: no fraction, the largest suffix that keeps the number whole.
  std::string ToString() const;

  // By value: 1000m equals 1.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }

 private:
  __int128 nano_ = 0;
  Format format_ = Format::kDecimalSI;
};

}  // namespace bth::types
