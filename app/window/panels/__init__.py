"""The panels beside and above the plots: forms and strips."""
