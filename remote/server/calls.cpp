#include <remote/server/boxes.hpp>
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>
#include <remote/wire/digest.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tasuki::remote {

namespace {

constexpr u64 image_limit = 1ull << 30; // of a fat binary

} // namespace

Calls::Calls(Device& device, const Grant& grant, Replies& replies, std::function<bool()> more, Output* output,
             Link* files)
    : device_(device),
      grant_(grant),
      replies_(replies),
      more_(std::move(more)),
      output_(output),
      files_(files),
      reader_(std::this_thread::get_id()),
      staging_(device),
      lent_(device),
      metering_(device, Turn(grant.share, grant.slot)) {}

Calls::~Calls() { let_go(); }

unsigned char* Calls::place(std::size_t bytes) {
  placed_ = staging_.take(bytes, may_wait());
  return placed_.data;
}

Staging::Piece Calls::staged(View tail) {
  if (placed_.data) {
    const Staging::Piece piece = placed_;
    placed_ = {};
    return piece;
  }
  const Staging::Piece piece = staging_.take(tail.size, may_wait());
  if (tail.size > 0) std::memcpy(piece.data, tail.data, tail.size);
  return piece;
}

void Calls::tell(u64 number, bool wanted, Status status, const std::string& what) {
  if (sticky(status) && faulted_.exchange(true) && !wanted) return; // said once; each answer has it
  replies_.fail(number, wanted, status, what);
}

void Calls::check(u64 address, u64 bytes) const {
  if (address >= base_ && address - base_ <= bytes_ && bytes <= bytes_ - (address - base_)) return;
  for (const Variable& v : variables_)
    if (address >= v.address && address - v.address <= v.bytes && bytes <= v.bytes - (address - v.address))
      return;
  if (covered(imported_, address, bytes)) return;
  refuse(Status::invalid_value, "a copy or fill outside of the device's memory",
         "give addresses of cudaMalloc's");
}

void Calls::check_box(u64 address, u64 pitch, u64 slice, u64 width, u64 height, u64 depth) const {
  check(address, checked_span({address, pitch, slice}, {width, height, depth}));
}

StreamId Calls::stream(u64 number) {
  if (number == 0) {
    legacy_used_ = true;
    return kLegacyStream;
  }
  const auto at = streams_.find(number);
  if (at == streams_.end())
    refuse(Status::invalid_resource_handle, "no such stream", "create it on this device");
  return at->second;
}

KernelId Calls::kernel(u64 number) const {
  const auto at = kernels_.find(number);
  if (at == kernels_.end())
    refuse(Status::invalid_device_function, "no such kernel", "load its module on this device");
  return at->second;
}

void Calls::on(const call::Reserve& c, View) {
  if (bytes_) refuse(Status::invalid_value, "an arena is there already", "ask for one only");
  device_.reserve(c.address, c.bytes);
  base_ = c.address;
  bytes_ = c.bytes;
}

void Calls::on(const call::Describe&, View) {
  const Properties& p = device_.properties();
  answer::Description d;
  d.name = p.name;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  d.host = host;
  d.uuid.assign(reinterpret_cast<const char*>(p.uuid.data()), p.uuid.size());
  d.total = p.memory;
  d.free = device_.free_memory();
  if (grant_.memory && grant_.memory < d.free) d.free = grant_.memory;
  d.granule = device_.granularity();
  std::vector<i32> pairs;
  for (std::size_t a = 0; a < p.attributes.size(); ++a)
    if (p.attributes[a]) pairs.insert(pairs.end(), {static_cast<i32>(a), p.attributes[a]});
  reply(d, Status::success, {pairs.data(), pairs.size() * sizeof(i32)});
}

void Calls::on(const call::Map& c, View) {
  if (c.address < base_ || c.address - base_ > bytes_ || c.bytes > bytes_ - (c.address - base_))
    refuse(Status::invalid_value, "memory asked for outside of the arena", "ask inside of it");
  if (grant_.memory && c.bytes > grant_.memory - mapped_)
    refuse(Status::memory_allocation, "the memory that was granted is used up",
           "serve with a larger --memory");
  device_.map(c.address, c.bytes);
  mapped_ += c.bytes;
  mapped_at_.insert(c.address);
  if (grant_.tally) grant_.tally->memory = mapped_;
}

void Calls::on(const call::Unmap& c, View) {
  check(c.address, c.bytes);
  device_.unmap(c.address, c.bytes);
  mapped_ -= c.bytes;
  mapped_at_.erase(c.address);
  if (grant_.tally) grant_.tally->memory = mapped_;
}

void Calls::on(const call::MemoryInfo&, View) {
  u64 free = device_.free_memory(), total = device_.properties().memory;
  if (grant_.memory) {
    free = std::min(free, grant_.memory - mapped_);
    total = std::min(total, grant_.memory);
  }
  reply(answer::Memory{free, total});
}

