"""Register what will be asked and claimed, pack what was found, verify a pack of somebody else."""
