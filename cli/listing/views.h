// Rows of the tables that `-o wide` and `--watch` show.
#pragma once

#include "cli/print/printer.h"

namespace bth::cli {

TableView JobView();
TableView QueueView();
TableView PodView();
TableView JobFlowView();
TableView JobTemplateView();

}  // namespace bth::cli
