// Field tables of metadata, selectors and the envelopes around objects.
#include "api/types/envelope.h"
#include "api/types/field_table.h"
#include "api/types/selector.h"
#include "base/strings.h"

namespace bth::types {
namespace {

bool CheckMeta(const void* object, std::string* reason) {
  size_t bytes = 0;
  for (const auto& [key, value] : static_cast<const ObjectMeta*>(object)->annotations) {
    bytes += key.size() + value.size();
  }
  if (bytes <= kAnnotationBytesMax) return true;
  *reason = StrCat("annotations: ", bytes, " bytes exceed the limit of ", kAnnotationBytesMax);
  return false;
}

}  // namespace

BTH_FIELDS(OwnerReference, Field<&OwnerReference::api_version>("apiVersion", When::kAlways),
           Field<&OwnerReference::kind>("kind", When::kAlways),
           Field<&OwnerReference::name>("name", When::kAlways),
           Field<&OwnerReference::uid>("uid", When::kAlways),
           Field<&OwnerReference::controller>("controller"),
           Field<&OwnerReference::block_owner_deletion>("blockOwnerDeletion"))

BTH_CHECKED_FIELDS(ObjectMeta, &CheckMeta, Field<&ObjectMeta::name>("name"),
                   Field<&ObjectMeta::generate_name>("generateName"),
                   Field<&ObjectMeta::ns>("namespace"), Field<&ObjectMeta::uid>("uid"),
                   Field<&ObjectMeta::resource_version>("resourceVersion"),
                   Field<&ObjectMeta::generation>("generation"),
                   Field<&ObjectMeta::creation_time>("creationTimestamp"),
                   Field<&ObjectMeta::deletion_time>("deletionTimestamp"),
                   Field<&ObjectMeta::deletion_grace_seconds>("deletionGracePeriodSeconds"),
                   Field<&ObjectMeta::labels>("labels"),
                   Field<&ObjectMeta::annotations>("annotations"),
                   Field<&ObjectMeta::owner_references>("ownerReferences"),
                   Field<&ObjectMeta::finalizers>("finalizers"))

BTH_FIELDS(ObjectReference, Field<&ObjectReference::api_version>("apiVersion"),
           Field<&ObjectReference::kind>("kind"), Field<&ObjectReference::ns>("namespace"),
           Field<&ObjectReference::name>("name"), Field<&ObjectReference::uid>("uid"),
           Field<&ObjectReference::resource_version>("resourceVersion"),
           Field<&ObjectReference::field_path>("fieldPath"))

BTH_FIELDS(Condition, Field<&Condition::type>("type"), Field<&Condition::status>("status"),
           Field<&Condition::reason>("reason"), Field<&Condition::message>("message"),
           Field<&Condition::transition_id>("transitionID"),
           Field<&Condition::observed_generation>("observedGeneration"),
           Field<&Condition::last_transition_time>("lastTransitionTime"),
           Field<&Condition::last_probe_time>("lastProbeTime"),
           Field<&Condition::last_heartbeat_time>("lastHeartbeatTime"))

BTH_FIELDS(Requirement, Field<&Requirement::key>("key"), Field<&Requirement::op>("operator"),
           Field<&Requirement::values>("values"))

// Not checked further here: who uses a selector knows what an unusable one means.
BTH_FIELDS(LabelSelector, Field<&LabelSelector::match_labels>("matchLabels"),
           Field<&LabelSelector::match_expressions>("matchExpressions"))

BTH_FIELDS(NodeSelectorTerm, Field<&NodeSelectorTerm::match_expressions>("matchExpressions"),
           Field<&NodeSelectorTerm::match_fields>("matchFields"))

BTH_FIELDS(NodeSelector, Field<&NodeSelector::terms>("nodeSelectorTerms", When::kAlways))

namespace {

BTH_PART(StatusDetailsPart, Field<&StatusBody::retry_after_seconds>("retryAfterSeconds"))

BTH_PART(ListMetaPart, Field<&ListEnvelope::resource_version>("resourceVersion"),
         Field<&ListEnvelope::continue_token>("continue"))

const TypeOps& ItemsOps() {
  static constexpr TypeOps kOps = {.shape = Shape::kItems, .expected = "an array"};
  return kOps;
}

const TypeOps& DynamicOps() {
  static constexpr TypeOps kOps = {.shape = Shape::kDynamic, .expected = "an object"};
  return kOps;
}

constexpr FieldDef kItemsField = {
    "items", [](void* list) -> void* { return &static_cast<ListEnvelope*>(list)->items; },
    &ItemsOps};
constexpr FieldDef kObjectField = {
    "object", [](void* event) -> void* { return &static_cast<EventEnvelope*>(event)->object; },
    &DynamicOps};

}  // namespace

const TypeOps& StatusBodyOps() {
  BTH_OBJECT_OPS(nullptr, Field<&StatusBody::code>("code"), Field<&StatusBody::reason>("reason"),
                 Field<&StatusBody::message>("message"), Part("details", &StatusDetailsPart));
}

const TypeOps& ListEnvelopeOps() {
  BTH_OBJECT_OPS(nullptr, Part("metadata", &ListMetaPart), kItemsField);
}

const TypeOps& EventEnvelopeOps() {
  BTH_OBJECT_OPS(nullptr, Field<&EventEnvelope::type>("type"), kObjectField);
}

}  // namespace bth::types
