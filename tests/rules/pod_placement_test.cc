#include <string>

#include "tests/rules/pod_specs.h"

namespace bth::rules::testing {
namespace {

TEST_CASE("pod spec: volumes and mounts", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("volumes":[{"name":"v"}])", {}},
      {R"("volumes":[{"name":"v","emptyDir":{}},{"name":"v","emptyDir":{}}])",
       {"spec.volumes[1].name: Duplicate value: \"v\""}},
      {R"("volumes":[{"emptyDir":{}}])", {"spec.volumes[0].name: Required value"}},
      {R"("volumes":[{"name":"v","hostPath":{"path":"/a/../b","type":"Dir"},"secret":{"secretName":"s"}}])",
       {"spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
        "spec.volumes[0].hostPath.type: Unsupported value: \"Dir\": supported values: \"\", "
        "\"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", "
        "\"FileOrCreate\", \"Socket\"",
        "spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type"}},
      {R"("volumes":[{"name":"v","persistentVolumeClaim":{}}])",
       {"spec.volumes[0].persistentVolumeClaim.claimName: Required value"}},
      {R"("volumes":[{"name":"v","configMap":{"defaultMode":512,"items":[{"key":"k","path":"/x"}]}}])",
       {"spec.volumes[0].configMap.name: Required value",
        "spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and "
        "0777 (octal), both inclusive",
        "spec.volumes[0].configMap.items[0].path: Invalid value: \"/x\": must be a relative path"}},
      {R"("volumes":[{"name":"v","nfs":{"server":"s","path":"x"}}])",
       {"spec.volumes[0].nfs.path: Invalid value: \"x\": must be an absolute path"}},
      {R"("volumes":[{"name":"v","gcePersistentDisk":{}}])",
       {"spec.volumes[0].persistentDisk.pdName: Required value"}},
      {R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"-1"}}])",
       {"spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource "
        "quantity"}},
      {R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}])",
       {}},
      {R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}])",
       {"spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least "
        "1 access mode is required",
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: Required "
        "value"}},
      {R"("volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"a","path":"p"}]}},{"configMap":{"name":"m","items":[{"key":"a","path":"p"}]}}]}}])",
       {"spec.volumes[0].projected: Invalid value: \"m\": conflicting duplicate paths"}},
      {R"("volumes":[{"name":"v","downwardAPI":{"items":[{"path":"p"}]}}])",
       {"spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is "
        "required"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOf(c.fields) == c.errors);
}

TEST_CASE("pod spec: mounts need their volumes", "[rules]") {
  const std::string volumes =
      R"(,"volumes":[{"name":"v","emptyDir":{}},{"name":"p","persistentVolumeClaim":{"claimName":"x"}}])";
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"p","mountPath":"/b"}])", {}},
      {R"("volumeMounts":[{"name":"w","mountPath":"/a"}])",
       {"spec.containers[0].volumeMounts[0].name: Not found: \"w\""}},
      {R"("volumeMounts":[{"name":"v"}])",
       {"spec.containers[0].volumeMounts[0].mountPath: Required value"}},
      {R"("volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"p","mountPath":"/a"}])",
       {"spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"}},
      {R"("volumeMounts":[{"name":"v","mountPath":"/a","subPath":"/b","mountPropagation":"Bidirectional"}])",
       {"spec.containers[0].volumeMounts.subPath: Invalid value: \"/b\": must be a relative path",
        "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount "
        "propagation is available only to privileged containers"}},
      {R"("volumeDevices":[{"name":"v","devicePath":"/dev/x"}])",
       {"spec.containers[0].volumeDevices[0].name: Invalid value: \"v\": can only use volume "
        "source type of PersistentVolumeClaim or Ephemeral for block mode"}},
      {R"("volumeDevices":[{"name":"p","devicePath":"/dev/x"}])", {}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOfContainer(c.fields, volumes) == c.errors);
  PodRuleOptions open_ended;
  open_ended.claims_volumes = true;
  CHECK(ErrorsOfContainer(R"("volumeMounts":[{"name":"w","mountPath":"/a"}])", "", open_ended) ==
        Texts{});
}

