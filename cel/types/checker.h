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
  // The qualified name of a variable, constant or type; of a local variable its name. With a
  // leading dot: the environment's, though a local variable has that name.
  std::string name;
  const NamedConstant* constant = nullptr;  // The environment's.
  std::vector<const Overload*> overloads;  // Candidates of a call that fit; the run picks by value.
};

struct CheckedAst {
  // Rewritten to what names mean: qualified variables a.b.c and struct names are one identifier
  // with their full name, as in `references`, namespaced functions a.b.f(x) are global calls. Nodes
  // that became part of a name belong to nothing.
  Ast ast;
  // No type variables are left. A name of type `type` without constant is that of an object type.
  std::vector<TypePtr> types;
  std::vector<Reference> references;
  TypePtr result() const { return types[static_cast<size_t>(ast.root)]; }
};

// Errors: kInvalidArgument, texts as cel-go's (`undeclared reference to 'x' (in container '')`,
// `found no matching overload for '_+_' applied to '(int, string)'` ...), at most
// ParseLimits::errors_max of them. Time and memory are bounded by the size of the tree and by
// Inference::kStepsMax; the stack does not grow with the tree.
absl::StatusOr<CheckedAst> Check(Ast ast, const Environment& environment);

}  // namespace bth::cel
