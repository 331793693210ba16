// Kernels on a CPU. Threads are fibers, which run in shuffled orders from one barrier to the next; the blocks of a
// cooperative launch are there at the same time, those of others come one after the other, shuffled.
//
// The program is compiled with -fsanitize=thread, and what that calls is here: each access of a kernel to memory is
// seen. Accesses of two threads to one byte, one of them a write, are a race unless something orders them:
//   - in one block, __syncthreads between them;
//   - between blocks, that the first block has passed __syncthreads, and then a thread a fence and an atomic operation;
//     that a thread of the second has read the same counter, then passed a fence, and its block __syncthreads.
// Each block has a clock for that: the epoch of each other block (its number of __syncthreads) before which it has
// seen all.

#include "cuda_runtime.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" void emulation_call(const void* kernel, void* frame);
extern "C" char __start_emulated_shared[] __attribute__((weak));
extern "C" char __stop_emulated_shared[] __attribute__((weak));

namespace emulation {

Index places[4];
Index &thread = places[0], &block = places[1], &threads = places[2], &blocks = places[3];

enum class State { READY, AT_BARRIER, IN_SHUFFLE, DONE };
typedef std::vector<long> Clock;

constexpr size_t STACK = 64 * 1024;
constexpr int MANY = -2;

// A stack that computes one thread of a kernel after the other. Jumps leave the mask of signals alone, which would
// take a call of the system each time.
struct Fiber {
    char* stack = nullptr;
    jmp_buf place;
    size_t number = 0;  // among all
    unsigned thread, block;
    State state;
    const void* offered;  // in a shuffle
};

struct Access {
    int block = -1, thread = -1;
    long epoch = 0;
};

// What is known of a byte in the launch that is going on: the last write, and the last reads since then of some blocks.
struct Cell {
    long launch = -1;
    Access write, reads[4];
};

struct Range {
    size_t size;
    std::vector<Cell> cells;
};

struct Block {
    long epoch = 0;
    Clock clock;     // epochs of the other blocks before which this one has seen all
    Clock fenced;    // what a fence has made visible
    Clock read;      // from counters, before the next fence
    Clock arriving;  // behind the next __syncthreads
    std::vector<char> shared;
    std::vector<Cell> cells;  // of the shared memory
};

struct Emulator {
    std::mt19937_64 random{1};
    std::vector<Fiber*> fibers;
    std::vector<Block> blocks;
    std::map<uintptr_t, Range> ranges;  // memory that kernels may touch
    std::map<void*, size_t> allocated;
    std::unordered_map<uintptr_t, Clock> counters;  // by the address that atomic operations change
    jmp_buf scheduler;
    Fiber* current = nullptr;
    const void* kernel = nullptr;
    void* frame = nullptr;
    bool is_strict = false;
    long launches = 0, barriers = 0;
    std::string found;

