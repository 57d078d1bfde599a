#include "api/rules/pod_template.h"

#include <string>
#include <vector>

#include "api/rules/part.h"
#include "api/rules/pod_defaults.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::rules {
namespace {

using types::Json;
using Texts = std::vector<std::string>;

Json ReadJson(const std::string& text) {
  const absl::StatusOr<Json> json = Json::Parse(text);
  INFO(text << ": " << json.status().ToString());
  REQUIRE(json.ok());
  return *json;
}

Texts TextsOf(const FieldErrors& errors) {
  Texts texts;
  for (const FieldError& error : errors) texts.push_back(error.ToString());
  return texts;
}

// The errors of a spec that has its defaults; `fields` are its members beside one container.
Texts ErrorsOf(const std::string& fields, const PodRuleOptions& options = {}) {
  Json spec = ReadJson(StrCat(R"({"containers":[{"name":"c","image":"i"}])",
                              fields.empty() ? "" : ",", fields, "}"));
  DefaultPodSpec(spec);
  if (options.is_pod) DefaultPodOnly(spec);
  return TextsOf(CheckPodSpec(spec, "spec", options));
}

// The same where the container has these fields as well.
Texts ErrorsOfContainer(const std::string& fields, const std::string& more = "",
                        const PodRuleOptions& options = {}) {
  Json spec =
      ReadJson(StrCat(R"({"containers":[{"name":"c","image":"i",)", fields, "}]", more, "}"));
  DefaultPodSpec(spec);
  return TextsOf(CheckPodSpec(spec, "spec", options));
}

struct SpecCase {
  std::string fields;
  Texts errors;
};

TEST_CASE("pod spec: a container with its defaults is well", "[rules]") {
  CHECK(ErrorsOf("") == Texts{});
  PodRuleOptions pod;
  pod.is_pod = true;
  pod.relaxed = true;
  CHECK(ErrorsOf("", pod) == Texts{});
  CHECK(TextsOf(CheckPodSpec(nullptr, "spec")) == Texts{"spec: Required value"});
}

TEST_CASE("pod spec: without defaults each missing word is told in order", "[rules]") {
  CHECK(TextsOf(CheckPodSpec(ReadJson(R"({"containers":[{}]})"), "t.spec")) ==
        Texts{"t.spec.terminationGracePeriodSeconds: Required value",
              "t.spec.containers[0].name: Required value",
              "t.spec.containers[0].image: Required value",
              "t.spec.containers[0].terminationMessagePolicy: Required value",
              "t.spec.containers[0].imagePullPolicy: Required value",
              "t.spec.restartPolicy: Required value", "t.spec.dnsPolicy: Required value"});
}

TEST_CASE("pod spec: containers", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("containers":[])", {"spec.containers: Required value"}},
      {R"("containers":[{"name":"a","image":"i"},{"name":"a","image":"i"}])",
       {"spec.containers[1].name: Duplicate value: \"a\""}},
      {R"("containers":[{"name":"a.b","image":"i"}])",
       {"spec.containers[0].name: Invalid value: \"a.b\": must not contain dots"}},
      {R"("initContainers":[{"name":"c","image":"i"}])",
       {"spec.initContainers[0].name: Duplicate value: \"c\""}},
      {R"("initContainers":[{"name":"s","image":"i","restartPolicy":"Always","livenessProbe":{"exec":{"command":["x"]}}}])",
       {}},
      {R"("initContainers":[{"name":"s","image":"i","restartPolicy":"Never"}])",
       {"spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: "
        "\"Always\""}},
      {R"("initContainers":[{"name":"s","image":"i","lifecycle":{},"readinessProbe":{"exec":{"command":["x"]}}}])",
       {"spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without "
        "restartPolicy=Always",
        "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers "
        "without restartPolicy=Always"}},
      {R"("ephemeralContainers":[{"name":"c","image":"i","ports":[{"containerPort":1}],"targetContainerName":"x"}])",
       {"spec.ephemeralContainers[0].name: Duplicate value: \"c\"",
        "spec.ephemeralContainers[0].targetContainerName: Not found: \"x\"",
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container"}},
      {R"("containers":"x")", {"spec.containers: Required value"}},
      {R"("containers":[5])", {"spec.containers[0]: Invalid value: 5: must be an object"}},
      {R"("containers":[{"name":5,"image":"i"}])",
       {"spec.containers[0].name: Invalid value: 5: must be a string",
        "spec.containers[0].name: Required value"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOf(c.fields) == c.errors);
}

TEST_CASE("pod spec: ports and variables of containers", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"("ports":[{"containerPort":80,"name":"http"},{"containerPort":81,"name":"http"}])",
       {"spec.containers[0].ports[1].name: Duplicate value: \"http\""}},
      {R"("ports":[{}])", {"spec.containers[0].ports[0].containerPort: Required value"}},
      {R"("ports":[{"containerPort":65536,"hostPort":-1,"protocol":"X"}])",
       {"spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and "
        "65535, inclusive",
        "spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, "
        "inclusive",
        "spec.containers[0].ports[0].protocol: Unsupported value: \"X\": supported values: "
        "\"SCTP\", \"TCP\", \"UDP\""}},
      {R"("ports":[{"containerPort":1,"hostPort":5},{"containerPort":2,"hostPort":5}])",
       {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//5\""}},
      {R"("env":[{"value":"x"}])", {"spec.containers[0].env[0].name: Required value"}},
      {R"("env":[{"name":"A","valueFrom":{}}])",
       {"spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: "
        "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"}},
      {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a']"}}}])",
       {}},
      {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}}])",
       {"spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "
        "\"status.phase\": supported values: \"metadata.name\", \"metadata.namespace\", "
        "\"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", "
        "\"status.hostIPs\", \"status.podIP\", \"status.podIPs\""}},
      {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.none"}}}])",
       {"spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.none\": "
        "error converting fieldPath: field label not supported: spec.none"}},
      {R"("env":[{"name":"A","value":"v","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}])",
       {"spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when "
        "`value` is not empty"}},
      {R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"2"}}}])",
       {"spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "
        "\"limits.cpu\": only divisor's values 1m and 1 are supported with the cpu resource"}},
      {R"("envFrom":[{}])",
       {"spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or "
        "`secretRef`"}},
      {R"("imagePullPolicy":"Later")",
       {"spec.containers[0].imagePullPolicy: Unsupported value: \"Later\": supported values: "
        "\"Always\", \"IfNotPresent\", \"Never\""}},
      {R"("livenessProbe":{})",
       {"spec.containers[0].livenessProbe: Required value: must specify a handler type"}},
      {R"("livenessProbe":{"tcpSocket":{"port":0},"exec":{"command":["x"]},"successThreshold":2})",
       {"spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 "
        "handler type",
        "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"}},
      {R"("readinessProbe":{"httpGet":{"port":"web"},"periodSeconds":-1,"terminationGracePeriodSeconds":3})",
       {"spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater than "
        "or equal to 0",
        "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must "
        "not be set for readinessProbes"}},
      {R"("lifecycle":{"preStop":{"sleep":{"seconds":31}}})",
       {"spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and "
        "less than terminationGracePeriodSeconds (30). Enable "
        "AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOfContainer(c.fields) == c.errors);
}

TEST_CASE("pod spec: amounts of containers", "[rules]") {
  const SpecCase c = GENERATE(values<SpecCase>({
      {R"({"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":2,"memory":"1Gi"}})", {}},
      {R"({"requests":{"cpu":"2"},"limits":{"cpu":"1500m"}})",
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
        "to cpu limit of 1500m"}},
      {R"({"requests":{"cpu":"-1"}})",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
        "or equal to 0"}},
      {R"({"limits":{"widgets":"1"}})",
       {"spec.containers[0].resources.limits[widgets]: Invalid value: \"widgets\": must be a "
        "standard resource type or fully qualified",
        "spec.containers[0].resources.limits[widgets]: Invalid value: \"widgets\": must be a "
        "standard resource for containers"}},
      {R"({"limits":{"example.com/gpu":"500m"}})",
       {"spec.containers[0].resources.limits[example.com/gpu]: Invalid value: \"500m\": must be an "
        "integer"}},
      {R"({"requests":{"example.com/gpu":"1"}})",
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non "
        "overcommitable resources"}},
      {R"({"requests":{"example.com/gpu":"1"},"limits":{"example.com/gpu":"2"}})",
       {"spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to "
        "example.com/gpu limit of 2"}},
      {R"({"limits":{"hugepages-2Mi":"3Mi"}})",
       {"spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not "
        "positive integer multiple of hugepages-2Mi",
        "spec.containers[0].resources: Forbidden: HugePages require cpu or memory"}},
      {R"({"requests":{"cpu":"1x"}})",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"1x\": quantities must match "
        "the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"}},
      {R"({"claims":[{"name":"a"}]})",
       {"spec.containers[0].resources.claims[0]: Not found: \"a\": must be one of the names in "
        "pod.spec.resourceClaims which is empty"}},
  }));
  CAPTURE(c.fields);
  CHECK(ErrorsOfContainer(R"("resources":)" + c.fields) == c.errors);
}

