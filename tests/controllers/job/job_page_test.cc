// The example of docs/controllers/job.md, as the page tells it.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/manifests/manifest.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

std::string Example() {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../../..";
  std::ifstream in(root / "docs/controllers/job.md", std::ios::binary);
  REQUIRE(in.good());
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string fence = "```yaml\n";
  const size_t begin = page.find(fence);
  REQUIRE(begin != std::string::npos);
  const std::string yaml =
      page.substr(begin + fence.size(), page.find("```", begin + 3) - begin - fence.size());
  const auto objects = manifests::ObjectsFromYaml(yaml, "job.md");
  REQUIRE(objects.ok());
  REQUIRE(objects->size() == 1);
  return (*objects)[0].Dump();
}

TEST_CASE("job page: its example does what the page says", "[controllers][job][docs]") {
  JobBed bed;
  bed.StartJobs();
  bed.Create(JobBed::kJobs, Example());
  bed.Settle();
  bed.SetGroup("train", "Inqueue");
  CHECK(bed.Pods() == Names{"train-ps-0"});
  SECTION("no place within an hour") {
    bed.Wait(absl::Minutes(61));
    CHECK(bed.Phase("train") == "Aborted");
    bed.Command("c", "train", "ResumeJob");
    CHECK(bed.Phase("train") == "Pending");
  }
  SECTION("it runs") {
    bed.SetPods("Running");
    CHECK(bed.Pods() == Names{"train-ps-0", "train-worker-0", "train-worker-1"});
    CHECK(bed.Phase("train") == "Running");
    bed.SetPods("Running");
    CHECK(bed.Phase("train") == "Running");
    SECTION("a node is drained") {
      bed.Call("DELETE", JobBed::PodPath("train-worker-1"));
      bed.Settle();
      CHECK(bed.Count("train", "retryCount") == 1);
      CHECK(bed.Pods().empty());
    }
    SECTION("the workers succeed") {
      bed.SetPodPhase("train-worker-0", "Succeeded");
      bed.SetPodPhase("train-worker-1", "Succeeded");
      CHECK(bed.Phase("train") == "Completed");
      CHECK(bed.Conditions("train") == Names{"Pending", "Running", "Completing", "Completed"});
      CHECK(bed.Pods() == Names{"train-worker-0", "train-worker-1"});
      CHECK(bed.Count("train", "succeeded") == 2);
    }
  }
}

}  // namespace
}  // namespace bth::test
