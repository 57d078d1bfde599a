#include "conf/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/strings.h"

namespace bth::conf {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// The base by the prefix, as Go's base 0 has it: 0x, 0o, 0b, a leading 0 means octal.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  switch (absl::ascii_tolower(static_cast<unsigned char>(digits[1]))) {
    case 'x':
      digits.remove_prefix(2);
      return 16;
    case 'o':
      digits.remove_prefix(2);
      return 8;
    case 'b':
      digits.remove_prefix(2);
      return 2;
    default:
      digits.remove_prefix(1);
      return 8;
  }
}

// The integer, or the double it becomes beyond int64; nothing when `text` is no integer.
std::optional<Value> ResolveInteger(const std::string& plain, const std::string& text) {
  std::string_view digits = plain;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  const int base = TakeBase(digits);
  uint64_t magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (digits.empty() || stop != end || error != std::errc()) return std::nullopt;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (magnitude <= kMax) {
    const int64_t value = static_cast<int64_t>(magnitude);
    return Value::MakeInt(negative ? -value : value, text);
  }
  if (negative && magnitude == kMax + 1) {
    return Value::MakeInt(std::numeric_limits<int64_t>::min(), text);
  }
  if (negative) return std::nullopt;
  return Value::MakeDouble(static_cast<double>(magnitude), text);
}

// [-+]? (.digits | digits (. digits*)?) ([eE] [-+]? digits)?
bool LooksLikeDecimal(std::string_view text) {
  size_t at = 0;
  auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
    return at - from;
  };
  auto take = [&](std::string_view any) {
    const bool found = at < text.size() && any.find(text[at]) != std::string_view::npos;
    if (found) ++at;
    return found;
  };
  take("+-");
  if (digits() > 0) {
    if (take(".")) digits();
  } else if (!take(".") || digits() == 0) {
    return false;
  }
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

Value Value::MakeNull(std::string text) {
  Value value;
  value.text_ = std::move(text);
  return value;
}

Value Value::MakeBool(bool boolean, std::string text) {
  Value value = MakeNull(std::move(text));
  value.kind_ = Kind::kBool;
  value.number_.boolean = boolean;
  return value;
}

Value Value::MakeInt(int64_t integer, std::string text) {
  Value value = MakeNull(std::move(text));
  value.kind_ = Kind::kInt;
  value.number_.integer = integer;
  return value;
}

Value Value::MakeDouble(double real, std::string text) {
  Value value = MakeNull(std::move(text));
  value.kind_ = Kind::kDouble;
  value.number_.real = real;
  return value;
}

Value Value::MakeString(std::string text) {
  Value value = MakeNull(std::move(text));
  value.kind_ = Kind::kString;
  return value;
}

Value Value::MakeList(List items) {
  Value value;
  value.kind_ = Kind::kList;
  value.items_ = std::move(items);
  return value;
}

Value Value::MakeMap(Map members) {
  Value value;
  value.kind_ = Kind::kMap;
  value.members_ = std::move(members);
  return value;
}

std::string_view Value::KindName() const {
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kInt:
      return "integer";
    case Kind::kDouble:
      return "decimal number";
    case Kind::kString:
      return "string";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
  }
  return "";
}

double Value::AsDouble() const {
  if (is_int()) return static_cast<double>(number_.integer);
  return is_double() ? number_.real : 0;
}

const Value* Value::Find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Value::Member* Value::FindField(std::string_view key) const {
  const Member* folded = nullptr;
  for (const Member& member : members_) {
    if (member.key == key) return &member;
    if (folded == nullptr && EqualsIgnoreCase(member.key, key)) folded = &member;
  }
  return folded;
}

bool Value::has_non_string_key() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return !member.string_key; });
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Value::Kind::kNull:
      return true;
    case Value::Kind::kBool:
      return a.number_.boolean == b.number_.boolean;
    case Value::Kind::kInt:
      return a.number_.integer == b.number_.integer;
    case Value::Kind::kDouble:
      return a.number_.real == b.number_.real ||
             (std::isnan(a.number_.real) && std::isnan(b.number_.real));
    case Value::Kind::kString:
      return a.text_ == b.text_;
    case Value::Kind::kList:
      return a.items_ == b.items_;
    case Value::Kind::kMap:
      return a.members_ == b.members_;
  }
  return false;
}

Value ResolvePlainScalar(std::string text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return Value::MakeNull(std::move(text));
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Value::MakeBool(true, std::move(text));
  }
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Value::MakeBool(false, std::move(text));
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return Value::MakeDouble(NAN, std::move(text));
  if (IsOneOf(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return Value::MakeDouble(INFINITY, std::move(text));
  }
  if (IsOneOf(text, {"-.inf", "-.Inf", "-.INF"})) {
    return Value::MakeDouble(-INFINITY, std::move(text));
  }
  const bool may_be_number = absl::ascii_isdigit(static_cast<unsigned char>(text[0])) ||
                             text[0] == '-' || text[0] == '+' || text[0] == '.';
  if (may_be_number) {
    std::string plain = text;
    if (text[0] != '.') plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
    if (std::optional<Value> integer = ResolveInteger(plain, text)) return *std::move(integer);
    double real = 0;
    if (LooksLikeDecimal(plain) && absl::SimpleAtod(plain, &real) && std::isfinite(real)) {
      return Value::MakeDouble(real, std::move(text));
    }
  }
  return Value::MakeString(std::move(text));
}

}  // namespace bth::conf
