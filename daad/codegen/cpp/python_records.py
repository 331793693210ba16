"""The records by which generated programs call Python; see `daad.runtime.python_calls`."""

from daad.runtime.python_calls import FETCH, MORE_NUMBERS, MOST, NUMBERS

PYTHON_CALLS = f"""
#include <sched.h>
#include <stdlib.h>
namespace daad {{
typedef const double* (*Python)(int64_t function, double token, const double* values, int64_t count);
struct Record {{ int64_t number, function, count, room; double* values; const double* results; bool is_called; }};
struct Records {{ Python python; int in_use; Record** all; int64_t count, room, next, end; Record* recent; }};
__attribute__((visibility("hidden"))) inline Records records = {{}};
constexpr int64_t most_numbers = {MOST};
struct Turn {{
    Turn() {{ while (__atomic_exchange_n(&records.in_use, 1, __ATOMIC_ACQUIRE)) sched_yield(); }}
    ~Turn() {{ __atomic_store_n(&records.in_use, 0, __ATOMIC_RELEASE); }}
}};
inline double token_of(const Record* record, int64_t count) {{ return double(record->number * most_numbers + count); }}
inline Record* new_record(int64_t function) {{
    if (records.next == records.end) {{
        records.next = int64_t(records.python({MORE_NUMBERS}, 0, nullptr, 0));
        records.end = records.next + {NUMBERS};
    }}
    if (records.count == records.room) {{
        records.room = 2 * records.room + 16;
        records.all = static_cast<Record**>(realloc(records.all, records.room * sizeof(Record*)));
    }}
    Record* record = static_cast<Record*>(calloc(1, sizeof(Record)));
    record->number = records.next++;
    record->function = function;
    return records.recent = records.all[records.count++] = record;
}}
inline Record* record_of(int64_t number) {{
    if (records.recent && records.recent->number == number) return records.recent;
    int64_t low = 0, high = records.count;
    while (low < high) {{
        const int64_t middle = (low + high) / 2;
        if (records.all[middle]->number < number) low = middle + 1; else high = middle;
    }}
    if (low == records.count || records.all[low]->number != number) return nullptr;
    return records.recent = records.all[low];
}}
inline void add(Record* record, const double* values, int64_t size) {{
    if (record->count + size > record->room) {{
        record->room = 2 * record->room + 16 + size;
        record->values = static_cast<double*>(realloc(record->values, record->room * sizeof(double)));
    }}
    if (size) __builtin_memcpy(record->values + record->count, values, size * sizeof(double));
    record->count += size;
}}
template <typename T> __attribute__((noinline)) inline T python_start(T function) {{
    Turn turn;
    return token_of(new_record(int64_t(function)), 0);
}}
template <typename T> __attribute__((noinline)) inline T python_put(T token, const T* values, int64_t size) {{
    Turn turn;
    const int64_t number = int64_t(token) / most_numbers, count = int64_t(token) % most_numbers;
    Record* record = record_of(number);
    if (!record || count + size >= most_numbers) return not_a_number<double>();
    const int64_t known = record->count - count < size ? record->count - count : size;
    if (__builtin_memcmp(record->values + count, values, known * sizeof(T))) {{  // others in their place
        Record* other = new_record(record->function);
        add(other, record->values, count);
        add(other, values, size);
        return token_of(other, count + size);
    }}
    add(record, values + known, size - known);
    return token_of(record, count + size);
}}
template <typename T> inline T python_put(T token, T value) {{ return python_put(token, &value, 1); }}
template <typename T> __attribute__((noinline)) inline void python_get(T token, int64_t place, T* out, int64_t size) {{
    Turn turn;
    Record* record = token == token ? record_of(int64_t(token) / most_numbers) : nullptr;
    const double* results = record ? record->results : records.python({FETCH}, token, nullptr, 0);
    if (record && !record->is_called) {{
        results = record->results = records.python(record->function, token, record->values, record->count);
        record->is_called = true;
    }}
    for (int64_t k = 0; k < size; ++k) out[k] = results ? results[place + k] : not_a_number<double>();
}}
template <typename T> inline T python_get(T token, T place) {{
    T result;
    python_get(token, int64_t(place), &result, 1);
    return result;
}}
}}  // namespace daad
extern "C" __attribute__((visibility("default"), weak)) void daad_python_calls(daad::Python python) {{
    using daad::records;
    for (int64_t k = 0; k < records.count; ++k) {{ ::free(records.all[k]->values); ::free(records.all[k]); }}
    ::free(records.all);
    records = daad::Records{{python}};
}}
"""
