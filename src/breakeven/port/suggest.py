"""Edits that would mend a failed port, by what was called and how it failed."""

from __future__ import annotations

from breakeven.model.finding import Location
from breakeven.model.ported import Category

_BY_NAME = {
    "numpy.vectorize": "write the body with array functions: numpy.where for each `if`",
    "numpy.frompyfunc": "write the body with array functions: numpy.where for each `if`",
    "numpy.apply_along_axis": "give the inner function an axis, and call it once on all of it",
    "numpy.nanpercentile": "without NaN numpy.percentile serves; else sort, and index by the count"
    " of values that are not NaN",
    "numpy.nanquantile": "without NaN numpy.quantile serves; else sort, and index by the count of"
    " values that are not NaN",
    "numpy.nditer": "index whole arrays instead of visiting elements",
    "numpy.ndenumerate": "index whole arrays; numpy.indices gives the places",
    "numpy.fromiter": "make the array of a list, once, before the loop",
    "numpy.lexsort": "sort by one key after the other, the last first, with kind='stable'",
    "numpy.block": "join with numpy.concatenate along one axis after the other",
    "numpy.insert": "numpy.concatenate of the parts before and after",
    "numpy.geomspace": "numpy.exp(numpy.linspace(log(a), log(b), n))",
    "numpy.histogram_bin_edges": "numpy.linspace(x.min(), x.max(), bins + 1)",
    "numpy.polydiv": "do this on the host: a polynomial is small",
    "numpy.polyder": "do this on the host: a polynomial is small",
    "numpy.polyint": "do this on the host: a polynomial is small",
    "numpy.matrix": "use an array of two dimensions and `@`",
    "numpy.asmatrix": "use an array of two dimensions and `@`",
    "numpy.linalg.multi_dot": "write the products with `@`, the smallest first",
    "numpy.random.permuted": "sort random keys: numpy.take_along_axis(x, keys.argsort(axis), axis)",
    "numpy.add.at": "numpy.bincount(index, weights=values, minlength=n)",
    "numpy.unwrap": "write it with numpy.diff, numpy.mod and numpy.cumsum",
}
_BY_CATEGORY: dict[Category, str] = {
    "host-array-mixed-in": "make the array within the function, from its arguments, with NumPy's"
    " own functions; a value made by another library must be passed in as an argument",
    "object-or-structured-dtype": "keep numbers in arrays of numbers: one array for each field",
    "third-party-native-code": "call it outside of the function, and pass its result in",
    "unsupported-dtype": "convert with .astype to a type that the library has, such as int64 or"
    " float32",
    "out-of-memory": "take a smaller size, or work through the data in blocks",
    "in-place-on-immutable": "write into an array that is no broadcast and no reversed view",
}


def suggestion(category: Category, name: str | None, location: Location | None) -> str | None:
    """Return what to edit, one sentence; None where nothing is known to help."""
    del location
    if name is not None and name in _BY_NAME and category != "out-of-memory":
        return _BY_NAME[name]
    if category == "missing-function" and name is not None:
        if name.startswith("scipy."):
            return f"write what {name} does with NumPy's functions, or call it outside"
        return f"write {name} with functions that the library has, or call it outside"
    if category == "missing-method-or-argument" and name is not None:
        return f"call {name} without what was refused, or write it with other functions"
    return _BY_CATEGORY.get(category)
