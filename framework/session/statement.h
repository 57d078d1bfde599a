// A transaction on the session: do, undo, commit.
#pragma once

#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "framework/session/session.h"

namespace bth::framework {

// Operations take effect at once and are undone from the log in reverse, to the values they
// replaced; undo cannot fail. Nested statements end inner first.
// Thread: scheduling.
class Statement {
 public:
  struct Mark {
    size_t size = 0;
  };

  // `action` names the action in effects, events and metrics; it must outlive the statement.
  Statement(Session& session, std::string_view action) : session_(session), action_(action) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  // Forgetting to commit means "undo". A defect on its way out leaves things as they are: the
  // session ends with it.
  ~Statement() noexcept(false) {
    if (std::uncaught_exceptions() == 0) RollbackTo(Mark{});
  }

  // Pending -> Allocated on `node`.
  void Allocate(model::TaskId task, model::NodeId node);
  // Pending -> Pipelined: has room on `node` that is still being left.
  void Pipeline(model::TaskId task, model::NodeId node, bool evicts);
  // Bound or Running -> Releasing, for `beneficiary`.
  void Evict(model::TaskId victim, model::TaskId beneficiary);
  // Pipelined -> Pending (backfill takes pipelined best-effort pods back).
  void Unpipeline(model::TaskId task);

  Mark Checkpoint() const { return {log_.size()}; }
  void RollbackTo(Mark mark);
  // Undoes what came after `mark` and remembers what each task would have got, for its condition.
  void DiscardTo(Mark mark);
  void Discard() { DiscardTo(Mark{}); }
  // Takes an allocated task of an earlier, kept statement along into this one's commit.
  void Adopt(model::TaskId task);
  bool empty() const { return log_.empty(); }

  // What tasks got since `mark` that have it still, to be done again after it was rolled back.
  struct Placed {
    model::TaskId task;
    model::TaskState state;
  };
  std::vector<Placed> PlacedSince(Mark mark) const;
  void Redo(const std::vector<Placed>& placed);
  bool HasEvictions() const;

  // Hands the net change to the sink: allocated tasks become Binding. All or nothing: when the
  // sink refuses, everything is undone and the refusal is returned.
  absl::Status Commit();
  // Ends the statement but leaves its effects in the session until it closes: the places of a gang
  // that is pipelined, not yet ready.
  void Keep();

 private:
  struct Change {
    model::TaskId task;
    model::TaskId beneficiary;
    model::TaskState before;
    uint64_t version_before = 0;
  };
  static_assert(std::is_trivially_copyable_v<Change>);

  void Apply(model::TaskId task, const model::TaskState& to, model::TaskId beneficiary);
  // What is placed now wants no victims any more.
  void End();
  void Log(model::TaskId task, model::TaskId beneficiary);

  Session& session_;
  const std::string_view action_;
  std::vector<Change> log_;
  bool may_repeat_ = false;  // A task may have several changes.
};

}  // namespace bth::framework