TEST_CASE("pod spec: amounts of the pod as a whole", "[rules]") {
  const std::string two = R"("resources":{"requests":{"cpu":"2"}})";
  const auto errors = [&two](const std::string& resources, bool enabled) {
    Json spec = ReadJson(StrCat(R"({"containers":[{"name":"a","image":"i",)", two,
                                R"(},{"name":"b","image":"i",)", two, R"(}],"resources":)",
                                resources, "}"));
    DefaultPodSpec(spec);
    PodRuleOptions options;
    options.pod_level_resources = enabled;
    return TextsOf(CheckPodSpec(spec, "template.spec", options));
  };
  CHECK(errors(R"({"requests":{"cpu":"2"}})", true) ==
        Texts{"template.spec.resources.requests[cpu]: Invalid value: \"2\": must be greater than "
              "or equal to aggregate container requests of 4"});
  CHECK(errors(R"({"requests":{"cpu":"2"}})", false) == Texts{});
  CHECK(errors(R"({"requests":{"cpu":"4"}})", true) == Texts{});
  CHECK(errors(R"({"requests":{"cpu":"6"},"limits":{"cpu":"4"}})", true) ==
        Texts{"template.spec.resources.requests: Invalid value: \"6\": must be less than or equal "
              "to cpu limit of 4"});
  CHECK(errors(R"({"requests":{"cpu":"4","example.com/gpu":"1"},"limits":{"example.com/gpu":"1"}})",
               true) ==
        Texts{"template.spec.resources.limits[example.com/gpu]: Unsupported value: "
              "\"example.com/gpu\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
              "template.spec.resources.requests[example.com/gpu]: Unsupported value: "
              "\"example.com/gpu\": supported values: \"cpu\", \"hugepages-\", \"memory\""});
}

