#include "apiserver/table/columns.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_join.h"
#include "apiserver/table/table.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Nodes.
Json NodeStatus(const Json& node, absl::Time) {
  std::string text = "Unknown";
  for (const Json& condition : node["status"]["conditions"].items()) {
    if (condition["type"].AsString() != "Ready") continue;
    text = condition["status"].AsString() == "True" ? "Ready" : "NotReady";
  }
  if (node["spec"]["unschedulable"].AsBool()) text += ",SchedulingDisabled";
  return text;
}
Json NodeRoles(const Json& node, absl::Time) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node["metadata"]["labels"].members()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.AsString().empty()) {
      roles.emplace(value.AsString());
    }
  }
  return roles.empty() ? Json("<none>") : Json(absl::StrJoin(roles, ","));
}
Json NodeAddress(const Json& node, std::string_view type) {
  for (const Json& address : node["status"]["addresses"].items()) {
    if (address["type"].AsString() == type) return address["address"];
  }
  return "<none>";
}
Json InternalIp(const Json& node, absl::Time) {
  return NodeAddress(node, "InternalIP");
}
Json ExternalIp(const Json& node, absl::Time) {
  return NodeAddress(node, "ExternalIP");
}
Json NodeNote(const Json& node, std::string_view key) {
  return TextOr(node["status"]["nodeInfo"][key].AsString(), "<unknown>");
}
Json NodeVersion(const Json& node, absl::Time) {
  return node["status"]["nodeInfo"]["kubeletVersion"].AsString();
}
Json OsImage(const Json& node, absl::Time) {
  return NodeNote(node, "osImage");
}
Json Kernel(const Json& node, absl::Time) {
  return NodeNote(node, "kernelVersion");
}
Json Runtime(const Json& node, absl::Time) {
  return NodeNote(node, "containerRuntimeVersion");
}

constexpr Column kNode[] = {
    {"Name", "string", 0, NameCell},          {"Status", "string", 0, NodeStatus},
    {"Roles", "string", 0, NodeRoles},        {"Age", "string", 0, AgeCell},
    {"Version", "string", 0, NodeVersion},    {"Internal-IP", "string", 1, InternalIp},
    {"External-IP", "string", 1, ExternalIp}, {"OS-Image", "string", 1, OsImage},
    {"Kernel-Version", "string", 1, Kernel},  {"Container-Runtime", "string", 1, Runtime},
};

// Namespaces.
Json NamespacePhase(const Json& object, absl::Time) {
  return object["status"]["phase"].AsString();
}
constexpr Column kNamespace[] = {{"Name", "string", 0, NameCell},
                                 {"Status", "string", 0, NamespacePhase},
                                 {"Age", "string", 0, AgeCell}};

// Services.
Json ServiceType(const Json& object, absl::Time) {
  return object["spec"]["type"];
}
Json ClusterIp(const Json& object, absl::Time) {
  return TextOr(object["spec"]["clusterIP"].AsString(), "<none>");
}
Json ServiceExternal(const Json& object, absl::Time) {
  std::string text;
  for (const Json& ip : object["spec"]["externalIPs"].items()) {
    StrAppend(&text, text.empty() ? "" : ",", ip.AsString());
  }
  if (object["spec"]["type"].AsString() == "ExternalName") {
    return object["spec"]["externalName"].AsString();
  }
  return TextOr(text, object["spec"]["type"].AsString() == "LoadBalancer" ? "<pending>" : "<none>");
}
Json ServicePorts(const Json& object, absl::Time) {
  std::string text;
  for (const Json& port : object["spec"]["ports"].items()) {
    StrAppend(&text, text.empty() ? "" : ",", port["port"].AsInt());
    if (port["nodePort"].AsInt() > 0) StrAppend(&text, ":", port["nodePort"].AsInt());
    StrAppend(&text, "/", port["protocol"].AsString("TCP"));
  }
  return TextOr(text, "<none>");
}
Json ServiceSelector(const Json& object, absl::Time) {
  return LabelText(object["spec"]["selector"]);
}
constexpr Column kService[] = {
    {"Name", "string", 0, NameCell},
    {"Type", "string", 0, ServiceType},
    {"Cluster-IP", "string", 0, ClusterIp},
    {"External-IP", "string", 0, ServiceExternal},
    {"Port(s)", "string", 0, ServicePorts},
    {"Age", "string", 0, AgeCell},
    {"Selector", "string", 1, ServiceSelector},
};

