// A checksum inside the JSON files of a run: records and job.json.
//
//   replace_file(path, sealed(json.dump(2) + "\n"));
//   check_seal(path, read_text(path));
//
// The last line of the object is "xxh3": 64 bits of XXH3 of all bytes before that line. The file is still valid JSON
// for other programs. A build without xxHash writes no checksum and checks none.
#pragma once

#include <string>

namespace tasuki {

// The text of a JSON object with its checksum.
std::string sealed(const std::string& text);

// True if the text has a checksum and matches it, false if it has none. Throws Error that contains `path` if the text
// was altered.
bool check_seal(const std::string& path, const std::string& text);

} // namespace tasuki
