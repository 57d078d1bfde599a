// What the controllers need of the process beside the API server.
#pragma once

#include "controllers/hyper_node/web_fetch.h"
#include "controllers/job_plugins/job_plugin.h"

namespace bth::controllers {

struct ControllerTools {
  JobPluginTools job_plugins;
  WebFetch fetch;  // Empty: servers outside the cluster cannot be asked.
};

}  // namespace bth::controllers
