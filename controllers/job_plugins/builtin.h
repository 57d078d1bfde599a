// The makers of the job plugins there are, each beside its plugin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/job_plugins/job_plugin.h"

namespace bth::controllers {

struct MadePlugin {
  std::unique_ptr<JobPlugin> plugin;
  std::string complaint;  // Of an argument that cannot be read; empty: none.
  std::string note = {};  // Of one that is read and not followed; empty: none.
};

using PluginArguments = std::vector<std::string>;
MadePlugin MakeEnvPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeSvcPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeSshPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeTensorflowPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeMpiPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakePytorchPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeRayPlugin(const PluginArguments& args, const JobPluginTools& tools);
MadePlugin MakeHcclrankPlugin(const PluginArguments& args, const JobPluginTools& tools);

}  // namespace bth::controllers
