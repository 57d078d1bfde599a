#include "api/types/decoder.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "api/types/reader.h"
#include "base/strings.h"

namespace bth::types {
namespace {

std::string Found(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::kNull:
      return "null";
    case ScalarKind::kBool:
      return value.truth ? "true" : "false";
    case ScalarKind::kInt:
      return StrCat("the number ", value.whole);
    case ScalarKind::kDouble:
      return StrCat("the number ", value.real);
    case ScalarKind::kString:
      return StrCat("the string \"", value.text.substr(0, 64), "\"");
    case ScalarKind::kTime:
      return "a time";
  }
  return "";
}

const TypeOps& StringOps() {
  static constexpr TypeOps kOps = {.shape = Shape::kScalar,
                                   .expected = "a string",
                                   .set = [](void* target, const Scalar& value, std::string*) {
                                     if (value.kind != ScalarKind::kString) return false;
                                     static_cast<std::string*>(target)->assign(value.text);
                                     return true;
                                   }};
  return kOps;
}

}  // namespace

Decoder::Decoder(const TypeOps& ops, void* target, std::string_view kind)
    : next_{&ops, target}, expected_kind_(kind) {
  frames_.reserve(16);
}

void Decoder::Key(std::string_view key) {
  if (skipped_ > 0) return;
  if (raw_.open()) {
    if (CountElement()) raw_.Key(key);
    return;
  }
  Frame& frame = frames_.back();
  frame.key = key;
  next_ = {};
  if (frame.ops->shape == Shape::kMap) {
    if (CountElement()) next_ = {&frame.ops->element(), frame.ops->append(frame.target, key)};
  } else if (const FieldDef* field = frame.ops->fields->Find(key, frame.index)) {
    frame.index = static_cast<size_t>(field - frame.ops->fields->fields) + 1;
    next_ = {&field->ops(), field->get(frame.target)};
  } else if (frames_.size() == 1 && !expected_kind_.empty() && key == "kind") {
    next_ = {&StringOps(), &kind_};
  }
}

bool Decoder::CountElement() {
  if (is_full()) return false;
  if (++elements_ <= kElementsMax) return true;
  Fail(StrCat("more than ", kElementsMax, " elements in one object"));
  return false;
}

Decoder::Slot Decoder::TakeSlot() {
  Slot slot;
  if (frames_.empty() || frames_.back().ops->shape == Shape::kObject ||
      frames_.back().ops->shape == Shape::kMap) {
    slot = std::exchange(next_, Slot{});
  } else if (Frame& frame = frames_.back(); frame.ops->shape == Shape::kList) {
    ++frame.index;
    if (!CountElement()) return slot;
    slot = {&frame.ops->element(), frame.ops->append(frame.target, {})};
  } else {
    BeginItem();
    slot = {list_->resource->ops, list_->list->append(list_->list->items)};
  }
  if (slot.ops != nullptr && slot.ops->shape == Shape::kDynamic) {
    const auto* dynamic = static_cast<const DynamicTarget*>(slot.target);
    slot = {dynamic->ops, dynamic->object};
    path_base_ = frames_.size();
  }
  return slot;
}

void Decoder::Resolve(Slot* slot) const {
  while (slot->ops->shape == Shape::kOptional) {
    slot->target = slot->ops->append(slot->target, {});
    slot->ops = &slot->ops->element();
  }
}

void Decoder::Value(const Scalar& value) {
  if (skipped_ > 0) return;
  if (raw_.open()) {
    if (TakeRawSlot()) raw_.Put(value);
    return;
  }
  Slot slot = TakeSlot();
  const bool is_item = !frames_.empty() && frames_.back().ops->shape == Shape::kItems;
  if (slot.ops != nullptr && value.kind != ScalarKind::kNull) {
    Resolve(&slot);
    std::string reason;
    if (slot.ops->shape != Shape::kScalar) {
      FailType(*slot.ops, Found(value));
    } else if (!slot.ops->set(slot.target, value, &reason)) {
      if (reason.empty()) {
        FailType(*slot.ops, Found(value));
      } else {
        Fail(std::move(reason));
      }
    }
  }
  if (is_item) EndItem();
}

void Decoder::StartObject() {
  Start(Shape::kObject, Shape::kMap, "an object");
}
void Decoder::StartArray() {
  Start(Shape::kList, Shape::kItems, "an array");
}

