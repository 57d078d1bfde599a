// The cluster as the scheduler sees it, as manifests that `vc-sim run` loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/service.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "client/api_client.h"
#include "net/http.h"

namespace bth::scheduler {

struct ClusterDumpOptions {
  cache::Responsibility responsibility;
  std::string default_queue = "default";
  cache::ShardOptions shard;
  std::shared_ptr<void> turn;  // Kept while the dump lives; may be null.
};

// One JSON document per line: a ClusterDump with the time, whose pods are scheduled and which shard
// of the nodes is used, then every
// object that scheduling reads. Objects come from the API server, piece by piece, so that however
// large the cluster, a few of them are held at a time; of each only what scheduling reads remains,
// without environments, commands, images and last words of containers, names of secrets and foreign
// annotations: whoever may read the page may read it all. What the mirror assumes (bindings,
// evictions and nominations under way) is written into the pods and named in the annotation
// `batholith/assumed`.
//
// Objects that cannot be read are left out, as the scheduler leaves them out; so are kinds that are
// not installed or not allowed, unless nothing can be scheduled without them.
// `api` and `mirror` outlive it. Thread: I/O.
class ClusterDump final : public net::ByteStream {
 public:
  ClusterDump(client::ApiClient& api, const cache::Mirror& mirror, ClusterDumpOptions options);
  ~ClusterDump() override;

  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override;

  struct Counts {
    int64_t objects = 0;
    int64_t malformed = 0;
    std::vector<std::string> missing;  // Kinds that are not installed or not allowed.
  };
  const Counts& counts() const { return counts_; }

 private:
  // What one part of a list became.
  struct Piece {
    std::string text;
    std::string continue_token;
  };
  struct Kind {
    client::ApiPath path;
    std::string labels;  // Only objects with these; empty: all.
    bool essential = false;
    std::function<absl::StatusOr<Piece>(std::string part)> render;
  };

  template <typename T>
  void Add(bool essential);
  // ConfigMaps that tell of chips.
  void AddChipSources();
  template <typename T>
  absl::StatusOr<Piece> Render(std::string part);
  template <typename T>
  bool Reduce(T&) const {
    return true;
  }
  bool Reduce(types::Node& node) const;  // False: not for us to use.
  bool Reduce(types::Pod& pod) const;
  bool Reduce(types::Service& service) const;
  bool Reduce(types::PodGroup& group) const;
  std::string Header() const;
  // A part of the list at hand; none: that kind is through.
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> NextPart();

  client::ApiClient& api_;
  const cache::Mirror& mirror_;
  const ClusterDumpOptions options_;
  std::vector<Kind> kinds_;
  size_t kind_ = 0;
  bool header_told_ = false;
  std::optional<client::ListStream> list_;
  std::string continue_token_;
  Counts counts_;
};

// Writes to `path` by way of a file beside it, so that no half file ever has that name; a link that
// lies there is not followed. Only the owner may read it. Errors name the file.
absl::Status WriteWhole(const std::string& path, std::string_view text);
net::Awaitable<absl::Status> WriteDump(std::unique_ptr<net::ByteStream> dump, std::string path);

}  // namespace bth::scheduler
