"""Learning: layers, cells, attention, losses, normalisation, training steps."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, single, uniform


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def multilayer_perceptron(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    x = softmax(x @ w3 + b3)
    return np.sum(x[:, 0] ** 2) - np.sum(np.log(x[:, 1]))


def cross_entropy_of_labels(logits, labels):
    """One term per row, picked by an integer label."""
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    loss = 0.0
    for i in range(len(labels)):
        loss -= log_p[i, labels[i]]
    return loss / len(labels)


def cross_entropy_by_indexing(logits, labels):
    p = softmax(logits)
    return -np.mean(np.log(p[np.arange(len(labels)), labels]))


def recurrent_network(x, h0, Wx, Wh, b):
    """A tanh cell over a sequence, last state squared."""
    h = h0
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ Wx + h @ Wh + b)
    return np.sum(h**2)


def lstm_cell(x, h, c, W, b):
    """All gates from one product, slices of it."""
    n = h.shape[0]
    for t in range(len(x)):
        gates = W @ np.concatenate((x[t], h)) + b
        i = sigmoid(gates[:n])
        f = sigmoid(gates[n : 2 * n])
        o = sigmoid(gates[2 * n : 3 * n])
        g = np.tanh(gates[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h) + np.sum(c**2)


def gated_recurrent_unit(x, h, Wz, Wr, Wn):
    """Three weights, batched states stored in a history."""
    states = np.zeros((len(x) + 1, *h.shape))
    states[0] = h
    for t in range(len(x)):
        joined = np.hstack((x[t], states[t]))
        z = sigmoid(joined @ Wz)
        r = sigmoid(joined @ Wr)
        candidate = np.tanh(np.hstack((x[t], r * states[t])) @ Wn)
        states[t + 1] = (1 - z) * states[t] + z * candidate
    return np.mean(states**2)


def self_attention(x, Wq, Wk, Wv):
    """One causal head."""
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / np.sqrt(q.shape[-1])
    n = len(x)
    mask = np.triu(np.ones((n, n)), k=1)
    attention = softmax(scores - 1e3 * mask)
    return np.sum((attention @ v) ** 2)


def multi_head_attention(x, W, heads):
    """Heads by reshape and transpose."""
    n, d = x.shape
    qkv = (x @ W).reshape(n, 3, heads, d // heads).transpose(1, 2, 0, 3)
    q, k, v = qkv[0], qkv[1], qkv[2]
    scores = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(d // heads))
    out = (scores @ v).transpose(1, 0, 2).reshape(n, d)
    return np.sum(out * x)


def layer_normalisation(x, gain, shift, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return np.sum(((x - mean) / np.sqrt(var + eps) * gain + shift) ** 3)


def batch_normalisation(x, gain, shift):
    mean = np.mean(x, axis=(0, 1), keepdims=True)
    std = np.std(x, axis=(0, 1), keepdims=True)
    y = gain * (x - mean) / np.sqrt(std + 1e-5) + shift
    return np.sum(np.tanh(y) * x)


def gelu_network(x, weights):
    """Layers from an array of matrices, GELU by tanh."""
    for w in weights:
        z = x @ w
        x = x + 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    return np.sum(x**2)


def autoencoder(x, encoder, decoder):
    code = np.tanh(x @ encoder)
    sparse = np.sum(np.abs(code))
    return np.mean((code @ decoder - x) ** 2) + 0.1 * sparse


def convolutional_network(images, kernels, weights):
    """Valid convolution by shifted slices, ReLU, pooling, a dense layer."""
    n, h, w = images.shape
    maps = []
    for kernel in kernels:
        out = np.zeros((n, h - 1, w - 1))
        for i in range(2):
            for j in range(2):
                out += kernel[i, j] * images[:, i : h - 1 + i, j : w - 1 + j]
        maps.append(relu(out).mean(axis=(1, 2)))
    features = np.stack(maps, axis=1)
    return np.sum((features @ weights) ** 2)


def word_embeddings(table, context, words, targets):
    """Skip-gram with gathers of rows."""
    loss = 0.0
    for word, target in zip(words, targets):
        scores = context @ table[word]
        loss += np.log(np.sum(np.exp(scores))) - scores[target]
    return loss


def graph_convolution(features, weights, sources, destinations):
    """Messages along edges, summed by index, then a dense layer."""
    n = features.shape[0]
    gathered = np.zeros_like(features)
    degree = np.ones(n)
    for e in range(len(sources)):
        gathered[destinations[e]] += features[sources[e]]
        degree[destinations[e]] += 1
    h = np.tanh((gathered / degree[:, None] + features) @ weights)
    return np.sum(h**2)


def momentum_training(w, X, y, rate, steps):
    """Gradient steps by hand with momentum and decay, then the validation loss."""
    velocity = np.zeros_like(w)
    for step in range(steps):
        error = np.tanh(X @ w) - y
        grad = X.T @ (error * (1 - np.tanh(X @ w) ** 2)) / len(y)
        velocity = 0.9 * velocity - rate / (1 + step) * grad
        w = w + velocity
    return np.mean((np.tanh(X @ w) - y) ** 2)


def parameters_in_a_dictionary(w1, b1, w2, x):
    params = {"hidden": (w1, b1), "output": (w2, None)}

    def dense(name, value):
        w, b = params[name]
        y = value @ w
        return y if b is None else y + b

    hidden = np.tanh(dense("hidden", x))
    return np.sum(dense("output", hidden) ** 2)


def variational_objective(mean, log_std, noise, data):
    """Reparameterised samples and the divergence to a standard normal."""
    total = 0.0
    for eps in noise:
        z = mean + np.exp(log_std) * eps
        total += np.mean((data - z) ** 2)
    divergence = 0.5 * np.sum(np.exp(2 * log_std) + mean**2 - 1 - 2 * log_std)
    return total / len(noise) + divergence


def boosted_stumps(x, thresholds, values):
    """Soft decision stumps, vector by vector."""
    score = np.zeros(len(x))
    for t, (low, high) in zip(thresholds, values):
        gate = sigmoid(4 * (x - t))
        score += low * (1 - gate) + high * gate
    return np.mean((score - x**2) ** 2)


def perceptron_arguments():
    sizes = ((5, 4), (4,), (4, 4), (4,), (4, 3), (3,))
    return (normal(1, 3, 5), *(normal(10 + k, *size) for k, size in enumerate(sizes)))


LABELS = np.array([2, 0, 1, 2])

CASES = (
    row(multilayer_perceptron, perceptron_arguments, "x, w1, b1, w2, b2, w3, b3"),
    row(multilayer_perceptron, lambda: single(*perceptron_arguments()), "w1, b3", tag="float32"),
    *(
        row(f, lambda: (normal(1, 4, 3), LABELS.copy()), "logits")
        for f in (cross_entropy_of_labels, cross_entropy_by_indexing)
    ),
    row(
        recurrent_network,
        lambda: (normal(1, 5, 2), normal(2, 3), normal(3, 2, 3), normal(4, 3, 3), normal(5, 3)),
        "x, h0, Wx, Wh, b",
    ),
    row(
        lstm_cell,
        lambda: (normal(1, 4, 2), normal(2, 3), normal(3, 3), normal(4, 12, 5), normal(5, 12)),
        "x, h, c, W, b",
    ),
    row(
        gated_recurrent_unit,
        lambda: (normal(1, 3, 2, 2), normal(2, 2, 3), normal(3, 5, 3), normal(4, 5, 3), normal(5, 5, 3)),
        "x, h, Wz, Wr, Wn",
    ),
    row(self_attention, lambda: (normal(1, 4, 3), normal(2, 3, 2), normal(3, 3, 2), normal(4, 3, 3)), "x, Wq, Wk, Wv"),
    row(multi_head_attention, lambda: (normal(1, 3, 4), normal(2, 4, 12), 2), "x, W"),
    row(layer_normalisation, lambda: (normal(1, 3, 5), normal(2, 5), normal(3, 5)), "x, gain, shift"),
    row(batch_normalisation, lambda: (normal(1, 3, 2, 2), normal(2, 2), normal(3, 2)), "x, gain, shift"),
    row(gelu_network, lambda: (normal(1, 2, 3), normal(2, 3, 3, 3)), "x, weights"),
    row(autoencoder, lambda: (normal(1, 4, 3), normal(2, 3, 2), normal(3, 2, 3)), "x, encoder, decoder"),
    row(
        convolutional_network,
        lambda: (normal(1, 2, 4, 4), normal(2, 3, 2, 2), normal(3, 3, 2)),
        "images, kernels, weights",
    ),
    row(
        word_embeddings,
        lambda: (normal(1, 4, 3), normal(2, 4, 3), LABELS.copy(), np.array([1, 3, 0, 2])),
        "table, context",
    ),
    row(
        graph_convolution,
        lambda: (normal(1, 4, 3), normal(2, 3, 2), np.array([0, 1, 2, 0, 3]), np.array([1, 2, 0, 2, 1])),
        "features, weights",
    ),
    row(momentum_training, lambda: (normal(1, 3), normal(2, 5, 3), normal(3, 5), 0.3, 4), "w, X, y, rate"),
    row(
        parameters_in_a_dictionary,
        lambda: (normal(1, 3, 4), normal(2, 4), normal(3, 4, 2), normal(4, 2, 3)),
        "w1, b1, w2, x",
    ),
    row(
        variational_objective,
        lambda: (normal(1, 3), 0.3 * normal(2, 3), normal(3, 4, 3), normal(4, 3)),
        "mean, log_std, data",
    ),
    row(boosted_stumps, lambda: (normal(1, 5), uniform(2, 3), normal(3, 3, 2)), "x, thresholds, values"),
)
