// Names in trees, and what they may mean in the environment's container.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"
#include "cel/syntax/ast.h"

namespace bth::cel {

// a.b.c as its parts. Nothing: not only names.
std::optional<std::vector<std::string>> NamesOf(const Ast& ast, ExprId id);

// The names that `name` may stand for in the environment's container, innermost first; itself alone
// if it begins with a dot.
std::vector<std::string> NamesInContainers(const Environment& environment, std::string_view name);
const Function* FindInContainers(const Environment& environment, std::string_view name);
// The function path.name that is not called on a target, or null.
const Function* FindQualified(const Environment& environment, const std::vector<std::string>& path,
                              std::string_view name);

}  // namespace bth::cel
