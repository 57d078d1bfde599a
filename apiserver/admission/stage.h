// The steps that an object passes between its arrival and the store.
//
// Stages run in the order of their points, and at one point in the order of being added. Whoever
// extends the server (schemas of custom resources, webhooks, ownership) adds a stage.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/registry/resource_type.h"
#include "apiserver/rest/request.h"
#include "net/awaitable.h"

namespace bth::apiserver {

enum class Operation { kCreate, kUpdate, kDelete, kConnect };
// "CREATE": as registrations and reviews have it.
std::string_view OperationName(Operation operation);

// One write on its way. Stages may change `object` unless the operation is a deletion.
struct WriteContext {
  Operation operation = Operation::kCreate;
  ResourceTypePtr type;
  std::string ns;
  std::string name;
  std::string subresource;
  Json object;              // The new state; of a deletion null.
  std::optional<Json> old;  // Of updates and deletions.
  Json options;             // DeleteOptions as far as given.
  // What the client sent. Null for writes of the server itself, of which nobody outside is asked.
  const ApiRequest* request = nullptr;
  bool name_is_generated = false;
  User user;
  bool dry_run = false;
  absl::Time now;
  std::vector<std::string> warnings;  // Sent in Warning headers.

  Subject subject() const { return type->Named(name); }
  bool Is(std::string_view group, std::string_view plural) const {
    return type->group == group && type->plural == plural;
  }
};

// Lifetime: the server's. Thread: the executor's. Failures are made with rest/errors.h.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string_view name() const = 0;
  // Whether this write concerns the stage; asked before each run.
  virtual bool Concerns(const WriteContext& write) const = 0;
  virtual absl::Status Apply(WriteContext& write) = 0;
  // Stages that wait (webhooks) return true and override ApplyLater; others stay plain functions,
  // which saves a coroutine per write.
  virtual bool waits() const { return false; }
  virtual net::Awaitable<absl::Status> ApplyLater(WriteContext& write);
};

enum class StagePoint {
  kPrune,            // Drop what the schema does not know.
  kDefault,          // Fill in defaults.
  kMutate,           // Mutating admission.
  kValidate,         // Rules of the type and its schema.
  kValidateOutside,  // Validating admission.
};

class Stages {
 public:
  void Add(StagePoint point, std::unique_ptr<Stage> stage);
  // Runs all stages; the first failure ends the write.
  net::Awaitable<absl::Status> Run(WriteContext& write) const;
  // True when a stage that waits is concerned: then Run may suspend.
  bool MayWait(const WriteContext& write) const;
  // The same without waiting stages, as a plain function. Requires !MayWait(write).
  absl::Status RunNow(WriteContext& write) const;
  // Those of one point once more, for an object that has changed since; of those that wait, only
  // Apply.
  absl::Status RunAgain(StagePoint point, WriteContext& write) const;

 private:
  struct Entry {
    StagePoint point;
    std::unique_ptr<Stage> stage;
  };
  std::vector<Entry> entries_;
};

}  // namespace bth::apiserver