    void tell(const std::string& text) {
        if (found.size() < 2000 && found.find(text) == std::string::npos) found += text + "\n";
    }
};

static Emulator emulator;

static void join(Clock& clock, const Clock& other) {
    for (size_t k = 0; k < other.size(); ++k) clock[k] = std::max(clock[k], other[k]);
}

static Block& own() { return emulator.blocks[emulator.current->block]; }

static void leave(State state) {
    Fiber* fiber = emulator.current;
    fiber->state = state;
    if (!_setjmp(fiber->place)) _longjmp(emulator.scheduler, 1);
}

static void enter() {
    leave(State::DONE);
    for (;;) {
        emulation_call(emulator.kernel, emulator.frame);
        leave(State::DONE);
    }
}

static void go_on(Fiber& fiber) {
    emulator.current = &fiber;
    if (!_setjmp(emulator.scheduler)) _longjmp(fiber.place, 1);
    emulator.current = nullptr;
}

static Fiber* new_fiber() {
    Fiber* fiber = new Fiber();
    fiber->stack = (char*)std::malloc(STACK);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber->stack;
    context.uc_stack.ss_size = STACK;
    context.uc_link = nullptr;
    makecontext(&context, enter, 0);
    emulator.current = fiber;
    if (!_setjmp(emulator.scheduler)) setcontext(&context);
    emulator.current = nullptr;
    return fiber;
}

static size_t shared_size() { return __stop_emulated_shared - __start_emulated_shared; }

static void resume(Fiber& fiber) {
    static int shown = -1;
    if (shown != int(fiber.block) || emulator.blocks[fiber.block].shared.empty()) {
        Block& next = emulator.blocks[fiber.block];
        next.shared.resize(shared_size() + 1);
        next.cells.resize(shared_size());
        if (shared_size()) std::memcpy(__start_emulated_shared, next.shared.data(), shared_size());
        shown = int(fiber.block);
    }
    thread.x = fiber.thread;
    block.x = fiber.block;
    go_on(fiber);
    if (shared_size()) std::memcpy(emulator.blocks[fiber.block].shared.data(), __start_emulated_shared, shared_size());
}

// Threads that all wait for each other go on.
static bool release(Fiber** first, size_t count, State state) {
    if (!std::all_of(first, first + count, [&](const Fiber* f) { return f->state == state; })) return false;
    for (Fiber** fiber = first; fiber < first + count; ++fiber) (*fiber)->state = State::READY;
    return true;
}

static bool release_block(Fiber** first, unsigned number) {
    bool moved = false;
    if (release(first, threads.x, State::AT_BARRIER)) {
        Block& block = emulator.blocks[number];
        ++block.epoch;
        ++emulator.barriers;
        join(block.clock, block.arriving);
        moved = true;
    }
    for (unsigned warp = 0; warp + 32 <= threads.x; warp += 32)
        moved |= release(first + warp, 32, State::IN_SHUFFLE);
    return moved;
}

static void run_together(const std::vector<unsigned>& numbers) {
    const size_t count = numbers.size() * threads.x;
    while (emulator.fibers.size() < count) emulator.fibers.push_back(new_fiber());
    std::vector<Fiber*> order(emulator.fibers.begin(), emulator.fibers.begin() + count);
    for (size_t k = 0; k < count; ++k) {
        order[k]->number = k;
        order[k]->thread = k % threads.x;
        order[k]->block = numbers[k / threads.x];
        order[k]->state = State::READY;
    }
    size_t done = 0;
    while (done < count) {
        std::shuffle(order.begin(), order.end(), emulator.random);
        bool moved = false;
        for (Fiber* fiber : order) {
            if (fiber->state != State::READY) continue;
            resume(*fiber);
            done += fiber->state == State::DONE;
            moved = true;
        }
        for (size_t k = 0; k < numbers.size(); ++k)
            moved |= release_block(&emulator.fibers[k * threads.x], numbers[k]);
        if (!moved) {
            std::fputs("the threads of a kernel wait for each other forever\n", stderr);
            std::abort();
        }
    }
}

static cudaError_t run(const void* kernel, dim3 grid, dim3 per_block, void** arguments, bool together) {
    ++emulator.launches;
    emulator.kernel = kernel;
    emulator.frame = arguments[0];
    threads.x = per_block.x;
    blocks.x = grid.x;
    emulator.blocks.assign(grid.x, Block());
    for (Block& block : emulator.blocks)
        block.clock = block.fenced = block.read = block.arriving = Clock(grid.x, 0);
    emulator.counters.clear();
    std::vector<unsigned> numbers(grid.x);
    for (unsigned k = 0; k < grid.x; ++k) numbers[k] = k;
    std::shuffle(numbers.begin(), numbers.end(), emulator.random);
    if (together) run_together(numbers);
    else
        for (unsigned number : numbers) run_together({number});
    return 0;
}

static bool is_before(const Access& first) {
    const Fiber& now = *emulator.current;
    if (first.block == int(now.block)) return first.epoch < own().epoch;
    return first.epoch < own().clock[first.block];
}

static void require_order(const Access& first, const char* what) {
    const Fiber& now = *emulator.current;
    if (first.block < 0 || is_before(first)) return;
    if (first.block == int(now.block) && first.thread == int(now.thread)) return;
    const char* who = first.block == int(now.block) ? "threads of a block" : "two blocks";
    emulator.tell(std::string("a race: ") + what + " by " + who);
}

static bool is_on_stack(uintptr_t address) {
    const uintptr_t bottom = (uintptr_t)emulator.current->stack;
    return address >= bottom && address < bottom + STACK;
}

static bool is_shared(uintptr_t address) {
    return address >= (uintptr_t)__start_emulated_shared && address < (uintptr_t)__stop_emulated_shared;
}

// Where the bytes at an address are kept account of; null where they are in no array.
static Cell* cells_of(uintptr_t address, size_t size) {
    if (is_shared(address)) return &own().cells[address - (uintptr_t)__start_emulated_shared];
    auto behind = emulator.ranges.upper_bound(address);
    if (behind == emulator.ranges.begin()) return nullptr;
    auto& [start, range] = *std::prev(behind);
    if (address + size > start + range.size) return nullptr;
    range.cells.resize(range.size);
    return &range.cells[address - start];
}

static void read(Cell& cell, const Access& now) {
    require_order(cell.write, "a write and then a read");
    for (Access& known : cell.reads) {
        if (known.block >= 0 && known.block != now.block) continue;
        const bool is_another = known.block >= 0 && known.epoch == now.epoch && known.thread != now.thread;
        known = {now.block, is_another ? MANY : now.thread, now.epoch};
        return;
    }
}

static void write(Cell& cell, const Access& now) {
    require_order(cell.write, "two writes");
    for (Access& known : cell.reads) {
        require_order(known, "a read and then a write");
        known = Access();
    }
    cell.write = now;
}

static void touch(void* pointer, size_t size, bool is_write) {
    if (!emulator.current) return;
    const uintptr_t address = (uintptr_t)pointer;
    if (is_on_stack(address) || (pointer >= places && pointer < places + 4)) return;
    if (auto counter = emulator.counters.find(address); counter != emulator.counters.end()) {
        if (!is_write) join(own().read, counter->second);
        return;
    }
    Cell* cells = cells_of(address, size);
    if (!cells) {
        if (emulator.is_strict) emulator.tell("an access outside of all arrays");
        return;
    }
    const Access now{int(emulator.current->block), int(emulator.current->thread), own().epoch};
    for (Cell* cell = cells; cell < cells + size; ++cell) {
        if (cell->launch != emulator.launches) *cell = {emulator.launches, Access(), {}};
        if (is_write) write(*cell, now);
        else read(*cell, now);
    }
}

void shuffle(const void* mine, void* theirs, size_t size, int distance) {
    Fiber* fiber = emulator.current;
    fiber->offered = mine;
    leave(State::IN_SHUFFLE);
    const unsigned lane = fiber->thread % 32;
    std::memcpy(theirs, lane + distance < 32 ? emulator.fibers[fiber->number + distance]->offered : mine, size);
    leave(State::IN_SHUFFLE);
}

}  // namespace emulation

