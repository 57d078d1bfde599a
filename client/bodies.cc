#include "client/bodies.h"

#include "api/types/json_text.h"
#include "api/types/protobuf/document_text.h"
#include "api/types/time.h"

namespace bth::client {
namespace {

using types::DocumentText;
using types::Encoding;
using types::JsonText;

constexpr size_t kBindingBytesUsual = 320;  // Without names.
constexpr size_t kEventBytesUsual = 800;    // Without the message.

// Field numbers of the Kubernetes API.
namespace object_meta_field {
constexpr uint32_t kName = 1;
constexpr uint32_t kNamespace = 3;
constexpr uint32_t kUid = 5;
constexpr uint32_t kAnnotations = 12;
constexpr uint32_t kMapKey = 1;
constexpr uint32_t kMapValue = 2;
}  // namespace object_meta_field
namespace reference_field {
constexpr uint32_t kKind = 1;
constexpr uint32_t kNamespace = 2;
constexpr uint32_t kName = 3;
constexpr uint32_t kUid = 4;
constexpr uint32_t kApiVersion = 5;
}  // namespace reference_field
namespace binding_field {
constexpr uint32_t kMetadata = 1;
constexpr uint32_t kTarget = 2;
}  // namespace binding_field
namespace event_field {
constexpr uint32_t kMetadata = 1;
constexpr uint32_t kInvolvedObject = 2;
constexpr uint32_t kReason = 3;
constexpr uint32_t kMessage = 4;
constexpr uint32_t kSource = 5;
constexpr uint32_t kFirstTimestamp = 6;
constexpr uint32_t kLastTimestamp = 7;
constexpr uint32_t kCount = 8;
constexpr uint32_t kType = 9;
constexpr uint32_t kReportingComponent = 14;
constexpr uint32_t kReportingInstance = 15;
constexpr uint32_t kSourceComponent = 1;
constexpr uint32_t kSourceHost = 2;
constexpr uint32_t kTimeSeconds = 1;
}  // namespace event_field

std::string BindingJson(const BindRequest& request) {
  JsonText out(kBindingBytesUsual + request.pod.size() + request.namespace_name.size());
  out.Add("apiVersion", "v1").Add("kind", "Binding").Open("metadata");
  out.Add("name", request.pod).Add("namespace", request.namespace_name);
  out.AddIfAny("uid", request.uid);
  if (!request.annotations.empty()) {
    out.Open("annotations");
    for (const auto& [name, value] : request.annotations) out.Add(name, value);
    out.Close();
  }
  out.Close().Open("target");
  out.Add("apiVersion", "v1").Add("kind", "Node").Add("name", request.node).Close();
  return out.Take();
}

std::string BindingDocument(const BindRequest& request) {
  DocumentText out("v1", "Binding", kBindingBytesUsual);
  out.Open(binding_field::kMetadata).Add(object_meta_field::kName, request.pod);
  out.Add(object_meta_field::kNamespace, request.namespace_name);
  out.AddIfAny(object_meta_field::kUid, request.uid);
  for (const auto& [name, value] : request.annotations) {
    out.Open(object_meta_field::kAnnotations).Add(object_meta_field::kMapKey, name);
    out.Add(object_meta_field::kMapValue, value).Close();
  }
  out.Close().Open(binding_field::kTarget).Add(reference_field::kKind, "Node");
  out.Add(reference_field::kName, request.node).Add(reference_field::kApiVersion, "v1").Close();
  return out.Take();
}

std::string EventJson(const EventFields& event) {
  const EventObject& object = event.object;
  const std::string last = types::FormatTimestamp(event.last);
  const bool once = absl::ToUnixSeconds(event.first) == absl::ToUnixSeconds(event.last);
  JsonText out(kEventBytesUsual + event.text.message.size());
  out.Add("apiVersion", "v1").Add("kind", "Event").Open("metadata");
  out.Add("name", event.name).Add("namespace", EventNamespace(object)).Close();
  out.Open("involvedObject").Add("apiVersion", object.api_version).Add("kind", object.kind);
  out.Add("name", object.name).AddIfAny("namespace", object.namespace_name);
  out.AddIfAny("uid", object.uid).Close();
  out.Add("type", event.text.type).Add("reason", event.text.reason);
  out.Add("message", event.text.message);
  out.Open("source").Add("component", event.component).AddIfAny("host", event.host).Close();
  out.Add("reportingComponent", event.component).Add("reportingInstance", event.host);
  out.Add("count", event.count);
  out.Add("firstTimestamp", once ? last : types::FormatTimestamp(event.first))
      .Add("lastTimestamp", last);
  return out.Take();
}

std::string EventDocument(const EventFields& event) {
  const EventObject& object = event.object;
  const auto seconds = [](absl::Time time) { return absl::ToUnixSeconds(time); };
  DocumentText out("v1", "Event", kEventBytesUsual + event.text.message.size());
  out.Open(event_field::kMetadata).Add(object_meta_field::kName, event.name);
  out.Add(object_meta_field::kNamespace, EventNamespace(object)).Close();
  out.Open(event_field::kInvolvedObject).Add(reference_field::kKind, object.kind);
  out.AddIfAny(reference_field::kNamespace, object.namespace_name);
  out.Add(reference_field::kName, object.name).AddIfAny(reference_field::kUid, object.uid);
  out.Add(reference_field::kApiVersion, object.api_version).Close();
  out.Add(event_field::kReason, event.text.reason).Add(event_field::kMessage, event.text.message);
  out.Open(event_field::kSource).Add(event_field::kSourceComponent, event.component);
  out.AddIfAny(event_field::kSourceHost, event.host).Close();
  out.Open(event_field::kFirstTimestamp);
  out.AddNumber(event_field::kTimeSeconds, seconds(event.first)).Close();
  out.Open(event_field::kLastTimestamp);
  out.AddNumber(event_field::kTimeSeconds, seconds(event.last)).Close();
  out.AddNumber(event_field::kCount, event.count).Add(event_field::kType, event.text.type);
  out.Add(event_field::kReportingComponent, event.component);
  out.Add(event_field::kReportingInstance, event.host);
  return out.Take();
}

}  // namespace

std::string_view EventNamespace(const EventObject& object) {
  return object.namespace_name.empty() ? std::string_view("default") : object.namespace_name;
}

std::string BindingBody(const BindRequest& request, Encoding encoding) {
  return encoding == Encoding::kProtobuf ? BindingDocument(request) : BindingJson(request);
}

std::string EventBody(const EventFields& event, Encoding encoding) {
  return encoding == Encoding::kProtobuf ? EventDocument(event) : EventJson(event);
}

}  // namespace bth::client
