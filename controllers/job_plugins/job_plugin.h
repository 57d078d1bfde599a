// What the plugins of a batch job (spec.plugins) add to its pods and to its namespace.
//
// Plugins only say what they want; the Job controller writes it, adds the owner reference, and
// leaves alone what belongs to somebody else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/batch_job.h"
#include "api/types/resource.h"
#include "controllers/job_plugins/pod_draft.h"

namespace bth::controllers {

// An object in the job's namespace that must exist while the job has pods.
struct WantedObject {
  types::ResourceType type;
  types::Json object;  // Without namespace and owner.
  // An existing object of the job is replaced when this part of it differs: {"data"},
  // {"data", "config"}. Empty: it is left as it is.
  std::vector<std::string> compared;
  // Fills in what is costly to make (keys), just before the object is created; one that exists
  // keeps what it has. May be empty.
  std::function<absl::Status(types::Json& object)> complete;
};

struct ObjectName {
  types::ResourceType type;
  std::string name;
};

struct SshKeys {
  std::string private_pem;  // PKCS#1, "RSA PRIVATE KEY"
  std::string public_line;  // As in authorized_keys, with its newline.
};

// What plugins need of the process.
struct JobPluginTools {
  std::function<absl::StatusOr<SshKeys>()> make_ssh_keys;  // 2,048 bit RSA.
};

// One plugin with the arguments of one job. All functions are pure but for `complete`; any thread.
class JobPlugin {
 public:
  virtual ~JobPlugin() = default;
  virtual std::string_view name() const = 0;
  virtual absl::Status OnPodCreate(const types::BatchJob& /*job*/, PodDraft& /*pod*/) const {
    return absl::OkStatus();
  }
  // In order of writing.
  virtual absl::StatusOr<std::vector<WantedObject>> OnJobAdd(const types::BatchJob& /*job*/) const {
    return std::vector<WantedObject>();
  }
  // What a change of the job's spec brings up to date.
  virtual absl::StatusOr<std::vector<WantedObject>> OnJobUpdate(
      const types::BatchJob& /*job*/) const {
    return std::vector<WantedObject>();
  }
  // In order of deleting.
  virtual std::vector<ObjectName> OnJobDelete(const types::BatchJob& /*job*/) const { return {}; }
  // What it looks for in the job in vain, and what pods lack therefore; empty: nothing.
  virtual std::string GapIn(const types::BatchJobSpec& /*spec*/) const { return ""; }
  // What no server would take of what it makes of this job, and what to mend; empty: nothing. Asked
  // before anything is made.
  virtual std::string RefusedOf(const types::BatchJob& /*job*/) const { return ""; }
  // Whether status.controlledResources tells of it ("plugin-NAME").
  virtual bool is_recorded() const { return true; }
};

struct JobPlugins {
  // In the one order in which they are asked: env, svc, ssh, tensorflow, mpi, pytorch, ray,
  // hcclrank (which reads what pytorch wrote).
  std::vector<std::unique_ptr<JobPlugin>> plugins;
  // Arguments that could not be read: the rest of that plugin's arguments keep their defaults. Or
  // that are not followed. And what plugins look for in the job in vain.
  std::vector<std::string> complaints;
};

// Pods of one job whose names plugins write into one object, which takes about a mebibyte.
inline constexpr int64_t kListedHostsMax = 100'000;

// kInvalidArgument "failed to get plugin X" for an unknown name, and for a plugin that would list
// more than kListedHostsMax pods. `tools` outlives the plugins.
absl::StatusOr<JobPlugins> MakeJobPlugins(const types::BatchJobSpec& spec,
                                          const JobPluginTools& tools);

// kInvalidArgument "plugin X: …": what the first of them can never get made.
absl::Status CheckMakeable(const JobPlugins& plugins, const types::BatchJob& job);

}  // namespace bth::controllers
