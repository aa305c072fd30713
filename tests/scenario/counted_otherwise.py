"""Parameters by which the published count of a model differs from its shape, and why."""

COUNTED_OTHERWISE = {
    "glm-4-9b": 32,  # a buffer of rotary frequencies is in the file
    "gemma-3-4b": -64 * 2560,  # counted with the vocabulary before padding
    "gemma-3-12b": -64 * 3840,
    "gemma-3-27b": -64 * 5376,
    "opt-125m": -2 * 768,  # two of the 2050 positions are not counted
    "opt-1.3b": -2 * 2048,
    "olmo-1b": -33 * 2048,  # its norms have no weights
    "olmo-7b": -65 * 4096,
    "olmo-2-1b": 16 * (16 + 16 - 2) * 128,  # norms of queries and keys span all heads
    "olmo-2-7b": 32 * (32 + 32 - 2) * 128,
    "olmo-2-13b": 40 * (40 + 40 - 2) * 128,
    "olmo-2-32b": 64 * (40 + 8 - 2) * 128,
    "olmo-3-7b": 32 * (32 + 32 - 2) * 128,
    "olmo-3-32b": 64 * (40 + 8 - 2) * 128,
    "olmoe-1b-7b": 16 * (16 + 16 - 2) * 128,
    "apertus-8b": 2 * 32,  # two trained numbers of the activation a layer
    "apertus-70b": 2 * 80,
    "moonlight-16b-a3b": (26 + 27) * 64,  # corrections of the router and frequencies are in the file
    "dots.llm1": 61 * 128,  # corrections of the router are in the file
    "ernie-4.5-300b-a47b": 51 * 64,
    "ernie-4.5-21b-a3b": 27 * 64,
    "ling-mini-2.0": 19 * 256,
    "ling-flash-2.0": 31 * 256,
    "ling-1t": 76 * 256,
    "phi-3.5-moe": 32064,  # the bias of the output layer is left out
    "gpt-neo-125m": 6 * 2048**2,  # masks of half the layers are in the file
    "gpt-neo-1.3b": 12 * 2048**2,
    "gpt-neo-2.7b": 16 * 2048**2,
    "stablelm-2-12b": 40 * (32 + 8 - 2) * 160,  # norms of queries and keys span all heads
    "open-llama-3b": 26 * 50,  # frequencies are in the file
}