void Decoder::Start(Shape shape, Shape other_shape, std::string_view found) {
  ++depth_;
  if (skipped_ > 0) {
    ++skipped_;
    return;
  }
  if (depth_ > kDecodeDepthMax) {
    Fail(StrCat("nested deeper than ", kDecodeDepthMax, " levels"));
    skipped_ = 1;
    return;
  }
  if (raw_.open()) {
    if (TakeRawSlot()) {
      raw_.Open(shape == Shape::kObject ? Json::MakeObject() : Json::MakeArray());
    } else {
      skipped_ = 1;
    }
    return;
  }
  Slot slot = TakeSlot();
  if (slot.ops == nullptr) {
    skipped_ = 1;
    return;
  }
  Resolve(&slot);
  if (slot.ops->shape == Shape::kRaw && shape == Shape::kObject) {
    raw_.Begin(static_cast<Json*>(slot.ops->append(slot.target, {})));
  } else if (slot.ops->shape != shape && slot.ops->shape != other_shape) {
    FailType(*slot.ops, found);
    skipped_ = 1;
    return;
  }
  if (slot.ops->shape == Shape::kItems) {
    list_ = static_cast<const ItemsTarget*>(slot.target);
    path_base_ = frames_.size() + 1;
  }
  frames_.push_back({slot.ops, slot.target, {}, 0});
}

void Decoder::End() {
  --depth_;
  if (skipped_ > 0) {
    // A skipped value may be a whole item.
    if (--skipped_ == 0 && !frames_.empty() && frames_.back().ops->shape == Shape::kItems) {
      EndItem();
    }
    return;
  }
  if (raw_.open() && !raw_.Close()) return;
  const Frame frame = frames_.back();
  if (frame.ops->finish != nullptr) frame.ops->finish(frame.target);
  frames_.pop_back();
  if (frame.ops->shape == Shape::kItems) path_base_ = 0;
  if (frame.ops->shape == Shape::kRaw) ReadView(*frame.ops, frame.target);
  if (frame.ops->check != nullptr) {
    std::string reason;
    if (!frame.ops->check(frame.target, &reason)) Fail(std::move(reason));
  }
  if (list_ == nullptr && path_base_ == frames_.size()) path_base_ = 0;
  if (frames_.empty()) {
    if (!kind_.empty() && kind_ != expected_kind_) {
      Fail(StrCat("kind: is ", kind_, ", expected ", expected_kind_));
    }
  } else if (frames_.back().ops->shape == Shape::kItems) {
    EndItem();
  }
}

bool Decoder::TakeRawSlot() {
  return raw_.in_array() ? CountElement() : !is_full();
}

void Decoder::ReadView(const TypeOps& ops, void* view) {
  Decoder decoder(ops.element(), const_cast<void*>(ops.at(view, 0)));
  ReadTree(*ops.raw(view), &decoder);
  if (decoder.error().ok() || !error_.ok()) return;
  const std::string path = Path();
  error_ =
      absl::InvalidArgumentError(StrCat(path, path.empty() ? "" : ".", decoder.error().message()));
}

void Decoder::BeginItem() {
  ++items_;
  elements_ = 0;
}

void Decoder::EndItem() {
  FinishItem(*list_->resource, *list_->list, std::exchange(error_, absl::OkStatus()), items_ - 1);
}

void Decoder::FailType(const TypeOps& ops, std::string_view found) {
  Fail(StrCat("expected ", ops.expected, ", found ", found));
}

void Decoder::Fail(std::string reason) {
  if (!error_.ok()) return;
  const std::string path = Path();
  error_ = absl::InvalidArgumentError(path.empty() ? reason : StrCat(path, ": ", reason));
}

std::string Decoder::Path() const {
  std::string path;
  for (size_t i = path_base_; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (frame.ops->shape == Shape::kList) {
      StrAppend(&path, "[", frame.index - 1, "]");
    } else {
      StrAppend(&path, path.empty() ? "" : ".", frame.key.substr(0, 128));
    }
  }
  return path;
}

void FinishItem(const codec_internal::Resource& resource, const codec_internal::ListTarget& list,
                absl::Status error, size_t index) {
  const ObjectMeta& meta = resource.meta(list.last(list.items));
  if (error.ok() && meta.name.empty()) {
    error = absl::InvalidArgumentError("metadata.name: missing");
  }
  if (error.ok()) return;
  Malformed malformed{meta.ns, meta.name, meta.uid, {}};
  if (list.malformed->size() < kMalformedMax) {
    malformed.status = NameObject(error, resource, meta, StrCat("items[", index, "]"));
  } else {
    malformed.status = absl::InvalidArgumentError("malformed");
  }
  list.drop_last(list.items);
  list.malformed->push_back(std::move(malformed));
}

absl::Status NameObject(const absl::Status& status, const codec_internal::Resource& resource,
                        const ObjectMeta& meta, std::string_view fallback) {
  if (status.ok()) return status;
  const std::string key = meta.name.empty() ? std::string(fallback) : meta.Key();
  return absl::Status(status.code(), StrCat(absl::AsciiStrToLower(resource.type->kind),
                                            key.empty() ? "" : " ", key, ": ", status.message()));
}

}  // namespace bth::types
