#include "admission/webhooks/admission_file.h"

#include "admission/rules/resource_groups.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::admission {
namespace {

constexpr char kOneGroup[] =
    "resourceGroups:\n- resourceGroup: cpu\n  object:\n    key: namespace\n    value: [team]\n"
    "  schedulerName: volcano\n";
constexpr char kTwoGroups[] =
    "resourceGroups:\n- resourceGroup: cpu\n  schedulerName: volcano\n- resourceGroup: gpu\n";

struct FileBed {
  explicit FileBed(const std::string& text) {
    if (!text.empty()) folder.Write("conf", text);
    file = std::make_unique<AdmissionFile>(executor, metrics,
                                           client::FileWatchOptions{.path = folder.Sub("conf")});
  }
  // A new file under the name, as kubelets make it.
  void Replace(const std::string& text) {
    folder.Write("new", text);
    std::filesystem::rename(folder.Sub("new"), folder.Sub("conf"));
  }
  void Follow() {
    file->Watch([this](AdmissionFile::Groups groups) { installed.push_back(std::move(groups)); });
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  test::TempFolder folder;
  std::unique_ptr<AdmissionFile> file;
  std::vector<AdmissionFile::Groups> installed;
};

TEST_CASE("admission file: a change is taken, once", "[webhooks][file]") {
  FileBed bed(kOneGroup);
  CHECK(bed.file->Load() != nullptr);
  bed.Follow();
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.installed.empty());
  bed.Replace(kTwoGroups);
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(bed.installed.size() == 1);
  CHECK(bed.installed[0] != nullptr);
}

TEST_CASE("admission file: a bad one leaves the former groups in force", "[webhooks][file]") {
  FileBed bed(kOneGroup);
  CHECK(bed.file->Load() != nullptr);
  bed.Follow();
  bed.Replace("resourceGroups: [{{{");
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.installed.empty());
  std::filesystem::remove(bed.folder.Sub("conf"));
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.installed.empty());
  bed.Replace(kTwoGroups);
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.installed.size() == 1);
}

TEST_CASE("admission file: one that is bad at first counts once it is mended", "[webhooks][file]") {
  const std::string first = GENERATE(as<std::string>(), "", "resourceGroups: [{{{");
  FileBed bed(first);
  CHECK(bed.file->Load() == nullptr);
  bed.Follow();
  bed.Replace(kOneGroup);
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(bed.installed.size() == 1);
  CHECK(bed.installed[0] != nullptr);
}

TEST_CASE("admission file: without groups it is a configuration all the same", "[webhooks][file]") {
  FileBed bed("# resourceGroups:\n");
  CHECK(bed.file->Load() != nullptr);
}

TEST_CASE("admission file: without a path there is none", "[webhooks][file]") {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  AdmissionFile file(executor, metrics, {});
  CHECK(file.Load() == nullptr);
  file.Watch([](const AdmissionFile::Groups&) { FAIL("there is no file"); });
  executor.Advance(absl::Seconds(10));
}

}  // namespace
}  // namespace bth::admission