// Events.
Json FirstOf(const Json& a, const Json& b) {
  return a.is_string() ? a : b;
}
Json LastSeen(const Json& event, absl::Time now) {
  const Json series = FirstOf(event["series"]["lastObservedTime"], event["lastTimestamp"]);
  return AgeText(FirstOf(series, event["eventTime"]).AsString(), now);
}
Json FirstSeen(const Json& event, absl::Time now) {
  return AgeText(FirstOf(event["firstTimestamp"], event["eventTime"]).AsString(), now);
}
Json EventTypeCell(const Json& event, absl::Time) {
  return event["type"].AsString();
}
Json EventReason(const Json& event, absl::Time) {
  return event["reason"].AsString();
}
// Of both APIs: the columns are the same.
const Json& InvolvedOf(const Json& event) {
  return event["involvedObject"].is_object() ? event["involvedObject"] : event["regarding"];
}
Json EventObject(const Json& event, absl::Time) {
  std::string kind(InvolvedOf(event)["kind"].AsString());
  for (char& c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return StrCat(kind, "/", InvolvedOf(event)["name"].AsString());
}
Json EventPart(const Json& event, absl::Time) {
  return InvolvedOf(event)["fieldPath"].AsString();
}
Json EventSource(const Json& event, absl::Time) {
  std::string source(event["source"]["component"].AsString(
      event["reportingComponent"].AsString(event["reportingController"].AsString())));
  if (const std::string_view host = event["source"]["host"].AsString(); !host.empty()) {
    StrAppend(&source, ", ", host);
  }
  return source;
}
Json EventMessage(const Json& event, absl::Time) {
  return event["message"].AsString(event["note"].AsString());
}
Json EventCount(const Json& event, absl::Time) {
  return event["series"]["count"].AsInt(std::max<int64_t>(1, event["count"].AsInt()));
}
constexpr Column kEvent[] = {
    {"Last Seen", "string", 0, LastSeen},   {"Type", "string", 0, EventTypeCell},
    {"Reason", "string", 0, EventReason},   {"Object", "string", 0, EventObject},
    {"Subobject", "string", 1, EventPart},  {"Source", "string", 1, EventSource},
    {"Message", "string", 0, EventMessage}, {"First Seen", "string", 1, FirstSeen},
    {"Count", "string", 1, EventCount},     {"Name", "string", 1, NameCell},
};

// Configuration.
Json DataCount(const Json& object, absl::Time) {
  return static_cast<int64_t>(object["data"].size() + object["binaryData"].size());
}
Json SecretType(const Json& object, absl::Time) {
  return object["type"].AsString();
}
Json SecretCount(const Json& object, absl::Time) {
  return static_cast<int64_t>(object["secrets"].size());
}
constexpr Column kConfigMap[] = {{"Name", "string", 0, NameCell},
                                 {"Data", "string", 0, DataCount},
                                 {"Age", "string", 0, AgeCell}};
constexpr Column kSecret[] = {{"Name", "string", 0, NameCell},
                              {"Type", "string", 0, SecretType},
                              {"Data", "string", 0, DataCount},
                              {"Age", "string", 0, AgeCell}};
constexpr Column kServiceAccount[] = {{"Name", "string", 0, NameCell},
                                      {"Secrets", "string", 0, SecretCount},
                                      {"Age", "string", 0, AgeCell}};

// Policy, priorities, leases, definitions.
Json Limit(const Json& value) {
  if (value.is_int()) return StrCat(value.AsInt());
  return TextOr(value.AsString(), "N/A");
}
Json MinAvailable(const Json& object, absl::Time) {
  return Limit(object["spec"]["minAvailable"]);
}
Json MaxUnavailable(const Json& object, absl::Time) {
  return Limit(object["spec"]["maxUnavailable"]);
}
Json Disruptions(const Json& object, absl::Time) {
  return object["status"]["disruptionsAllowed"].AsInt();
}
Json ClassValue(const Json& object, absl::Time) {
  return object["value"].AsInt();
}
Json ClassDefault(const Json& object, absl::Time) {
  return object["globalDefault"].AsBool();
}
Json ClassPolicy(const Json& object, absl::Time) {
  return object["preemptionPolicy"].AsString();
}
Json Holder(const Json& object, absl::Time) {
  return object["spec"]["holderIdentity"].AsString();
}
Json CreatedAt(const Json& object, absl::Time) {
  return object["metadata"]["creationTimestamp"].AsString();
}
constexpr Column kBudget[] = {{"Name", "string", 0, NameCell},
                              {"Min Available", "string", 0, MinAvailable},
                              {"Max Unavailable", "string", 0, MaxUnavailable},
                              {"Allowed Disruptions", "integer", 0, Disruptions},
                              {"Age", "string", 0, AgeCell}};
constexpr Column kPriorityClass[] = {{"Name", "string", 0, NameCell},
                                     {"Value", "integer", 0, ClassValue},
                                     {"Global-Default", "boolean", 0, ClassDefault},
                                     {"Age", "string", 0, AgeCell},
                                     {"PreemptionPolicy", "string", 0, ClassPolicy}};
constexpr Column kLease[] = {{"Name", "string", 0, NameCell},
                             {"Holder", "string", 0, Holder},
                             {"Age", "string", 0, AgeCell}};
constexpr Column kCreatedAt[] = {{"Name", "string", 0, NameCell},
                                 {"Created At", "date", 0, CreatedAt}};

}  // namespace

std::span<const Column> ColumnsOf(std::string_view group, std::string_view kind) {
  if (kind == "Pod") return PodColumns();
  if (kind == "Node") return kNode;
  if (kind == "Namespace") return kNamespace;
  if (kind == "Service") return kService;
  if (kind == "Event") return kEvent;
  if (kind == "ConfigMap") return kConfigMap;
  if (kind == "Secret") return kSecret;
  if (kind == "ServiceAccount") return kServiceAccount;
  if (kind == "PodDisruptionBudget") return kBudget;
  if (kind == "PriorityClass") return kPriorityClass;
  if (kind == "Lease") return kLease;
  if (group == "admissionregistration.k8s.io") return AdmissionColumns(kind);
  if (kind == "CustomResourceDefinition" || kind == "LimitRange" ||
      group == "rbac.authorization.k8s.io") {
    return kCreatedAt;
  }
  if (const std::span<const Column> columns = WorkloadColumns(kind); !columns.empty()) {
    return columns;
  }
  return StorageColumns(kind);
}

}  // namespace bth::apiserver
