// Jobs whose plugins ask for what no server takes say so, and nothing is made of them.
#include "controllers/job_plugins/job_plugin.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

TEST_CASE("told: what a plugin can never get made, before the rest of it is",
          "[controllers][job]") {
  constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
  ToldBed bed;
  bed.make_plugins = &controllers::MakeJobPlugins;
  bed.StartJobs();
  bed.CreateJob("dotted.name", 1, JobBed::TaskText("a", 1), R"("plugins":{"svc":[]})");
  bed.CreateJob("ported", 1, JobBed::TaskText("master", 1),
                R"("plugins":{"svc":[],"pytorch":["--port=99999"]})");
  for (const char* job : {"dotted.name", "ported"}) {
    CHECK(bed.Phase(job) == "Pending");
    CHECK(bed.Reason(job) == "PluginError");
    CHECK(bed.Told(job, "Warning PluginError") == 1);
  }
  CHECK(bed.Message("dotted.name") ==
        "plugin svc: the name of its Service, dotted.name, must not contain dots: delete the job "
        "and create it with other names");
  CHECK(bed.Message("ported") ==
        "plugin pytorch: -port=99999 is no port: name one from 1 to 65535 in spec.plugins");
  CHECK(bed.Names(kMaps).empty());
  CHECK(bed.Names(JobBed::kGroups).empty());
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  bed.PatchJob("ported", R"({"plugins":{"pytorch":["--port=9999"]}})");
  CHECK(bed.Reason("ported").empty());
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
}

}  // namespace
}  // namespace bth::test
