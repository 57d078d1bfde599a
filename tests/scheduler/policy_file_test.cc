#include "scheduler/policy_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/captured_log.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using types::Json;

constexpr char kGood[] = "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n";
constexpr char kOther[] = "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n";
constexpr char kBad[] = "actions: \"allocat\"\ntiers: []\n";

// A policy file that changes, and the policies it gave.
struct File {
  net::VirtualExecutor executor{absl::FromUnixSeconds(0)};
  framework::Registry registry = testing::BuiltinRegistry();
  test::TempFolder folder;
  std::string path;
  std::vector<std::vector<std::string>> installed;  // Actions of each.

  File() : path(folder.Sub("scheduler.conf")) {}
  // By renaming, as mounted configurations change.
  void Write(std::string_view text) {
    std::filesystem::rename(folder.Write("scheduler.conf.new", text), path);
  }
  PolicyFile::Install Note() {
    return [this](std::unique_ptr<framework::PolicyInstance> policy) {
      installed.push_back(policy->policy().actions);
    };
  }
};

TEST_CASE("policy file: a change is taken within the poll, once", "[scheduler]") {
  File file;
  file.Write(kGood);
  PolicyFile policy(file.executor, file.registry, nullptr, {.path = file.path});
  const auto first = policy.Load();
  REQUIRE(first.status().ToString() == "OK");
  CHECK((*first)->policy().actions == std::vector<std::string>{"allocate"});
  policy.Watch(file.Note());
  file.executor.Advance(absl::Seconds(5));
  CHECK(file.installed.empty());
  file.Write(kOther);
  file.executor.Advance(absl::Seconds(5));
  REQUIRE(file.installed.size() == 1);
  CHECK(file.installed[0] == std::vector<std::string>{"enqueue", "allocate"});
  file.Write(kOther);  // Written anew, and the same.
  file.executor.Advance(absl::Seconds(5));
  policy.Reload();
  CHECK(file.installed.size() == 1);
}

TEST_CASE("policy file: a bad file changes nothing and says why", "[scheduler]") {
  File file;
  file.Write(kGood);
  PolicyFile policy(file.executor, file.registry, nullptr, {.path = file.path});
  REQUIRE(policy.Load().ok());
  policy.Watch(file.Note());
  file.Write(kBad);
  file.executor.Advance(absl::Seconds(2));
  CHECK(file.installed.empty());
  CHECK(absl::IsInvalidArgument(policy.refusal()));
  CHECK(absl::StrContains(policy.refusal().message(), "allocat"));
  std::filesystem::remove(file.path);
  file.executor.Advance(absl::Seconds(2));
  CHECK(file.installed.empty());
  CHECK_FALSE(policy.refusal().ok());
  file.Write(kGood);  // What is in force anyway.
  file.executor.Advance(absl::Seconds(2));
  CHECK(file.installed.empty());
  CHECK(policy.refusal().ok());
  file.Write(kOther);
  file.executor.Advance(absl::Seconds(2));
  CHECK(file.installed.size() == 1);
}

TEST_CASE("policy file: one that is being written in place is read when it rests", "[scheduler]") {
  File file;
  file.Write(kGood);
  PolicyFile policy(file.executor, file.registry, nullptr, {.path = file.path});
  REQUIRE(policy.Load().ok());
  std::vector<std::string> refused;
  policy.Watch(file.Note(),
               [&refused](const absl::Status& status) { refused.emplace_back(status.message()); });
  // Each beginning but the last would be refused, or be another policy.
  const std::string whole = StrCat(kOther, "- plugins:\n  - name: priority\n  - name: drf\n");
  for (size_t bytes = 0; bytes < whole.size(); bytes += 7) {
    file.folder.Write("scheduler.conf", std::string_view(whole).substr(0, bytes));
    file.executor.Advance(absl::Milliseconds(150));
  }
  CHECK(file.installed.empty());
  CHECK(refused.empty());
  file.folder.Write("scheduler.conf", whole);
  file.executor.Advance(absl::Milliseconds(1200));
  CHECK(file.installed.size() == 1);
  CHECK(refused.empty());
}

TEST_CASE(
    "policy file: beginnings that are YAML and no policy are refused, once each, and the next "
    "good one is told",
    "[scheduler]") {
  File file;
  file.Write(kGood);
  PolicyFile policy(file.executor, file.registry, nullptr, {.path = file.path});
  REQUIRE(policy.Load().ok());
  policy.Watch(file.Note());
  test::CapturedLog log(LogLevel::kInfo);
  const char* beginnings[] = {"", "actions: \"enqueue\"\n", "actions: \"allocate\"\ntiers:\n",
                              "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: ga\n"};
  for (const char* text : beginnings) {
    INFO(text);
    file.folder.Write("scheduler.conf", text);
    file.executor.Advance(absl::Seconds(10));
    const std::vector<std::string> lines = log.Take();
    REQUIRE(lines.size() == 1);
    CHECK(absl::StartsWith(lines[0], "policy.refused file="));
    CHECK(file.installed.empty());
  }
  file.folder.Write("scheduler.conf", kGood);
  file.executor.Advance(absl::Seconds(10));
  std::vector<std::string> lines = log.Take();
  REQUIRE(lines.size() == 1);
  CHECK(absl::StartsWith(lines[0], "policy.mended file="));
  CHECK(policy.refusal().ok());
  file.folder.Write("scheduler.conf", "");
  file.executor.Advance(absl::Seconds(10));
  file.folder.Write("scheduler.conf", kOther);
  file.executor.Advance(absl::Seconds(10));
  lines = log.Take();
  REQUIRE(lines.size() == 2);
  CHECK(absl::StartsWith(lines[1], "policy.reloaded file="));
  CHECK(file.installed.size() == 1);
}

