// Calls that stand for other expressions: has(), all(), map(), optMap() and the like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cel/syntax/ast.h"
#include "cel/syntax/ast_builder.h"
#include "cel/syntax/diagnostics.h"
#include "cel/syntax/parser.h"

namespace bth::cel {

// The variable in which an expanded loop gathers its result. No source text can name it.
inline constexpr char kAccumulator[] = "@result";
// The loop variable of loops that never run: cel.bind() and optMap() declare a variable that way.
inline constexpr char kUnusedVariable[] = "#unused";

struct MacroCall {
  int32_t offset = 0;
  ExprId target = kNoExpr;  // kNoExpr: a global call.
  std::string function;
  std::vector<ExprId> args;
};

// Nothing: the call is no macro and stays as it is. Faults of arguments are reported; the result is
// a broken node then.
std::optional<ExprId> ExpandMacro(const MacroCall& call, const ParseOptions& options,
                                  AstBuilder* builder, Diagnostics* diagnostics);

}  // namespace bth::cel
