"""The structure of a scenario: which formulas exist. Numbers never decide it, so a live workbook never needs another formula."""

from reportgen.formula import Feature

# job
training = Feature("training")  # pretraining, continued pretraining, fine-tuning, preference tuning
serving = Feature("serving")
batch_inference = Feature("batch_inference")
inference = serving | batch_inference

# method of training
full = Feature("full")
lora = Feature("lora")
qlora = Feature("qlora")
freeze = Feature("freeze")
adapter = lora | qlora
STAGES = 4  # most parts of one training
staged = Feature("staged")  # several parts in a row, each with its own tokens, length and method
reinforcement = Feature("reinforcement")  # preference tuning that writes answers and learns from rewards (PPO, GRPO)
reference_model = Feature("reference_model")  # preference tuning against a frozen copy (DPO)

# architecture
mixture_of_experts = Feature("mixture_of_experts")
dense = ~mixture_of_experts
latent_attention = Feature("latent_attention")  # MLA
grouped_attention = ~latent_attention  # MHA, GQA, MQA
query_compression = Feature("query_compression")  # MLA with a query rank
gated = Feature("gated")
tied = Feature("tied")
learned_positions = Feature("learned_positions")
sliding_window = Feature("sliding_window")
multi_token_prediction = Feature("multi_token_prediction")
qk_norm = Feature("qk_norm")
linear_attention = Feature("linear_attention")  # some layers keep a state of constant size instead of a cache
unusual_parts = Feature("unusual_parts")  # any of: embedding norm, head bias, attention sinks, router or expert bias, shared-expert gate

# software
score_matrix = Feature("score_matrix")  # attention that keeps its scores in memory, as all software did before 2023

# what is asked
deadline = Feature("deadline")
budget = Feature("budget")
budget_objective = Feature("budget_objective")  # a budget, and neither deadline nor fixed size: the best that the money buys
cheapest_objective = Feature("cheapest_objective")  # the layout that costs least, not the smallest
measured_speed = Feature("measured_speed")  # training: the user's own runs move the speed
speculative = Feature("speculative")  # serving: drafted tokens are verified several at a time
attention_data_parallel = Feature("attention_data_parallel")  # ranks of a replica share the requests, not the heads
disaggregated = Feature("disaggregated")  # serving: prompts are read by a pool of their own
api_price = Feature("api_price")  # inference: a price of the same tokens elsewhere
measured_rate = Feature("measured_rate")  # serving: the user's own tokens a second drive everything
measured_point = Feature("measured_point")  # serving: a measured load and its time a token correct the estimate
given_utilization = Feature("given_utilization")  # training: the user's own or a known run's utilisation
utilization_from_run = Feature("utilization_from_run")  # with given_utilization: computed from a past run, lost time included
step_model = training & ~given_utilization  # training: the time of a step from its parts
given_network = Feature("given_network")  # the scenario states the speed of the network
hybrid_sharding = Feature("hybrid_sharding")  # states are split inside groups and copied between them (HSDP)
expert_tensor = Feature("expert_tensor")  # each expert is cut over several GPUs
nvme_offload = Feature("nvme_offload")  # optimizer states stand on the disks of the servers
planning_table = Feature("planning_table")  # training: utilisation by kind of hardware, for comparison
published_methods = Feature("published_methods")  # forms of papers that no scenario needs: tests and the accuracy report
latency_objectives = Feature("latency_objectives")
buy = Feature("buy")
rent = Feature("rent")
owned = Feature("owned")  # equipment that is there already is named
conversation = Feature("conversation")  # serving: requests are turns that send all earlier ones again
shared_cluster = Feature("shared_cluster")  # serving: other services stand on the same nodes
given_rate = Feature("given_rate")  # serving: requests a second instead of users
start_date = Feature("start_date")  # a day on which the work must begin
end_date = Feature("end_date")  # a last day, and no start: delivery and job must both end before it
site_power_limit = Feature("site_power_limit")
site_rack_limit = Feature("site_rack_limit")
site_cooling = Feature("site_cooling")  # the room says whether it has liquid for servers
approval_limit = Feature("approval_limit")  # money that needs no further approval
fabric = Feature("fabric")  # more than one node can be meant: servers in racks with a network, not a workstation

LAYOUT_VARIABLES = {
    "training": (
        "nodes", "tensor_parallel", "pipeline_parallel", "expert_parallel", "micro_batch", "zero_stage", "full_recomputation",
        "offload_level",
    ),
    "inference": ("tensor_parallel", "batch_per_replica"),
}  # fmt: skip


def layout_variables(features: frozenset[str]) -> tuple[str, ...]:
    """The quantities that a candidate layout fixes."""
    return LAYOUT_VARIABLES["training" if "training" in features else "inference"]
