// Builds TypeOps from C++ types at compile time. Included only by the *_fields.cc files:
//
//   BTH_FIELDS(SchedulingGate, Field<&SchedulingGate::name>("name"));
//
// Inner structs come before the structs that contain them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/types/codec.h"
#include "api/types/raw_view.h"
#include "api/types/sorted_map.h"
#include "api/types/text_codec.h"
#include "api/types/type_ops.h"
#include "api/types/word.h"

namespace bth::types {

// Defined for std::string, bool, int32_t, int64_t, Quantity, absl::Time, MicroTime,
// absl::Duration, SelectorOp and IntOrString in scalar_fields.cc, and for each struct by
// BTH_FIELDS.
template <class T>
const TypeOps& OpsOf();

template <class T>
struct ContainerOps {
  static constexpr const TypeOps& (*kGet)() = &OpsOf<T>;
};

template <class T>
struct ContainerOps<std::vector<T>> {
  static const TypeOps& Get() {
    static constexpr TypeOps kOps = {
        .shape = Shape::kList,
        .expected = "an array",
        .empty = [](const void* p) { return static_cast<const std::vector<T>*>(p)->empty(); },
        .element = ContainerOps<T>::kGet,
        .append = [](void* p, std::string_view) -> void* {
          return &static_cast<std::vector<T>*>(p)->emplace_back();
        },
        .reserve = [](void* p, size_t size) { static_cast<std::vector<T>*>(p)->reserve(size); },
        .size = [](const void* p) { return static_cast<const std::vector<T>*>(p)->size(); },
        .at = [](const void* p, size_t index) -> const void* {
          return &(*static_cast<const std::vector<T>*>(p))[index];
        },
    };
    return kOps;
  }
  static constexpr const TypeOps& (*kGet)() = &Get;
};

template <class T>
struct ContainerOps<SortedMap<T>> {
  using Map = SortedMap<T>;
  static const TypeOps& Get() {
    static constexpr TypeOps kOps = {
        .shape = Shape::kMap,
        .expected = "an object",
        .empty = [](const void* p) { return static_cast<const Map*>(p)->empty(); },
        .element = ContainerOps<T>::kGet,
        .append = [](void* p, std::string_view key) -> void* {
          return &static_cast<Map*>(p)->Append(key);
        },
        .finish = [](void* p) { static_cast<Map*>(p)->Sort(); },
        .size = [](const void* p) { return static_cast<const Map*>(p)->size(); },
        .at = [](const void* p, size_t index) -> const void* {
          return &(static_cast<const Map*>(p)->begin() + static_cast<std::ptrdiff_t>(index))
                      ->second;
        },
        .key = [](const void* p, size_t index) -> std::string_view {
          return (static_cast<const Map*>(p)->begin() + static_cast<std::ptrdiff_t>(index))->first;
        },
    };
    return kOps;
  }
  static constexpr const TypeOps& (*kGet)() = &Get;
};

template <class T>
struct ContainerOps<std::optional<T>> {
  static const TypeOps& Get() {
    static constexpr TypeOps kOps = {
        .shape = Shape::kOptional,
        .empty =
            [](const void* p) { return !static_cast<const std::optional<T>*>(p)->has_value(); },
        .element = ContainerOps<T>::kGet,
        .append = [](void* p, std::string_view) -> void* {
          return &static_cast<std::optional<T>*>(p)->emplace();
        },
        .at = [](const void* p, size_t) -> const void* {
          return &**static_cast<const std::optional<T>*>(p);
        },
    };
    return kOps;
  }
  static constexpr const TypeOps& (*kGet)() = &Get;
};

template <class T>
struct ContainerOps<RawView<T>> {
  static const TypeOps& Get() {
    static constexpr TypeOps kOps = {
        .shape = Shape::kRaw,
        .expected = "an object",
        .element = ContainerOps<T>::kGet,
        .append = [](void* p, std::string_view) -> void* {
          auto* view = static_cast<RawView<T>*>(p);
          *view = {};  // Of keys that come twice, the last value.
          return &view->raw;
        },
        .at = [](const void* p, size_t) -> const void* {
          return &static_cast<const RawView<T>*>(p)->view;
        },
        .raw = [](void* p) { return &static_cast<RawView<T>*>(p)->raw; },
    };
    return kOps;
  }
  static constexpr const TypeOps& (*kGet)() = &Get;
};

template <class E>
struct ContainerOps<Word<E>> {
  static const TypeOps& Get() {
    static constexpr TypeOps kOps = {
        .shape = Shape::kScalar,
        .expected = "a string",
        .set =
            [](void* p, const Scalar& value, std::string*) {
              if (value.kind != ScalarKind::kString) return false;
              *static_cast<Word<E>*>(p) = Word<E>(value.text);
              return true;
            },
        .write =
            [](const void* p, std::string* out) {
              AppendJsonString(static_cast<const Word<E>*>(p)->text(), out);
            },
        .empty = [](const void* p) { return static_cast<const Word<E>*>(p)->empty(); },
        .takes_any_text = true};
    return kOps;
  }
  static constexpr const TypeOps& (*kGet)() = &Get;
};

template <class MemberPointer>
struct MemberOf;
template <class C, class V>
struct MemberOf<V C::*> {
  using Class = C;
  using Value = V;
};

// A member that has a JSON name of its own.
template <auto kMember>
constexpr FieldDef Field(std::string_view name, When when = When::kNotEmpty) {
  using Class = typename MemberOf<decltype(kMember)>::Class;
  using Value = typename MemberOf<decltype(kMember)>::Value;
  return {name, [](void* object) -> void* { return &(static_cast<Class*>(object)->*kMember); },
          ContainerOps<Value>::kGet, when};
}

// A JSON object without a struct of its own: `ops` describes fields of the same C++ object.
constexpr FieldDef Part(std::string_view name, const TypeOps& (*ops)(),
                        When when = When::kNotEmpty) {
  return {name, [](void* object) { return object; }, ops, when};
}

using CheckFunction = bool (*)(const void*, std::string*);

// The named resource, its table and how to reach its metadata.
template <class T>
const ObjectMeta& MetaOf(const void* object) {
  return static_cast<const T*>(object)->meta;
}

}  // namespace bth::types

