"""Small programs in which aliasing, rebinding, order of evaluation or control flow is easily got wrong."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, spread


def alias_before_rebinding(x, w, n):
    y = x
    for _ in range(n):
        x = x * 0.5 + w
    return np.sum(x * y)


def previous_state_is_an_alias(x, w, n):
    previous = x
    s = 0.0
    for _ in range(n):
        new = previous * w + x
        s += np.sum(previous * new)
        previous = new
    return s, previous


def alias_of_what_is_bound_again(x, w, n):
    s = 0.0
    for _ in range(n):
        previous = x
        x = x * w
        s += np.sum(previous - x)
    return s


def alias_is_written_after_rebinding(x, w, n):
    y = np.zeros(6)
    for k in range(n):
        z = y
        y = w * x + k
        z[0] = 100.0
        y[1] += z[0]
    return y, z


def boundary_through_the_new_name(x, w, n):
    u = x * 1.0
    for _ in range(n):
        new = u * w
        u = new
        u[0] = 1.0
        new[1] = 2.0
    return u


def dictionary_in_a_long_loop(x, n):
    state = {"p": x, "v": x * 0.1}
    for _ in range(n):
        state["p"] = state["p"] + 0.001 * state["v"]
        state["v"] = state["v"] - 0.001 * np.sin(state["p"])
    return state["p"], np.sum(state["v"])


def tuple_in_a_long_loop(x, n):
    def step(state):
        p, q = state
        return p + 0.001 * q, q - 0.001 * np.sin(p)

    state = (x, x * 0.1)
    for _ in range(n):
        state = step(state)
    return state


def list_slots_in_a_long_loop(x, n):
    slots = [x * 1.0, 0.0, 0]
    for k in range(n):
        slots[0] = slots[0] * 0.99
        slots[1] += slots[0][k % 6]
        slots[2] += 1
    return slots[0], slots[1], slots[2]


def index_wraps_around(x):
    s = 0.0
    for i in range(6):
        s += x[i - 1] * x[i]
        x[i - 1] = x[i - 2] * 0.5
    return s


def temporary_of_two_triangular_loops(a):
    s = 0.0
    for i in range(5):
        for j in range(i):
            t = a[i, j] * 2
            s += t
        for j in range(i, 5):
            t = a[i, j] * 3
            s -= t * t
    return s


def temporary_survives_an_empty_loop(a):
    s = 0.0
    t = 1.0
    for i in range(5):
        for j in range(i):
            t = a[i, j] * 2
        s += t
    return s


def early_returns_on_data(x, w):
    def f(a):
        if a > 0:
            return a * 2
        if a > -0.5:
            b = a * a
            return b + 1
        return -a

    s = 0.0
    for i in range(6):
        s += f(x[i]) * w[i]
    return s


def chain_of_conditions(x, w):
    s = 0.0
    for i in range(6):
        if x[i] > 0.4:
            z, y = x[i], 1
        elif x[i] > 0.2:
            z, y = 2 * x[i], 2
        elif x[i] > 0:
            z, y = 3.0 * x[i], 3
        elif x[i] > -0.2:
            z, y = 4, 4
        else:
            z, y = w[i], 5.5
        s += z * y
    return s


def continue_in_nested_branches(x, w):
    s = 0.0
    for i in range(6):
        if x[i] > 0:
            if w[i] > 0:
                s += 1.5
                continue
            s += x[i]
        else:
            if w[i] < 0:
                continue
            s += w[i]
        s *= 1.1
    return s


def break_on_the_index(x):
    s = 0.0
    for i in range(6):
        if i == 4:
            break
        s += x[i]
    return s, i


def return_on_the_index(x):
    for i in range(6):
        if i == 3:
            return x[i] * 2
    return 0.0


def nonlocal_in_branches(x, w):
    best = -1e9
    count = 0

    def update(value):
        nonlocal best, count
        if value > best:
            best = value
            count += 1

    for i in range(6):
        update(x[i] * w[i])
    return best, count


def closures_bind_late(x, w):
    functions = []
    for k in range(3):
        functions.append(lambda u: u * k)
    return functions[0](x) + functions[2](w)


def alias_of_a_scalar(x, n):
    s = x[0]
    t = s
    for k in range(n):
        t = s
        s = s * 0.5 + x[k]
    return s * t


def masked_elements(x):
    y = x.copy()
    y[x > 0] = np.sqrt(x[x > 0])
    y[y < 0] += 1.0
    m = (x > 0) & (y > 0.3)
    y[m] = y[m] * x[m] - 1
    t = x[m]
    y[m] += t
    return y, np.sum(x[x > 0] ** 2), np.max(y[m]), np.sum(t)


def masks_of_matrices(a):
    a[a > 0] = np.log(a[a > 0])
    b = a[:, 1:]
    b[b < -1] = -1
    a[a[:, 0] > -1] *= 2
    return a


def row_of_the_previous_iteration(a, w):
    r = a[0]
    for i in range(1, 5):
        r = a[i] * r[0]
        a[i] = r + 1
    return r, a


def loop_without_trips(x, n):
    t = x * 2
    for i in range(n):
        t = t * x[i]
    return t


def index_arrays(a, b):
    rows = np.array([2, 0, 2])
    columns = np.array([[0, 1], [2, 3]])
    c = a[rows]
    c[:, [0, -1]] = b[:3, [1, 2]]
    a[rows] += 1.0
    a[[0, 1], [1, 2]] = b[0, :2]
    d = a[:, columns]
    return c, a, np.sum(d * d), a[rows[:, None], [0, 3]]


def numbers_and_slices_exchanged(x, w):
    x[:3], x[3:] = x[3:].copy(), x[:3].copy()
    a, b = x[0], w[0]
    x[0], w[0] = b, a
    x[1:], w[1:] = w[1:] * 2, x[1:] * 3
    return x, w


def three_buffers(x, n):
    a, b, c = x.copy(), np.zeros(6), np.ones(6)
    for k in range(n):
        c[1:] = a[:-1] * 0.5 + b[1:] + k
        a, b, c = c, a, b
    return a, b, c


def buffers_that_are_arguments(x, n):
    y = np.zeros_like(x)
    for k in range(n):
        y[:] = x * 0.9 + k
        x, y = y, x
    x[0] = 5
    return x, y


def number_becomes_array(c, x):
    r = 0
    for k in range(len(c) - 1, -1, -1):
        r = r * x + c[k]
    return r


def python_numbers(x, a, n):
    b = a * n
    return b, b // 1, -b % 2, n / 2, n // 2 * a, abs(-n) * a, min(n, 4) * a + max(a, x[0]), float(n) * a, int(a * 5)


def strides_and_shapes(x):
    x[::2] += x[1::2]
    y = x.reshape(2, 3)
    y[:, ::-2] *= 2
    z = y.T.ravel()
    z[0] = 100
    w = x.reshape(3, 2).T
    w[0] = x[3:] * 1.0
    return x, z


def transposed_onto_itself(a):
    a += a.T
    a[:, 0] = a[0]
    return a


def parameters_are_names(x, w):
    def changes_its_own(x):
        x = x + 1
        x *= 2
        return x

    def changes_the_array(x):
        x *= 2
        return x

    y = changes_its_own(x)
    z = changes_the_array(x)
    z[0] = 7
    return x, y, z


def structures(x, arrays, parameters):
    s = 0.0
    for k, a in enumerate(arrays):
        s += np.sum(a * x) * (k + 1)
        arrays[k][0] = s
    for i in range(parameters["c"]["n"]):
        s += parameters["a"][i] * parameters["b"]
    return s * parameters["c"]["d"]


def truth_counts(x):
    first, none, total = not 0, not 1, 0.0
    for k, value in enumerate(x, start=first):
        total = total + k * value
    for k in range(first, 3):
        total = total + x[k]
    return total, x[first:] * [2.0, 3.0][first], x[none : first + 2]


def sizes_that_halve(x, levels):
    s = 0.0
    for level in range(levels):
        n = 6 // 2**level
        y = np.zeros(n)
        for i in range(n):
            y[i] = x[i] * level
        s += np.sum(y)
    return s


def triangular_slices(a):
    for i in range(5):
        a[i, :i] = a[i, :i] * 2
        a[i, i + 1 :] -= a[i, i] * a[i + 1 :, i]
        t = a[i, : i + 1].sum()
        a[i:, i] += t
    return a


def bounds_from_data(x, counts):
    s = 0.0
    for i in range(4):
        for j in range(counts[i]):
            s += x[j] * i
    return s


def index_of_the_maximum(x):
    best = 0
    for i in range(1, 6):
        if x[i] > x[best]:
            best = i
    return x[best] * 2


def guarded_elements(x):
    s = 0.0
    for i in range(6):
        if 0 < x[i] < 1 or (i > 0 and x[i - 1] > 0.5):
            s += x[i]
        if i + 1 < 6 and x[i + 1] > 0:
            s -= 0.1
    return s


def comprehensions(x, n):
    a = np.array([x[k] * k for k in range(n)])
    b = sum(x[k] ** 2 for k in range(n))
    c = [[i * j * x[i] for j in range(2)] for i in range(2)]
    d = {k: x[k] for k in range(2)}
    return a, b, np.array(c), d[1]


def arrays_bound_in_branches(x, w):
    y = x
    for i in range(6):
        y = y + w if w[i] > 0 else y * 0.5
    return y, x


def values_in_a_list_are_old(x):
    values = [x * 2, x[0], x[1:3]]
    x[:] = 0
    x[1] = 9.0
    return values[0], values[1], values[2]


def variables_after_nested_loops(x):
    for i in range(3):
        for j in range(i + 1):
            x[j] += i
    return x, i, j


def loops_in_called_functions(x, n):
    def inner(a, k):
        r = 0.0
        for j in range(k):
            r = r + a[j] * j
        return r

    s = 0.0
    for i in range(n):
        s += inner(x, i + 1) * inner(x, 2)
    return s


def scalars_in_place(x, dt):
    t = 0.0
    for _ in range(4):
        t += dt
        x += t * dt
        dt *= 0.5
    return x, t, dt


def operand_before_a_call_that_writes(x):
    def double(a):
        a *= 2.0
        return a[0]

    return x[1] + double(x) + x[1] * double(x)


class Layer:
    """A class of the program: made inside, changed by its methods."""

    scale = 2.0

    def __init__(self, weights, offset, activation=np.tanh):
        self.weights = weights
        self.offset = offset * self.scale
        self.activation = activation
        self.calls = 0

    @property
    def size(self):
        return self.weights.shape[0]

    @classmethod
    def centred(cls, weights):
        return cls(weights - np.mean(weights), weights[0])

    def __call__(self, x):
        self.calls += 1
        return self.activation(self.weights @ x + self.offset)


class Recorder(Layer):
    """A class that extends another."""

    def __init__(self, weights, offset):
        super().__init__(weights, offset)
        self.seen = []

    def __call__(self, x):
        y = super().__call__(x)
        self.seen.append(y)
        return y


class Particle:
    """An object without a constructor."""


def objects_of_own_classes(a):
    layer = Layer(a, a[0])
    recorder = Recorder.centred(a)
    y = recorder(layer(recorder(a[1])))
    return np.sum(y * recorder.seen[0]) * layer.size + recorder.calls


def object_in_a_long_loop(x, n):
    particle = Particle()
    particle.x = x
    particle.t = 0.0
    for _ in range(n):
        particle.x = particle.x * 0.9 + x
        particle.t += particle.x[0]
    return particle.x, particle.t


def branches_inside_branches(x, w):
    t = 0.5
    x = x + w
    if w[0] > 0.3:
        x, w = w, x
    else:
        if w[1] > 0:
            x = x * 2.0
        else:
            t = w[2]
    return np.sum(x), w[1], t


def loop_inside_a_branch_rebinds(x, w):
    if w[0] < 100:
        for j in range(3):
            x = x * 0.5 + w[j]
    else:
        x = w
    return x


def one_vector():
    return (spread(1, 6),)


def two_vectors():
    return normal(1, 6), normal(2, 6)


def matrix():
    return (normal(3, 5, 5),)


def structured_arguments():
    rest = {"a": normal(4, 5), "b": 2.0, "c": {"d": 1.5, "n": 3}}
    return normal(1, 5), [normal(2, 5), normal(3, 5)], rest


ONE = (index_wraps_around, break_on_the_index, return_on_the_index, masked_elements, strides_and_shapes)
ONE += (index_of_the_maximum, guarded_elements, values_in_a_list_are_old, variables_after_nested_loops)
ONE += (operand_before_a_call_that_writes, truth_counts)
TWO = (early_returns_on_data, chain_of_conditions, continue_in_nested_branches, nonlocal_in_branches)
TWO += (closures_bind_late, numbers_and_slices_exchanged, number_becomes_array, parameters_are_names)
TWO += (arrays_bound_in_branches, branches_inside_branches, loop_inside_a_branch_rebinds)
STEPS = (alias_before_rebinding, previous_state_is_an_alias, alias_of_what_is_bound_again)
STEPS += (alias_is_written_after_rebinding, boundary_through_the_new_name)
LONG = (dictionary_in_a_long_loop, tuple_in_a_long_loop, list_slots_in_a_long_loop, object_in_a_long_loop)
SHORT = (alias_of_a_scalar, three_buffers, buffers_that_are_arguments, sizes_that_halve, comprehensions)
SHORT += (loops_in_called_functions,)
MATRICES = (temporary_of_two_triangular_loops, temporary_survives_an_empty_loop, masks_of_matrices)
MATRICES += (transposed_onto_itself, triangular_slices, objects_of_own_classes)

CASES = (
    *((f, one_vector) for f in ONE),
    *((f, two_vectors) for f in TWO),
    *((f, matrix) for f in MATRICES),
    *((f, lambda: (*two_vectors(), 4)) for f in STEPS),
    *((f, lambda: (normal(1, 6), 1000)) for f in LONG),
    *((f, lambda: (normal(1, 6), 3)) for f in SHORT),
    (three_buffers, lambda: (normal(1, 6), 7)),
    (buffers_that_are_arguments, lambda: (normal(1, 6), 4)),
    (loop_without_trips, lambda: (normal(1, 6), 0)),
    (row_of_the_previous_iteration, lambda: (normal(3, 5, 5), normal(1, 5))),
    (index_arrays, lambda: (normal(3, 5, 5), normal(4, 5, 5))),
    (python_numbers, lambda: (normal(1, 6), 0.5, 3)),
    (structures, structured_arguments),
    (bounds_from_data, lambda: (normal(1, 6), np.array([3, 1, 2, 0]))),
    (scalars_in_place, lambda: (normal(1, 6), 0.1)),
)
