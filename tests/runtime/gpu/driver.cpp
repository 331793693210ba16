// A stand-in of the driver of NVIDIA GPUs: device memory is memory of the process, filled with NaNs; what is reserved,
// freed, copied and waited for is recorded. `settings` say what it pretends to be.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

extern "C" {
// devices, version, architecture, memory in all, what cuInit gives
long long settings[5] = {1, 13000, 90, 1 << 30, 0};
// bytes reserved, their peak, reservations, what was freed of them, copies to the device, from it, on it, bytes of these
// three, waits of a stream for an event, waits for a stream, contexts pushed
long long counts[14];
// what runs a program of this number on its arrays, and what that found
int (*running)(long long program, void* const* arrays, long long found[4]);
}

namespace {
std::map<uint64_t, size_t> reserved;
struct Stack {  // of contexts
    int depth = 0, contexts[64] = {0};
    operator int() const { return contexts[depth]; }
} current;
enum { BYTES, PEAK, RESERVED, FREED, TO, FROM, ON, TO_BYTES, FROM_BYTES, ON_BYTES, EVENT_WAITS, WAITS, CONTEXTS };

bool is_reserved(uint64_t address, size_t bytes) {
    auto found = reserved.upper_bound(address);
    if (found == reserved.begin()) return false;
    --found;
    return address + bytes <= found->first + found->second;
}
}

extern "C" {
int cuInit(unsigned) { return (int)settings[4]; }
int cuDriverGetVersion(int* version) { *version = (int)settings[1]; return 0; }
int cuGetErrorString(int, const char** text) { *text = "a fault of the stand-in"; return 0; }
int cuDeviceGetCount(int* count) { *count = (int)settings[0]; return 0; }
int cuDeviceGet(int* device, int ordinal) { *device = ordinal; return ordinal < settings[0] ? 0 : 101; }
int cuDeviceGetName(char* name, int size, int) { strncpy(name, "Stand-in", size); return 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int) { *bytes = settings[3]; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? settings[2] / 10 : settings[2] % 10;
    return attribute == 75 || attribute == 76 ? 0 : 1;
}
int cuDevicePrimaryCtxRetain(void** context, int device) { *context = (void*)(intptr_t)(device + 1); return 0; }
int cuCtxPushCurrent_v2(void* context) { current.contexts[++current.depth] = (int)(intptr_t)context; ++counts[CONTEXTS]; return 0; }
int cuCtxPopCurrent_v2(void** context) { *context = (void*)(intptr_t)(int)current; --current.depth; --counts[CONTEXTS]; return 0; }
int cuCtxGetCurrent(void** context) { *context = (void*)(intptr_t)(int)current; return 0; }
int cuCtxGetDevice(int* device) { *device = current - 1; return current ? 0 : 201; }
int cuCtxSynchronize() { return current ? 0 : 201; }
int cuMemGetInfo_v2(size_t* free, size_t* all) {
    *free = settings[3] - counts[BYTES];
    *all = settings[3];
    return current ? 0 : 201;
}
int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    if (!current) return 201;
    if (!bytes) return 1;
    if (counts[BYTES] + (long long)bytes > settings[3]) return 2;
    void* memory = malloc(bytes);
    memset(memory, 0xff, bytes);
    *address = (uint64_t)memory;
    reserved[*address] = bytes;
    counts[BYTES] += bytes;
    if (counts[BYTES] > counts[PEAK]) counts[PEAK] = counts[BYTES];
    ++counts[RESERVED];
    return 0;
}
int cuMemFree_v2(uint64_t address) {
    auto found = reserved.find(address);
    if (!current || found == reserved.end()) return 1;
    counts[BYTES] -= found->second;
    memset((void*)address, 0xff, found->second);
    free((void*)address);
    reserved.erase(found);
    ++counts[FREED];
    return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
    if (!current || !is_reserved(to, bytes)) return 1;
    memcpy((void*)to, from, bytes);
    ++counts[TO];
    counts[TO_BYTES] += bytes;
    return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) {
    if (!current || !is_reserved(from, bytes)) return 1;
    memcpy(to, (void*)from, bytes);
    ++counts[FROM];
    counts[FROM_BYTES] += bytes;
    return 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void*) {
    if (!current || !is_reserved(to, bytes) || !is_reserved(from, bytes)) return 1;
    memcpy((void*)to, (void*)from, bytes);
    ++counts[ON];
    counts[ON_BYTES] += bytes;
    return 0;
}
int cuPointerGetAttribute(void* value, int attribute, uint64_t address) {
    if (attribute != 9 || !is_reserved(address, 1)) return 1;
    *(int*)value = 0;
    return 0;
}
int cuStreamCreate(void** stream, unsigned) { *stream = (void*)7; return current ? 0 : 201; }
int cuStreamSynchronize(void*) { ++counts[WAITS]; return current ? 0 : 201; }
int cuStreamWaitEvent(void*, void*, unsigned) { ++counts[EVENT_WAITS]; return 0; }
int cuEventCreate(void** event, unsigned) { *event = malloc(1); return current ? 0 : 201; }
int cuEventRecord(void*, void*) { return 0; }
int cuEventDestroy_v2(void* event) { free(event); return 0; }
}
