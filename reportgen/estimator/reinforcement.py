"""Learning from rewards (PPO, GRPO) beside the policy's own steps: the other models, their passes, and the sum of a run."""

from reportgen.estimator.structure import adapter, reinforcement, training
from reportgen.formula import EXAFLOP, FLOP, formula

PPO = "instruct-gpt-2022"
GRPO = "deepseek-math-2024"


@formula(unit="models", symbol="n_lrn", source=PPO, when=reinforcement)
def learning_models(critic_ratio):
    """The policy, and a critic that learns beside it, in sizes of the policy."""
    return 1 + critic_ratio


@formula(unit="models", symbol="n_frz", source=PPO, when=reinforcement & ~adapter, name="frozen_models")
def frozen_models(reference_models, reward_ratio):
    """The policy as it was, and a model that rewards, in sizes of the policy."""
    return reference_models + reward_ratio


@formula(unit="models", symbol="n_frz", source="lora-2021", when=reinforcement & adapter, name="frozen_models")
def frozen_models_of_adapters(critic_ratio, reward_ratio):
    """The policy without its adapters is its own reference; critic and reward have a frozen base each."""
    return critic_ratio + reward_ratio


@formula(unit="passes", symbol="n_sco", source=GRPO, when=reinforcement)
def scoring_passes(reference_models, critic_ratio, reward_ratio):
    """Forward passes over each answer before anything is learned: the policy's own, reference, critic, reward."""
    return 1 + reference_models + critic_ratio + reward_ratio


@formula(unit="tokens", symbol="T_sco", source=GRPO, when=reinforcement)
def scored_tokens(run_tokens, rollout_passes):
    """Answers are scored once, however often they are learned from."""
    return run_tokens / rollout_passes


@formula(unit="s", symbol="t_sco", source=GRPO, when=reinforcement)
def scoring_seconds(
    scored_tokens,
    scoring_passes,
    seconds_per_token_per_gpu,
    forward_flops_per_token,
    training_flops_per_token,
    recomputed_flops_per_token,
    gpus,
):
    """A forward pass takes its share of the time of a training step."""
    share = forward_flops_per_token / (training_flops_per_token + recomputed_flops_per_token)
    return scored_tokens * scoring_passes * seconds_per_token_per_gpu * share / gpus


@formula(unit="s", symbol="t_lrn", source=PPO, when=reinforcement)
def learning_seconds(run_tokens, learning_models, tokens_per_second):
    """Policy and critic learn one after the other."""
    return run_tokens * learning_models / tokens_per_second


@formula(unit="s", symbol="t_run", source=GRPO, when=reinforcement, name="run_seconds")
def run_seconds_with_rollouts(rollout_seconds, scoring_seconds, learning_seconds):
    """Answers are written, scored and learned from in turn, on the same GPUs."""
    return rollout_seconds + scoring_seconds + learning_seconds


@formula(unit="share", symbol="x_rol", source=GRPO, when=reinforcement)
def rollout_share(rollout_seconds, run_seconds):
    """How much of the run is writing answers."""
    return rollout_seconds / run_seconds


@formula(unit="EFLOP", symbol="C_run", source=GRPO, when=training & reinforcement, name="run_work_eflop")
def run_work_with_rollouts_eflop(
    training_flops_per_token,
    run_tokens,
    learning_models,
    forward_flops_per_token,
    scored_tokens,
    scoring_passes,
    rollouts_per_run,
    rollout_answer_tokens,
    matmul_parameters,
):
    """Learning, scoring, and two operations a parameter for every token written."""
    learned = training_flops_per_token * run_tokens * learning_models
    written = 2 * matmul_parameters * FLOP * rollouts_per_run * rollout_answer_tokens
    return (learned + forward_flops_per_token * scored_tokens * scoring_passes + written) / EXAFLOP
