// What is refused of a body before anything is done with it.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {

TEST_CASE("bodies: a field of another type than its kind gives it is refused") {
  const auto pod = [](std::string_view more_meta, std::string_view more_container) {
    return StrCat(R"({"metadata":{"name":"b")", more_meta,
                  R"(},"spec":{"containers":[{"name":"c","image":"i")", more_container, "}]}}");
  };
  struct Case {
    std::string body;
    const char*
        message;  // Behind "cannot be handled as a Pod: json: cannot unmarshal "; null: taken.
  };
  const Case cases[] = {
      {pod("", R"(,"env":[{"name":"A","value":1}])"),
       "number into Go struct field EnvVar.spec.containers.env.value of type string"},
      {pod("", R"(,"env":[{"name":"A","value":true}])"),
       "bool into Go struct field EnvVar.spec.containers.env.value of type string"},
      {pod("", R"(,"env":{"A":"1"})"),
       "object into Go struct field Container.spec.containers.env of type []v1.EnvVar"},
      {pod("", R"(,"env":["A"])"),
       "string into Go struct field Container.spec.containers.env of type v1.EnvVar"},
      {pod("", R"(,"command":"sleep 5")"),
       "string into Go struct field Container.spec.containers.command of type []string"},
      {pod("", R"(,"command":["sleep",5])"),
       "number into Go struct field Container.spec.containers.command of type string"},
      {pod("", R"(,"tty":"yes")"),
       "string into Go struct field Container.spec.containers.tty of type bool"},
      {pod("", R"(,"ports":[{"containerPort":"80"}])"),
       "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type "
       "int32"},
      {pod("", R"(,"ports":[{"containerPort":80.5}])"),
       "number 80.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type "
       "int32"},
      {pod(R"(,"labels":{"a":1})", ""),
       "number into Go struct field ObjectMeta.metadata.labels of type string"},
      {pod(R"(,"labels":["a"])", ""),
       "array into Go struct field ObjectMeta.metadata.labels of type map[string]string"},
      {R"({"metadata":{"name":"b"},"spec":"none"})",
       "string into Go struct field Pod.spec of type v1.PodSpec"},
      // Amounts are numbers too, ports of probes names too, and null is nothing.
      {pod("", R"(,"resources":{"requests":{"cpu":1}},"env":null)"), nullptr},
      {pod(R"(,"labels":null)", R"(,"livenessProbe":{"httpGet":{"port":"web"}})"), nullptr},
      {pod("", R"(,"unheard":5)"), nullptr},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    Bed bed;
    const Answer answer = bed.Post(kPods, c.body);
    if (c.message == nullptr) {
      CHECK(answer.code == 201);
      continue;
    }
    CHECK(answer.code == 400);
    CHECK(answer.message() ==
          StrCat("Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal ",
                 c.message));
  }
}

TEST_CASE("pods: names that are no labels, and images with blanks") {
  const auto pod = [](std::string_view name, std::string_view image) {
    return StrCat(R"({"metadata":{"name":"b"},"spec":{"containers":[{"name":")", name,
                  R"(","image":")", image, R"("}]}})");
  };
  Bed bed;
  const Answer long_name = bed.Post(kPods, pod(std::string(64, 'c'), "i"));
  CHECK(long_name.code == 422);
  CHECK_THAT(long_name.message(), Catch::Contains("must be no more than 63 characters"));
  CHECK_THAT(bed.Post(kPods, pod("C_", "i")).message(),
             Catch::Contains("a lowercase RFC 1123 label must consist of"));
  for (const char* image : {" busybox", "busybox ", " "}) {
    CHECK_THAT(bed.Post(kPods, pod("c", image)).message(),
               Catch::Contains("spec.containers[0].image: Invalid value: \"" + std::string(image) +
                               "\": must not have leading or trailing whitespace"));
  }
}

TEST_CASE("bodies: YAML is refused with a clear answer, deep JSON too") {
  Bed bed;
  const Answer yaml = bed.Call("POST", kPods, "kind: Pod", {{"content-type", "application/yaml"}});
  CHECK(yaml.code == 415);
  CHECK_THAT(yaml.message(), Catch::Contains("application/yaml"));
  std::string deep(500, '[');
  deep += std::string(500, ']');
  CHECK(bed.Post(kPods, deep).code == 400);
}

}  // namespace bth::apiserver::testing
