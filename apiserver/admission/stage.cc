#include "apiserver/admission/stage.h"

#include <algorithm>
#include <utility>

namespace bth::apiserver {

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

net::Awaitable<absl::Status> Stage::ApplyLater(WriteContext& write) {
  co_return Apply(write);
}

void Stages::Add(StagePoint point, std::unique_ptr<Stage> stage) {
  auto after = std::upper_bound(entries_.begin(), entries_.end(), point,
                                [](StagePoint p, const Entry& entry) { return p < entry.point; });
  entries_.insert(after, Entry{point, std::move(stage)});
}

bool Stages::MayWait(const WriteContext& write) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.stage->waits() && entry.stage->Concerns(write);
  });
}

absl::Status Stages::RunNow(WriteContext& write) const {
  for (const Entry& entry : entries_) {
    if (!entry.stage->Concerns(write)) continue;
    if (absl::Status status = entry.stage->Apply(write); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Stages::RunAgain(StagePoint point, WriteContext& write) const {
  for (const Entry& entry : entries_) {
    if (entry.point != point || !entry.stage->Concerns(write)) continue;
    if (absl::Status status = entry.stage->Apply(write); !status.ok()) return status;
  }
  return absl::OkStatus();
}

net::Awaitable<absl::Status> Stages::Run(WriteContext& write) const {
  for (const Entry& entry : entries_) {
    if (!entry.stage->Concerns(write)) continue;
    absl::Status status;
    if (entry.stage->waits()) {
      status = co_await entry.stage->ApplyLater(write);
    } else {
      status = entry.stage->Apply(write);
    }
    if (!status.ok()) co_return status;
  }
  co_return absl::OkStatus();
}

}  // namespace bth::apiserver