TEST_CASE("pod spec: words, names and placement", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("restartPolicy":"Often")",
       {"spec.restartPolicy: Unsupported value: \"Often\": supported values: \"Always\", "
        "\"Never\", \"OnFailure\""}},
      {R"("dnsPolicy":"None")",
       {"spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"}},
      {R"("dnsPolicy":"None","dnsConfig":{"nameservers":["1.2.3.4","x"]})",
       {"spec.dnsConfig.nameservers[1]: Invalid value: \"x\": must be a valid IP address, (e.g. "
        "10.9.8.7 or 2001:db8::ffff)"}},
      {R"("nodeSelector":{"a b":"c","d":"e f"})",
       {"spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric "
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
        "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "spec.nodeSelector: Invalid value: \"e f\": a valid label must be an empty string or "
        "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}},
      {R"("activeDeadlineSeconds":0)",
       {"spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
        "inclusive"}},
      {R"("hostname":"a.b","subdomain":"s")",
       {"spec.hostname: Invalid value: \"a.b\": must not contain dots"}},
      {R"("tolerations":[{"operator":"Equal"}])",
       {"spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when "
        "`key` is empty, which means \"match all values and all keys\""}},
      {R"("tolerations":[{"key":"a","operator":"Exists","value":"v","effect":"Maybe","tolerationSeconds":1}])",
       {"spec.tolerations[0].effect: Invalid value: \"Maybe\": effect must be 'NoExecute' when "
        "`tolerationSeconds` is set",
        "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` "
        "is 'Exists'",
        "spec.tolerations[0].effect: Unsupported value: \"Maybe\": supported values: "
        "\"NoExecute\", \"NoSchedule\", \"PreferNoSchedule\""}},
      {R"("tolerations":[{"key":"a","operator":"Gt","value":"1"}])",
       {"spec.tolerations[0].operator: Unsupported value: \"Gt\": supported values: \"Equal\", "
        "\"Exists\""}},
      {R"("preemptionPolicy":"Always")",
       {"spec.preemptionPolicy: Unsupported value: \"Always\": supported values: \"Never\", "
        "\"PreemptLowerPriority\""}},
      {R"("overhead":{"cpu":"-1"})",
       {"spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {R"("os":{"name":"plan9"})",
       {"spec.os: Unsupported value: \"plan9\": supported values: \"linux\", \"windows\""}},
      {R"("os":{"name":"windows"},"hostPID":true,"securityContext":{"runAsUser":5})",
       {"spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
        "spec.hostPID: Forbidden: cannot be set for a windows pod"}},
      {R"("schedulingGates":[{"name":"g"},{"name":"g"}])",
       {"spec.schedulingGates[1]: Duplicate value: \"g\""}},
      {R"("hostUsers":false,"hostNetwork":true)",
       {"spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false"}},
      {R"("topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"},{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}])",
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
        "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "
        "\"{z, DoNotSchedule}\""}},
      {R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"Never","minDomains":1}])",
       {"spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
        "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"Never\": "
        "supported values: \"DoNotSchedule\", \"ScheduleAnyway\"",
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains "
        "if whenUnsatisfiable=DoNotSchedule, not Never"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOf(c.fields) == c.errors);
}

