#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/kubernetes/opaque.h"
#include "cel/kubernetes/semver.h"

namespace bth::cel {
namespace {

struct SemverTraits {
  static const TypePtr& type() {
    static const TypePtr kType = Type::Opaque("kubernetes.Semver");
    return kType;
  }
  static bool Same(const Semver& a, const Semver& b) { return a.Compare(b) == 0; }
  static std::string Text(const Semver& version) { return version.ToString(); }
};
using SemverValue = Opaque<Semver, SemverTraits>;

absl::StatusOr<Semver> ReadSemver(Arguments args) {
  const bool loosely = args.size() > 1 && args[1].AsBool();
  return loosely ? Semver::ParseLoosely(args[0].AsString()) : Semver::Parse(args[0].AsString());
}

Value MakeSemver(Arguments args) {
  return ValueOr(ReadSemver(args), SemverValue::Make);
}

Value IsSemver(Arguments args) {
  return Value::Bool(ReadSemver(args).ok());
}

// `answer` makes the result from the order of the two.
Overload CompareSemver(const char* id, const TypePtr& result, Value (*answer)(int)) {
  const TypePtr type = SemverTraits::type();
  return MemberCall(
      id, {type, type}, result,
      [answer](Arguments args) {
        const Semver* a = SemverValue::Of(args[0]);
        const Semver* b = SemverValue::Of(args[1]);
        return a == nullptr || b == nullptr ? NoSuchOverload() : answer(a->Compare(*b));
      },
      Nominal());
}

Function SemverNumber(const char* name, const char* id, uint64_t (Semver::*get)() const) {
  return {name,
          {MemberCall(
              id, {SemverTraits::type()}, Type::Int(),
              [get](Arguments args) {
                const Semver* version = SemverValue::Of(args[0]);
                if (version == nullptr) return NoSuchOverload();
                return Value::Int(static_cast<int64_t>((version->*get)()));
              },
              Nominal())}};
}

}  // namespace

absl::Status AddSemverLibrary(Environment& environment) {
  const TypePtr text = Type::String(), flag = Type::Bool(), type = SemverTraits::type();
  return AddAll(environment,
                {{"semver",
                  {GlobalCall("string_to_semver", {text}, type, MakeSemver, TextPrice(kTextFactor)),
                   GlobalCall("string_bool_to_semver", {text, flag}, type, MakeSemver,
                              TextPrice(kTextFactor))}},
                 {"isSemver",
                  {GlobalCall("is_semver_string", {text}, flag, IsSemver, TextPrice(kTextFactor)),
                   GlobalCall("is_semver_string_bool", {text, flag}, flag, IsSemver,
                              TextPrice(kTextFactor))}},
                 {"isGreaterThan",
                  {CompareSemver("semver_is_greater_than", flag,
                                 [](int order) { return Value::Bool(order > 0); })}},
                 {"isLessThan",
                  {CompareSemver("semver_is_less_than", flag,
                                 [](int order) { return Value::Bool(order < 0); })}},
                 {"compareTo",
                  {CompareSemver("semver_compare_to", Type::Int(),
                                 [](int order) { return Value::Int(order); })}},
                 SemverNumber("major", "semver_major", &Semver::major),
                 SemverNumber("minor", "semver_minor", &Semver::minor),
                 SemverNumber("patch", "semver_patch", &Semver::patch)});
}

}  // namespace bth::cel
