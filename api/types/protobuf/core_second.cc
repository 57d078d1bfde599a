// Messages of the core group, P to Z.
// A message is "group.Name" and its fields: number, JSON name, and after a colon the type when
// it is not text (api/types/protobuf/schema.h).
#include "api/types/protobuf/schema.h"

namespace bth::types {
namespace {

constexpr std::string_view kSecondCoreMessages[] = {
    "core.PersistentVolume 1metadata:meta.ObjectMeta 2spec:core.PersistentVolumeSpec "
    "3status:core.PersistentVolumeStatus",
    "core.PersistentVolumeClaim 1metadata:meta.ObjectMeta 2spec:core.PersistentVolumeClaimSpec "
    "3status:core.PersistentVolumeClaimStatus",
    "core.PersistentVolumeClaimCondition 1type 2status 3lastProbeTime:t 4lastTransitionTime:t "
    "5reason 6message",
    "core.PersistentVolumeClaimSpec 1accessModes:*s 2resources:core.VolumeResourceRequirements "
    "3volumeName 4selector:!meta.LabelSelector 5storageClassName:!s 6volumeMode:!s "
    "7dataSource:!core.TypedLocalObjectReference 8dataSourceRef:!core.TypedObjectReference "
    "9volumeAttributesClassName:!s",
    "core.PersistentVolumeClaimStatus 1phase 2accessModes:*s 3capacity:%q "
    "4conditions:*core.PersistentVolumeClaimCondition 5allocatedResources:%q "
    "7allocatedResourceStatuses:%s 8currentVolumeAttributesClassName:!s "
    "9modifyVolumeStatus:!core.ModifyVolumeStatus",
    "core.PersistentVolumeClaimTemplate 1metadata:meta.ObjectMeta "
    "2spec:core.PersistentVolumeClaimSpec",
    "core.PersistentVolumeClaimVolumeSource 1claimName 2readOnly:b",
    "core.PersistentVolumeSource 1gcePersistentDisk:!core.GCEPersistentDiskVolumeSource "
    "2awsElasticBlockStore:!core.AWSElasticBlockStoreVolumeSource "
    "3hostPath:!core.HostPathVolumeSource 4glusterfs:!core.GlusterfsPersistentVolumeSource "
    "5nfs:!core.NFSVolumeSource 6rbd:!core.RBDPersistentVolumeSource "
    "7iscsi:!core.ISCSIPersistentVolumeSource 8cinder:!core.CinderPersistentVolumeSource "
    "9cephfs:!core.CephFSPersistentVolumeSource 10fc:!core.FCVolumeSource "
    "11flocker:!core.FlockerVolumeSource 12flexVolume:!core.FlexPersistentVolumeSource "
    "13azureFile:!core.AzureFilePersistentVolumeSource "
    "14vsphereVolume:!core.VsphereVirtualDiskVolumeSource 15quobyte:!core.QuobyteVolumeSource "
    "16azureDisk:!core.AzureDiskVolumeSource "
    "17photonPersistentDisk:!core.PhotonPersistentDiskVolumeSource "
    "18portworxVolume:!core.PortworxVolumeSource 19scaleIO:!core.ScaleIOPersistentVolumeSource "
    "20local:!core.LocalVolumeSource 21storageos:!core.StorageOSPersistentVolumeSource "
    "22csi:!core.CSIPersistentVolumeSource",
    "core.PersistentVolumeSpec 1capacity:%q 2:^core.PersistentVolumeSource 3accessModes:*s "
    "4claimRef:!core.ObjectReference 5persistentVolumeReclaimPolicy 6storageClassName "
    "7mountOptions:*s 8volumeMode:!s 9nodeAffinity:!core.VolumeNodeAffinity "
    "10volumeAttributesClassName:!s",
    "core.PersistentVolumeStatus 1phase 2message 3reason 4lastPhaseTransitionTime:!t",
    "core.PhotonPersistentDiskVolumeSource 1pdID 2fsType",
    "core.Pod 1metadata:meta.ObjectMeta 2spec:core.PodSpec 3status:core.PodStatus",
    "core.PodAffinity 1requiredDuringSchedulingIgnoredDuringExecution:*core.PodAffinityTerm "
    "2preferredDuringSchedulingIgnoredDuringExecution:*core.WeightedPodAffinityTerm",
    "core.PodAffinityTerm 1labelSelector:!meta.LabelSelector 2namespaces:*s 3topologyKey "
    "4namespaceSelector:!meta.LabelSelector 5matchLabelKeys:*s 6mismatchLabelKeys:*s",
    "core.PodAntiAffinity "
    "1requiredDuringSchedulingIgnoredDuringExecution:*core.PodAffinityTerm "
    "2preferredDuringSchedulingIgnoredDuringExecution:*core.WeightedPodAffinityTerm",
    "core.PodCertificateProjection 1signerName 2keyType 3maxExpirationSeconds:!i "
    "4credentialBundlePath 5keyPath 6certificateChainPath 7userAnnotations:%s",
    "core.PodCondition 1type 2status 3lastProbeTime:t 4lastTransitionTime:t 5reason 6message "
    "7observedGeneration:i",
    "core.PodDNSConfig 1nameservers:*s 2searches:*s 3options:*core.PodDNSConfigOption",
    "core.PodDNSConfigOption 1name 2value:!s",
    "core.PodExtendedResourceClaimStatus "
    "1requestMappings:*core.ContainerExtendedResourceRequest 2resourceClaimName",
    "core.PodIP 1ip",
    "core.PodOS 1name",
    "core.PodReadinessGate 1conditionType",
    "core.PodResourceClaim 1name 3resourceClaimName:!s 4resourceClaimTemplateName:!s",
    "core.PodResourceClaimStatus 1name 2resourceClaimName:!s",
    "core.PodSchedulingGate 1name",
    "core.PodSchedulingGroup 1podGroupName:!s",
    "core.PodSecurityContext 1seLinuxOptions:!core.SELinuxOptions 2runAsUser:!i "
    "3runAsNonRoot:!b 4supplementalGroups:*i 5fsGroup:!i 6runAsGroup:!i 7sysctls:*core.Sysctl "
    "8windowsOptions:!core.WindowsSecurityContextOptions 9fsGroupChangePolicy:!s "
    "10seccompProfile:!core.SeccompProfile 11appArmorProfile:!core.AppArmorProfile "
    "12supplementalGroupsPolicy:!s 13seLinuxChangePolicy:!s",
    "core.PodSpec 1volumes:*core.Volume 2containers:*core.Container 3restartPolicy "
    "4terminationGracePeriodSeconds:!i 5activeDeadlineSeconds:!i 6dnsPolicy 7nodeSelector:%s "
    "8serviceAccountName 9serviceAccount 10nodeName 11hostNetwork:b 12hostPID:b 13hostIPC:b "
    "14securityContext:!core.PodSecurityContext 15imagePullSecrets:*core.LocalObjectReference "
    "16hostname 17subdomain 18affinity:!core.Affinity 19schedulerName "
    "20initContainers:*core.Container 21automountServiceAccountToken:!b "
    "22tolerations:*core.Toleration 23hostAliases:*core.HostAlias 24priorityClassName "
    "25priority:!i 26dnsConfig:!core.PodDNSConfig 27shareProcessNamespace:!b "
    "28readinessGates:*core.PodReadinessGate 29runtimeClassName:!s 30enableServiceLinks:!b "
    "31preemptionPolicy:!s 32overhead:%q "
    "33topologySpreadConstraints:*core.TopologySpreadConstraint "
    "34ephemeralContainers:*core.EphemeralContainer 35setHostnameAsFQDN:!b 36os:!core.PodOS "
    "37hostUsers:!b 38schedulingGates:*core.PodSchedulingGate "
    "39resourceClaims:*core.PodResourceClaim 40resources:!core.ResourceRequirements "
    "41hostnameOverride:!s 43schedulingGroup:!core.PodSchedulingGroup",
    "core.PodStatus 1phase 2conditions:*core.PodCondition 3message 4reason 5hostIP 6podIP "
    "7startTime:!t 8containerStatuses:*core.ContainerStatus 9qosClass "
    "10initContainerStatuses:*core.ContainerStatus 11nominatedNodeName 12podIPs:*core.PodIP "
    "13ephemeralContainerStatuses:*core.ContainerStatus 14resize "
    "15resourceClaimStatuses:*core.PodResourceClaimStatus 16hostIPs:*core.HostIP "
    "17observedGeneration:i 18extendedResourceClaimStatus:!core.PodExtendedResourceClaimStatus "
    "19allocatedResources:%q 20resources:!core.ResourceRequirements "
    "21nodeAllocatableResourceClaimStatuses:*core.NodeAllocatableResourceClaimStatus",
    "core.PodTemplate 1metadata:meta.ObjectMeta 2template:core.PodTemplateSpec",
    "core.PodTemplateSpec 1metadata:meta.ObjectMeta 2spec:core.PodSpec",
    "core.PortStatus 1port:!i 2protocol 3error:!s",
    "core.PortworxVolumeSource 1volumeID 2fsType 3readOnly:b",
    "core.PreferredSchedulingTerm 1weight:!i 2preference:core.NodeSelectorTerm",
    "core.Probe 1:^core.ProbeHandler 2initialDelaySeconds:i 3timeoutSeconds:i 4periodSeconds:i "
    "5successThreshold:i 6failureThreshold:i 7terminationGracePeriodSeconds:!i",
    "core.ProbeHandler 1exec:!core.ExecAction 2httpGet:!core.HTTPGetAction "
    "3tcpSocket:!core.TCPSocketAction 4grpc:!core.GRPCAction",
    "core.ProjectedVolumeSource 1sources:*core.VolumeProjection 2defaultMode:!i",
    "core.QuobyteVolumeSource 1registry 2volume 3readOnly:b 4user 5group 6tenant",
    "core.RBDPersistentVolumeSource 1monitors:*s 2image 3fsType 4pool 5user 6keyring "
    "7secretRef:!core.SecretReference 8readOnly:b",
    "core.RBDVolumeSource 1monitors:*s 2image 3fsType 4pool 5user 6keyring "
    "7secretRef:!core.LocalObjectReference 8readOnly:b",
    "core.ReplicationController 1metadata:meta.ObjectMeta 2spec:core.ReplicationControllerSpec "
    "3status:core.ReplicationControllerStatus",
    "core.ReplicationControllerCondition 1type 2status 3lastTransitionTime:t 4reason 5message",
    "core.ReplicationControllerSpec 1replicas:!i 2selector:%s 3template:!core.PodTemplateSpec "
    "4minReadySeconds:i",
    "core.ReplicationControllerStatus 1replicas:!i 2fullyLabeledReplicas:i "
    "3observedGeneration:i 4readyReplicas:i 5availableReplicas:i "
    "6conditions:*core.ReplicationControllerCondition",
    "core.ResourceClaim 1name 2request",
    "core.ResourceFieldSelector 1containerName 2resource 3divisor:q",
    "core.ResourceHealth 1resourceID 2health 6message:!s",
    "core.ResourceQuota 1metadata:meta.ObjectMeta 2spec:core.ResourceQuotaSpec "
    "3status:core.ResourceQuotaStatus",
    "core.ResourceQuotaSpec 1hard:%q 2scopes:*s 3scopeSelector:!core.ScopeSelector",
    "core.ResourceQuotaStatus 1hard:%q 2used:%q",
    "core.ResourceRequirements 1limits:%q 2requests:%q 3claims:*core.ResourceClaim",
    "core.ResourceStatus 1name 2resources:*core.ResourceHealth",
    "core.SELinuxOptions 1user 2role 3type 4level",
    "core.ScaleIOPersistentVolumeSource 1gateway 2system 3secretRef:!core.SecretReference "
    "4sslEnabled:b 5protectionDomain 6storagePool 7storageMode 8volumeName 9fsType 10readOnly:b",
    "core.ScaleIOVolumeSource 1gateway 2system 3secretRef:!core.LocalObjectReference "
    "4sslEnabled:b 5protectionDomain 6storagePool 7storageMode 8volumeName 9fsType 10readOnly:b",
    "core.ScopeSelector 1matchExpressions:*core.ScopedResourceSelectorRequirement",
    "core.ScopedResourceSelectorRequirement 1scopeName 2operator 3values:*s",
    "core.SeccompProfile 1type 2localhostProfile:!s",
    "core.Secret 1metadata:meta.ObjectMeta 2data:%y 3type 4stringData:%s 5immutable:!b",
    "core.SecretEnvSource 1:^core.LocalObjectReference 2optional:!b",
    "core.SecretKeySelector 1:^core.LocalObjectReference 2key 3optional:!b",
    "core.SecretProjection 1:^core.LocalObjectReference 2items:*core.KeyToPath 4optional:!b",
    "core.SecretReference 1name 2namespace",
    "core.SecretVolumeSource 1secretName 2items:*core.KeyToPath 3defaultMode:!i 4optional:!b",
    "core.SecurityContext 1capabilities:!core.Capabilities 2privileged:!b "
    "3seLinuxOptions:!core.SELinuxOptions 4runAsUser:!i 5runAsNonRoot:!b "
    "6readOnlyRootFilesystem:!b 7allowPrivilegeEscalation:!b 8runAsGroup:!i 9procMount:!s "
    "10windowsOptions:!core.WindowsSecurityContextOptions "
    "11seccompProfile:!core.SeccompProfile 12appArmorProfile:!core.AppArmorProfile",
    "core.Service 1metadata:meta.ObjectMeta 2spec:core.ServiceSpec 3status:core.ServiceStatus",
    "core.ServiceAccount 1metadata:meta.ObjectMeta 2secrets:*core.ObjectReference "
    "3imagePullSecrets:*core.LocalObjectReference 4automountServiceAccountToken:!b",
    "core.ServiceAccountTokenProjection 1audience 2expirationSeconds:!i 3path",
    "core.ServicePort 1name 2protocol 3port:!i 4targetPort:n 5nodePort:i 6appProtocol:!s",
    "core.ServiceSpec 1ports:*core.ServicePort 2selector:%s 3clusterIP 4type 5externalIPs:*s "
    "7sessionAffinity 8loadBalancerIP 9loadBalancerSourceRanges:*s 10externalName "
    "11externalTrafficPolicy 12healthCheckNodePort:i 13publishNotReadyAddresses:b "
    "14sessionAffinityConfig:!core.SessionAffinityConfig 17ipFamilyPolicy:!s 18clusterIPs:*s "
    "19ipFamilies:*s 20allocateLoadBalancerNodePorts:!b 21loadBalancerClass:!s "
    "22internalTrafficPolicy:!s 23trafficDistribution:!s",
    "core.ServiceStatus 1loadBalancer:core.LoadBalancerStatus 2conditions:*meta.Condition",
    "core.SessionAffinityConfig 1clientIP:!core.ClientIPConfig",
    "core.SleepAction 1seconds:!i",
    "core.StorageOSPersistentVolumeSource 1volumeName 2volumeNamespace 3fsType 4readOnly:b "
    "5secretRef:!core.ObjectReference",
    "core.StorageOSVolumeSource 1volumeName 2volumeNamespace 3fsType 4readOnly:b "
    "5secretRef:!core.LocalObjectReference",
    "core.Sysctl 1name 2value",
    "core.TCPSocketAction 1port:n 2host",
    "core.Taint 1key 2value 3effect 4timeAdded:!t",
    "core.Toleration 1key 2operator 3value 4effect 5tolerationSeconds:!i",
    "core.TopologySelectorLabelRequirement 1key 2values:*s",
    "core.TopologySelectorTerm 1matchLabelExpressions:*core.TopologySelectorLabelRequirement",
    "core.TopologySpreadConstraint 1maxSkew:!i 2topologyKey 3whenUnsatisfiable "
    "4labelSelector:!meta.LabelSelector 5minDomains:!i 6nodeAffinityPolicy:!s "
    "7nodeTaintsPolicy:!s 8matchLabelKeys:*s",
    "core.TypedLocalObjectReference 1apiGroup:!s 2kind 3name",
    "core.TypedObjectReference 1apiGroup:!s 2kind 3name 4namespace:!s",
    "core.Volume 1name 2:^core.VolumeSource",
    "core.VolumeDevice 1name 2devicePath",
    "core.VolumeMount 1name 2readOnly:b 3mountPath 4subPath 5mountPropagation:!s 6subPathExpr "
    "7recursiveReadOnly:!s",
    "core.VolumeMountStatus 1name 2mountPath 3readOnly:b 4recursiveReadOnly:!s "
    "5volumeStatus:!core.VolumeStatus",
    "core.VolumeNodeAffinity 1required:!core.NodeSelector",
    "core.VolumeProjection 1secret:!core.SecretProjection "
    "2downwardAPI:!core.DownwardAPIProjection 3configMap:!core.ConfigMapProjection "
    "4serviceAccountToken:!core.ServiceAccountTokenProjection "
    "5clusterTrustBundle:!core.ClusterTrustBundleProjection "
    "6podCertificate:!core.PodCertificateProjection",
    "core.VolumeResourceRequirements 1limits:%q 2requests:%q",
    "core.VolumeSource 1hostPath:!core.HostPathVolumeSource "
    "2emptyDir:!core.EmptyDirVolumeSource "
    "3gcePersistentDisk:!core.GCEPersistentDiskVolumeSource "
    "4awsElasticBlockStore:!core.AWSElasticBlockStoreVolumeSource "
    "5gitRepo:!core.GitRepoVolumeSource 6secret:!core.SecretVolumeSource "
    "7nfs:!core.NFSVolumeSource 8iscsi:!core.ISCSIVolumeSource "
    "9glusterfs:!core.GlusterfsVolumeSource "
    "10persistentVolumeClaim:!core.PersistentVolumeClaimVolumeSource "
    "11rbd:!core.RBDVolumeSource 12flexVolume:!core.FlexVolumeSource "
    "13cinder:!core.CinderVolumeSource 14cephfs:!core.CephFSVolumeSource "
    "15flocker:!core.FlockerVolumeSource 16downwardAPI:!core.DownwardAPIVolumeSource "
    "17fc:!core.FCVolumeSource 18azureFile:!core.AzureFileVolumeSource "
    "19configMap:!core.ConfigMapVolumeSource "
    "20vsphereVolume:!core.VsphereVirtualDiskVolumeSource 21quobyte:!core.QuobyteVolumeSource "
    "22azureDisk:!core.AzureDiskVolumeSource "
    "23photonPersistentDisk:!core.PhotonPersistentDiskVolumeSource "
    "24portworxVolume:!core.PortworxVolumeSource 25scaleIO:!core.ScaleIOVolumeSource "
    "26projected:!core.ProjectedVolumeSource 27storageos:!core.StorageOSVolumeSource "
    "28csi:!core.CSIVolumeSource 29ephemeral:!core.EphemeralVolumeSource "
    "30image:!core.ImageVolumeSource",
    "core.VolumeStatus 1image:!core.ImageVolumeStatus",
    "core.VsphereVirtualDiskVolumeSource 1volumePath 2fsType 3storagePolicyName "
    "4storagePolicyID",
    "core.WeightedPodAffinityTerm 1weight:!i 2podAffinityTerm:core.PodAffinityTerm",
    "core.WindowsSecurityContextOptions 1gmsaCredentialSpecName:!s 2gmsaCredentialSpec:!s "
    "3runAsUserName:!s 4hostProcess:!b",
};

}  // namespace

std::span<const std::string_view> CoreMessagesSecond() {
  return kSecondCoreMessages;
}

}  // namespace bth::types
