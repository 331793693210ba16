// Stacks on which threads of kernels run, left and gone on with at will.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <cstdlib>

#include "accesses.h"

namespace emulation {

enum class State { READY, ASLEEP, AT_BARRIER, IN_SHUFFLE, DONE };

constexpr size_t STACK = 64 * 1024;

// A stack that computes one thread of a kernel after the other. Jumps leave the mask of signals alone, which would
// take a call of the system each time.
struct Fiber {
    char* stack = (char*)std::malloc(STACK);
    jmp_buf place, scheduler;
    size_t number = 0;  // among all
    unsigned thread = 0, block = 0;
    State state = State::DONE;
    const void* offered = nullptr;  // in a shuffle
    Clock read;                     // from counters
    Clock fenced;                   // what its last fence has made visible

    // Begins with a function that never returns, up to where it leaves.
    void start(void (*function)()) {
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = STACK;
        context.uc_link = nullptr;
        makecontext(&context, function, 0);
        if (!_setjmp(scheduler)) setcontext(&context);
    }

    void go_on() {
        if (!_setjmp(scheduler)) _longjmp(place, 1);
    }

    void leave(State now) {
        state = now;
        if (!_setjmp(place)) _longjmp(scheduler, 1);
    }

    bool has(uintptr_t address) const { return address >= uintptr_t(stack) && address < uintptr_t(stack) + STACK; }
};

}  // namespace emulation
