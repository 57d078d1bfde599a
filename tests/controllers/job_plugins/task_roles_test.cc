// Tasks that plugins look for in vain.
#include "controllers/job_plugins/task_roles.h"

#include <string>
#include <utility>
#include <vector>

#include "controllers/job_plugins/job_plugin.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using Args = std::vector<std::string>;
using Tasks = std::vector<std::pair<std::string, int>>;

TEST_CASE("job plugins: a task that is looked for in vain is told", "[controllers][job_plugins]") {
  struct Case {
    Tasks tasks;
    std::string plugin;
    Args args;
    std::string gap;
  };
  const Tasks usual = {{"master", 1}, {"worker", 2}};
  const Tasks alone = {{"master", 1}};
  const Case c = GENERATE_COPY(values<Case>({
      {usual, "pytorch", {}, ""},
      {alone, "pytorch", {}, ""},
      {usual,
       "pytorch",
       {"--master=boss"},
       "no task is named boss (--master), so its pods get no MASTER_ADDR, RANK and WORLD_SIZE"},
      {{{"master", 1}, {"workers", 2}},
       "pytorch",
       {},
       "no task is named worker (--worker) (did you mean \"workers\"?), so only its master has a "
       "RANK and counts in WORLD_SIZE"},
      {alone,
       "pytorch",
       {"--worker=w"},
       "no task is named w (--worker), so only its master has a RANK and counts in WORLD_SIZE"},
      {usual, "mpi", {}, ""},
      {alone, "mpi", {}, ""},
      {{{"a", 1}},
       "mpi",
       {},
       "no task is named master (--master), and no task is named worker (--worker), so nobody gets "
       "MPI_HOST"},
      {usual, "hcclrank", {}, ""},
      {{{"a", 1}}, "hcclrank", {}, ""},
      {usual,
       "hcclrank",
       {"--worker=w"},
       "no task is named w (--worker), so no pod has a rank by it"},
      {{{"ps", 1}, {"x", 2}}, "tensorflow", {}, ""},
      {{{"x", 1}}, "tensorflow", {}, ""},
      {{{"ps", 1}, {"x", 2}},
       "tensorflow",
       {"--worker=other"},
       "no task is named other (--worker), so TF_CONFIG is without it"},
      {{{"a", 1}, {"b", 2}},
       "tensorflow",
       {},
       "no task is named ps, worker, chief or evaluator (--ps, --worker, --chief, --evaluator), so "
       "TF_CONFIG names nobody"},
      {{{"head", 1}, {"a", 2}},
       "ray",
       {},
       "no task is named worker (--worker), so only the head starts ray"},
      {{{"head", 1}},
       "ray",
       {},
       "no container of task head is named head (--headContainer), so it does not start ray"},
  }));
  CAPTURE(c.plugin, c.args, c.gap);
  types::BatchJobSpec spec;
  for (const auto& [task, replicas] : c.tasks) {
    types::BatchTask& made = spec.tasks.emplace_back();
    made.name = task;
    made.replicas = replicas;
  }
  spec.plugins.Set(c.plugin, c.args);
  const absl::StatusOr<JobPlugins> made = MakeJobPlugins(spec, JobPluginTools());
  REQUIRE(made.ok());
  const std::string tail = ": name a task so, or mend spec.plugins";
  CHECK(made->complaints ==
        (c.gap.empty() ? Args{} : Args{"plugin " + c.plugin + ": " + c.gap + tail}));
}

}  // namespace
}  // namespace bth::controllers
