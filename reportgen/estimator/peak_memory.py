"""Memory of one GPU beside the states: the worst moment of the worst pipeline stage."""

from reportgen.estimator.structure import adapter, freeze, full, lora, qlora, training
from reportgen.formula import GIB, above, at_least, formula, maximum, minimum, where

KORTHIKANTI = "korthikanti-2022"
SIMUMAX = "simumax"
weights_learn = training & (full | freeze)


# Layers in flight


@formula(unit="layers", symbol="L_f", source="megatron-2021", when=training & ~freeze, name="layers_in_flight_first")
def layers_in_flight_first(virtual_stages, layers_per_stage, pipeline_parallel, micro_batches):
    """The first stage starts a micro-batch a stage before the first one returns; interleaving adds more."""
    plain = layers_per_stage * minimum(pipeline_parallel, micro_batches)
    interleaved = layers_per_stage * (pipeline_parallel + (pipeline_parallel - 1) / virtual_stages)
    return where(above(virtual_stages, 1), interleaved, plain)


@formula(unit="layers", symbol="L_f", source="llama-factory", when=training & freeze, name="layers_in_flight_first")
def layers_in_flight_first_freeze(trained_layers_per_stage):
    """Layers that do not learn keep nothing."""
    return trained_layers_per_stage


@formula(unit="layers", symbol="L_z", source="megatron-2021", when=training & ~freeze, name="layers_in_flight_last")
def layers_in_flight_last(layers_per_stage):
    """The last stage turns each micro-batch round at once."""
    return layers_per_stage


@formula(unit="layers", symbol="L_z", source="llama-factory", when=training & freeze, name="layers_in_flight_last")
def layers_in_flight_last_freeze(trained_layers_per_stage):
    """Layers that do not learn keep nothing."""
    return trained_layers_per_stage


# The two moments that can be the peak


@formula(unit="GiB", symbol="M_lp", source=SIMUMAX, when=weights_learn, name="layer_peak_gib")
def layer_peak_gib(backward_work_gib, weight_gradient_gib, sequence_gather_gib, gathered_weights_gib, bucket_gib):
    """Buffers while a layer runs backward."""
    return backward_work_gib + weight_gradient_gib + sequence_gather_gib + gathered_weights_gib + bucket_gib


@formula(unit="GiB", symbol="M_fg", source="fsdp-2023", when=adapter)
def flat_gradients_gib(unsplit_gradients, zero_stage, common_parameters_per_gpu, base_weight_bytes):
    """Where adapters and frozen weights share flat tensors, the frozen ones get gradients too, unsplit."""
    flat = where(at_least(zero_stage, 3), unsplit_gradients, 0)
    return flat * common_parameters_per_gpu * base_weight_bytes / GIB


@formula(unit="GiB", symbol="M_lp", source="qlora-2023", when=training & qlora, name="layer_peak_gib")
def layer_peak_gib_quantized(
    backward_work_gib, unpacked_matrix_gib, flat_gradients_gib, sequence_gather_gib, gathered_weights_gib, bucket_gib
):
    """As with adapters, and the matrix at work is unpacked."""
    gathered = sequence_gather_gib + gathered_weights_gib
    return backward_work_gib + unpacked_matrix_gib + flat_gradients_gib + gathered + bucket_gib


@formula(unit="GiB", symbol="M_lp", source=SIMUMAX, when=training & lora, name="layer_peak_gib")
def layer_peak_gib_adapter(
    backward_work_gib, flat_gradients_gib, sequence_gather_gib, gathered_weights_gib, bucket_gib
):
    """Frozen weights have no gradient to hold, but in flat tensors."""
    gathered = sequence_gather_gib + gathered_weights_gib
    return backward_work_gib + flat_gradients_gib + gathered + bucket_gib


@formula(unit="GiB", symbol="M_hp", source=SIMUMAX, when=training & full, name="head_peak_gib")
def head_peak_gib(
    logits_gib, head_gradient_gib, hidden_state_gib, sequence_gather_gib, gathered_weights_gib, bucket_gib
):
    """Buffers while the head runs backward."""
    gathered = sequence_gather_gib + gathered_weights_gib
    return logits_gib + head_gradient_gib + hidden_state_gib + gathered + bucket_gib


@formula(unit="GiB", symbol="M_hp", source=SIMUMAX, when=training & ~full, name="head_peak_gib")
def head_peak_gib_frozen(logits_gib, hidden_state_gib, sequence_gather_gib, gathered_weights_gib, bucket_gib):
    """A frozen head has no gradient to hold."""
    return logits_gib + hidden_state_gib + sequence_gather_gib + gathered_weights_gib + bucket_gib


@formula(unit="GiB", symbol="M_s1", source="megatron-2021", when=training)
def first_stage_gib(kept_per_layer_gib, layers_in_flight_first, layer_peak_gib):
    """The first stage has most micro-batches in flight."""
    return kept_per_layer_gib * layers_in_flight_first + layer_peak_gib


@formula(unit="GiB", symbol="M_sp", source="megatron-2021", when=training)
def last_stage_gib(kept_per_layer_gib, layers_in_flight_last, layer_peak_gib, head_peak_gib):
    """The last stage has the logits; head and layer do not peak at the same moment."""
    return kept_per_layer_gib * layers_in_flight_last + maximum(layer_peak_gib, head_peak_gib)


@formula(unit="GiB", symbol="M_up", source="pytorch", when=training)
def update_peak_gib(held_optimizer_states, update_temporary_bytes, optimizer_on_host):
    """An update that treats all weights at once holds one temporary number of each; activations are gone by then."""
    return held_optimizer_states * update_temporary_bytes * (1 - optimizer_on_host) / GIB


@formula(unit="flag", symbol="i_u", source="pytorch", when=training)
def update_is_peak(update_peak_gib, first_stage_gib, last_stage_gib):
    """The worst moment may be the update of the weights."""
    return where(above(update_peak_gib, maximum(first_stage_gib, last_stage_gib)), 1, 0)


@formula(unit="flag", symbol="i_1", source="megatron-2021", when=training)
def first_stage_is_fullest(first_stage_gib, last_stage_gib):
    """Memory must suffice on the fullest stage."""
    return where(above(first_stage_gib, last_stage_gib), 1, 0)


@formula(unit="GiB", symbol="M_act", source=KORTHIKANTI, when=training)
def activations_per_gpu_gib(
    update_is_peak, kept_per_layer_gib, first_stage_is_fullest, layers_in_flight_first, layers_in_flight_last
):
    """What the layers in flight keep for their backward pass."""
    in_flight = where(at_least(first_stage_is_fullest, 1), layers_in_flight_first, layers_in_flight_last)
    return (1 - update_is_peak) * kept_per_layer_gib * in_flight


@formula(unit="GiB", symbol="M_ce", source="ml-engineering", when=training)
def logits_per_gpu_gib(update_is_peak, first_stage_is_fullest, logits_gib):
    """Only the last stage has logits."""
    return where(above(update_is_peak + first_stage_is_fullest, 0), 0, logits_gib)


@formula(unit="GiB", symbol="M_tmp", source=SIMUMAX, when=training)
def temporary_per_gpu_gib(
    update_is_peak, update_peak_gib, first_stage_is_fullest, layer_peak_gib, head_peak_gib, logits_gib
):
    """Buffers of the peak moment beyond activations and logits."""
    last = maximum(layer_peak_gib, head_peak_gib) - logits_gib
    backward = where(at_least(first_stage_is_fullest, 1), layer_peak_gib, last)
    return where(at_least(update_is_peak, 1), update_peak_gib, backward)
