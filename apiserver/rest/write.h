// Creating, updating and deleting objects.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"
#include "net/awaitable.h"

namespace bth::apiserver {

// What a write leaves behind, as stored (not converted).
struct Written {
  Json object;
  ObjectPtr stored;  // The same in the store; null when the store was not changed.
  bool created = false;
  bool deleted = false;    // The object is gone, not only marked.
  bool as_status = false;  // Answer a Success status rather than the object.
  std::vector<std::string> warnings;
};
using WriteResult = absl::StatusOr<Written>;

net::Awaitable<WriteResult> Create(std::shared_ptr<Core> core, const ApiRequest& request,
                                   Json object);

// Computes the new state from the current one. Called again when another write came between.
using Change = std::function<absl::StatusOr<Json>(const Json& current)>;
net::Awaitable<WriteResult> Update(std::shared_ptr<Core> core, const ApiRequest& request,
                                   Change change);

net::Awaitable<WriteResult> Put(std::shared_ptr<Core> core, const ApiRequest& request);
net::Awaitable<WriteResult> Patch(std::shared_ptr<Core> core, const ApiRequest& request);

struct DeleteOptions {
  std::optional<int64_t> grace_s;
  std::string propagation;  // "", "Background", "Foreground", "Orphan".
  std::string uid;          // Preconditions; empty: none.
  std::string revision;
  Json raw;
};
// From the body and the query. Errors: 400.
absl::StatusOr<DeleteOptions> ReadDeleteOptions(const ApiRequest& request);

net::Awaitable<WriteResult> Delete(std::shared_ptr<Core> core, const ApiRequest& request,
                                   DeleteOptions options);
// Deletes what a list would find and returns what was deleted.
net::Awaitable<absl::StatusOr<std::vector<ObjectPtr>>> DeleteCollection(std::shared_ptr<Core> core,
                                                                        const ApiRequest& request);

// The deletion itself, after admission: marks or removes.
absl::StatusOr<Written> DeleteNow(Core& core, const ResourceType& type, const ObjectPtr& stored,
                                  const DeleteOptions& options, bool dry_run);
// Removes an object that is marked and has no finalizers left; also for updates.
bool IsFinished(const ResourceType& type, const Json& object);

}  // namespace bth::apiserver
