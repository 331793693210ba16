// Kernels on a CPU. Threads are fibers, which run in shuffled orders from one barrier to the next; the blocks of a
// cooperative launch are there at the same time, those of others come one after the other, shuffled.
//
// The program is compiled with -fsanitize=thread, and what that calls is here: each access of a kernel to memory is
// seen. Two accesses to one byte are in order
//   - in one block, if there is __syncthreads between them;
//   - between blocks, if the first block has passed __syncthreads, and then a thread a fence and an atomic operation;
//     and a thread of the second has read the same counter, then passed a fence, and its block __syncthreads.
// Each block has a clock for that: the epoch of each block before which it has seen all.

#include <cxxabi.h>
#include <dlfcn.h>

#include <random>
#include <unordered_map>

#include "cuda_runtime.h"
#include "fibers.h"

extern "C" void emulation_call(const void* kernel, void* frame);
extern "C" char __start_emulated_shared[] __attribute__((weak));
extern "C" char __stop_emulated_shared[] __attribute__((weak));

namespace emulation {

Index places[4];
Index &thread = places[0], &block = places[1], &threads = places[2], &blocks = places[3];

constexpr int QUIET = 4;  // rounds in which all that run sleep again

struct Block {
    Clock clock;     // itself up to its epoch, others up to what it has seen of them
    Clock arriving;  // behind the next __syncthreads
    std::vector<char> shared;
    Cells cells;  // of the shared memory
};

struct Emulator {
    std::mt19937_64 random{1};
    int processors = 3;
    std::vector<Fiber*> fibers;
    std::vector<Block> blocks;
    Memory memory;
    std::map<void*, size_t> allocated;
    void* first = nullptr;                          // that was allocated
    std::unordered_map<uintptr_t, Clock> counters;  // by the address that atomic operations change
    Fiber* current = nullptr;
    const void* kernel = nullptr;
    void* frame = nullptr;
    int shown = -1;  // the block whose shared memory is in place
    bool is_strict = false;
    long launches = 0, barriers = 0;
    Findings found;
};

static Emulator emulator;

static Block& own() { return emulator.blocks[emulator.current->block]; }

static std::string kernel_name() {
    Dl_info info;
    if (!dladdr(emulator.kernel, &info) || !info.dli_sname) return "a kernel";
    char* name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr);
    const std::string found = name ? name : info.dli_sname;
    std::free(name);
    return found.substr(0, found.find('('));
}

static void compute_threads() {
    emulator.current->leave(State::DONE);
    for (;;) {
        emulation_call(emulator.kernel, emulator.frame);
        emulator.current->leave(State::DONE);
    }
}

static size_t shared_size() { return __stop_emulated_shared - __start_emulated_shared; }

// Puts the shared memory of a block in place.
static void show(unsigned number) {
    if (emulator.shown == int(number) || !shared_size()) return;
    if (emulator.shown >= 0)
        std::memcpy(emulator.blocks[emulator.shown].shared.data(), __start_emulated_shared, shared_size());
    Block& next = emulator.blocks[number];
    next.shared.resize(shared_size(), char(0xff));
    std::memcpy(__start_emulated_shared, next.shared.data(), shared_size());
    emulator.shown = int(number);
}

static void resume(Fiber& fiber) {
    show(fiber.block);
    thread.x = fiber.thread;
    block.x = fiber.block;
    emulator.current = &fiber;
    fiber.go_on();
    emulator.current = nullptr;
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
        block.clock.join(block.arriving);
        block.clock.set(number, block.clock.of(number) + 1);
        ++emulator.barriers;
        moved = true;
    }
    for (unsigned warp = 0; warp + 32 <= threads.x; warp += 32) moved |= release(first + warp, 32, State::IN_SHUFFLE);
    return moved;
}

// Fibers for the threads of blocks, block after block.
static std::vector<Fiber*> fibers_for(const std::vector<unsigned>& numbers) {
    const size_t count = numbers.size() * threads.x;
    while (emulator.fibers.size() < count) {
        emulator.fibers.push_back(new Fiber());
        emulator.current = emulator.fibers.back();
        emulator.current->start(compute_threads);
        emulator.current = nullptr;
    }
    std::vector<Fiber*> fibers(emulator.fibers.begin(), emulator.fibers.begin() + count);
    for (size_t k = 0; k < count; ++k) {
        Fiber& fiber = *fibers[k];
        fiber.number = k;
        fiber.thread = k % threads.x;
        fiber.block = numbers[k / threads.x];
        fiber.state = State::READY;
        fiber.read = fiber.fenced = Clock();
    }
    return fibers;
}

