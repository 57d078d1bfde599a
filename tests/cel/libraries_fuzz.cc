// Feeds texts to what the libraries of Kubernetes read. The first byte chooses what is tried.
// Nothing may crash, and what is printed reads back as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "cel/kubernetes/ip_address.h"
#include "cel/kubernetes/name_formats.h"
#include "cel/kubernetes/semver.h"
#include "cel/kubernetes/text_format.h"
#include "cel/kubernetes/text_functions.h"
#include "cel/kubernetes/url.h"

namespace bth::cel::testing {
namespace {

void TryAddress(std::string_view text) {
  if (const auto address = IpAddress::Parse(text); address.ok()) {
    const auto again = IpAddress::Parse(address->ToString());
    BTH_CHECK(again.ok() && *again == *address && again->ToString() == address->ToString());
    BTH_CHECK(IpAddress::IsV6(text) != address->is_v4());
  }
  if (const auto prefix = IpPrefix::Parse(text); prefix.ok()) {
    const auto again = IpPrefix::Parse(prefix->ToString());
    BTH_CHECK(again.ok() && *again == *prefix);
    BTH_CHECK(prefix->Contains(*prefix) && prefix->Masked().Contains(prefix->address()));
  }
}

void TryUrl(std::string_view text) {
  const auto url = Url::Parse(text);
  BTH_CHECK(!url.ok() || Url::CheckRequest(text).ok());
  if (!url.ok()) return;
  url->Query();
  BTH_CHECK(url->host().starts_with(url->Hostname()) || url->host().starts_with('['));
  BTH_CHECK(url->host().ends_with(url->Port()));
}

void TrySemver(std::string_view text) {
  const auto version = Semver::Parse(text);
  if (version.ok()) BTH_CHECK(version->Compare(*Semver::Parse(version->ToString())) == 0);
  if (const auto loose = Semver::ParseLoosely(text); loose.ok() && version.ok()) {
    BTH_CHECK(loose->Compare(*version) == 0);
  }
}

void TryFormats(std::string_view text) {
  for (const std::string_view name : NamedFormats()) FindNamedFormat(name)->check(text);
}

void TryPrint(std::string_view text) {
  const Value args = Value::List({Value::String(std::string(text)), Value::Int(-5),
                                  Value::Double(1234567.5), Value::Bool(true), Value::Uint(7)});
  const auto printed = FormatText(text, args.AsList());
  static_cast<void>(printed);
  Quote(text);
}

void TryTexts(std::string_view text) {
  const size_t zero = std::min(text.find('\0'), text.size());
  const std::string_view whole = text.substr(0, zero), part = text.substr(zero);
  std::string joined;
  for (const std::string& piece : Split(whole, part, -1)) joined.append(piece).append(part);
  BTH_CHECK(part.empty() || joined == std::string(whole).append(part));
  Replace(whole, part, "xy", 3);
  Trim(whole);
  const int64_t last = LastIndexOf(whole, part);
  BTH_CHECK(part.empty() || (last < 0) == (*IndexOf(whole, part, 0) < 0));
}

}  // namespace
}  // namespace bth::cel::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace bth::cel::testing;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  static constexpr void (*kTries[])(std::string_view) = {TryAddress, TryUrl,   TrySemver,
                                                         TryFormats, TryPrint, TryTexts};
  kTries[bytes[0] % std::size(kTries)](text);
  return 0;
}
