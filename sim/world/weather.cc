#include "sim/world/weather.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace bth::sim {
namespace {

constexpr std::string_view kFaultNames[kFaults] = {
    "refused",    "lost",      "late-request", "late-answer", "answer-lost", "conflict",
    "expired",    "busy",      "error",        "unavailable", "cut",         "late-stream",
    "stale-list", "disk-slow", "disk-full",    "disk-fails",  "disk-dies",   "forbidden"};

absl::Duration Between(Rng& rng, absl::Duration low, absl::Duration high) {
  return absl::Microseconds(
      rng.Between(absl::ToInt64Microseconds(low), absl::ToInt64Microseconds(high)));
}

void Answer(int code, std::string_view reason, Fate* fate) {
  fate->code = code;
  fate->reason = reason;
}

// Whether a pod is one of those, by its name: `rate` of all are.
bool Forbids(const Front& front, const net::Request& request) {
  if (request.method != "POST" || !absl::EndsWith(request.target, "/binding")) return false;
  uint64_t name = front.seed;
  for (const char c : request.target) name = Rng(name ^ static_cast<unsigned char>(c)).Next();
  return Rng(name).Chance(front.rate);
}

bool IsWrite(const net::Request& request) {
  return request.method != "GET" && request.method != "HEAD";
}

}  // namespace

bool MayBeOld(const net::Request& request) {
  return request.method == "GET" && !absl::StrContains(request.target, "watch=") &&
         (absl::EndsWith(request.target, "resourceVersion=0") ||
          absl::StrContains(request.target, "resourceVersion=0&"));
}

std::string_view NameOf(Fault fault) {
  return kFaultNames[static_cast<size_t>(fault)];
}

void Weather::Begin(Front front) {
  const uint64_t seed = front.seed;
  fronts_.push_back({std::move(front), Rng(seed)});
}

void Weather::DropPast(absl::Duration now) {
  std::erase_if(fronts_, [now](const Active& active) { return active.front.until <= now; });
}

bool Weather::Hits(const Active& active, const net::Request& request, bool streams) const {
  switch (active.front.fault) {
    case Fault::kConflict:
      return IsWrite(request) && request.method != "POST";
    case Fault::kExpired:
    case Fault::kCut:
      return streams && absl::StrContains(request.target, "watch=");
    case Fault::kStaleList:
      return MayBeOld(request);
    case Fault::kLateStream:  // See PieceDelay.
    case Fault::kDiskSlow:    // See FateOfDisk.
    case Fault::kDiskFull:
    case Fault::kDiskFails:
    case Fault::kDiskDies:
      return false;
    case Fault::kForbidden:
      return Forbids(active.front, request);
    default:
      return true;
  }
}

void Weather::HoldBack(absl::Duration until) {
  held_back_until_ = std::max(held_back_until_, until);
}

void Weather::Apply(Active& active, Fate* fate) {
  const absl::Duration late = Between(active.rng, absl::Milliseconds(1), active.front.most);
  switch (active.front.fault) {
    case Fault::kRefused:
      fate->refused = true;
      break;
    case Fault::kLost:
      fate->lost = true;
      break;
    case Fault::kLateRequest:
      fate->there += late;
      break;
    case Fault::kLateAnswer:
      fate->back += late;
      break;
    case Fault::kAnswerLost:
      fate->answer_lost = true;
      break;
    case Fault::kConflict:
      fate->overtaken = true;
      break;
    case Fault::kExpired:
      Answer(410, "Expired", fate);
      break;
    case Fault::kBusy:
      Answer(429, "TooManyRequests", fate);
      fate->retry_after_s = static_cast<int>(active.rng.Between(0, 5));
      break;
    case Fault::kError:
      Answer(500, "InternalError", fate);
      break;
    case Fault::kUnavailable:
      Answer(503, "ServiceUnavailable", fate);
      break;
    case Fault::kForbidden:
      Answer(403, "Forbidden", fate);
      break;
    case Fault::kCut:
      fate->cut_after = active.rng.Between(0, 4000);
      break;
    case Fault::kStaleList:
      fate->stale = late;
      break;
    case Fault::kLateStream:
    case Fault::kDiskSlow:
    case Fault::kDiskFull:
    case Fault::kDiskFails:
    case Fault::kDiskDies:
      break;
  }
}

Fate Weather::FateOf(const std::string& process, const net::Request& request, bool streams,
                     absl::Duration now) {
  DropPast(now);
  Fate fate;
  fate.there = Between(rng_, absl::Microseconds(100), absl::Milliseconds(2));
  fate.back = Between(rng_, absl::Microseconds(100), absl::Milliseconds(2));
  for (Active& active : fronts_) {
    if (!absl::StartsWith(process, active.front.process)) continue;
    if (!Hits(active, request, streams)) continue;
    if (active.front.fault != Fault::kForbidden && !active.rng.Chance(active.front.rate)) continue;
    ++hits_[static_cast<size_t>(active.front.fault)];
    const absl::Duration before = fate.there + fate.back;
    Apply(active, &fate);
    const absl::Duration travels = fate.there + fate.back;
    if (travels > before) HoldBack(now + travels);
  }
  return fate;
}

DiskFate Weather::FateOfDisk(bool syncs, absl::Duration now) {
  DropPast(now);
  DiskFate fate;
  for (Active& active : fronts_) {
    const Fault fault = active.front.fault;
    const bool of_syncs = fault == Fault::kDiskSlow || fault == Fault::kDiskFails;
    if (fault < Fault::kDiskSlow || fault > Fault::kDiskDies || (of_syncs && !syncs)) continue;
    // A disk that is full is so for everybody.
    if (fault != Fault::kDiskFull && !active.rng.Chance(active.front.rate)) continue;
    ++hits_[static_cast<size_t>(fault)];
    if (fault == Fault::kDiskSlow) {
      fate.slow += Between(active.rng, absl::Milliseconds(1), active.front.most);
    }
    fate.full = fate.full || fault == Fault::kDiskFull;
    fate.fails = fate.fails || fault == Fault::kDiskFails;
    fate.dies = fate.dies || fault == Fault::kDiskDies;
  }
  return fate;
}

absl::Duration Weather::PieceDelay(const std::string& process, absl::Duration now) {
  DropPast(now);
  absl::Duration delay = Between(rng_, absl::Microseconds(100), absl::Milliseconds(2));
  for (Active& active : fronts_) {
    if (active.front.fault != Fault::kLateStream) continue;
    if (!absl::StartsWith(process, active.front.process)) continue;
    if (!active.rng.Chance(active.front.rate)) continue;
    ++hits_[static_cast<size_t>(Fault::kLateStream)];
    delay += active.front.most == absl::InfiniteDuration()
                 ? active.front.until - now
                 : Between(active.rng, absl::Milliseconds(1), active.front.most);
    HoldBack(now + delay);
  }
  return delay;
}

}  // namespace bth::sim
