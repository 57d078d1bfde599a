#include <string>

#include "tests/rules/pod_specs.h"

namespace bth::rules::testing {
namespace {

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

}  // namespace
}  // namespace bth::rules::testing
