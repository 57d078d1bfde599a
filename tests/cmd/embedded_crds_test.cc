#include "cmd/common/embedded_crds.h"

#include <filesystem>

#include "api/manifests/manifest.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("embedded CRDs: they are what the files of deploy/crds say", "[cmd][unit]") {
  const auto crds = EmbeddedCrds();
  REQUIRE(crds.status().ToString() == "OK");
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::SourceRoot() / "deploy/crds")) {
    CAPTURE(entry.path().filename());
    ++files;
    const auto objects = manifests::ObjectsFromYaml(test::ReadFile(entry.path()), "file");
    REQUIRE(objects.status().ToString() == "OK");
    REQUIRE(objects->size() == 1);
    CHECK_THAT(*crds, Catch::VectorContains(objects->front()));
  }
  CHECK(files == crds->size());
}

}  // namespace
}  // namespace bth::cmd
