// What expressions may name: variables, functions with their overloads, libraries, limits. Built
// once, then only read; shared by the programs that were compiled in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/parser.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::cel {

struct Variable {
  std::string name;  // May be qualified: "object.metadata".
  TypePtr type;
};

// A value known when the environment is made: enumerations, type names.
struct NamedConstant {
  std::string name;
  TypePtr type;
  Value value;
};

// Size of a value as cost counts it: strings code points, bytes bytes, containers elements, else 1.
uint64_t SizeOf(const Value& value);

// A range of estimates, saturating.
struct CostRange {
  uint64_t min = 0;
  uint64_t max = 0;
};
struct SizeRange {
  uint64_t min = 0;
  uint64_t max = UINT64_MAX;
  // Of an argument that is a list of strings or bytes: the size of its largest element. Else, and
  // where it is not known, there is no bound.
  uint64_t element_max = UINT64_MAX;
  // Of an argument that is a list: whether its elements are strings or bytes.
  bool has_text_elements = false;
  // Of an argument that is a constant of type int.
  std::optional<int64_t> literal = std::nullopt;
};

// What a call costs beyond its arguments. Absent: 1.
using RunCost = std::function<uint64_t(std::span<const Value> args, const Value& result)>;
struct CallEstimate {
  CostRange cost;
  SizeRange result;  // Of its result's size.
};
using EstimateCost = std::function<CallEstimate(std::span<const SizeRange> args)>;

// args[0] is the target of a member call. Errors: a Value::Error. Arguments are never errors unless
// the overload is not strict. Any thread.
using Implementation = std::function<Value(std::span<const Value> args)>;

struct Overload {
  std::string id;  // "string_to_int"
  bool member = false;
  std::vector<TypePtr> parameters;  // With the target first.
  TypePtr result;
  Implementation run;
  RunCost run_cost;
  EstimateCost estimate;
};

struct Function {
  std::string name;
  std::vector<Overload> overloads;
};

// A message of protocol buffers that stands for a value of the language: Name{field: value} makes
// that value. Its name is a type to the check alone: when run there is no such name.
struct Message {
  std::string name;  // "google.protobuf.Int32Value"
  TypePtr type;      // Of what it stands for: wrapper(int).
  std::shared_ptr<const ObjectFields> fields;
  // Of the fields that are given, in their order; none is an error. Errors: a Value::Error. Adds to
  // *members how many values it went through, which the caller bounds by cost. Any thread.
  using GivenField = std::pair<std::string_view, Value>;
  std::function<Value(std::span<const GivenField> given, uint64_t* members)> make;
};

struct CheckedAst;
class Diagnostics;
// What a library asks of expressions beyond their types: faults are reported once they are checked.
using ExpressionRule = std::function<void(const CheckedAst& checked, Diagnostics& diagnostics)>;

class Environment {
 public:
  // With the functions of the language definition (stdlib/) and its types' names.
  static std::shared_ptr<Environment> Standard();
  // A copy to which more can be added; functions are shared.
  std::shared_ptr<Environment> Extend() const;

  // Overloads join those of the same name; one with the id and parameters of another replaces it.
  // Errors: an overload that collides with one that is there.
  absl::Status Add(Function function);
  void Add(Variable variable);
  void Add(NamedConstant constant);
  void Add(Message message);
  void set_container(std::string name) { container_ = std::move(name); }
  void AddRule(ExpressionRule rule) { rules_.push_back(std::move(rule)); }
  // Names of object types that may be built: Type{field: value}.
  void AddObjectType(TypePtr type);

  const Function* FindFunction(std::string_view name) const;
  const Variable* FindVariable(std::string_view name) const;
  const NamedConstant* FindConstant(std::string_view name) const;
  TypePtr FindType(std::string_view name) const;
  const Message* FindMessage(std::string_view name) const;
  const std::vector<ExpressionRule>& rules() const { return rules_; }
  const std::string& container() const { return container_; }

  ParseOptions parse_options;
  // Lists and maps whose members are of different types, of which dyn is one, are refused, as in
  // Kubernetes; in what is given to format() they may be.
  bool homogeneous_literals = true;

 private:
  std::unordered_map<std::string, std::shared_ptr<const Function>> functions_;
  std::unordered_map<std::string, Variable> variables_;
  std::unordered_map<std::string, NamedConstant> constants_;
  std::unordered_map<std::string, TypePtr> types_;
  std::unordered_map<std::string, std::shared_ptr<const Message>> messages_;
  std::vector<ExpressionRule> rules_;
  std::string container_;
};

}  // namespace bth::cel
