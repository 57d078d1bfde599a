#include "apiserver/protobuf/decode.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "api/types/protobuf/schema.h"
#include "api/types/protobuf/wire.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Json;
using types::ProtoField;
using types::ProtoMessage;
using types::SmallMessage;
using types::WireField;
using types::WireReader;
using types::WireType;

constexpr int kMessageDepthMax = 64;

absl::Status Broken(std::string_view why) {
  return absl::InvalidArgumentError(StrCat("the protobuf body cannot be read: ", why));
}

absl::Status Whole(const WireReader& reader) {
  return reader.error() == nullptr ? absl::OkStatus() : Broken(reader.error());
}

absl::StatusOr<SmallMessage> ReadSmall(std::string_view bytes) {
  SmallMessage small;
  if (const char* error = types::ReadSmallMessage(bytes, &small)) return Broken(error);
  return small;
}

// Nothing stands for a zero that JSON leaves out.
using MaybeJson = absl::StatusOr<std::optional<Json>>;

MaybeJson TimeValue(std::string_view bytes, bool micro, bool always) {
  BTH_ASSIGN_OR_RETURN(const SmallMessage small, ReadSmall(bytes));
  const auto seconds = static_cast<int64_t>(small.numbers[1]);
  if (seconds == 0 && !always) return std::optional<Json>();
  const absl::Time time =
      absl::FromUnixSeconds(seconds) + absl::Nanoseconds(static_cast<int64_t>(small.numbers[2]));
  return std::optional<Json>(micro ? types::FormatMicroTimestamp(time)
                                   : types::FormatTimestamp(time));
}

absl::StatusOr<Json> RawValue(std::string_view bytes) {
  BTH_ASSIGN_OR_RETURN(const SmallMessage small, ReadSmall(bytes));
  if (small.texts[1].empty()) return Json();
  return Json::Parse(small.texts[1]);
}

class Decoder {
 public:
  absl::Status Message(const ProtoMessage& schema, std::string_view bytes, Json& into, int depth) {
    if (depth > kMessageDepthMax) return Broken("it is nested too deeply");
    WireReader reader(bytes);
    for (WireField field; reader.Next(&field);) {
      const auto known = schema.find(field.number);
      if (known == schema.end()) continue;
      BTH_RETURN_IF_ERROR(Member(known->second, field, into, depth));
    }
    return Whole(reader);
  }

 private:
  absl::Status Member(const ProtoField& schema, const WireField& field, Json& into, int depth) {
    if (schema.inlined) {
      const ProtoMessage* message = types::FindMessage(schema.type);
      if (message == nullptr || field.type != WireType::kBytes) return Broken(schema.type);
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

  absl::Status MapEntry(const ProtoField& schema, const WireField& field, Json& into, int depth) {
    if (field.type != WireType::kBytes) return Broken(schema.name);
    std::string key;
    std::optional<Json> value;
    WireReader reader(field.bytes);
    for (WireField part; reader.Next(&part);) {
      if (part.number == 1) key = part.bytes;
      if (part.number != 2) continue;
      BTH_ASSIGN_OR_RETURN(value, Value(schema.type, part, true, depth + 1));
    }
    BTH_RETURN_IF_ERROR(Whole(reader));
    // Of a key given twice the parser at the end keeps the last.
    into[schema.name].MutableMembers().emplace_back(
        std::move(key), value.has_value() ? *std::move(value) : Json(""));
    return absl::OkStatus();
  }

  MaybeJson Value(const std::string& type, const WireField& field, bool always, int depth) {
    const bool number = type == "i" || type == "b";
    if (number != (field.type == WireType::kVarint)) return Broken("a field has the wrong type");
    std::optional<Json> value;
    if (type == "i") {
      if (always || field.value != 0) value = Json(static_cast<int64_t>(field.value));
    } else if (type == "b") {
      if (always || field.value != 0) value = Json(field.value != 0);
    } else if (type == "s") {
      if (always || !field.bytes.empty()) value = Json(field.bytes);
    } else if (type == "y") {
      value = Json(Base64Escape(field.bytes));
    } else if (type == "t" || type == "u") {
      return TimeValue(field.bytes, type == "u", always);
    } else if (type == "r") {
      BTH_ASSIGN_OR_RETURN(value, RawValue(field.bytes));
    } else if (type == "q" || type == "n") {
      BTH_ASSIGN_OR_RETURN(const SmallMessage small, ReadSmall(field.bytes));
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

  MaybeJson Nested(const std::string& type, const WireField& field, bool always, int depth) {
    const ProtoMessage* message = types::FindMessage(type);
    if (message == nullptr || field.type != WireType::kBytes) return Broken(type);
    Json object = Json::MakeObject();
    BTH_RETURN_IF_ERROR(Message(*message, field.bytes, object, depth + 1));
    if (object.empty() && !always) return std::optional<Json>();
    return std::optional<Json>(std::move(object));
  }
};

std::string PackageOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return types::PackageOfGroup(slash == api_version.npos ? "" : api_version.substr(0, slash));
}

}  // namespace

absl::StatusOr<Json> DecodeProtobuf(std::string_view body) {
  if (!body.starts_with(types::kProtobufMagic)) return Broken("it has no envelope");
  BTH_ASSIGN_OR_RETURN(const SmallMessage envelope,
                       ReadSmall(body.substr(types::kProtobufMagic.size())));
  BTH_ASSIGN_OR_RETURN(const SmallMessage type,
                       ReadSmall(envelope.texts[types::unknown_field::kTypeMeta]));
  const std::string_view version = type.texts[types::type_meta_field::kApiVersion];
  const std::string kind(type.texts[types::type_meta_field::kKind]);
  // Every group has the options of deletions; they are one message.
  const std::string name =
      kind == "DeleteOptions" ? "meta.DeleteOptions" : StrCat(PackageOf(version), ".", kind);
  const ProtoMessage* message = types::FindMessage(name);
  if (message == nullptr) {
    return absl::InvalidArgumentError(
        StrCat("objects of the kind ", kind, " (", version,
               ") are not read as protobuf here; send them as application/json"));
  }
  Json object = Json::MakeObject({{"apiVersion", version}, {"kind", kind}});
  BTH_RETURN_IF_ERROR(
      Decoder().Message(*message, envelope.texts[types::unknown_field::kRaw], object, 0));
  // Once through the parser, so that texts are known to be UTF-8 as everywhere else, and the keys
  // of maps to be different ones.
  return Json::Parse(object.Dump());
}

}  // namespace bth::apiserver
