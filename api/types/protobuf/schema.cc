#include "api/types/protobuf/schema.h"

#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::types {
namespace {

using Messages = std::map<std::string, ProtoMessage, std::less<>>;

void AddField(std::string_view text, ProtoMessage& message) {
  uint32_t number = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    number = number * 10 + static_cast<uint32_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  ProtoField field;
  const size_t colon = text.find(':');
  field.name = text.substr(0, colon);
  if (colon != text.npos) {
    std::string_view type = text.substr(colon + 1);
    for (bool mark = true; mark && !type.empty();) {
      switch (type.front()) {
        case '*':
          field.list = true;
          break;
        case '%':
          field.map = true;
          break;
        case '!':
          field.always = true;
          break;
        case '^':
          field.inlined = true;
          break;
        default:
          mark = false;
          continue;
      }
      type.remove_prefix(1);
    }
    field.type = type;
  }
  message[number] = std::move(field);
}

Messages ReadAll() {
  Messages messages;
  for (const auto& part : {CoreMessagesFirst(), CoreMessagesSecond(), OtherMessages()}) {
    for (std::string_view text : part) {
      ProtoMessage* message = nullptr;
      for (absl::string_view word : SplitText(text, ' ')) {
        if (message == nullptr) {
          message = &messages[std::string(word)];
        } else {
          AddField(ToStd(word), *message);
        }
      }
    }
  }
  return messages;
}

}  // namespace

std::string PackageOfGroup(std::string_view group) {
  if (group.empty()) return "core";
  const size_t dot = group.find('.');
  if (dot != group.npos && !group.ends_with(".k8s.io")) return "";
  return std::string(group.substr(0, dot));
}

const ProtoMessage* FindMessage(std::string_view name) {
  static const Messages kMessages = ReadAll();
  auto it = kMessages.find(name);
  return it == kMessages.end() ? nullptr : &it->second;
}

}  // namespace bth::types
