// What is told of metadata that no object may have: place and words are those of api/rules.
#include <string>

#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

const char kMaps[] = "/api/v1/namespaces/default/configmaps";
const char kNodes[] = "/api/v1/nodes";
const char kRoles[] = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

const char kSubdomain[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const char kNamePart[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string WithName(const std::string& name, const std::string& more = "") {
  return StrCat(R"({"metadata":{"name":")", name, "\"", more, "}}");
}

}  // namespace

TEST_CASE("metadata: what is wrong is told by place and in Kubernetes' words", "[apiserver]") {
  struct Row {
    const char* path;
    std::string body, field, message;
  };
  const std::string taint = R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"a b",)"
                            R"("effect":"NoSchedule"}]}})";
  const Row rows[] = {
      {kMaps, WithName("A"), "metadata.name", StrCat(R"("A": )", kSubdomain)},
      {kMaps, WithName(std::string(254, 'a')), "metadata.name",
       StrCat("\"", std::string(254, 'a'), R"(": must be no more than 253 characters)")},
      {kMaps, WithName("a", R"(,"labels":{"a b":"c"})"), "metadata.labels",
       StrCat(R"("a b": )", kNamePart)},
      {kMaps, WithName("a", R"(,"labels":{"A.b/c":""})"), "metadata.labels",
       StrCat(R"("A.b/c": prefix part )", kSubdomain)},
      {kMaps, WithName("a", StrCat(R"(,"labels":{"a":")", std::string(64, 'v'), "\"}")),
       "metadata.labels",
       StrCat("\"", std::string(64, 'v'), R"(": must be no more than 63 bytes)")},
      {kMaps, WithName("a", R"(,"annotations":{"a/b/c":"d"})"), "metadata.annotations",
       R"("a/b/c": a valid label key must consist of)"},
      {kMaps, WithName("a", R"(,"finalizers":["a b"])"), "metadata.finalizers",
       StrCat(R"("a b": )", kNamePart)},
      {"/api/v1/namespaces", WithName("a.b"), "metadata.name", R"("a.b": must not contain dots)"},
      {kRoles, WithName(".."), "metadata.name", R"("..": may not be '..')"},
      {kRoles, WithName("a/b"), "metadata.name", R"("a/b": may not contain '/')"},
      {kNodes, taint, "spec.taints[0].key", StrCat(R"("a b": )", kNamePart)},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    Bed bed;
    const Answer answer = bed.Post(row.path, row.body);
    CHECK(answer.code == 422);
    const Json& causes = answer.body.At({"details", "causes"});
    REQUIRE(causes.size() == 1);
    CHECK(causes[size_t{0}]["field"].AsString() == row.field);
    CHECK_THAT(std::string(causes[size_t{0}]["message"].AsString()),
               Catch::StartsWith("Invalid value: " + row.message));
  }
}

TEST_CASE("metadata: what Kubernetes accepts is accepted", "[apiserver]") {
  Bed bed;
  CHECK(bed.Post(kMaps, WithName("a.b", R"(,"labels":{"a.b/C_d":"","e":"F-1"})")).code == 201);
  // Prefixes of annotations compare without case.
  CHECK(bed.Post(kMaps, WithName("b", R"(,"annotations":{"A.b/c":"any text"})")).code == 201);
  CHECK(bed.Post(kRoles, WithName("system:node proxier")).code == 201);
}

}  // namespace bth::apiserver::testing
