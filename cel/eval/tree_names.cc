#include "cel/eval/tree_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace bth::cel {

std::optional<std::vector<std::string>> NamesOf(const Ast& ast, ExprId id) {
  std::vector<std::string> names;
  while (ast[id].kind == ExprKind::kSelect && !ast[id].test_only) {
    names.push_back(ast[id].name);
    id = ast[id].operand;
  }
  if (ast[id].kind != ExprKind::kIdent) return std::nullopt;
  names.push_back(ast[id].name);
  std::reverse(names.begin(), names.end());
  return names;
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

const Function* FindQualified(const Environment& environment, const std::vector<std::string>& path,
                              std::string_view name) {
  std::string full;
  for (const std::string& part : path) StrAppend(&full, part, ".");
  const Function* function = FindInContainers(environment, full.append(name));
  if (function == nullptr) return nullptr;
  const bool is_called = std::any_of(function->overloads.begin(), function->overloads.end(),
                                     [](const Overload& overload) { return !overload.member; });
  return is_called ? function : nullptr;
}

}  // namespace bth::cel
