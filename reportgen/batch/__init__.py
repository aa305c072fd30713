"""Many scenarios at once: read, estimate and render each in a pool of processes, then index, summary and comparison."""
