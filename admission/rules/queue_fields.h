// What is wrong with a queue by itself: amounts, state, annotations. Pure, any thread.
#pragma once

#include "admission/rules/known.h"
#include "api/rules/field_error.h"
#include "api/types/queue.h"

namespace bth::admission {

// The findings in the order capability, deserved, guarantee, relations between them, state,
// annotations. `before` is the queue that is updated, or null: a state that was there before is not
// the user's, and is not looked at.
rules::FieldErrors CheckQueueFields(const types::Queue& queue, const types::Queue* before,
                                    const Known& known);

}  // namespace bth::admission
