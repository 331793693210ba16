// What is known of each byte that kernels share: who wrote it last, who has read it since. Two threads' accesses to one
// byte, one of them a write, are a race unless something orders them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace emulation {

// An epoch for each block (its number of __syncthreads); 0 for those behind the end.
struct Clock {
    std::vector<long> epochs;

    long of(size_t block) const { return block < epochs.size() ? epochs[block] : 0; }

    void set(size_t block, long epoch) {
        if (epochs.size() <= block) epochs.resize(block + 1);
        epochs[block] = std::max(epochs[block], epoch);
    }

    void join(const Clock& other) {
        for (size_t block = 0; block < other.epochs.size(); ++block) set(block, other.epochs[block]);
    }
};

constexpr int MANY = -2;  // threads of a block

struct Access {
    int64_t block : 20 = -1, thread : 12 = -1, epoch : 32 = 0;
};

// A piece of memory in the launch that is going on: the last write, and the last reads since then of some blocks.
struct Cell {
    int launch = -1;
    Access write{}, reads[5]{};
};

constexpr size_t PAGE = 4096;

// Cells of some memory, each for as many bytes as its accesses have at least, page by page.
class Cells {
    struct Page {
        size_t granule = 8;
        std::vector<Cell> cells;
    };
    std::vector<Page> pages;

    static void refine(Page& page, size_t granule) {
        std::vector<Cell> finer;
        for (const Cell& cell : page.cells) finer.insert(finer.end(), page.granule / granule, cell);
        page.granule = granule;
        page.cells.swap(finer);
    }

   public:
    // Looks at each cell of some bytes from an offset on.
    template <typename F> void each(size_t offset, size_t size, F look) {
        for (size_t done = 0; done < size;) {
            const size_t place = offset + done, number = place / PAGE;
            if (pages.size() <= number) pages.resize(number + 1);
            Page& page = pages[number];
            size_t granule = page.granule;
            while (place % granule || (size - done) % granule) granule /= 2;
            if (granule < page.granule) refine(page, granule);
            page.cells.resize(PAGE / granule);
            look(page.cells[place % PAGE / granule], done);
            done += granule;
        }
    }
};

struct Array {
    std::string name;
    size_t size;
    Cells cells;
};

// What was found, once for each kind, kernel and array.
struct Findings {
    std::set<std::string> known;
    std::string text;

    void tell(const std::string& kind, const std::string& array, const std::string& kernel, const std::string& where) {
        if (!known.insert(kind + array + kernel).second || text.size() > 4000) return;
        text += kind + ": " + (where.empty() ? "" : where + " ") + "in " + kernel + "\n";
    }
};

// The memory that kernels may touch, by the address where it begins.
struct Memory {
    std::map<uintptr_t, Array> arrays;

    // The array that begins last before an address, if there is one.
    std::pair<const uintptr_t, Array>* before(uintptr_t address) {
        auto behind = arrays.upper_bound(address);
        return behind == arrays.begin() ? nullptr : &*std::prev(behind);
    }

    void add(const void* start, size_t size, const std::string& name) { arrays[uintptr_t(start)] = {name, size, {}}; }

    void remove(const void* start) { arrays.erase(uintptr_t(start)); }
};

inline std::string who(const Access& access) {
    const std::string block = " of block " + std::to_string(int(access.block));
    return access.thread == MANY ? "threads" + block : "thread " + std::to_string(int(access.thread)) + block;
}

// An access by a thread that has seen all that the clock says, beside what is known of a byte.
struct Judge {
    const Access& now;
    const Clock& clock;

    const char* race = nullptr;
    Access other{};

    void require_order(const Access& first, const char* what) {
        if (race || first.block < 0 || first.epoch < clock.of(first.block)) return;
        if (first.block == now.block && first.thread == now.thread) return;
        race = what;
        other = first;
    }

    void read(Cell& cell) {
        require_order(cell.write, "a write and then a read");
        for (Access& known : cell.reads) {
            if (known.block >= 0 && known.block != now.block) continue;
            const bool is_another = known.block >= 0 && known.epoch == now.epoch && known.thread != now.thread;
            known = now;
            if (is_another) known.thread = MANY;
            return;
        }
    }

    void write(Cell& cell) {
        require_order(cell.write, "two writes");
        for (Access& known : cell.reads) {
            require_order(known, "a read and then a write");
            known = Access();
        }
        cell.write = now;
    }

    void look(Cell& cell, int launch, bool is_write) {
        if (cell.launch != launch) cell = Cell{launch};
        if (is_write) write(cell);
        else read(cell);
    }
};

}  // namespace emulation
