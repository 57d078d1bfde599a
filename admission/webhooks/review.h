// The protocol of admission.k8s.io/v1: bytes of an AdmissionReview in, bytes of its answer out.
// Pure functions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "admission/rules/request.h"

namespace bth::admission {

inline constexpr size_t kReviewBytesMax = size_t{3} << 20;
// What an object may nest, and the review around it.
inline constexpr int kReviewDepthMax = 132;

// A review that was read. The request's documents are its own, so that it stays where it is made.
class AdmissionReview final {
 public:
  // kInvalidArgument: no JSON, nested too deeply, no AdmissionReview of this version, or one
  // without a request and uid. What the object itself looks like is the rules' business.
  static absl::StatusOr<std::unique_ptr<const AdmissionReview>> Decode(std::string_view body);
  AdmissionReview(const AdmissionReview&) = delete;

  const Request& request() const { return request_; }

 private:
  explicit AdmissionReview(Json document) : document_(std::move(document)) {}
  absl::Status Read();

  Json document_;  // Spare: whoever decoded it wants a verdict and nothing else.
  Request request_;
};

// The AdmissionReview that answers the request of this uid.
std::string EncodeAnswer(std::string_view uid, const Verdict& verdict);

}  // namespace bth::admission