// Bytes of the client's come once; a graph's launches ask for them by a HostCall.
StreamId Calls::stream_of_bytes(u64 number) {
  const StreamId s = stream(number);
  if (captures_ > 0 && s != kLegacyStream && device_.captured(s))
    refuse(Status::capture_unsupported, "bytes of the client's for a captured stream",
           "copy them by a HostCall");
  return s;
}

void Calls::on(const call::CopyIn& c, View tail) {
  check(c.to, tail.size);
  const StreamId s = stream_of_bytes(c.stream);
  const Staging::Piece piece = staged(tail);
  device_.copy_in(c.to, piece.data, tail.size, s);
  staging_.used(piece, s);
}

void Calls::on(const call::CopyInBox& c, View tail) {
  check_box(c.to, c.pitch, c.slice, c.width, c.height, c.depth);
  if (static_cast<unsigned __int128>(c.width) * c.height * c.depth != tail.size)
    refuse(Status::invalid_value, "a box of other bytes than came", "send width * height * depth");
  const StreamId s = stream_of_bytes(c.stream);
  const Staging::Piece piece = staged(tail);
  for (u64 z = 0; z < c.depth; ++z)
    device_.copy_2d({c.to + z * c.slice, c.pitch, reinterpret_cast<u64>(piece.data) + z * c.width * c.height,
                     c.width, c.width, c.height},
                    s);
  staging_.used(piece, s);
}

void Calls::on(const call::CopyOut& c, View) {
  call::CopyOutBox box;
  box.from = c.from;
  box.pitch = box.slice = box.width = c.bytes;
  box.height = box.depth = 1;
  box.stream = c.stream;
  out(box, Told::bytes);
}

void Calls::on(const call::CopyOutBox& c, View) { out(c, Told::bytes); }

void Calls::on(const call::Digest& c, View) {
  out({c.from, c.pitch, c.slice, c.width, c.height, c.depth, c.stream}, Told::digest);
}

void Calls::out(const call::CopyOutBox& c, Told told) {
  check_box(c.from, c.pitch, c.slice, c.width, c.height, c.depth);
  const unsigned __int128 wide = static_cast<unsigned __int128>(c.width) * c.height * c.depth;
  if (wide > Staging::segment_bytes)
    refuse(Status::invalid_value, "a copy of more than 4 MiB", "make several of it");
  const std::size_t bytes = static_cast<std::size_t>(wide);
  const StreamId s = stream_of_bytes(c.stream);
  Staging::Segment* segment = staging_.take_whole(may_wait());
  EventId event = 0;
  try {
    unsigned char* to = staging_.data(segment);
    if (c.height == 1 && c.depth == 1)
      device_.copy_out(to, c.from, bytes, s);
    else
      for (u64 z = 0; z < c.depth; ++z)
        device_.copy_2d({reinterpret_cast<u64>(to) + z * c.width * c.height, c.width, c.from + z * c.slice,
                         c.pitch, c.width, c.height},
                        s);
    event = device_.create_event(2);
    device_.record(event, s);
  } catch (...) {
    staging_.give_back(segment);
    throw;
  }
  {
    std::lock_guard hold(copies_mutex_);
    copies_[number_] = event;
  }
  later([&] { return device_.event_done(event); },
        [this, segment, bytes, event, told](u64 number) {
          struct Return {
            Calls& calls;
            Staging::Segment* segment;
            EventId event;
            u64 number;
            ~Return() {
              calls.staging_.give_back(segment);
              {
                std::lock_guard hold(calls.copies_mutex_);
                calls.copies_.erase(number);
                calls.copies_changed_.notify_all();
              }
              try {
                calls.device_.destroy_event(event);
              } catch (const DeviceError&) {
                // the device is faulted: so is every call from now on
              }
            }
          } at_end{*this, segment, event, number};
          device_.synchronize_event(event);
          const View all{staging_.data(segment), bytes};
          if (told == Told::digest)
            replies_.send(number, answer::Number{digest_of(all)});
          else
            replies_.send(number, answer::Bytes{}, Status::success, all);
        });
}

void Calls::on(const call::Copy& c, View) {
  check(c.to, c.bytes);
  check(c.from, c.bytes);
  device_.copy(c.to, c.from, c.bytes, stream(c.stream));
}

