"""The C++ by which XLA calls compiled programs: one function for all of them, which finds a program by its key.

Its records are laid out as in `daad.api.interop.xla_programs`.
"""

CODE = r"""
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "xla/ffi/api/c_api.h"

namespace {
struct Shared { pthread_mutex_t mutex; void* state; };  // of a library, whose calls take turns
struct Program {
    int64_t key;
    void (*enter)(const int64_t*);
    void* (*start)();
    int64_t* outside;
    Shared* shared;
    int64_t slots, operands, results, integers, hidden;
    const int64_t* places;         // of a slot: the operand, or the constant -1 - place
    const void* const* constants;
    const int64_t* values;         // of the integers
    const int64_t* targets;        // of a result of the program: the one of the call, or the hidden one -1 - target
    void* const* own;              // memory of the hidden ones
    const int64_t* ranks;          // of operands, then results
    const int64_t* sizes;          // their bytes
    const int64_t* failed;         // where the program tells of failures, or null
    const char* const* sentences;  // of the failures
    Program* next;
};
constexpr int64_t buckets = 4096, loop = int64_t(1) << 52, most = 64;
Program* table[buckets];
pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;

uint64_t bucket_of(int64_t key) { return uint64_t(key) % buckets; }

const Program* program_of(int64_t key) {
    const Program* found = __atomic_load_n(&table[bucket_of(key)], __ATOMIC_ACQUIRE);
    while (found && found->key != key) found = found->next;
    return found;
}

XLA_FFI_Error* error(const XLA_FFI_CallFrame* frame, XLA_FFI_Error_Code code, const char* message) {
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message, code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

struct Key { int64_t value; bool is_there; };

Key key_of(const XLA_FFI_CallFrame* frame) {
    for (int64_t k = 0; k < frame->attrs.size; ++k) {
        const XLA_FFI_ByteSpan* name = frame->attrs.names[k];
        if (name->len != 7 || memcmp(name->ptr, "program", 7)) continue;
        const auto* scalar = static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[k]);
        if (frame->attrs.types[k] != XLA_FFI_AttrType_SCALAR || scalar->dtype != XLA_FFI_DataType_S64) break;
        return {*static_cast<const int64_t*>(scalar->value), true};
    }
    return {0, false};
}

// Where an array of a batch lies, of which some leading axes have one element for all.
struct Operand { const char* data; int64_t size, axes; const int64_t* dims; };

int64_t elements(int64_t count, const int64_t* dims) {
    int64_t product = 1;
    for (int64_t k = 0; k < count; ++k) product *= dims[k];
    return product;
}

const char* at(const Operand& operand, int64_t number, int64_t axes, const int64_t* batch) {
    int64_t place = 0, step = 1;
    for (int64_t k = axes - 1; k >= 0; --k) {
        const int64_t index = number % batch[k];
        number /= batch[k];
        const int64_t own = k - (axes - operand.axes);
        if (own < 0) continue;
        if (operand.dims[own] > 1) place += index * step;
        step *= operand.dims[own];
    }
    return operand.data + place * operand.size;
}

XLA_FFI_Error* failure(const XLA_FFI_CallFrame* frame, const Program* program, const int64_t* outside, int64_t failed) {
    char text[400];
    if (outside[0] && outside[1] >= loop)
        snprintf(text, sizeof text, "daad: A loop that data end goes on beyond the bound that it was compiled with.");
    else if (outside[0])
        snprintf(text, sizeof text, "daad: An index is %lld, and the axis has a size of %lld.",
                 (long long)outside[1], (long long)outside[2]);
    else if (failed > 0)
        snprintf(text, sizeof text, "daad: %s", program->sentences[failed - 1]);
    else
        snprintf(text, sizeof text, "daad: The data decide otherwise than when the program was traced.");
    return error(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, text);
}

XLA_FFI_Error* run(const XLA_FFI_CallFrame* frame, const Program* program) {
    if (program->operands != frame->args.size || program->results != frame->rets.size)
        return error(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "daad: The call does not fit its program.");
    Operand operands[most];
    for (int64_t k = 0; k < program->operands; ++k) {
        const auto* buffer = static_cast<const XLA_FFI_Buffer*>(frame->args.args[k]);
        operands[k] = {static_cast<const char*>(buffer->data), program->sizes[k],
                       buffer->rank - program->ranks[k], buffer->dims};
    }
    int64_t axes = 0;
    const int64_t* batch = nullptr;
    char* results[most];
    for (int64_t k = 0; k < program->results; ++k) {
        const auto* buffer = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[k]);
        results[k] = static_cast<char*>(buffer->data);
        axes = buffer->rank - program->ranks[program->operands + k];
        batch = buffer->dims;
    }
    const int64_t count = elements(axes, batch), words_before = 2;
    const int64_t arrays = program->slots + program->results + program->hidden;
    const void* pointers[2 * most];
    int64_t words[2 + 3 * most];
    Shared* const shared = program->shared;
    fenv_t before;  // XLA flushes small numbers to zero
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    pthread_mutex_lock(&shared->mutex);
    XLA_FFI_Error* wrong = nullptr;
    if (!shared->state) shared->state = program->start();
    if (!shared->state) wrong = error(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "daad: There is no memory.");
    words[0] = 0;
    words[1] = reinterpret_cast<int64_t>(shared->state);
    for (int64_t k = 0; k < arrays; ++k) words[words_before + k] = reinterpret_cast<int64_t>(&pointers[k]);
    for (int64_t k = 0; k < program->integers; ++k) words[words_before + arrays + k] = program->values[k];
    for (int64_t number = 0; number < count && !wrong; ++number) {
        for (int64_t k = 0; k < program->slots; ++k) {
            const int64_t place = program->places[k];
            pointers[k] = place < 0 ? program->constants[-1 - place] : at(operands[place], number, axes, batch);
        }
        for (int64_t k = 0; k < program->results + program->hidden; ++k) {
            const int64_t target = program->targets[k];
            char* const shown = target < 0 ? nullptr : results[target];
            pointers[program->slots + k] =
                shown ? shown + number * program->sizes[program->operands + target] : program->own[-1 - target];
        }
        program->outside[0] = 0;
        program->enter(words);
        const int64_t failed = program->failed ? *program->failed : 0;
        if (program->outside[0] || failed) wrong = failure(frame, program, program->outside, failed);
    }
    pthread_mutex_unlock(&shared->mutex);
    fesetenv(&before);
    return wrong;
}
}  // namespace

extern "C" __attribute__((visibility("default"))) void* daad_new_shared() {
    auto* shared = static_cast<Shared*>(calloc(1, sizeof(Shared)));
    if (shared) pthread_mutex_init(&shared->mutex, nullptr);
    return shared;
}

extern "C" __attribute__((visibility("default"))) void daad_add_program(Program* program) {
    pthread_mutex_lock(&table_mutex);
    if (!program_of(program->key)) {
        Program** const place = &table[bucket_of(program->key)];
        program->next = *place;
        __atomic_store_n(place, program, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table_mutex);
}

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* daad_call(XLA_FFI_CallFrame* frame) {
    if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
        metadata->api_version.major_version = XLA_FFI_API_MAJOR;
        metadata->api_version.minor_version = XLA_FFI_API_MINOR;
        return nullptr;
    }
    if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return nullptr;
    const Key key = key_of(frame);
    const Program* program = key.is_there ? program_of(key.value) : nullptr;
    if (!program)
        return error(frame, XLA_FFI_Error_Code_NOT_FOUND,
                     "daad: This process does not know the program: call the function of as_jax first.");
    return run(frame, program);
}
"""
MOST = 64
"""Slots, all results, integers, each."""
