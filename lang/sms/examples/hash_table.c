/* A hash table over all processes: chains of pointers, a lock for some buckets each, entries from an arena that grows by an atomic
 * act. All insert, some of them the same keys; then all look all of them up. Prints the same on any processes. */
#include <sms.h>

#include <stdio.h>

enum { BUCKETS = 64, LOCKS = 8, KEYS = 120, MOST = 400 };

typedef struct Entry {
  long key, count;
  struct Entry* next;
} Entry;

static long key_of(long k) { return k * k % 97 * 1000 + k % 7; }

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  int dim[] = {BUCKETS, -1}, arena_dim[] = {MOST, -1}, div[] = {sms_nprocs, -1};
  Entry** heads = sms_mapalloc(dim, div, sizeof(Entry*), 0, sms_nprocs);
  Entry* arena = sms_mapalloc(arena_dim, div, sizeof(Entry), 0, sms_nprocs);
  long* used = sms_alloc(sizeof(long), 1, 0);

  for (long k = sms_rank; k < KEYS; k += sms_nprocs) {
    const long key = key_of(k), bucket = key % BUCKETS;
    sms_lock((int)(bucket % LOCKS));
    Entry* entry = heads[bucket];
    while (entry && entry->key != key) entry = entry->next;
    if (!entry) {
      entry = &arena[sms_add(used, 1)];
      entry->key = key;
      entry->next = heads[bucket];
      heads[bucket] = entry;
    }
    entry->count++;
    sms_unlock((int)(bucket % LOCKS));
  }
  sms_sync();

  long wrong = 0, entries = 0, counts = 0;
  for (long b = 0; b < BUCKETS; b++)
    for (const Entry* entry = heads[b]; entry; entry = entry->next) {
      entries++;
      counts += entry->count;
      long times = 0;
      for (long k = 0; k < KEYS; k++) times += key_of(k) == entry->key;
      wrong += times != entry->count || entry->key % BUCKETS != b;
    }
  long* all_wrong = sms_alloc(sizeof(long), 1, sms_nprocs - 1);
  sms_add(all_wrong, wrong + (entries != *used));
  sms_sync();
  if (sms_rank == 0) printf("%ld entries of %ld insertions, %ld wrong\n", entries, counts, *all_wrong);
  sms_shutdown();
  return 0;
}
