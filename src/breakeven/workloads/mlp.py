"""Training of a small network written from scratch: one hidden layer, full-batch descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.run import Agreement, Work
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import ITEM_BYTES, Answer, Need

if TYPE_CHECKING:
    from breakeven.workloads.base import Array

SAMPLES, FEATURES, TRAIN_SHARE = 10_000, 20, 0.8
ROWS = int(SAMPLES * TRAIN_SHARE)
EPOCHS, LOSS_EVERY, RATE = 10, 2, 0.01
LOSS_TOLERANCE = {"float32": 1e-4, "float64": 1e-10}
LEAST_P, BYTES_OF_16_BITS = 1e-7, 2


class Mlp:
    """Binary classifier of 20 inputs: a hidden ReLU layer, a sigmoid output, cross-entropy.

    One call trains for 10 epochs on 8,000 rows of scikit-learn's ``make_classification(10000, 20)``
    and reads the loss to the host every second epoch, as code that prints it does. The axis is
    the width of the hidden layer. Weights start from the seed, the same on every backend.
    """

    name = "mlp"
    axis = "hidden"
    sizes: tuple[int, ...] = (64, 128, 256)

    def work(self, size: int, dtype: DType) -> Work:
        """Count the operations and bytes of 10 epochs, with m rows, d inputs, h hidden units.

        An epoch: X W1 and X^T dz1 take 2 m d h each, a1 W2, a1^T dz2 and dz2 W2^T 2 m h each; bias,
        ReLU, its mask (compare, multiply) and the bias gradient 5 m h; the output layer 7 m; the
        update 2 (d h + 2 h + 1). A loss takes 6 m. Bytes: each array operation reads its inputs
        once and writes its result once.
        """
        m, d, h = ROWS, FEATURES, size
        epoch = 4 * m * d * h + 6 * m * h + 5 * m * h + 7 * m + 2 * (d * h + 2 * h + 1)
        losses = (EPOCHS + LOSS_EVERY - 1) // LOSS_EVERY
        elements = 2 * (m * d + d * h + m * h) + 3 * (m * h + h + m) + 11 * m * h + 12 * m
        elements += 3 * (d * h + 2 * h + 1)
        return Work(
            flops=float(EPOCHS * epoch + losses * 6 * m),
            bytes=float((EPOCHS * elements + losses * 8 * m) * ITEM_BYTES[dtype]),
        )

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the data and of six arrays of m x h that an epoch holds at once."""
        held = (ROWS * (FEATURES + 8) + 6 * ROWS * size) * ITEM_BYTES[dtype]
        return Need(host=held, device=held)

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return data (8000, 20), labels (8000, 1) and weights, with losses trained in float64.

        The reference holds ``losses`` (5,), the final ``weights`` flattened, and ``spread``: how
        far those weights move when the float64 inputs move by one unit in the last place.
        """
        import numpy as np  # noqa: PLC0415  only the process that makes inputs needs it
        from sklearn.datasets import make_classification  # noqa: PLC0415  slow to import
        from sklearn.model_selection import train_test_split  # noqa: PLC0415  slow to import

        from breakeven.stats.agreement import relative_error  # noqa: PLC0415  it needs NumPy

        x, y = make_classification(SAMPLES, FEATURES, random_state=seed)
        x, _, y, _ = train_test_split(x, y, train_size=TRAIN_SHARE, random_state=seed)
        rng = np.random.default_rng((seed, size))
        kind = np.dtype(dtype)
        inputs = {
            "x": x.astype(kind),
            "y": y.reshape(-1, 1).astype(kind),
            "w1": (rng.standard_normal((FEATURES, size)) * np.sqrt(2 / FEATURES)).astype(kind),
            "b1": np.zeros((1, size), kind),
            "w2": (rng.standard_normal((size, 1)) * np.sqrt(1 / size)).astype(kind),
            "b2": np.zeros((1, 1), kind),
        }
        exact = tuple(v.astype(np.float64) for v in inputs.values())
        answer = self.run(np, exact)
        weights = _flat(answer.arrays)
        moved = self.run(np, (np.nextafter(exact[0], np.inf), *exact[1:]))
        return inputs, {
            "losses": np.array(answer.losses),
            "weights": weights,
            "spread": np.array([relative_error(_flat(moved.arrays), weights)]),
        }

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Train for 10 epochs; return the weights, with the losses read every second epoch."""
        x, y, w1, b1, w2, b2 = inputs
        rows = x.shape[0]
        losses, epochs = [], []
        # In 16 bits 1 - 1e-7 is 1, whose logarithm of 1 - p is infinite: one unit is kept there.
        coarse = x.dtype.itemsize == BYTES_OF_16_BITS
        least = float(xp.finfo(x.dtype).eps) if coarse else LEAST_P
        for epoch in range(EPOCHS):
            z1 = xp.matmul(x, w1) + b1
            a1 = xp.clip(z1, 0, None)
            a2 = 1 / (1 + xp.exp(-(xp.matmul(a1, w2) + b2)))
            if epoch % LOSS_EVERY == 0:
                epochs.append(epoch)
                p = xp.clip(a2, least, 1 - least)
                losses.append(float(-xp.mean(y * xp.log(p) + (1 - y) * xp.log(1 - p))))
            dz2 = (a2 - y) / rows
            dz1 = xp.matmul(dz2, w2.T) * (z1 > 0)
            w2 = w2 - RATE * xp.matmul(a1.T, dz2)
            b2 = b2 - RATE * xp.sum(dz2, axis=0, keepdims=True)
            w1 = w1 - RATE * xp.matmul(x.T, dz1)
            b1 = b1 - RATE * xp.sum(dz1, axis=0, keepdims=True)
        return Answer(arrays=(w1, b1, w2, b2), losses=tuple(losses), loss_epochs=tuple(epochs))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Pass when losses and final weights agree with float64 training to 1e-4 relative.

        In float64 the bound is 1e-10, or ten times what a change of the inputs by one unit in the
        last place does, whichever is larger. In TF32 and in 16 bits it is ten unit roundoffs, one
        an epoch: each epoch rounds the weights once more, or what they are multiplied by, and at
        worst these errors add up.
        """
        import numpy as np  # noqa: PLC0415  only a worker needs it

        from breakeven.stats.agreement import (  # noqa: PLC0415  it needs NumPy
            UNIT_ROUNDOFF,
            classify,
            relative_error,
            same_nonfinite,
        )

        got, weights = np.array(losses), _flat(arrays).astype(np.float64)
        want = reference["losses"]
        bound = LOSS_TOLERANCE.get(precision, EPOCHS * UNIT_ROUNDOFF[precision])
        if precision == "float64":
            bound = max(bound, 10 * float(reference["spread"][0]))
        drift = relative_error(weights, reference["weights"])
        error = max(float(np.max(np.abs(got - want) / np.abs(want))), drift)
        finite = same_nonfinite(got, want) and same_nonfinite(weights, reference["weights"])
        return Agreement(
            error=error,
            bound=bound,
            class_=classify(error),
            passed=finite and error <= bound,
            rule=f"losses of {EPOCHS} epochs with the final weights, relative to float64 training"
            + ("" if precision in LOSS_TOLERANCE else f", within {EPOCHS} u of {precision}"),
        )


def _flat(arrays: tuple[Array, ...]) -> Array:
    import numpy as np  # noqa: PLC0415  only a worker needs it

    return np.concatenate([a.ravel() for a in arrays])
