#include "nodesim/address_pool.h"

#include <cstdio>
#include <optional>

#include "base/digest.h"
#include "base/strings.h"

namespace bth::nodesim {
namespace {

constexpr uint32_t kAddresses = 1 << 24;
constexpr int kTriesMax = 1000;  // Then two pods share one; nobody connects to it anyway.

std::optional<uint32_t> ParseAddress(const std::string& text) {
  unsigned a = 0, b = 0, c = 0;
  if (std::sscanf(text.c_str(), "10.%u.%u.%u", &a, &b, &c) != 3) return std::nullopt;
  if (a > 255 || b > 255 || c > 255) return std::nullopt;
  return (a << 16) | (b << 8) | c;
}

}  // namespace

uint32_t AddressPool::Take(const types::Pod& pod) {
  Digest digest;
  digest.Add(pod.meta.uid);
  uint32_t address = static_cast<uint32_t>(digest.value() % kAddresses);
  if (const std::optional<uint32_t> had = ParseAddress(pod.status.pod_ip)) address = *had;
  for (int i = 0; i < kTriesMax && !taken_.insert(address).second; ++i) {
    address = (address + 1) % kAddresses;
  }
  return address;
}

std::string AddressPool::Text(uint32_t address) {
  return StrCat("10.", address >> 16, ".", (address >> 8) & 255, ".", address & 255);
}

}  // namespace bth::nodesim