TEST_CASE("pod spec: init containers count where they ask for more", "[rules]") {
  const auto errors = [](const std::string& init, const std::string& cpu) {
    Json spec = ReadJson(StrCat(
        R"({"containers":[{"name":"a","image":"i","resources":{"requests":{"cpu":"1"}}}],)",
        R"("initContainers":[)", init, R"(],"resources":{"requests":{"cpu":")", cpu, R"("}}})"));
    DefaultPodSpec(spec);
    return TextsOf(CheckPodSpec(spec, "spec")).empty();
  };
  const auto init = [](const char* name, const char* cpu, bool stays) {
    return StrCat(R"({"name":")", name, R"(","image":"i","resources":{"requests":{"cpu":")", cpu,
                  R"("}})", stays ? R"(,"restartPolicy":"Always"})" : "}");
  };
  CHECK(errors(init("x", "3", false), "3"));
  CHECK_FALSE(errors(init("x", "3", false), "2"));
  // One that stays is there beside the containers, and beside later ones.
  CHECK(errors(init("x", "3", true), "4"));
  CHECK_FALSE(errors(init("x", "3", true), "3"));
  CHECK(errors(init("x", "3", true) + "," + init("y", "4", false), "7"));
  CHECK_FALSE(errors(init("x", "3", true) + "," + init("y", "4", false), "6"));
  CHECK(errors(init("y", "4", false) + "," + init("x", "3", true), "4"));
}

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

TEST_CASE("pod spec: pods are held to more than templates", "[rules]") {
  PodRuleOptions pod;
  pod.is_pod = true;
  pod.pod_name = "p";
  const std::string blank = R"("containers":[{"name":"c","image":" i"}])";
  CHECK(ErrorsOf(blank) == Texts{});
  CHECK(ErrorsOf(blank, pod) == Texts{"spec.containers[0].image: Invalid value: \" i\": must not "
                                      "have leading or trailing whitespace"});
  // Ports of the node are filled in for pods, and may be left out in templates.
  const std::string host =
      R"("hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}])";
  CHECK(ErrorsOf(host) == Texts{});
  CHECK(ErrorsOf(host, pod) == Texts{});
  CHECK(
      ErrorsOf(
          R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}},{"name":"w","persistentVolumeClaim":{"claimName":"p-v"}}])",
          pod) == Texts{"spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "
                        "\"p-v\": must not reference a PVC that gets created for an "
                        "ephemeral volume"});
}

