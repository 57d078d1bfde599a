// Type check: gives each node its type, each name its declaration and each call its overloads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cel/environment.h"
#include "cel/syntax/ast.h"
#include "cel/types/type.h"

namespace bth::cel {

// What the check found out of a node; by ExprId.
struct Reference {
  std::string name;                         // The qualified name of a variable, constant or type.
  const NamedConstant* constant = nullptr;  // The environment's.
  std::vector<const Overload*> overloads;  // Candidates of a call that fit; the run picks by value.
};

struct CheckedAst {
  Ast ast;
  std::vector<TypePtr> types;
  std::vector<Reference> references;
  TypePtr result() const { return types[static_cast<size_t>(ast.root)]; }
};

// Errors: kInvalidArgument, texts as cel-go's (`undeclared reference to 'x' (in container '')`,
// `found no matching overload for '_+_' applied to '(int, string)'` ...), at most 100 of them.
absl::StatusOr<CheckedAst> Check(Ast ast, const Environment& environment);

}  // namespace bth::cel
