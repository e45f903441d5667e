// Where the program calls a function of xmp.h that all nodes come to, or that meets other images. Internal.
//
//     xmp_sync_all(NULL);   ->   (tsk_here("a.c:9:3"), xmp_sync_all)(NULL);
#pragma once

namespace tasuki::xmp {

// The source position of the call in progress, or `otherwise` where the text was not translated; asked for once a call.
const char* place_of_call(const char* otherwise = "");

} // namespace tasuki::xmp
