"""Simulations and networks as public NumPy code runs them: rewritten from what it does."""

import math

import numpy as np


def game_of_life(z, steps=20):
    """Conway's cells, counted by shifted slices."""
    for _ in range(steps):
        n = (
            z[:-2, :-2]
            + z[:-2, 1:-1]
            + z[:-2, 2:]
            + z[1:-1, :-2]
            + z[1:-1, 2:]
            + z[2:, :-2]
            + z[2:, 1:-1]
            + z[2:, 2:]
        )
        birth = (n == 3) & (z[1:-1, 1:-1] == 0)
        survive = ((n == 2) | (n == 3)) & (z[1:-1, 1:-1] == 1)
        z[...] = 0
        z[1:-1, 1:-1][birth | survive] = 1
    return z


def gray_scott(u, v, steps=20, f=0.035, k=0.065):
    """Reaction and diffusion of two substances."""
    for _ in range(steps):

        def spread(a):
            return (
                np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a
            )

        reaction = u * v * v
        u = u + 0.16 * spread(u) - reaction + f * (1 - u)
        v = v + 0.08 * spread(v) + reaction - (f + k) * v
    return u, v


def mandelbrot(xs, ys, limit=50):
    """Steps until escape."""
    c = xs + ys[:, None] * 1j
    counts = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, np.complex128)
    for n in range(limit):
        inside = np.less(np.abs(z), 2.0)
        counts[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    counts[counts == limit - 1] = 0
    return counts


def nbody(mass, pos, vel, steps=10, dt=0.01):
    """Gravitating points by leapfrog, forces through broadcasting."""

    def pull(at):
        apart = at[None, :, :] - at[:, None, :]
        inverse = (np.sum(apart**2, axis=2) + 0.01) ** -1.5
        return np.matmul((apart * inverse[:, :, None]).transpose(0, 2, 1), mass).reshape(at.shape)

    acceleration = pull(pos)
    for _ in range(steps):
        vel += acceleration * dt / 2.0
        pos += vel * dt
        acceleration = pull(pos)
        vel += acceleration * dt / 2.0
    return pos, 0.5 * np.sum(mass * np.sum(vel**2, axis=1, keepdims=True))


def jacobi(a, b, steps=30):
    """Five-point relaxation back and forth between two grids."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
    return a


def cavity_pressure(p, dx, dy, b, steps=20):
    """Poisson equation of a lid-driven cavity."""
    for _ in range(steps):
        old = p.copy()
        p[1:-1, 1:-1] = (
            (old[1:-1, 2:] + old[1:-1, :-2]) * dy**2 + (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


def floyd_warshall(paths):
    """Shortest ways between all pairs."""
    for k in range(paths.shape[0]):
        paths[:] = np.minimum(paths[:], np.add.outer(paths[:, k], paths[k, :]))
    return paths


def black_scholes(price, strike, years, rate=0.02, volatility=0.3):
    """Prices of European calls and puts, by an approximate distribution function."""

    def below(x):
        k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
        poly = k * (
            0.31938153
            + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
        )
        tail = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * poly
        return np.where(x >= 0, 1.0 - tail, tail)

    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility**2) * years) / root
    d2 = d1 - root
    paid = strike * np.exp(-rate * years)
    call = price * below(d1) - paid * below(d2)
    return call, call - price + paid


def asian_option(paths=1000, steps=50, seed=7):
    """Price of an option on a mean, by drawn paths."""
    rng = np.random.default_rng(seed)
    moves = rng.standard_normal((paths, steps))
    logs = np.cumsum((0.02 - 0.045) / steps + 0.3 * math.sqrt(1 / steps) * moves, axis=1)
    mean = (100 * np.exp(logs)).mean(axis=1)
    return math.exp(-0.02) * np.maximum(mean - 100, 0).mean()


def haversine(lat1, lon1, lat2, lon2):
    """Distances on the globe, kilometres."""
    lat1, lon1, lat2, lon2 = map(np.radians, [lat1, lon1, lat2, lon2])
    h = (
        np.sin((lat2 - lat1) / 2) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    )
    return 6371 * 2 * np.arcsin(np.sqrt(h))


def azimuthal_integration(data, radius, bins=50):
    """Mean of the values in rings."""
    largest = radius.max()
    found = np.zeros(bins, dtype=np.float64)
    for i in range(bins):
        inner, outer = largest * i / bins, largest * (i + 1) / bins
        ring = np.logical_and((inner <= radius), (radius < outer))
        found[i] = data[ring].mean()
    return found


def attention(q, k, v):
    """Scaled dot products of several heads, with a causal mask."""
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    mask = np.triu(np.full(scores.shape[-2:], -1e9), k=1)
    scores = scores + mask
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def layer_norm(x, gain, bias, eps=1e-5):
    """Normalise the last axis."""
    return gain * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + bias


def lstm(x, w, u, b):
    """Hidden states of one recurrent layer over time."""
    hidden = np.zeros((x.shape[1], u.shape[0]))
    cell = np.zeros_like(hidden)
    states = []
    for t in range(x.shape[0]):
        gates = x[t] @ w + hidden @ u + b
        i, f, o, g = np.split(gates, 4, axis=1)
        i, f, o = (1 / (1 + np.exp(-v)) for v in (i, f, o))
        cell = f * cell + i * np.tanh(g)
        hidden = o * np.tanh(cell)
        states.append(hidden)
    return np.stack(states)


def softmax_regression(x, labels, classes=10, rate=0.5, steps=20):
    """Multinomial gradient descent on one-hot labels."""
    w = np.zeros((x.shape[1], classes))
    hot = np.eye(classes)[labels]
    for _ in range(steps):
        scores = x @ w
        scores -= np.max(scores, axis=1, keepdims=True)
        p = np.exp(scores)
        p /= p.sum(axis=1, keepdims=True)
        w -= rate * x.T @ (p - hot) / x.shape[0]
    return w, (np.argmax(x @ w, axis=1) == labels).mean()


def forward_algorithm(start, move, emit, seen):
    """Log-likelihood of a hidden Markov model, with scaling."""
    alpha = start * emit[:, seen[0]]
    scales = [alpha.sum()]
    alpha = alpha / scales[0]
    for symbol in seen[1:]:
        alpha = (alpha @ move) * emit[:, symbol]
        scales.append(alpha.sum())
        alpha = alpha / scales[-1]
    return np.log(np.array(scales)).sum()
