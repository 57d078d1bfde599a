// Messages of the other groups.
// A message is "group.Name" and its fields: number, JSON name, and after a colon the type when
// it is not text (api/types/protobuf/schema.h).
#include "api/types/protobuf/schema.h"

namespace bth::types {
namespace {

constexpr std::string_view kOtherMessages[] = {
    "admissionregistration.ApplyConfiguration 1expression",
    "admissionregistration.AuditAnnotation 1key 2valueExpression",
    "admissionregistration.ExpressionWarning 2fieldRef 3warning",
    "admissionregistration.JSONPatch 1expression",
    "admissionregistration.MatchCondition 1name 2expression",
    "admissionregistration.MatchResources 1namespaceSelector:!meta.LabelSelector "
    "2objectSelector:!meta.LabelSelector "
    "3resourceRules:*admissionregistration.NamedRuleWithOperations "
    "4excludeResourceRules:*admissionregistration.NamedRuleWithOperations 7matchPolicy:!s",
    "admissionregistration.MutatingAdmissionPolicy 1metadata:meta.ObjectMeta "
    "2spec:admissionregistration.MutatingAdmissionPolicySpec",
    "admissionregistration.MutatingAdmissionPolicyBinding 1metadata:meta.ObjectMeta "
    "2spec:admissionregistration.MutatingAdmissionPolicyBindingSpec",
    "admissionregistration.MutatingAdmissionPolicyBindingSpec 1policyName "
    "2paramRef:!admissionregistration.ParamRef "
    "3matchResources:!admissionregistration.MatchResources",
    "admissionregistration.MutatingAdmissionPolicySpec "
    "1paramKind:!admissionregistration.ParamKind "
    "2matchConstraints:!admissionregistration.MatchResources "
    "3variables:*admissionregistration.Variable 4mutations:*admissionregistration.Mutation "
    "5failurePolicy:!s 6matchConditions:*admissionregistration.MatchCondition "
    "7reinvocationPolicy",
    "admissionregistration.MutatingWebhook 1name "
    "2clientConfig:admissionregistration.WebhookClientConfig "
    "3rules:*admissionregistration.RuleWithOperations 4failurePolicy:!s "
    "5namespaceSelector:!meta.LabelSelector 6sideEffects:!s 7timeoutSeconds:!i "
    "8admissionReviewVersions:*s 9matchPolicy:!s 10reinvocationPolicy:!s "
    "11objectSelector:!meta.LabelSelector 12matchConditions:*admissionregistration.MatchCondition",
    "admissionregistration.MutatingWebhookConfiguration 1metadata:meta.ObjectMeta "
    "2webhooks:*admissionregistration.MutatingWebhook",
    "admissionregistration.Mutation 2patchType "
    "3applyConfiguration:!admissionregistration.ApplyConfiguration "
    "4jsonPatch:!admissionregistration.JSONPatch",
    "admissionregistration.NamedRuleWithOperations 1resourceNames:*s "
    "2ruleWithOperations:^admissionregistration.RuleWithOperations",
    "admissionregistration.ParamKind 1apiVersion 2kind",
    "admissionregistration.ParamRef 1name 2namespace 3selector:!meta.LabelSelector "
    "4parameterNotFoundAction:!s",
    "admissionregistration.Rule 1apiGroups:*s 2apiVersions:*s 3resources:*s 4scope:!s",
    "admissionregistration.RuleWithOperations 1operations:*s 2rule:^admissionregistration.Rule",
    "admissionregistration.ServiceReference 1namespace 2name 3path:!s 4port:!i",
    "admissionregistration.TypeChecking "
    "1expressionWarnings:*admissionregistration.ExpressionWarning",
    "admissionregistration.ValidatingAdmissionPolicy 1metadata:meta.ObjectMeta "
    "2spec:admissionregistration.ValidatingAdmissionPolicySpec "
    "3status:admissionregistration.ValidatingAdmissionPolicyStatus",
    "admissionregistration.ValidatingAdmissionPolicyBinding 1metadata:meta.ObjectMeta "
    "2spec:admissionregistration.ValidatingAdmissionPolicyBindingSpec",
    "admissionregistration.ValidatingAdmissionPolicyBindingSpec 1policyName "
    "2paramRef:!admissionregistration.ParamRef "
    "3matchResources:!admissionregistration.MatchResources 4validationActions:*s",
    "admissionregistration.ValidatingAdmissionPolicySpec "
    "1paramKind:!admissionregistration.ParamKind "
    "2matchConstraints:!admissionregistration.MatchResources "
    "3validations:*admissionregistration.Validation 4failurePolicy:!s "
    "5auditAnnotations:*admissionregistration.AuditAnnotation "
    "6matchConditions:*admissionregistration.MatchCondition "
    "7variables:*admissionregistration.Variable",
    "admissionregistration.ValidatingAdmissionPolicyStatus 1observedGeneration:i "
    "2typeChecking:!admissionregistration.TypeChecking 3conditions:*meta.Condition",
    "admissionregistration.ValidatingWebhook 1name "
    "2clientConfig:admissionregistration.WebhookClientConfig "
    "3rules:*admissionregistration.RuleWithOperations 4failurePolicy:!s "
    "5namespaceSelector:!meta.LabelSelector 6sideEffects:!s 7timeoutSeconds:!i "
    "8admissionReviewVersions:*s 9matchPolicy:!s 10objectSelector:!meta.LabelSelector "
    "11matchConditions:*admissionregistration.MatchCondition",
    "admissionregistration.ValidatingWebhookConfiguration 1metadata:meta.ObjectMeta "
    "2webhooks:*admissionregistration.ValidatingWebhook",
    "admissionregistration.Validation 1expression 2message 3reason:!s 4messageExpression",
    "admissionregistration.Variable 1name 2expression",
    "admissionregistration.WebhookClientConfig 1service:!admissionregistration.ServiceReference "
    "2caBundle:y 3url:!s",
    "apps.ControllerRevision 1metadata:meta.ObjectMeta 2data:r 3revision:!i",
    "apps.DaemonSet 1metadata:meta.ObjectMeta 2spec:apps.DaemonSetSpec "
    "3status:apps.DaemonSetStatus",
    "apps.DaemonSetCondition 1type 2status 3lastTransitionTime:t 4reason 5message",
    "apps.DaemonSetSpec 1selector:!meta.LabelSelector 2template:core.PodTemplateSpec "
    "3updateStrategy:apps.DaemonSetUpdateStrategy 4minReadySeconds:i 6revisionHistoryLimit:!i",
    "apps.DaemonSetStatus 1currentNumberScheduled:!i 2numberMisscheduled:!i "
    "3desiredNumberScheduled:!i 4numberReady:!i 5observedGeneration:i "
    "6updatedNumberScheduled:i 7numberAvailable:i 8numberUnavailable:i 9collisionCount:!i "
    "10conditions:*apps.DaemonSetCondition",
    "apps.DaemonSetUpdateStrategy 1type 2rollingUpdate:!apps.RollingUpdateDaemonSet",
    "apps.Deployment 1metadata:meta.ObjectMeta 2spec:apps.DeploymentSpec "
    "3status:apps.DeploymentStatus",
    "apps.DeploymentCondition 1type 2status 4reason 5message 6lastUpdateTime:t "
    "7lastTransitionTime:t",
    "apps.DeploymentSpec 1replicas:!i 2selector:!meta.LabelSelector "
    "3template:core.PodTemplateSpec 4strategy:apps.DeploymentStrategy 5minReadySeconds:i "
    "6revisionHistoryLimit:!i 7paused:b 9progressDeadlineSeconds:!i",
    "apps.DeploymentStatus 1observedGeneration:i 2replicas:i 3updatedReplicas:i "
    "4availableReplicas:i 5unavailableReplicas:i 6conditions:*apps.DeploymentCondition "
    "7readyReplicas:i 8collisionCount:!i 9terminatingReplicas:!i",
    "apps.DeploymentStrategy 1type 2rollingUpdate:!apps.RollingUpdateDeployment",
    "apps.ReplicaSet 1metadata:meta.ObjectMeta 2spec:apps.ReplicaSetSpec "
    "3status:apps.ReplicaSetStatus",
    "apps.ReplicaSetCondition 1type 2status 3lastTransitionTime:t 4reason 5message",
    "apps.ReplicaSetSpec 1replicas:!i 2selector:!meta.LabelSelector "
    "3template:core.PodTemplateSpec 4minReadySeconds:i",
    "apps.ReplicaSetStatus 1replicas:!i 2fullyLabeledReplicas:i 3observedGeneration:i "
    "4readyReplicas:i 5availableReplicas:i 6conditions:*apps.ReplicaSetCondition "
    "7terminatingReplicas:!i",
    "apps.RollingUpdateDaemonSet 1maxUnavailable:!n 2maxSurge:!n",
    "apps.RollingUpdateDeployment 1maxUnavailable:!n 2maxSurge:!n",
    "apps.RollingUpdateStatefulSetStrategy 1partition:!i 2maxUnavailable:!n",
    "apps.StatefulSet 1metadata:meta.ObjectMeta 2spec:apps.StatefulSetSpec "
    "3status:apps.StatefulSetStatus",
    "apps.StatefulSetCondition 1type 2status 3lastTransitionTime:t 4reason 5message",
    "apps.StatefulSetOrdinals 1start:!i",
    "apps.StatefulSetPersistentVolumeClaimRetentionPolicy 1whenDeleted 2whenScaled",
    "apps.StatefulSetSpec 1replicas:!i 2selector:!meta.LabelSelector "
    "3template:core.PodTemplateSpec 4volumeClaimTemplates:*core.PersistentVolumeClaim "
    "5serviceName 6podManagementPolicy 7updateStrategy:apps.StatefulSetUpdateStrategy "
    "8revisionHistoryLimit:!i 9minReadySeconds:i "
    "10persistentVolumeClaimRetentionPolicy:!apps.StatefulSetPersistentVolumeClaimRetentionPolicy "
    "11ordinals:!apps.StatefulSetOrdinals",
    "apps.StatefulSetStatus 1observedGeneration:i 2replicas:!i 3readyReplicas:i "
    "4currentReplicas:i 5updatedReplicas:i 6currentRevision 7updateRevision 9collisionCount:!i "
    "10conditions:*apps.StatefulSetCondition 11availableReplicas:!i",
    "apps.StatefulSetUpdateStrategy 1type 2rollingUpdate:!apps.RollingUpdateStatefulSetStrategy",
    "authentication.SelfSubjectReview 1metadata:meta.ObjectMeta "
    "2status:authentication.SelfSubjectReviewStatus",
    "authentication.SelfSubjectReviewStatus 1userInfo:authentication.UserInfo",
    "authentication.TokenReview 1metadata:meta.ObjectMeta 2spec:authentication.TokenReviewSpec "
    "3status:authentication.TokenReviewStatus",
    "authentication.TokenReviewSpec 1token 2audiences:*s",
    "authentication.TokenReviewStatus 1authenticated:b 2user:authentication.UserInfo 3error "
    "4audiences:*s",
    "authentication.UserInfo 1username 2uid 3groups:*s 4extra:%*s",
    "authorization.FieldSelectorAttributes 1rawSelector "
    "2requirements:*meta.FieldSelectorRequirement",
    "authorization.LabelSelectorAttributes 1rawSelector "
    "2requirements:*meta.LabelSelectorRequirement",
    "authorization.LocalSubjectAccessReview 1metadata:meta.ObjectMeta "
    "2spec:authorization.SubjectAccessReviewSpec "
    "3status:authorization.SubjectAccessReviewStatus",
    "authorization.NonResourceAttributes 1path 2verb",
    "authorization.NonResourceRule 1verbs:*s 2nonResourceURLs:*s",
    "authorization.ResourceAttributes 1namespace 2verb 3group 4version 5resource 6subresource "
    "7name 8fieldSelector:!authorization.FieldSelectorAttributes "
    "9labelSelector:!authorization.LabelSelectorAttributes",
    "authorization.ResourceRule 1verbs:*s 2apiGroups:*s 3resources:*s 4resourceNames:*s",
    "authorization.SelfSubjectAccessReview 1metadata:meta.ObjectMeta "
    "2spec:authorization.SelfSubjectAccessReviewSpec "
    "3status:authorization.SubjectAccessReviewStatus",
    "authorization.SelfSubjectAccessReviewSpec "
    "1resourceAttributes:!authorization.ResourceAttributes "
    "2nonResourceAttributes:!authorization.NonResourceAttributes",
    "authorization.SelfSubjectRulesReview 1metadata:meta.ObjectMeta "
    "2spec:authorization.SelfSubjectRulesReviewSpec "
    "3status:authorization.SubjectRulesReviewStatus",
    "authorization.SelfSubjectRulesReviewSpec 1namespace",
    "authorization.SubjectAccessReview 1metadata:meta.ObjectMeta "
    "2spec:authorization.SubjectAccessReviewSpec "
    "3status:authorization.SubjectAccessReviewStatus",
    "authorization.SubjectAccessReviewSpec "
    "1resourceAttributes:!authorization.ResourceAttributes "
    "2nonResourceAttributes:!authorization.NonResourceAttributes 3user 4groups:*s 5extra:%*s "
    "6uid",
    "authorization.SubjectAccessReviewStatus 1allowed:!b 2reason 3evaluationError 4denied:b",
    "authorization.SubjectRulesReviewStatus 1resourceRules:*authorization.ResourceRule "
    "2nonResourceRules:*authorization.NonResourceRule 3incomplete:!b 4evaluationError",
    "autoscaling.Scale 1metadata:meta.ObjectMeta 2spec:autoscaling.ScaleSpec "
    "3status:autoscaling.ScaleStatus",
    "autoscaling.ScaleSpec 1replicas:i",
    "autoscaling.ScaleStatus 1replicas:!i 2selector",
    "batch.CronJob 1metadata:meta.ObjectMeta 2spec:batch.CronJobSpec "
    "3status:batch.CronJobStatus",
    "batch.CronJobSpec 1schedule 2startingDeadlineSeconds:!i 3concurrencyPolicy 4suspend:!b "
    "5jobTemplate:batch.JobTemplateSpec 6successfulJobsHistoryLimit:!i "
    "7failedJobsHistoryLimit:!i 8timeZone:!s",
    "batch.CronJobStatus 1active:*core.ObjectReference 4lastScheduleTime:!t "
    "5lastSuccessfulTime:!t",
    "batch.Job 1metadata:meta.ObjectMeta 2spec:batch.JobSpec 3status:batch.JobStatus",
    "batch.JobCondition 1type 2status 3lastProbeTime:t 4lastTransitionTime:t 5reason 6message",
    "batch.JobSpec 1parallelism:!i 2completions:!i 3activeDeadlineSeconds:!i "
    "4selector:!meta.LabelSelector 5manualSelector:!b 6template:core.PodTemplateSpec "
    "7backoffLimit:!i 8ttlSecondsAfterFinished:!i 9completionMode:!s 10suspend:!b "
    "11podFailurePolicy:!batch.PodFailurePolicy 12backoffLimitPerIndex:!i "
    "13maxFailedIndexes:!i 14podReplacementPolicy:!s 15managedBy:!s "
    "16successPolicy:!batch.SuccessPolicy",
    "batch.JobStatus 1conditions:*batch.JobCondition 2startTime:!t 3completionTime:!t "
    "4active:i 5succeeded:i 6failed:i 7completedIndexes "
    "8uncountedTerminatedPods:!batch.UncountedTerminatedPods 9ready:!i 10failedIndexes:!s "
    "11terminating:!i",
    "batch.JobTemplateSpec 1metadata:meta.ObjectMeta 2spec:batch.JobSpec",
    "batch.PodFailurePolicy 1rules:*batch.PodFailurePolicyRule",
    "batch.PodFailurePolicyOnExitCodesRequirement 1containerName:!s 2operator 3values:*i",
    "batch.PodFailurePolicyOnPodConditionsPattern 1type 2status",
    "batch.PodFailurePolicyRule 1action "
    "2onExitCodes:!batch.PodFailurePolicyOnExitCodesRequirement "
    "3onPodConditions:*batch.PodFailurePolicyOnPodConditionsPattern",
    "batch.SuccessPolicy 1rules:*batch.SuccessPolicyRule",
    "batch.SuccessPolicyRule 1succeededIndexes:!s 2succeededCount:!i",
    "batch.UncountedTerminatedPods 1succeeded:*s 2failed:*s",
    "coordination.Lease 1metadata:meta.ObjectMeta 2spec:coordination.LeaseSpec",
    "coordination.LeaseSpec 1holderIdentity:!s 2leaseDurationSeconds:!i 3acquireTime:!u "
    "4renewTime:!u 5leaseTransitions:!i 6strategy:!s 7preferredHolder:!s",
    "discovery.Endpoint 1addresses:*s 2conditions:discovery.EndpointConditions 3hostname:!s "
    "4targetRef:!core.ObjectReference 5deprecatedTopology:%s 6nodeName:!s 7zone:!s "
    "8hints:!discovery.EndpointHints",
    "discovery.EndpointConditions 1ready:!b 2serving:!b 3terminating:!b",
    "discovery.EndpointHints 1forZones:*discovery.ForZone 2forNodes:*discovery.ForNode",
    "discovery.EndpointPort 1name:!s 2protocol:!s 3port:!i 4appProtocol:!s",
    "discovery.EndpointSlice 1metadata:meta.ObjectMeta 2endpoints:*discovery.Endpoint "
    "3ports:*discovery.EndpointPort 4addressType",
    "discovery.ForNode 1name",
    "discovery.ForZone 1name",
    "events.Event 1metadata:meta.ObjectMeta 2eventTime:u 3series:!events.EventSeries "
    "4reportingController 5reportingInstance 6action 7reason 8regarding:core.ObjectReference "
    "9related:!core.ObjectReference 10note 11type 12deprecatedSource:core.EventSource "
    "13deprecatedFirstTimestamp:t 14deprecatedLastTimestamp:t 15deprecatedCount:i",
    "events.EventSeries 1count:!i 2lastObservedTime:u",
    "meta.Condition 1type 2status 3observedGeneration:i 4lastTransitionTime:t 5reason 6message",
    "meta.DeleteOptions 1gracePeriodSeconds:!i 2preconditions:!meta.Preconditions "
    "3orphanDependents:!b 4propagationPolicy:!s 5dryRun:*s "
    "6ignoreStoreReadErrorWithClusterBreakingPotential:!b",
    "meta.FieldSelectorRequirement 1key 2operator 3values:*s",
    "meta.LabelSelector 1matchLabels:%s 2matchExpressions:*meta.LabelSelectorRequirement",
    "meta.LabelSelectorRequirement 1key 2operator 3values:*s",
    "meta.ListMeta 1selfLink 2resourceVersion 3continue 4remainingItemCount:!i",
    "meta.ManagedFieldsEntry 1manager 2operation 3apiVersion 4time:!t 6fieldsType 7fieldsV1:!r "
    "8subresource",
    "meta.ObjectMeta 1name 2generateName 3namespace 4selfLink 5uid 6resourceVersion "
    "7generation:i 8creationTimestamp:t 9deletionTimestamp:!t 10deletionGracePeriodSeconds:!i "
    "11labels:%s 12annotations:%s 13ownerReferences:*meta.OwnerReference 14finalizers:*s "
    "17managedFields:*meta.ManagedFieldsEntry",
    "meta.OwnerReference 1kind 3name 4uid 5apiVersion 6controller:!b 7blockOwnerDeletion:!b",
    "meta.Preconditions 1uid:!s 2resourceVersion:!s",
    "meta.Status 1metadata:meta.ListMeta 2status 3message 4reason 5details:!meta.StatusDetails "
    "6code:i",
    "meta.StatusCause 1reason 2message 3field",
    "meta.StatusDetails 1name 2group 3kind 4causes:*meta.StatusCause 5retryAfterSeconds:i 6uid",
    "networking.HTTPIngressPath 1path 2backend:networking.IngressBackend 3pathType:!s",
    "networking.HTTPIngressRuleValue 1paths:*networking.HTTPIngressPath",
    "networking.IPBlock 1cidr 2except:*s",
    "networking.Ingress 1metadata:meta.ObjectMeta 2spec:networking.IngressSpec "
    "3status:networking.IngressStatus",
    "networking.IngressBackend 3resource:!core.TypedLocalObjectReference "
    "4service:!networking.IngressServiceBackend",
    "networking.IngressClass 1metadata:meta.ObjectMeta 2spec:networking.IngressClassSpec",
    "networking.IngressClassParametersReference 1apiGroup:!s 2kind 3name 4scope:!s "
    "5namespace:!s",
    "networking.IngressClassSpec 1controller "
    "2parameters:!networking.IngressClassParametersReference",
    "networking.IngressLoadBalancerIngress 1ip 2hostname 4ports:*networking.IngressPortStatus",
    "networking.IngressLoadBalancerStatus 1ingress:*networking.IngressLoadBalancerIngress",
    "networking.IngressPortStatus 1port:!i 2protocol 3error:!s",
    "networking.IngressRule 1host 2:^networking.IngressRuleValue",
    "networking.IngressRuleValue 1http:!networking.HTTPIngressRuleValue",
    "networking.IngressServiceBackend 1name 2port:networking.ServiceBackendPort",
    "networking.IngressSpec 1defaultBackend:!networking.IngressBackend "
    "2tls:*networking.IngressTLS 3rules:*networking.IngressRule 4ingressClassName:!s",
    "networking.IngressStatus 1loadBalancer:networking.IngressLoadBalancerStatus",
    "networking.IngressTLS 1hosts:*s 2secretName",
    "networking.NetworkPolicy 1metadata:meta.ObjectMeta 2spec:networking.NetworkPolicySpec",
    "networking.NetworkPolicyEgressRule 1ports:*networking.NetworkPolicyPort "
    "2to:*networking.NetworkPolicyPeer",
    "networking.NetworkPolicyIngressRule 1ports:*networking.NetworkPolicyPort "
    "2from:*networking.NetworkPolicyPeer",
    "networking.NetworkPolicyPeer 1podSelector:!meta.LabelSelector "
    "2namespaceSelector:!meta.LabelSelector 3ipBlock:!networking.IPBlock",
    "networking.NetworkPolicyPort 1protocol:!s 2port:!n 3endPort:!i",
    "networking.NetworkPolicySpec 1podSelector:meta.LabelSelector "
    "2ingress:*networking.NetworkPolicyIngressRule 3egress:*networking.NetworkPolicyEgressRule "
    "4policyTypes:*s",
    "networking.ServiceBackendPort 1name 2number:i",
    "policy.Eviction 1metadata:meta.ObjectMeta 2deleteOptions:!meta.DeleteOptions",
    "policy.PodDisruptionBudget 1metadata:meta.ObjectMeta 2spec:policy.PodDisruptionBudgetSpec "
    "3status:policy.PodDisruptionBudgetStatus",
    "policy.PodDisruptionBudgetSpec 1minAvailable:!n 2selector:!meta.LabelSelector "
    "3maxUnavailable:!n 4unhealthyPodEvictionPolicy:!s",
    "policy.PodDisruptionBudgetStatus 1observedGeneration:i 2disruptedPods:%t "
    "3disruptionsAllowed:!i 4currentHealthy:!i 5desiredHealthy:!i 6expectedPods:!i "
    "7conditions:*meta.Condition",
    "rbac.AggregationRule 1clusterRoleSelectors:*meta.LabelSelector",
    "rbac.ClusterRole 1metadata:meta.ObjectMeta 2rules:*rbac.PolicyRule "
    "3aggregationRule:!rbac.AggregationRule",
    "rbac.ClusterRoleBinding 1metadata:meta.ObjectMeta 2subjects:*rbac.Subject "
    "3roleRef:rbac.RoleRef",
    "rbac.PolicyRule 1verbs:*s 2apiGroups:*s 3resources:*s 4resourceNames:*s "
    "5nonResourceURLs:*s",
    "rbac.Role 1metadata:meta.ObjectMeta 2rules:*rbac.PolicyRule",
    "rbac.RoleBinding 1metadata:meta.ObjectMeta 2subjects:*rbac.Subject 3roleRef:rbac.RoleRef",
    "rbac.RoleRef 1apiGroup 2kind 3name",
    "rbac.Subject 1kind 2apiGroup 3name 4namespace",
    "scheduling.PriorityClass 1metadata:meta.ObjectMeta 2value:!i 3globalDefault:b "
    "4description 5preemptionPolicy:!s",
    "storage.CSIDriver 1metadata:meta.ObjectMeta 2spec:storage.CSIDriverSpec",
    "storage.CSIDriverSpec 1attachRequired:!b 2podInfoOnMount:!b 3volumeLifecycleModes:*s "
    "4storageCapacity:!b 5fsGroupPolicy:!s 6tokenRequests:*storage.TokenRequest "
    "7requiresRepublish:!b 8seLinuxMount:!b 9nodeAllocatableUpdatePeriodSeconds:!i "
    "10serviceAccountTokenInSecrets:!b 11preventPodSchedulingIfMissing:!b",
    "storage.CSINode 1metadata:meta.ObjectMeta 2spec:storage.CSINodeSpec",
    "storage.CSINodeDriver 1name 2nodeID 3topologyKeys:*s "
    "4allocatable:!storage.VolumeNodeResources",
    "storage.CSINodeSpec 1drivers:*storage.CSINodeDriver",
    "storage.CSIStorageCapacity 1metadata:meta.ObjectMeta 2nodeTopology:!meta.LabelSelector "
    "3storageClassName 4capacity:!q 5maximumVolumeSize:!q",
    "storage.StorageClass 1metadata:meta.ObjectMeta 2provisioner 3parameters:%s "
    "4reclaimPolicy:!s 5mountOptions:*s 6allowVolumeExpansion:!b 7volumeBindingMode:!s "
    "8allowedTopologies:*core.TopologySelectorTerm",
    "storage.TokenRequest 1audience 2expirationSeconds:!i",
    "storage.VolumeAttachment 1metadata:meta.ObjectMeta 2spec:storage.VolumeAttachmentSpec "
    "3status:storage.VolumeAttachmentStatus",
    "storage.VolumeAttachmentSource 1persistentVolumeName:!s "
    "2inlineVolumeSpec:!core.PersistentVolumeSpec",
    "storage.VolumeAttachmentSpec 1attacher 2source:storage.VolumeAttachmentSource 3nodeName",
    "storage.VolumeAttachmentStatus 1attached:!b 2attachmentMetadata:%s "
    "3attachError:!storage.VolumeError 4detachError:!storage.VolumeError",
    "storage.VolumeError 1time:t 2message 3errorCode:!i",
    "storage.VolumeNodeResources 1count:!i",
};

}  // namespace

std::span<const std::string_view> OtherMessages() {
  return kOtherMessages;
}

}  // namespace bth::types
