// Messages of the core group, A to O.
// A message is "group.Name" and its fields: number, JSON name, and after a colon the type when
// it is not text (api/types/protobuf/schema.h).
#include "api/types/protobuf/schema.h"

namespace bth::types {
namespace {

constexpr std::string_view kFirstCoreMessages[] = {
    "core.AWSElasticBlockStoreVolumeSource 1volumeID 2fsType 3partition:i 4readOnly:b",
    "core.Affinity 1nodeAffinity:!core.NodeAffinity 2podAffinity:!core.PodAffinity "
    "3podAntiAffinity:!core.PodAntiAffinity",
    "core.AppArmorProfile 1type 2localhostProfile:!s",
    "core.AttachedVolume 1name 2devicePath",
    "core.AzureDiskVolumeSource 1diskName 2diskURI 3cachingMode:!s 4fsType:!s 5readOnly:!b "
    "6kind:!s",
    "core.AzureFilePersistentVolumeSource 1secretName 2shareName 3readOnly:b "
    "4secretNamespace:!s",
    "core.AzureFileVolumeSource 1secretName 2shareName 3readOnly:b",
    "core.Binding 1metadata:meta.ObjectMeta 2target:core.ObjectReference",
    "core.CSIPersistentVolumeSource 1driver 2volumeHandle 3readOnly:b 4fsType "
    "5volumeAttributes:%s 6controllerPublishSecretRef:!core.SecretReference "
    "7nodeStageSecretRef:!core.SecretReference 8nodePublishSecretRef:!core.SecretReference "
    "9controllerExpandSecretRef:!core.SecretReference "
    "10nodeExpandSecretRef:!core.SecretReference",
    "core.CSIVolumeSource 1driver 2readOnly:!b 3fsType:!s 4volumeAttributes:%s "
    "5nodePublishSecretRef:!core.LocalObjectReference",
    "core.Capabilities 1add:*s 2drop:*s",
    "core.CephFSPersistentVolumeSource 1monitors:*s 2path 3user 4secretFile "
    "5secretRef:!core.SecretReference 6readOnly:b",
    "core.CephFSVolumeSource 1monitors:*s 2path 3user 4secretFile "
    "5secretRef:!core.LocalObjectReference 6readOnly:b",
    "core.CinderPersistentVolumeSource 1volumeID 2fsType 3readOnly:b "
    "4secretRef:!core.SecretReference",
    "core.CinderVolumeSource 1volumeID 2fsType 3readOnly:b "
    "4secretRef:!core.LocalObjectReference",
    "core.ClientIPConfig 1timeoutSeconds:!i",
    "core.ClusterTrustBundleProjection 1name:!s 2signerName:!s "
    "3labelSelector:!meta.LabelSelector 4path 5optional:!b",
    "core.ConfigMap 1metadata:meta.ObjectMeta 2data:%s 3binaryData:%y 4immutable:!b",
    "core.ConfigMapEnvSource 1:^core.LocalObjectReference 2optional:!b",
    "core.ConfigMapKeySelector 1:^core.LocalObjectReference 2key 3optional:!b",
    "core.ConfigMapNodeConfigSource 1namespace 2name 3uid 4resourceVersion 5kubeletConfigKey",
    "core.ConfigMapProjection 1:^core.LocalObjectReference 2items:*core.KeyToPath 4optional:!b",
    "core.ConfigMapVolumeSource 1:^core.LocalObjectReference 2items:*core.KeyToPath "
    "3defaultMode:!i 4optional:!b",
    "core.Container 1name 2image 3command:*s 4args:*s 5workingDir 6ports:*core.ContainerPort "
    "7env:*core.EnvVar 8resources:core.ResourceRequirements 9volumeMounts:*core.VolumeMount "
    "10livenessProbe:!core.Probe 11readinessProbe:!core.Probe 12lifecycle:!core.Lifecycle "
    "13terminationMessagePath 14imagePullPolicy 15securityContext:!core.SecurityContext "
    "16stdin:b 17stdinOnce:b 18tty:b 19envFrom:*core.EnvFromSource 20terminationMessagePolicy "
    "21volumeDevices:*core.VolumeDevice 22startupProbe:!core.Probe "
    "23resizePolicy:*core.ContainerResizePolicy 24restartPolicy:!s "
    "25restartPolicyRules:*core.ContainerRestartRule",
    "core.ContainerExtendedResourceRequest 1containerName 2resourceName 3requestName",
    "core.ContainerImage 1names:*s 2sizeBytes:i",
    "core.ContainerPort 1name 2hostPort:i 3containerPort:!i 4protocol 5hostIP",
    "core.ContainerResizePolicy 1resourceName 2restartPolicy",
    "core.ContainerRestartRule 1action 2exitCodes:!core.ContainerRestartRuleOnExitCodes",
    "core.ContainerRestartRuleOnExitCodes 1operator 2values:*i",
    "core.ContainerState 1waiting:!core.ContainerStateWaiting "
    "2running:!core.ContainerStateRunning 3terminated:!core.ContainerStateTerminated",
    "core.ContainerStateRunning 1startedAt:t",
    "core.ContainerStateTerminated 1exitCode:!i 2signal:i 3reason 4message 5startedAt:t "
    "6finishedAt:t 7containerID",
    "core.ContainerStateWaiting 1reason 2message",
    "core.ContainerStatus 1name 2state:core.ContainerState 3lastState:core.ContainerState "
    "4ready:!b 5restartCount:!i 6image 7imageID 8containerID 9started:!b "
    "10allocatedResources:%q 11resources:!core.ResourceRequirements "
    "12volumeMounts:*core.VolumeMountStatus 13user:!core.ContainerUser "
    "14allocatedResourcesStatus:*core.ResourceStatus 15stopSignal:!s",
    "core.ContainerUser 1linux:!core.LinuxContainerUser",
    "core.DaemonEndpoint 1Port:!i",
    "core.DownwardAPIProjection 1items:*core.DownwardAPIVolumeFile",
    "core.DownwardAPIVolumeFile 1path 2fieldRef:!core.ObjectFieldSelector "
    "3resourceFieldRef:!core.ResourceFieldSelector 4mode:!i",
    "core.DownwardAPIVolumeSource 1items:*core.DownwardAPIVolumeFile 2defaultMode:!i",
    "core.EmptyDirVolumeSource 1medium 2sizeLimit:!q",
    "core.EndpointAddress 1ip 2targetRef:!core.ObjectReference 3hostname 4nodeName:!s",
    "core.EndpointPort 1name 2port:!i 3protocol 4appProtocol:!s",
    "core.EndpointSubset 1addresses:*core.EndpointAddress "
    "2notReadyAddresses:*core.EndpointAddress 3ports:*core.EndpointPort",
    "core.Endpoints 1metadata:meta.ObjectMeta 2subsets:*core.EndpointSubset",
    "core.EnvFromSource 1prefix 2configMapRef:!core.ConfigMapEnvSource "
    "3secretRef:!core.SecretEnvSource",
    "core.EnvVar 1name 2value 3valueFrom:!core.EnvVarSource",
    "core.EnvVarSource 1fieldRef:!core.ObjectFieldSelector "
    "2resourceFieldRef:!core.ResourceFieldSelector 3configMapKeyRef:!core.ConfigMapKeySelector "
    "4secretKeyRef:!core.SecretKeySelector 5fileKeyRef:!core.FileKeySelector",
    "core.EphemeralContainer 1:^core.EphemeralContainerCommon 2targetContainerName",
    "core.EphemeralContainerCommon 1name 2image 3command:*s 4args:*s 5workingDir "
    "6ports:*core.ContainerPort 7env:*core.EnvVar 8resources:core.ResourceRequirements "
    "9volumeMounts:*core.VolumeMount 10livenessProbe:!core.Probe 11readinessProbe:!core.Probe "
    "12lifecycle:!core.Lifecycle 13terminationMessagePath 14imagePullPolicy "
    "15securityContext:!core.SecurityContext 16stdin:b 17stdinOnce:b 18tty:b "
    "19envFrom:*core.EnvFromSource 20terminationMessagePolicy "
    "21volumeDevices:*core.VolumeDevice 22startupProbe:!core.Probe "
    "23resizePolicy:*core.ContainerResizePolicy 24restartPolicy:!s "
    "25restartPolicyRules:*core.ContainerRestartRule",
    "core.EphemeralVolumeSource 1volumeClaimTemplate:!core.PersistentVolumeClaimTemplate",
    "core.Event 1metadata:meta.ObjectMeta 2involvedObject:core.ObjectReference 3reason "
    "4message 5source:core.EventSource 6firstTimestamp:t 7lastTimestamp:t 8count:i 9type "
    "10eventTime:u 11series:!core.EventSeries 12action 13related:!core.ObjectReference "
    "14reportingComponent 15reportingInstance",
    "core.EventSeries 1count:i 2lastObservedTime:u",
    "core.EventSource 1component 2host",
    "core.ExecAction 1command:*s",
    "core.FCVolumeSource 1targetWWNs:*s 2lun:!i 3fsType 4readOnly:b 5wwids:*s",
    "core.FileKeySelector 1volumeName 2path 3key 4optional:!b",
    "core.FlexPersistentVolumeSource 1driver 2fsType 3secretRef:!core.SecretReference "
    "4readOnly:b 5options:%s",
    "core.FlexVolumeSource 1driver 2fsType 3secretRef:!core.LocalObjectReference 4readOnly:b "
    "5options:%s",
    "core.FlockerVolumeSource 1datasetName 2datasetUUID",
    "core.GCEPersistentDiskVolumeSource 1pdName 2fsType 3partition:i 4readOnly:b",
    "core.GRPCAction 1port:!i 2service:!s",
    "core.GitRepoVolumeSource 1repository 2revision 3directory",
    "core.GlusterfsPersistentVolumeSource 1endpoints 2path 3readOnly:b 4endpointsNamespace:!s",
    "core.GlusterfsVolumeSource 1endpoints 2path 3readOnly:b",
    "core.HTTPGetAction 1path 2port:n 3host 4scheme 5httpHeaders:*core.HTTPHeader",
    "core.HTTPHeader 1name 2value",
    "core.HostAlias 1ip 2hostnames:*s",
    "core.HostIP 1ip",
    "core.HostPathVolumeSource 1path 2type:!s",
    "core.ISCSIPersistentVolumeSource 1targetPortal 2iqn 3lun:!i 4iscsiInterface 5fsType "
    "6readOnly:b 7portals:*s 8chapAuthDiscovery:b 10secretRef:!core.SecretReference "
    "11chapAuthSession:b 12initiatorName:!s",
    "core.ISCSIVolumeSource 1targetPortal 2iqn 3lun:!i 4iscsiInterface 5fsType 6readOnly:b "
    "7portals:*s 8chapAuthDiscovery:b 10secretRef:!core.LocalObjectReference "
    "11chapAuthSession:b 12initiatorName:!s",
    "core.ImageVolumeSource 1reference 2pullPolicy",
    "core.ImageVolumeStatus 1imageRef",
    "core.KeyToPath 1key 2path 3mode:!i",
    "core.Lifecycle 1postStart:!core.LifecycleHandler 2preStop:!core.LifecycleHandler "
    "3stopSignal:!s",
    "core.LifecycleHandler 1exec:!core.ExecAction 2httpGet:!core.HTTPGetAction "
    "3tcpSocket:!core.TCPSocketAction 4sleep:!core.SleepAction",
    "core.LimitRange 1metadata:meta.ObjectMeta 2spec:core.LimitRangeSpec",
    "core.LimitRangeItem 1type 2max:%q 3min:%q 4default:%q 5defaultRequest:%q "
    "6maxLimitRequestRatio:%q",
    "core.LimitRangeSpec 1limits:*core.LimitRangeItem",
    "core.LinuxContainerUser 1uid:!i 2gid:!i 3supplementalGroups:*i",
    "core.LoadBalancerIngress 1ip 2hostname 3ipMode:!s 4ports:*core.PortStatus",
    "core.LoadBalancerStatus 1ingress:*core.LoadBalancerIngress",
    "core.LocalObjectReference 1name",
    "core.LocalVolumeSource 1path 2fsType:!s",
    "core.ModifyVolumeStatus 1targetVolumeAttributesClassName 2status",
    "core.NFSVolumeSource 1server 2path 3readOnly:b",
    "core.Namespace 1metadata:meta.ObjectMeta 2spec:core.NamespaceSpec "
    "3status:core.NamespaceStatus",
    "core.NamespaceCondition 1type 2status 4lastTransitionTime:t 5reason 6message",
    "core.NamespaceSpec 1finalizers:*s",
    "core.NamespaceStatus 1phase 2conditions:*core.NamespaceCondition",
    "core.Node 1metadata:meta.ObjectMeta 2spec:core.NodeSpec 3status:core.NodeStatus",
    "core.NodeAddress 1type 2address",
    "core.NodeAffinity 1requiredDuringSchedulingIgnoredDuringExecution:!core.NodeSelector "
    "2preferredDuringSchedulingIgnoredDuringExecution:*core.PreferredSchedulingTerm",
    "core.NodeAllocatableResourceClaimStatus 1resourceClaimName 2containers:*s 3resources:%q",
    "core.NodeCondition 1type 2status 3lastHeartbeatTime:t 4lastTransitionTime:t 5reason "
    "6message",
    "core.NodeConfigSource 2configMap:!core.ConfigMapNodeConfigSource",
    "core.NodeConfigStatus 1assigned:!core.NodeConfigSource 2active:!core.NodeConfigSource "
    "3lastKnownGood:!core.NodeConfigSource 4error",
    "core.NodeDaemonEndpoints 1kubeletEndpoint:core.DaemonEndpoint",
    "core.NodeFeatures 1supplementalGroupsPolicy:!b",
    "core.NodeRuntimeHandler 1name 2features:!core.NodeRuntimeHandlerFeatures",
    "core.NodeRuntimeHandlerFeatures 1recursiveReadOnlyMounts:!b 2userNamespaces:!b",
    "core.NodeSelector 1nodeSelectorTerms:*core.NodeSelectorTerm",
    "core.NodeSelectorRequirement 1key 2operator 3values:*s",
    "core.NodeSelectorTerm 1matchExpressions:*core.NodeSelectorRequirement "
    "2matchFields:*core.NodeSelectorRequirement",
    "core.NodeSpec 1podCIDR 2externalID 3providerID 4unschedulable:b 5taints:*core.Taint "
    "6configSource:!core.NodeConfigSource 7podCIDRs:*s",
    "core.NodeStatus 1capacity:%q 2allocatable:%q 3phase 4conditions:*core.NodeCondition "
    "5addresses:*core.NodeAddress 6daemonEndpoints:core.NodeDaemonEndpoints "
    "7nodeInfo:core.NodeSystemInfo 8images:*core.ContainerImage 9volumesInUse:*s "
    "10volumesAttached:*core.AttachedVolume 11config:!core.NodeConfigStatus "
    "12runtimeHandlers:*core.NodeRuntimeHandler 13features:!core.NodeFeatures "
    "14declaredFeatures:*s",
    "core.NodeSwapStatus 1capacity:!i",
    "core.NodeSystemInfo 1machineID 2systemUUID 3bootID 4kernelVersion 5osImage "
    "6containerRuntimeVersion 7kubeletVersion 8kubeProxyVersion 9operatingSystem "
    "10architecture 11swap:!core.NodeSwapStatus",
    "core.ObjectFieldSelector 1apiVersion 2fieldPath",
    "core.ObjectReference 1kind 2namespace 3name 4uid 5apiVersion 6resourceVersion 7fieldPath",
};

}  // namespace

std::span<const std::string_view> CoreMessagesFirst() {
  return kFirstCoreMessages;
}

}  // namespace bth::types
