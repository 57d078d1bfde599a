#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "apiserver/registry/registry.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// One line per resource. Flags: N namespaced, S status subresource, G counts generations,
// C scale, V virtual (POST only).
struct TypeRow {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view singular;
  std::string_view kind;
  std::string_view short_names;
  std::string_view categories;
  std::string_view flags;
};

constexpr std::string_view kApps = "apps";
constexpr std::string_view kBatch = "batch";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kResource = "resource.k8s.io";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kAuthz = "authorization.k8s.io";
constexpr std::string_view kAuthn = "authentication.k8s.io";

constexpr TypeRow kRows[] = {
    {"", "v1", "bindings", "binding", "Binding", "", "", "NV"},
    {"", "v1", "configmaps", "configmap", "ConfigMap", "cm", "", "N"},
    {"", "v1", "endpoints", "endpoints", "Endpoints", "ep", "", "N"},
    {"", "v1", "events", "event", "Event", "ev", "", "N"},
    {"", "v1", "limitranges", "limitrange", "LimitRange", "limits", "", "N"},
    {"", "v1", "namespaces", "namespace", "Namespace", "ns", "", "S"},
    {"", "v1", "nodes", "node", "Node", "no", "", "S"},
    {"", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", "pvc",
     "", "NS"},
    {"", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", "pv", "", "S"},
    {"", "v1", "pods", "pod", "Pod", "po", "all", "NSG"},
    {"", "v1", "podtemplates", "podtemplate", "PodTemplate", "", "", "N"},
    {"", "v1", "replicationcontrollers", "replicationcontroller", "ReplicationController", "rc",
     "all", "NSGC"},
    {"", "v1", "resourcequotas", "resourcequota", "ResourceQuota", "quota", "", "NS"},
    {"", "v1", "secrets", "secret", "Secret", "", "", "N"},
    {"", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", "", "N"},
    {"", "v1", "services", "service", "Service", "svc", "all", "NS"},
    {kApps, "v1", "controllerrevisions", "controllerrevision", "ControllerRevision", "", "", "N"},
    {kApps, "v1", "daemonsets", "daemonset", "DaemonSet", "ds", "all", "NSG"},
    {kApps, "v1", "deployments", "deployment", "Deployment", "deploy", "all", "NSGC"},
    {kApps, "v1", "replicasets", "replicaset", "ReplicaSet", "rs", "all", "NSGC"},
    {kApps, "v1", "statefulsets", "statefulset", "StatefulSet", "sts", "all", "NSGC"},
    {kBatch, "v1", "cronjobs", "cronjob", "CronJob", "cj", "all", "NSG"},
    {kBatch, "v1", "jobs", "job", "Job", "", "all", "NSG"},
    {"policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", "pdb",
     "", "NSG"},
    {"scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass", "pc", "", "G"},
    {kStorage, "v1", "csidrivers", "csidriver", "CSIDriver", "", "", "G"},
    {kStorage, "v1", "csinodes", "csinode", "CSINode", "", "", ""},
    {kStorage, "v1", "csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity", "", "",
     "N"},
    {kStorage, "v1", "storageclasses", "storageclass", "StorageClass", "sc", "", ""},
    {kStorage, "v1", "volumeattachments", "volumeattachment", "VolumeAttachment", "", "", "S"},
    {"coordination.k8s.io", "v1", "leases", "lease", "Lease", "", "", "N"},
    {kNetworking, "v1", "ingressclasses", "ingressclass", "IngressClass", "", "", "G"},
    {kNetworking, "v1", "ingresses", "ingress", "Ingress", "ing", "", "NSG"},
    {kNetworking, "v1", "networkpolicies", "networkpolicy", "NetworkPolicy", "netpol", "", "NG"},
    {kRbac, "v1", "clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding", "", "", ""},
    {kRbac, "v1", "clusterroles", "clusterrole", "ClusterRole", "", "", ""},
    {kRbac, "v1", "rolebindings", "rolebinding", "RoleBinding", "", "", "N"},
    {kRbac, "v1", "roles", "role", "Role", "", "", "N"},
    {kResource, "v1", "deviceclasses", "deviceclass", "DeviceClass", "", "", "G"},
    {kResource, "v1beta2", "devicetaintrules", "devicetaintrule", "DeviceTaintRule", "", "", "SG"},
    {kResource, "v1", "resourceclaims", "resourceclaim", "ResourceClaim", "", "", "NS"},
    {kResource, "v1", "resourceclaimtemplates", "resourceclaimtemplate", "ResourceClaimTemplate",
     "", "", "N"},
    {kResource, "v1", "resourceslices", "resourceslice", "ResourceSlice", "", "", "G"},
    {"events.k8s.io", "v1", "events", "event", "Event", "ev", "", "N"},
    {"discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice", "", "", "NG"},
    {kAdmission, "v1", "mutatingwebhookconfigurations", "mutatingwebhookconfiguration",
     "MutatingWebhookConfiguration", "", "api-extensions", "G"},
    {kAdmission, "v1", "validatingwebhookconfigurations", "validatingwebhookconfiguration",
     "ValidatingWebhookConfiguration", "", "api-extensions", "G"},
    {kAdmission, "v1", "validatingadmissionpolicies", "validatingadmissionpolicy",
     "ValidatingAdmissionPolicy", "", "api-extensions", "SG"},
    {kAdmission, "v1", "validatingadmissionpolicybindings", "validatingadmissionpolicybinding",
     "ValidatingAdmissionPolicyBinding", "", "api-extensions", "G"},
    {kAdmission, "v1", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
     "MutatingAdmissionPolicy", "", "api-extensions", "G"},
    {kAdmission, "v1", "mutatingadmissionpolicybindings", "mutatingadmissionpolicybinding",
     "MutatingAdmissionPolicyBinding", "", "api-extensions", "G"},
    {kAdmission, "v1beta1", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
     "MutatingAdmissionPolicy", "", "api-extensions", "G"},
    {kAdmission, "v1beta1", "mutatingadmissionpolicybindings", "mutatingadmissionpolicybinding",
     "MutatingAdmissionPolicyBinding", "", "api-extensions", "G"},
    {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
     "CustomResourceDefinition", "crd,crds", "api-extensions", "SG"},
    {kAuthn, "v1", "selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview", "", "", "V"},
    {kAuthn, "v1", "tokenreviews", "tokenreview", "TokenReview", "", "", "V"},
    {kAuthz, "v1", "localsubjectaccessreviews", "localsubjectaccessreview",
     "LocalSubjectAccessReview", "", "", "NV"},
    {kAuthz, "v1", "selfsubjectaccessreviews", "selfsubjectaccessreview", "SelfSubjectAccessReview",
     "", "", "V"},
    {kAuthz, "v1", "selfsubjectrulesreviews", "selfsubjectrulesreview", "SelfSubjectRulesReview",
     "", "", "V"},
    {kAuthz, "v1", "subjectaccessreviews", "subjectaccessreview", "SubjectAccessReview", "", "",
     "V"},
};

// Fields that field selectors may use; "name=path" where they differ, ":" before the fallback.
struct FieldsRow {
  std::string_view collection;
  std::string_view fields;
};

constexpr FieldsRow kSelectableFields[] = {
    {"pods",
     "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName "
     "spec.hostNetwork:false status.phase status.podIP status.nominatedNodeName"},
    {"nodes", "spec.unschedulable:false"},
    {"namespaces", "name=metadata.name status.phase"},
    {"secrets", "type"},
    {"services", "spec.clusterIP spec.type"},
    {"replicationcontrollers", "status.replicas:0"},
    {"replicasets.apps", "status.replicas:0"},
    {"jobs.batch", "status.successful=status.succeeded:0"},
    {"resourceslices.resource.k8s.io", "spec.nodeName spec.driver"},
    {"events",
     "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid "
     "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason "
     "reportingComponent source=source.component type"},
};

std::vector<std::string> Words(std::string_view text, char separator) {
  return SplitText(text, separator, absl::SkipEmpty());
}

std::vector<SelectableField> FieldsOf(std::string_view collection) {
  std::vector<SelectableField> fields;
  for (const FieldsRow& row : kSelectableFields) {
    if (row.collection != collection) continue;
    for (const std::string& word : Words(row.fields, ' ')) {
      SelectableField field;
      std::string rest = word;
      if (const size_t colon = rest.find(':'); colon != rest.npos) {
        field.fallback = rest.substr(colon + 1);
        rest.resize(colon);
      }
      const size_t equals = rest.find('=');
      field.name = rest.substr(0, equals);
      field.path = Words(equals == rest.npos ? rest : rest.substr(equals + 1), '.');
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

ResourceType MakeType(const TypeRow& row) {
  auto flag = [&](char c) { return row.flags.find(c) != row.flags.npos; };
  ResourceType type;
  type.group = row.group;
  type.version = row.version;
  type.plural = row.plural;
  type.singular = row.singular;
  type.kind = row.kind;
  type.list_kind = type.kind + "List";
  type.short_names = Words(row.short_names, ',');
  type.categories = Words(row.categories, ',');
  type.namespaced = flag('N');
  type.has_status = flag('S');
  type.has_generation = flag('G');
  type.virtual_only = flag('V');
  type.collection = type.group.empty() ? type.plural : type.plural + "." + type.group;
  type.storage_api_version = type.api_version();
  if (flag('C')) {
    type.scale = ScalePaths{{"spec", "replicas"}, {"status", "replicas"}, {"spec", "selector"}};
  }
  if (type.group == kAdmission && type.version != "v1") {
    type.storage_api_version = StrCat(kAdmission, "/v1");
    type.conversion = Conversion::kApiVersion;
  }
  if (type.group == "events.k8s.io") {
    type.collection = "events";
    type.storage_api_version = "v1";
    type.conversion = Conversion::kEvents;
  }
  type.fields = FieldsOf(type.collection);
  return type;
}

}  // namespace

std::vector<ResourceType> BuiltinTypes() {
  std::vector<ResourceType> types;
  for (const TypeRow& row : kRows) types.push_back(MakeType(row));
  return types;
}

}  // namespace bth::apiserver