#define BTH_TRIED_OBJECT_OPS(CHECK, SCRATCH, ...)                                     \
  static constexpr FieldDef kFields[] = {__VA_ARGS__};                                \
  static constexpr FieldTable kTable = {kFields, sizeof(kFields) / sizeof(FieldDef)}; \
  static constexpr TypeOps kOps = {.shape = Shape::kObject,                           \
                                   .expected = "an object",                           \
                                   .with_scratch = SCRATCH,                           \
                                   .fields = &kTable,                                 \
                                   .check = CHECK};                                   \
  return kOps

#define BTH_OBJECT_OPS(CHECK, ...) BTH_TRIED_OBJECT_OPS(CHECK, nullptr, __VA_ARGS__)

// The table of a struct.
#define BTH_FIELDS(Type, ...)             \
  template <>                             \
  const TypeOps& OpsOf<Type>() {          \
    BTH_OBJECT_OPS(nullptr, __VA_ARGS__); \
  }

// The same with a check of the whole value.
#define BTH_CHECKED_FIELDS(Type, Check, ...)                      \
  template <>                                                     \
  const TypeOps& OpsOf<Type>() {                                  \
    BTH_TRIED_OBJECT_OPS(Check, &WithScratch<Type>, __VA_ARGS__); \
  }

// A function for Part.
#define BTH_PART(Name, ...)               \
  const TypeOps& Name() {                 \
    BTH_OBJECT_OPS(nullptr, __VA_ARGS__); \
  }

// Names the kind of a struct and makes it decodable. `Namespaced` is true or false.
#define BTH_RESOURCE(Type, Group, Version, Plural, Kind, Namespaced)                  \
  template <>                                                                         \
  const ResourceType& ResourceTraits<Type>::type() {                                  \
    static const ResourceType kType = {Group, Version, Plural, Kind, Namespaced};     \
    return kType;                                                                     \
  }                                                                                   \
  template <>                                                                         \
  const codec_internal::Resource& codec_internal::ResourceOf<Type>() {                \
    static const Resource kResource = {&OpsOf<Type>(), &ResourceTraits<Type>::type(), \
                                       &MetaOf<Type>};                                \
    return kResource;                                                                 \
  }
