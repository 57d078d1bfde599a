// Reading and writing the typed structs of this folder as JSON. Pure functions, any thread.
//
// Unknown fields are skipped. An error says where: `pod default/a: spec.containers[0].resources.
// requests.cpu: quantity "1x": expected ...`. Null stands for an absent field.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/meta.h"
#include "api/types/resource.h"
#include "base/status.h"

namespace bth::types {

// How an answer of the API server is written, or an object that we write.
enum class Encoding : uint8_t { kJson, kProtobuf };

struct TypeOps;  // The field tables; private to this folder.

// Limits of one document. The transport limits its bytes.
inline constexpr int kDecodeDepthMax = 64;
// Elements of all arrays and maps of one object together.
inline constexpr size_t kElementsMax = 200'000;
// Of so many malformed items a list tells what is wrong with each; of the others, that they are.
inline constexpr size_t kMalformedMax = 10'000;
// As in Kubernetes: keys and values of all annotations of an object.
inline constexpr size_t kAnnotationBytesMax = size_t{256} << 10;

// An item that could not be read; the others of its list are not affected.
struct Malformed {
  std::string ns;
  std::string name;  // empty when the name itself is missing or malformed
  std::string uid;
  absl::Status status;
};

template <class T>
struct ListResult {
  std::string resource_version;
  std::string continue_token;
  std::vector<T> items;
  std::vector<Malformed> malformed;
};

template <class T>
struct WatchEvent {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kError;
  T object;                      // Bookmarks carry metadata.resourceVersion only.
  std::string resource_version;  // of the object
  // Bookmark only: all objects that existed when the watch began have been sent.
  bool initial_events_end = false;
  // kError: what the server said (410 is kOutOfRange). Other types: why the object is malformed;
  // its metadata is filled as far as it could be read.
  absl::Status status;
};

namespace codec_internal {

struct Resource {
  const TypeOps* ops;
  const ResourceType* type;
  const ObjectMeta& (*meta)(const void* object);
};
template <class T>
const Resource& ResourceOf();

// Where a list puts its items.
struct ListTarget {
  void* items;
  void* (*append)(void* items);
  const void* (*last)(void* items);
  void (*drop_last)(void* items);
  std::vector<Malformed>* malformed;
  std::string* resource_version;
  std::string* continue_token;
};

struct EventTarget {
  void* object;
  std::string type;
  bool initial_events_end = false;
  absl::Status status;
};

absl::Status DecodeText(const Resource& resource, std::string text, void* object);
absl::Status DecodeJson(const Resource& resource, const Json& json, void* object);
absl::Status DecodeListText(const Resource& resource, std::string text, const ListTarget& target);
absl::Status DecodeEventText(const Resource& resource, std::string line, EventTarget* target);
// protobuf/documents.cc
absl::Status DecodeListMessage(const Resource& resource, std::string_view message,
                               const ListTarget& target);
absl::Status DecodeEventMessage(const Resource& resource, std::string_view message,
                                EventTarget* target);
bool IsReadFromProtobuf(const Resource& resource);
std::string EncodeText(const Resource& resource, const void* object);
std::vector<std::string> ListFieldPaths(const Resource& resource);

}  // namespace codec_internal

// Reads one object from a text. A `kind` other than T's is an error; a missing one is not. (The
// constraint keeps texts from being taken for a Json.)
template <class T, std::convertible_to<std::string_view> Text>
absl::StatusOr<T> Decode(const Text& text) {
  T object;
  BTH_RETURN_IF_ERROR(codec_internal::DecodeText(codec_internal::ResourceOf<T>(),
                                                 std::string(std::string_view(text)), &object));
  return object;
}

template <class T>
absl::StatusOr<T> Decode(const Json& json) {
  T object;
  BTH_RETURN_IF_ERROR(codec_internal::DecodeJson(codec_internal::ResourceOf<T>(), json, &object));
  return object;
}

// Whether lists and watches of T may be asked for as protobuf: core kinds, but not custom ones.
template <class T>
bool IsReadFromProtobuf() {
  return codec_internal::IsReadFromProtobuf(codec_internal::ResourceOf<T>());
}

// Reads a list response, parsing JSON in place. Of protobuf `text` is the list's message itself,
// without the envelope.
template <class T>
absl::StatusOr<ListResult<T>> DecodeList(std::string text,  // NOLINT: it is moved below.
                                         Encoding encoding = Encoding::kJson) {
  ListResult<T> result;
  const codec_internal::ListTarget target = {
      &result.items,
      [](void* items) -> void* { return &static_cast<std::vector<T>*>(items)->emplace_back(); },
      [](void* items) -> const void* { return &static_cast<std::vector<T>*>(items)->back(); },
      [](void* items) { static_cast<std::vector<T>*>(items)->pop_back(); },
      &result.malformed,
      &result.resource_version,
      &result.continue_token};
  const codec_internal::Resource& resource = codec_internal::ResourceOf<T>();
  if (encoding == Encoding::kProtobuf) {
    BTH_RETURN_IF_ERROR(codec_internal::DecodeListMessage(resource, text, target));
  } else {
    BTH_RETURN_IF_ERROR(codec_internal::DecodeListText(resource, std::move(text), target));
  }
  return result;
}

// Reads one line of a watch, or one frame. An error means that the line itself is not an event.
template <class T>
absl::StatusOr<WatchEvent<T>> DecodeWatchEvent(std::string line,  // NOLINT: moved below.
                                               Encoding encoding = Encoding::kJson) {
  using Type = typename WatchEvent<T>::Type;
  WatchEvent<T> event;
  codec_internal::EventTarget target = {&event.object, {}, false, absl::OkStatus()};
  const codec_internal::Resource& resource = codec_internal::ResourceOf<T>();
  if (encoding == Encoding::kProtobuf) {
    BTH_RETURN_IF_ERROR(codec_internal::DecodeEventMessage(resource, line, &target));
  } else {
    BTH_RETURN_IF_ERROR(codec_internal::DecodeEventText(resource, std::move(line), &target));
  }
  event.type = target.type == "ADDED"      ? Type::kAdded
               : target.type == "MODIFIED" ? Type::kModified
               : target.type == "DELETED"  ? Type::kDeleted
               : target.type == "BOOKMARK" ? Type::kBookmark
                                           : Type::kError;
  event.resource_version = event.object.meta.resource_version;
  event.initial_events_end = target.initial_events_end;
  event.status = std::move(target.status);
  return event;
}

// The object with apiVersion and kind, known and non-empty fields only: for objects that we build
// ourselves. Never write back an object that was read: fields unknown here would be lost.
template <class T>
std::string Encode(const T& object) {
  return codec_internal::EncodeText(codec_internal::ResourceOf<T>(), &object);
}

// Every field that T reads, in the order of its tables: "spec.containers[].name",
// "metadata.labels{}".
template <class T>
std::vector<std::string> FieldPaths() {
  return codec_internal::ListFieldPaths(codec_internal::ResourceOf<T>());
}

}  // namespace bth::types
