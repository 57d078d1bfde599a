// What is told of the informers of one program: in its log, and in its metrics.
#pragma once

#include <string>

#include "api/types/resource.h"
#include "client/informer.h"
#include "client/watch_notices.h"
#include "metrics/client_metrics.h"
#include "net/awaitable.h"

namespace bth::client {

// Lifetime: longer than the informers that tell it; `metrics` outlives it. Thread: the executor's.
class InformerReport final {
 public:
  // `role`: the manifest that grants what is read, for messages.
  InformerReport(net::Executor& executor, std::string role, metrics::ClientMetrics& metrics);
  InformerReport(const InformerReport&) = delete;

  // Of an informer of that kind, whose fortunes are told from its start. Our own kinds may not be
  // installed: then they count as empty.
  InformerOptions OptionsOf(const types::ResourceType& type);

 private:
  WatchNotices notices_;
  metrics::ClientMetrics& metrics_;
};

}  // namespace bth::client
