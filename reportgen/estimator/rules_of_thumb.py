"""The rules of thumb that people know, each as it is published, for comparison with the estimate.

Where a rule counts something that is not so, it is kept as it is and the comparison says why it differs.
"""

from reportgen.estimator.structure import (
    batch_inference,
    inference,
    published_methods,
    serving,
    training,
)
from reportgen.formula import (
    BYTE,
    DAY,
    EXAFLOP,
    FLOP,
    GIB,
    GIGABYTE,
    HOUR,
    HOURS_PER_DAY,
    MISSING,
    TERABYTE,
    TERAFLOP,
    above,
    ceil,
    formula,
    is_known,
    pick,
    where,
)

ARTICLES = "sizing-articles"
NARAYANAN = "megatron-2021"
KORTHIKANTI = "korthikanti-2022"


# Scaling law: 6 P D over peak and a utilisation from published runs


@formula(unit="EFLOP", symbol="C_6PD", source="kaplan-2020", when=training)
def scaling_law_eflop(active_parameters, run_tokens):
    """Six operations a parameter and token; attention and recomputation are left out."""
    return 6 * active_parameters * run_tokens * FLOP / EXAFLOP


@formula(unit="GPU h", symbol="H_6PD", source=ARTICLES, when=training)
def scaling_law_gpu_hours(scaling_law_eflop, peak_tflops_16bit, scaling_law_utilization):
    """The utilisation comes from GPU hours that model makers published, so it contains their losses."""
    return scaling_law_eflop * EXAFLOP / (peak_tflops_16bit * TERAFLOP * scaling_law_utilization) / HOUR


@formula(unit="days", symbol="d_6PD", source=ARTICLES, when=training)
def scaling_law_days(scaling_law_gpu_hours, gpus):
    """One run on the GPUs of this estimate."""
    return scaling_law_gpu_hours / gpus / HOURS_PER_DAY


@formula(unit="share", symbol="U_6PD", source=ARTICLES, when=published_methods)
def scaling_law_utilization_of_run(scaling_law_eflop, peak_tflops_16bit, published_gpu_hours):
    """Ideal hours over published hours."""
    return scaling_law_eflop * EXAFLOP / (peak_tflops_16bit * TERAFLOP) / HOUR / published_gpu_hours


@formula(unit="GB", symbol="M_6w", source=ARTICLES, when=training)
def scaling_law_weights_gb(parameters):
    """16-bit weights."""
    return 2 * parameters * BYTE / GIGABYTE


@formula(unit="GPUs", symbol="n_6s", source=ARTICLES, when=training)
def scaling_law_state_gpus(scaling_law_weights_gb, scaling_law_state_multiple, memory_capacity_gib):
    """Optimizer and gradients take at least four times the weights."""
    return scaling_law_weights_gb * scaling_law_state_multiple * GIGABYTE / (memory_capacity_gib * GIB)


@formula(unit="GPUs", symbol="n_6a", source=ARTICLES, when=training)
def scaling_law_activation_gpus(layers, classic_layer_bytes, global_batch, micro_batch, memory_capacity_gib):
    """Activations of the whole batch at once, by the textbook formula."""
    whole_batch = layers * classic_layer_bytes * global_batch / micro_batch
    return whole_batch / (memory_capacity_gib * GIB)


@formula(unit="GPUs", symbol="n_6", source=ARTICLES, when=training)
def scaling_law_memory_gpus(scaling_law_state_gpus, scaling_law_activation_gpus, scaling_law_communication_factor):
    """GPUs for memory, and a fifth more for buffers of communication."""
    return (scaling_law_state_gpus + scaling_law_activation_gpus) * scaling_law_communication_factor


@formula(unit="B", symbol="M_6a", source=ARTICLES, when=training)
def scaling_law_activation_bytes(
    layers, global_batch, sequence_length, hidden_size, intermediate_size, attention_heads
):
    """The printed form, whose third term carries the number of heads once too often."""
    token_part = 14 * hidden_size + 4 * intermediate_size + 8 * attention_heads * hidden_size
    return layers * global_batch * sequence_length * (token_part + 5 * attention_heads * sequence_length) * BYTE


