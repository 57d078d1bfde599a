#include "cel/environment.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/strings.h"
#include "cel/messages/well_known.h"
#include "cel/stdlib/standard.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

// True if some value may be of both types.
bool TypesMeet(const Type& a, const Type& b) {
  const auto is_open = [](const Type& type) {
    return type.kind() == TypeKind::kDyn || type.kind() == TypeKind::kParam;
  };
  if (is_open(a) || is_open(b)) return true;
  if (a.kind() != b.kind() || a.name() != b.name()) return false;
  if (a.parameters().size() != b.parameters().size()) return true;
  for (size_t i = 0; i < a.parameters().size(); ++i) {
    if (!TypesMeet(*a.parameters()[i], *b.parameters()[i])) return false;
  }
  return true;
}

bool SameSignature(const Overload& a, const Overload& b) {
  if (a.id != b.id || a.member != b.member || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!(*a.parameters[i] == *b.parameters[i])) return false;
  }
  return true;
}

bool OverloadsCollide(const Overload& a, const Overload& b) {
  if (a.id == b.id) return true;
  if (a.member != b.member || a.parameters.size() != b.parameters.size()) return false;
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!TypesMeet(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

template <typename T>
const T* FindNamed(const std::unordered_map<std::string, T>& table, std::string_view name) {
  const auto found = table.find(std::string(name));
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

uint64_t SizeOf(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
      return CountCodePoints(value.AsString());
    case ValueKind::kBytes:
      return value.AsBytes().size();
    case ValueKind::kList:
      return value.AsList().size();
    case ValueKind::kMap:
      return value.AsMap().size();
    case ValueKind::kOptional:
      return value.AsOptional() == nullptr ? 1 : SizeOf(*value.AsOptional());
    default:
      return 1;
  }
}

std::shared_ptr<Environment> Environment::Standard() {
  auto environment = std::make_shared<Environment>();
  AddStandardFunctions(*environment);
  AddStandardTypes(*environment);
  AddWellKnownMessages(*environment);
  return environment;
}

std::shared_ptr<Environment> Environment::Extend() const {
  return std::make_shared<Environment>(*this);
}

absl::Status Environment::Add(Function function) {
  const auto there = functions_.find(function.name);
  auto merged = std::make_shared<Function>();
  merged->name = function.name;
  if (there != functions_.end()) merged->overloads = there->second->overloads;
  for (Overload& overload : function.overloads) {
    Overload* same = nullptr;
    for (Overload& other : merged->overloads) {
      if (SameSignature(overload, other)) {
        same = &other;
      } else if (OverloadsCollide(overload, other)) {
        return absl::InvalidArgumentError(StrCat("function ", function.name, ": overload ",
                                                 overload.id, " collides with ", other.id));
      }
    }
    if (same != nullptr) {
      *same = std::move(overload);
    } else {
      merged->overloads.push_back(std::move(overload));
    }
  }
  functions_[merged->name] = std::move(merged);
  return absl::OkStatus();
}

void Environment::Add(Variable variable) {
  std::string name = variable.name;
  variables_[std::move(name)] = std::move(variable);
}

void Environment::Add(NamedConstant constant) {
  std::string name = constant.name;
  constants_[std::move(name)] = std::move(constant);
}

void Environment::Add(Message message) {
  std::string name = message.name;
  messages_[std::move(name)] = std::make_shared<const Message>(std::move(message));
}

void Environment::AddObjectType(TypePtr type) {
  std::string name = type->name();
  types_[std::move(name)] = std::move(type);
}

const Function* Environment::FindFunction(std::string_view name) const {
  const auto* found = FindNamed(functions_, name);
  return found == nullptr ? nullptr : found->get();
}

const Variable* Environment::FindVariable(std::string_view name) const {
  return FindNamed(variables_, name);
}

const NamedConstant* Environment::FindConstant(std::string_view name) const {
  return FindNamed(constants_, name);
}

TypePtr Environment::FindType(std::string_view name) const {
  const TypePtr* found = FindNamed(types_, name);
  return found == nullptr ? nullptr : *found;
}

const Message* Environment::FindMessage(std::string_view name) const {
  const auto* found = FindNamed(messages_, name);
  return found == nullptr ? nullptr : found->get();
}

}  // namespace bth::cel
