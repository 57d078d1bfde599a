// `vc-sim run`: manifests in, decisions out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"
#include "sim/cluster.h"

namespace bth::sim {

struct RunOptions {
  std::string plugins_dir;  // Of shared objects; empty: none.
  std::string conf;         // Path of a scheduler.conf; empty: the built-in policy.
  int64_t cycles = 1;       // At most kCyclesMax.
  bool apply = false;
  std::string sharding_mode;       // none, hard or soft; empty: as a dump says, else none.
  std::string sharding_name;       // Empty: as a dump says, else `volcano`.
  std::string output = "text";     // text, json
  std::vector<std::string> paths;  // Files, folders (not those inside them), "-" for `in`.
};
inline constexpr int64_t kCyclesMax = 100'000;

// Exit codes.
inline constexpr int kExitRan = 0;
inline constexpr int kExitEngine = 1;  // The engine broke one of its own rules: a bug.
inline constexpr int kExitInput = 2;   // What was given cannot be used.

// Result on `out`; errors and remarks on `err`. Returns the exit code.
int RunManifests(const RunOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

// `vc-sim test`: runs scenario files (see scenario.h); failures and errors on `err`. With `bless`,
// expectations are rewritten in place instead. Exit code 1: something differs.
int RunScenarioFiles(const std::vector<std::string>& paths, bool bless, std::ostream& out,
                     std::ostream& err);

// A file's text; errors name the path.
absl::StatusOr<std::string> ReadText(const std::string& path);
// The files a path stands for: itself, or the .yaml, .yml and .json files of a folder by name.
absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& path);
// The objects of files, folders, and of `in` for "-".
absl::StatusOr<Cluster> ReadCluster(const std::vector<std::string>& paths, std::istream& in);
// The daemon's plugins and actions, and those of shared objects in a folder ("": none).
absl::StatusOr<framework::Registry> MakeRegistry(const std::string& plugins_dir);
// Adds the manifests of one text; errors name `file`, the document and the path inside.
absl::Status AddManifests(std::string_view text, const std::string& file, Cluster* cluster);
// The policy of a scheduler.conf text that may name what `registry` has; what is odd goes to `err`.
absl::StatusOr<conf::Policy> ReadPolicy(std::string_view text, const framework::Registry& registry,
                                        std::ostream& err);

}  // namespace bth::sim