void Calls::on(const call::CopyBox& c, View) {
  check_box(c.to, c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  check_box(c.from, c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  for (u64 z = 0; z < c.depth; ++z)
    device_.copy_2d(
        {c.to + z * c.to_slice, c.to_pitch, c.from + z * c.from_slice, c.from_pitch, c.width, c.height},
        stream(c.stream));
}

void Calls::on(const call::Fill& c, View) {
  check(c.to, c.bytes);
  device_.fill(c.to, c.value, 1, c.bytes, 1, c.bytes, stream(c.stream));
}

void Calls::on(const call::FillBox& c, View) {
  check_box(c.to, c.pitch, c.slice, c.width, c.height, c.depth);
  for (u64 z = 0; z < c.depth; ++z)
    device_.fill(c.to + z * c.slice, c.value, 1, c.width, c.height, c.pitch, stream(c.stream));
}

void Calls::on(const call::ModuleBytes& c, View tail) {
  room_in(images_);
  auto& image = images_[c.module];
  if (c.offset == 0) image.total = c.total;
  u64 coming = 0; // what all that have not been loaded will be: a client fills no host's memory
  for (const auto& [module, other] : images_) coming += std::min(other.total, image_limit + 1);
  if (coming > image_limit || c.total != image.total || c.offset != image.bytes.size() ||
      tail.size > c.total - c.offset) {
    images_.erase(c.module);
    refuse(Status::invalid_kernel_image, "a fat binary that came in pieces which do not fit",
           "send it in order, at most 1 GiB");
  }
  const auto* bytes = static_cast<const unsigned char*>(tail.data);
  image.bytes.insert(image.bytes.end(), bytes, bytes + tail.size);
}

void Calls::on(const call::Load& c, View) {
  const auto at = images_.find(c.module);
  if (at == images_.end() || libraries_.count(c.module))
    refuse(Status::invalid_kernel_image, "a module without its bytes", "send them first");
  const auto image = std::move(at->second);
  images_.erase(at);
  libraries_[c.module] = device_.load({image.bytes.data(), image.bytes.size()});
}

void Calls::on(const call::Unload& c, View) {
  const auto at = libraries_.find(c.module);
  if (at == libraries_.end()) refuse(Status::invalid_resource_handle, "no such module", "load it first");
  variables_.clear(); // they are asked for again where they are used
  device_.unload(at->second);
  libraries_.erase(at);
}

void Calls::on(const call::FindKernel& c, View) {
  room_in(kernels_);
  const auto at = libraries_.find(c.module);
  if (at == libraries_.end()) refuse(Status::invalid_resource_handle, "no such module", "load it first");
  const KernelId id = device_.kernel(at->second, c.name);
  kernels_[c.kernel] = id;
  const KernelInfo info = device_.info(id);
  std::vector<u32> parameters;
  for (const Parameter& p : info.parameters) parameters.insert(parameters.end(), {p.offset, p.size});
  answer::Kernel k;
  k.max_threads = static_cast<u32>(info.max_threads);
  k.registers = static_cast<u32>(info.registers);
  k.shared = info.static_shared;
  k.constant = info.constant;
  k.local = info.local;
  k.ptx = static_cast<u32>(info.ptx_version);
  k.binary = static_cast<u32>(info.binary_version);
  k.max_dynamic_shared = info.max_dynamic_shared;
  reply(k, Status::success, {parameters.data(), parameters.size() * sizeof(u32)});
}

void Calls::on(const call::FindVariable& c, View) {
  const auto at = libraries_.find(c.module);
  if (at == libraries_.end()) refuse(Status::invalid_resource_handle, "no such module", "load it first");
  const Variable v = device_.variable(at->second, c.name);
  if (variables_.size() < handles_limit) variables_.push_back(v);
  reply(answer::Variable{v.address, v.bytes});
}

void Calls::on(const call::SetKernelAttribute& c, View) {
  device_.set(kernel(c.kernel), static_cast<KernelAttribute>(c.attribute), c.value);
}

void Calls::on(const call::Occupancy& c, View) {
  reply(answer::Number{
      static_cast<u64>(device_.occupancy(kernel(c.kernel), static_cast<int>(c.threads), c.shared))});
}

void Calls::on(const call::Launch& c, View tail) {
  if (tail.size > parameter_limit)
    refuse(Status::invalid_value, "parameters of more than 32,764 bytes", "pass a pointer");
  Launch launch;
  launch.kernel = kernel(c.kernel);
  launch.grid = {c.grid_x, c.grid_y, c.grid_z};
  launch.block = {c.block_x, c.block_y, c.block_z};
  launch.cluster = {std::max(c.cluster_x, 1u), std::max(c.cluster_y, 1u), std::max(c.cluster_z, 1u)};
  launch.shared = c.shared;
  launch.cooperative = c.cooperative != 0;
  launch.stream = stream(c.stream);
  launched(launch.stream, [&] { device_.launch(launch, {tail.data, tail.size}); });
}

void Calls::launched(StreamId stream, const std::function<void()>& launch) {
  metering_.launch(stream, captures_ == 0 && may_wait(), launch);
}

void Calls::on(const call::SetLimit&, View) {
  refuse(Status::not_supported, "limits of a remote GPU are not set", "leave the default");
}

void Calls::on(const call::GetLimit&, View) {
  refuse(Status::not_supported, "limits of a remote GPU are not asked", "leave the default");
}

} // namespace tasuki::remote