// Each thread that can goes on, in a shuffled order; whether any has come further than to sleep again.
static bool run_round(std::vector<Fiber*>& order) {
    std::shuffle(order.begin(), order.end(), emulator.random);
    bool moved = false;
    for (Fiber* fiber : order) {
        if (fiber->state != State::READY) continue;
        resume(*fiber);
        moved |= fiber->state != State::ASLEEP;
    }
    for (Fiber* fiber : order)
        if (fiber->state == State::ASLEEP) fiber->state = State::READY;
    return moved;
}

// Whether all threads come to their end. Fibers of those that do not are never used again.
static bool run_together(const std::vector<unsigned>& numbers) {
    std::vector<Fiber*> order = fibers_for(numbers);
    for (int quiet = 0; quiet < QUIET;) {
        bool moved = run_round(order);
        for (size_t k = 0; k < numbers.size(); ++k) moved |= release_block(&emulator.fibers[k * threads.x], numbers[k]);
        if (std::all_of(order.begin(), order.end(), [](const Fiber* f) { return f->state == State::DONE; })) return true;
        quiet = moved ? 0 : quiet + 1;
    }
    emulator.found.tell("threads wait forever", "", kernel_name(), "");
    emulator.fibers.clear();
    return false;
}

static cudaError_t run(const void* kernel, dim3 grid, dim3 per_block, void** arguments, bool together) {
    ++emulator.launches;
    emulator.kernel = kernel;
    emulator.frame = arguments[0];
    emulator.shown = -1;
    threads.x = per_block.x;
    blocks.x = grid.x;
    emulator.blocks.assign(grid.x, Block());
    emulator.counters.clear();
    std::vector<unsigned> numbers(grid.x);
    for (unsigned k = 0; k < grid.x; ++k) numbers[k] = k;
    std::shuffle(numbers.begin(), numbers.end(), emulator.random);
    if (together) return run_together(numbers) ? 0 : 1;
    for (unsigned number : numbers) {
        if (!run_together({number})) return 1;
        emulator.blocks[number] = Block();
        emulator.shown = -1;
    }
    return 0;
}

static void look(Cells& cells, size_t offset, size_t size, bool is_write, const std::string& array) {
    const unsigned block = emulator.current->block;
    const Access now{int(block), int(emulator.current->thread), own().clock.of(block)};
    cells.each(offset, size, [&](Cell& cell, size_t place) {
        Judge judge{now, own().clock};
        judge.look(cell, emulator.launches, is_write);
        if (!judge.race) return;
        const char* between = judge.other.block == now.block ? " by threads of a block" : " by two blocks";
        emulator.found.tell(std::string("a race: ") + judge.race + between, array, kernel_name(),
                            who(judge.other) + ", then " + who(now) + ", at byte " + std::to_string(offset + place) +
                                " of " + array);
    });
}

static void tell_outside(uintptr_t address, size_t size, const std::pair<const uintptr_t, Array>* nearest) {
    std::string where = std::to_string(size) + " bytes by " +
                        who({int(emulator.current->block), int(emulator.current->thread), 0});
    if (nearest)
        where += ", " + std::to_string(address - nearest->first) + " behind the start of " + nearest->second.name;
    emulator.found.tell("an access outside of all arrays", "", kernel_name(), where);
}

static void touch(void* pointer, size_t size, bool is_write) {
    if (!emulator.current) return;
    const uintptr_t address = uintptr_t(pointer), shared = uintptr_t(__start_emulated_shared);
    if (emulator.current->has(address) || (pointer >= places && pointer < places + 4)) return;
    if (address >= shared && address < uintptr_t(__stop_emulated_shared))
        return look(own().cells, address - shared, size, is_write, "shared memory");
    if (auto counter = emulator.counters.find(address); counter != emulator.counters.end()) {
        if (!is_write) emulator.current->read.join(counter->second);
        return;
    }
    auto* nearest = emulator.memory.before(address);
    if (nearest && address + size <= nearest->first + nearest->second.size) {
        auto& [start, array] = *nearest;
        look(array.cells, address - start, size, is_write, array.name);
    } else if (emulator.is_strict) {
        tell_outside(address, size, nearest);
    }
}

