// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzVgpu
#include "tests/devices/vgpu_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzAscend
#include "tests/devices/ascend_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzGpuShare
#include "tests/devices/gpushare_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzDeviceConfig
#include "tests/devices/device_config_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput FuzzHamiAscendPod
#include "tests/devices/hami_ascend_pod_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzMindClusterPod
#include "tests/devices/mindcluster_pod_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzMindClusterReports
#include "tests/devices/mindcluster_reports_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("devices corpus: each file and damages of it are safe", "[devices][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "vgpu", &FuzzVgpu) >= 4);
  CHECK(bth::test::RunCorpus(__FILE__, "ascend", &FuzzAscend) >= 2);
  CHECK(bth::test::RunCorpus(__FILE__, "hami_ascend_pod", &FuzzHamiAscendPod) >= 4);
  CHECK(bth::test::RunCorpus(__FILE__, "gpushare", &FuzzGpuShare) >= 2);
  CHECK(bth::test::RunCorpus(__FILE__, "device_config", &FuzzDeviceConfig) >= 2);
  CHECK(bth::test::RunCorpus(__FILE__, "mindcluster_pod", &FuzzMindClusterPod) >= 4);
  CHECK(bth::test::RunCorpus(__FILE__, "mindcluster_reports", &FuzzMindClusterReports) >= 4);
}

}  // namespace
