// Takes the Commands that are addressed to one kind of object.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/command.h"
#include "api/types/resource.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/core/object_store.h"

namespace bth::controllers {

// What became of a Command whose turn has come.
enum class CommandTurn {
  kBegun,    // It is being carried out; CommandTaker::Done says when it was.
  kOver,     // There is nothing to do, or it was done before.
  kUnknown,  // Its target is not known, as far as one knows here.
};

// Whether it is meant for the object of that uid, and not only for one of that name. One that names
// no uid is for whichever object has the name.
bool IsFor(const types::Command& command, std::string_view uid);

// A Command is carried out first and deleted then, so that none is lost with its process. Those of
// one target come one after another, in the order in which they were made: the next begins when the
// last one is deleted. A process that ends in between makes its successor begin the last one once
// more: that must do no harm, and its target only has to remember the latest.
// A target that is not known here is asked for at the server: the watch of Commands may be ahead of
// that of their targets. Targets have the keys of their store. One whose target was replaced by
// another object of its name is told and deleted.
// Lifetime: shorter than the context's parts. Thread: the executor's.
class CommandTaker final : private StoreListener<types::Command> {
 public:
  CommandTaker(const ControllerContext& context, const types::ResourceType& target,
               LaneOptions options, std::function<CommandTurn(const types::Command&)> begin);

  void Start() { lanes_.Start(); }
  bool idle() const { return lanes_.idle(); }

  // The Command of this uid was carried out, or never will be. Without effect unless it is the one
  // that was begun.
  void Done(const std::string& target, std::string_view uid);
  // The target is gone, and with it what was begun.
  void Drop(const std::string& target);

 private:
  enum class State { kWaiting, kBegun, kOver };
  using Pointer = ObjectStore<types::Command>::Pointer;
  struct Line {
    std::vector<Pointer> commands;  // The oldest first.
    State state = State::kWaiting;  // Of the first.
  };

  void OnAdd(const types::Command& command) override;
  void OnDelete(const types::Command& command) override;
  bool IsForUs(const types::Command& command) const;
  std::string TargetOf(const types::Command& command) const;
  net::Awaitable<LaneHooks::Outcome> Work(std::string target);
  net::Awaitable<absl::Status> Begin(std::string target);
  net::Awaitable<absl::Status> Delete(std::string target);
  LaneHooks Hooks();

  client::ApiClient& api_;
  ObjectStore<types::Command>& commands_;
  client::EventRecorder& events_;
  const types::ResourceType& target_;
  const std::function<CommandTurn(const types::Command&)> begin_;
  std::map<std::string, Line> lines_;  // By target; never empty.
  Lanes lanes_;                        // Of targets.
};

}  // namespace bth::controllers
