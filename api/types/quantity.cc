#include "api/types/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::types {
namespace {

constexpr __int128 kNanoPerUnit = 1'000'000'000;
constexpr __int128 kNanoPerMilli = 1'000'000;
constexpr __int128 kNanoMax = static_cast<__int128>(INT64_MAX) * kNanoPerUnit;
// No real quantity is longer; the limit bounds the work on hostile text.
constexpr size_t kQuantityTextMax = 256;

struct Suffix {
  std::string_view text;
  int base;      // 2 or 10
  int exponent;  // of the base
};

constexpr std::array<Suffix, 16> kSuffixes = {{{"", 10, 0},
                                               {"n", 10, -9},
                                               {"u", 10, -6},
                                               {"m", 10, -3},
                                               {"k", 10, 3},
                                               {"M", 10, 6},
                                               {"G", 10, 9},
                                               {"T", 10, 12},
                                               {"P", 10, 15},
                                               {"E", 10, 18},
                                               {"Ki", 2, 10},
                                               {"Mi", 2, 20},
                                               {"Gi", 2, 30},
                                               {"Ti", 2, 40},
                                               {"Pi", 2, 50},
                                               {"Ei", 2, 60}}};

struct Scale {
  int base = 10;
  int64_t exponent = 0;
  Quantity::Format format = Quantity::Format::kDecimalSI;
  const Suffix* suffix = nullptr;  // Null: an exponent was written out.
};

// What one unit of a suffix is in nano-units, and how many of them Kubernetes can hold.
struct Unit {
  __int128 nano = 1;
  int64_t count_max = 0;
};

constexpr Unit UnitOf(const Suffix& suffix) {
  Unit unit;
  for (int i = 0; i < (suffix.base == 2 ? suffix.exponent : suffix.exponent + 9); ++i) {
    unit.nano *= suffix.base;
  }
  if (suffix.base == 2) unit.nano *= kNanoPerUnit;
  unit.count_max = static_cast<int64_t>(std::min<__int128>(kNanoMax / unit.nano, INT64_MAX));
  return unit;
}

constexpr auto kUnits = [] {
  std::array<Unit, kSuffixes.size()> units;
  for (size_t i = 0; i < units.size(); ++i) units[i] = UnitOf(kSuffixes[i]);
  return units;
}();

// Of numbers without a fraction, which nearly all are; nothing: too long or large for this way.
std::optional<__int128> WholeNano(std::string_view digits, const Suffix& suffix) {
  constexpr size_t kDigitsMax = 18;  // Any such number fits int64.
  if (digits.size() > kDigitsMax) return std::nullopt;
  int64_t count = 0;
  for (const char c : digits) count = count * 10 + (c - '0');
  const Unit& unit = kUnits[static_cast<size_t>(&suffix - kSuffixes.data())];
  if (count > unit.count_max) return std::nullopt;
  return count * unit.nano;
}

std::optional<Scale> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) {
      return Scale{suffix.base, suffix.exponent,
                   suffix.base == 2 ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI,
                   &suffix};
    }
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !absl::ascii_isdigit(text[0])) return std::nullopt;
  }
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Scale{10, exponent, Quantity::Format::kDecimalExponent, nullptr};
}

// `digits` x 10^power in nano-units, rounded up; nothing when that is too large. Exact, because a
// result of at most 28 digits fits __int128.
std::optional<__int128> DecimalNano(std::string_view digits, int64_t power) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return __int128{0};
  constexpr int64_t kDigitsMax = 28;  // Of kNanoMax.
  const auto count = static_cast<int64_t>(digits.size());
  if (power > kDigitsMax) return std::nullopt;
  const int64_t result_digits = power < INT64_MIN / 2 ? INT64_MIN / 2 : count + power + 9;
  if (result_digits > kDigitsMax) return std::nullopt;
  if (result_digits < 0) return __int128{1};
  const auto kept = static_cast<size_t>(std::min(count, result_digits));
  __int128 value = 0;
  for (char c : digits.substr(0, kept)) value = value * 10 + (c - '0');
  for (int64_t i = count; i < result_digits; ++i) value *= 10;
  if (digits.find_first_not_of('0', kept) != std::string_view::npos) ++value;
  if (value > kNanoMax) return std::nullopt;
  return value;
}

// Multiplies a decimal number by 1024 in place, digit by digit.
void MultiplyBy1024(std::string* digits) {
  int carry = 0;
  for (auto it = digits->rbegin(); it != digits->rend(); ++it) {
    const int product = (*it - '0') * 1024 + carry;
    *it = static_cast<char>('0' + product % 10);
    carry = product / 10;
  }
  if (carry > 0) digits->insert(0, std::to_string(carry));
}

// `whole`.`fraction` in nano-units, rounded up; nothing when that is too large.
std::optional<__int128> ScaledNano(std::string_view whole, std::string_view fraction,
                                   const Scale& scale) {
  int64_t power = -static_cast<int64_t>(fraction.size());
  std::string buffer;
  std::string_view digits = whole;
  if (!fraction.empty() || scale.base == 2) {
    buffer.reserve(whole.size() + fraction.size() + 24);
    buffer.append(whole).append(fraction);
    if (scale.base == 2) {
      for (int64_t i = 0; i < scale.exponent; i += 10) MultiplyBy1024(&buffer);
    }
    digits = buffer;
  }
  if (scale.base == 10) power = std::max(scale.exponent, INT64_MIN / 2) + power;
  return DecimalNano(digits, power);
}

