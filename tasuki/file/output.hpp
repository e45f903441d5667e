// Where a file may be written: one rule for all that write files.
//
//   refuse_output("state.h5", "--checkpoint"); // before the first step, not after the last
#pragma once

#include <string>

namespace tasuki {

// The file that is replaced by a write to `path`: where that is a symbolic link to a file, what the link leads to.
std::string output_file(const std::string& path);

// Throws Error where `path` names what is there and is no regular file: a folder, a device, a pipe, a socket, a link to
// one of these or to nothing. `option` ("--checkpoint", or none) is named. Local.
void expect_file(const std::string& path, const std::string& option = "");

// Throws Error where no file can be written under `path`: as expect_file(), no folder, one that may not be written,
// a disk that is read-only, a name that is too long, a file of somebody else. Writes nothing. Local.
void refuse_output(const std::string& path, const std::string& option = "");

} // namespace tasuki
