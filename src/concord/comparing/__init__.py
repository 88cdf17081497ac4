"""Any two results compared."""