TEST_CASE("pod spec: affinity", "[rules]") {
  const std::string kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const SpecCase c = GENERATE_COPY(values<SpecCase>({
      {R"("nodeAffinity":{")" + kRequired + R"(":{}})",
       {"spec.affinity.nodeAffinity." + kRequired +
        ".nodeSelectorTerms: Required value: must have at least one node selector term"}},
      {R"("nodeAffinity":{")" + kRequired +
           R"(":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In"},{"key":"b","operator":"Near"}],"matchFields":[{"key":"metadata.uid","operator":"In","values":["x"]}]}]}})",
       {"spec.affinity.nodeAffinity." + kRequired +
            ".nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified "
            "when `operator` is 'In' or 'NotIn'",
        "spec.affinity.nodeAffinity." + kRequired +
            ".nodeSelectorTerms[0].matchExpressions[1].operator: Invalid value: \"Near\": not a "
            "valid selector operator",
        "spec.affinity.nodeAffinity." + kRequired +
            ".nodeSelectorTerms[0].matchFields[0].key: Invalid value: \"metadata.uid\": not a "
            "valid field selector key"}},
      {R"("nodeAffinity":{")" + kPreferred + R"(":[{"weight":101,"preference":{}}]})",
       {"spec.affinity.nodeAffinity." + kPreferred +
        "[0].weight: Invalid value: 101: must be in the range 1-100"}},
      {R"("podAntiAffinity":{")" + kRequired + R"(":[{"topologyKey":"zone"}]})", {}},
      {R"("podAffinity":{")" + kRequired + R"(":[{"topologyKey":"zone","matchLabelKeys":["a"]}]})",
       {"spec.affinity.podAffinity." + kRequired +
        "[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"}},
      {R"("podAffinity":{")" + kRequired +
           R"(":[{"topologyKey":"zone","matchLabelKeys":["a"],"mismatchLabelKeys":["a"],"labelSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"Exists"}]}}]})",
       {"spec.affinity.podAffinity." + kRequired +
            "[0][0]: Invalid value: \"a\": exists in both matchLabelKeys and labelSelector",
        "spec.affinity.podAffinity." + kRequired +
            "[0].matchLabelKeys[0]: Invalid value: \"a\": exists in both matchLabelKeys and "
            "mismatchLabelKeys"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOf(R"("affinity":{)" + c.fields + "}") == c.errors);
}

TEST_CASE("pod spec: security", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("securityContext":{"privileged":true,"runAsUser":0})", {}},
      {R"("securityContext":{"runAsUser":-1})",
       {"spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and "
        "4294967295, inclusive"}},
      {R"("securityContext":{"privileged":true,"allowPrivilegeEscalation":false})",
       {"spec.containers[0].securityContext: Invalid value: "
        "{\"privileged\":true,\"allowPrivilegeEscalation\":false}: cannot set "
        "`allowPrivilegeEscalation` to false and `privileged` to true"}},
      {R"("securityContext":{"procMount":"Unmasked"})",
       {"spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` "
        "must be false to use `Unmasked`"}},
      {R"("securityContext":{"seccompProfile":{"type":"Localhost"}})",
       {"spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must "
        "be set when seccomp type is Localhost"}},
      {R"("securityContext":{"appArmorProfile":{}})",
       {"spec.containers[0].securityContext.appArmorProfile.type: Required value: type is required "
        "when appArmorProfile is set"}},
      {R"("securityContext":{"windowsOptions":{"runAsUserName":"a\\b\\c"}})",
       {"spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "
        "\"a\\\\b\\\\c\": runAsUserName cannot contain more than one backslash"}},
      {R"("securityContext":{"windowsOptions":{"hostProcess":true}})",
       {"spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any "
        "hostProcess containers"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOfContainer(c.fields) == c.errors);
  CHECK(
      ErrorsOf(
          R"("securityContext":{"sysctls":[{"name":"net.core.somaxconn"},{"name":"A"},{"name":"net.core.somaxconn"}]},"hostNetwork":true)") ==
      Texts{"spec.securityContext.sysctls[0].name: Invalid value: \"net.core.somaxconn\": may "
            "not be specified when 'hostNetwork' is true",
            "spec.securityContext.sysctls[1].name: Invalid value: \"A\": must have at most 253 "
            "characters and match regex "
            "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
            "spec.securityContext.sysctls[2].name: Duplicate value: \"net.core.somaxconn\"",
            "spec.securityContext.sysctls[2].name: Invalid value: \"net.core.somaxconn\": may "
            "not be specified when 'hostNetwork' is true"});
}

}  // namespace
}  // namespace bth::rules::testing
