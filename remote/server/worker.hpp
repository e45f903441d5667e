// The process behind one virtual device: reads calls from its client, makes them of the device, answers.
//
//   auto device = open_host({});
//   return serve_worker(link, *device, grant);     // until the client goes; then the process ends, and with it all it held
//
// One thread reads and makes calls, in the client's order. What has to wait (a stream's end, bytes that come out) is waited
// for by others, so a wait holds up nothing. Whatever a client sends, no more is allocated than the limits of wire/ and of
// the grant, and every handle is looked up.
#pragma once

#include <remote/device/device.hpp>
#include <remote/link/link.hpp>
#include <remote/server/grant.hpp>

namespace tasuki::remote {

// Where what kernels print goes: standard output of this process, or the client's, which only a process that serves nobody
// else can do.
enum class Prints { here, at_the_client };

// 0: the client has gone. 1: it sent what is no call; said on standard error.
int serve_worker(Link& link, Device& device, const Grant& grant, Prints prints = Prints::here);

} // namespace tasuki::remote