void shuffle(const void* mine, void* theirs, size_t size, int distance) {
    Fiber* fiber = emulator.current;
    fiber->offered = mine;
    fiber->leave(State::IN_SHUFFLE);
    const unsigned lane = fiber->thread % 32;
    std::memcpy(theirs, lane + distance < 32 ? emulator.fibers[fiber->number + distance]->offered : mine, size);
    fiber->leave(State::IN_SHUFFLE);
}

// What atomic operations do to a counter: they publish what a fence has made visible, and read.
static void change(const void* counter) {
    if (!emulator.current) return;
    Clock& clock = emulator.counters[uintptr_t(counter)];
    emulator.current->read.join(clock);
    clock.join(emulator.current->fenced);
}

}  // namespace emulation

using emulation::emulator;

unsigned long long atomicAdd(unsigned long long* counter, unsigned long long value) {
    emulation::change(counter);
    const unsigned long long old = *counter;
    *counter += value;
    return old;
}

unsigned long long atomicCAS(unsigned long long* counter, unsigned long long expected, unsigned long long value) {
    emulation::change(counter);
    const unsigned long long old = *counter;
    if (old == expected) *counter = value;
    return old;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* fit, const void*, int, size_t) {
    *fit = 1;
    return 0;
}

extern "C" {

void __syncthreads() { emulator.current->leave(emulation::State::AT_BARRIER); }

void emulation_nanosleep(unsigned) { emulator.current->leave(emulation::State::ASLEEP); }

void __threadfence() {
    emulation::Fiber& fiber = *emulator.current;
    emulation::own().arriving.join(fiber.read);
    fiber.fenced.join(fiber.read);
    fiber.fenced.join(emulation::own().clock);
}

cudaError_t cudaMalloc(void** pointer, size_t size) {
    *pointer = std::malloc(size);
    std::memset(*pointer, 0xff, size);
    if (emulator.allocated.empty()) emulator.first = *pointer;
    emulator.allocated[*pointer] = size;
    emulator.memory.add(*pointer, size, "memory of " + std::to_string(size) + " bytes");
    return 0;
}

cudaError_t cudaFree(void* pointer) {
    if (pointer && !emulator.allocated.erase(pointer))
        emulator.found.tell("memory is freed that was not reserved", "", "the program", "");
    emulator.memory.remove(pointer);
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
    *value = emulator.processors;
    return 0;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t, cudaStream_t) {
    return emulation::run(kernel, grid, block, arguments, false);
}

cudaError_t cudaLaunchCooperativeKernel(
    const void* kernel, dim3 grid, dim3 block, void** arguments, size_t, cudaStream_t) {
    if (grid.x > unsigned(emulator.processors)) return 2;
    return emulation::run(kernel, grid, block, arguments, true);
}

const char* cudaGetErrorString(cudaError_t code) { return code == 1 ? "threads wait forever" : "too many blocks"; }

// For tests.

void emulation_begin(int processors) {
    emulator.processors = processors;
    emulator.found = {};
    emulator.launches = emulator.barriers = 0;
    emulator.is_strict = false;
    emulator.memory = {};
}

void emulation_seed(unsigned long long seed) { emulator.random.seed(seed); }

void emulation_register(void* pointer, size_t size, const char* name) {
    emulator.memory.add(pointer, size, std::string("'") + name + "'");
    emulator.is_strict = true;
}

// A part of the memory that was reserved first; what is in no part is in no array.
void emulation_register_part(size_t offset, size_t size, const char* name) {
    auto& arrays = emulator.memory.arrays;
    if (auto whole = arrays.find(uintptr_t(emulator.first)); whole != arrays.end() && whole->second.name[0] != '\'')
        arrays.erase(whole);
    emulation_register((char*)emulator.first + offset, size, name);
}

const char* emulation_found() { return emulator.found.text.c_str(); }

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
