"""What CuPy offers of NumPy and SciPy, read from the names of its releases 13.6 and 14.2."""

from __future__ import annotations

# Names that NumPy 2 or SciPy 1 has as well, by module; made from `dir` of both, without a GPU.
OFFERED: dict[str, str] = {
    "Generator": """
        beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric
        integers logseries poisson power random standard_exponential standard_gamma
        standard_normal uniform
    """,
    "ndarray": """
        T all any argmax argmin argpartition argsort astype base byteswap choose clip
        compress conj conjugate copy cumprod cumsum data device diagonal dot dtype dump
        dumps fill flags flat flatten imag item itemsize mT max mean min nbytes ndim nonzero
        partition prod put ravel real repeat reshape round searchsorted shape size sort
        squeeze std strides sum swapaxes take tobytes tofile tolist trace transpose var view
    """,
    "numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis
        apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
        argmin argpartition argsort argwhere around array array2string array_equal
        array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite
        ascontiguousarray asfortranarray asin asinh astype atan atan2 atanh atleast_1d
        atleast_2d atleast_3d average bartlett base_repr binary_repr bincount bitwise_and
        bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or
        bitwise_right_shift bitwise_xor blackman bool bool_ broadcast broadcast_arrays
        broadcast_shapes broadcast_to byte c_ can_cast cbrt cdouble ceil choose clip
        column_stack common_type complex128 complex64 complexfloating compress concat
        concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos cosh
        count_nonzero cov cross csingle cumprod cumsum cumulative_prod cumulative_sum
        deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal diff
        digitize divide divmod dot double dsplit dstack dtype e ediff1d einsum empty
        empty_like equal euler_gamma exp exp2 expand_dims expm1 extract eye fabs
        fill_diagonal finfo fix flatiter flatnonzero flip fliplr flipud float16 float32
        float64 float_power floating floor floor_divide fmax fmin fmod
        format_float_positional format_float_scientific frexp from_dlpack frombuffer
        fromfile fromfunction fromiter fromstring full full_like gcd generic genfromtxt
        get_printoptions gradient greater greater_equal half hamming hanning heaviside
        histogram histogram2d histogramdd hsplit hstack hypot i0 identity iinfo imag
        index_exp indices inexact inf inner int16 int32 int64 int8 int_ intc integer interp
        intersect1d intp invert isclose iscomplex iscomplexobj isdtype isfinite isfortran
        isin isinf isnan isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_
        kaiser kron lcm ldexp left_shift less less_equal lexsort linspace load loadtxt log
        log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
        logspace long longlong mask_indices matmul matrix_transpose max maximum
        may_share_memory mean median meshgrid mgrid min min_scalar_type minimum mintypecode
        mod modf moveaxis multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum
        nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ndarray ndim ndindex
        negative newaxis nextafter nonzero not_equal number ogrid ones ones_like outer
        packbits pad partition percentile permute_dims pi piecewise place poly poly1d
        polyadd polyfit polymul polysub polyval positive pow power printoptions prod
        promote_types ptp put put_along_axis putmask quantile r_ rad2deg radians ravel
        ravel_multi_index real real_if_close reciprocal remainder repeat require reshape
        resize result_type right_shift rint roll rollaxis roots rot90 round row_stack s_
        save savetxt savez savez_compressed searchsorted select set_printoptions setdiff1d
        setxor1d shape shares_memory short show_config sign signbit signedinteger sin sinc
        single sinh size sort sort_complex split sqrt square squeeze stack std subtract sum
        swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri
        tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from
        true_divide trunc typename ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp
        ulong ulonglong union1d unique unique_all unique_counts unique_inverse unique_values
        unpackbits unravel_index unsignedinteger unwrap ushort vander var vdot vectorize
        vsplit vstack where zeros zeros_like
    """,
    "numpy.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
        irfftn rfft rfft2 rfftfreq rfftn
    """,
    "numpy.lib.stride_tricks": """
        as_strided sliding_window_view
    """,
    "numpy.linalg": """
        LinAlgError cholesky cond cross det eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_power matrix_rank matrix_transpose norm pinv qr slogdet solve svd tensorinv
        tensorsolve
    """,
    "numpy.polynomial.polynomial": """
        polycompanion polyval polyvalfromroots polyvander
    """,
    "numpy.random": """
        BitGenerator RandomState beta binomial bytes chisquare choice default_rng dirichlet
        exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal
        logseries multinomial multivariate_normal negative_binomial noncentral_chisquare
        noncentral_f normal pareto permutation poisson power rand randint randn random
        random_integers random_sample ranf rayleigh sample seed shuffle standard_cauchy
        standard_exponential standard_gamma standard_normal standard_t triangular uniform
        vonmises wald weibull zipf
    """,
    "numpy.testing": """
        assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp
        assert_array_equal assert_array_less assert_array_max_ulp assert_warns
    """,
    "scipy.fft": """
        dct dctn dst dstn fft fft2 fftfreq fftn fftshift fht hfft hfft2 hfftn idct idctn
        idst idstn ifft ifft2 ifftn ifftshift ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn
        next_fast_len rfft rfft2 rfftfreq rfftn
    """,
    "scipy.fftpack": """
        fft fft2 fftn ifft ifft2 ifftn irfft rfft
    """,
    "scipy.interpolate": """
        Akima1DInterpolator BPoly BSpline BarycentricInterpolator CloughTocher2DInterpolator
        CubicHermiteSpline CubicSpline InterpolatedUnivariateSpline KroghInterpolator
        LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator
        PPoly PchipInterpolator RBFInterpolator RegularGridInterpolator UnivariateSpline
        barycentric_interpolate interp1d interpn krogh_interpolate make_interp_spline
        make_lsq_spline pchip_interpolate splantider splder
    """,
    "scipy.linalg": """
        bandwidth block_diag circulant companion convolution_matrix dft expm fiedler
        fiedler_companion hadamard hankel helmert hilbert khatri_rao leslie lu lu_factor
        lu_solve solve_triangular toeplitz
    """,
    "scipy.ndimage": """
        affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes
        binary_hit_or_miss binary_opening binary_propagation black_tophat center_of_mass
        convolve convolve1d correlate correlate1d distance_transform_edt extrema
        find_objects fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform
        gaussian_filter gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace
        generate_binary_structure generic_filter generic_filter1d generic_gradient_magnitude
        generic_laplace grey_closing grey_dilation grey_erosion grey_opening histogram
        iterate_structure label labeled_comprehension laplace map_coordinates maximum
        maximum_filter maximum_filter1d maximum_position mean median median_filter minimum
        minimum_filter minimum_filter1d minimum_position morphological_gradient
        morphological_laplace percentile_filter prewitt rank_filter rotate shift sobel
        spline_filter spline_filter1d standard_deviation sum sum_labels uniform_filter
        uniform_filter1d value_indices variance white_tophat zoom
    """,
    "scipy.signal": """
        BadCoefficients StateSpace TransferFunction ZerosPolesGain abcd_normalize
        argrelextrema argrelmax argrelmin band_stop_obj bilinear bilinear_zpk bode buttap
        butter buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1 cheby2 check_COLA check_NOLA
        chirp choose_conv_method coherence cont2discrete convolve convolve2d correlate
        correlate2d correlation_lags csd cspline1d cspline1d_eval cspline2d dbode decimate
        deconvolve detrend dfreqresp dimpulse dlsim dlti dstep ellip ellipap ellipord
        fftconvolve filtfilt find_peaks findfreqs firls firwin firwin2 freqresp freqs
        freqs_zpk freqz freqz_sos freqz_zpk gammatone gauss_spline gausspulse get_window
        group_delay hilbert hilbert2 iircomb iirdesign iirfilter iirnotch iirpeak impulse
        invres invresz istft kaiser_atten kaiser_beta kaiserord lfilter lfilter_zi lfiltic
        lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim lti
        max_len_seq medfilt medfilt2d minimum_phase normalize oaconvolve order_filter
        peak_prominences peak_widths periodogram place_poles qspline1d qspline1d_eval
        qspline2d resample resample_poly residue residuez savgol_coeffs savgol_filter
        sawtooth sepfir2d sos2tf sos2zpk sosfilt sosfilt_zi sosfiltfilt sosfreqz spectrogram
        spline_filter square ss2tf ss2zpk step stft sweep_poly symiirorder1 symiirorder2
        tf2sos tf2ss tf2zpk unique_roots unit_impulse upfirdn vectorstrength welch wiener
        zpk2sos zpk2ss zpk2tf
    """,
    "scipy.sparse": """
        SparseEfficiencyWarning SparseWarning block_array block_diag bmat coo_array
        coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array dia_matrix diags
        diags_array eye eye_array find get_index_dtype hstack identity issparse isspmatrix
        isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia kron kronsum
        permute_dims rand random random_array safely_cast_index_arrays sparray spdiags
        spmatrix swapaxes tril triu vstack
    """,
    "scipy.sparse.csgraph": """
        connected_components
    """,
    "scipy.sparse.linalg": """
        LinearOperator SuperLU aslinearoperator bicgstab cg cgs eigsh factorized gmres
        lobpcg lsmr lsqr matrix_power minres norm spilu splu spsolve spsolve_triangular svds
    """,
    "scipy.spatial": """
        Delaunay KDTree distance_matrix
    """,
    "scipy.spatial.distance": """
        MetricInfo canberra cdist chebyshev cityblock correlation cosine euclidean hamming
        jensenshannon minkowski pdist russellrao sqeuclidean
    """,
    "scipy.special": """
        bdtr bdtrc bdtri beta betainc betaincinv betaln binom boxcox boxcox1p cbrt chdtr
        chdtrc chdtri cosdg cosm1 cotdg digamma ellipeinc ellipj ellipk ellipkinc ellipkm1
        entr erf erfc erfcinv erfcx erfinv exp1 exp10 exp2 expi expit expm1 expn exprel fdtr
        fdtrc fdtri gamma gammainc gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr
        gdtrc huber i0 i0e i1 i1e inv_boxcox inv_boxcox1p j0 j1 k0 k0e k1 k1e kl_div
        lambertw log1p log_expit log_ndtr log_softmax loggamma logit logsumexp lpmv
        multigammaln nbdtr nbdtrc nbdtri ndtr ndtri pdtr pdtrc pdtri poch polygamma
        pseudo_huber psi radian rel_entr rgamma round shichi sici sinc sindg softmax
        sph_harm_y spherical_yn tandg wright_bessel xlog1py xlogy y0 y1 yn zeta zetac
    """,
    "scipy.stats": """
        boxcox_llf entropy trim_mean zmap zscore
    """,
    "ufunc": """
        accumulate at nargs nin nout outer reduce reduceat types
    """,
}
# Of these, what came with release 14.
SINCE_14: dict[str, str] = {
    "ndarray": """
        byteswap mT
    """,
    "numpy": """
        acos acosh apply_over_axes asin asinh astype atan atan2 atanh bitwise_count
        bitwise_invert bitwise_left_shift bitwise_right_shift bool concat cumulative_prod
        cumulative_sum isdtype long matrix_transpose permute_dims pow put_along_axis
        trapezoid ulong unique_all unique_counts unique_inverse unique_values
    """,
    "numpy.linalg": """
        cond cross eig eigvals matmul matrix_transpose
    """,
    "scipy.interpolate": """
        CloughTocher2DInterpolator CubicSpline InterpolatedUnivariateSpline
        LSQUnivariateSpline LinearNDInterpolator NdBSpline NearestNDInterpolator
        UnivariateSpline interp1d make_lsq_spline
    """,
    "scipy.ndimage": """
        find_objects
    """,
    "scipy.signal": """
        freqz_sos sweep_poly
    """,
    "scipy.sparse": """
        block_array block_diag coo_array csc_array csr_array dia_array diags_array eye_array
        get_index_dtype permute_dims random_array safely_cast_index_arrays sparray swapaxes
    """,
    "scipy.sparse.linalg": """
        bicgstab matrix_power
    """,
    "scipy.spatial": """
        Delaunay KDTree
    """,
    "scipy.special": """
        ellipeinc ellipkinc lambertw shichi sici sph_harm_y wright_bessel
    """,
}
