#include "cel/eval/candidates.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"

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
    case TypeKind::kError:
    case TypeKind::kParam:
      return kAnyKind;
  }
  return kAnyKind;
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

const Candidate* PickCandidate(const CallSite& call, std::span<const Value> args) {
  for (const Candidate& candidate : call.candidates) {
    if (candidate.overload->run && Takes(candidate, args)) return &candidate;
  }
  return nullptr;
}

Value NoCandidate(const CallSite& call, std::span<const Value> args) {
  const char first = call.function.empty() ? '_' : call.function[0];
  const bool is_operator = first == '_' || first == '!' || first == '-' || first == '@';
  if (is_operator) return Value::Error("no such overload");
  std::string types;
  for (const Value& arg : args) {
    StrAppend(&types, types.empty() ? "" : ", ", arg.type()->RuntimeName());
  }
  return Value::Error(StrCat("no such overload: ", call.function, "(", types, ")"));
}

std::vector<std::string> NamesInContainers(const Environment& environment, std::string_view name) {
  if (name.starts_with('.')) return {std::string(name.substr(1))};
  std::vector<std::string> names;
  std::string_view container = environment.container();
  while (!container.empty()) {
    names.push_back(StrCat(container, ".", name));
    const size_t dot = container.rfind('.');
    container = dot == std::string_view::npos ? std::string_view() : container.substr(0, dot);
  }
  names.emplace_back(name);
  return names;
}

const Function* FindInContainers(const Environment& environment, std::string_view name) {
  for (const std::string& candidate : NamesInContainers(environment, name)) {
    if (const Function* function = environment.FindFunction(candidate)) return function;
  }
  return nullptr;
}

}  // namespace bth::cel
