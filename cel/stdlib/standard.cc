#include "cel/stdlib/standard.h"

#include <string>

namespace bth::cel {
namespace {

void AddTypeName(Environment& environment, std::string name, const TypePtr& type) {
  environment.Add(NamedConstant{std::move(name), Type::TypeOf(type), Value::Of(type)});
}

}  // namespace

void AddStandardFunctions(Environment& environment) {
  AddLogicFunctions(environment);
  AddArithmeticFunctions(environment);
  AddComparisonFunctions(environment);
  AddContainerFunctions(environment);
  AddTextFunctions(environment);
  AddConversionFunctions(environment);
  AddTimeFunctions(environment);
}

void AddStandardTypes(Environment& environment) {
  AddTypeName(environment, "bool", Type::Bool());
  AddTypeName(environment, "int", Type::Int());
  AddTypeName(environment, "uint", Type::Uint());
  AddTypeName(environment, "double", Type::Double());
  AddTypeName(environment, "string", Type::String());
  AddTypeName(environment, "bytes", Type::Bytes());
  AddTypeName(environment, "null_type", Type::Null());
  AddTypeName(environment, "list", Type::List(Type::Dyn()));
  AddTypeName(environment, "map", Type::Map(Type::Dyn(), Type::Dyn()));
  AddTypeName(environment, "type", Type::TypeOf(nullptr));
  AddTypeName(environment, "optional_type", Type::Optional(Type::Dyn()));
  AddTypeName(environment, "google.protobuf.Timestamp", Type::Timestamp());
  AddTypeName(environment, "google.protobuf.Duration", Type::Duration());
}

}  // namespace bth::cel
