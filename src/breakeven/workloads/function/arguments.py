"""The arguments of the user's function at one size: made anew from the seed, always the same."""

from __future__ import annotations

import functools
import inspect
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from breakeven.errors import InputError
from breakeven.workloads.function.frames import told
from breakeven.workloads.function.target import Target, maker_in
from breakeven.workloads.function.tree import Leaf, Node, put_together, taken_apart

# Parameters of these names take the size itself, where nothing else is said.
SIZE_NAMES = ("n", "N", "size", "num", "count")
NAMESPACE = "xp"
_TRY = 'try --inputs "(rng.standard_normal((n, n)),)": a tuple in order, or a dict by name'


class Arguments(NamedTuple):
    """What one call is given, as arrays with what holds them.

    Attributes
    ----------
    leaves : list of Leaf
        Arrays, their paths beginning with the parameter's name.
    node : Node
        A pair: positional arguments, keyword arguments.
    """

    leaves: list[Leaf]
    node: Node

    def call_with(
        self, arrays: list[Any], class_of: Callable[[type], type] = lambda found: found
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return positional and keyword arguments with other arrays in place of these."""
        made: tuple[tuple[Any, ...], dict[str, Any]] = put_together(self.node, arrays, class_of)
        return made

    def digest(self) -> int:
        """Return a number that differs where any value does."""
        import numpy as np  # noqa: PLC0415  after the backend was opened

        found = 0
        for leaf in self.leaves:
            if leaf.value.dtype.hasobject:
                continue
            found = zlib.crc32(np.ascontiguousarray(leaf.value).view(np.uint8).data, found)
        return found


def source_of(inputs: str | None, module: Any, function: Callable[..., Any]) -> str:  # noqa: ANN401
    """Return in words where the arguments come from.

    Raises
    ------
    InputError
        If nothing tells what to call the function with.
    """
    if inputs is not None:
        return "--inputs"
    maker = maker_in(module)
    if maker is not None:
        return f"{maker.__name__}() of the file"
    needed, sized = _needed(function)
    if not needed and sized is None:
        return "the function's own defaults"
    if needed in ([], [sized]):
        return f"the size as {sized}"
    names = ", ".join(needed)
    raise InputError(f"nothing says what {function.__name__}({names}) is called with", _TRY)


def takes_size(inputs: str | None, module: Any, function: Callable[..., Any]) -> bool:  # noqa: ANN401
    """Return whether the arguments depend on a size at all."""
    if inputs is not None:
        return "n" in compiled(inputs).co_names
    return maker_in(module) is not None or _needed(function)[1] is not None


def compiled(expression: str) -> Any:  # noqa: ANN401  a code object
    """Return the code of ``--inputs``.

    Raises
    ------
    InputError
        If it is no expression.
    """
    try:
        return compile(expression.strip(), "--inputs", "eval")
    except (SyntaxError, ValueError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(
            f"--inputs {expression!r} is no Python expression ({said})", _TRY
        ) from error


def _needed(function: Callable[..., Any]) -> tuple[list[str], str | None]:
    """Return the parameters without a default, and the one that takes a size."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], None
    own = [p for p in parameters if p.name != NAMESPACE]
    kinds = inspect.Parameter
    plain = {kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY}
    needed = [p.name for p in own if p.default is p.empty and p.kind in plain]
    sized = next((p.name for p in own if p.name in SIZE_NAMES and p.kind in plain), None)
    return needed, sized


def with_namespace(function: Callable[..., Any], xp: Any) -> Callable[..., Any]:  # noqa: ANN401
    """Return a function that is called without its parameter `xp`, where it has one.

    Parameters
    ----------
    xp : module or None
        What that parameter is given.
    """
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return function
    if xp is None or NAMESPACE not in names:
        return function
    if names[0] == NAMESPACE:
        return functools.partial(function, xp)
    return functools.partial(function, **{NAMESPACE: xp})


class Maker:
    """Makes the arguments of the user's function, for one size after another.

    Parameters
    ----------
    inputs : str or None
        Expression in `n`, `rng`, `np` and the names of the user's file.
    module : module
        The user's own, run as it is.
    """

    def __init__(
        self,
        target: Target,
        inputs: str | None,
        module: Any,  # noqa: ANN401  a module
        function: Callable[..., Any],
        seed: int,
    ) -> None:
        self._target = target
        self._inputs = inputs
        self._module = module
        self._function = function
        self._seed = seed
        self.source = source_of(inputs, module, function)
        self.sized = takes_size(inputs, module, function)

    def make(self, size: int) -> Arguments:
        """Return the arguments of one size.

        Raises
        ------
        InputError
            If they cannot be made, or the function does not take them.
        """
        import numpy as np  # noqa: PLC0415  after the backend was opened

        rng = np.random.default_rng((self._seed, size))
        # Code that draws from NumPy's global stream is given the same values everywhere too.
        np.random.seed((self._seed * 31 + size) % 2**32)  # noqa: NPY002
        try:
            made = self._made(size, rng, np)
        except InputError:
            raise
        except MemoryError:
            raise
        except Exception as error:
            # It is the user's expression: it may raise anything.
            where = "--inputs" if self._inputs is not None else self.source
            said = told(error, self._target.path)
            raise InputError(f"{where} fails at n = {size}: {said}", _TRY) from error
        return self._bound(made)

    def _made(self, size: int, rng: Any, np: Any) -> Any:  # noqa: ANN401  a generator, a module
        if self._inputs is not None:
            names: Mapping[str, Any] = dict(vars(self._module)) | {"n": size, "rng": rng, "np": np}
            return eval(compiled(self._inputs), dict(names))  # noqa: S307  the user's own words
        maker = maker_in(self._module)
        if maker is not None:
            return maker(size, rng)
        sized = _needed(self._function)[1]
        return {} if sized is None else {sized: size}

    def _bound(self, made: Any) -> Arguments:  # noqa: ANN401  what an expression gave
        args: tuple[Any, ...] = ()
        kwargs: dict[str, Any] = {}
        match made:
            case tuple() if not hasattr(made, "_fields"):
                args = made
            case dict():
                kwargs = made
                wrong = next((k for k in made if not isinstance(k, str)), None)
                if wrong is not None:
                    raise InputError(f"the arguments have a name {wrong!r} that is no text", _TRY)
            case _:
                args = (made,)
        leaves, node = taken_apart((args, kwargs))
        self._fits(args, kwargs)
        return Arguments([Leaf(self._named(x.path), x.value) for x in leaves], node)

    def _fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):
            return
        own = [p for p in signature.parameters.values() if p.name != NAMESPACE]
        try:
            signature.replace(parameters=own).bind(*args, **kwargs)
        except (TypeError, ValueError) as error:
            name = getattr(self._function, "__name__", self._target.name)
            raise InputError(f"{name}{signature} does not take them: {error}", _TRY) from error

    def _named(self, path: str) -> str:
        """Return a path with the parameter's name in place of its number."""
        if path.startswith("[1]["):
            key, _, rest = path.removeprefix("[1][").partition("]")
            return key.strip("'\"") + rest
        number, _, rest = path.removeprefix("[0][").partition("]")
        try:
            names = [
                p.name
                for p in inspect.signature(self._function).parameters.values()
                if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD} and p.name != NAMESPACE
            ]
        except (TypeError, ValueError):
            names = []
        place = int(number)
        return (names[place] if place < len(names) else f"argument {place + 1}") + rest
