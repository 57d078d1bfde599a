// Takes the Commands that are addressed to one kind of object.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/types/command.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/core/object_store.h"

namespace bth::controllers {

struct CommandTarget {
  std::string api_version;
  std::string kind;
};

// A Command is deleted first and acted on when that succeeded, so that it is carried out at most
// once. Lifetime: shorter than the context's parts. Thread: the executor's.
class CommandTaker final : private StoreListener<types::Command> {
 public:
  // `on_taken` is called with each Command that was deleted by us.
  CommandTaker(const ControllerContext& context, CommandTarget target, LaneOptions options,
               std::function<void(const types::Command&)> on_taken);

  void Start() { lanes_.Start(); }
  bool idle() const { return lanes_.idle(); }

 private:
  void OnAdd(const types::Command& command) override;
  net::Awaitable<LaneHooks::Outcome> Take(std::string key);
  LaneHooks Hooks();

  client::ApiClient& api_;
  ObjectStore<types::Command>& commands_;
  const CommandTarget target_;
  const std::function<void(const types::Command&)> on_taken_;
  // By key: those whose deletion was asked for and not answered.
  std::map<std::string, ObjectStore<types::Command>::Pointer> doubtful_;
  Lanes lanes_;
};

}  // namespace bth::controllers
