"""The C++ that runs on the host: memory, launches, what checks have found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from daad.codegen import spelling
from daad.codegen.gpu.kernel_code import THREADS, Device, is_cooperative
from daad.codegen.gpu.launches import Form, Kernel, Launch, ProductCall, calls_products, host_loops, kernels
from daad.codegen.gpu.product_code import product_lines
from daad.codegen.gpu.spread import Team
from daad.codegen.gpu.surroundings import indented
from daad.codegen.gpu.waiting import Work
from daad.codegen.schedule.bounds import extent
from daad.ir.affine import Affine
from daad.ir.nodes import Index

MOST_BLOCKS = 1 << 16
"""Of a kernel for points; threads take several of them by turns beyond that."""

OWNERS = 128
"""Blocks that share the places of an update: each goes through all points."""

HANDLE = "cublasHandle_t products;"
CLOSE = "if (state->products) cublasDestroy(state->products);"
OPEN = (
    "cublasCreate(&state->products)",
    "cublasSetPointerMode(state->products, CUBLAS_POINTER_MODE_DEVICE)",
)
STREAM = "cublasSetStream(state->products, state->stream)"
"""Scales of products lie on the GPU, where kernels compute them."""

HELPERS = """
struct State {
    unsigned char* slab;
    unsigned long long* counters;
    long long* found;
    cudaStream_t stream;
    unsigned blocks[%(kernels)d];
%(products)s};

// Codes of cuBLAS come behind those of CUDA.
enum { PRODUCT_FAILED = 100000 };

static int launch(const void* kernel, unsigned blocks, unsigned threads, Frame& frame, cudaStream_t stream) {
    void* arguments[] = {&frame};
    return cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream);
}

static int launch_together(const void* kernel, unsigned blocks, unsigned threads, Frame& frame, cudaStream_t stream) {
    void* arguments[] = {&frame};
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream);
}

// As many blocks as run at the same time, two on each multiprocessor at most: the fewer, the sooner all have met.
static int fitting(const void* kernel, unsigned threads, unsigned* blocks) {
    int device = 0, processors = 0, fit = 0;
    if (int code = cudaGetDevice(&device)) return code;
    if (int code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) return code;
    if (int code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, 0)) return code;
    *blocks = processors * (fit < 1 ? 1 : fit > 2 ? 2 : fit);
    return 0;
}

