// Types of values and of declarations. Immutable; passed as `TypePtr`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bth::cel {

enum class TypeKind : uint8_t {
  kDyn,
  kAny,  // As dyn, but known to be a message: of google.protobuf.Any.
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,      // parameters[0]: elements
  kMap,       // parameters: keys, values
  kType,      // parameters[0]: of what, or none
  kOptional,  // parameters[0]
  kObject,    // A declared object with fields; `name` tells it apart.
  kOpaque,    // A type of a library (kubernetes.Quantity, net.IP ...), by `name`.
  kParam,     // A type parameter of an overload, by `name`.
};

class Type;
using TypePtr = std::shared_ptr<const Type>;

// The fields of an object type. Implemented by whoever declares objects (schemas of resources).
class ObjectFields {
 public:
  virtual ~ObjectFields() = default;
  // Null: no such field.
  virtual TypePtr FieldType(std::string_view field) const = 0;
  virtual std::vector<std::string> FieldNames() const = 0;
};

class Type {
 public:
  static const TypePtr& Dyn();
  static const TypePtr& Any();
  static const TypePtr& Error();
  static const TypePtr& Null();
  static const TypePtr& Bool();
  static const TypePtr& Int();
  static const TypePtr& Uint();
  static const TypePtr& Double();
  static const TypePtr& String();
  static const TypePtr& Bytes();
  static const TypePtr& Duration();
  static const TypePtr& Timestamp();
  // Of bool, int, uint, double, string or bytes: that or null, as google.protobuf.Int32Value is.
  static TypePtr Wrapper(const TypePtr& of);
  static TypePtr List(TypePtr element);
  static TypePtr Map(TypePtr key, TypePtr value);
  static TypePtr TypeOf(TypePtr of);  // Null `of`: type without parameter.
  static TypePtr Optional(TypePtr of);
  static TypePtr Object(std::string name, std::shared_ptr<const ObjectFields> fields);
  static TypePtr Opaque(std::string name, std::vector<TypePtr> parameters = {});
  static TypePtr Param(std::string name);

  TypeKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const std::vector<TypePtr>& parameters() const { return parameters_; }
  const ObjectFields* fields() const { return fields_.get(); }

  // A wrapper has the kind of what it wraps, and is equal to it.
  bool is_wrapper() const { return is_wrapper_; }

  // How many types it is made of, itself included; stops at UINT32_MAX.
  uint32_t node_count() const { return node_count_; }

  // "list(int)", "map(string, dyn)", "duration", "optional_type(int)": as cel-go prints types in
  // messages. Very long ones are cut off.
  std::string ToString() const;
  // The name that type(x) has as a value: "list", "map", "int" ... without parameters.
  std::string RuntimeName() const;
  // Bounds of what values of this type hold, for cost estimates, if one is known. Strings: code
  // points; bytes: bytes; lists and maps: elements; whatever else schemas declare: 0.
  bool has_size() const { return has_size_; }
  uint64_t size_max() const { return size_max_; }
  static TypePtr WithSizeMax(const TypePtr& type, uint64_t size_max);

  friend bool operator==(const Type& a, const Type& b);

 private:
  Type(TypeKind kind, std::string name, std::vector<TypePtr> parameters);

  TypeKind kind_;
  std::string name_;
  std::vector<TypePtr> parameters_;
  std::shared_ptr<const ObjectFields> fields_;
  bool is_wrapper_ = false;
  bool has_size_ = false;
  uint64_t size_max_ = 0;
  uint32_t node_count_ = 1;
};

}  // namespace bth::cel
