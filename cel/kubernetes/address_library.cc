#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/ip_address.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/opaque.h"

namespace bth::cel {
namespace {

struct AddressTraits {
  static const TypePtr& type() {
    static const TypePtr kType = Type::Opaque("net.IP");
    return kType;
  }
  static bool Same(const IpAddress& a, const IpAddress& b) { return a == b; }
  static std::string Text(const IpAddress& address) { return address.ToString(); }
};
using AddressValue = Opaque<IpAddress, AddressTraits>;

struct PrefixTraits {
  static const TypePtr& type() {
    static const TypePtr kType = Type::Opaque("net.CIDR");
    return kType;
  }
  static bool Same(const IpPrefix& a, const IpPrefix& b) { return a == b; }
  static std::string Text(const IpPrefix& prefix) { return prefix.ToString(); }
};
using PrefixValue = Opaque<IpPrefix, PrefixTraits>;

Overload AddressTest(const char* id, bool (IpAddress::*test)() const) {
  return MemberCall(id, {AddressTraits::type()}, Type::Bool(),
                    OfOpaque<AddressValue>([test](const IpAddress& address) {
                      return Value::Bool((address.*test)());
                    }),
                    Nominal());
}

// A text is read once more than a value.
constexpr SizeRange kAddressBytes{4, 16};

Price ContainsPrice(bool whole_prefix, bool from_text) {
  return {[=](Arguments args, const Value&) -> uint64_t {
            const IpPrefix* prefix = PrefixValue::Of(args[0]);
            const uint64_t size = prefix == nullptr ? 1 : prefix->size();
            uint64_t cost = ScaledCost(2 * size, kTextFactor);
            if (whole_prefix) cost += ScaledCost(size, kTextFactor) + 1;
            if (from_text) cost = CostSum(cost, ScaledCost(SizeOf(args[1]), kTextFactor));
            return cost;
          },
          [=](ArgSizes args) -> CallEstimate {
            CostRange cost =
                ScaledCost(SizeRange{2 * kAddressBytes.min, 2 * kAddressBytes.max}, kTextFactor);
            if (whole_prefix) {
              cost = CostSum(CostSum(cost, ScaledCost(kAddressBytes, kTextFactor)), {1, 1});
            }
            if (from_text) cost = CostSum(cost, ScaledCost(args[1], kTextFactor));
            return {cost, {}};
          }};
}

Value ContainsAddressText(Arguments args) {
  const IpPrefix* prefix = PrefixValue::Of(args[0]);
  if (prefix == nullptr) return NoSuchOverload();
  // Kubernetes does not tell what is wrong with the text.
  const absl::StatusOr<IpAddress> address = IpAddress::Parse(args[1].AsString());
  return address.ok() ? Value::Bool(prefix->Contains(*address)) : NoSuchOverload();
}

Value ContainsAddress(Arguments args) {
  const IpPrefix* prefix = PrefixValue::Of(args[0]);
  const IpAddress* address = AddressValue::Of(args[1]);
  if (prefix == nullptr || address == nullptr) return NoSuchOverload();
  return Value::Bool(prefix->Contains(*address));
}

Value ContainsPrefixText(Arguments args) {
  const IpPrefix* prefix = PrefixValue::Of(args[0]);
  if (prefix == nullptr) return NoSuchOverload();
  return ValueOr(IpPrefix::Parse(args[1].AsString()),
                 [prefix](const IpPrefix& other) { return Value::Bool(prefix->Contains(other)); });
}

Value ContainsPrefix(Arguments args) {
  const IpPrefix* prefix = PrefixValue::Of(args[0]);
  const IpPrefix* other = PrefixValue::Of(args[1]);
  if (prefix == nullptr || other == nullptr) return NoSuchOverload();
  return Value::Bool(prefix->Contains(*other));
}

Value IsCanonical(Arguments args) {
  return ValueOr(IpAddress::Parse(args[0].AsString()), [&](const IpAddress& address) {
    return Value::Bool(address.ToString() == args[0].AsString());
  });
}

std::vector<Function> AddressFunctions() {
  const TypePtr text = Type::String(), address = AddressTraits::type();
  return {
      {"ip",
       {GlobalCall(
           "string_to_ip", {text}, address,
           [](Arguments args) {
             return ValueOr(IpAddress::Parse(args[0].AsString()), AddressValue::Make);
           },
           TextPrice(kTextFactor))}},
      {"isIP",
       {GlobalCall(
           "is_ip", {text}, Type::Bool(),
           [](Arguments args) { return Value::Bool(IpAddress::Parse(args[0].AsString()).ok()); },
           TextPrice(kTextFactor))}},
      {"ip.isCanonical",
       {GlobalCall("ip_is_canonical", {text}, Type::Bool(), IsCanonical,
                   TextPrice(2 * kTextFactor))}},
      {"family",
       {MemberCall("ip_family", {address}, Type::Int(),
                   OfOpaque<AddressValue>(
                       [](const IpAddress& value) { return Value::Int(value.is_v4() ? 4 : 6); }),
                   Nominal())}},
      {"isUnspecified", {AddressTest("ip_is_unspecified", &IpAddress::IsUnspecified)}},
      {"isLoopback", {AddressTest("ip_is_loopback", &IpAddress::IsLoopback)}},
      {"isLinkLocalMulticast",
       {AddressTest("ip_is_link_local_multicast", &IpAddress::IsLinkLocalMulticast)}},
      {"isLinkLocalUnicast",
       {AddressTest("ip_is_link_local_unicast", &IpAddress::IsLinkLocalUnicast)}},
      {"isGlobalUnicast", {AddressTest("ip_is_global_unicast", &IpAddress::IsGlobalUnicast)}},
      {"string",
       {GlobalCall("ip_to_string", {address}, text,
                   OfOpaque<AddressValue>(
                       [](const IpAddress& value) { return Value::String(value.ToString()); }))}},
  };
}

std::vector<Function> PrefixFunctions() {
  const TypePtr text = Type::String(), flag = Type::Bool();
  const TypePtr address = AddressTraits::type(), prefix = PrefixTraits::type();
  return {
      {"cidr",
       {GlobalCall(
           "string_to_cidr", {text}, prefix,
           [](Arguments args) {
             return ValueOr(IpPrefix::Parse(args[0].AsString()), PrefixValue::Make);
           },
           TextPrice(kTextFactor))}},
      {"isCIDR",
       {GlobalCall(
           "is_cidr", {text}, flag,
           [](Arguments args) { return Value::Bool(IpPrefix::Parse(args[0].AsString()).ok()); },
           TextPrice(kTextFactor))}},
      {"containsIP",
       {MemberCall("cidr_contains_ip_string", {prefix, text}, flag, ContainsAddressText,
                   ContainsPrice(false, true)),
        MemberCall("cidr_contains_ip_ip", {prefix, address}, flag, ContainsAddress,
                   ContainsPrice(false, false))}},
      {"containsCIDR",
       {MemberCall("cidr_contains_cidr_string", {prefix, text}, flag, ContainsPrefixText,
                   ContainsPrice(true, true)),
        MemberCall("cidr_contains_cidr", {prefix, prefix}, flag, ContainsPrefix,
                   ContainsPrice(true, false))}},
      {"ip",
       {MemberCall("cidr_ip", {prefix}, address, OfOpaque<PrefixValue>([](const IpPrefix& value) {
                     return AddressValue::Make(value.address());
                   }),
                   Nominal())}},
      {"prefixLength",
       {MemberCall(
           "cidr_prefix_length", {prefix}, Type::Int(),
           OfOpaque<PrefixValue>([](const IpPrefix& value) { return Value::Int(value.bits()); }),
           Nominal())}},
      {"masked",
       {MemberCall("cidr_masked", {prefix}, prefix,
                   OfOpaque<PrefixValue>(
                       [](const IpPrefix& value) { return PrefixValue::Make(value.Masked()); }),
                   Nominal())}},
      {"string",
       {GlobalCall("cidr_to_string", {prefix}, text,
                   OfOpaque<PrefixValue>(
                       [](const IpPrefix& value) { return Value::String(value.ToString()); }))}},
  };
}

}  // namespace

absl::Status AddAddressLibrary(Environment& environment) {
  NameType(environment, AddressTraits::type());
  NameType(environment, PrefixTraits::type());
  if (absl::Status status = AddAll(environment, AddressFunctions()); !status.ok()) return status;
  return AddAll(environment, PrefixFunctions());
}

}  // namespace bth::cel