absl::Status BadQuantity(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("quantity \"", text.substr(0, 64), "\": ", reason));
}

__int128 RoundedDivision(__int128 value, __int128 unit) {
  const __int128 quotient = value / unit;
  const __int128 rest = value % unit;
  return quotient + (rest > 0 ? 1 : (rest < 0 ? -1 : 0));
}

std::string WithSuffix(int64_t value, std::string_view suffix) {
  return StrCat(value, suffix);
}

}  // namespace

Quantity Quantity::FromValue(int64_t value, Format format) {
  Quantity quantity;
  // The one number below Kubernetes' range becomes its minimum.
  quantity.nano_ =
      std::max(static_cast<__int128>(value), -static_cast<__int128>(INT64_MAX)) * kNanoPerUnit;
  quantity.format_ = format;
  return quantity;
}

Quantity Quantity::FromMilli(int64_t milli, Format format) {
  Quantity quantity;
  quantity.nano_ = static_cast<__int128>(milli) * kNanoPerMilli;
  quantity.format_ = format;
  return quantity;
}

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return BadQuantity(text, "empty; expected a number such as 500m, 2 or 1Gi");
  if (text.size() > kQuantityTextMax) return BadQuantity(text, "longer than 256 characters");
  std::string_view rest = text;
  const bool negative = rest[0] == '-';
  if (negative || rest[0] == '+') rest.remove_prefix(1);
  const auto take_digits = [&rest] {
    size_t count = 0;
    while (count < rest.size() && absl::ascii_isdigit(rest[count])) ++count;
    const std::string_view digits = rest.substr(0, count);
    rest.remove_prefix(count);
    return digits;
  };
  const std::string_view whole = take_digits();
  std::string_view fraction;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    fraction = take_digits();
  }
  const std::optional<Scale> scale = ParseSuffix(rest);
  if (!scale) {
    return BadQuantity(text,
                       "expected a number with one of the suffixes n u m k M G T P E, "
                       "Ki Mi Gi Ti Pi Ei or an exponent such as e3");
  }
  std::optional<__int128> nano;
  if (fraction.empty() && scale->suffix != nullptr) nano = WholeNano(whole, *scale->suffix);
  if (!nano) nano = ScaledNano(whole, fraction, *scale);
  if (!nano) return BadQuantity(text, "larger than the maximum of 9223372036854775807");
  Quantity quantity;
  quantity.nano_ = negative ? -*nano : *nano;
  quantity.format_ = scale->format;
  if (scale->base == 2 && *nano > 0 && *nano < kNanoPerUnit) quantity.format_ = Format::kDecimalSI;
  return quantity;
}

int64_t Quantity::Value() const {
  return static_cast<int64_t>(RoundedDivision(nano_, kNanoPerUnit));
}

double Quantity::ApproximateValue() const {
  return static_cast<double>(static_cast<long double>(nano_) / kNanoPerUnit);
}

absl::StatusOr<int64_t> Quantity::MilliValue() const {
  const __int128 milli = RoundedDivision(nano_, kNanoPerMilli);
  if (milli > INT64_MAX || milli < INT64_MIN) {
    return absl::OutOfRangeError(StrCat("quantity \"", ToString(),
                                        "\": too large to count in thousandths (at most 9.2e15)"));
  }
  return static_cast<int64_t>(milli);
}

absl::StatusOr<Quantity> Quantity::Plus(const Quantity& other) const {
  Quantity sum;
  sum.nano_ = nano_ + other.nano_;  // Both are below 2^93.
  sum.format_ = is_zero() ? other.format_ : format_;
  if (sum.nano_ > kNanoMax || sum.nano_ < -kNanoMax) {
    return absl::OutOfRangeError(StrCat("quantity \"", ToString(), "\" plus \"", other.ToString(),
                                        "\": beyond the maximum of 9223372036854775807"));
  }
  return sum;
}

absl::StatusOr<Quantity> Quantity::Minus(const Quantity& other) const {
  Quantity negated = other;
  negated.nano_ = -negated.nano_;
  return Plus(negated);
}

std::string Quantity::ToString() const {
  if (nano_ == 0) return "0";
  const bool small = nano_ > -1024 * kNanoPerUnit && nano_ < 1024 * kNanoPerUnit;
  if (format_ == Format::kBinarySI && !small && nano_ % kNanoPerUnit == 0) {
    static constexpr std::string_view kBinary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    auto value = static_cast<int64_t>(nano_ / kNanoPerUnit);
    size_t step = 0;
    for (; value % 1024 == 0; value /= 1024) ++step;
    return WithSuffix(value, kBinary[step]);
  }
  static constexpr std::string_view kDecimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  __int128 value = nano_;
  int step = 0;
  for (; value % 1000 == 0 && step < 9; value /= 1000) ++step;
  // Below this the number may still exceed int64: 2^63-1 units plus a fraction in nano-units.
  std::string number;
  if (value > INT64_MAX || value < INT64_MIN) {
    const __int128 high = value / kNanoPerUnit;
    const auto low = static_cast<int64_t>(value % kNanoPerUnit);
    const std::string tail = std::to_string(low < 0 ? -low : low);
    number = StrCat(static_cast<int64_t>(high), std::string(9 - tail.size(), '0'), tail);
  } else {
    number = StrCat(static_cast<int64_t>(value));
  }
  if (format_ != Format::kDecimalExponent) {
    return StrCat(number, kDecimal[static_cast<size_t>(step)]);
  }
  return step == 3 ? number : StrCat(number, "e", step * 3 - 9);
}

}  // namespace bth::types