TEST_CASE("policy file: a mounted configuration changes by its links", "[scheduler]") {
  // As a kubelet writes volumes: the file is a link into a folder that is a link to the version in
  // force, and only the latter is replaced.
  namespace fs = std::filesystem;
  File file;
  const fs::path root = file.folder.path();
  const auto version = [&root](const char* name, std::string_view text) {
    fs::create_directory(root / name);
    std::ofstream(root / name / "scheduler.conf") << text;
    fs::create_directory_symlink(name, root / "..data_tmp");
    fs::rename(root / "..data_tmp", root / "..data");
  };
  version("..1", kGood);
  fs::create_symlink("..data/scheduler.conf", file.path);
  PolicyFile policy(file.executor, file.registry, nullptr, {.path = file.path});
  REQUIRE(policy.Load().ok());
  std::vector<std::string> refused;
  policy.Watch(file.Note(),
               [&refused](const absl::Status& status) { refused.emplace_back(status.message()); });
  version("..2", kOther);
  fs::remove_all(root / "..1");
  file.executor.Advance(absl::Seconds(2));
  REQUIRE(file.installed.size() == 1);
  CHECK(file.installed[0] == std::vector<std::string>{"enqueue", "allocate"});
  CHECK(refused.empty());
  version("..3", kBad);
  file.executor.Advance(absl::Seconds(10));
  CHECK(file.installed.size() == 1);
  REQUIRE(refused.size() == 1);  // Once, not with every look.
  CHECK(absl::StrContains(refused[0], "allocat"));
}

TEST_CASE("policy file: a bad one in force leaves a metric and an event, of the leader alone",
          "[scheduler]") {
  File file;
  file.Write(kGood);
  testing::Bed bed;
  SchedulerOptions options;
  options.policy.path = file.path;
  bed.MakeScheduler(options);
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Settle();
  const auto events = [&bed] {
    std::string found;
    const Json all = bed.Get("/api/v1/namespaces/default/events");
    for (size_t i = 0; i < all["items"].size(); ++i) {
      const Json& event = all["items"][i];
      if (event["reason"].AsString() != "PolicyRefused") continue;
      StrAppend(&found, std::string(event.At({"involvedObject", "kind"}).AsString()), "/",
                std::string(event.At({"involvedObject", "name"}).AsString()), ": ",
                std::string(event["message"].AsString()), "\n");
    }
    return found;
  };
  file.Write(kBad);
  bed.Settle();
  CHECK(events().empty());
  bed.scheduler->Lead();
  bed.Settle();
  file.Write(StrCat(kBad, "# Still."));
  bed.Settle();
  CHECK(absl::StartsWith(events(), "Queue/root: " + file.path));
  CHECK(absl::StrContains(events(), "allocat"));
  CHECK(absl::StrContains(events(), "; the former policy stays in force\n"));
  // With its UID: kubectl describe shows no event without.
  const Json root = bed.Get("/apis/scheduling.volcano.sh/v1beta1/queues/root");
  const std::string uid(root.At({"metadata", "uid"}).AsString());
  CHECK_FALSE(uid.empty());
  const Json all = bed.Get("/api/v1/namespaces/default/events");
  for (const Json& event : all["items"].items()) {
    if (event["reason"].AsString() != "PolicyRefused") continue;
    CHECK(event.At({"involvedObject", "uid"}).AsString() == uid);
  }
  CHECK(bed.Metric("batholith_conf_reloads_total{result=\"refused\"}") == 2);
}

TEST_CASE("policy file: no file means the built-in policy, a bad one at start is an error",
          "[scheduler]") {
  File file;
  PolicyFile none(file.executor, file.registry, nullptr, {});
  const auto built_in = none.Load();
  REQUIRE(built_in.status().ToString() == "OK");
  CHECK_FALSE((*built_in)->policy().actions.empty());
  PolicyFile missing(file.executor, file.registry, nullptr, {.path = file.path});
  CHECK_FALSE(missing.Load().ok());
  file.Write(kBad);
  PolicyFile bad(file.executor, file.registry, nullptr, {.path = file.path});
  const auto refused = bad.Load();
  REQUIRE_FALSE(refused.ok());
  CHECK(absl::StrContains(refused.status().message(), file.path));
  file.Write(std::string(2 << 20, '#'));
  CHECK_FALSE(bad.Load().ok());
}

}  // namespace
}  // namespace bth::scheduler
