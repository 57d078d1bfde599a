// Names: variables of comprehensions, innermost first, then what the environment declares, as its
// container qualifies it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/environment.h"
#include "cel/types/type.h"

namespace bth::cel {

// What a name stands for.
struct Declared {
  std::string name;  // Qualified; with a leading dot if a local variable hides it otherwise.
  TypePtr type;
  const NamedConstant* constant = nullptr;
};

class Scopes {
 public:
  explicit Scopes(const Environment& environment) : environment_(environment) {}

  void Push(std::string name, TypePtr type) {
    locals_.emplace_back(std::move(name), std::move(type));
  }
  void Pop(size_t count) { locals_.resize(locals_.size() - count); }

  // `name` may be qualified ("a.b") and may begin with a dot, which skips the container. Order for
  // each candidate name: variables, types, constants.
  std::optional<Declared> Find(std::string_view name) const;
  // The same without locals: names of objects to be built.
  std::optional<Declared> FindGlobal(std::string_view name) const;
  // Null: not declared. `*qualified` is its full name.
  const Function* FindFunction(std::string_view name, std::string* qualified) const;
  bool IsLocal(std::string_view name) const { return Local(name) != nullptr; }

 private:
  const TypePtr* Local(std::string_view name) const;
  // Full names that `name` may mean: in the container, in those around it, in none.
  std::vector<std::string> Candidates(std::string_view name) const;
  std::optional<Declared> FindDeclared(const std::string& name) const;

  const Environment& environment_;
  std::vector<std::pair<std::string, TypePtr>> locals_;
};

}  // namespace bth::cel