@formula(unit="days", symbol="d_exp", source=ARTICLES, when=published_methods)
def scaling_law_export_days(scaling_law_days, export_variant_time_factor):
    """Variants with a slower link between GPUs take a little longer."""
    return scaling_law_days * export_variant_time_factor


# Ratio to GPT-3


@formula(unit="TB", symbol="D_TB", source=ARTICLES, when=training)
def gpt3_ratio_data_tb(run_tokens, raw_text_bytes_per_token):
    """The rule asks for bytes of text, not tokens."""
    return run_tokens * raw_text_bytes_per_token / TERABYTE


@formula(unit="EFLOP", symbol="C_G3", source=ARTICLES, when=training)
def gpt3_ratio_eflop(parameters, gpt3_parameters, gpt3_ratio_data_tb, gpt3_data_tb, gpt3_eflop):
    """GPT-3 scaled by parameters and by data; its 45 TB were raw text, of which a hundredth was used."""
    return parameters / gpt3_parameters * (gpt3_ratio_data_tb / gpt3_data_tb) * gpt3_eflop


@formula(unit="GPUs", symbol="n_G3", source=ARTICLES, when=training)
def gpt3_ratio_gpus(gpt3_ratio_eflop, accelerators_fp32_tflops, accelerator_row, run_days):
    """GPUs for the days of this estimate at the 32-bit vector peak, which nobody trains with."""
    peak = pick(accelerators_fp32_tflops, accelerator_row)
    return where(is_known(peak), gpt3_ratio_eflop * EXAFLOP / (peak * TERAFLOP * run_days * DAY), MISSING)


# Tokens x dimension x layers, for inference


@formula(unit="FLOP", symbol="C_LDN", source=ARTICLES, when=inference)
def token_dimension_flop(prompt_tokens, answer_tokens, hidden_size, layers):
    """The rule misses about 24 times the width in every layer, and that decoding waits for memory."""
    return (prompt_tokens + answer_tokens) * hidden_size * layers * FLOP


@formula(unit="1/s", symbol="r_LDN", source=ARTICLES, when=inference)
def token_dimension_requests_per_second(accelerators_fp32_tflops, accelerator_row, token_dimension_flop):
    """Requests a second that one GPU would answer."""
    peak = pick(accelerators_fp32_tflops, accelerator_row)
    return where(is_known(peak), peak * TERAFLOP / token_dimension_flop, MISSING)


@formula(unit="GPUs", symbol="n_LDN", source=ARTICLES, when=serving, name="token_dimension_gpus")
def token_dimension_gpus(peak_requests_per_second, token_dimension_requests_per_second):
    """GPUs for the requests at the peak."""
    rate = token_dimension_requests_per_second
    return where(is_known(rate), peak_requests_per_second / rate, MISSING)


@formula(unit="GPUs", symbol="n_LDN", source=ARTICLES, when=batch_inference, name="token_dimension_gpus")
def token_dimension_gpus_batch(items_per_second_needed, token_dimension_requests_per_second):
    """GPUs for the items of the window."""
    rate = token_dimension_requests_per_second
    return where(is_known(rate), items_per_second_needed / rate, MISSING)


# Token rate


@formula(unit="GPUs", symbol="n_v", source=ARTICLES, when=training, name="token_rate_gpus")
def token_rate_gpus(run_tokens, run_days, tokens_per_second_per_gpu):
    """Tokens over time and the speed of one GPU; what lost time adds to the estimate is missing."""
    return run_tokens / (run_days * DAY * tokens_per_second_per_gpu)


@formula(unit="GPUs", symbol="n_v", source=ARTICLES, when=batch_inference, name="token_rate_gpus")
def token_rate_gpus_batch(batch_tokens, window_hours, batch_tokens_per_second, gpus):
    """Tokens over time and the speed of one GPU: the honest rule, when the speed is measured."""
    return batch_tokens / (window_hours * HOUR * batch_tokens_per_second / gpus)


@formula(unit="GPUs", symbol="n_v", source=ARTICLES, when=serving, name="token_rate_gpus")
def token_rate_gpus_serving(output_tokens_per_second, gpu_output_tokens_per_second):
    """Tokens a second at the peak over the speed of one GPU, with nothing in reserve; without answers it says nothing."""
    writes = above(gpu_output_tokens_per_second, 0)
    return where(writes, output_tokens_per_second / gpu_output_tokens_per_second, MISSING)


