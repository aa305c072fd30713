"""Shapes of models of every structure, in the short form of published values."""

LLAMA = {"L": 32, "h": 4096, "f": 14336, "a": 32, "kv": 8, "d": 128, "V": 128256}
GPT = {
    **{"L": 12, "h": 768, "f": 3072, "a": 12, "d": 64, "V": 50257},
    **{"tied": True, "gated": False, "bias": True, "pos": 1024},
}
MIXTRAL = {**LLAMA, "V": 32000, "E": 8, "k": 2}
GEMMA = {"L": 42, "h": 3584, "f": 14336, "a": 16, "kv": 8, "d": 256, "V": 256000, "tied": True, "norms": 4}
WINDOW = {**GEMMA, "window": 1024, "window_layers": 21, "qk_norm": True}
LATENT = {"c": 512, "nope": 128, "rope": 64, "v": 128}
DEEPSEEK = {
    **{"L": 61, "h": 7168, "f": 2048, "fd": 18432, "a": 128, "V": 129280},
    **{"E": 256, "k": 8, "shared": 1, "dense": 3, "mla": {**LATENT, "q": 1536}},
}
LITE = {
    **{"L": 27, "h": 2048, "f": 1408, "fd": 10944, "a": 16, "V": 102400},
    **{"E": 64, "k": 6, "shared": 2, "dense": 1, "mla": LATENT},
}
SHAPES = {
    "llama": LLAMA,
    "gpt": GPT,
    "mixtral": MIXTRAL,
    "gemma": GEMMA,
    "window": WINDOW,
    "deepseek": DEEPSEEK,
    "lite": LITE,
}
METHODS = ("full", "lora", "qlora", "freeze")
