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

bool Decoder::Key(std::string_view key) {
  if (skipped_ > 0) return true;
  if (raw_.open()) {
    raw_.Key(key);
    return CountElement();
  }
  Frame& frame = frames_.back();
  frame.key = key;
  next_ = {};
  if (frame.ops->shape == Shape::kMap) {
    if (!CountElement()) return false;
    next_ = {&frame.ops->element(), frame.ops->append(frame.target, key)};
  } else if (const FieldDef* field = frame.ops->fields->Find(key, frame.index)) {
    frame.index = static_cast<size_t>(field - frame.ops->fields->fields) + 1;
    next_ = {&field->ops(), field->get(frame.target)};
  } else if (frames_.size() == 1 && !expected_kind_.empty() && key == "kind") {
    next_ = {&StringOps(), &kind_};
  }
  return true;
}

bool Decoder::CountElement() {
  if (++elements_ <= kElementsMax) return true;
  refusal_ = StrCat("more than ", kElementsMax, " elements in one object");
  return false;
}

bool Decoder::TakeSlot(Slot* slot) {
  if (frames_.empty() || frames_.back().ops->shape == Shape::kObject ||
      frames_.back().ops->shape == Shape::kMap) {
    *slot = std::exchange(next_, Slot{});
  } else if (Frame& frame = frames_.back(); frame.ops->shape == Shape::kList) {
    if (!CountElement()) return false;
    ++frame.index;
    *slot = {&frame.ops->element(), frame.ops->append(frame.target, {})};
  } else {
    BeginItem();
    *slot = {list_->resource->ops, list_->list->append(list_->list->items)};
  }
  if (slot->ops != nullptr && slot->ops->shape == Shape::kDynamic) {
    const auto* dynamic = static_cast<const DynamicTarget*>(slot->target);
    *slot = {dynamic->ops, dynamic->object};
    path_base_ = frames_.size();
  }
  return true;
}

void Decoder::Resolve(Slot* slot) const {
  while (slot->ops->shape == Shape::kOptional) {
    slot->target = slot->ops->append(slot->target, {});
    slot->ops = &slot->ops->element();
  }
}

bool Decoder::Value(const Scalar& value) {
  if (skipped_ > 0) return true;
  if (raw_.open()) return RawValue(value);
  Slot slot;
  if (!TakeSlot(&slot)) return false;
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
  return refusal_.empty();
}

bool Decoder::StartObject() {
  if (raw_.open()) return RawStart(Json::MakeObject());
  return Start(Shape::kObject, Shape::kMap, "an object");
}
bool Decoder::StartArray() {
  if (raw_.open()) return RawStart(Json::MakeArray());
  return Start(Shape::kList, Shape::kItems, "an array");
}

bool Decoder::Deepen() {
  if (++depth_ <= kDecodeDepthMax) return true;
  refusal_ = StrCat("nested deeper than ", kDecodeDepthMax, " levels");
  return false;
}

bool Decoder::Start(Shape shape, Shape other_shape, std::string_view found) {
  if (!Deepen()) return false;
  if (skipped_ > 0) {
    ++skipped_;
    return true;
  }
  Slot slot;
  if (!TakeSlot(&slot)) return false;
  if (slot.ops == nullptr) {
    skipped_ = 1;
    return true;
  }
  Resolve(&slot);
  if (slot.ops->shape == Shape::kRaw && shape == Shape::kObject) {
    raw_.Begin(static_cast<Json*>(slot.ops->append(slot.target, {})));
  } else if (slot.ops->shape != shape && slot.ops->shape != other_shape) {
    FailType(*slot.ops, found);
    skipped_ = 1;
    return true;
  }
  if (slot.ops->shape == Shape::kItems) {
    list_ = static_cast<const ItemsTarget*>(slot.target);
    path_base_ = frames_.size() + 1;
  }
  frames_.push_back({slot.ops, slot.target, {}, 0});
  return true;
}

bool Decoder::EndObject() {
  if (raw_.open() && !RawEnd()) return true;
  End();
  return refusal_.empty();
}

bool Decoder::EndArray() {
  if (raw_.open() && !RawEnd()) return true;
  End();
  return refusal_.empty();
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

bool Decoder::RawValue(const Scalar& value) {
  if (raw_.in_array() && !CountElement()) return false;
  raw_.Put(value);
  return true;
}

bool Decoder::RawStart(Json container) {
  if (!Deepen() || (raw_.in_array() && !CountElement())) return false;
  raw_.Open(std::move(container));
  return true;
}

bool Decoder::RawEnd() {
  if (raw_.Close()) return true;
  --depth_;
  return false;
}

void Decoder::ReadView(const TypeOps& ops, void* view) {
  Decoder decoder(ops.element(), const_cast<void*>(ops.at(view, 0)));
  const absl::Status read = ReadTree(*ops.raw(view), &decoder);
  const absl::Status& error = read.ok() ? decoder.error() : read;
  if (error.ok() || !error_.ok()) return;
  const std::string path = Path();
  error_ = absl::InvalidArgumentError(StrCat(path, path.empty() ? "" : ".", error.message()));
}

void Decoder::BeginItem() {
  ++items_;
  elements_ = 0;
}

void Decoder::EndItem() {
  std::string refusal = FinishItem(*list_->resource, *list_->list,
                                   std::exchange(error_, absl::OkStatus()), items_ - 1);
  if (!refusal.empty()) refusal_ = std::move(refusal);
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

std::string FinishItem(const codec_internal::Resource& resource,
                       const codec_internal::ListTarget& list, absl::Status error, size_t index) {
  const ObjectMeta& meta = resource.meta(list.last(list.items));
  if (error.ok() && meta.name.empty()) {
    error = absl::InvalidArgumentError("metadata.name: missing");
  }
  if (error.ok()) return "";
  Malformed malformed{meta.ns, meta.name, meta.uid, {}};
  malformed.status = NameObject(error, resource, meta, StrCat("items[", index, "]"));
  list.drop_last(list.items);
  list.malformed->push_back(std::move(malformed));
  if (list.malformed->size() <= kMalformedMax) return "";
  return StrCat("more than ", kMalformedMax,
                " malformed items, the first: ", list.malformed->front().status.message());
}

absl::Status NameObject(const absl::Status& status, const codec_internal::Resource& resource,
                        const ObjectMeta& meta, std::string_view fallback) {
  if (status.ok()) return status;
  const std::string key = meta.name.empty() ? std::string(fallback) : meta.Key();
  return absl::Status(status.code(), StrCat(absl::AsciiStrToLower(resource.type->kind),
                                            key.empty() ? "" : " ", key, ": ", status.message()));
}

}  // namespace bth::types
