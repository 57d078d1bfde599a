#include "api/types/protobuf/documents.h"

#include <utility>

#include "api/types/envelope.h"
#include "api/types/protobuf/message_reader.h"
#include "base/strings.h"

namespace bth::types {
namespace {

absl::Status Broken(std::string_view what, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(what, ": protobuf: ", why));
}

}  // namespace

bool OpenProtobuf(std::string_view document, std::string_view* message) {
  if (!document.starts_with(kProtobufMagic)) return false;
  SmallMessage unknown;
  if (ReadSmallMessage(document.substr(kProtobufMagic.size()), &unknown) != nullptr) return false;
  *message = unknown.texts[unknown_field::kRaw];
  return true;
}

bool ReadProtobufStatus(std::string_view document, StatusBody* body) {
  const MessagePlan* plan = PlanOf("meta.Status", StatusBodyOps());
  std::string_view message;
  if (plan == nullptr || !OpenProtobuf(document, &message)) return false;
  MessageReader reader;
  reader.Read(*plan, message, body);
  return reader.error().ok();
}

namespace codec_internal {

bool IsReadFromProtobuf(const Resource& resource) {
  return PlanOf(resource) != nullptr;
}

absl::Status DecodeListMessage(const Resource& resource, std::string_view message,
                               const ListTarget& target) {
  const std::string what = StrCat("list of ", resource.type->plural);
  const MessagePlan* plan = PlanOf(resource);
  if (plan == nullptr) return Broken(what, "this kind has no message");
  size_t items = 0;
  WireReader list(message);
  for (WireField field; list.Next(&field);) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == list_field::kMetadata) {
      SmallMessage meta;
      if (const char* error = ReadSmallMessage(field.bytes, &meta)) return Broken(what, error);
      *target.resource_version = meta.texts[list_meta_field::kResourceVersion];
      *target.continue_token = meta.texts[list_meta_field::kContinue];
    } else if (field.number == list_field::kItems) {
      MessageReader reader;
      reader.Read(*plan, field.bytes, target.append(target.items));
      FinishItem(resource, target, reader.error(), items++);
    }
  }
  return list.error() == nullptr ? absl::OkStatus() : Broken(what, list.error());
}

absl::Status DecodeEventMessage(const Resource& resource, std::string_view message,
                                EventTarget* target) {
  constexpr std::string_view kWhat = "watch event";
  const MessagePlan* plan = PlanOf(resource);
  if (plan == nullptr) return Broken(kWhat, "this kind has no message");
  SmallMessage event;
  SmallMessage raw;
  if (const char* error = ReadSmallMessage(message, &event)) return Broken(kWhat, error);
  target->type = event.texts[watch_event_field::kType];
  if (!IsEventType(target->type)) return NotAnEvent(target->type);
  if (const char* error = ReadSmallMessage(event.texts[watch_event_field::kObject], &raw)) {
    return Broken(kWhat, error);
  }
  const std::string_view document = raw.texts[watch_event_field::kRaw];
  if (target->type == "ERROR") {
    StatusBody body;
    if (!ReadProtobufStatus(document, &body)) return Broken(kWhat, "its object is no Status");
    target->status = ToStatus(body);
    return absl::OkStatus();
  }
  std::string_view object;
  if (!OpenProtobuf(document, &object)) return Broken(kWhat, "its object has no envelope");
  MessageReader reader;
  reader.Read(*plan, object, target->object);
  FinishEvent(resource, reader.error(), target);
  return absl::OkStatus();
}

}  // namespace codec_internal
}  // namespace bth::types
