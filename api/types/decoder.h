// Fills typed structs from the events of a JSON reader, guided by field tables. Private to this
// folder's .cc files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/types/codec.h"
#include "api/types/raw_tree.h"
#include "api/types/type_ops.h"

namespace bth::types {

// What a kDynamic value is read into; looked at when the value begins.
struct DynamicTarget {
  const TypeOps* ops = nullptr;
  void* object = nullptr;
};

// What a kItems array is read into.
struct ItemsTarget {
  const codec_internal::Resource* resource = nullptr;
  const codec_internal::ListTarget* list = nullptr;
};

// One document. A value of a wrong type, or beyond a limit, is skipped and noted; the rest is still
// read, so that the name of a malformed object is known, and the others of its list are not
// affected. The text behind keys must stay valid while reading.
class Decoder {
 public:
  // `kind` must equal the document's when both are non-empty.
  Decoder(const TypeOps& ops, void* target, std::string_view kind = {});

  // Events, in the order of the document.
  void Value(const Scalar& value);
  void Key(std::string_view key);
  void StartObject();
  void StartArray();
  void End();

  // What is inside of the container that has begun is not looked at, and may be nested as deep as
  // its writer liked: who tells the events may leave it out.
  bool passes_over() const { return skipped_ > 0 && depth_ >= kDecodeDepthMax; }
  // The first thing that was wrong in the document (in the current item, inside of a list).
  const absl::Status& error() const { return error_; }

 private:
  struct Frame {
    const TypeOps* ops;
    void* target;
    std::string_view key;  // The member being read.
    size_t index = 0;      // Of a list: elements begun. Of an object: the field expected next.
  };

  // What the next value is read into; ops is null when it is skipped.
  struct Slot {
    const TypeOps* ops = nullptr;
    void* target = nullptr;
  };

  // Takes the slot of the value that begins now.
  Slot TakeSlot();
  // Whether the value that begins now, inside of a raw view, is kept in raw_.
  bool TakeRawSlot();
  void Resolve(Slot* slot) const;
  void Start(Shape shape, Shape other_shape, std::string_view found);
  bool is_full() const { return elements_ > kElementsMax; }
  // False: the object has too many, and this one is left out.
  bool CountElement();
  void ReadView(const TypeOps& ops, void* view);
  void BeginItem();
  void EndItem();
  void Fail(std::string reason);
  void FailType(const TypeOps& ops, std::string_view found);
  std::string Path() const;

  std::vector<Frame> frames_;
  Slot next_;
  std::string_view expected_kind_;
  std::string kind_;
  RawTree raw_;
  int depth_ = 0;
  int skipped_ = 0;  // Open brackets of the value that is being skipped.
  size_t elements_ = 0;
  size_t path_base_ = 0;  // Frames that error paths leave out: those around the object.
  size_t items_ = 0;
  const ItemsTarget* list_ = nullptr;
  absl::Status error_;
};

// Closes the item number `index` (from 0) of a list: one with an error, or without a name, is taken
// out and told.
void FinishItem(const codec_internal::Resource& resource, const codec_internal::ListTarget& list,
                absl::Status error, size_t index);

// `status` with "pod default/a: " before its message.
absl::Status NameObject(const absl::Status& status, const codec_internal::Resource& resource,
                        const ObjectMeta& meta, std::string_view fallback = {});

}  // namespace bth::types
