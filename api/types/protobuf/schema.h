// The protobuf messages of the built-in kinds.
//
// Numbers and names are those of the public API. A field is `NUMBERjsonName` with `:TYPE` unless
// it is text:
//   i whole number, b boolean, y bytes, q quantity, n number or text, t time to the second,
//   u time to the microsecond, r JSON text, group.Name another message.
// Before the type: `*` list, `%` map with text keys, `!` present even when zero, `^` a message
// whose fields stand in the object itself.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace bth::types {

std::span<const std::string_view> CoreMessagesFirst();
std::span<const std::string_view> CoreMessagesSecond();
std::span<const std::string_view> OtherMessages();

struct ProtoField {
  std::string name;
  std::string type = "s";  // Without the marks below.
  bool list = false;
  bool map = false;
  bool always = false;
  bool inlined = false;
};
using ProtoMessage = std::map<uint32_t, ProtoField>;

// "apps" of "apps", "core" of "", "rbac" of "rbac.authorization.k8s.io"; empty for the groups of
// custom resources, which have no messages. A kind's message is "PACKAGE.KIND".
std::string PackageOfGroup(std::string_view group);

// Null when the message is not known. Parsed on first use, then shared; thread-safe.
const ProtoMessage* FindMessage(std::string_view name);

}  // namespace bth::types
