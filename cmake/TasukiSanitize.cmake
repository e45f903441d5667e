# What a build under sanitizers is compiled and linked with: TASUKI_SANITIZERS, and TASUKI_SANITIZE_FLAGS beside them.
#
# Og, g1: a report has its lines, and a compiler takes two thirds of the time of O1. Two checks of undefined behaviour are left
# out. The address sanitizer sees an access beyond an object (object-size), but for those that land in other valid memory, and one
# by a null pointer (null); a reference to nothing that is never read is seen by neither. xxHash insists on inlining that Og does
# not do.
set(TASUKI_SANITIZERS)
set(TASUKI_SANITIZE_FLAGS)
if(TASUKI_SANITIZE STREQUAL "thread")
  set(TASUKI_SANITIZERS -fsanitize=thread)
  set(TASUKI_SANITIZE_FLAGS -fno-omit-frame-pointer -Og -g1 -DXXH_NO_INLINE_HINTS=1)
elseif(TASUKI_SANITIZE)
  set(TASUKI_SANITIZERS -fsanitize=address,undefined)
  set(TASUKI_SANITIZE_FLAGS -fno-sanitize=object-size,null -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Og -g1 -DXXH_NO_INLINE_HINTS=1)
endif()
