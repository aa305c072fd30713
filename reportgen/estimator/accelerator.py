"""What the accelerator drop-down reaches: every fact is looked up in the accelerator table, live."""

from reportgen.formula import any_of, equals, formula, is_known, pick, position, where


@formula(unit="row", symbol="i", source="catalog")
def accelerator_row(accelerators_id, accelerator):
    """One search serves all look-ups."""
    return position(accelerators_id, accelerator)


@formula(unit="text", symbol="", source="catalog")
def accelerator_name(accelerators_name, accelerator_row):
    """As the vendor writes it."""
    return pick(accelerators_name, accelerator_row)


@formula(unit="GiB", symbol="M_gpu", source="catalog")
def memory_capacity_gib(accelerators_memory_gib, accelerator_row):
    """The memory that a process can see, else the printed number."""
    return pick(accelerators_memory_gib, accelerator_row)


@formula(unit="GiB", symbol="M_use", source="reportgen")
def memory_usable_gib(memory_capacity_gib, memory_fit_share):
    """A margin stays free: the estimate has an error, and allocators fragment."""
    return memory_capacity_gib * memory_fit_share


@formula(unit="TFLOP/s", symbol="F_16", source="catalog")
def peak_tflops_16bit(
    accelerators_bf16_tflops, accelerators_fp16_tflops, accelerators_fp32_tflops, accelerator_row
):
    """Dense 16-bit peak: bf16, or fp16 on cards without bf16, or fp32 on cards that have neither."""
    bf16 = pick(accelerators_bf16_tflops, accelerator_row)
    fp16 = pick(accelerators_fp16_tflops, accelerator_row)
    return where(is_known(bf16), bf16, where(is_known(fp16), fp16, pick(accelerators_fp32_tflops, accelerator_row)))


@formula(unit="TFLOP/s", symbol="F_8", source="catalog")
def peak_tflops_8bit(accelerators_fp8_tflops, accelerator_row, peak_tflops_16bit):
    """Dense fp8 peak; a card without fp8 computes in 16 bit."""
    fp8 = pick(accelerators_fp8_tflops, accelerator_row)
    return where(is_known(fp8), fp8, peak_tflops_16bit)


@formula(unit="TFLOP/s", symbol="F_4", source="catalog")
def peak_tflops_4bit(accelerators_fp4_tflops, accelerator_row, peak_tflops_8bit):
    """Dense fp4 peak; a card without fp4 computes in 8 bit, or 16."""
    fp4 = pick(accelerators_fp4_tflops, accelerator_row)
    return where(is_known(fp4), fp4, peak_tflops_8bit)


@formula(unit="TFLOP/s", symbol="F_32", source="catalog")
def peak_tflops_32bit(
    compute_precision, accelerators_tf32_tflops, accelerators_fp32_tflops, accelerator_row, peak_tflops_16bit
):
    """Dense peak of 32-bit products: tf32 runs on the matrix units of cards that have them, fp32 on the vector units."""
    fp32 = pick(accelerators_fp32_tflops, accelerator_row)
    full = where(is_known(fp32), fp32, peak_tflops_16bit)
    tf32 = pick(accelerators_tf32_tflops, accelerator_row)
    return where(equals(compute_precision, "tf32"), where(is_known(tf32), tf32, full), full)


@formula(unit="TFLOP/s", symbol="F", source="catalog")
def peak_tflops(
    compute_precision,
    peak_tflops_16bit,
    peak_tflops_8bit,
    peak_tflops_4bit,
    peak_tflops_32bit,
):
    """The dense peak of the precision that the matrix products run in, never the sparsity figure."""
    wide = any_of(equals(compute_precision, "fp32"), equals(compute_precision, "tf32"))
    sixteen_or_32 = where(wide, peak_tflops_32bit, peak_tflops_16bit)
    eight_or_more = where(equals(compute_precision, "fp8"), peak_tflops_8bit, sixteen_or_32)
    return where(equals(compute_precision, "fp4"), peak_tflops_4bit, eight_or_more)


@formula(unit="GB/s", symbol="W", source="catalog")
def memory_bandwidth_gb_s(accelerators_bandwidth_gb_s, accelerator_row):
    """Decimal GB/s of the memory of one accelerator."""
    return pick(accelerators_bandwidth_gb_s, accelerator_row)


@formula(unit="GPUs", symbol="g", source="catalog")
def gpus_per_node(accelerators_gpus_per_node, accelerator_row):
    """Accelerators in the usual server of this type."""
    return pick(accelerators_gpus_per_node, accelerator_row)


@formula(unit="GPUs", symbol="n_nv", source="catalog")
def nvlink_domain(accelerators_nvlink_domain, accelerator_row):
    """How many accelerators share the fast link."""
    return pick(accelerators_nvlink_domain, accelerator_row)


@formula(unit="GB/s", symbol="B_link", source="catalog")
def link_gb_s(accelerators_interconnect_gb_s, accelerators_pcie_gb_s, accelerator_row):
    """Bandwidth to a neighbour in one direction: the fast link, else PCIe."""
    fast = pick(accelerators_interconnect_gb_s, accelerator_row)
    return where(is_known(fast), fast, pick(accelerators_pcie_gb_s, accelerator_row))
