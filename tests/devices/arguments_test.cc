// Arguments of plugin deviceshare.
#include "plugins/deviceshare/arguments.h"

#include "tests/devices/objects.h"
#include "tests/support/plugin_bed.h"

namespace bth::devices {
namespace {

using plugins::deviceshare::Options;
using plugins::deviceshare::ReadOptions;

struct ReadArguments {
  absl::StatusOr<Options> options;
  std::vector<std::string> findings;
};

ReadArguments ReadOf(const std::string& yaml) {
  const conf::Arguments args = test::MakeArguments(yaml);
  ReadArguments out{ReadOptions(args), {}};
  for (const conf::Finding& finding : args.Findings()) out.findings.push_back(finding.text);
  return out;
}

TEST_CASE("deviceshare: arguments and their defaults", "[devices]") {
  const auto plain = ReadOf("{}");
  REQUIRE(plain.options.ok());
  CHECK_FALSE(plain.options->settings->any());
  CHECK(plain.options->policy == Policy::kNone);
  CHECK(plain.options->weight == 0);
  CHECK_FALSE(plain.options->node_lock);
  CHECK(plain.options->settings->config_name == "volcano-vgpu-device-config");
  CHECK(plain.options->settings->config_namespace == "kube-system");
  const auto set = ReadOf(
      "{deviceshare.VGPUEnable: true, deviceshare.SchedulePolicy: binpack, "
      "deviceshare.ScheduleWeight: 10, deviceshare.NodeLockEnable: true}");
  REQUIRE(set.options.ok());
  CHECK(set.findings.empty());
  CHECK(set.options->settings->vgpu);
  CHECK(set.options->policy == Policy::kBinpack);
  CHECK(set.options->weight == 10);
  CHECK(set.options->node_lock);
  CHECK(ReadOf("{deviceshare.ScheduleWeight: -3}").options->weight == 0);
}

TEST_CASE("deviceshare: families that do not go together are refused", "[devices]") {
  const auto why = [](const std::string& yaml) {
    return std::string(ReadOf(yaml).options.status().message());
  };
  CHECK(why("{deviceshare.GPUSharingEnable: true, deviceshare.GPUNumberEnable: true}") ==
        "can not define true in both gpu sharing and gpu number");
  CHECK(why("{deviceshare.GPUSharingEnable: true, deviceshare.VGPUEnable: true}") ==
        "gpu-share and vgpu can't be used together");
  CHECK(why("{deviceshare.GPUNumberEnable: true, deviceshare.VGPUEnable: true}") ==
        "gpu-share and vgpu can't be used together");
  CHECK(ReadOf("{deviceshare.AscendMindClusterVNPUEnable: true, deviceshare.VGPUEnable: true}")
            .options->settings->mind_cluster);
  CHECK_FALSE(
      ReadOf("{deviceshare.AscendMindClusterVNPUEnable: false}").options->settings->mind_cluster);
  CHECK(why("{deviceshare.ScheduleWeight: 1000001}") ==
        "deviceshare.ScheduleWeight: larger than 1000000");
}

TEST_CASE("deviceshare: exclusive rules are maps of labels to texts", "[devices]") {
  const auto rules = [](const std::string& yaml) {
    return ReadOf("deviceshare.GPUExclusiveRules: " + yaml).options->settings->exclusive_rules;
  };
  using Rules = std::vector<std::vector<std::pair<std::string, std::string>>>;
  CHECK(rules("[{team: ml, app: training}, {workload: inference}]") ==
        Rules{{{"app", "training"}, {"team", "ml"}}, {{"workload", "inference"}}});
  for (const char* none : {"~", "[]", "text", "{a: b}", "[{}]", "[a]", "[{a: 5}]"}) {
    CAPTURE(none);
    CHECK(rules(none).empty());
  }
  CHECK(ReadOf("deviceshare.GPUExclusiveRules: [{}]").findings.size() == 1);
  CHECK(ReadOf("deviceshare.GPUExclusiveRules: text").findings.size() == 1);
  CHECK(ReadOf("deviceshare.SchedulePolicy: random").findings.size() == 1);
  std::string many = "[";
  for (int i = 0; i <= 64; ++i) StrAppend(&many, i == 0 ? "" : ", ", "{a: v", i, "}");
  CHECK(ReadOf("deviceshare.GPUExclusiveRules: " + many + "]").options.status().message() ==
        "deviceshare.GPUExclusiveRules: more than 64 rules");
}

}  // namespace
}  // namespace bth::devices
