/* sms.h of one process without the library: what it is to read a program of MpC as sequential C. */
#define NPROCS 1
enum { sms_rank = 0, sms_nprocs = 1 };
#define sms_sync() ((void)0)
#define sms_lock(number) ((void)(number))
#define sms_unlock(number) ((void)(number))
#define sms_owner(at) 0
#define sms_add(at, value) (*(at) += (value))
#define sms_overload_array(...) ((void)0)