# Twenty bytes a parameter and the textbook layer


@formula(unit="GB", symbol="M_20P", source=ARTICLES, when=training)
def bytes_per_parameter_states_gb(parameters, bytes_per_parameter_rule):
    """Two copies of weights and gradients and two moments; others count 16 or 18."""
    return parameters * bytes_per_parameter_rule / GIGABYTE


@formula(unit="GB", symbol="M_20a", source=ARTICLES, when=training)
def bytes_per_parameter_activations_gb(layers, classic_layer_bytes, micro_batch):
    """One sequence through all layers by the textbook formula: scores kept, no gate, no grouped heads."""
    return layers * classic_layer_bytes / micro_batch / GIGABYTE


@formula(unit="GPUs", symbol="n_20", source=ARTICLES, when=training)
def bytes_per_parameter_least_gpus(
    bytes_per_parameter_states_gb, bytes_per_parameter_activations_gb, memory_capacity_gib
):
    """GPUs that hold the states and one sequence."""
    needed = bytes_per_parameter_states_gb + bytes_per_parameter_activations_gb
    return ceil(needed * GIGABYTE / (memory_capacity_gib * GIB))


@formula(unit="GPUs", symbol="n_20B", source=ARTICLES, when=training)
def bytes_per_parameter_gpus(
    bytes_per_parameter_states_gb, bytes_per_parameter_activations_gb, global_batch, memory_capacity_gib
):
    """GPUs that hold the states and the whole batch at once, which nobody does."""
    needed = bytes_per_parameter_states_gb + bytes_per_parameter_activations_gb * global_batch
    return ceil(needed * GIGABYTE / (memory_capacity_gib * GIB))


# Forms of papers


@formula(unit="days", symbol="d_8TP", source=NARAYANAN, when=training)
def short_form_days(active_parameters, run_tokens, gpus, model_tflops_per_gpu):
    """8 T P / (n X): full recomputation counted, attention and head left out."""
    return 8 * run_tokens * active_parameters * FLOP / (gpus * model_tflops_per_gpu * TERAFLOP) / DAY


@formula(unit="parameters", symbol="P_12", source=NARAYANAN, when=published_methods)
def short_form_parameters(layers, hidden_size, vocabulary_size, sequence_length):
    """12 L h^2 and the embeddings: full heads, no gate."""
    body = 12 * layers * hidden_size * hidden_size
    ends = (vocabulary_size + sequence_length) / (12 * layers * hidden_size)
    return body * (1 + 13 / (12 * hidden_size) + ends)


@formula(unit="FLOP", symbol="C_96", source=NARAYANAN, when=published_methods)
def short_form_step_flop(global_batch, sequence_length, layers, hidden_size, vocabulary_size):
    """Hardware operations of a step with full recomputation, equation 3."""
    body = 96 * global_batch * sequence_length * layers * hidden_size * hidden_size
    attention = sequence_length / (6 * hidden_size)
    return body * (1 + attention + vocabulary_size / (16 * layers * hidden_size)) * FLOP


@formula(unit="share", symbol="MFU_72", source=KORTHIKANTI, when=published_methods)
def short_form_utilization(
    global_batch, sequence_length, layers, hidden_size, vocabulary_size, step_seconds, gpus, peak_tflops
):
    """Model operations of a step without recomputation over what the GPUs could do in its time."""
    body = 72 * global_batch * sequence_length * layers * hidden_size * hidden_size
    step = body * (1 + sequence_length / (6 * hidden_size) + vocabulary_size / (12 * layers * hidden_size))
    return step * FLOP / (step_seconds * gpus * peak_tflops * TERAFLOP)


@formula(unit="GiB", symbol="M_18", source=KORTHIKANTI, when=published_methods)
def short_form_states_gib(layers, hidden_size, tensor_parallel, pipeline_parallel):
    """18 bytes for each of 12 L h^2 parameters, nothing sharded over replicas."""
    return 18 * 12 * layers * hidden_size * hidden_size / (tensor_parallel * pipeline_parallel) * BYTE / GIB


