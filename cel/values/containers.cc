#include "cel/values/containers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/values/keyed_lists.h"

namespace bth::cel {
namespace {

using ListPart = std::shared_ptr<const ListView>;

// Two lists one after the other; an AVL tree whose leaves are other lists.
class JoinedList final : public ListView {
 public:
  JoinedList(ListPart left, ListPart right)
      : left_(std::move(left)),
        right_(std::move(right)),
        left_size_(left_->size()),
        size_(left_size_ + right_->size()),
        height_(1 + std::max(HeightOf(left_), HeightOf(right_))) {}

  size_t size() const override { return size_; }
  Value at(size_t index) const override {
    const JoinedList* node = this;
    for (;;) {  // Down the tree without recursion.
      const ListView* next = nullptr;
      if (index < node->left_size_) {
        next = node->left_.get();
      } else {
        index -= node->left_size_;
        next = node->right_.get();
      }
      node = dynamic_cast<const JoinedList*>(next);
      if (node == nullptr) return next->at(index);
    }
  }

  static int HeightOf(const ListPart& part) {
    const auto* joined = dynamic_cast<const JoinedList*>(part.get());
    return joined == nullptr ? 0 : joined->height_;
  }
  const ListPart& left() const { return left_; }
  const ListPart& right() const { return right_; }

 private:
  ListPart left_;
  ListPart right_;
  size_t left_size_;
  size_t size_;
  int height_;
};

const JoinedList& AsJoined(const ListPart& part) {
  return static_cast<const JoinedList&>(*part);
}

ListPart NewJoined(ListPart left, ListPart right) {
  return std::make_shared<const JoinedList>(std::move(left), std::move(right));
}

// Joins two trees whose heights differ by at most two.
ListPart RotatedJoin(const ListPart& left, const ListPart& right) {
  const int lean = JoinedList::HeightOf(left) - JoinedList::HeightOf(right);
  if (lean > 1) {
    const JoinedList& tall = AsJoined(left);
    if (JoinedList::HeightOf(tall.left()) >= JoinedList::HeightOf(tall.right())) {
      return NewJoined(tall.left(), NewJoined(tall.right(), right));
    }
    const JoinedList& middle = AsJoined(tall.right());
    return NewJoined(NewJoined(tall.left(), middle.left()), NewJoined(middle.right(), right));
  }
  if (lean < -1) {
    const JoinedList& tall = AsJoined(right);
    if (JoinedList::HeightOf(tall.right()) >= JoinedList::HeightOf(tall.left())) {
      return NewJoined(NewJoined(left, tall.left()), tall.right());
    }
    const JoinedList& middle = AsJoined(tall.left());
    return NewJoined(NewJoined(left, middle.left()), NewJoined(middle.right(), tall.right()));
  }
  return NewJoined(left, right);
}

// Recurses along one edge of the taller tree.
ListPart JoinTrees(const ListPart& left, const ListPart& right) {
  const int lean = JoinedList::HeightOf(left) - JoinedList::HeightOf(right);
  if (lean > 1) {
    const JoinedList& tall = AsJoined(left);
    return RotatedJoin(tall.left(), JoinTrees(tall.right(), right));
  }
  if (lean < -1) {
    const JoinedList& tall = AsJoined(right);
    return RotatedJoin(JoinTrees(left, tall.left()), tall.right());
  }
  return NewJoined(left, right);
}

}  // namespace

int DepthAbove(const std::vector<Value>& items) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  return depth + 1;
}

Value ConcatLists(const Value& a, const Value& b) {
  if (a.AsList().keys() != nullptr) return MergeLists(a, b);
  const size_t first = a.AsList().size();
  const size_t second = b.AsList().size();
  if (second == 0) return a;
  if (first == 0) return b;
  if (first + second > kListSizeMax) return Value::Error("list too long");
  const int depth = std::max(a.depth(), b.depth());
  constexpr size_t kCopied = 32;  // Short lists are cheaper to copy than to walk.
  if (first + second <= kCopied) {
    std::vector<Value> items;
    items.reserve(first + second);
    for (size_t i = 0; i < first; ++i) items.push_back(a.AsList().at(i));
    for (size_t i = 0; i < second; ++i) items.push_back(b.AsList().at(i));
    return Value::Of(std::make_shared<const VectorList>(std::move(items)), depth);
  }
  return Value::Of(JoinTrees(a.list(), b.list()), depth);
}

size_t MapKeyHash::operator()(const MapKey& key) const {
  const size_t kind = static_cast<size_t>(key.kind) << 1;
  if (key.kind == MapKey::Kind::kString) return std::hash<std::string_view>()(key.text) ^ kind;
  return std::hash<uint64_t>()(key.number * 0x9E3779B97F4A7C15u) ^ kind;
}

std::optional<MapKey> ToMapKey(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return MapKey{MapKey::Kind::kBool, value.AsBool() ? uint64_t{1} : uint64_t{0}, {}};
    case ValueKind::kInt: {
      const int64_t number = value.AsInt();
      return MapKey{number < 0 ? MapKey::Kind::kNegative : MapKey::Kind::kNatural,
                    static_cast<uint64_t>(number),
                    {}};
    }
    case ValueKind::kUint:
      return MapKey{MapKey::Kind::kNatural, value.AsUint(), {}};
    case ValueKind::kDouble: {
      const double number = value.AsDouble();
      if (std::trunc(number) != number) return std::nullopt;  // Fractions and NaN.
      if (number >= 0 && number < 0x1p64) {
        return MapKey{MapKey::Kind::kNatural, static_cast<uint64_t>(number), {}};
      }
      if (number < 0 && number >= -0x1p63) {
        return MapKey{
            MapKey::Kind::kNegative, static_cast<uint64_t>(static_cast<int64_t>(number)), {}};
      }
      return std::nullopt;
    }
    case ValueKind::kString:
      return MapKey{MapKey::Kind::kString, 0, value.AsString()};
    default:
      return std::nullopt;
  }
}

VectorMap::VectorMap(std::vector<std::pair<Value, Value>> entries) {
  entries_.reserve(entries.size());
  for (auto& [key, value] : entries) Insert(std::move(key), std::move(value));
}

bool VectorMap::Insert(Value key, Value value) {
  const std::optional<MapKey> wanted = ToMapKey(key);
  if (!wanted || FindEntry(*wanted) != nullptr) return false;
  entries_.emplace_back(std::move(key), std::move(value));
  if (entries_.size() == kScanned + 1) {
    for (size_t i = 0; i < entries_.size(); ++i) places_[*ToMapKey(entries_[i].first)] = i;
  } else if (entries_.size() > kScanned) {
    places_[*wanted] = entries_.size() - 1;
  }
  return true;
}

const std::pair<Value, Value>* VectorMap::FindEntry(const MapKey& key) const {
  if (entries_.size() > kScanned) {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &entries_[found->second];
  }
  for (const auto& entry : entries_) {
    if (ToMapKey(entry.first) == key) return &entry;
  }
  return nullptr;
}

std::optional<Value> VectorMap::Find(const Value& key) const {
  const std::optional<MapKey> wanted = ToMapKey(key);
  if (!wanted) return std::nullopt;
  const std::pair<Value, Value>* found = FindEntry(*wanted);
  if (found == nullptr) return std::nullopt;
  return found->second;
}

}  // namespace bth::cel
