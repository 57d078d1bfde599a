#include "api/types/codec.h"

#include "absl/strings/ascii.h"
#include "api/types/decoder.h"
#include "api/types/encoder.h"
#include "api/types/envelope.h"
#include "api/types/reader.h"
#include "base/strings.h"

namespace bth::types::codec_internal {
namespace {

absl::Status Finish(const absl::Status& read, const Decoder& decoder, const Resource& resource,
                    const void* object) {
  return NameObject(read.ok() ? decoder.error() : read, resource, resource.meta(object));
}

// The event's type when it is the first member and there are no blanks, as all known servers send
// it; else empty.
std::string_view LeadingType(std::string_view line) {
  constexpr std::string_view kStart = "{\"type\":\"";
  if (line.substr(0, kStart.size()) != kStart) return {};
  line.remove_prefix(kStart.size());
  const std::string_view type = line.substr(0, line.find('"'));
  return IsEventType(type) ? type : std::string_view();
}

// Reads an event whose type is not known beforehand, by way of a tree.
absl::Status DecodeLooseEvent(const Resource& resource, std::string_view line,
                              EventTarget* target) {
  BTH_ASSIGN_OR_RETURN(const Json tree, Json::Parse(line, {line.size(), kDecodeDepthMax}));
  target->type = std::string(tree["type"].AsString());
  if (!IsEventType(target->type)) return NotAnEvent(target->type);
  if (target->type == "ERROR") {
    StatusBody body;
    Decoder decoder(StatusBodyOps(), &body);
    ReadTree(tree["object"], &decoder);
    target->status = ToStatus(body);
    return absl::OkStatus();
  }
  Decoder decoder(*resource.ops, target->object);
  ReadTree(tree["object"], &decoder);
  FinishEvent(resource, decoder.error(), target);
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeText(const Resource& resource, std::string text, void* object) {
  Decoder decoder(*resource.ops, object, resource.type->kind);
  return Finish(ReadInPlace(&text, &decoder), decoder, resource, object);
}

absl::Status DecodeJson(const Resource& resource, const Json& json, void* object) {
  Decoder decoder(*resource.ops, object, resource.type->kind);
  ReadTree(json, &decoder);
  return Finish(absl::OkStatus(), decoder, resource, object);
}

absl::Status DecodeListText(const Resource& resource, std::string text, const ListTarget& target) {
  ListEnvelope envelope;
  envelope.items = {&resource, &target};
  Decoder decoder(ListEnvelopeOps(), &envelope);
  absl::Status status = ReadInPlace(&text, &decoder);
  if (status.ok()) status = decoder.error();
  if (!status.ok()) return Annotate(status, StrCat("list of ", resource.type->plural));
  *target.resource_version = std::move(envelope.resource_version);
  *target.continue_token = std::move(envelope.continue_token);
  return absl::OkStatus();
}

absl::Status DecodeEventText(const Resource& resource, std::string line, EventTarget* target) {
  const std::string type(LeadingType(line));
  if (type.empty()) return DecodeLooseEvent(resource, line, target);
  StatusBody body;
  EventEnvelope envelope;
  const bool is_error = type == "ERROR";
  envelope.object = is_error ? DynamicTarget{&StatusBodyOps(), &body}
                             : DynamicTarget{resource.ops, target->object};
  Decoder decoder(EventEnvelopeOps(), &envelope);
  BTH_RETURN_IF_ERROR(Annotate(ReadInPlace(&line, &decoder), "watch event"));
  if (envelope.type != type) return NotAnEvent(envelope.type);
  target->type = type;
  if (is_error) {
    target->status = ToStatus(body);
  } else {
    FinishEvent(resource, decoder.error(), target);
  }
  return absl::OkStatus();
}

std::string EncodeText(const Resource& resource, const void* object) {
  std::string out = "{\"apiVersion\":\"";
  out.append(resource.type->ApiVersion()).append("\",\"kind\":\"");
  out.append(resource.type->kind).push_back('"');
  AppendFields(*resource.ops, object, /*first=*/false, &out);
  out.push_back('}');
  return out;
}

std::vector<std::string> ListFieldPaths(const Resource& resource) {
  std::vector<std::string> paths;
  AppendFieldPaths(*resource.ops, "", &paths);
  return paths;
}

}  // namespace bth::types::codec_internal
