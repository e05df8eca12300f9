"""Post-processing of released numbers, which costs nothing: consistent counts, shares of groups.

Nothing here sees data. Whatever is computed from released values only keeps their guarantee.
"""

from leastnoise.postprocessing.counts import consistent_counts as consistent_counts
from leastnoise.postprocessing.counts import shares as shares
from leastnoise.postprocessing.sampled_shares import share_intervals as share_intervals
