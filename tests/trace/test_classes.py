"""Kernels told by their names, as cuBLAS, cuDNN, CUTLASS and PyTorch write them."""

from __future__ import annotations

import pytest

from breakeven.trace.chrome import Work
from breakeven.trace.classes import in_float64, on_tensor_cores, shares

TENSOR = [
    "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn",
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn",
    "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn",
    "volta_h884gemm_64x128_ldg8_nn",
    "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nt",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_64x3_tn_align8>(Params)",
    "void cutlass::Kernel<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_tn_align8>(Params)",
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(Params)",
    "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
    "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_cgasize1x1x1_stage4_gmmastage2_warpgroupsize1x1x1_g1_tensor64x128x16_execute_kernel__5x_cudnn",
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn",
    "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN",
    "nvjet_sm100_hsh_64x8_64x16_1x1_h_bz_splitK_NNT",
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t>>(Flash_fwd_params)",
    "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)",
]
NEITHER = [
    "ampere_sgemm_128x64_nn",
    "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(cutlass_80_simt_sgemm::Params)",
    "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
    "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, false, true>(int, int)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>(Op)",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "triton_poi_fused_relu_0",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudnnTensorStruct)",
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>>(long, int)",
]
FLOAT64 = [
    "ampere_dgemm_128x64_nn",
    "volta_dgemm_64x64_tn",
    "void gemv2T_kernel_val<int, int, double, double, double, double, 128, 16, 4, 4, false>(Params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<double>>(int)",
    "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_32x32_16x5_nn_align1>(Params)",
    "sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x64x16_stage4_warpsize2x2x1_tensor8x8x4_execute_kernel__5x_cublas",
    "ampere_zgemm_64x64_nn",
]


@pytest.mark.parametrize("name", TENSOR)
def test_kernels_of_the_tensor_cores_are_told(name: str) -> None:
    """Half, bfloat16 and TF32 products of four generations."""
    assert on_tensor_cores(name)
    assert not in_float64(name)


@pytest.mark.parametrize("name", NEITHER)
def test_other_kernels_are_neither(name: str) -> None:
    """Plain float32 products, though CUTLASS or xmma made them; element-wise work; collectives."""
    assert not on_tensor_cores(name)
    assert not in_float64(name)


@pytest.mark.parametrize("name", FLOAT64)
def test_kernels_in_float64_are_told(name: str) -> None:
    """By the letter of the operation, the type in a template, or the instruction's shape."""
    assert in_float64(name)


def test_a_double_product_may_run_on_tensor_cores() -> None:
    """The two classes are apart: since A100 tensor cores multiply float64 too."""
    assert on_tensor_cores(FLOAT64[4])
    assert on_tensor_cores(FLOAT64[5])
    assert not on_tensor_cores(FLOAT64[0])


def test_shares_are_of_the_time_of_kernels() -> None:
    """A copy counts on neither side; without kernels there is no share."""

    def work(kind: str, name: str, took: float) -> Work:
        return Work(kind, name, 0.0, took, 0, 7)  # type: ignore[arg-type]

    some = [
        work("kernel", FLOAT64[0], 1.0),
        work("kernel", TENSOR[0], 2.0),
        work("kernel", NEITHER[0], 1.0),
        work("copy", "Memcpy HtoD (Pageable -> Device)", 9.0),
    ]
    assert shares(some) == (0.25, 0.5)
    assert shares(some[3:]) == (None, None)
