// Templates of pods that no server would take, whatever happens. Pure, any thread.
#pragma once

#include <string>

#include "api/types/batch_job.h"

namespace bth::controllers {

// Where a task asks for a negative amount, or limits itself to one: the path of the field and its
// value; empty: nowhere.
std::string NegativeAmountText(const types::BatchJobSpec& spec);

}  // namespace bth::controllers
