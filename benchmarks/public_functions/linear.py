"""Linear algebra and statistics as public NumPy code does them: rewritten from what it does."""

import numpy as np


def pca(x, k=3):
    """Project centred rows on the first principal directions, by the covariance."""
    centred = x - np.mean(x, axis=0)
    values, vectors = np.linalg.eigh(np.cov(centred, rowvar=False))
    order = np.argsort(values)[::-1]
    return np.abs(centred @ vectors[:, order[:k]]), values[order]


def whiten(x):
    """Whiten rows by the inverse root of their covariance."""
    centred = x - x.mean(axis=0)
    covariance = centred.T.dot(centred) / (x.shape[0] - 1)
    left, values, _ = np.linalg.svd(covariance)
    return centred @ (left @ np.diag(1.0 / np.sqrt(values + 1e-5)) @ left.T)


def ridge(x, y, alpha=1.0):
    """Fit ridge regression by its normal equations."""
    gram = x.T @ x
    gram[np.diag_indices_from(gram)] += alpha
    return np.linalg.solve(gram, x.T @ y)


def gaussian_process(x, y, points):
    """Mean and variance of a Gaussian process with a squared exponential kernel."""

    def kernel(a, b):
        apart = np.sum(a**2, 1).reshape(-1, 1) + np.sum(b**2, 1) - 2 * np.dot(a, b.T)
        return np.exp(-0.5 * apart)

    lower = np.linalg.cholesky(kernel(x, x) + 1e-2 * np.eye(len(x)))
    solved = np.linalg.solve(lower, kernel(x, points))
    mean = np.dot(solved.T, np.linalg.solve(lower, y))
    return mean, np.diag(kernel(points, points)) - np.sum(solved**2, axis=0)


def gram_schmidt(a):
    """Orthonormal columns by the modified process."""
    q = a.copy()
    for i in range(q.shape[1]):
        q[:, i] /= np.linalg.norm(q[:, i])
        for j in range(i + 1, q.shape[1]):
            q[:, j] -= np.dot(q[:, i], q[:, j]) * q[:, i]
    return q


def power_iteration(a, steps=50):
    """Largest eigenvalue of a symmetric matrix."""
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    for _ in range(steps):
        w = a @ v
        v = w / np.linalg.norm(w)
    return float(v @ a @ v)


def pagerank(links, damping=0.85, steps=30):
    """Rank pages by repeated products with a column-stochastic matrix."""
    n = links.shape[0]
    out = links.sum(axis=0)
    matrix = np.where(out > 0, links / np.where(out == 0, 1, out), 1.0 / n)
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        rank = (1 - damping) / n + damping * matrix.dot(rank)
    return rank


def kalman(measured, q=1e-5, r=0.01):
    """Scalar Kalman filter of a constant."""
    estimate = np.zeros_like(measured)
    error = 1.0
    for k in range(1, len(measured)):
        error = error + q
        gain = error / (error + r)
        estimate[k] = estimate[k - 1] + gain * (measured[k] - estimate[k - 1])
        error = (1 - gain) * error
    return estimate


def kmeans(x, centres, steps=10):
    """Lloyd's iterations from given centres."""
    for _ in range(steps):
        apart = ((x[:, np.newaxis, :] - centres[np.newaxis, :, :]) ** 2).sum(axis=2)
        labels = apart.argmin(axis=1)
        centres = np.array([x[labels == k].mean(axis=0) for k in range(len(centres))])
    return centres, labels


def gaussian_mixture(x, means, steps=5):
    """Expectation and maximisation of a mixture with spherical parts."""
    k, d = means.shape
    variances, weights = np.ones(k), np.full(k, 1.0 / k)
    for _ in range(steps):
        apart = ((x[:, None, :] - means) ** 2).sum(-1)
        logs = np.log(weights) - 0.5 * d * np.log(2 * np.pi * variances) - apart / (2 * variances)
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - top)
        shares /= shares.sum(axis=1, keepdims=True)
        total = shares.sum(axis=0)
        means = shares.T @ x / total[:, None]
        apart = ((x[:, None, :] - means) ** 2).sum(-1)
        variances = (shares * apart).sum(0) / (d * total)
        weights = total / len(x)
    return means, variances, weights


def logistic_regression(x, y, rate=0.1, steps=50):
    """Gradient descent on the logistic loss."""
    weights = np.zeros(x.shape[1])
    losses = []
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-x @ weights))
        losses.append(-np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
        weights -= rate * x.T @ (p - y) / len(y)
    return weights, np.array(losses)


def mahalanobis(x):
    """Distance of each row from the mean, by the covariance."""
    apart = x - np.average(x, axis=0)
    inverse = np.linalg.inv(np.cov(x.T))
    return np.sqrt(np.einsum("ij,jk,ik->i", apart, inverse, apart))


def spearman(x, y):
    """Rank correlation."""

    def ranks(v):
        order = v.argsort()
        places = np.empty_like(order)
        places[order] = np.arange(len(v))
        return places

    return np.corrcoef(ranks(x), ranks(y))[0, 1]
