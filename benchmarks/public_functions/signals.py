"""Signals and images as public NumPy code treats them: rewritten from what it does."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def spectrogram(signal, length=256, step=128):
    """Power of windowed pieces by frequency."""
    count = 1 + (len(signal) - length) // step
    places = np.arange(length)[None, :] + step * np.arange(count)[:, None]
    pieces = signal[places] * np.hanning(length)
    return np.abs(np.fft.rfft(pieces, axis=1)) ** 2


def fft_convolve(a, b):
    """Full convolution through the frequency domain."""
    n = len(a) + len(b) - 1
    size = 1 << (n - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:n]


def moving_average(x, width=25):
    """Running mean through cumulative sums."""
    total = np.cumsum(np.insert(x, 0, 0))
    return (total[width:] - total[:-width]) / width


def savitzky_golay(y, window=11, order=3):
    """Smooth by a local polynomial."""
    half = window // 2
    b = np.asmatrix([[k**i for i in range(order + 1)] for k in range(-half, half + 1)])
    m = np.linalg.pinv(b).A[0]
    first = y[0] - np.abs(y[1 : half + 1][::-1] - y[0])
    last = y[-1] + np.abs(y[-half - 1 : -1][::-1] - y[-1])
    return np.convolve(m[::-1], np.concatenate((first, y, last)), mode="valid")


def sobel(image):
    """Strength of edges."""
    p = np.pad(image, 1, mode="edge")
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return np.hypot(gx, gy)


def equalise(image, bins=256):
    """Spread the values of a picture evenly."""
    counts, edges = np.histogram(image.flatten(), bins, density=True)
    total = counts.cumsum()
    total = 255 * total / total[-1]
    return np.interp(image.flatten(), edges[:-1], total).reshape(image.shape)


def otsu(image, bins=256):
    """Threshold that parts a histogram best."""
    counts, edges = np.histogram(image, bins=bins)
    centres = (edges[:-1] + edges[1:]) / 2
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    mean1 = np.cumsum(counts * centres) / np.maximum(below, 1)
    mean2 = (np.cumsum((counts * centres)[::-1]) / np.maximum(above[::-1], 1))[::-1]
    between = below[:-1] * above[1:] * (mean1[:-1] - mean2[1:]) ** 2
    return centres[np.argmax(between)]


def bilinear(image, scale=2):
    """Enlarge a picture."""
    h, w = image.shape
    ys, xs = np.linspace(0, h - 1, h * scale), np.linspace(0, w - 1, w * scale)
    y0, x0 = np.floor(ys).astype(int), np.floor(xs).astype(int)
    y1, x1 = np.minimum(y0 + 1, h - 1), np.minimum(x0 + 1, w - 1)
    fy, fx = (ys - y0)[:, None], (xs - x0)[None, :]
    top = image[np.ix_(y0, x0)] * (1 - fx) + image[np.ix_(y0, x1)] * fx
    bottom = image[np.ix_(y1, x0)] * (1 - fx) + image[np.ix_(y1, x1)] * fx
    return top * (1 - fy) + bottom * fy


def median_filter(image, size=3):
    """Median of each neighbourhood."""
    padded = np.pad(image, size // 2, mode="reflect")
    return np.median(sliding_window_view(padded, (size, size)), axis=(2, 3))


def conv2d(image, kernels):
    """Valid correlation of a batch with several kernels, by windows."""
    windows = sliding_window_view(image, kernels.shape[-2:], axis=(1, 2))
    return np.einsum("bijkl,okl->boij", windows, kernels)


def dct(x):
    """Type-II cosine transform through a doubled Fourier transform."""
    n = x.shape[-1]
    doubled = np.concatenate([x, x[..., ::-1]], axis=-1)
    spectrum = np.fft.fft(doubled)[..., :n]
    return (spectrum * np.exp(-1j * np.pi * np.arange(n) / (2 * n))).real


def autocorrelation(x):
    """Normalised, by Wiener and Khinchin."""
    centred = x - x.mean()
    spectrum = np.fft.fft(centred, 2 * len(x))
    found = np.fft.ifft(spectrum * np.conj(spectrum)).real[: len(x)]
    return found / found[0]
