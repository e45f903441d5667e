/* Forces between bodies by Barnes and Hut: one tree of pointers over all processes. Each process makes the branches of some of the
 * root's octants out of memory of its own, and all walk all of it. Compared with the direct sum. Prints the same on any processes. */
#include "digest.h"

#include <sms.h>

#include <math.h>
#include <stdio.h>

enum { BODIES = 512, DEPTH = 24, NODES = 4 * BODIES };

typedef struct {
  double at[3], mass;
} Body;

typedef struct Node {
  double middle[3], half; /* of its cube */
  double at[3], mass;     /* of what is in it */
  const Body* body;       /* a leaf's, else null */
  struct Node* children[8];
} Node;

static Node* take(Node* arena, int* used, const double middle[3], double half) {
  Node* node = &arena[(*used)++];
  memset(node, 0, sizeof *node);
  memcpy(node->middle, middle, sizeof node->middle);
  node->half = half;
  return node;
}

static int octant(const Node* node, const Body* body) {
  int o = 0;
  for (int a = 0; a < 3; a++) o |= (body->at[a] >= node->middle[a]) << a;
  return o;
}

static void middle_of(const Node* node, int o, double middle[3]) {
  for (int a = 0; a < 3; a++) middle[a] = node->middle[a] + (o >> a & 1 ? 0.5 : -0.5) * node->half;
}

static void insert(Node* node, const Body* body, Node* arena, int* used, int depth) {
  for (; depth < DEPTH; depth++) {
    if (!node->body && node->mass == 0) { /* empty */
      node->body = body;
      node->mass = body->mass;
      return;
    }
    if (node->body) { /* a leaf becomes a branch: the one that was there goes a floor down */
      const Body* other = node->body;
      double middle[3];
      node->body = 0;
      const int o = octant(node, other);
      middle_of(node, o, middle);
      node->children[o] = take(arena, used, middle, node->half / 2);
      node->children[o]->body = other;
      node->children[o]->mass = other->mass;
    }
    node->mass += body->mass;
    const int o = octant(node, body);
    if (!node->children[o]) {
      double middle[3];
      middle_of(node, o, middle);
      node->children[o] = take(arena, used, middle, node->half / 2);
    }
    node = node->children[o];
  }
}

static void sum_up(Node* node) {
  if (node->body) {
    memcpy(node->at, node->body->at, sizeof node->at);
    return;
  }
  node->mass = 0;
  double sum[3] = {0};
  for (int o = 0; o < 8; o++) {
    Node* child = node->children[o];
    if (!child) continue;
    sum_up(child);
    node->mass += child->mass;
    for (int a = 0; a < 3; a++) sum[a] += child->mass * child->at[a];
  }
  for (int a = 0; a < 3; a++) node->at[a] = node->mass > 0 ? sum[a] / node->mass : 0;
}

static void pull(const double at[3], double mass, const Body* on, double force[3]) {
  double d[3], r2 = 1e-4;
  for (int a = 0; a < 3; a++) d[a] = at[a] - on->at[a], r2 += d[a] * d[a];
  const double by = mass / (r2 * sqrt(r2));
  for (int a = 0; a < 3; a++) force[a] += by * d[a];
}

static void walk(const Node* node, const Body* on, double theta, double force[3]) {
  if (!node || node->mass == 0 || node->body == on) return;
  double r2 = 0;
  for (int a = 0; a < 3; a++) r2 += (node->at[a] - on->at[a]) * (node->at[a] - on->at[a]);
  if (node->body || 4 * node->half * node->half < theta * theta * r2) {
    pull(node->at, node->mass, on, force);
    return;
  }
  for (int o = 0; o < 8; o++) walk(node->children[o], on, theta, force);
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  int bodies_dim[] = {BODIES, -1}, arena_dim[] = {sms_nprocs, NODES, -1}, div[] = {sms_nprocs, 1, -1};
  Body* bodies = sms_mapalloc(bodies_dim, div, sizeof(Body), 0, sms_nprocs);
  Node(*arenas)[NODES] = sms_mapalloc(arena_dim, div, sizeof(Node), 0, sms_nprocs);
  double(*forces)[3] = sms_mapalloc(bodies_dim, div, sizeof(double[3]), 0, sms_nprocs);
  Node* root = sms_alloc(sizeof(Node), 1, 0);
  const int from = BODIES * sms_rank / sms_nprocs, to = BODIES * (sms_rank + 1) / sms_nprocs;
  for (int k = from; k < to; k++) {
    unsigned long long x = 88172645463325252ull + (unsigned long long)k * 2654435761u;
    for (int a = 0; a < 3; a++) {
      for (int turn = 0; turn < 8; turn++) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      bodies[k].at[a] = (double)(x >> 11) / 9007199254740992.0;
    }
    bodies[k].mass = 1.0 / BODIES;
  }
  if (sms_rank == 0) {
    root->half = 0.5;
    for (int a = 0; a < 3; a++) root->middle[a] = 0.5;
  }
  sms_sync();

  /* Octants in turn: their branches in memory of whoever makes them, their pointers in the root. */
  int used = 0;
  for (int o = sms_rank; o < 8; o += sms_nprocs) {
    double middle[3];
    middle_of(root, o, middle);
    Node* branch = take(arenas[sms_rank], &used, middle, 0.25);
    for (int k = 0; k < BODIES; k++)
      if (octant(root, &bodies[k]) == o) insert(branch, &bodies[k], arenas[sms_rank], &used, 0);
    sum_up(branch);
    root->children[o] = branch;
  }
  sms_sync();
  if (sms_rank == 0) { /* of the branches, which are summed up already */
    double sum[3] = {0};
    for (int o = 0; o < 8; o++) {
      root->mass += root->children[o]->mass;
      for (int a = 0; a < 3; a++) sum[a] += root->children[o]->mass * root->children[o]->at[a];
    }
    for (int a = 0; a < 3; a++) root->at[a] = sum[a] / root->mass;
  }
  sms_sync();

  double worst = 0;
  for (int k = from; k < to; k++) {
    double direct[3] = {0}, apart = 0, size = 0;
    memset(forces[k], 0, sizeof forces[k]);
    walk(root, &bodies[k], 0.5, forces[k]);
    for (int other = 0; other < BODIES; other++)
      if (other != k) pull(bodies[other].at, bodies[other].mass, &bodies[k], direct);
    for (int a = 0; a < 3; a++) {
      apart += (forces[k][a] - direct[a]) * (forces[k][a] - direct[a]);
      size += direct[a] * direct[a];
    }
    worst = fmax(worst, sqrt(apart / size));
  }
  int* bad = sms_alloc(sizeof(int), 1, 0);
  if (!(worst < 0.2)) sms_add(bad, 1);
  sms_sync();
  if (sms_rank == 0)
    printf("%d bodies, mass %.12g: %s the direct sum within 20 %%, digest %016llx\n", BODIES, root->mass,
           *bad ? "not all are" : "all are", digest_of(&forces[0][0], 3 * BODIES));
  sms_shutdown();
  return 0;
}
