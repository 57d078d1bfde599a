#include "api/types/protobuf/message_plan.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/types/protobuf/schema.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::types {
namespace {

std::optional<WireKind> KindOf(std::string_view type) {
  if (type == "i") return WireKind::kInt;
  if (type == "b") return WireKind::kBool;
  if (type == "s") return WireKind::kText;
  if (type == "y") return WireKind::kBytes;
  if (type == "q") return WireKind::kQuantity;
  if (type == "n") return WireKind::kIntOrString;
  if (type == "t") return WireKind::kTime;
  if (type == "u") return WireKind::kMicroTime;
  if (type == "r") return std::nullopt;  // JSON inside of protobuf.
  return WireKind::kMessage;
}

class Planner {
 public:
  const MessagePlan* Get(std::string_view message, const TypeOps& ops) {
    const Key key(message, &ops);
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second.get();
    const ProtoMessage* schema = FindMessage(message);
    std::unique_ptr<MessagePlan> plan;
    if (schema != nullptr && ops.shape == Shape::kObject) plan = Make(*schema, ops);
    return plans_.emplace(key, std::move(plan)).first->second.get();
  }

 private:
  using Key = std::pair<std::string, const TypeOps*>;

  std::unique_ptr<MessagePlan> Make(const ProtoMessage& schema, const TypeOps& ops) {
    auto plan = std::make_unique<MessagePlan>();
    plan->ops = &ops;
    for (const auto& [number, proto] : schema) {
      FieldPlan field;
      if (!Join(proto, ops, &field)) return nullptr;
      if (field.ops == nullptr) continue;
      BTH_CHECK(plan->fields.size() < 255);
      if (plan->at.size() <= number) plan->at.resize(number + 1);
      plan->fields.push_back(field);
      plan->at[number] = static_cast<uint8_t>(plan->fields.size());
      if (field.ops->shape == Shape::kMap) plan->maps.push_back(field);
    }
    return plan;
  }

  // False: the member cannot be read from protobuf. Leaves `out` empty when there is no member.
  bool Join(const ProtoField& proto, const TypeOps& ops, FieldPlan* out) {
    if (proto.inlined) {
      const MessagePlan* inner = Get(proto.type, ops);
      if (inner == nullptr) return false;
      if (!inner->fields.empty()) *out = {WireKind::kMessage, true, {}, nullptr, &ops, inner};
      return true;
    }
    const FieldDef* member = ops.fields->Find(proto.name, 0);
    if (member == nullptr) return true;
    const std::optional<WireKind> kind = KindOf(proto.type);
    const TypeOps* value = &member->ops();
    if (!kind.has_value() || proto.list != (value->shape == Shape::kList) ||
        proto.map != (value->shape == Shape::kMap)) {
      return false;
    }
    FieldPlan field = {*kind, proto.always, member->name, member->get, value, nullptr};
    if (proto.list || proto.map) value = &value->element();
    while (value->shape == Shape::kOptional) value = &value->element();
    if (kind == WireKind::kMessage) {
      field.message = Get(proto.type, *value);
      if (field.message == nullptr) return false;
    } else if (value->shape != Shape::kScalar) {
      return false;
    }
    *out = field;
    return true;
  }

  std::map<Key, std::unique_ptr<MessagePlan>> plans_;
};

}  // namespace

const MessagePlan* PlanOf(std::string_view message, const TypeOps& ops) {
  static std::mutex mutex;
  static Planner* const planner = new Planner();  // Readers may outlive static destruction.
  const std::lock_guard<std::mutex> lock(mutex);
  return planner->Get(message, ops);
}

const MessagePlan* PlanOf(const codec_internal::Resource& resource) {
  const std::string package = PackageOfGroup(resource.type->group);
  if (package.empty()) return nullptr;
  return PlanOf(StrCat(package, ".", resource.type->kind), *resource.ops);
}

}  // namespace bth::types
