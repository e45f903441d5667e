// The rule that decides whether a file may be written, for all code that writes files.
//
//   refuse_output("state.h5", "--checkpoint"); // before the first step, not after the last
#pragma once

#include <string>

namespace tasuki {

// The file that a write to `path` replaces: the target of the link if `path` is a symbolic link to a file.
std::string output_file(const std::string& path);

// Throws Error if `path` exists and is not a regular file: a folder, a device, a pipe, a socket, a broken link, or a
// link to one of these. The error contains `option` ("--checkpoint") if it is given. Local.
void expect_file(const std::string& path, const std::string& option = "");

// Throws Error if no file can be written to `path`: as expect_file(), or the folder is missing or not writable, the
// disk is read-only, the name is too long, or the file belongs to another user. Writes nothing. Local.
void refuse_output(const std::string& path, const std::string& option = "");

} // namespace tasuki
