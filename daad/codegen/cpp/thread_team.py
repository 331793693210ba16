"""The threads of generated programs: a team that waits for nobody who has not come yet.

OpenMP divides a loop among all threads, and all wait for the last one. Where a machine has other work, or takes
milliseconds to wake a processor, that is long after one thread alone would have done everything. Here each thread takes
pieces of its own part, then of others' parts; the thread that began goes on until no piece is left, and waits for those
that others are in the middle of. Whoever comes later finds nothing to do.

All libraries of a process have one team: the dynamic linker makes one object of an inline variable. Where that is in
use already, by a loop further out or a call from another thread, a loop runs on the thread that came to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TEAM = """
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#ifdef __clang__  // each knows one place for the attribute
#define DAAD_INLINED __attribute__((always_inline)) mutable
#else
#define DAAD_INLINED mutable __attribute__((always_inline))
#endif
extern "C" { inline int daad_threads = 1; }
namespace daad {
constexpr int most_threads = 256, patience = 1000;
constexpr int64_t pieces = 8;
constexpr uint64_t one_inside = 1, all_inside = 0xffff, is_open = 0x10000, next_job = 0x20000;
struct Part { alignas(64) int64_t next; int64_t end; };
struct Team {
    alignas(64) uint64_t gate;  // the number of the job, whether it is open, how many others are inside
    alignas(64) int in_use, started, sleeping;
    bool knows_forks;
    int left_alone;  // the processor, and one, that the others stay away from
    pthread_t others[most_threads];
    pthread_mutex_t mutex;
    pthread_cond_t has_job;
    void (*run)(const void* body, int64_t first, int64_t last, int thread);
    const void* body;
    int64_t piece;
    int size;
    Part parts[most_threads];
};
inline Team team = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_job = PTHREAD_COND_INITIALIZER};

