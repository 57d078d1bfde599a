#include "cel/eval/candidates.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

constexpr uint32_t Bit(ValueKind kind) {
  return uint32_t{1} << static_cast<unsigned>(kind);
}
constexpr uint32_t kAnyKind = ~uint32_t{0};

// The kinds of values that a parameter takes.
uint32_t KindsOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kNull:
      return Bit(ValueKind::kNull);
    case TypeKind::kBool:
      return Bit(ValueKind::kBool);
    case TypeKind::kInt:
      return Bit(ValueKind::kInt);
    case TypeKind::kUint:
      return Bit(ValueKind::kUint);
    case TypeKind::kDouble:
      return Bit(ValueKind::kDouble);
    case TypeKind::kString:
      return Bit(ValueKind::kString);
    case TypeKind::kBytes:
      return Bit(ValueKind::kBytes);
    case TypeKind::kDuration:
      return Bit(ValueKind::kDuration);
    case TypeKind::kTimestamp:
      return Bit(ValueKind::kTimestamp);
    case TypeKind::kList:
      return Bit(ValueKind::kList);
    case TypeKind::kMap:
      return Bit(ValueKind::kMap);
    case TypeKind::kType:
      return Bit(ValueKind::kType);
    case TypeKind::kOptional:
      return Bit(ValueKind::kOptional);
    case TypeKind::kObject:
      return Bit(ValueKind::kObject);
    case TypeKind::kOpaque:
      return Bit(ValueKind::kOpaque);
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kError:
    case TypeKind::kParam:
      return kAnyKind;
  }
  return kAnyKind;
}

bool IsTextFunction(std::string_view function) {
  return function == "contains" || function == "startsWith" || function == "endsWith" ||
         function == "matches";
}

// Operators and the standard functions that share one implementation.
bool IsStandardForm(std::string_view function) {
  const char first = function.empty() ? '_' : function[0];
  return first == '_' || first == '!' || first == '-' || first == '@' || function == "size" ||
         IsTextFunction(function);
}

// As cel-go names the kinds of values that are no containers.
std::string_view GoKindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "types.Null";
    case ValueKind::kBool:
      return "types.Bool";
    case ValueKind::kInt:
      return "types.Int";
    case ValueKind::kUint:
      return "types.Uint";
    case ValueKind::kDouble:
      return "types.Double";
    case ValueKind::kString:
      return "types.String";
    case ValueKind::kBytes:
      return "types.Bytes";
    case ValueKind::kDuration:
      return "types.Duration";
    case ValueKind::kTimestamp:
      return "types.Timestamp";
    case ValueKind::kType:
      return "*types.Type";
    case ValueKind::kOptional:
      return "*types.Optional";
    default:
      return "object";
  }
}

bool Takes(const Candidate& candidate, std::span<const Value> args) {
  if (candidate.kinds.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if ((candidate.kinds[i] & Bit(args[i].kind())) == 0) return false;
  }
  if (!candidate.has_opaque) return true;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type& wanted = *candidate.overload->parameters[i];
    if (wanted.kind() != TypeKind::kOpaque) continue;
    if (wanted.name() != args[i].AsOpaque().type()->name()) return false;
  }
  return true;
}

}  // namespace

Candidate MakeCandidate(const Overload& overload) {
  Candidate candidate;
  candidate.overload = &overload;
  for (const TypePtr& parameter : overload.parameters) {
    candidate.kinds.push_back(KindsOf(parameter->kind()));
    candidate.has_opaque = candidate.has_opaque || parameter->kind() == TypeKind::kOpaque;
  }
  return candidate;
}

uint32_t FirstKinds(const Function& function) {
  uint32_t kinds = 0;
  for (const Overload& overload : function.overloads) {
    if (!overload.parameters.empty()) kinds |= KindsOf(overload.parameters[0]->kind());
  }
  return kinds;
}

const Candidate* PickCandidate(const CallSite& call, std::span<const Value> args) {
  for (const Candidate& candidate : call.candidates) {
    if (candidate.overload->run && Takes(candidate, args)) return &candidate;
  }
  return nullptr;
}

// The forms follow cel-go, where what a value cannot do at all is told from what it cannot do with
// the others.
Value NoCandidate(const CallSite& call, std::span<const Value> args) {
  const bool is_unknown = call.first_kinds == 0 && call.candidates.empty();
  if (is_unknown) return Value::Error(StrCat("no such overload: ", call.function));
  if (!IsStandardForm(call.function)) {
    std::string types;
    for (const Value& arg : args) {
      StrAppend(&types, types.empty() ? "" : ", ", arg.type()->RuntimeName());
    }
    return Value::Error(StrCat("no such overload: ", call.function, "(", types, ")"));
  }
  const bool is_named = args.size() == 2 || call.function == "size";
  if (is_named && !args.empty() && (call.first_kinds & Bit(args[0].kind())) == 0 &&
      !IsTextFunction(call.function)) {
    return Value::Error(StrCat("no such overload: ", call.function));
  }
  return Value::Error("no such overload");
}

Value NotIterable(const Value& range) {
  return Value::Error(StrCat("got '", GoKindName(range.kind()), "', expected iterable type"));
}

Value NotOptional(const Value* key, const Value& value) {
  const std::string what = value.DebugText();
  if (key == nullptr) {
    return Value::Error(
        StrCat("cannot initialize optional list element from non-optional value ", what));
  }
  return Value::Error(StrCat("cannot initialize optional entry '", KeyText(*key),
                             "' from non-optional value ", what));
}

}  // namespace bth::cel
