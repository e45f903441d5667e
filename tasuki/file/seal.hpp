// A checksum within a JSON text that a run keeps: records, job.json.
//
//   replace_file(path, sealed(json.dump(2) + "\n"));
//   check_seal(path, read_text(path));
//
// The last line of the object is "xxh3": 64 bits of XXH3 of all bytes before that line, so other programs read it as
// the JSON that it is. In a build without xxHash nothing is sealed and nothing is checked.
#pragma once

#include <string>

namespace tasuki {

// The text of a JSON object, with its seal.
std::string sealed(const std::string& text);

// True where the text has a seal and is what was sealed, false where it has none. Throws Error that names `path` where it
// was altered.
bool check_seal(const std::string& path, const std::string& text);

} // namespace tasuki
