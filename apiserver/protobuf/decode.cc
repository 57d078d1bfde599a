#include "apiserver/protobuf/decode.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "apiserver/protobuf/schema.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Json;

constexpr std::string_view kMagic{"k8s\0", 4};
constexpr int kMessageDepthMax = 64;

absl::Status Broken(std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("the protobuf body cannot be read: ", ToAbsl(why)));
}

// One field on the wire.
struct Field {
  uint32_t number = 0;
  int wire = 0;
  uint64_t value = 0;      // Of numbers.
  std::string_view bytes;  // Of everything else.
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  absl::StatusOr<Field> Next() {
    BTH_ASSIGN_OR_RETURN(const uint64_t key, Varint());
    Field field;
    field.number = static_cast<uint32_t>(key >> 3);
    field.wire = static_cast<int>(key & 7);
    if (field.number == 0) return Broken("field number 0");
    switch (field.wire) {
      case 0: {
        BTH_ASSIGN_OR_RETURN(field.value, Varint());
        return field;
      }
      case 1:
      case 5: {
        BTH_ASSIGN_OR_RETURN(field.bytes, Take(field.wire == 1 ? 8 : 4));
        return field;
      }
      case 2: {
        BTH_ASSIGN_OR_RETURN(const uint64_t length, Varint());
        BTH_ASSIGN_OR_RETURN(field.bytes, Take(length));
        return field;
      }
      default:
        return Broken("unknown wire type");
    }
  }

 private:
  absl::StatusOr<uint64_t> Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return Broken("it ends in the middle");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return Broken("a number is too long");
  }
  absl::StatusOr<std::string_view> Take(uint64_t length) {
    if (length > rest_.size()) return Broken("it ends in the middle");
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return piece;
  }

  std::string_view rest_;
};

// The numbers and texts of a small message by field number.
struct Small {
  uint64_t numbers[4] = {};
  std::string_view texts[5];
};

absl::StatusOr<Small> ReadSmall(std::string_view bytes) {
  Small small;
  for (Reader reader(bytes); !reader.done();) {
    BTH_ASSIGN_OR_RETURN(const Field field, reader.Next());
    if (field.wire == 0 && field.number < std::size(small.numbers)) {
      small.numbers[field.number] = field.value;
    } else if (field.wire == 2 && field.number < std::size(small.texts)) {
      small.texts[field.number] = field.bytes;
    }
  }
  return small;
}

// Nothing stands for a zero that JSON leaves out.
using MaybeJson = absl::StatusOr<std::optional<Json>>;

MaybeJson TimeValue(std::string_view bytes, bool micro, bool always) {
  BTH_ASSIGN_OR_RETURN(const Small small, ReadSmall(bytes));
  const auto seconds = static_cast<int64_t>(small.numbers[1]);
  if (seconds == 0 && !always) return std::optional<Json>();
  const absl::Time time =
      absl::FromUnixSeconds(seconds) + absl::Nanoseconds(static_cast<int64_t>(small.numbers[2]));
  const char* format = micro ? "%Y-%m-%dT%H:%M:%E6SZ" : "%Y-%m-%dT%H:%M:%SZ";
  return std::optional<Json>(absl::FormatTime(format, time, absl::UTCTimeZone()));
}

absl::StatusOr<Json> RawValue(std::string_view bytes) {
  BTH_ASSIGN_OR_RETURN(const Small small, ReadSmall(bytes));
  if (small.texts[1].empty()) return Json();
  return Json::Parse(small.texts[1]);
}

