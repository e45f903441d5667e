// Memory of the client's other devices on this host, which this one reaches.
#include <remote/link/descriptor.hpp>
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>

namespace tasuki::remote {

namespace {

constexpr u64 most = 1ull << 46; // of addresses, for all arenas of others: half of a process's

} // namespace

void Calls::on(const call::Adjoin& c, View) {
  files();
  room_in(adjoined_);
  u64 all = c.bytes;
  for (const auto& [address, bytes] : adjoined_) all += bytes;
  if (c.bytes == 0 || c.bytes > most || all > most)
    refuse(Status::invalid_value, "too many addresses of other devices", "ask for those of one program");
  device_.adjoin(c.address, c.bytes, c.name, c.uuid);
  adjoined_[c.address] = c.bytes;
}

void Calls::on(const call::Export& c, View) {
  Link& link = files();
  const Descriptor file(device_.export_memory(c.address, c.bytes));
  link.pass_file(file.number());
}

void Calls::on(const call::Import& c, View) {
  const Descriptor file(files().take_file()); // the next one is another's, whatever becomes of this
  room_in(imported_);
  const auto arena = range_at(adjoined_, c.address);
  if (arena == adjoined_.end() || c.bytes == 0 || c.bytes > arena->second - (c.address - arena->first))
    refuse(Status::invalid_value, "memory of no device that is known here", "adjoin its arena first");
  device_.import_memory(c.address, c.bytes, file.number());
  imported_[c.address] = c.bytes;
}

void Calls::on(const call::Forget& c, View) {
  const auto at = imported_.find(c.address);
  if (at == imported_.end() || at->second != c.bytes)
    refuse(Status::invalid_value, "no such memory of another device", "give a range as it came");
  device_.forget_memory(c.address, c.bytes);
  imported_.erase(at);
}

} // namespace tasuki::remote
