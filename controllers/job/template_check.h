// Templates of pods that no server would take, whatever happens. Pure, any thread.
#pragma once

#include <string>

#include "api/types/batch_job.h"

namespace bth::controllers {

// Where a task asks for a negative amount, or limits itself to one: the path of the field and its
// value; empty: nowhere. A search of its own, though api/rules finds these as well: there they are
// among all that a server refuses in a pod, which differs from server to server. A job whose pods
// some server may refuse runs until one does; with a negative amount it can have no PodGroup.
std::string NegativeAmountText(const types::BatchJobSpec& spec);

}  // namespace bth::controllers
