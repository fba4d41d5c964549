"""What the facade over PyTorch offers, as tools/torch_names.py writes it."""

from __future__ import annotations

OFFERED: dict[str, str] = {
    "numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append arange arccos
        arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort
        argwhere around array array_equal array_split asanyarray asarray asarray_chkfinite
        ascontiguousarray asfortranarray asin asinh astype atan atan2 atanh atleast_1d
        atleast_2d atleast_3d average bartlett bincount bitwise_and bitwise_invert
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman
        block broadcast_arrays broadcast_to c_ can_cast cbrt ceil choose clip column_stack
        compress concat concatenate conj conjugate convolve copy copysign copyto corrcoef
        correlate cos cosh count_nonzero cov cross cumprod cumsum cumulative_sum deg2rad
        degrees delete diag diag_indices diag_indices_from diagflat diagonal diff digitize
        divide divmod dot dsplit dstack ediff1d einsum empty empty_like equal exp exp2
        expand_dims expm1 extract eye fabs fill_diagonal fix flatnonzero flip fliplr flipud
        float_power floor floor_divide fmax fmin fmod frexp fromfunction full full_like gcd
        geomspace gradient greater greater_equal hamming hanning heaviside histogram hsplit
        hstack hypot i0 identity imag index_exp indices inner insert interp intersect1d
        invert isclose iscomplexobj isfinite isin isinf isnan isneginf isposinf isrealobj
        ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort linspace log log10
        log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
        logspace matmul matrix_transpose max maximum mean median meshgrid mgrid min minimum
        mod modf moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum
        nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum
        nanvar ndarray ndim negative nextafter nonzero not_equal ogrid ones ones_like outer
        pad partition percentile permute_dims piecewise place polyval positive pow power
        prod ptp put put_along_axis putmask quantile r_ rad2deg radians ravel
        ravel_multi_index real reciprocal remainder repeat reshape resize result_type
        right_shift rint roll rollaxis rot90 round row_stack s_ searchsorted select
        setdiff1d shape sign signbit sin sinc sinh size sort split sqrt square squeeze stack
        std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
        transpose trapezoid tri tril tril_indices tril_indices_from trim_zeros triu
        triu_indices triu_indices_from true_divide trunc union1d unique unravel_index
        unstack vander var vdot vecdot vsplit vstack where zeros zeros_like
    """,
    "numpy.linalg": """
        LinAlgError cholesky cond cross det eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_norm matrix_power matrix_rank multi_dot norm outer pinv qr slogdet solve svd
        svdvals tensordot trace vecdot vector_norm
    """,
    "numpy.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
        irfftn rfft rfft2 rfftfreq rfftn
    """,
    "numpy.lib.stride_tricks": """
        as_strided sliding_window_view
    """,
    "scipy.special": """
        cbrt digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln
        i0 i0e i1 i1e j0 j1 log1p log_ndtr log_softmax logit logsumexp ndtr ndtri psi
        softmax xlog1py xlogy y0 y1 zeta
    """,
    "scipy.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
        irfftn rfft rfft2 rfftfreq rfftn
    """,
    "scipy.linalg": """
        det eigh eigvals eigvalsh expm inv norm pinv solve solve_triangular svdvals
    """,
    "ndarray": """
        T all any argmax argmin argpartition argsort astype base choose clip compress conj
        conjugate copy cumprod cumsum device diagonal dot dtype fill flags flat flatten imag
        item itemsize mT max mean min nbytes ndim nonzero partition prod put ravel real
        repeat reshape round searchsorted shape size sort squeeze std strides sum swapaxes
        take tobytes tolist trace transpose var view
    """,
    "ufunc": """
        accumulate at outer reduce
    """,
}
# By PyTorch's own shim of NumPy: tens of microseconds a call.
SLOW: dict[str, str] = {
    "numpy": "array_equiv common_type histogram2d histogramdd iscomplex isreal real_if_close",
}
