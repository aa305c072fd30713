"""What training writes and reads: checkpoints and the data set."""

from reportgen.estimator.structure import adapter, freeze, full, reinforcement, training
from reportgen.formula import BYTE, DAY, GIGABYTE, TERABYTE, below, formula, where

BLOOM = "bigscience-bloom"


# Checkpoints


@formula(unit="parameters", symbol="N_tr", source="zero-2020", when=training & full, name="trained_parameters")
def trained_parameters(parameters):
    """Under full training everything learns."""
    return parameters


@formula(unit="parameters", symbol="N_tr", source="lora-2021", when=adapter, name="trained_parameters")
def trained_parameters_adapter(lora_parameters, embeddings_trained, embedding_parameters):
    """Only the adapters learn and need saving, and copies of the vocabulary when asked."""
    return lora_parameters + embeddings_trained * embedding_parameters


@formula(unit="parameters", symbol="N_tr", source="llama-factory", when=training & freeze, name="trained_parameters")
def trained_parameters_freeze(parameters, embedding_parameters, trained_layer_share, embeddings_trained):
    """The last layers, and the vocabulary when asked."""
    body = parameters - embedding_parameters
    return body * trained_layer_share + embeddings_trained * embedding_parameters


@formula(unit="B/parameter", symbol="b_ck", source=BLOOM, when=training)
def checkpoint_bytes_per_parameter(weight_bytes, master_weight_bytes, optimizer_moment_bytes):
    """Weights, master copy and moments: 14 bytes in mixed precision with Adam. Gradients are not saved."""
    return weight_bytes + master_weight_bytes + optimizer_moment_bytes


@formula(unit="GB", symbol="S_ck", source=BLOOM, when=training & ~reinforcement, name="checkpoint_gb")
def checkpoint_gb(trained_parameters, checkpoint_bytes_per_parameter):
    """All that a run needs to go on after a failure."""
    return trained_parameters * checkpoint_bytes_per_parameter / GIGABYTE


@formula(unit="GB", symbol="S_w", source=BLOOM, when=training)
def exported_weights_gb(trained_parameters):
    """16-bit weights for evaluation and use."""
    return 2 * trained_parameters * BYTE / GIGABYTE


@formula(unit="TB", symbol="S_cks", source=BLOOM, when=training)
def checkpoint_storage_tb(kept_checkpoints, checkpoint_gb, milestone_checkpoints, exported_weights_gb, runs):
    """A few full checkpoints of the run at work, and the weights at milestones of every run."""
    kept = kept_checkpoints * checkpoint_gb + milestone_checkpoints * exported_weights_gb * runs
    return kept * GIGABYTE / TERABYTE


@formula(unit="GB/s", symbol="B_ck", source="ml-engineering", when=training)
def checkpoint_write_gb_s(checkpoint_gb, checkpoint_write_seconds):
    """The file system must take a checkpoint in the time allowed."""
    return checkpoint_gb / checkpoint_write_seconds


@formula(unit="GB/s", symbol="B_rd", source="ml-engineering", when=training)
def checkpoint_read_gb_s(checkpoint_gb, restart_seconds, restart_read_share):
    """After a failure the checkpoint must be back within its share of the restart."""
    return checkpoint_gb / (restart_seconds * restart_read_share)


@formula(unit="TB/day", symbol="W_ck", source=BLOOM, when=training)
def checkpoint_written_tb_per_day(checkpoint_gb, checkpoints_per_day):
    """Flash wears out by what is written."""
    return checkpoint_gb * checkpoints_per_day * GIGABYTE / TERABYTE


@formula(unit="share", symbol="x_ck", source=BLOOM, when=training)
def checkpoint_time_share(checkpoint_stall_seconds, checkpoints_per_day):
    """Share of the time that saving takes."""
    return checkpoint_stall_seconds * checkpoints_per_day / DAY


# Data


@formula(unit="B/token", symbol="b_id", source="megatron-lm", when=training)
def stored_token_bytes(vocabulary_size):
    """A token is a 16-bit number as long as the vocabulary is that small."""
    return where(below(vocabulary_size, 65536), 2, 4) * BYTE


@formula(unit="TB", symbol="S_data", source="reportgen", when=training)
def dataset_storage_tb(training_tokens, stored_token_bytes, raw_text_bytes_per_token, dataset_copies):
    """Tokens ready to read, and the text that they come from."""
    return training_tokens * (stored_token_bytes + raw_text_bytes_per_token) * dataset_copies / TERABYTE


@formula(unit="GB/s", symbol="B_data", source="reportgen", when=training)
def dataset_read_gb_s(tokens_per_second, stored_token_bytes):
    """Text is small: reading it never limits a run."""
    return tokens_per_second * stored_token_bytes / GIGABYTE
