// Lists, maps and objects while they are made.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cel/values/containers.h"
#include "cel/values/value.h"

namespace bth::cel {

// Entries as they are added; the first error stays.
class MapMaker final {
 public:
  void Add(Value key, Value value);
  // All entries of a map.
  void AddAll(const MapView& map);
  bool failed() const { return error_.is_error(); }
  // For maps that a comprehension builds, whose texts are others.
  void set_inserting() { is_inserting_ = true; }
  Value Take() &&;

 private:
  std::shared_ptr<VectorMap> map_ = std::make_shared<VectorMap>();
  Value error_;
  int depth_ = 0;
  bool is_inserting_ = false;
};

// An object that an expression makes.
class MadeObject final : public ObjectView {
 public:
  explicit MadeObject(TypePtr type) : type_(std::move(type)) {}
  const TypePtr& type() const override { return type_; }
  std::optional<Value> Field(std::string_view name) const override;
  std::vector<std::string> SetFields() const override;
  void Set(std::string name, Value value) { fields_[std::move(name)] = std::move(value); }

 private:
  TypePtr type_;
  std::map<std::string, Value, std::less<>> fields_;
};

// The members of a list as keys of a map, for lookups; the list itself where no map has such keys.
// Nothing: some are not plain values.
std::optional<Value> ConstantSet(const Value& list);

}  // namespace bth::cel
