#include "cel/types/scopes.h"

namespace bth::cel {

const TypePtr* Scopes::Local(std::string_view name) const {
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->first == name) return &local->second;
  }
  return nullptr;
}

std::vector<std::string> Scopes::Candidates(std::string_view name) const {
  if (name.starts_with('.')) return {std::string(name.substr(1))};
  std::vector<std::string> candidates;
  std::string_view container = environment_.container();
  while (!container.empty()) {
    candidates.push_back(std::string(container) + "." + std::string(name));
    const size_t dot = container.rfind('.');
    container = dot == std::string_view::npos ? std::string_view() : container.substr(0, dot);
  }
  candidates.emplace_back(name);
  return candidates;
}

std::optional<Declared> Scopes::FindDeclared(const std::string& name) const {
  if (const Variable* variable = environment_.FindVariable(name)) {
    return Declared{name, variable->type};
  }
  const NamedConstant* constant = environment_.FindConstant(name);
  if (const TypePtr type = environment_.FindType(name)) {
    return Declared{name, Type::TypeOf(type), constant};
  }
  if (constant != nullptr) return Declared{name, constant->type, constant};
  if (const Message* message = environment_.FindMessage(name)) {
    return Declared{name, Type::TypeOf(message->type)};
  }
  return std::nullopt;
}

std::optional<Declared> Scopes::Find(std::string_view name) const {
  // `.x` is the innermost x too: Kubernetes' version of the language has it so.
  const std::string_view path = name.starts_with('.') ? name.substr(1) : name;
  const std::string_view first = path.substr(0, path.find('.'));
  if (!first.empty() && IsLocal(first)) {
    // A local hides all that begins with its name: `y.z` is a field of it then.
    if (first.size() < path.size()) return std::nullopt;
    return Declared{std::string(path), *Local(path)};
  }
  std::optional<Declared> declared = FindGlobal(name);
  if (declared && IsLocal(declared->name)) declared->name = "." + declared->name;
  return declared;
}

std::optional<Declared> Scopes::FindGlobal(std::string_view name) const {
  for (const std::string& candidate : Candidates(name)) {
    if (std::optional<Declared> declared = FindDeclared(candidate)) return declared;
  }
  return std::nullopt;
}

const Function* Scopes::FindFunction(std::string_view name, std::string* qualified) const {
  for (std::string& candidate : Candidates(name)) {
    if (const Function* function = environment_.FindFunction(candidate)) {
      *qualified = std::move(candidate);
      return function;
    }
  }
  return nullptr;
}

}  // namespace bth::cel
