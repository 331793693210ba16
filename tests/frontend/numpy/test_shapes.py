"""Functions that move elements give NumPy's values, shapes and dtypes; those that are views write through."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from tests.frontend.numpy.expressions import OPERANDS, check, interpreted, rows

AXES = rows(
    """
    a.T; p.T; x.T; np.transpose(a); np.transpose(p, (2, 0, 1)); p.transpose(1, 2, 0); p.transpose((1, 0, 2));
    np.swapaxes(p, 0, 2); p.swapaxes(1, -1); np.moveaxis(p, 0, -1); np.moveaxis(p, -1, 0);
    np.moveaxis(p, [0, 1], [1, 2]); np.rollaxis(p, 2); np.rollaxis(p, 0, 2); np.permute_dims(p, (1, 0, 2));
    np.matrix_transpose(p); a.mT; np.linalg.matrix_transpose(a); np.transpose(a * d); (a * d).T; (a * d).T[1:];
    x[True:]; x[False:3]; a[:True, 1:]; x[::True]
    """
)
RESHAPES = rows(
    """
    a.reshape(12); a.reshape(4, 3); a.reshape((2, 6)); a.reshape(-1); a.reshape(2, -1); a.reshape(3, 4, 1);
    a.reshape(3, 2, 2); np.reshape(a, (6, 2)); np.reshape(a, -1); a.T.reshape(12); a.T.reshape(6, 2);
    a[:, 1:3].reshape(-1); a[::2].reshape(8); p.reshape(6, 4); p.reshape(2, 12); p.reshape(4, 6);
    (a * d).reshape(2, 6); a.ravel(); np.ravel(a); a.T.ravel(); a.flatten(); p.ravel(); x.reshape(5, 1);
    x.reshape(1, -1); np.squeeze(o); o.squeeze(); o.squeeze(1); np.squeeze(o, axis=1); np.expand_dims(x, 0);
    np.expand_dims(a, (0, 2)); np.expand_dims(a, -1); np.atleast_1d(s); np.atleast_1d(x); np.atleast_2d(x);
    np.atleast_2d(s); np.atleast_3d(a); np.atleast_3d(x); np.atleast_2d(x, a); np.broadcast_to(w, (3, 4));
    np.broadcast_to(o, (2, 3, 4)); np.broadcast_to(s, (2, 2)); np.broadcast_arrays(o, w); a.reshape(3, 4, order='C');
    np.ravel(a, order='F'); a.flatten('F');
    a.reshape(np.array([2, 3]) * np.array([1, 2])); np.resize(x, np.array([2, 3]));
    np.tile(x, np.array([1, 2]) + 1); np.pad(a, np.array([[0, 1], [2, 0]])); np.repeat(v, np.array([0, 1, 2]) + 1);
    a.reshape(4, 3, order='F'); x[:1].reshape(());
    s * np.reshape(x[2], (1, 1)); x[2:3].squeeze(); np.ravel([s, t]); np.reshape([1, 2, 3, s], (2, 2))
    """
)
JOINS = rows(
    """
    np.concatenate((x, y)); np.concatenate([x, w, y * 2]); np.concatenate((a, d), axis=1);
    np.concatenate([a, d * d], axis=0); np.concatenate((a, o), axis=-1); np.concatenate((a, d), axis=None);
    np.concatenate((x, [1.0])); np.concatenate(([s], x, [t, 1])); np.stack((x, y)); np.stack([x, y * 2], axis=1);
    np.stack([a, d], axis=-1); np.stack([a, d], axis=1); np.hstack((x, w)); np.hstack([a, o]); np.hstack([s, x]);
    np.vstack((a, w)); np.vstack([x, y]); np.dstack((a, d)); np.dstack((x, y)); np.column_stack((x, y));
    np.column_stack((a, v)); np.append(x, s); np.append(x, w); np.append(a, d, axis=0); np.append(a, d);
    np.concatenate((i, x)); np.concatenate((f, a)); np.vstack((f, f)); np.block([[a, o], [d, o]]); np.stack([s, t]);
    np.insert(x, 1, s); np.delete(x, 1); np.concatenate((x[:0], y)); np.concat((x, y)); np.delete(a, [0, 2], axis=1);
    np.insert(x, [1, 3], [s, 2.0]); np.insert(x, [0], [s, t]); np.insert(x, [3, 1, 1], x[:3]); np.insert(x, [-1], s);
    np.insert(a, [1, 2], w, axis=0); np.insert(a, [1, 3], [[1], [2], [3]], axis=1); np.insert(a, [2, 5], x[:2]);
    np.insert(x, slice(1, 4), y[:3]); np.insert(x, np.array([True, False, True, False, False]), s);
    np.insert(a, 1, [[7.0], [8.0], [9.0]], axis=1); np.insert(a, 1, s, axis=1); np.insert(a, 0, d[:2], axis=0);
    np.insert(x, 0, 0.0); np.hstack([x[i_] for i_ in range(3)]); np.vstack([s, t])
    """
)
MOVES = rows(
    """
    np.apply_along_axis(lambda r: r * r.sum(), 1, a); np.apply_along_axis(np.sum, 0, p); v.repeat([1, 0, 2]);
    np.roll(a, np.array([1, 2]), axis=(0, 1)); np.roll(a, [1, 2, 4], 0); np.roll(x, np.array([1, 2]));
    np.repeat(v, [0, 0, 0]); np.ascontiguousarray(s); np.asfortranarray(x[0]); np.append(f, 10);
    np.resize(x[:0], (2, 1)); np.append(f + 1j, 10).imag; np.append(f, s); np.append(f, 1.5);
    np.apply_along_axis(lambda r: np.outer(r, r), 1, a); np.diff(a, axis=0, prepend=0.0, append=s);
    np.take_along_axis(a, np.argmax(a, axis=1)[:, None], axis=1); np.ediff1d(x, to_end=s, to_begin=[t, 0.0]);
    np.roll(a, 3).reshape(2, 6)[1]; a.reshape(2, 6).T.reshape(3, 4); (a * d).T.reshape(2, 6); a.ravel()[::-1][2:7];
    p.reshape(2, 12)[:, ::3]; p.swapaxes(0, 1).reshape(3, 8); p.reshape(-1, 2).sum(axis=0);
    np.flip(x); np.flip(a); np.flip(a, 0); np.flip(a, axis=(0, 1)); np.fliplr(a); np.flipud(a); np.rot90(a);
    np.rot90(a, 2); np.rot90(a, 3); np.rot90(a, -1); np.rot90(a, 0); np.roll(x, 1); np.roll(x, -2); np.roll(x, 7);
    np.roll(a, 1); np.roll(a, 1, axis=0); np.roll(a, -1, 1); np.roll(a, (1, -2), axis=(0, 1));
    np.roll(a * d, 1, axis=1); np.roll(a, 0, axis=0); np.tile(x, 2); np.tile(x, (2, 1)); np.tile(a, 2);
    np.tile(a, (2, 3)); np.tile(a, (2, 1, 1)); np.tile(s, 3); np.repeat(x, 2); np.repeat(a, 2);
    np.repeat(a, 3, axis=0); np.repeat(a, 2, axis=1); x.repeat(3); np.repeat(s, 3); np.repeat(v, [1, 2, 0]);
    a.repeat(2, axis=0); np.diff(x); np.diff(a); np.diff(a, axis=0); np.diff(x, n=2); np.diff(x, 2); np.diff(i);
    np.diff(x, prepend=0); np.diff(x, append=s); np.diff(m, axis=0); np.ediff1d(x); np.ediff1d(a); np.gradient(x);
    np.gradient(x, 0.5); np.gradient(x, s); np.gradient(a); np.gradient(a, axis=0); np.gradient(a, 0.5, 2.0);
    np.gradient(a, 2.0, axis=1); np.gradient(x, u.cumsum()); np.gradient(x, edge_order=2); np.gradient(f);
    np.gradient(i); np.pad(x, 1); np.pad(a, 1); np.pad(a, ((1, 2), (0, 1))); np.pad(x, (1, 2), 'edge');
    np.pad(a, 1, mode='edge'); np.pad(a, 1, mode='wrap'); np.pad(a, ((2, 1), (1, 2)), mode='reflect');
    np.pad(x, 2, mode='symmetric'); np.pad(x, 2, constant_values=3.5); np.pad(x, (1, 2), constant_values=(s, t));
    np.pad(a, {-1: (1, 2)}); np.pad(a, {0: 1, 1: (0, 2)}, mode='edge'); np.pad(x, {}); np.take(x, np.arange(3) - 1);
    np.pad(a, (1, 2), mode='constant'); np.pad(x, 4, mode='wrap'); np.split(x[:4], 2); np.split(a, 2, axis=1);
    np.split(x, [1, 3]); np.array_split(x, 3); np.hsplit(a, 2); np.vsplit(p, 2); np.dsplit(p, 2); np.split(x, 5)[2];
    np.take(x, 2); np.take(x, [0, 2, -1]); np.take(a, [0, 2], axis=1); np.take(a, 1, axis=0); a.take([1, 5]);
    np.take(x, i); x.take(i[2]); np.take(x, [[0, 1], [2, 3]]); np.take_along_axis(x, np.array([2, 0]), 0);
    np.compress([True, False, True], v); np.searchsorted(np.array([0.0, 1.0, 2.0]), x);
    np.digitize(x, np.array([-1.0, 0.0, 1.0])); np.unstack(a); np.choose([0, 1, 0], [v, v * 2]);
    np.resize(x, (2, 3)); np.flip(f, 1); np.roll(p, 1, axis=(0, 1)); np.searchsorted([0.0, 0.5], s);
    np.searchsorted(np.array([0.0, 1.0]), x, side='right'); np.searchsorted(np.linspace(-2.0, 2.0, 100), x);
    np.searchsorted(np.linspace(-2.0, 2.0, 128), a, 'right'); np.searchsorted(np.linspace(-2.0, 2.0, 65), s);
    np.searchsorted(np.array([0.0, 1.0, np.nan]), np.array([0.5, np.nan])); np.digitize(x, np.array([1.0, 0.0, -1.0]));
    np.searchsorted(np.array([0.0, 1.0, np.nan]), np.array([0.5, np.nan]), 'right'); np.digitize(x, np.array([0.5]));
    np.digitize(a, np.linspace(2.0, -2.0, 100)); np.digitize(x, np.array([1.0, 0.0, -1.0]), right=True);
    np.searchsorted(np.append(np.linspace(-2.0, 2.0, 99), np.nan), np.array([0.5, np.nan, 3.0]))
    """
)
VIEWS = rows(
    """
    a.T[0] = 2.0; a.T[:] *= 2; np.transpose(a)[1] += w[:3]; a.reshape(12)[3:7] = 1.0; a.reshape(4, 3)[1] = v;
    a.reshape(2, 6)[:, 1] = s; a.ravel()[::5] = s; np.squeeze(o)[1] = s; o[:, 0][1] = s;
    np.expand_dims(x, 0)[0, 2] = s; np.flip(x)[0] = s; np.fliplr(a)[:, 0] = v; np.swapaxes(p, 0, 2)[1] = 0.0;
    np.moveaxis(p, 0, -1)[1, 2] = s; np.rot90(a)[0] = v; a.flatten()[0] = s; x.copy()[0] = s; np.diagonal(c).sum();
    np.atleast_2d(x)[0, 1] = s; x[::2][1] = s; a[1:][:, ::2][0] = t; a.fill(s); a[1].fill(2); np.copyto(a, d);
    np.copyto(a[1], w); np.copyto(a, 0.5); np.fill_diagonal(c, s); np.add(a, d, out=a); np.sin(a, out=a);
    np.multiply(a[0], 2, a[1]); np.add.at(x, [0, 0, 2], s); np.add.at(x, i, y);
    np.subtract.at(x, np.array([1, 1]), y[:2]); np.maximum(a, 0, out=a); np.dot(a, b[:, :4], out=c[:3]);
    np.sum(a, axis=0, out=w); np.clip(a, -1, 1, out=a); np.matmul(c, c.T, out=c); np.copyto(a, d, where=m);
    np.add(a, d, out=a, where=m); np.put(x, [1, 3], s); np.putmask(a, m, d); np.cumsum(x, out=x);
    a.reshape(3, 2, 2)[:, 1, 0] = v; p.reshape(6, 4)[2] = w; np.array(x, copy=False)[0] = s; np.asarray(x)[0] = s;
    np.ravel(a)[2] = s; np.broadcast_to(w, (3, 4)).sum(); a.real[0] = w; np.exp(x, x); np.place(a, m, [1.0]);
    np.round(a, 1, out=a); np.mean(a, axis=0, out=w); np.add.at(x, -1, s); np.maximum.at(x, i, y);
    np.minimum.at(a, ([0, -1], [1, 1]), 0.1); np.add.at(i, [1, 1], -0.5); np.subtract.at(i, [0, 0], x[:2]);
    np.multiply.at(i, [2, 2], 1.5); np.add.at(m, ([0, 0], [1, 1]), 1);
    np.add.at(a, (slice(None), [1, 0, 1]), v[:, None]);
    np.add.at(p, (slice(1, None), [[0, 1, 1]], [[2, 0, 2], [1, 1, -1]]), s); np.add.at(p, (Ellipsis, 2), s);
    np.subtract.at(p, (1, slice(0, 2)), w); np.multiply.at(p, (slice(None), [0, 0], slice(1, 3)), 1.5)
    """
)


@pytest.mark.parametrize("expression", AXES)
def test_axes(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", RESHAPES)
def test_reshapes(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", JOINS)
def test_joins(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", MOVES)
def test_moves(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("statement", VIEWS)
def test_statements_write_through_views(statement: str) -> None:
    names = list("abcdimopstvwxy")
    source = f"def statement({', '.join(names)}):\n    {statement}\n    return a, c, i, m, o, p, w, x\n"
    file = f"<statement {statement}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"np": np}
    exec(compile(source, file, "exec"), scope)
    arguments = {name: np.copy(OPERANDS[name]) if np.ndim(OPERANDS[name]) else OPERANDS[name] for name in names}
    got = interpreted(scope["statement"], arguments)
    expected = scope["statement"](**{n: np.copy(v) if np.ndim(v) else v for n, v in arguments.items()})
    for left, right in zip(got, expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)