inline void pause(int turns) {
    if (turns > patience) { sched_yield(); return; }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
inline void leave_alone() {  // Linux likes to wake a thread where the one runs that wakes it
#ifdef __linux__
    const int mine = sched_getcpu();
    cpu_set_t allowed;
    if (mine < 0 || team.left_alone == mine + 1 || sched_getaffinity(0, sizeof allowed, &allowed)) return;
    if (CPU_COUNT(&allowed) < 2) return;
    CPU_CLR(mine, &allowed);
    for (int n = 0; n < team.started; ++n) pthread_setaffinity_np(team.others[n], sizeof allowed, &allowed);
    team.left_alone = mine + 1;
#endif
}
inline bool wake() {  // whether all that slept have been woken
    if (!__atomic_load_n(&team.sleeping, __ATOMIC_SEQ_CST)) return true;
    if (pthread_mutex_trylock(&team.mutex)) return false;
    pthread_cond_broadcast(&team.has_job);
    pthread_mutex_unlock(&team.mutex);
    return true;
}
inline void work(int thread) {
    bool are_awake = thread || wake();
    for (int k = 0; k < team.size; ++k) {
        Part& part = team.parts[(thread + k) % team.size];
        for (;;) {
            const int64_t first = __atomic_fetch_add(&part.next, team.piece, __ATOMIC_RELAXED);
            if (first >= part.end) break;
            const int64_t last = part.end - first < team.piece ? part.end : first + team.piece;
            team.run(team.body, first, last, thread);
            are_awake = are_awake || wake();
        }
    }
}
inline bool is_new(uint64_t gate, uint64_t known) { return (gate & is_open) && gate / next_job != known; }
inline uint64_t await(uint64_t known) {
    uint64_t gate = __atomic_load_n(&team.gate, __ATOMIC_ACQUIRE);
    for (int turns = 0; turns < patience && !is_new(gate, known); ++turns) {
        pause(turns);
        gate = __atomic_load_n(&team.gate, __ATOMIC_ACQUIRE);
    }
    if (is_new(gate, known)) return gate;
    pthread_mutex_lock(&team.mutex);
    __atomic_add_fetch(&team.sleeping, 1, __ATOMIC_SEQ_CST);
    while (!is_new(gate = __atomic_load_n(&team.gate, __ATOMIC_SEQ_CST), known))
        pthread_cond_wait(&team.has_job, &team.mutex);
    __atomic_sub_fetch(&team.sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&team.mutex);
    return gate;
}
inline void* serve(void* thread) {
    fesetenv(FE_DFL_ENV);  // whoever starts it may be flushing small numbers to zero, as XLA does
    for (uint64_t known = 0;;) {
        uint64_t gate = await(known);
        known = gate / next_job;
        bool is_inside = false;
        while (!is_inside && (gate & is_open) && gate / next_job == known)
            is_inside = __atomic_compare_exchange_n(
                &team.gate, &gate, gate + one_inside, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
        if (!is_inside) continue;
        if (int(intptr_t(thread)) < team.size) work(int(intptr_t(thread)));
        __atomic_sub_fetch(&team.gate, one_inside, __ATOMIC_RELEASE);
    }
    return nullptr;
}
inline void forget() {  // a forked child has none of the threads
    team.gate = 0;
    team.in_use = team.started = team.sleeping = team.left_alone = 0;
    team.mutex = PTHREAD_MUTEX_INITIALIZER;
    team.has_job = PTHREAD_COND_INITIALIZER;
}
inline void gather(int size) {  // those that cannot be started are not waited for
    if (!team.knows_forks) team.knows_forks = !pthread_atfork(nullptr, nullptr, forget);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; team.started < size - 1; ++team.started) {
        pthread_t* const thread = &team.others[team.started];
        if (pthread_create(thread, nullptr, serve, (void*)intptr_t(team.started + 1))) break;
        pthread_detach(*thread);
        team.left_alone = 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
template <typename Body>
__attribute__((noinline)) inline void run(const void* body, int64_t first, int64_t last, int thread) {
    Body own = *static_cast<const Body*>(body);
    own(first, last, thread);
}
// Calls `body` for pieces of the numbers up to a count, of a size or of one for all (0): with the first number, the one
// behind the last, and the number of the thread.
template <typename Body> inline void share(int64_t count, int64_t piece, int most, const Body& body) {
    int64_t size = daad_threads < most ? daad_threads : most;
    size = size < most_threads ? size : most_threads;
    size = size < count ? size : count;
    if (size < 2 || __atomic_exchange_n(&team.in_use, 1, __ATOMIC_ACQUIRE)) {
        return run<Body>(&body, 0, count, 0);
    }
    if (team.started < size - 1) gather(int(size));
    leave_alone();
    for (int64_t n = 0; n < size; ++n) team.parts[n] = {count * n / size, count * (n + 1) / size};
    team.run = run<Body>;
    team.body = &body;
    team.piece = piece ? piece : (count + pieces * size - 1) / (pieces * size);
    team.size = int(size);
    __atomic_store_n(&team.gate, (team.gate / next_job + 1) * next_job + is_open, __ATOMIC_SEQ_CST);
    work(0);
    __atomic_and_fetch(&team.gate, ~is_open, __ATOMIC_ACQ_REL);
    for (int turns = 0; __atomic_load_n(&team.gate, __ATOMIC_ACQUIRE) & all_inside; ++turns) pause(turns);
    __atomic_store_n(&team.in_use, 0, __ATOMIC_RELEASE);
}
}  // namespace daad
"""


@dataclass(frozen=True)
class Dimension:
    """A loop: the type of its variable, its name, the first value and the one behind the last."""

    kind: str
    name: str
    start: str
    stop: str

    @property
    def count(self) -> str:
        """How many values there are."""
        return f"(({self.stop}) - ({self.start}))"


INDEPENDENT = "#pragma clang loop vectorize(assume_safety)"
"""GCC looks itself at run time where pointers into one memory lead; clang leaves such loops alone."""


def plain_loops(dimensions: Sequence[Dimension], mark: str = "") -> tuple[list[str], str]:
    """What stands before and after the body of loops on one thread; the last one is marked."""
    heads = [f"for ({d.kind} {d.name} = {d.start}; {d.name} < {d.stop}; {d.name} += 1) {{" for d in dimensions]
    return ([*heads[:-1], mark, heads[-1]] if mark and heads else heads), "}" * len(heads)


def shared_loops(
    dimensions: Sequence[Dimension], together: int, piece: int, most: int, mark: str = ""
) -> tuple[list[str], str]:
    """As `plain_loops`, but threads share the points of the first loops.

    The body has scalars from around it for itself: it writes none that anybody reads later.
    """
    outer, inner = dimensions[:together], dimensions[together:]
    count = " * ".join(d.count for d in outer)
    parameters = "int64_t own__first, int64_t own__last, int own__thread"
    call = f"daad::share({count}, {piece}, {most or 'daad::most_threads'}, [=]({parameters}) DAAD_INLINED {{"
    heads, end = plain_loops(inner, mark)
    return [call, *(_piece(outer[0]) if together == 1 else _numbered(outer)), *heads], f"{end}}}}});"


def _piece(loop: Dimension) -> list[str]:
    kind, name = loop.kind, loop.name
    first, last = (f"{kind}({loop.start}) + {kind}(own__{end})" for end in ("first", "last"))
    return [f"for ({kind} {name} = {first}, own__stop = {last}; {name} < own__stop; {name} += 1) {{"]


def _numbered(loops: Sequence[Dimension]) -> list[str]:
    """One loop over the points of several."""
    lines = []
    number = "own__number"
    for loop in reversed(loops):
        own = f"{loop.kind}({loop.start}) + {loop.kind}({number} % {loop.count})"
        lines.append(f"const {loop.kind} {loop.name} = {own};")
        number = f"{number} / {loop.count}"
    return ["for (int64_t own__number = own__first; own__number < own__last; own__number += 1) {", *reversed(lines)]
