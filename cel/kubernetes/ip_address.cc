#include "cel/kubernetes/ip_address.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

absl::Status BadAddress(std::string_view what) {
  return absl::InvalidArgumentError(ToAbsl(what));
}

absl::Status BadAddressAt(std::string_view what, std::string_view rest) {
  return BadAddress(StrCat(what, " (at ", QuotedText(rest), ")"));
}

absl::Status NotAnAddress(std::string_view text, const absl::Status& why) {
  return BadAddress(StrCat("ParseAddr(", QuotedText(text), "): ", why.message()));
}

int AddressDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The hex digits at the start of `text` as a number. Errors: too many of them, or none.
absl::StatusOr<uint32_t> TakeGroup(std::string_view* text) {
  uint32_t value = 0;
  size_t count = 0;
  for (; count < text->size() && AddressDigit((*text)[count]) >= 0; ++count) {
    if (count == 4) return BadAddressAt("each group must have 4 or less digits", *text);
    value = value * 16 + static_cast<uint32_t>(AddressDigit((*text)[count]));
  }
  if (count == 0) {
    return BadAddressAt("each colon-separated field must have at least one digit", *text);
  }
  text->remove_prefix(count);
  return value;
}

// What is between two groups; true: a gap of zeros begins here.
absl::StatusOr<bool> TakeColons(std::string_view* text, bool has_gap) {
  if (text->front() != ':') return BadAddressAt("unexpected character, want colon", *text);
  if (text->size() == 1) return BadAddressAt("colon must be followed by more characters", *text);
  text->remove_prefix(1);
  if (text->front() != ':') return false;
  if (has_gap) return BadAddressAt("multiple :: in address", *text);
  text->remove_prefix(1);
  return true;
}

// The longest run of at least two zero groups, the first of several: [first, last).
std::pair<size_t, size_t> LongestZeros(const std::array<uint32_t, 8>& groups) {
  std::pair<size_t, size_t> best{8, 8};
  for (size_t i = 0; i < groups.size(); ++i) {
    size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.second - best.first) best = {i, end};
    if (end > i) i = end - 1;
  }
  return best;
}

}  // namespace

absl::StatusOr<IpAddress> IpAddress::ParseV4(std::string_view text) {
  IpAddress address;
  size_t field = 0, digits = 0;
  uint32_t value = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) return BadAddress("IPv4 field has octet with leading zero");
      value = value * 10 + static_cast<uint32_t>(c - '0');
      ++digits;
      if (value > 255) return BadAddress("IPv4 field has value >255");
    } else if (c == '.') {
      if (digits == 0 || i + 1 == text.size()) {
        return BadAddressAt("IPv4 field must have at least one digit", text.substr(i));
      }
      if (field == 3) return BadAddress("IPv4 address too long");
      address.bytes_[field++] = static_cast<uint8_t>(value);
      value = 0;
      digits = 0;
    } else {
      return BadAddressAt("unexpected character", text.substr(i));
    }
  }
  if (field < 3) return BadAddress("IPv4 address too short");
  address.bytes_[3] = static_cast<uint8_t>(value);
  return address;
}

absl::StatusOr<IpAddress> IpAddress::ParseV6(std::string_view text, bool* zone) {
  if (const size_t percent = text.find('%'); percent != text.npos) {
    if (percent + 1 == text.size()) return BadAddress("zone must be a non-empty string");
    *zone = true;
    text = text.substr(0, percent);
  }
  IpAddress address;
  address.size_ = 16;
  constexpr size_t kNoGap = 99;
  size_t gap = kNoGap, at = 0;
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty() && at < 16) {
    const std::string_view before = text;
    BTH_ASSIGN_OR_RETURN(const uint32_t group, TakeGroup(&text));
    if (text.starts_with('.')) {
      if (gap == kNoGap && at != 12) {
        return BadAddressAt("embedded IPv4 address must replace the final 2 fields of the address",
                            before);
      }
      if (at > 12) {
        return BadAddressAt("too many hex fields to fit an embedded IPv4 at the end of the address",
                            before);
      }
      BTH_ASSIGN_OR_RETURN(const IpAddress tail, ParseV4(before));
      std::copy_n(tail.bytes_.begin(), 4, address.bytes_.begin() + static_cast<ptrdiff_t>(at));
      at += 4;
      text = {};
      break;
    }
    address.bytes_[at++] = static_cast<uint8_t>(group >> 8U);
    address.bytes_[at++] = static_cast<uint8_t>(group & 0xFFU);
    if (text.empty()) break;
    BTH_ASSIGN_OR_RETURN(const bool gap_here, TakeColons(&text, gap != kNoGap));
    if (gap_here) gap = at;
  }
  if (!text.empty()) return BadAddressAt("trailing garbage after address", text);
  if (at == 16 && gap != kNoGap) {
    return BadAddress("the :: must expand to at least one field of zeros");
  }
  if (at < 16) {
    if (gap == kNoGap) return BadAddress("address string too short");
    const auto begin = address.bytes_.begin();
    std::rotate(begin + static_cast<ptrdiff_t>(gap), begin + static_cast<ptrdiff_t>(at),
                address.bytes_.end());
  }
  return address;
}