extern "C" {

void daad_close(void* opened) {
    State* state = (State*)opened;
    cudaFree(state->slab);
    cudaFree(state->counters);
    cudaFree(state->found);
%(close)s    delete state;
}

const char* daad_error(int code) {
    return code < PRODUCT_FAILED ? cudaGetErrorString((cudaError_t)code) : "a product of matrices by cuBLAS failed";
}

// The first index found outside of its axis, when all is done; nothing is left of it.
int daad_status(void* opened, long long* found) {
    State* state = (State*)opened;
    for (int k = 0; k < 4; ++k) found[k] = 0;
    if (int code = cudaStreamSynchronize(state->stream)) return code;
    if (!%(checks)s) return 0;
    if (int code = cudaMemcpy(found, state->found, 4 * sizeof(long long), cudaMemcpyDeviceToHost)) return code;
    return found[0] ? cudaMemsetAsync(state->found, 0, 4 * sizeof(long long), state->stream) : 0;
}
"""


@dataclass(frozen=True)
class Host:
    """Writes the functions that a program is opened, run and closed by."""

    device: Device
    launches: Sequence[Launch]
    arguments: tuple[str, ...]

    def frame(self) -> list[str]:
        """What kernels are given: where arrays lie, integers, variables of the host's loops."""
        arrays, names = self.device.program.arrays, self.device.names
        members = [
            f"{spelling.ctype(arrays[name].dtype) if name in arrays else 'int64_t'}* {names[name]};"
            for name in self.arguments
        ]
        variables = dict.fromkeys(loop.var for loop in host_loops(self.launches))
        members += [f"int64_t {names[name]};" for name in variables]
        members += ["unsigned char* slab;", "unsigned long long* counters;", "long long* found;"]
        return ["struct Frame {", *indented(members), "};"]

    def functions(self, has_checks: bool) -> list[str]:
        """The functions that Python calls."""
        number = max(1, sum(1 for _ in kernels(self.launches)))
        settings = {"kernels": number, "checks": "true" if has_checks else "false", "products": "", "close": ""}
        if calls_products(self.launches):
            settings |= {"products": f"    {HANDLE}\n", "close": f"    {CLOSE}\n"}
        helpers = HELPERS % settings
        return [*helpers.splitlines(), *self._open(number), "", *self._run(), "}"]

    def _open(self, number: int) -> list[str]:
        lines = [
            "State* state = new State();",
            "*opened = state;",
            f"if (int code = cudaMalloc((void**)&state->slab, {max(1, self.device.slab.nbytes)}ull)) return code;",
            f"if (int code = cudaMalloc((void**)&state->counters, {8 * number})) return code;",
            f"if (int code = cudaMemset(state->counters, 0, {8 * number})) return code;",
            "if (int code = cudaMalloc((void**)&state->found, 4 * sizeof(long long))) return code;",
            "if (int code = cudaMemset(state->found, 0, 4 * sizeof(long long))) return code;",
        ]
        lines += [f"if (int code = {call}) return PRODUCT_FAILED + code;" for call in OPEN if self._has_products]
        for kernel in kernels(self.launches):
            if kernel.form is Form.GRID:
                function, blocks = f"(const void*)kernel_{kernel.number}", f"&state->blocks[{kernel.number}]"
                lines.append(f"if (int code = fitting({function}, {THREADS[kernel.form]}, {blocks})) return code;")
        return ["int daad_open(void** opened) {", *indented([*lines, "return cudaStreamSynchronize(0);"]), "}"]

    def _run(self) -> list[str]:
        arrays, names = self.device.program.arrays, self.device.names
        lines = ["State* state = (State*)opened;", "state->stream = (cudaStream_t)stream;", "Frame frame = {};"]
        for number, name in enumerate(self.arguments):
            kind = spelling.ctype(arrays[name].dtype) if name in arrays else "int64_t"
            lines.append(f"frame.{names[name]} = ({kind}*)pointers[{number}];")
        lines += [f"frame.{name} = state->{name};" for name in ("slab", "counters", "found")]
        if self._has_products:
            lines.append(f"if (int code = {STREAM}) return PRODUCT_FAILED + code;")
        lines += [line for launch in self.launches for line in self._launch(launch)]
        head = "int daad_run(void* opened, void* const* pointers, void* stream) {"
        return [head, *indented([*lines, "return 0;"]), "}"]

    def _launch(self, launch: Launch) -> Iterable[str]:
        if isinstance(launch, Kernel):
            return [f"if (int code = {self._call(launch)}) return code;"]
        if isinstance(launch, ProductCall):
            return product_lines(launch.product, self._form, self._pointer)
        loop, name = launch.loop, f"frame.{self.device.names[launch.loop.var]}"
        sign, step = ("<", "++") if loop.step > 0 else (">", "--")
        start, stop = self._form(loop.start), self._form(loop.stop)
        body = [line for inner in launch.body for line in self._launch(inner)]
        return [f"for ({name} = {start}; {name} {sign} {stop}; {step}{name}) {{", *indented(body), "}"]

    @property
    def _has_products(self) -> bool:
        return calls_products(self.launches)

    def _pointer(self, name: str) -> str:
        kind = spelling.ctype(self.device.program.arrays[name].dtype)
        return f"({self.device.address(name, kind)})"

    def _call(self, kernel: Kernel) -> str:
        function, threads = f"(const void*)kernel_{kernel.number}", THREADS[kernel.form]
        blocks = str(_blocks(kernel)) if kernel.form is not Form.GRID else f"state->blocks[{kernel.number}]"
        launch = "launch_together" if is_cooperative(kernel) else "launch"
        return f"{launch}({function}, {blocks}, {threads}, frame, state->stream)"

    def _form(self, form: Index) -> str:
        assert isinstance(form, Affine), "the host knows the bounds of its loops"
        return str(Affine.build(form.const, {f"frame.{self.device.names[n]}": c for n, c in form.terms}))


def _blocks(kernel: Kernel) -> int:
    """Enough for the points of a step, of which the extents may be a guess."""
    if kernel.form is Form.BLOCK:
        return 1
    (work,) = kernel.items
    assert isinstance(work, Work), "a kernel for points has one step"
    points = prod(extent(r, work.context.known) for r in work.spread.points)
    threads = {Team.THREAD: 1, Team.WARP: 32, Team.BLOCK: THREADS[kernel.form]}.get(work.spread.team)
    if threads is None:
        return OWNERS
    return max(1, min(-(-points * threads // THREADS[kernel.form]), MOST_BLOCKS))
