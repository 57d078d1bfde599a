// Queues as a table without bars: for programs.
#pragma once

#include "cli/explain/queues_text.h"
#include "cli/print/table.h"

namespace bth::cli {

// A row for each queue and each resource that it holds or has limits of, queues by name; a queue
// without any has one row.
Table QueueResourceTable(const QueueFacts& facts);

}  // namespace bth::cli
