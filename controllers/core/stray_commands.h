// Commands that nobody carries out.
#pragma once

#include "api/types/command.h"
#include "controllers/core/controller.h"
#include "controllers/core/object_store.h"

namespace bth::controllers {

// Tells by an event on the Command that its target is of no kind that Commands are for. It is left
// alone: somebody else may know more.
// Lifetime: shorter than the context's parts. Thread: the executor's.
class StrayCommands final : private StoreListener<types::Command> {
 public:
  explicit StrayCommands(const ControllerContext& context);

 private:
  void OnAdd(const types::Command& command) override;

  client::EventRecorder& events_;
};

}  // namespace bth::controllers
