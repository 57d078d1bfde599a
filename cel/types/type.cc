#include "cel/types/type.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace bth::cel {
namespace {

constexpr size_t kPrintedBytesMax = 4000;

void Print(const Type& type, std::string* out) {
  if (out->size() > kPrintedBytesMax) return;
  switch (type.kind()) {
    case TypeKind::kAny:
      *out += "any";
      return;
    case TypeKind::kError:
      *out += "!error!";
      return;
    case TypeKind::kNull:
      *out += "null";
      return;
    case TypeKind::kDuration:
      *out += "duration";
      return;
    case TypeKind::kTimestamp:
      *out += "timestamp";
      return;
    default:
      if (type.is_wrapper()) *out += "wrapper(";
      *out += type.name();
      if (type.is_wrapper()) *out += ")";
  }
  if (type.parameters().empty()) return;
  *out += "(";
  for (size_t i = 0; i < type.parameters().size(); ++i) {
    if (i > 0) *out += ", ";
    Print(*type.parameters()[i], out);
  }
  *out += ")";
}

}  // namespace

Type::Type(TypeKind kind, std::string name, std::vector<TypePtr> parameters)
    : kind_(kind), name_(std::move(name)), parameters_(std::move(parameters)) {
  uint64_t count = 1;
  for (const TypePtr& parameter : parameters_) count += parameter->node_count();
  node_count_ = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
}

#define BTH_CEL_SIMPLE_TYPE(Name, text)                                                  \
  const TypePtr& Type::Name() {                                                          \
    static const auto* const kType = new TypePtr(new Type(TypeKind::k##Name, text, {})); \
    return *kType;                                                                       \
  }
BTH_CEL_SIMPLE_TYPE(Dyn, "dyn")
BTH_CEL_SIMPLE_TYPE(Any, "google.protobuf.Any")
BTH_CEL_SIMPLE_TYPE(Error, "*error*")
BTH_CEL_SIMPLE_TYPE(Null, "null_type")
BTH_CEL_SIMPLE_TYPE(Bool, "bool")
BTH_CEL_SIMPLE_TYPE(Int, "int")
BTH_CEL_SIMPLE_TYPE(Uint, "uint")
BTH_CEL_SIMPLE_TYPE(Double, "double")
BTH_CEL_SIMPLE_TYPE(String, "string")
BTH_CEL_SIMPLE_TYPE(Bytes, "bytes")
BTH_CEL_SIMPLE_TYPE(Duration, "google.protobuf.Duration")
BTH_CEL_SIMPLE_TYPE(Timestamp, "google.protobuf.Timestamp")
#undef BTH_CEL_SIMPLE_TYPE

TypePtr Type::List(TypePtr element) {
  return TypePtr(new Type(TypeKind::kList, "list", {std::move(element)}));
}

TypePtr Type::Map(TypePtr key, TypePtr value) {
  return TypePtr(new Type(TypeKind::kMap, "map", {std::move(key), std::move(value)}));
}

TypePtr Type::TypeOf(TypePtr of) {
  std::vector<TypePtr> parameters;
  if (of != nullptr) parameters.push_back(std::move(of));
  return TypePtr(new Type(TypeKind::kType, "type", std::move(parameters)));
}

TypePtr Type::Optional(TypePtr of) {
  return TypePtr(new Type(TypeKind::kOptional, "optional_type", {std::move(of)}));
}

TypePtr Type::Object(std::string name, std::shared_ptr<const ObjectFields> fields) {
  auto* type = new Type(TypeKind::kObject, std::move(name), {});
  type->fields_ = std::move(fields);
  return TypePtr(type);
}

TypePtr Type::Opaque(std::string name, std::vector<TypePtr> parameters) {
  return TypePtr(new Type(TypeKind::kOpaque, std::move(name), std::move(parameters)));
}

TypePtr Type::Param(std::string name) {
  return TypePtr(new Type(TypeKind::kParam, std::move(name), {}));
}

TypePtr Type::Wrapper(const TypePtr& of) {
  auto wrapper = std::make_shared<Type>(*of);
  wrapper->is_wrapper_ = true;
  return wrapper;
}

TypePtr Type::WithSizeMax(const TypePtr& type, uint64_t size_max) {
  auto sized = std::make_shared<Type>(*type);
  sized->has_size_ = true;
  sized->size_max_ = size_max;
  return sized;
}

std::string Type::ToString() const {
  std::string text;
  Print(*this, &text);
  if (text.size() > kPrintedBytesMax) {
    text.resize(kPrintedBytesMax);
    text += "...";
  }
  return text;
}

std::string Type::RuntimeName() const {
  return name_;
}

bool operator==(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind_ != b.kind_ || a.name_ != b.name_ || a.node_count_ != b.node_count_) return false;
  return std::equal(a.parameters_.begin(), a.parameters_.end(), b.parameters_.begin(),
                    b.parameters_.end(),
                    [](const TypePtr& x, const TypePtr& y) { return x == y || *x == *y; });
}

}  // namespace bth::cel
