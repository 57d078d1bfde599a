// Why a job is not admitted, in numbers.
#pragma once

#include <string>

#include "api/model/resource_vec.h"
#include "framework/session/session.h"

namespace bth::plugins {

// What the job has to be admitted for.
model::ResourceVec AskedForAdmission(const framework::Session& session, model::JobId job);

// A job asks for more than somebody may still admit.
struct AdmissionShortage {
  std::string refusal;  // Volcano's words.
  std::string holder;   // "queue qa": who may hold no more than `most`, and holds `held` of it.
  model::DimMask short_dims = 0;
  const model::ResourceVec& asked;
  const model::ResourceVec& held;
  const model::ResourceVec& most;
  // Where `most` is what the holder's own spec.capability says.
  model::DimMask by_capability = 0;
  std::string growth;    // What would have to grow where it is not.
  bool in_queue = true;  // Only evictions in the job's own queue would help.
  std::string remedy;    // Beside taking enqueue out of the policy; as EvictionsWaitForAdmission.

  // "queue resource quota insufficient: insufficient cpu: asks for 9 cpu; queue qa may hold 8 cpu
  // (spec.capability), so it can never be admitted", or what is in use and inqueue, as figures.
  std::string Text(const framework::Session& session) const;
};

}  // namespace bth::plugins
