// Any bytes as an expression: no crash, bounded work, trees within their limits, and types for all
// of what is accepted.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cel/environment.h"
#include "cel/syntax/ast_builder.h"
#include "cel/syntax/parser.h"
#include "cel/types/checker.h"

namespace {

using bth::cel::Ast;
using bth::cel::ExprId;

// Each node is below one other at most, and none deeper than the parser says.
void CheckTree(const Ast& ast, const bth::cel::ParseLimits& limits) {
  BTH_CHECK(ast.nodes.size() <= limits.nodes_max);
  std::vector<bool> seen(ast.nodes.size());
  std::vector<std::pair<ExprId, int>> todo = {{ast.root, 1}};
  while (!todo.empty()) {
    const auto [id, depth] = todo.back();
    todo.pop_back();
    BTH_CHECK(depth <= 4 * limits.depth_max);
    BTH_CHECK(!seen[static_cast<size_t>(id)]);
    seen[static_cast<size_t>(id)] = true;
    bth::cel::ForEachChild(
        ast[id], [&todo, below = depth + 1](ExprId child) { todo.emplace_back(child, below); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  bth::cel::ParseOptions options;
  options.bind_macro = size % 2 == 0;
  options.quoted_names = size % 3 == 0;
  auto ast = bth::cel::Parse(source, options);
  if (!ast.ok()) {
    BTH_CHECK(!ast.status().message().empty());
    BTH_CHECK(ast.status().message().size() < 2'000'000);
    return 0;
  }
  CheckTree(*ast, options.limits);
  static const auto* const kEnvironment = [] {
    auto* environment =
        new std::shared_ptr<bth::cel::Environment>(bth::cel::Environment::Standard()->Extend());
    (*environment)->Add(bth::cel::Variable{"d", bth::cel::Type::Dyn()});
    return environment;
  }();
  const auto checked = bth::cel::Check(*std::move(ast), **kEnvironment);
  if (!checked.ok()) {
    BTH_CHECK(!checked.status().message().empty());
    return 0;
  }
  CheckTree(checked->ast, options.limits);
  for (const auto& type : checked->types) BTH_CHECK(type != nullptr);
  BTH_CHECK(!checked->result()->ToString().empty());
  return 0;
}
