"""Random numbers drawn on the host and sent to the device, so that every library sees the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.errors import HostArrayError

Upload = Callable[[Any], Any]
# Of the legacy module, what is drawn from its one stream.
LEGACY = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel"
    " hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal"
    " negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power"
    " rand randint randn random random_integers random_sample ranf rayleigh sample seed shuffle"
    " standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular"
    " uniform vonmises wald weibull zipf get_state set_state"
).split()
_REORDERS = frozenset({"shuffle", "permutation", "permuted", "choice"})


class HostStream:
    """A generator of NumPy whose arrays go to the device.

    Parameters
    ----------
    stream : numpy.random.Generator or numpy.random.RandomState
        What draws, on the host.
    upload : callable
        Sends a host array to the device, as the function sees it.
    is_device : callable
        Whether an argument is an array of the device.
    """

    def __init__(
        self,
        stream: Any,
        upload: Upload,
        is_device: Callable[[object], bool],
    ) -> None:
        self._stream, self._upload, self._is_device = stream, upload, is_device

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._stream, name)
        if name == "spawn":
            return lambda count: [
                HostStream(child, self._upload, self._is_device) for child in found(count)
            ]
        if not callable(found) or name in {"bit_generator", "get_state", "seed", "set_state"}:
            return found

        def draw(*args: Any, **kwargs: Any) -> Any:
            if name in _REORDERS and args and self._is_device(args[0]):
                return self._reorder(name, *args, **kwargs)
            for place, value in (*enumerate(args), *kwargs.items()):
                if self._is_device(value):
                    raise HostArrayError(
                        f"{name} draws on the host, and its argument {place!r} is on the device",
                        f"numpy.random.{name}", str(place),
                    )  # fmt: skip
            drawn = found(*args, **kwargs)
            return self._upload(drawn) if isinstance(drawn, np.ndarray) else drawn

        draw.__name__ = name
        # What is looked up once is found the next time.
        self.__dict__[name] = draw
        return draw

    def _reorder(self, name: str, array: Any, *args: Any, **kwargs: Any) -> Any:
        """Draw the order on the host, and let the device follow it."""
        if name == "choice":
            axis = kwargs.pop("axis", 0)
            chosen = self._stream.choice(array.shape[axis], *args, **kwargs)
            return array[self._index(array, chosen, axis)]
        axis = kwargs.get("axis", args[0] if args else 0) or 0
        if name == "permuted":
            raise HostArrayError(
                "permuted shuffles on the host an array of the device", "numpy.random.permuted", "x"
            )
        order = self._stream.permutation(array.shape[axis])
        moved = array[self._index(array, order, axis)]
        if name == "permutation":
            return moved
        array[...] = moved
        return None

    def _index(self, array: Any, places: Any, axis: int) -> Any:
        index: list[Any] = [slice(None)] * array.ndim
        index[axis] = self._upload(places) if isinstance(places, np.ndarray) else int(places)
        return tuple(index)


class HostRandom:
    """``numpy.random`` with its streams on the host.

    A stream that the function seeds draws what it draws with NumPy; one that it does not seed is
    seeded here, the same for every library.
    """

    def __init__(self, upload: Upload, is_device: Callable[[object], bool]) -> None:
        self._upload, self._is_device = upload, is_device
        self._seed = 0
        self._legacy = np.random.RandomState(0)

    def reseed(self, seed: int) -> None:
        """Start all streams that the function leaves unseeded from `seed`."""
        self._seed = seed
        self._legacy.seed(seed % 2**32)

    def default_rng(self, seed: Any = None) -> Any:
        """Return a generator on the host whose arrays go to the device."""
        if isinstance(seed, HostStream):
            return seed
        if seed is None:
            seed = self._seed
            self._seed += 1
        return HostStream(np.random.default_rng(seed), self._upload, self._is_device)

    def names(self) -> dict[str, Any]:
        """Return ``numpy.random`` by name."""
        legacy = HostStream(self._legacy, self._upload, self._is_device)
        offered: dict[str, Any] = {}
        for name in LEGACY:
            source = {"random": "random_sample", "ranf": "random_sample", "sample": "random_sample"}
            if hasattr(self._legacy, source.get(name, name)):
                offered[name] = getattr(legacy, source.get(name, name))
        offered["default_rng"] = self.default_rng
        offered["RandomState"] = lambda seed=None: HostStream(
            np.random.RandomState(self._seed if seed is None else seed),
            self._upload,
            self._is_device,
        )
        offered["Generator"] = _generator(self._upload, self._is_device)
        for name in ("PCG64", "MT19937", "Philox", "SFC64", "SeedSequence", "PCG64DXSM"):
            offered[name] = getattr(np.random, name)
        return offered


def _generator(upload: Upload, is_device: Callable[[object], bool]) -> type:
    class Generator(HostStream):
        """A generator made of a bit generator."""

        def __init__(self, bits: Any) -> None:
            super().__init__(np.random.Generator(bits), upload, is_device)

    return Generator