using emulation::emulator;

static void change(unsigned long long* counter) {
    if (!emulator.current) return;
    emulation::Clock& clock = emulator.counters[(uintptr_t)counter];
    clock.resize(emulator.blocks.size());
    emulation::join(clock, emulation::own().fenced);
}

unsigned long long atomicAdd(unsigned long long* counter, unsigned long long value) {
    change(counter);
    const unsigned long long old = *counter;
    *counter += value;
    return old;
}

unsigned long long atomicCAS(unsigned long long* counter, unsigned long long expected, unsigned long long value) {
    change(counter);
    const unsigned long long old = *counter;
    if (old == expected) *counter = value;
    return old;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* fit, const void*, int, size_t) {
    *fit = 1;
    return 0;
}

extern "C" {

void __syncthreads() { emulation::leave(emulation::State::AT_BARRIER); }

void emulation_nanosleep(unsigned) { emulation::leave(emulation::State::READY); }

void __threadfence() {
    emulation::Block& block = emulation::own();
    emulation::join(block.arriving, block.read);
    block.fenced = block.clock;
    emulation::join(block.fenced, block.read);
    block.fenced[emulator.current->block] = block.epoch;
}

cudaError_t cudaMalloc(void** pointer, size_t size) {
    *pointer = std::malloc(size);
    std::memset(*pointer, 0xff, size);
    emulator.allocated[*pointer] = size;
    emulator.ranges[(uintptr_t)*pointer] = {size, {}};
    return 0;
}

cudaError_t cudaFree(void* pointer) {
    if (pointer && !emulator.allocated.erase(pointer)) emulator.tell("memory is freed that was not reserved");
    emulator.ranges.erase((uintptr_t)pointer);
    std::free(pointer);
    return 0;
}

cudaError_t cudaMemset(void* pointer, int value, size_t size) {
    std::memset(pointer, value, size);
    return 0;
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t) {
    return cudaMemset(pointer, value, size);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind) {
    std::memcpy(to, from, size);
    return 0;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return 0; }

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return 0;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = 3;
    return 0;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t, cudaStream_t) {
    return emulation::run(kernel, grid, block, arguments, false);
}

cudaError_t cudaLaunchCooperativeKernel(
    const void* kernel, dim3 grid, dim3 block, void** arguments, size_t, cudaStream_t) {
    return emulation::run(kernel, grid, block, arguments, true);
}

const char* cudaGetErrorString(cudaError_t) { return "an error of the emulation"; }

// For tests.

void emulation_begin(unsigned long long seed) {
    emulator.random.seed(seed);
    emulator.found.clear();
    emulator.launches = emulator.barriers = 0;
    emulator.is_strict = false;
    emulator.ranges.clear();
}

void emulation_register(void* pointer, size_t size) {
    emulator.ranges[(uintptr_t)pointer] = {size, {}};
    emulator.is_strict = true;
}

const char* emulation_found() { return emulator.found.c_str(); }

long emulation_launches() { return emulator.launches; }

long emulation_barriers() { return emulator.barriers; }

long emulation_allocated() { return long(emulator.allocated.size()); }

// What a compiler calls for -fsanitize=thread.

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define EMULATED_ACCESS(bytes)                                                         \
    void __tsan_read##bytes(void* pointer) { emulation::touch(pointer, bytes, false); } \
    void __tsan_write##bytes(void* pointer) { emulation::touch(pointer, bytes, true); }
EMULATED_ACCESS(1)
EMULATED_ACCESS(2)
EMULATED_ACCESS(4)
EMULATED_ACCESS(8)
EMULATED_ACCESS(16)
#define EMULATED_UNALIGNED(bytes)                                                                  \
    void __tsan_unaligned_read##bytes(void* pointer) { emulation::touch(pointer, bytes, false); } \
    void __tsan_unaligned_write##bytes(void* pointer) { emulation::touch(pointer, bytes, true); }
EMULATED_UNALIGNED(2)
EMULATED_UNALIGNED(4)
EMULATED_UNALIGNED(8)
EMULATED_UNALIGNED(16)
void __tsan_read_range(void* pointer, unsigned long size) { emulation::touch(pointer, size, false); }
void __tsan_write_range(void* pointer, unsigned long size) { emulation::touch(pointer, size, true); }
void __tsan_vptr_update(void**, void*) {}
}
