// What `vcctl top` shows, kept up to date while the command waits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/rng.h"
#include "cli/print/terminal.h"
#include "client/api_client.h"

namespace bth::cli {

struct TopEars {
  std::function<void()> on_synced;                    // Everything was read once.
  std::function<void(const absl::Status&)> on_error;  // Reading failed, and is tried again.
};

// Reading goes on by list and watch until it is destroyed. Thread: the executor's.
class TopView {
 public:
  virtual ~TopView() = default;
  // Called once.
  virtual void Start() = 0;
  virtual bool HasSynced() const = 0;
  // Why what is shown may be old; OK: it is not.
  virtual absl::Status last_error() const = 0;
  // Whole lines: bars for a terminal, a table where its width is 0.
  virtual std::string Text(const Terminal& terminal) const = 0;
};

// `api` and `rng` outlive the view.
struct TopSources {
  client::ApiClient& api;
  Rng& rng;
};
std::unique_ptr<TopView> MakeNodesView(const TopSources& sources, const TopEars& ears);
std::unique_ptr<TopView> MakeQueuesView(const TopSources& sources, const TopEars& ears);

}  // namespace bth::cli