absl::StatusOr<IpAddress> IpAddress::ParseAny(std::string_view text, bool* zone) {
  *zone = false;
  const size_t mark = text.find_first_of(".:%");
  absl::StatusOr<IpAddress> parsed = BadAddress("unable to parse IP");
  if (mark != text.npos) {
    if (text[mark] == '.') {
      parsed = ParseV4(text);
    } else if (text[mark] == ':') {
      parsed = ParseV6(text, zone);
    } else {
      parsed = BadAddress("missing IPv6 address");
    }
  }
  if (!parsed.ok()) return NotAnAddress(text, parsed.status());
  return parsed;
}

absl::StatusOr<IpAddress> IpAddress::Parse(std::string_view text) {
  bool zone = false;
  absl::StatusOr<IpAddress> parsed = ParseAny(text, &zone);
  if (!parsed.ok()) {
    return BadAddress(
        StrCat("IP Address ", QuotedText(text),
               " parse error during conversion from string: ", parsed.status().message()));
  }
  if (zone)
    return BadAddress(StrCat("IP address ", QuotedText(text), " with zone value is not allowed"));
  if (parsed->IsMappedV4()) {
    return BadAddress(StrCat("IPv4-mapped IPv6 address ", QuotedText(text), " is not allowed"));
  }
  return parsed;
}

bool IpAddress::IsV6(std::string_view text) {
  bool zone = false;
  return ParseV6(text, &zone).ok();
}

bool IpAddress::IsMappedV4() const {
  return size_ == 16 && bytes_[10] == 0xFF && bytes_[11] == 0xFF &&
         std::all_of(bytes_.begin(), bytes_.begin() + 10, [](uint8_t byte) { return byte == 0; });
}

std::string IpAddress::ToString() const {
  if (is_v4())
    return StrCat(uint32_t{bytes_[0]}, ".", uint32_t{bytes_[1]}, ".", uint32_t{bytes_[2]}, ".",
                  uint32_t{bytes_[3]});
  std::array<uint32_t, 8> groups{};
  for (size_t i = 0; i < 8; ++i) groups[i] = bytes_[2 * i] * 256U + bytes_[2 * i + 1];
  const auto [first, last] = LongestZeros(groups);
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == first) {
      out += "::";
      i = last - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ":";
    StrAppend(&out, absl::Hex(groups[i]));
  }
  return out;
}

bool IpAddress::IsUnspecified() const {
  return *this == Masked(0);
}

bool IpAddress::IsLoopback() const {
  if (is_v4()) return bytes_[0] == 127;
  return bytes_[15] == 1 && Masked(120).IsUnspecified();
}

bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4()) return bytes_[0] == 224 && bytes_[1] == 0 && bytes_[2] == 0;
  return bytes_[0] == 0xFF && (bytes_[1] & 0x0FU) == 2;
}

bool IpAddress::IsLinkLocalUnicast() const {
  if (is_v4()) return bytes_[0] == 169 && bytes_[1] == 254;
  return bytes_[0] == 0xFE && (bytes_[1] & 0xC0U) == 0x80U;
}

bool IpAddress::IsGlobalUnicast() const {
  const bool multicast = is_v4() ? (bytes_[0] & 0xF0U) == 0xE0U : bytes_[0] == 0xFF;
  const bool broadcast =
      is_v4() && bytes_[0] == 255 && bytes_[1] == 255 && bytes_[2] == 255 && bytes_[3] == 255;
  return !multicast && !broadcast && !IsUnspecified() && !IsLoopback() && !IsLinkLocalUnicast();
}

IpAddress IpAddress::Masked(int bits) const {
  IpAddress masked = *this;
  for (size_t i = 0; i < size_; ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    masked.bytes_[i] = static_cast<uint8_t>(bytes_[i] & (0xFFU << (8 - kept)));
  }
  return masked;
}

absl::StatusOr<IpPrefix> IpPrefix::Parse(std::string_view text) {
  // Kubernetes says what it was doing twice.
  static constexpr char kDoing[] = "network address parse error during conversion from string: ";
  const auto wrong = [text](std::string_view why) {
    return BadAddress(StrCat(kDoing, kDoing, "netip.ParsePrefix(", QuotedText(text), "): ", why));
  };
  const size_t slash = text.rfind('/');
  if (slash == text.npos) return wrong("no '/'");
  bool zone = false;
  const absl::StatusOr<IpAddress> address = IpAddress::ParseAny(text.substr(0, slash), &zone);
  if (!address.ok()) return wrong(ToStd(address.status().message()));
  if (zone) return wrong("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool plain = error == std::errc() && end == digits.data() + digits.size();
  if (!plain || bits < 0 || (digits.size() > 1 && digits[0] == '0')) {
    return wrong(StrCat("bad bits after slash: ", QuotedText(digits)));
  }
  if (bits > static_cast<int>(address->size()) * 8) return wrong("prefix length out of range");
  if (address->IsMappedV4()) {
    return BadAddress(
        StrCat(kDoing, "IPv4-mapped IPv6 address ", QuotedText(text), " is not allowed"));
  }
  return IpPrefix(*address, bits);
}

bool IpPrefix::Contains(const IpAddress& address) const {
  return address.size() == address_.size() && address.Masked(bits_) == address_.Masked(bits_);
}

bool IpPrefix::Contains(const IpPrefix& other) const {
  return other.bits_ >= bits_ && Contains(other.address_);
}

std::string IpPrefix::ToString() const {
  return StrCat(address_.ToString(), "/", bits_);
}

}  // namespace bth::cel
