// IPv4 and IPv6 addresses and prefixes as Kubernetes reads them in expressions: no zones, no IPv4
// inside IPv6. Plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bth::cel {

class IpAddress {
 public:
  // Errors (kInvalidArgument) in Kubernetes' words, the cause after them.
  static absl::StatusOr<IpAddress> Parse(std::string_view text);

  // Whether it is any IPv6 address, which may name a zone and hold an IPv4 address.
  static bool IsV6(std::string_view text);

  bool is_v4() const { return size_ == 4; }
  size_t size() const { return size_; }  // In bytes.
  // The one form that Parse takes without change of text.
  std::string ToString() const;

  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
  // With all but the first `bits` set to 0.
  IpAddress Masked(int bits) const;

  friend bool operator==(const IpAddress& a, const IpAddress& b) {
    return a.size_ == b.size_ && a.bytes_ == b.bytes_;
  }

 private:
  friend class IpPrefix;
  // Without the rules about zones and IPv4 inside IPv6. `zone` (unless null): whether one is
  // there. Errors: only what is wrong, without `text`.
  static absl::StatusOr<IpAddress> ParseAny(std::string_view text, bool* zone);
  static absl::StatusOr<IpAddress> ParseV4(std::string_view text);
  static absl::StatusOr<IpAddress> ParseV6(std::string_view text, bool* zone);
  bool IsMappedV4() const;

  std::array<uint8_t, 16> bytes_{};  // Those beyond size_ are 0.
  size_t size_ = 4;
};

class IpPrefix {
 public:
  static absl::StatusOr<IpPrefix> Parse(std::string_view text);

  const IpAddress& address() const { return address_; }
  int bits() const { return bits_; }
  // Bytes that hold the prefix.
  size_t size() const { return (static_cast<size_t>(bits_) + 7) / 8; }
  bool Contains(const IpAddress& address) const;
  bool Contains(const IpPrefix& other) const;
  IpPrefix Masked() const { return IpPrefix(address_.Masked(bits_), bits_); }
  std::string ToString() const;

  friend bool operator==(const IpPrefix& a, const IpPrefix& b) {
    return a.address_ == b.address_ && a.bits_ == b.bits_;
  }

 private:
  IpPrefix(IpAddress address, int bits) : address_(address), bits_(bits) {}

  IpAddress address_;
  int bits_ = 0;
};

}  // namespace bth::cel