TEST_CASE("pod template: metadata, spec, then what joins the two", "[rules]") {
  Json pod_template = ReadJson(
      R"({"metadata":{"labels":{"a":"b c"},"annotations":{"X/":"","container.apparmor.security.beta.kubernetes.io/c":"unconfined","seccomp.security.alpha.kubernetes.io/pod":"odd"}},
          "spec":{"containers":[{"name":"c","image":"i","securityContext":{"appArmorProfile":{"type":"RuntimeDefault"}}}],
                  "ephemeralContainers":[{"name":"e","image":"i"}],"restartPolicy":"X"}})");
  DefaultPodSpec(pod_template["spec"]);
  const Texts texts = TextsOf(CheckPodTemplate(pod_template, "template"));
  const auto begins = [&texts](size_t i, const std::string& with) {
    INFO(i << ": " << (i < texts.size() ? texts[i] : "none"));
    CHECK((i < texts.size() && texts[i].starts_with(with)));
  };
  CHECK(texts.size() == 7);
  begins(0, "template.metadata.labels: Invalid value: \"b c\": a valid label must be");
  begins(1, "template.metadata.annotations: Invalid value: \"X/\": name part must be non-empty");
  begins(2, "template.metadata.annotations: Invalid value: \"X/\": name part must consist of");
  begins(3,
         "template.metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "
         "\"odd\": must be a valid seccomp profile");
  begins(4, "template.spec.restartPolicy: Unsupported value: \"X\"");
  begins(5,
         "template.spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor "
         "type in annotation and field must match");
  begins(6,
         "template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod "
         "template");
}

TEST_CASE("pod template object: its name and namespace come first", "[rules]") {
  Json pod_template = ReadJson(R"({"spec":{"containers":[{"name":"c","image":"i"}]}})");
  DefaultPodSpec(pod_template["spec"]);
  CHECK(TextsOf(CheckPodTemplateObject(pod_template, "task", "ns")) == Texts{});
  CHECK(TextsOf(CheckPodTemplateObject(pod_template, "", "")) ==
        Texts{"metadata.name: Required value: name or generateName is required",
              "metadata.namespace: Required value"});
  CHECK(TextsOf(CheckPodTemplateObject(Json(), "Task", "ns"))
            .front()
            .starts_with("metadata.name: Invalid value: \"Task\": a lowercase RFC 1123 subdomain "
                         "must consist of"));
}

TEST_CASE("pod spec: a hostile document is told of once and again, not without end", "[rules]") {
  std::string list;
  for (int i = 0; i < 5000; ++i) {
    StrAppend(&list, i == 0 ? "" : ",", R"({"name":"c","image":""})");
  }
  Json spec = ReadJson(R"({"containers":[)" + list + "]}");
  DefaultPodSpec(spec);
  CHECK(CheckPodSpec(spec, "spec").size() == kFieldErrorsMax);
}

TEST_CASE("defaults: what was said stays", "[rules]") {
  Json spec = ReadJson(
      R"({"restartPolicy":"Never","terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"r/i:1","imagePullPolicy":"","livenessProbe":{"httpGet":{"port":1},"timeoutSeconds":5}}],"volumes":[{"name":"v"},{"name":"w","future":{}}]})");
  DefaultPodSpec(spec);
  CHECK(spec["restartPolicy"].AsString() == "Never");
  CHECK(spec["terminationGracePeriodSeconds"].AsInt(-1) == 0);
  CHECK(spec["dnsPolicy"].AsString() == "ClusterFirst");
  const Json& container = std::as_const(spec)["containers"][size_t{0}];
  CHECK(container["imagePullPolicy"].AsString() == "IfNotPresent");
  CHECK(container["livenessProbe"]["timeoutSeconds"].AsInt() == 5);
  CHECK(container["livenessProbe"]["httpGet"]["path"].AsString() == "/");
  CHECK(std::as_const(spec)["volumes"][size_t{0}]["emptyDir"].is_object());
  CHECK(std::as_const(spec)["volumes"][size_t{1}]["emptyDir"].is_null());
  const Json once = spec;
  DefaultPodSpec(spec);
  CHECK(spec == once);
}

TEST_CASE("defaults: requests come from limits in pods alone", "[rules]") {
  const std::string text =
      R"({"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}}}]})";
  Json spec = ReadJson(text);
  DefaultPodSpec(spec);
  CHECK(std::as_const(spec)["containers"][size_t{0}]["resources"]["requests"].size() == 1);
  DefaultPodOnly(spec);
  const Json& requests = std::as_const(spec)["containers"][size_t{0}]["resources"]["requests"];
  CHECK(requests["cpu"].AsString() == "1");
  CHECK(requests["memory"].AsString() == "1Gi");
}

}  // namespace
}  // namespace bth::rules
