#include "tests/cluster/client/watch/fake_lease.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <format>

namespace winnow::live::test {
namespace {

constexpr const char* kFakeLeasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

ApiResponse status(int code, const std::string& message) {
  return {code, std::format(R"({{"kind":"Status","message":"{}","code":{}}})", message, code), {}};
}

std::string text_of(const rapidjson::Value& value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

}  // namespace

std::expected<ApiResponse, TransportError> LeaseWay::call(const std::string&, const ApiRequest& request,
                                                          std::chrono::milliseconds limit,
                                                          const std::stop_token& stop) {
  using Kind = TransportError::Kind;
  const auto error = [](Kind kind) { return std::unexpected(TransportError{kind, "no luck"}); };
  if (stop.stop_requested()) return error(Kind::kStopped);
  const std::chrono::duration<double> now = clock_.now().time_since_epoch();
  asked.push_back(std::format("{} {:.1f}s", request.method, now.count()));
  Fault fault = always;
  if (!faults.empty()) {
    fault = faults.front();
    faults.pop_front();
  }
  switch (fault) {
    case Fault::kUnreachable:
      return error(Kind::kUnreachable);
    case Fault::kHangs:
      clock_.advance(limit);
      return error(Kind::kTimeout);
    case Fault::kRequestLost:
      return error(Kind::kBroken);
    case Fault::k500:
      return status(500, "etcd is away");
    case Fault::k403:
      return status(403, "leases is forbidden");
    default:
      break;
  }
  ApiResponse answer = carry_out(request);
  if (fault == Fault::kAnswerLost) return error(Kind::kBroken);
  if (fault == Fault::kAnswerLate) clock_.advance(late);
  return answer;
}

ApiResponse LeaseWay::carry_out(const ApiRequest& request) {
  if (request.method == "POST") {
    CHECK(request.path == kFakeLeasesPath);
    if (lease_.exists) return status(409, "leases already exists");
    ++lease_.created;
    lease_.labels = "{}";
    return update(request);
  }
  CHECK(request.path == std::string(kFakeLeasesPath) + "/winnow-nominator");
  if (!lease_.exists) return status(404, "leases not found");
  return request.method == "PUT" ? update(request) : ApiResponse{200, lease_.json(), {}};
}

ApiResponse LeaseWay::update(const ApiRequest& request) {
  rapidjson::Document body;
  body.Parse(request.body.c_str());
  REQUIRE(body.IsObject());
  CHECK(std::string(body["apiVersion"].GetString()) == "coordination.k8s.io/v1");
  CHECK(std::string(body["kind"].GetString()) == "Lease");
  const auto& metadata = body["metadata"];
  CHECK(std::string(metadata["name"].GetString()) == "winnow-nominator");
  if (request.method == "PUT") {
    if (before_update) before_update();
    REQUIRE(metadata.HasMember("resourceVersion"));  // Without it anybody would overwrite anything.
    if (metadata["resourceVersion"].GetString() != std::to_string(lease_.version))
      return status(409, "the object has been modified");
    lease_.labels = metadata.HasMember("labels") ? text_of(metadata["labels"]) : "{}";
  }
  lease_.set(text_of(body["spec"]));
  return {request.method == "PUT" ? 200 : 201, lease_.json(), {}};
}

}  // namespace winnow::live::test
