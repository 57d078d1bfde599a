#include "cel/kubernetes/text_format.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/kubernetes/format_clauses.h"
#include "cel/kubernetes/members_text.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

constexpr int kScientificDigits = 6;

absl::Status FormatFault(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

absl::Status WrongKind(char verb, const Value& value) {
  return FormatFault(StrCat("error during formatting: ", ClauseRule(verb), ", was given ",
                            value.type()->RuntimeName()));
}

// The number a clause of floating point is given: also by its name, as JSON has no other.
std::optional<double> RealOf(const Value& value) {
  if (value.is(ValueKind::kDouble)) return value.AsDouble();
  if (!value.is(ValueKind::kString)) return std::nullopt;
  if (value.AsString() == "NaN") return std::nan("");
  if (value.AsString() == "Infinity") return HUGE_VAL;
  if (value.AsString() == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

std::string EndlessText(double value) {
  return std::isnan(value) ? "NaN" : value < 0 ? "-∞" : "∞";
}

// With commas between thousands.
std::string FixedText(double value, int precision) {
  if (!std::isfinite(value)) return EndlessText(value);
  const std::string plain = absl::StrFormat("%.*f", precision, std::abs(value));
  const size_t point = std::min(plain.find('.'), plain.size());
  std::string out = value < 0 ? "-" : "";
  for (size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) out.push_back(',');
    out.push_back(plain[i]);
  }
  return out;
}

// 1.500000×10⁰³: always six digits, whatever was asked for.
std::string ScientificText(double value) {
  if (!std::isfinite(value)) {
    const std::string text = EndlessText(value);
    const size_t width = CountCodePoints(text);
    return std::string(kScientificDigits - width, ' ') + text;
  }
  static constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::string plain = absl::StrFormat("%.6e", value);
  const size_t e = plain.find('e');
  std::string out = plain.substr(0, e) + "×10";
  for (const char c : plain.substr(e + 1)) {
    if (c == '-') out += "⁻";
    if (c >= '0' && c <= '9') out += kRaised[c - '0'];
  }
  return out;
}

std::string BaseDigits(uint64_t value, unsigned base) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  do {
    out.push_back(kDigits[value % base]);
    value /= base;
  } while (value > 0);
  std::reverse(out.begin(), out.end());
  return out;
}

// Of a whole number; nothing for other kinds.
std::optional<std::string> WholeText(const Value& value, unsigned base) {
  if (value.is(ValueKind::kUint)) return BaseDigits(value.AsUint(), base);
  if (!value.is(ValueKind::kInt)) return std::nullopt;
  const int64_t whole = value.AsInt();
  const auto size = whole < 0 ? 0 - static_cast<uint64_t>(whole) : static_cast<uint64_t>(whole);
  return StrCat(whole < 0 ? "-" : "", BaseDigits(size, base));
}

absl::StatusOr<std::string> StringClause(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
      return std::string(value.AsString());
    case ValueKind::kBytes:
      if (IsValidUtf8(value.AsBytes())) return std::string(value.AsBytes());
      return FormatFault(
          "error during formatting: could not convert argument \"invalid UTF-8 in "
          "bytes, cannot convert to string\" to string");
    case ValueKind::kDouble:
      return DoubleText(value.AsDouble());
    case ValueKind::kDuration:
      return DurationText(value.AsDuration());
    case ValueKind::kTimestamp:
      return TimestampText(value.AsTimestamp());
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kType:
    case ValueKind::kList:
    case ValueKind::kMap: {
      absl::StatusOr<std::string> text = MembersText(value);
      if (!text.ok()) {
        return FormatFault(StrCat("error during formatting: ", text.status().message()));
      }
      return text;
    }
    default:
      return WrongKind('s', value);
  }
}

absl::StatusOr<std::string> HexClause(const Value& value, bool upper) {
  std::string out;
  if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) {
    const std::string_view text = value.is(ValueKind::kString) ? value.AsString() : value.AsBytes();
    for (const char c : text) {
      absl::StrAppendFormat(&out, "%02x", static_cast<unsigned char>(c));
    }
  } else if (std::optional<std::string> whole = WholeText(value, 16); whole.has_value()) {
    out = *std::move(whole);
  } else {
    return WrongKind('x', value);
  }
  if (upper) {
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
  }
  return out;
}

absl::StatusOr<std::string> WholeClause(const Value& value, unsigned base, char verb) {
  std::optional<std::string> text = WholeText(value, base);
  if (!text.has_value()) return WrongKind(verb, value);
  return *std::move(text);
}

absl::StatusOr<std::string> RealClause(const Value& value, std::optional<int> precision) {
  const std::optional<double> real = RealOf(value);
  if (!real.has_value()) {
    return WrongKind(precision.has_value() ? 'f' : 'e', value);
  }
  return precision.has_value() ? FixedText(*real, *precision) : ScientificText(*real);
}

absl::StatusOr<std::string> BitsClause(const Value& value) {
  if (value.is(ValueKind::kBool)) return value.AsBool() ? "1" : "0";
  return WholeClause(value, 2, 'b');
}

absl::StatusOr<std::string> Clause(char verb, int precision, const Value& value) {
  switch (verb) {
    case 's':
      return StringClause(value);
    case 'd':
      return WholeClause(value, 10, verb);
    case 'f':
      return RealClause(value, precision);
    case 'e':
      return RealClause(value, std::nullopt);
    case 'b':
      return BitsClause(value);
    case 'o':
      return WholeClause(value, 8, verb);
    default:
      return HexClause(value, verb == 'X');
  }
}

}  // namespace

absl::StatusOr<std::string> FormatText(std::string_view format, const ListView& args) {
  std::string out;
  for (FormatReader reader(format); reader.ToClause(&out);) {
    BTH_ASSIGN_OR_RETURN(const FormatClause clause, reader.Read(args.size()));
    const Value value = args.at(clause.argument);
    if (value.is_error()) return FormatFault(value.AsString());
    BTH_ASSIGN_OR_RETURN(const std::string text, Clause(clause.verb, clause.precision, value));
    out += text;
  }
  return out;
}

}  // namespace bth::cel
