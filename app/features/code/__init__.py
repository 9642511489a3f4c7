"""Code: the program for scikit-learn that makes the present picture."""