class Decoder {
 public:
  absl::Status Message(const ProtoMessage& schema, std::string_view bytes, Json& into, int depth) {
    if (depth > kMessageDepthMax) return Broken("it is nested too deeply");
    for (Reader reader(bytes); !reader.done();) {
      BTH_ASSIGN_OR_RETURN(const Field field, reader.Next());
      const auto known = schema.find(field.number);
      if (known == schema.end()) continue;
      BTH_RETURN_IF_ERROR(Member(known->second, field, into, depth));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Member(const ProtoField& schema, const Field& field, Json& into, int depth) {
    if (schema.inlined) {
      const ProtoMessage* message = FindMessage(schema.type);
      if (message == nullptr || field.wire != 2) return Broken(schema.type);
      return Message(*message, field.bytes, into, depth + 1);
    }
    if (schema.map) return MapEntry(schema, field, into, depth);
    BTH_ASSIGN_OR_RETURN(std::optional<Json> value,
                         Value(schema.type, field, schema.always || schema.list, depth));
    if (!value.has_value()) return absl::OkStatus();
    if (schema.list) {
      into[schema.name].MutableItems().push_back(*std::move(value));
    } else {
      into.Set(schema.name, *std::move(value));
    }
    return absl::OkStatus();
  }

  absl::Status MapEntry(const ProtoField& schema, const Field& field, Json& into, int depth) {
    if (field.wire != 2) return Broken(schema.name);
    std::string key;
    std::optional<Json> value;
    for (Reader reader(field.bytes); !reader.done();) {
      BTH_ASSIGN_OR_RETURN(const Field part, reader.Next());
      if (part.number == 1) key = part.bytes;
      if (part.number != 2) continue;
      BTH_ASSIGN_OR_RETURN(value, Value(schema.type, part, true, depth + 1));
    }
    into[schema.name].Set(key, value.has_value() ? *std::move(value) : Json(""));
    return absl::OkStatus();
  }

  MaybeJson Value(const std::string& type, const Field& field, bool always, int depth) {
    const bool number = type == "i" || type == "b";
    if (number != (field.wire == 0)) return Broken("a field has the wrong type");
    std::optional<Json> value;
    if (type == "i") {
      if (always || field.value != 0) value = Json(static_cast<int64_t>(field.value));
    } else if (type == "b") {
      if (always || field.value != 0) value = Json(field.value != 0);
    } else if (type == "s") {
      if (always || !field.bytes.empty()) value = Json(field.bytes);
    } else if (type == "y") {
      value = Json(absl::Base64Escape(ToAbsl(field.bytes)));
    } else if (type == "t" || type == "u") {
      return TimeValue(field.bytes, type == "u", always);
    } else if (type == "r") {
      BTH_ASSIGN_OR_RETURN(value, RawValue(field.bytes));
    } else if (type == "q" || type == "n") {
      BTH_ASSIGN_OR_RETURN(const Small small, ReadSmall(field.bytes));
      if (type == "q") {
        value = small.texts[1].empty() ? Json("0") : Json(small.texts[1]);
      } else {
        value = small.numbers[1] == 0 ? Json(int64_t{static_cast<int32_t>(small.numbers[2])})
                                      : Json(small.texts[3]);
      }
    } else {
      return Nested(type, field, always, depth);
    }
    return value;
  }

  MaybeJson Nested(const std::string& type, const Field& field, bool always, int depth) {
    const ProtoMessage* message = FindMessage(type);
    if (message == nullptr || field.wire != 2) return Broken(type);
    Json object = Json::MakeObject();
    BTH_RETURN_IF_ERROR(Message(*message, field.bytes, object, depth + 1));
    if (object.empty() && !always) return std::optional<Json>();
    return std::optional<Json>(std::move(object));
  }
};

// "apps" of "apps/v1", "core" of "v1", "rbac" of "rbac.authorization.k8s.io/v1".
std::string PackageOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == api_version.npos) return "core";
  const std::string_view group = api_version.substr(0, slash);
  const size_t dot = group.find('.');
  if (dot != group.npos && !group.ends_with(".k8s.io")) return "";
  return std::string(group.substr(0, dot));
}

}  // namespace

absl::StatusOr<Json> DecodeProtobuf(std::string_view body) {
  if (!body.starts_with(kMagic)) return Broken("it has no envelope");
  BTH_ASSIGN_OR_RETURN(const Small envelope, ReadSmall(body.substr(kMagic.size())));
  BTH_ASSIGN_OR_RETURN(const Small type, ReadSmall(envelope.texts[1]));
  const std::string_view version = type.texts[1];
  const std::string kind(type.texts[2]);
  // Every group has the options of deletions; they are one message.
  const std::string name =
      kind == "DeleteOptions" ? "meta.DeleteOptions" : absl::StrCat(PackageOf(version), ".", kind);
  const ProtoMessage* message = FindMessage(name);
  if (message == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("objects of the kind ", kind, " (", ToAbsl(version),
                     ") are not read as protobuf here; send them as application/json"));
  }
  Json object = Json::MakeObject({{"apiVersion", version}, {"kind", kind}});
  BTH_RETURN_IF_ERROR(Decoder().Message(*message, envelope.texts[2], object, 0));
  // Once through the parser, so that texts are known to be UTF-8 as everywhere else.
  return Json::Parse(object.Dump());
}

}  // namespace bth::apiserver
