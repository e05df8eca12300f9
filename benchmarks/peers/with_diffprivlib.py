"""diffprivlib: bounds declared, every tool as documented."""

from child import run
from diffprivlib import tools

run(
    {
        "median": lambda x, b, e: tools.median(x, epsilon=e, bounds=b),
        "quantile": lambda x, b, e: tools.quantile(x, 0.9, epsilon=e, bounds=b),
        "mean": lambda x, b, e: tools.mean(x, epsilon=e, bounds=b),
        "variance": lambda x, b, e: tools.var(x, epsilon=e, bounds=b),
    }
)