@formula(unit="share", symbol="x_b", source=NARAYANAN, when=published_methods)
def bubble_share(pipeline_parallel, virtual_stages, micro_batches):
    """Waiting as a share of the whole time, as some report it."""
    return (pipeline_parallel - 1) / (virtual_stages * micro_batches + pipeline_parallel - 1)


# Layer formulas of the paper: GELU, one key a query head, dropout, scores kept


@formula(unit="B", symbol="a_c", source=KORTHIKANTI, when=training | published_methods)
def classic_layer_bytes(sequence_length, micro_batch, hidden_size, attention_heads):
    """34 s b h + 5 a s^2 b: the form that textbooks and articles use."""
    scores = 5 * attention_heads * sequence_length / hidden_size
    return sequence_length * micro_batch * hidden_size * (34 + scores) * BYTE


@formula(unit="B", symbol="a_ct", source=KORTHIKANTI, when=published_methods)
def classic_layer_bytes_tensor(sequence_length, micro_batch, hidden_size, attention_heads, tensor_parallel):
    """Tensor parallelism alone leaves norms and dropout whole."""
    scores = 5 * attention_heads * sequence_length / (hidden_size * tensor_parallel)
    return sequence_length * micro_batch * hidden_size * (10 + 24 / tensor_parallel + scores) * BYTE


@formula(unit="B", symbol="a_cs", source=KORTHIKANTI, when=published_methods)
def classic_layer_bytes_sequence(classic_layer_bytes, tensor_parallel):
    """With sequence parallelism everything is divided."""
    return classic_layer_bytes / tensor_parallel


@formula(unit="B", symbol="a_cts", source=KORTHIKANTI, when=published_methods)
def classic_layer_bytes_tensor_selective(sequence_length, micro_batch, hidden_size, tensor_parallel):
    """Recomputing the attention core removes the term with the square of the sequence."""
    return sequence_length * micro_batch * hidden_size * (10 + 24 / tensor_parallel) * BYTE


@formula(unit="B", symbol="a_css", source=KORTHIKANTI, when=published_methods)
def classic_layer_bytes_sequence_selective(sequence_length, micro_batch, hidden_size, tensor_parallel):
    """Sequence parallelism and recomputation of the attention core together."""
    return 34 * sequence_length * micro_batch * hidden_size / tensor_parallel * BYTE


@formula(unit="B", symbol="a_cf", source=KORTHIKANTI, when=published_methods)
def classic_layer_bytes_full(sequence_length, micro_batch, hidden_size):
    """Full recomputation keeps the input of the layer."""
    return 2 * sequence_length * micro_batch * hidden_size * BYTE


@formula(unit="layers", symbol="L_cf", source=KORTHIKANTI, when=published_methods)
def classic_layers_in_flight(layers, pipeline_parallel, virtual_stages):
    """A first stage holds as many layers as the model has, and more when it is interleaved."""
    extra = where(above(virtual_stages, 1), (pipeline_parallel - 1) / (pipeline_parallel * virtual_stages), 0)
    return layers * (1 + extra)


@formula(unit="GiB", symbol="M_cf", source=KORTHIKANTI, when=published_methods)
def classic_first_stage_gib(classic_layer_bytes_tensor, classic_layers_in_flight):
    """First stage under tensor parallelism alone."""
    return classic_layer_bytes_tensor * classic_layers_in_flight / GIB


@formula(unit="GiB", symbol="M_cs", source=KORTHIKANTI, when=published_methods)
def classic_first_stage_selective_gib(classic_layer_bytes_sequence_selective, classic_layers_in_flight):
    """First stage under sequence parallelism and selective recomputation."""
    return classic_layer_bytes_sequence_selective * classic_layers_in_flight / GIB


CROSS_CHECKS = (  # a method's result -> the quantity of this estimate that it stands beside
    ("scaling_law_days", "run_days"),
    ("scaling_law_gpu_hours", "gpu_hours"),
    ("scaling_law_memory_gpus", "gpus"),
    ("gpt3_ratio_gpus", "gpus"),
    ("token_dimension_gpus", "gpus"),
    ("token_rate_gpus", "gpus"),
    ("bytes_per_parameter_least_gpus", "gpus"),
    ("bytes_per_parameter_gpus", "gpus"),
    ("short_form_days", "run_days"),
)
