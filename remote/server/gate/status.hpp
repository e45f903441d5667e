// What `tasuki gpus top` asks a gate for, as JSON.
#pragma once

#include <remote/server/gate/children.hpp>
#include <remote/server/gate/ledger.hpp>
#include <remote/server/visit.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki::remote {

// {"version", "leaving", "devices": [{"device", "gpu", "kind", "name", "memory", "waiting", "clients": [{"process", "program",
// "peer", "seconds", "calls", "bytes_in", "bytes_out", "memory", "told"}]}]}; bytes and calls since the client came.
// "told", by the client; null where it has said nothing: {"waits_for": {"call", "seconds"}, "log": bytes, "image": {"bytes", "seconds"
// since}, "replicas": {"count", "agreed", "differed"}, "faults"}, each but the last null where there is none.
std::string write_status(const std::vector<ServedDevice>& devices, const Ledger& ledger,
                         const std::map<int, Child>& children, bool leaving);

} // namespace tasuki::remote
