// What no server would take of what a plugin makes is found before anything is made.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controllers/job_plugins/job_plugin.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;

TEST_CASE("job plugins: what can never be made is told beforehand", "[controllers][job_plugins]") {
  struct Case {
    std::string job;
    std::string task;
    std::string plugin;
    std::vector<std::string> args;
    std::string refused;  // Empty: nothing is.
  };
  const std::string port = " is no port: name one from 1 to 65535 in spec.plugins";
  const std::string again = ": delete the job and create it with other names";
  const std::string n40(40, 'n'), n63(63, 'n'), n64(64, 'n');
  const std::vector<Case> cases = {
      {"j", "a", "mpi", {"--port=65535"}, ""},
      {"j", "a", "mpi", {"--port=65536"}, "plugin mpi: -port=65536" + port},
      {"j", "a", "pytorch", {"--port=0"}, "plugin pytorch: -port=0" + port},
      {"j", "a", "tensorflow", {"--port=-1"}, "plugin tensorflow: -port=-1" + port},
      {"j", "a", "ray", {}, ""},
      {"j", "a", "ray", {"--dashboardPort=99999"}, "plugin ray: -dashboardPort=99999" + port},
      {"j",
       "a",
       "ray",
       {"--clientPort=6379"},
       "plugin ray: -port, -dashboardPort and -clientPort must differ: mend spec.plugins"},
      {"j.k",
       "a",
       "ray",
       {},
       "plugin ray: a Service of the name j.k-head-svc must not contain dots" + again},
      {"1st", "2nd", "svc", {}, ""},
      {"j.k",
       "a",
       "svc",
       {},
       "plugin svc: the name of its Service, j.k, must not contain dots" + again},
      {n64,
       "a",
       "svc",
       {},
       "plugin svc: the name of its Service, " + n64 + ", has more than 63 characters" + again},
      {n40,
       n40,
       "svc",
       {},
       "plugin svc: the host name of pod " + n40 + "-" + n40 + "-1 has more than 63 characters" +
           again},
      {"j.k", "a", "env", {}, ""},
      {"j.k", n64, "ssh", {"--ssh-port=99999"}, ""},
  };
  for (const Case& c : cases) {
    INFO(c.job << " " << c.task << " " << c.plugin << " " << c.refused);
    BatchJob job;
    job.meta.name = c.job;
    types::BatchTask& task = job.spec.tasks.emplace_back();
    task.name = c.task;
    task.replicas = 2;
    job.spec.plugins.Set(c.plugin, c.args);
    const JobPluginTools tools;
    const absl::StatusOr<JobPlugins> made = MakeJobPlugins(job.spec, tools);
    REQUIRE(made.ok());
    CHECK(std::string(CheckMakeable(*made, job).message()) == c.refused);
  }
}

TEST_CASE("job plugins: hosts of their own need no short names", "[controllers][job_plugins]") {
  BatchJob job;
  job.meta.name = "j";
  types::BatchTask& task = job.spec.tasks.emplace_back();
  task.name = std::string(64, 'n');
  task.replicas = 2;
  job.spec.plugins.Set("svc", {});
  const JobPluginTools tools;
  CHECK_FALSE(CheckMakeable(*MakeJobPlugins(job.spec, tools), job).ok());
  task.pod_template.view.spec.hostname = "h";
  CHECK(CheckMakeable(*MakeJobPlugins(job.spec, tools), job).ok());
}

TEST_CASE("job plugins: a port of ssh that is none is told and not followed",
          "[controllers][job_plugins]") {
  BatchJob job;
  job.meta.name = "j";
  job.spec.plugins.Set("ssh", {"--ssh-port=99999"});
  const JobPluginTools tools;
  CHECK(MakeJobPlugins(job.spec, tools)->complaints ==
        std::vector<std::string>{"plugin ssh: -ssh-port=99999 is no port: name one from 1 to 65535 "
                                 "in spec.plugins; until then it is 22"});
}

}  // namespace
}  // namespace bth::controllers
