#include "api/rules/pod_template.h"

#include <string>
#include <utility>

#include "api/rules/part.h"
#include "tests/rules/pod_specs.h"

namespace bth::rules::testing {
namespace {

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
}  // namespace bth::rules::testing
